// Which of the formats that hold results a file is in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::ingest {

enum class ResultsFormat : std::uint8_t {
  kRunner,     ///< results.jsonl of the benchmark runner
  kDynamoCsv,  ///< a CSV of torch's dynamo runner
  kHudRecords  ///< the PyTorch HUD's records, version 3
};

/// What a file that begins with `beginning` is in. `is_named_csv`: its name says that it is CSV.
/// Anything that is not recognised as another format is the runner's.
ResultsFormat results_format(std::string_view beginning, bool is_named_csv);

/// The same of a file, by what it begins with; of a pipe, which can be read but once, the name
/// decides. Errors: kIo; kUnsupported where it is recognised as something else than results (a
/// trace, a table, an archive), with what it is and what to do.
schema::Expected<ResultsFormat> results_format_of(const std::string& path);

/// Whether a file found in a folder is one of a neighbour's: its name is *.csv or *.json, also
/// gzipped, and its content is what such a file holds. One that cannot be read is none.
bool is_neighbour_file(const std::string& path);

}  // namespace benchhud::ingest
