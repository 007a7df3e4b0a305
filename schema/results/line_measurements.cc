#include "schema/results/line_measurements.h"

#include <algorithm>
#include <utility>

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
  while (query.step()) {
    BENCHHUD_ASSIGN(auto stored, read_measurement(query, line));
    // It stands in both places where it is no array: the row tells its shape.
    if (const auto place = line_metric(stored.measurement.metric)) own.samples[*place].reset();
    found.emplace_back(query.integer(0), std::move(stored));
  }
  BENCHHUD_TRY(query.status());
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

}  // namespace benchhud::schema
