// Finds results files and dumps: a file named, a runner's output directory, a folder of dated
// files, or a tree of these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/errors.h"

namespace benchhud::ingest {

/// What there is to be taken in, by path.
struct Inputs {
  std::vector<std::string> results;  ///< results files
  std::vector<std::string> dumps;
};

/// The files that `paths` mean: a file is itself, a dump if it is named as one (dump_name.h); a
/// folder stands for every *.jsonl and *.jsonl.gz below it, for all dumps, and for what neighbours
/// wrote into *.csv and *.json (results_format.h). In the order given,
/// within a folder by path, each file once. Errors: kNotFound for a path that is not there or a
/// folder without such files, kIo.
schema::Expected<Inputs> find_inputs(const std::vector<std::string>& paths);

/// Whether a file of this name is read as a results file: `*.jsonl`, `*.jsonl.gz`.
bool is_results_name(std::string_view name);

/// The results files that stand directly in a folder, by name. None where it is not there. Error:
/// kIo.
schema::Expected<std::vector<std::string>> results_files_in(const std::string& folder);

/// The path by which the store knows a file, from wherever it is named: without links of folders,
/// but with the name of the file itself, which may be a link to a nameless object of a cache.
std::string absolute_path(const std::string& path);

/// The date in a file's name (`2025-11-10.jsonl`, `results-2025-11-10.jsonl.gz`) as its midnight
/// UTC, in seconds.
std::optional<double> date_in_name(std::string_view path);
/// The same, else that in the name of the folder that it lies in.
std::optional<double> date_in_path(std::string_view path);

}  // namespace benchhud::ingest
