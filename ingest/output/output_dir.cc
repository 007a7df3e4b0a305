#include "ingest/output/output_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "ingest/profiles/dump_name.h"
#include "ingest/results/results_format.h"
#include "ingest/text/file_kind.h"
#include "schema/base/time.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace fs = std::filesystem;

bool is_results_name(std::string_view name) { return uncompressed_name(name).ends_with(".jsonl"); }

InputKind kind_of_input(const std::string& path) {
  if (is_results_name(path)) return InputKind::kResults;
  if (dump_name(path)) return InputKind::kDump;
  return is_neighbour_file(path) ? InputKind::kResults : InputKind::kUnrecognized;
}

void UnrecognizedFiles::add(std::string path) {
  ++count;
  if (paths.size() < kMostNamed) paths.push_back(std::move(path));
}

void UnrecognizedFiles::add(UnrecognizedFiles others) {
  count += others.count - static_cast<std::int64_t>(others.paths.size());
  for (std::string& path : others.paths) add(std::move(path));
}

namespace {

using KindOfFile = InputKind (*)(const std::string& path);

// Folders that are links are not entered, so a loop of links has an end. Error: of `folder` itself.
Expected<Inputs> files_below(const fs::path& folder, KindOfFile kind_of) {
  Inputs files;
  std::vector<fs::path> pending = {folder};
  while (!pending.empty()) {
    const fs::path at = std::move(pending.back());
    pending.pop_back();
    std::error_code error;
    for (fs::directory_iterator entry(at, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code ignored;
      if (entry->symlink_status(ignored).type() == fs::file_type::directory) {
        pending.push_back(entry->path());
        continue;
      }
      if (!entry->is_regular_file(ignored)) continue;
      std::string path = entry->path().string();
      switch (kind_of(path)) {
        case InputKind::kResults:
          files.results.push_back(std::move(path));
          break;
        case InputKind::kDump:
          files.dumps.push_back(std::move(path));
          break;
        case InputKind::kUnrecognized:
          files.unrecognized.add(std::move(path));
          break;
      }
    }
    // It may have been deleted since its name was read.
    const bool is_gone = error == std::errc::no_such_file_or_directory && at != folder;
    if (!error || is_gone) continue;
    Error reason{ErrorCode::kIo,
                 fmt::format("cannot read the folder {}: {}", at.string(), error.message())};
    if (at == folder) return reason;
    files.unreadable.push_back({at.string(), std::move(reason)});
  }
  std::sort(files.results.begin(), files.results.end());
  std::sort(files.dumps.begin(), files.dumps.end());
  std::sort(files.unrecognized.paths.begin(), files.unrecognized.paths.end());
  return files;
}

// What a file in a folder of one result's dumps is.
InputKind kind_of_dump(const std::string& path) {
  const std::string_view name = trace_name_of(path);
  if (is_xplane_name(name) || name.ends_with(".trace.json")) return InputKind::kDump;
  return kind_of_input(path);
}

// What is wrong with a folder that has nothing to take in.
Error nothing_in_folder(const std::string& folder, std::string_view lacks,
                        const UnrecognizedFiles& files) {
  std::string reason = fmt::format("the folder {} holds no {}", folder, lacks);
  const auto profile = std::ranges::find_if(
      files.paths, [](const std::string& path) { return is_xplane_name(trace_name_of(path)); });
  if (profile != files.paths.end()) {
    reason += fmt::format(
        ", by their names. {} is an XPlane profile by its name: ingest it, or its folder, with "
        "--for RUN/MODEL/TEST/BACKEND",
        *profile);
  } else if (files.count > 0) {
    reason +=
        ", by their names. A trace, an XPlane profile or another dump is ingested by itself with "
        "--for RUN/MODEL/TEST/BACKEND";
  }
  return {ErrorCode::kNotFound, std::move(reason)};
}

Error results_in_folder(const std::string& folder, const Inputs& below) {
  return {
      ErrorCode::kInvalidArgument,
      fmt::format("the folder {} holds results ({}), and --for says that all dumps in it are of "
                  "one result: ingest it without --for, or name the dumps",
                  folder, below.results.front())};
}

// Files by their paths, each once.
class FoundInputs {
 public:
  void add_results(const std::string& file) { add(file, &inputs_.results); }
  void add_dump(const std::string& file) { add(file, &inputs_.dumps); }

  void add_folder(const std::string& path, Inputs below) {
    for (const std::string& file : below.results) add_results(file);
    for (const std::string& file : below.dumps) add_dump(file);
    inputs_.folders.push_back(canonical_folder(path));
    std::move(below.unreadable.begin(), below.unreadable.end(),
              std::back_inserter(inputs_.unreadable));
    // Folders may be given twice, or one within another.
    below.unrecognized.count -= std::erase_if(
        below.unrecognized.paths,
        [&](const std::string& file) { return !seen_.insert(absolute_path(file)).second; });
    inputs_.unrecognized.add(std::move(below.unrecognized));
  }

  Inputs take() { return std::move(inputs_); }

 private:
  void add(const std::string& file, std::vector<std::string>* files) {
    if (seen_.insert(absolute_path(file)).second) files->push_back(file);
  }

  Inputs inputs_;
  std::set<std::string> seen_;
};

// Errors: kNotFound, kIo.
Expected<bool> is_folder(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return Error{ErrorCode::kNotFound, fmt::format("{} is not there", path)};
  }
  if (status.type() == fs::file_type::none) {
    return Error{ErrorCode::kIo, fmt::format("cannot read {}: {}", path, error.message())};
  }
  return fs::is_directory(status);
}

bool is_empty(const Inputs& below) {
  return below.results.empty() && below.dumps.empty() && below.unreadable.empty();
}

}  // namespace

Expected<Inputs> find_inputs(const std::vector<std::string>& paths) {
  FoundInputs found;
  for (const std::string& path : paths) {
    BENCHHUD_ASSIGN(const bool is_a_folder, is_folder(path));
    if (is_a_folder) {
      BENCHHUD_ASSIGN(Inputs below, files_below(path, kind_of_input));
      if (is_empty(below)) {
        return nothing_in_folder(path,
                                 ".jsonl file (plain, .gz or .zst), no results of torch's dynamo "
                                 "runner or the PyTorch HUD, nor a dump",
                                 below.unrecognized);
      }
      found.add_folder(path, std::move(below));
    } else if (!is_results_name(path) && dump_name(path)) {
      found.add_dump(path);
    } else {
      found.add_results(path);
    }
  }
  return found.take();
}

Expected<Inputs> find_dumps(const std::vector<std::string>& paths) {
  FoundInputs found;
  for (const std::string& path : paths) {
    BENCHHUD_ASSIGN(const bool is_a_folder, is_folder(path));
    if (!is_a_folder) {
      found.add_dump(path);
      continue;
    }
    BENCHHUD_ASSIGN(Inputs below, files_below(path, kind_of_dump));
    if (!below.results.empty()) return results_in_folder(path, below);
    if (is_empty(below)) return nothing_in_folder(path, "dump", below.unrecognized);
    found.add_folder(path, std::move(below));
  }
  return found.take();
}

std::string canonical_folder(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path, error);
  return error ? path : folder.string();
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path name = fs::path(path).filename();
  const fs::path folder = fs::canonical(fs::absolute(path, error).parent_path(), error);
  return error ? path : (folder / name).string();
}

Expected<std::vector<std::string>> results_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code status_error;
    if (is_results_name(entry->path().filename().string()) &&
        entry->is_regular_file(status_error)) {
      files.push_back(entry->path().string());
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot read the folder {}: {}", folder, error.message())};
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<double> date_in_name(std::string_view path) {
  constexpr std::size_t kDateLength = 10;  // YYYY-MM-DD
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const auto is_digit = [&](std::size_t i) {
    return i < name.size() && std::isdigit(static_cast<unsigned char>(name[i]));
  };
  for (std::size_t i = 0; i + kDateLength <= name.size(); ++i) {
    if (!is_digit(i) || name[i + 4] != '-' || name[i + 7] != '-') continue;
    if ((i > 0 && is_digit(i - 1)) || is_digit(i + kDateLength)) continue;
    if (const auto time = schema::parse_time(name.substr(i, kDateLength))) return time;
  }
  return std::nullopt;
}

std::optional<double> date_in_path(std::string_view path) {
  if (const auto date = date_in_name(path)) return date;
  const std::size_t slash = path.find_last_of('/');
  return slash == path.npos ? std::nullopt : date_in_name(path.substr(0, slash));
}

}  // namespace benchhud::ingest
