#include "ingest/output/output_scan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include "ingest/text/file_kind.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace fs = std::filesystem;

namespace {

/// A time of the file system's clock, which is not this machine's where it is mounted from another.
using FileTime = std::tuple<std::int64_t, std::int64_t>;  // s, ns

FileTime time_of(const timespec& time) { return {time.tv_sec, time.tv_nsec}; }

/// When a file last changed: what is in it, or its name. Whoever copies files may set the first of
/// the two to when the original was written, but not the second.
FileTime changed_of(const struct stat& status) {
  return std::max(time_of(status.st_mtim), time_of(status.st_ctim));
}

double seconds_of(const FileTime& time) {
  return static_cast<double>(std::get<0>(time)) + 1e-9 * static_cast<double>(std::get<1>(time));
}

bool ends_with_whole_line(const std::string& path, off_t size) {
  if (size == 0) return true;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char last = 0;
  const bool is_read = pread(file, &last, 1, size - 1) == 1;
  close(file);
  return is_read && last == '\n';
}

struct Found {
  std::string path;
  struct stat status{};
};

/// What stands in one folder.
struct Listing {
  std::vector<Found> results, dumps, labels;
  std::optional<Found> marker;
  std::vector<std::string> folders;
  UnrecognizedFiles unrecognized;
};

Expected<Listing> list_folder(const std::string& folder, const ScanOptions& options) {
  Listing listing;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    Found found;
    found.path = entry->path().string();
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (entry->symlink_status(ignored).type() == fs::file_type::directory) {
      listing.folders.push_back(std::move(found.path));
      continue;
    }
    // What is gone by now, or leads nowhere, is not there.
    if (stat(found.path.c_str(), &found.status) != 0 || !S_ISREG(found.status.st_mode)) continue;
    if (!options.done_file.empty() && name == options.done_file) {
      listing.marker = std::move(found);
    } else if (!options.label_file.empty() && name == options.label_file) {
      listing.labels.push_back(std::move(found));
    } else {
      switch (kind_of_input(found.path)) {
        case InputKind::kResults:
          listing.results.push_back(std::move(found));
          break;
        case InputKind::kDump:
          listing.dumps.push_back(std::move(found));
          break;
        case InputKind::kUnrecognized:
          listing.unrecognized.add(std::move(found.path));
          break;
      }
    }
  }
  if (error) {
    return Error{
        error == std::errc::no_such_file_or_directory ? ErrorCode::kNotFound : ErrorCode::kIo,
        fmt::format("cannot read the folder {}: {}", folder, error.message())};
  }
  std::sort(listing.folders.begin(), listing.folders.end());
  return listing;
}

/// An output directory while it is put together.
struct Building {
  OutputDir dir;
  std::vector<Found> results, dumps, labels;
  std::optional<Found> marker;
};

void finish(Building* building) {
  OutputDir& dir = building->dir;
  schema::ContentHasher state;
  FileTime changed{0, 0};
  FileTime written{0, 0};
  const auto take = [&](const Found& file) {
    const struct stat& status = file.status;
    changed = std::max(changed, changed_of(status));
    state.update(file.path);
    state.update(fmt::format("\n{} {} {}.{} {}.{}\n", status.st_ino, status.st_size,
                             status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                             status.st_ctim.tv_nsec));
  };
  const auto by_path = [](const Found& a, const Found& b) { return a.path < b.path; };
  for (auto* files : {&building->results, &building->dumps}) {
    std::sort(files->begin(), files->end(), by_path);
    for (const Found& file : *files) {
      take(file);
      written = std::max(written, time_of(file.status.st_mtim));
    }
  }
  for (const Found& file : building->labels) {
    take(file);
    dir.label_files.push_back(file.path);
  }
  if (building->marker) take(*building->marker);
  for (const Found& file : building->results) dir.files.results.push_back(file.path);
  for (const Found& file : building->dumps) dir.files.dumps.push_back(file.path);
  dir.state = state.finish();
  dir.changed_at = seconds_of(changed);
  dir.has_marker = building->marker.has_value();
  dir.is_complete =
      building->marker && time_of(building->marker->status.st_mtim) >= written &&
      std::all_of(building->results.begin(), building->results.end(), [](const Found& file) {
        return uncompressed_name(file.path) != file.path ||
               ends_with_whole_line(file.path, file.status.st_size);
      });
}

/// A folder that is still to be looked into.
struct Pending {
  std::string path;
  std::optional<std::size_t> owner;  // the output directory that it belongs to
  std::vector<Found> labels;         // of the folders above it
};

}  // namespace

Expected<std::vector<OutputDir>> scan_outputs(const std::string& folder,
                                              const ScanOptions& options) {
  std::vector<Building> found;
  std::vector<Pending> pending = {{folder, {}, {}}};
  while (!pending.empty()) {
    Pending at = std::move(pending.back());
    pending.pop_back();
    auto listing = list_folder(at.path, options);
    if (!listing) {
      if (at.path == folder) return std::move(listing).error();
      // It may have been deleted since its name was read.
      if (listing.error().code == ErrorCode::kNotFound) continue;
      if (at.owner) {
        found[*at.owner].dir.files.unreadable.push_back({at.path, std::move(listing).error()});
      } else {
        OutputDir& dir = found.emplace_back().dir;
        dir.path = at.path;
        dir.error = std::move(listing).error();
      }
      continue;
    }
    std::move(listing->labels.begin(), listing->labels.end(), std::back_inserter(at.labels));
    if (!listing->results.empty()) {
      at.owner = found.size();
      Building& building = found.emplace_back();
      building.dir.path = at.path;
      building.dir.files.folders.push_back(canonical_folder(at.path));
      building.results = std::move(listing->results);
      building.labels = at.labels;
      building.marker = std::move(listing->marker);
    }
    // Dumps that no results file is above of belong to no result.
    if (at.owner) {
      auto& dumps = found[*at.owner].dumps;
      std::move(listing->dumps.begin(), listing->dumps.end(), std::back_inserter(dumps));
      found[*at.owner].dir.files.unrecognized.add(std::move(listing->unrecognized));
    }
    for (std::string& path : listing->folders) {
      pending.push_back({std::move(path), at.owner, at.labels});
    }
  }
  std::vector<OutputDir> dirs;
  for (Building& building : found) {
    finish(&building);
    dirs.push_back(std::move(building.dir));
  }
  std::sort(dirs.begin(), dirs.end(),
            [](const OutputDir& a, const OutputDir& b) { return a.path < b.path; });
  return dirs;
}

}  // namespace benchhud::ingest
