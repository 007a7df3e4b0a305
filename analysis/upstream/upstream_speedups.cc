#include "analysis/upstream/upstream_speedups.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/numpy_math.h"
#include "schema/model/types.h"

namespace benchhud::analysis {
namespace {

double square(double value) { return value * value; }

}  // namespace

std::optional<UpstreamValue> upstream_datapoint(std::span<const double> total_time,
                                                UpstreamMetric metric) {
  constexpr std::size_t kWarmUp = 3;
  const bool is_execution = metric == UpstreamMetric::kExecution;
  if (total_time.size() <= (is_execution ? kWarmUp : 1)) return std::nullopt;
  const auto used = total_time.subspan(is_execution ? kWarmUp : 0);
  if (std::any_of(used.begin(), used.end(), schema::is_null_sample)) return std::nullopt;
  if (!is_execution) return UpstreamValue{used[0] - numpy_mean(used.subspan(1)), 0};
  return UpstreamValue{numpy_mean(used), used.size() > 1 ? numpy_std(used, 1) : 0};
}

UpstreamValue upstream_speedup(const UpstreamValue& value, const UpstreamValue& baseline) {
  const double relative_error =
      std::sqrt(square(value.error / value.mean) + square(baseline.error / baseline.mean));
  const double speedup = baseline.mean / value.mean;
  return {speedup, relative_error * speedup};
}

UpstreamValue upstream_geomean(std::span<const UpstreamValue> values) {
  std::vector<double> means;
  double squares = 0;
  for (const UpstreamValue& value : values) {
    means.push_back(value.mean);
    squares += square(value.error / value.mean);
  }
  const double geomean = scipy_gmean(means);
  return {geomean, geomean / static_cast<double>(values.size()) * std::sqrt(squares)};
}

double BackendSpeedups::percentile(double percent) const {
  std::vector<double> means;
  for (const UpstreamValue& speedup : speedups) means.push_back(speedup.mean);
  return numpy_percentile(means, percent);
}

void UpstreamDatapoints::add(const UpstreamLine& line, const UpstreamValue& datapoint) {
  Night& night = nights_[line.timestamp];
  auto backend = night.find(line.backend);
  if (backend == night.end()) backend = night.emplace(line.backend, BackendData()).first;
  BackendData& data = backend->second;
  const auto [place, is_new] = data.places.emplace(line.model, data.models.size());
  if (is_new) data.models.push_back({std::string(line.model), {}});
  auto& values = data.models[place->second].values;
  for (auto& [batch_size, value] : values) {
    if (batch_size == line.batch_size) {
      value = datapoint;
      return;
    }
  }
  values.emplace_back(line.batch_size, datapoint);
}

std::vector<double> UpstreamDatapoints::timestamps() const {
  std::vector<double> timestamps;
  for (const auto& [timestamp, night] : nights_) timestamps.push_back(timestamp);
  return timestamps;
}

bool UpstreamDatapoints::choose_baseline(std::string_view backend, UpstreamBaseline which) {
  baseline_.clear();
  const auto take = [&](const Night& night) {
    const auto data = night.find(backend);
    if (data == night.end()) return false;
    for (const ModelData& model : data->second.models) {
      // emplace() leaves what an older night has given.
      auto& sizes = baseline_[model.name];
      for (const auto& [batch_size, value] : model.values) sizes.emplace(batch_size, value);
    }
    return true;
  };
  if (nights_.empty()) return true;
  if (which == UpstreamBaseline::kLatest) return take(nights_.rbegin()->second);
  for (const auto& [timestamp, night] : nights_) take(night);
  return true;
}

BackendSpeedups UpstreamDatapoints::speedups(double timestamp, std::string_view backend) const {
  BackendSpeedups result;
  const auto night = nights_.find(timestamp);
  if (night == nights_.end()) return result;
  const auto data = night->second.find(backend);
  if (data == night->second.end()) return result;
  std::vector<UpstreamValue> of_model;
  for (const ModelData& model : data->second.models) {
    const auto baseline = baseline_.find(model.name);
    if (baseline == baseline_.end()) continue;
    of_model.clear();
    for (const auto& [batch_size, value] : model.values) {
      const auto over = baseline->second.find(batch_size);
      if (over != baseline->second.end()) {
        of_model.push_back(upstream_speedup(value, over->second));
      }
    }
    if (of_model.empty()) continue;
    result.models.push_back(model.name);
    result.speedups.push_back(upstream_geomean(of_model));
  }
  return result;
}

}  // namespace benchhud::analysis
