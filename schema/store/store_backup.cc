#include "schema/store/store_backup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "schema/base/content_hash.h"
#include "schema/base/time.h"
#include "schema/db/rows.h"
#include "schema/db/store_folder.h"
#include "schema/db/text_store.h"
#include "schema/queries.h"
#include "schema/store/migrate.h"
#include "schema/store/store.h"
#include "schema/store/unfinished_file.h"

namespace benchhud::schema {
namespace {

constexpr std::chrono::seconds kPatienceForOthers{2};

/// Takes out of a copy where files lie on the machine that ingested them: of each its name stays
/// (rtrim() gives the path up to its last slash). A rejected line is known by its path, so that has
/// to stay one per file.
constexpr std::string_view kWithoutPlaces = R"(
DELETE FROM artifact_file;
UPDATE artifact SET path = name;
UPDATE rejected_line
SET path = file_id || '/' || replace(path, rtrim(path, replace(path, '/', '')), '');
UPDATE ingested_file SET path = replace(path, rtrim(path, replace(path, '/', '')), '');
)";

namespace fs = std::filesystem;

constexpr int kMostDamages = 20;
constexpr std::string_view kBackupEnd = ".db";

/// 20261123T041500Z
std::string compact_time(double at) {
  std::string text = format_time(std::floor(at));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

/// What SQLite's check says, with words for the error of a page that does not fit its checksum.
std::string in_words(std::string damage) {
  constexpr std::string_view kError = "unable to get the page. error code=8202";
  if (const auto at = damage.find(kError); at != damage.npos) {
    damage.replace(at, kError.size(), "it is not what was written");
  }
  return damage;
}

Error is_damaged(const std::string& path, std::string_view what) {
  return {ErrorCode::kCorrupt, fmt::format("{} is damaged: {}", path, what)};
}

Expected<void> check_whole(Connection& connection, const std::string& path,
                           Examination examination = Examination::kStructure) {
  BENCHHUD_ASSIGN(const auto damage, damage_of(connection, examination));
  if (!damage.empty()) return is_damaged(path, damage.front());
  return {};
}

/// What is in a copy. Error: kConflict where it is no store.
Expected<StoreCopy> describe(Connection& connection, const std::string& path) {
  StoreCopy copy;
  copy.path = path;
  const Error no_store{ErrorCode::kConflict, path + " is no store of benchhud"};
  const auto version = schema_version_of(connection);
  if (!version && version.error().code != ErrorCode::kConflict) return version.error();
  if (!version || *version <= 0) return no_store;
  copy.version = *version;
  Statement query = connection.prepare(sql::kRunsAndNewest);
  if (!query.step()) return no_store;
  copy.runs = query.integer(0);
  copy.newest_run = query.optional_real(1);
  std::error_code error;
  copy.bytes = fs::file_size(path, error);
  return copy;
}

/// Copies a store into a file that is being made, and looks it through.
Expected<StoreCopy> copy_into(const std::string& from, const UnfinishedFile& file) {
  BENCHHUD_ASSIGN(Connection source, Connection::open(from, OpenMode::kReadOnly));
  BENCHHUD_TRY(describe(source, from));
  BENCHHUD_TRY(make_file_like(from, file.path()));
  BENCHHUD_TRY(source.copy_to(file.path()));
  BENCHHUD_ASSIGN(Connection made, Connection::open(file.path(), OpenMode::kReadOnly));
  BENCHHUD_TRY(check_whole(made, from));
  return describe(made, file.path());
}

bool has_same_bytes(const std::string& a, const std::string& b) {
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  constexpr std::size_t kAtOnce = 1 << 20;
  std::string of_first(kAtOnce, '\0'), of_second(kAtOnce, '\0');
  while (first && second) {
    first.read(of_first.data(), kAtOnce);
    second.read(of_second.data(), kAtOnce);
    if (first.gcount() != second.gcount() || of_first != of_second) return false;
  }
  return first.eof() && second.eof();
}

/// Brings a store's log into it, which takes that nobody else has it open. One that is too damaged
/// for that is left as it is. Error: kBusy.
Expected<void> end_log(const std::string& store) {
  const Error in_use{ErrorCode::kBusy,
                     store + " is in use: stop what serves it or ingests into it first"};
  auto connection = Connection::open(store, OpenMode::kRescueReadWrite);
  if (connection) connection->set_patience(kPatienceForOthers);
  const auto alone = connection ? connection->execute("PRAGMA journal_mode = DELETE;")
                                : Expected<void>(connection.error());
  if (!alone && alone.error().code == ErrorCode::kBusy) return in_use;
  return {};
}

/// Takes a store out of the way, with all that is in its log. Returns its new name.
Expected<std::string> set_aside(const std::string& store) {
  BENCHHUD_TRY(end_log(store));
  const std::string name = free_name(fmt::format("{}.before-{}", store, compact_time(now())));
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
      if (line != "ok" && !line.starts_with("***")) damage.push_back(in_words(line));
    }
  }
  // Of what is damaged enough the check itself fails.
  if (const auto read = query.status(); !read) {
    if (read.error().code != ErrorCode::kCorrupt) return read.error();
    damage.push_back(read.error().message);
  }
  return damage;
}

Expected<std::int64_t> damaged_texts(Connection& connection) {
  std::int64_t damaged = 0;
  Statement texts = connection.cached(sql::kAllTexts);
  while (texts.step()) {
    const auto text = unpack_text(texts.blob(3), texts.integer(2) != 0, texts.integer(1));
    damaged += !text || content_hash(*text).view() != texts.blob(0) ? 1 : 0;
  }
  BENCHHUD_TRY(texts.status());
  return damaged;
}

Expected<StoreCopy> copy_store(const std::string& from, const std::string& to) {
  if (is_there(to)) return Error{ErrorCode::kConflict, to + " is there already"};
  BENCHHUD_ASSIGN(UnfinishedFile file, UnfinishedFile::make(to));
  BENCHHUD_ASSIGN(StoreCopy copy, copy_into(from, file));
  BENCHHUD_TRY(file.keep_as(to));
  copy.path = to;
  return copy;
}

Expected<StoreCopy> copy_store_into(const std::string& from, const std::string& folder, double at) {
  const fs::path wanted = fs::path(folder) / backup_name(from, at);
  BENCHHUD_ASSIGN(UnfinishedFile file, UnfinishedFile::make(wanted.string()));
  BENCHHUD_ASSIGN(StoreCopy copy, copy_into(from, file));
  for (;;) {
    copy.path = free_name((wanted.parent_path() / wanted.stem()).string(), kBackupEnd);
    const auto kept = file.keep_as(copy.path);
    if (kept) return copy;
    // Another process may have taken the name meanwhile.
    if (kept.error().code != ErrorCode::kConflict) return kept.error();
  }
}

namespace {

/// Takes out of a copy what somebody alone sees: traces that were dropped, and those that are still
/// coming in, of whatever tables are about traces.
Expected<void> remove_private_traces(Connection& copy) {
  Statement query = copy.cached(sql::kTablesOfTraces);
  BENCHHUD_ASSIGN(const auto tables,
                  collect(query, [](const Statement& row) { return std::string(row.text(0)); }));
  std::string sql =
      "CREATE TEMP TABLE alone AS SELECT DISTINCT trace_id FROM dropped_trace "
      "WHERE trace_id NOT IN (SELECT trace_id FROM artifact WHERE trace_id IS NOT NULL) "
      "UNION SELECT trace_id FROM arriving_trace;"
      "DELETE FROM arriving_trace;DELETE FROM dropped_trace;"
      "DELETE FROM trace_note WHERE content_hash IN "
      "(SELECT content_hash FROM trace WHERE id IN (SELECT trace_id FROM temp.alone));";
  for (const std::string& table : tables) {
    sql += fmt::format("DELETE FROM \"{}\" WHERE trace_id IN (SELECT trace_id FROM temp.alone);",
                       table);
  }
  return copy.execute(sql + "DELETE FROM trace WHERE id IN (SELECT trace_id FROM temp.alone)");
}

}  // namespace

Expected<void> copy_to_share(Connection& connection, const std::string& to) {
  UnfinishedFile file(to);
  BENCHHUD_TRY(connection.copy_to(file.path()));
  BENCHHUD_ASSIGN(Connection copy, Connection::open(file.path(), OpenMode::kReadWrite));
  // Zeros are written over what is deleted; a copy has no log in which it could be left.
  BENCHHUD_TRY(copy.execute(
      "PRAGMA secure_delete = ON; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;" +
      std::string(sql::kWithoutSecrets) + std::string(kWithoutPlaces)));
  BENCHHUD_TRY(remove_private_traces(copy));
  file.keep();
  return {};
}

std::string copy_before_migration(const std::string& store, int version) {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(store, error);
  return fmt::format("{}.before-v{}", error ? store : file.string(), version);
}

Expected<KeptCopy> keep_copy(const std::string& store, const std::string& to) {
  BENCHHUD_ASSIGN(UnfinishedFile file, UnfinishedFile::make(to));
  BENCHHUD_ASSIGN([[maybe_unused]] const StoreCopy copy, copy_into(store, file));
  std::string name = to;
  for (int more = 2; is_there(name); ++more) {
    if (has_same_bytes(file.path(), name)) return KeptCopy{name, false};
    name = fmt::format("{}-{}", to, more);
  }
  BENCHHUD_TRY(file.keep_as(name));
  return KeptCopy{name, true};
}

namespace {

/// Copies `from` into `file`, which is to be `store`, and brings it up to date.
Expected<StoreCopy> make_store_of(const std::string& from, const std::string& store,
                                  const UnfinishedFile& file, bool accepts_pages) {
  {
    BENCHHUD_ASSIGN(
        Connection source,
        Connection::open(from, accepts_pages ? OpenMode::kRescueReadOnly : OpenMode::kReadOnly));
    BENCHHUD_TRY(describe(source, from));
    BENCHHUD_TRY(make_file_like(is_there(store) ? store : from, file.path()));
    BENCHHUD_TRY(source.copy_to(file.path()));
  }
  // The copy stays; no other is made of it.
  BENCHHUD_ASSIGN(Connection made, Connection::open(file.path(), OpenMode::kReadWrite));
  BENCHHUD_TRY(migrate(made));
  if (!accepts_pages) {
    BENCHHUD_TRY(check_whole(made, from));
  } else {
    // Of pages that are taken as they are nothing else says that they are whole.
    BENCHHUD_TRY(check_whole(made, from, Examination::kContent));
    BENCHHUD_ASSIGN(const std::int64_t texts, damaged_texts(made));
    if (texts > 0) return is_damaged(from, fmt::format("{} texts do not fit their hashes", texts));
  }
  return describe(made, file.path());
}

}  // namespace

Expected<Restored> restore_store(const std::string& copy, const std::string& store,
                                 const RestoreOptions& options) {
  const auto taken =
      Error{ErrorCode::kConflict, store + " is there already; --replace renames it and goes on"};
  if (is_there(store) && !options.replaces) return taken;
  BENCHHUD_TRY(make_folder_of(store));
  BENCHHUD_ASSIGN(UnfinishedFile file, UnfinishedFile::make(store));
  Restored restored;
  BENCHHUD_ASSIGN(restored.copy, make_store_of(copy, store, file, options.accepts_pages));
  if (is_there(store)) {
    if (!options.replaces) return taken;
    BENCHHUD_ASSIGN(restored.set_aside, set_aside(store));
  }
  BENCHHUD_TRY(file.keep_as(store));
  restored.copy.path = store;
  return restored;
}

std::string backup_name(const std::string& store, double at) {
  return fmt::format("{}-{}{}", fs::path(store).stem().string(), compact_time(at), kBackupEnd);
}

Expected<std::vector<std::string>> delete_old_backups(const std::string& folder,
                                                      const std::string& store, std::size_t keep) {
  // Copies of one second have a number, which is 1 for the first of them.
  using Place = std::pair<std::string, int>;
  const std::string pattern = backup_name(store, 0);
  const std::size_t stem = fs::path(store).stem().string().size();
  const std::size_t time_end = pattern.size() - kBackupEnd.size();
  const auto place_of = [&](const std::string& name) -> std::optional<Place> {
    if (name.size() < pattern.size() || !name.ends_with(kBackupEnd)) return {};
    for (std::size_t i = 0; i < time_end; ++i) {
      const bool is_digit = i > stem && std::isdigit(static_cast<unsigned char>(pattern[i])) != 0;
      if (is_digit ? std::isdigit(static_cast<unsigned char>(name[i])) == 0
                   : name[i] != pattern[i]) {
        return {};
      }
    }
    Place place{name.substr(0, time_end), 1};
    if (name.size() == pattern.size()) return place;
    const char* const end = name.data() + name.size() - kBackupEnd.size();
    const auto read = std::from_chars(name.data() + time_end + 1, end, place.second);
    if (name[time_end] != '-' || read.ec != std::errc() || read.ptr != end) return {};
    return place;
  };
  std::map<Place, std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto place = place_of(entry->path().filename().string());
    if (place) found.emplace(*place, entry->path().string());
  }
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("cannot list {}: {}", folder, error.message())};
  }
  // The time in the name has its largest parts first.
  std::vector<std::string> deleted;
  for (const auto& [place, path] : found) {
    if (found.size() - deleted.size() <= keep) break;
    fs::remove(path, error);
    if (error) {
      return Error{ErrorCode::kIo, fmt::format("cannot delete {}: {}", path, error.message())};
    }
    deleted.push_back(path);
  }
  return deleted;
}

}  // namespace benchhud::schema
