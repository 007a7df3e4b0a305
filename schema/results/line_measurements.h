// All measurements of a line, from the two places that hold them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/line_metrics.h"
#include "schema/results/reader.h"

namespace benchhud::schema {

/// What a line's own row holds, by place in kLineMetrics.
struct OwnSamples {
  std::array<std::optional<std::vector<double>>, kLineMetrics.size()> samples;
  /// The metrics' ids; 0 for one that the store never saw.
  std::array<std::int64_t, kLineMetrics.size()> metric_ids{};
};

/// Reads them from a row that begins with the columns of sql::kSamplesOfLine.
OwnSamples read_own_samples(const Statement& row);

/// In the order in which the store first saw each metric, which is the order that lines have them
/// in.
Expected<std::vector<StoredMeasurement>> measurements_of_line(Connection& connection, LineId line,
                                                              OwnSamples own);

/// The order of Reader::measurements().
void sort_by_name(std::vector<StoredMeasurement>* measurements);

/// The measurements of many results' timing lines, read beside the results, whose order they have:
/// two statements for all of them, or for each kKeysAStatement of those that were named, and none
/// as long as nothing is asked for.
class TimingMeasurements {
 public:
  /// Of a run's results, in the order of Reader::results().
  static TimingMeasurements of_run(Connection& connection, RunId run);
  /// Of those of a run's results, in the same order, that are of `experiments`. `connection` must
  /// outlive it.
  static TimingMeasurements of_run(Connection& connection, RunId run,
                                   std::vector<ExperimentId> experiments);
  /// Of an experiment's, in the order of Reader::series().
  static TimingMeasurements of_series(Connection& connection, ExperimentId experiment, double since,
                                      double until);

  /// What Reader::measurements() gives of the timing line of `result`, which has one. Results may
  /// be passed over; none may come before the one that was asked for last. Errors: kNotFound, those
  /// of the store.
  Expected<std::vector<StoredMeasurement>> of(const ResultFacts& result);

 private:
  /// A statement at one of its rows.
  struct Rows {
    Statement query;
    int key = 0;  // the first of three columns: those of key_of()
    bool is_begun = false, has_row = false;

    void advance();
    /// Goes to the first row that is of `result` or a later one; whether it is of `result`.
    bool go_to(const ResultFacts& result);
  };
  /// Results of some experiments, a part of which the statements are about at a time.
  struct Named {
    Connection* connection;
    RunId run;
    std::vector<ExperimentId> experiments;
    std::size_t next = 0;  // the first that is in no part yet
  };
  TimingMeasurements(Statement samples, Statement measurements);
  void go_to_part_of(const ResultFacts& result);

  Rows samples_, measurements_;
  std::optional<Named> named_;
};

}  // namespace benchhud::schema
