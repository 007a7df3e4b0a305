// The samples of a metric as a blob: doubles (IEEE 754, 64 bits, little-endian), one behind the
// other in the file's order; their number is the blob's size divided by 8. A `null` of the file is
// the NaN of null_sample(), whose bits are 0x7FF800006E756C6C.
#include "schema/model/line_metrics.h"

#include <algorithm>
#include <bit>

namespace benchhud::schema {

static_assert(std::endian::native == std::endian::little,
              "samples are stored as the machine has them: little-endian");

std::optional<std::size_t> line_metric(std::string_view name) {
  const auto found = std::find(kLineMetrics.begin(), kLineMetrics.end(), name);
  if (found == kLineMetrics.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kLineMetrics.begin());
}

bool is_in_line(std::string_view metric, SampleShape shape) {
  return shape == SampleShape::kArray && line_metric(metric).has_value();
}

std::string_view to_blob(std::span<const double> samples) {
  return {reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(double)};
}

}  // namespace benchhud::schema
