#include "schema/store_backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "schema/migrate.h"
#include "schema/queries.h"
#include "schema/store.h"
#include "schema/time.h"
#include "store_folder.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDamages = 20;

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// A database file with what SQLite keeps beside it.
void remove_database(const std::string& path) {
  std::error_code ignored;
  for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(path + end, ignored);
}

/// A file that is being made: gone unless it was kept.
class Unfinished {
 public:
  explicit Unfinished(std::string path) : path_(std::move(path)) { remove_database(path_); }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    if (!path_.empty()) remove_database(path_);
  }
  const std::string& path() const { return path_; }

  /// Gives it its name, so that it has it after a power cut as well. Error: kIo.
  Expected<void> keep_as(const std::string& name) {
    std::error_code error;
    fs::rename(path_, name, error);
    if (error) {
      return Error{ErrorCode::kIo, fmt::format("cannot write {}: {}", name, error.message())};
    }
    path_.clear();
    const fs::path folder = fs::path(name).parent_path();
    const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
    if (directory >= 0) {
      fsync(directory);
      close(directory);
    }
    return {};
  }

 private:
  std::string path_;
};

/// 20261123T041500Z
std::string compact_time(double at) {
  std::string text = format_time(std::floor(at));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

/// A name beside `path` that no other process takes.
std::string partial(const std::string& path) {
  return fmt::format("{}.{}.partial", path, getpid());
}

Expected<void> check_whole(Connection& connection, const std::string& path) {
  BENCHHUD_ASSIGN(const auto damage, damage_of(connection, Examination::kStructure));
  if (damage.empty()) return {};
  return Error{ErrorCode::kCorrupt, fmt::format("{} is damaged: {}", path, damage.front())};
}

/// What is in a copy. Error: kConflict where it is no store.
Expected<StoreCopy> describe(Connection& connection, const std::string& path) {
  StoreCopy copy;
  copy.path = path;
  BENCHHUD_ASSIGN(copy.version, schema_version_of(connection));
  const Error no_store{ErrorCode::kConflict, path + " is no store of benchhud"};
  if (copy.version <= 0) return no_store;
  Statement query = connection.prepare(sql::kRunsAndNewest);
  if (!query.step()) return no_store;
  copy.runs = query.integer(0);
  copy.newest_run = query.optional_real(1);
  std::error_code error;
  copy.bytes = fs::file_size(path, error);
  return copy;
}

/// Brings a store's log into it, which takes that nobody else has it open. One that is damaged is
/// left as it is. Error: kBusy.
Expected<void> end_log(const std::string& store) {
  const Error in_use{ErrorCode::kBusy,
                     store + " is in use: stop what serves it or ingests into it first"};
  auto connection = Connection::open(store, OpenMode::kReadWrite);
  const auto alone = connection ? connection->execute(
                                      "PRAGMA busy_timeout = 2000;"
                                      "PRAGMA journal_mode = DELETE;")
                                : Expected<void>(connection.error());
  if (!alone && alone.error().code == ErrorCode::kBusy) return in_use;
  return {};
}

/// Takes a store out of the way, with all that is in its log. Returns its new name.
Expected<std::string> set_aside(const std::string& store) {
  BENCHHUD_TRY(end_log(store));
  const std::string wanted = fmt::format("{}.before-{}", store, compact_time(now()));
  std::string name = wanted;
  for (int more = 2; is_there(name); ++more) name = fmt::format("{}-{}", wanted, more);
  // One that is damaged may still have a log that belongs to it.
  for (const char* end : {"-wal", "-shm", ""}) {
    if (!is_there(store + end)) continue;
    std::error_code error;
    fs::rename(store + end, name + end, error);
    if (error) {
      return Error{ErrorCode::kIo, fmt::format("cannot rename {}: {}", store, error.message())};
    }
  }
  return name;
}

}  // namespace

Expected<std::vector<std::string>> damage_of(Connection& connection, Examination examination) {
  Statement query = connection.prepare(fmt::format(
      "PRAGMA {}({})", examination == Examination::kContent ? "integrity_check" : "quick_check",
      kMostDamages));
  std::vector<std::string> damage;
  while (query.step()) {
    // Some rows are several lines, the first of which names the database.
    std::istringstream lines{std::string(query.text(0))};
    for (std::string line; std::getline(lines, line);) {
      if (line != "ok" && !line.starts_with("***")) damage.push_back(line);
    }
  }
  // Of what is damaged enough the check itself fails.
  if (const auto read = query.status(); !read) {
    if (read.error().code != ErrorCode::kCorrupt) return read.error();
    damage.push_back(read.error().message);
  }
  return damage;
}

Expected<StoreCopy> copy_store(const std::string& from, const std::string& to) {
  if (is_there(to)) return Error{ErrorCode::kConflict, to + " is there already"};
  BENCHHUD_ASSIGN(Connection source, Connection::open(from, OpenMode::kReadOnly));
  BENCHHUD_TRY(describe(source, from));
  Unfinished file(partial(to));
  BENCHHUD_TRY(source.copy_to(file.path()));
  StoreCopy copy;
  {
    BENCHHUD_ASSIGN(Connection made, Connection::open(file.path(), OpenMode::kReadOnly));
    BENCHHUD_TRY(check_whole(made, from));
    BENCHHUD_ASSIGN(copy, describe(made, file.path()));
  }
  if (is_there(to)) return Error{ErrorCode::kConflict, to + " is there already"};
  BENCHHUD_TRY(file.keep_as(to));
  copy.path = to;
  return copy;
}

Expected<Restored> restore_store(const std::string& copy, const std::string& store, bool replaces) {
  const auto taken =
      Error{ErrorCode::kConflict, store + " is there already; --replace renames it and goes on"};
  if (is_there(store) && !replaces) return taken;
  BENCHHUD_ASSIGN(Connection source, Connection::open(copy, OpenMode::kReadOnly));
  BENCHHUD_TRY(describe(source, copy));
  Unfinished file(partial(store));
  BENCHHUD_TRY(make_folder_of(store));
  BENCHHUD_TRY(source.copy_to(file.path()));
  Restored restored;
  {
    BENCHHUD_ASSIGN(Connection made, open_store(file.path()));
    BENCHHUD_TRY(check_whole(made, copy));
    BENCHHUD_ASSIGN(restored.copy, describe(made, file.path()));
  }
  if (is_there(store)) {
    if (!replaces) return taken;
    BENCHHUD_ASSIGN(restored.set_aside, set_aside(store));
  }
  BENCHHUD_TRY(file.keep_as(store));
  restored.copy.path = store;
  return restored;
}

std::string backup_name(const std::string& store, double at) {
  return fmt::format("{}-{}.db", fs::path(store).stem().string(), compact_time(at));
}

Expected<std::vector<std::string>> delete_old_backups(const std::string& folder,
                                                      const std::string& store, std::size_t keep) {
  const std::string pattern = backup_name(store, 0);
  const std::size_t stem = fs::path(store).stem().string().size();
  const auto is_backup = [&](const std::string& name) {
    if (name.size() != pattern.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
      const bool is_digit = i > stem && std::isdigit(static_cast<unsigned char>(pattern[i])) != 0;
      if (is_digit ? std::isdigit(static_cast<unsigned char>(name[i])) == 0
                   : name[i] != pattern[i]) {
        return false;
      }
    }
    return true;
  };
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_backup(entry->path().filename().string())) found.push_back(entry->path().string());
  }
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("cannot list {}: {}", folder, error.message())};
  }
  // The time in the name has its largest parts first.
  std::sort(found.begin(), found.end());
  found.resize(found.size() - std::min(keep, found.size()));
  for (const std::string& path : found) {
    fs::remove(path, error);
    if (error) {
      return Error{ErrorCode::kIo, fmt::format("cannot delete {}: {}", path, error.message())};
    }
  }
  return found;
}

}  // namespace benchhud::schema
