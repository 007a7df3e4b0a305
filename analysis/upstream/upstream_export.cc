#include "analysis/upstream/upstream_export.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/numpy_math.h"

namespace benchhud::analysis {
namespace {

// As numpy's: NaN if any sample is.
double least(std::span<const double> samples) {
  double result = samples[0];
  for (const double sample : samples) {
    if (std::isnan(sample)) return sample;
    result = std::min(result, sample);
  }
  return result;
}

double greatest(std::span<const double> samples) {
  double result = samples[0];
  for (const double sample : samples) {
    if (std::isnan(sample)) return sample;
    result = std::max(result, sample);
  }
  return result;
}

}  // namespace

std::vector<ExportValue> upstream_export(std::span<const schema::Measurement> metrics, bool has_xla,
                                         bool has_dynamo, ExtremeNames names) {
  const std::string prefix = names == ExtremeNames::kAmin ? "a" : "";
  std::vector<ExportValue> values;
  std::optional<double> compile_time;
  for (const schema::Measurement& metric : metrics) {
    const std::span<const double> samples = metric.samples;
    if (samples.empty()) continue;
    const bool applies = has_xla || metric.metric != "trace_per_iter_time";
    const auto add = [&](const std::string& function, double value) {
      values.push_back(
          {function + "_" + metric.metric, applies ? std::optional(value) : std::nullopt});
    };
    add(prefix + "min", least(samples));
    add("median", numpy_median(samples));
    add(prefix + "max", greatest(samples));
    if (metric.metric == "total_time") compile_time = greatest(samples) - numpy_median(samples);
    if (samples.size() == 1) continue;
    const std::span<const double> rest = samples.subspan(1);
    add("mean", numpy_mean(rest));
    add("std", numpy_std(rest, 0));
  }
  if (compile_time) {
    values.push_back({"dynamo_compile_time", has_dynamo ? compile_time : std::nullopt});
    values.push_back({"xla_compile_time", has_xla ? compile_time : std::nullopt});
  }
  return values;
}

}  // namespace benchhud::analysis
