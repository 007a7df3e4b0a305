// Finds results files: a file named, a runner's output directory, a folder of dated files, or a
// tree of these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/errors.h"

namespace benchhud::ingest {

/// The files that `paths` mean: a file is itself, a folder stands for every *.jsonl and *.jsonl.gz
/// below it. In the order given, within a folder by path, each file once. Errors: kNotFound for a
/// path that is not there or a folder without such files, kIo.
schema::Expected<std::vector<std::string>> find_results_files(
    const std::vector<std::string>& paths);

/// The date in a file's name (`2025-11-10.jsonl`, `results-2025-11-10.jsonl.gz`) as its midnight
/// UTC, in seconds.
std::optional<double> date_in_name(std::string_view path);

}  // namespace benchhud::ingest
