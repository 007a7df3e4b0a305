// A median and what lies above it, as numbers that there were.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace benchhud::analysis {

/// Of n numbers in order those at n / 2 and 9 n / 10, counted from 0, and the last.
struct Quantiles {
  std::int64_t p50 = 0, p90 = 0, most = 0;
};

/// Of numbers in any order; none of nothing.
inline std::optional<Quantiles> quantiles_of(std::vector<std::int64_t> numbers) {
  if (numbers.empty()) return std::nullopt;
  std::sort(numbers.begin(), numbers.end());
  return Quantiles{numbers[numbers.size() / 2], numbers[numbers.size() * 9 / 10], numbers.back()};
}

}  // namespace benchhud::analysis
