// The way back: a line of results.jsonl from what was read of one.
#pragma once

#include <string>

#include "ingest/results/results_line.h"
#include "schema/results/line_replay.h"

namespace benchhud::ingest {

/// Appends the line as the benchmark runner would have written it, without a line end. Read again
/// it is the same ResultsLine. JSON as Python writes it: NaN and Infinity stand where a sample is
/// one. Not thread-safe with the same `out`.
void append_results_line(const ResultsLine& line, std::string* out);

/// Appends the value of a metric as such a line has it.
void append_metric(const schema::Measurement& metric, std::string* out);

/// A line that a store holds, as it was read. Its `origin` is set: taken in again, here or into
/// another store, it is the line that it was.
ResultsLine results_line_of(const schema::StoredResultLine& line);

}  // namespace benchhud::ingest
