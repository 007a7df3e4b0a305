// Finds results files and dumps: a file named, a runner's output directory, a folder of dated
// files, or a tree of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::ingest {

/// A folder that cannot be read; what is in it is not known.
struct UnreadableFolder {
  std::string path;
  schema::Error error;
};

/// Files that are neither results nor dumps.
struct UnrecognizedFiles {
  /// No more are named, of one ingest and in a store.
  static constexpr std::size_t kMostNamed = 1000;

  std::int64_t count = 0;
  std::vector<std::string> paths;  ///< the first kMostNamed

  void add(std::string path);
  void add(UnrecognizedFiles others);
};

/// What there is to be taken in, by path.
struct Inputs {
  std::vector<std::string> results;  ///< results files
  std::vector<std::string> dumps;
  // Of folders:
  std::vector<std::string> folders{};  ///< the folders themselves, as canonical_folder() has them
  std::vector<UnreadableFolder> unreadable{};
  UnrecognizedFiles unrecognized{};
};

enum class InputKind : std::uint8_t { kResults, kDump, kUnrecognized };
/// What a file in a folder is, by its name and, where several programs use that name, by what it
/// begins with.
InputKind kind_of_input(const std::string& path);

/// The files that `paths` mean: a file is itself, a dump if it is named as one (dump_name.h); a
/// folder stands for every *.jsonl and *.jsonl.gz below it, for all dumps, and for what neighbours
/// wrote into *.csv and *.json (results_format.h). In the order given,
/// within a folder by path, each file once. A folder below that cannot be read is listed, and the
/// others are read. Errors: kNotFound for a path that is not there or a folder without such files,
/// kIo.
schema::Expected<Inputs> find_inputs(const std::vector<std::string>& paths);

/// The dumps of one result that `paths` mean: a file is itself, whatever it is called; a folder
/// stands for all dumps below it, and for the profiles and traces there that another program named
/// (`*.xplane.pb`, `*.trace.json`). Order and unreadable folders: as find_inputs(). Errors:
/// kNotFound for a path that is not there or a folder without such files; kInvalidArgument for a
/// folder with results files, whose dumps belong to results of theirs; kIo.
schema::Expected<Inputs> find_dumps(const std::vector<std::string>& paths);

/// Whether a file of this name is read as a results file: `*.jsonl`, `*.jsonl.gz`.
bool is_results_name(std::string_view name);

/// The results files that stand directly in a folder, by name. None where it is not there. Error:
/// kIo.
schema::Expected<std::vector<std::string>> results_files_in(const std::string& folder);

/// A folder's absolute path without links.
std::string canonical_folder(const std::string& path);

/// The path by which the store knows a file, from wherever it is named: without links of folders,
/// but with the name of the file itself, which may be a link to a nameless object of a cache.
std::string absolute_path(const std::string& path);

/// The date in a file's name (`2025-11-10.jsonl`, `results-2025-11-10.jsonl.gz`) as its midnight
/// UTC, in seconds.
std::optional<double> date_in_name(std::string_view path);
/// The same, else that in the name of the folder that it lies in.
std::optional<double> date_in_path(std::string_view path);

}  // namespace benchhud::ingest
