// The report of the benchmark runner's own aggregate.py, to the last digit: speedups over a
// baseline backend, for each night and model. docs/formats.md, "The upstream report", has its
// rules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::analysis {

enum class UpstreamReportKind { kLatest, kLatestGrouped, kHistogram, kSpeedup };
enum class UpstreamMetric { kExecution, kCompilation };
enum class UpstreamBaseline { kOldest, kLatest };
enum class UpstreamFormat { kCsv, kTab, kSvg };

struct UpstreamOptions {
  std::string accelerator = "v100";  ///< any part of the accelerator model's name, ignoring case
  std::string test = "eval";         ///< as the lines have it
  UpstreamReportKind report = UpstreamReportKind::kSpeedup;
  UpstreamMetric metric = UpstreamMetric::kExecution;
  UpstreamBaseline baseline = UpstreamBaseline::kOldest;
  /// The first is the one that speedups are over.
  std::vector<std::string> backends = {"inductor", "openxla+dynamo"};
  UpstreamFormat format = UpstreamFormat::kCsv;
  std::string title;        ///< a chart's second line
  double width_inches = 9;  ///< a chart's
  double height_inches = 6.75;
};

/// What the report reads of a line.
struct UpstreamLine {
  double timestamp = 0;  ///< seconds since 1970, UTC
  std::string_view accelerator_model;
  std::string_view backend;  ///< Experiment::backend()
  std::string_view model;
  std::string_view test;
  std::optional<std::int64_t> batch_size;
  std::span<const double> total_time;  ///< s; empty where the line has none
};

struct UpstreamOutput {
  std::string text;     ///< for standard output
  std::string warning;  ///< for standard error; "" if there is none
};

class UpstreamReport {
 public:
  /// `keeps` says which models the report is about.
  UpstreamReport(UpstreamOptions options, std::function<bool(std::string_view model)> keeps);
  ~UpstreamReport();

  /// Takes the next line. A later datapoint of the same timestamp, backend, model and batch size
  /// replaces an earlier one; a line without one (no timings, too few, nulls among those used) is
  /// passed over.
  void add(const UpstreamLine& line);

  /// Errors: kInvalidArgument for a backend that neither upstream knows nor a line had; kNotFound
  /// where there is no datapoint, or none to be the baseline.
  [[nodiscard]] schema::Expected<UpstreamOutput> render() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::analysis
