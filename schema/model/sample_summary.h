// The few numbers that stand beside a measurement's samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace benchhud::schema {

/// Over the finite samples: null, NaN and infinities are left out. Unset where n is 0.
struct SampleSummary {
  std::int64_t n = 0;
  std::optional<double> median, mean, min, max;
};

SampleSummary summarize(std::span<const double> samples);

}  // namespace benchhud::schema
