// What the upstream report computes before it prints: datapoints, baselines, speedups, their
// geomeans.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/upstream/upstream_report.h"

namespace benchhud::analysis {

/// A mean and its error: seconds for a datapoint, without unit for a speedup.
struct UpstreamValue {
  double mean = 0;
  double error = 0;
};

/// Mean of `total_time[3:]` with the deviation of the sample (0 for one value), or `total_time[0]`
/// less the mean of the others, with 0. None with fewer than 4 or 2 values, or with a null among
/// those used.
std::optional<UpstreamValue> upstream_datapoint(std::span<const double> total_time,
                                                UpstreamMetric metric);

/// `baseline.mean / value.mean`; its error by the root of the sum of squared relative errors.
UpstreamValue upstream_speedup(const UpstreamValue& value, const UpstreamValue& baseline);

/// The geomean g of n values; its error is g / n times the root of the sum of squared relative
/// errors.
UpstreamValue upstream_geomean(std::span<const UpstreamValue> values);

/// A backend's speedups on one night, in the order in which the models first came.
struct BackendSpeedups {
  std::vector<std::string> models;
  std::vector<UpstreamValue> speedups;

  bool empty() const { return models.empty(); }
  UpstreamValue geomean() const { return upstream_geomean(speedups); }
  double percentile(double percent) const;
};

/// Datapoints by night, backend, model and batch size.
class UpstreamDatapoints {
 public:
  void add(const UpstreamLine& line, const UpstreamValue& datapoint);

  bool empty() const { return nights_.empty(); }
  std::vector<double> timestamps() const;  ///< ascending

  /// The datapoints of `backend` that speedups are over. None: `which` is kLatest and the newest
  /// night has none.
  bool choose_baseline(std::string_view backend, UpstreamBaseline which);

  /// Empty where the night has no model of `backend` in a batch size of the baseline.
  BackendSpeedups speedups(double timestamp, std::string_view backend) const;

 private:
  using BatchSize = std::optional<std::int64_t>;
  struct ModelData {
    std::string name;
    std::vector<std::pair<BatchSize, UpstreamValue>> values;  // in the order of arrival
  };
  struct BackendData {
    std::vector<ModelData> models;  // in the order of arrival
    std::unordered_map<std::string, std::size_t> places;
  };
  using Night = std::map<std::string, BackendData, std::less<>>;

  std::map<double, Night> nights_;
  std::unordered_map<std::string, std::map<BatchSize, UpstreamValue>> baseline_;
};

}  // namespace benchhud::analysis
