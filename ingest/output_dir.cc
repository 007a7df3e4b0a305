#include "ingest/output_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "ingest/dump_name.h"
#include "ingest/file_kind.h"
#include "ingest/results_format.h"
#include "schema/time.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace fs = std::filesystem;

bool is_results_name(std::string_view name) { return uncompressed_name(name).ends_with(".jsonl"); }

namespace {

// Folders that are links are not entered, so a loop of links has an end.
Expected<Inputs> files_below(const fs::path& folder) {
  Inputs files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error), end;
  while (!error && entry != end) {
    std::error_code status_error;
    if (entry->is_regular_file(status_error)) {
      if (is_results_name(entry->path().filename().string())) {
        files.results.push_back(entry->path().string());
      } else if (dump_name(entry->path().string())) {
        files.dumps.push_back(entry->path().string());
      } else if (is_neighbour_file(entry->path().string())) {
        files.results.push_back(entry->path().string());
      }
    }
    entry.increment(error);
  }
  if (error) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot read the folder {}: {}", folder.string(), error.message())};
  }
  std::sort(files.results.begin(), files.results.end());
  std::sort(files.dumps.begin(), files.dumps.end());
  return files;
}

}  // namespace

Expected<Inputs> find_inputs(const std::vector<std::string>& paths) {
  Inputs inputs;
  std::set<std::string> seen;
  const auto add = [&](const std::string& file, std::vector<std::string>* files) {
    if (seen.insert(absolute_path(file)).second) files->push_back(file);
  };
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) {
      return Error{ErrorCode::kNotFound, fmt::format("{} is not there", path)};
    }
    if (status.type() == fs::file_type::none) {
      return Error{ErrorCode::kIo, fmt::format("cannot read {}: {}", path, error.message())};
    }
    if (!fs::is_directory(status)) {
      const bool is_dump = !is_results_name(path) && dump_name(path);
      add(path, is_dump ? &inputs.dumps : &inputs.results);
      continue;
    }
    BENCHHUD_ASSIGN(const Inputs below, files_below(path));
    if (below.results.empty() && below.dumps.empty()) {
      return Error{ErrorCode::kNotFound, fmt::format("the folder {} holds no .jsonl file (plain, "
                                                     ".gz or .zst), no results of torch's dynamo "
                                                     "runner or the PyTorch HUD, nor a dump",
                                                     path)};
    }
    for (const std::string& file : below.results) add(file, &inputs.results);
    for (const std::string& file : below.dumps) add(file, &inputs.dumps);
  }
  return inputs;
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
