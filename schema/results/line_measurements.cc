#include "schema/results/line_measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "schema/db/key_lookup.h"
#include "schema/db/rows.h"
#include "schema/db/text_store.h"
#include "schema/model/sample_summary.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

using Numbered = std::pair<std::int64_t, StoredMeasurement>;

Expected<StoredMeasurement> read_measurement(const Statement& row, LineId line) {
  StoredMeasurement stored;
  stored.line = line;
  stored.measurement.metric = row.text(1);
  stored.measurement.shape = static_cast<SampleShape>(row.integer(2));
  stored.summary = {row.integer(3), row.optional_real(4), row.optional_real(5),
                    row.optional_real(6), row.optional_real(7)};
  stored.measurement.samples = to_samples(row.blob(8));
  if (!row.is_null(9)) {
    BENCHHUD_ASSIGN(stored.measurement.json,
                    unpack_text(row.blob(9), row.integer(10) != 0, row.integer(11)));
  }
  return stored;
}

/// Adds the measurement that a row of sql::kMeasurementsOfLine, or one that begins as it does,
/// tells.
Expected<void> take_measurement(const Statement& row, LineId line, OwnSamples* own,
                                std::vector<Numbered>* found) {
  BENCHHUD_ASSIGN(auto stored, read_measurement(row, line));
  // It stands in both places where it is no array: the row tells its shape.
  if (const auto place = line_metric(stored.measurement.metric)) own->samples[*place].reset();
  found->emplace_back(row.integer(0), std::move(stored));
  return {};
}

/// All of a line, in the order in which the store first saw each metric.
std::vector<StoredMeasurement> in_order(std::vector<Numbered> found, LineId line, OwnSamples own) {
  for (std::size_t i = 0; i < kLineMetrics.size(); ++i) {
    if (!own.samples[i]) continue;
    StoredMeasurement stored;
    stored.line = line;
    stored.measurement.metric = kLineMetrics[i];
    stored.summary = summarize(*own.samples[i]);
    stored.measurement.samples = *std::move(own.samples[i]);
    found.emplace_back(own.metric_ids[i], std::move(stored));
  }
  std::sort(found.begin(), found.end(),
            [](const Numbered& a, const Numbered& b) { return a.first < b.first; });
  std::vector<StoredMeasurement> measurements;
  measurements.reserve(found.size());
  for (auto& item : found) measurements.push_back(std::move(item.second));
  return measurements;
}

constexpr int kOwnColumns = 2 * static_cast<int>(kLineMetrics.size());  // of sql::kSamplesOfLine
constexpr int kMeasurementColumns = 12;  // of sql::kMeasurementsOfLine

/// The order that the results of a run have, and those of a series.
using ResultKeyInOrder = std::tuple<double, RunId, ExperimentId>;

ResultKeyInOrder key_of(const ResultFacts& result) {
  return {result.started_at, result.run, result.experiment};
}

}  // namespace

OwnSamples read_own_samples(const Statement& row) {
  OwnSamples own;
  for (std::size_t i = 0; i < kLineMetrics.size(); ++i) {
    const int column = static_cast<int>(i);
    if (!row.is_null(column)) own.samples[i] = to_samples(row.blob(column));
    own.metric_ids[i] = row.integer(column + static_cast<int>(kLineMetrics.size()));
  }
  return own;
}

Expected<std::vector<StoredMeasurement>> measurements_of_line(Connection& connection, LineId line,
                                                              OwnSamples own) {
  std::vector<Numbered> found;
  Statement query = connection.cached(sql::kMeasurementsOfLine);
  query.bind(1, line);
  while (query.step()) BENCHHUD_TRY(take_measurement(query, line, &own, &found));
  BENCHHUD_TRY(query.status());
  return in_order(std::move(found), line, std::move(own));
}

void sort_by_name(std::vector<StoredMeasurement>* measurements) {
  std::sort(measurements->begin(), measurements->end(), [](const auto& a, const auto& b) {
    return a.measurement.metric < b.measurement.metric;
  });
}

TimingMeasurements::TimingMeasurements(Statement samples, Statement measurements)
    : samples_{std::move(samples), kOwnColumns},
      measurements_{std::move(measurements), kMeasurementColumns} {}

TimingMeasurements TimingMeasurements::of_run(Connection& connection, RunId run) {
  const auto query = [&](std::string_view sql) {
    Statement statement = connection.cached(sql);
    statement.bind(1, run);
    return statement;
  };
  return {query(sql::kSamplesOfRun), query(sql::kMeasurementsOfRun)};
}

TimingMeasurements TimingMeasurements::of_run(Connection& connection, RunId run,
                                              std::vector<ExperimentId> experiments) {
  TimingMeasurements measurements({}, {});
  measurements.named_ = Named{&connection, run, std::move(experiments)};
  return measurements;
}

TimingMeasurements TimingMeasurements::of_series(Connection& connection, ExperimentId experiment,
                                                 double since, double until) {
  const auto query = [&](std::string_view sql) {
    Statement statement = connection.cached(sql);
    statement.bind(1, experiment).bind(2, since).bind(3, until);
    return statement;
  };
  return {query(sql::kSamplesOfSeries), query(sql::kMeasurementsOfSeries)};
}

void TimingMeasurements::Rows::advance() { has_row = query.step(); }

bool TimingMeasurements::Rows::go_to(const ResultFacts& result) {
  if (!std::exchange(is_begun, true)) advance();
  const ResultKeyInOrder wanted = key_of(result);
  for (; has_row; advance()) {
    const ResultKeyInOrder here(query.real(key), RunId(query.integer(key + 1)),
                                ExperimentId(query.integer(key + 2)));
    if (here >= wanted) return here == wanted;
  }
  return false;
}

void TimingMeasurements::go_to_part_of(const ResultFacts& result) {
  Named& named = *named_;
  const std::span<const ExperimentId> all(named.experiments);
  while (named.next < all.size() && (named.next == 0 || all[named.next - 1] < result.experiment)) {
    const auto part = all.subspan(named.next, std::min(kKeysAStatement, all.size() - named.next));
    const auto begin = [&](std::string_view sql, Rows* rows) {
      rows->query = {};  // given back before it is taken again
      rows->query = with_keys_bound(*named.connection, sql, part,
                                    [&](Statement& query, int parameter, ExperimentId id) {
                                      query.bind(1, named.run).bind(parameter, id);
                                    });
      rows->is_begun = rows->has_row = false;
    };
    begin(sql::kSamplesOfResults, &samples_);
    begin(sql::kMeasurementsOfResults, &measurements_);
    named.next += part.size();
  }
}

Expected<std::vector<StoredMeasurement>> TimingMeasurements::of(const ResultFacts& result) {
  const LineId line = *result.timing_line;
  if (named_) go_to_part_of(result);
  if (!samples_.go_to(result)) {
    BENCHHUD_TRY(samples_.query.status());
    return Error{ErrorCode::kNotFound, fmt::format("there is no line {}", to_int(line))};
  }
  OwnSamples own = read_own_samples(samples_.query);
  std::vector<Numbered> found;
  for (; measurements_.go_to(result); measurements_.advance()) {
    BENCHHUD_TRY(take_measurement(measurements_.query, line, &own, &found));
  }
  BENCHHUD_TRY(measurements_.query.status());
  auto measurements = in_order(std::move(found), line, std::move(own));
  sort_by_name(&measurements);
  return measurements;
}

}  // namespace benchhud::schema
