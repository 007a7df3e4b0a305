#include "schema/model/sample_summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace benchhud::schema {

SampleSummary summarize(std::span<const double> samples) {
  std::vector<double> finite;
  finite.reserve(samples.size());
  double sum = 0;
  for (const double sample : samples) {
    if (!std::isfinite(sample)) continue;
    finite.push_back(sample);
    sum += sample;
  }
  SampleSummary summary;
  summary.n = static_cast<std::int64_t>(finite.size());
  if (finite.empty()) return summary;

  std::sort(finite.begin(), finite.end());
  const std::size_t middle = finite.size() / 2;
  summary.min = finite.front();
  summary.max = finite.back();
  summary.median = finite.size() % 2 ? finite[middle] : finite[middle - 1] / 2 + finite[middle] / 2;
  // The sum of huge samples may overflow where their mean does not.
  if (std::isfinite(sum)) summary.mean = sum / double(finite.size());
  return summary;
}

}  // namespace benchhud::schema
