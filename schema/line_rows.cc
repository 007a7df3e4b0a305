#include "schema/line_rows.h"

#include "schema/queries.h"

namespace benchhud::schema {
namespace {

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
    const int parameter = first + 14 + static_cast<int>(i);
    if (row.samples[i].present) {
      insert->bind_blob_view(parameter, to_blob(row.samples[i].values));
    } else {
      insert->bind_null(parameter);
    }
  }
}

void bind_measurement(const MeasurementRow& row, int first, Statement* insert) {
  const SampleSummary& summary = row.summary;
  insert->bind(first, row.line).bind(first + 1, row.metric);
  insert->bind(first + 2, static_cast<int>(row.shape)).bind(first + 3, summary.n);
  insert->bind(first + 4, summary.median).bind(first + 5, summary.mean);
  insert->bind(first + 6, summary.min).bind(first + 7, summary.max);
  if (row.shape == SampleShape::kArray || row.shape == SampleShape::kScalar) {
    insert->bind_blob_view(first + 8, to_blob(row.samples));
  } else {
    insert->bind_null(first + 8);
  }
  insert->bind(first + 9, row.nested);
}

}  // namespace

RowBatch<LineRow> line_batch(Connection& connection) {
  return {connection, sql::kInsertLine, 17, bind_line};
}

RowBatch<MeasurementRow> measurement_batch(Connection& connection) {
  return {connection, sql::kInsertMeasurement, 10, bind_measurement};
}

}  // namespace benchhud::schema
