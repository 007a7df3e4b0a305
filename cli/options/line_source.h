// Lines of results files, read without a store: what the report and the export do when they are
// given files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ingest/results/results_line.h"
#include "schema/base/errors.h"

namespace benchhud::cli {

/// What to do about a line that cannot be read.
enum class BadLines {
  kWarn,  ///< say so on standard error, with file, line and reason, and go on
  kSkip,  ///< go on without a word
  kStop,  ///< fail with it
};

/// Hands every line of `paths` to `visit`, in order; the line is valid during the call. Gzip is
/// read as well. Blank lines are passed over. A line without a timestamp takes the date in its
/// file's name; one without either is bad. Errors: kIo, kCorrupt; kInvalidArgument for a bad line
/// under kStop.
schema::Expected<void> read_lines(const std::vector<std::string>& paths, BadLines bad_lines,
                                  const std::function<void(const ingest::ResultsLine&)>& visit);

}  // namespace benchhud::cli
