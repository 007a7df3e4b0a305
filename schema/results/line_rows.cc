// How the metrics of a line are stored. Samples are a blob as to_blob() makes it
// (schema/model/line_metrics.cc); that of an empty array is empty. By measurement.shape:
//   0 array: its samples are in measurement.samples; those of a metric of kLineMetrics are in
//     line.per_iter_time, line.total_time or line.xla_compile_time, and it has no row in
//     measurement
//   1 single number: as one sample in measurement.samples; that of a metric of kLineMetrics is in
//     the line's column, too
//   2 null: samples and text_id are null
//   3 anything else: text_id names its JSON (schema/db/text_store.cc); samples is null
#include "schema/results/line_rows.h"

#include "schema/queries.h"

namespace benchhud::schema {
namespace {

void bind_samples(const EncodedSamples& held, int parameter, Statement* insert) {
  if (const auto samples = held.get()) {
    insert->bind_blob_view(parameter, to_blob(*samples));
  } else {
    insert->bind_null(parameter);
  }
}

void bind_line(const LineRow& row, int first, Statement* insert) {
  insert->bind(first, row.id).bind(first + 1, row.invocation).bind(first + 2, row.experiment);
  insert->bind_blob_view(first + 3, row.hash.view()).bind(first + 4, row.file);
  insert->bind(first + 5, row.line_number).bind(first + 6, row.byte_offset);
  insert->bind(first + 7, row.timed);
  insert->bind(first + 8, row.repeat).bind(first + 9, row.iterations_per_run);
  if (row.code) {
    insert->bind_text_view(first + 10, *row.code);
  } else {
    insert->bind_null(first + 10);
  }
  insert->bind(first + 11, row.mean_rel_error).bind(first + 12, row.error);
  if (row.extra.empty()) {
    insert->bind_null(first + 13);
  } else {
    insert->bind_text_view(first + 13, row.extra);
  }
  for (std::size_t i = 0; i < row.samples.size(); ++i) {
    bind_samples(row.samples[i], first + 14 + static_cast<int>(i), insert);
  }
}

void bind_measurement(const MeasurementRow& row, int first, Statement* insert) {
  const SampleSummary& summary = row.summary;
  insert->bind(first, row.line).bind(first + 1, row.metric);
  insert->bind(first + 2, static_cast<int>(row.shape)).bind(first + 3, summary.n);
  insert->bind(first + 4, summary.median).bind(first + 5, summary.mean);
  insert->bind(first + 6, summary.min).bind(first + 7, summary.max);
  bind_samples(row.samples, first + 8, insert);
  insert->bind(first + 9, row.nested);
}

}  // namespace

bool EncodedSamples::hold(std::span<const double> samples) {
  if (samples.size() > kMostCopied) {
    held_ = Held::kView;
    view_ = samples;
    return true;
  }
  held_ = Held::kCopy;
  copy_.assign(samples.begin(), samples.end());
  return false;
}

std::optional<std::span<const double>> EncodedSamples::get() const {
  switch (held_) {
    case Held::kNone:
      return std::nullopt;
    case Held::kCopy:
      return copy_;
    case Held::kView:
      return view_;
  }
  return std::nullopt;
}

RowBatch<LineRow> line_batch(Connection& connection) {
  return {connection, sql::kInsertLine, 17, bind_line};
}

RowBatch<MeasurementRow> measurement_batch(Connection& connection) {
  return {connection, sql::kInsertMeasurement, 10, bind_measurement};
}

}  // namespace benchhud::schema
