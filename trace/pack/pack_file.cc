#include "trace/pack/pack_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schema/db/page_checksums.h"
#include "schema/db/rows.h"
#include "schema/db/table_copy.h"
#include "schema/places/local_file.h"
#include "schema/store/migrate.h"
#include "schema/store/store_backup.h"
#include "schema/store/unfinished_file.h"
#include "trace/pack/trace_copy.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::FileDescriptor;
using schema::InputFile;
using schema::OpenMode;
using schema::Statement;
using schema::TraceId;

namespace {

// A small trace has little in each of its forty tables and indexes, which each begin a page.
constexpr int kPageBytes = 1024;
constexpr std::string_view kApplication = "bhpk";

constexpr std::string_view kWhoHoldsModules = "trace_hlo";

// --- The header (sqlite.org/fileformat2.html#the_database_header) --------------------------------

using Head = std::array<char, kPackBeginBytes>;
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kVersionAt = 60, kApplicationAt = 68;

void put_word(Head* head, std::size_t at, std::uint32_t word) {
  for (std::size_t i = 4; i-- > 0; word >>= 8) (*head)[at + i] = static_cast<char>(word);
}

std::uint32_t word_at(std::string_view head, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = at; i < at + 4; ++i) word = word << 8 | static_cast<unsigned char>(head[i]);
  return word;
}

Head head_of_pack(std::int64_t byte_count) {
  Head head{};
  std::ranges::copy(kMagic, head.begin());
  head[16] = kPageBytes >> 8;
  head[18] = 3;  // it is written by benchhud alone, and read by whatever reads a database
  head[19] = 1;  // there is no log
  head[20] = 8;  // bytes of a checksum
  head[21] = 64;
  head[22] = 32;
  head[23] = 32;
  put_word(&head, 24, 1);  // changes
  put_word(&head, 28, static_cast<std::uint32_t>(byte_count / kPageBytes));
  put_word(&head, 40, 1);  // changes of its tables
  put_word(&head, 44, 4);  // SQLite's format of tables
  put_word(&head, 56, 1);  // UTF-8
  put_word(&head, kVersionAt, static_cast<std::uint32_t>(kPackVersion));
  std::ranges::copy(kApplication, head.begin() + kApplicationAt);
  put_word(&head, 92, 1);  // the changes for which the number of pages holds
  return head;
}

// --- Files -------------------------------------------------------------------------------------

/// Writes the head of a pack, and syncs the file.
Expected<void> write_head(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status{};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0) {
    return schema::file_error("write", path, errno);
  }
  const Head head = head_of_pack(std::int64_t{status.st_size});
  const bool is_written = ::pwrite(file.descriptor(), head.data(), head.size(), 0) ==
                              static_cast<ssize_t>(head.size()) &&
                          ::fsync(file.descriptor()) == 0;
  if (!is_written) return schema::file_error("write", path, errno);
  return {};
}

Error named(Error error, const std::filesystem::path& file) {
  error.message = fmt::format("{}: {}", file.string(), error.message);
  return error;
}

Error damaged_pack(const std::filesystem::path& file, std::string_view what) {
  return {ErrorCode::kCorrupt, fmt::format("{} is damaged: {}", file.string(), what)};
}

Expected<void> check_head(const std::filesystem::path& path) {
  BENCHHUD_ASSIGN(const InputFile file, InputFile::open(path));
  const std::int64_t byte_count = file.byte_count;
  Head head{};
  const auto read = schema::read_some(file, head.data(), head.size());
  if (!read) return named(read.error(), path);
  const std::string_view begin = *read;
  if (!is_pack(begin)) {
    return Error{ErrorCode::kInvalidArgument,
                 path.string() + " is no pack: benchhud did not write it"};
  }
  if (const auto version = word_at(begin, kVersionAt); version != kPackVersion) {
    return Error{ErrorCode::kVersion,
                 fmt::format("{} is a pack of version {}, this program reads version {}: read it "
                             "with the benchhud that made it, or make it again with this one",
                             path.string(), version, kPackVersion)};
  }
  const Head expected = head_of_pack(byte_count);
  constexpr std::size_t kPagesAt = 28;
  if (word_at(begin, kPagesAt) != byte_count / kPageBytes || byte_count % kPageBytes != 0) {
    return damaged_pack(path, fmt::format("it has {} bytes and not the {} pages that it says",
                                          byte_count, word_at(begin, kPagesAt)));
  }
  if (head != expected) return damaged_pack(path, "its first 100 bytes are not a pack's");
  return {};
}

// --- Tables ------------------------------------------------------------------------------------

/// What a database has: of each thing what it is, its name, of which table, and by which statement.
using Things = std::vector<std::tuple<std::string, std::string, std::string, std::string>>;

Expected<Things> things_in(Connection& connection) {
  static constexpr std::string_view kSql =
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid";
  Statement query = connection.cached(kSql);
  return collect(query, [](const Statement& row) {
    return std::tuple(std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2)),
                      std::string(row.text(3)));
  });
}

/// What a pack has, as the migrations make it.
Expected<Things> make_tables() {
  BENCHHUD_ASSIGN(auto store, Connection::open(":memory:", OpenMode::kReadWriteCreate));
  BENCHHUD_TRY(schema::migrate(store));
  BENCHHUD_ASSIGN(auto pack, Connection::open(":memory:", OpenMode::kReadWriteCreate));
  BENCHHUD_TRY(schema::make_tables_like(store, pack, kTablesOfATrace));
  BENCHHUD_TRY(schema::make_tables_like(store, pack, std::array{kWhoHoldsModules}));
  return things_in(pack);
}

/// The same, made once. What kept it from being made may be gone the next time.
Expected<Things> tables_of_packs() {
  static std::mutex mutex;
  static std::optional<Things> tables;
  const std::scoped_lock lock(mutex);
  if (!tables) {
    BENCHHUD_ASSIGN(tables, make_tables());
  }
  return *tables;
}

std::string script_of_packs(const Things& things) {
  std::string script;
  for (const auto& [type, name, table, sql] : things) {
    // Some are made by SQLite itself.
    if (!sql.empty() && !name.starts_with("sqlite_")) script += sql + ";";
  }
  return script;
}

/// Whether a pack has the program's tables, nothing else, and one trace.
Expected<void> check_tables(Connection& pack, const std::filesystem::path& file) {
  BENCHHUD_ASSIGN(const Things expected, tables_of_packs());
  BENCHHUD_ASSIGN(const Things things, things_in(pack));
  if (things != expected) {
    const auto differs = std::ranges::mismatch(things, expected);
    const Things::value_type& named = differs.in1 != things.end() ? *differs.in1 : *differs.in2;
    return damaged_pack(file, fmt::format("its {} {} is not what this program makes",
                                          std::get<0>(named), std::get<1>(named)));
  }
  Statement traces = pack.prepare("SELECT count(*), total(id = $1) FROM trace");
  traces.bind(1, kPackedTrace);
  const bool has_row = traces.step();
  const bool is_one = has_row && traces.integer(0) == 1 && traces.integer(1) == 1;
  BENCHHUD_TRY(traces.status());
  if (!is_one) return damaged_pack(file, "its table trace has not one row, of number 1");
  const auto check_part = [&](std::string_view part) -> Expected<void> {
    // By their index, or the tables, which are in that order.
    Statement others =
        pack.prepare(fmt::format("SELECT EXISTS (SELECT 1 FROM {0} WHERE trace_id < $1) OR "
                                 "EXISTS (SELECT 1 FROM {0} WHERE trace_id > $1)",
                                 part));
    others.bind(1, kPackedTrace);
    const bool has_others = others.step() && others.integer(0) != 0;
    BENCHHUD_TRY(others.status());
    if (has_others) return damaged_pack(file, fmt::format("{} has rows of another trace", part));
    return {};
  };
  for (const std::string_view part : kPartsOfATrace) BENCHHUD_TRY(check_part(part));
  return check_part(kWhoHoldsModules);
}

/// Reads the whole file, and opens it.
Expected<Connection> check_whole(const std::filesystem::path& file) {
  BENCHHUD_TRY(check_head(file));
  BENCHHUD_ASSIGN(const auto sums, schema::count_page_checksums(file.string()));
  if (!sums) return damaged_pack(file, "its pages have no checksums");
  if (sums->changed > 0 || sums->lost > 0) {
    const std::int64_t page = sums->changed > 0 ? sums->first_changed : sums->first_lost;
    return damaged_pack(file, fmt::format("page {} is not what was written", page));
  }
  if (sums->missing > 0 || sums->changed_free > 0) {
    return damaged_pack(
        file, fmt::format("{} of its pages have no checksum", sums->missing + sums->changed_free));
  }
  BENCHHUD_ASSIGN(auto pack, open_pack(file));
  BENCHHUD_ASSIGN(const auto damage, schema::damage_of(pack, schema::Examination::kContent));
  if (!damage.empty()) return damaged_pack(file, damage.front());
  return pack;
}

/// Puts the trace into a new file, and closes it.
Expected<void> write_database(Connection& from, TraceId trace, const std::optional<TraceHlo>& hlo,
                              const std::string& path) {
  BENCHHUD_ASSIGN(const Things tables, tables_of_packs());
  BENCHHUD_ASSIGN(auto copy, TraceCopy::make(from));
  BENCHHUD_ASSIGN(auto pack, Connection::create_unchanging(path, kPageBytes));
  BENCHHUD_TRY(pack.execute("BEGIN"));
  BENCHHUD_TRY(pack.execute(script_of_packs(tables)));
  BENCHHUD_TRY(pack.execute(fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}",
                                        kPackVersion, word_at(kApplication, 0))));
  BENCHHUD_ASSIGN(const TraceId packed, copy.run(pack, trace));
  if (hlo) {
    BENCHHUD_ASSIGN(const TraceHlo held, copy_hlo(from, pack, *hlo));
    BENCHHUD_TRY(put_trace_hlo(pack, packed, held));
  }
  return pack.execute("COMMIT");
}

}  // namespace

bool is_pack(std::string_view begin) {
  return begin.size() >= kPackBeginBytes && begin.starts_with(kMagic) &&
         begin.substr(kApplicationAt, kApplication.size()) == kApplication;
}

Expected<PackFacts> write_pack(Connection& from, TraceId trace, const std::filesystem::path& file,
                               const std::string& like) {
  BENCHHUD_ASSIGN(const auto hlo, trace_hlo(from, trace));
  return write_pack(from, trace, hlo, file, like);
}

Expected<PackFacts> write_pack(Connection& from, TraceId trace, const std::optional<TraceHlo>& hlo,
                               const std::filesystem::path& file, const std::string& like) {
  const std::string name = file.string();
  if (schema::is_there(name)) return Error{ErrorCode::kConflict, name + " is there already"};
  BENCHHUD_ASSIGN(schema::UnfinishedFile unfinished, schema::UnfinishedFile::make(name));
  if (!like.empty()) BENCHHUD_TRY(schema::make_file_like(like, unfinished.path()));
  BENCHHUD_TRY(write_database(from, trace, hlo, unfinished.path()));
  BENCHHUD_TRY(write_head(unfinished.path()));
  BENCHHUD_ASSIGN(const PackFacts facts, facts_of_file(unfinished.path()));
  BENCHHUD_TRY(unfinished.keep_as(name));
  return facts;
}

Expected<Connection> open_pack(const std::filesystem::path& file) {
  BENCHHUD_TRY(check_head(file));
  BENCHHUD_ASSIGN(auto pack, Connection::open_unchanging(file.string()));
  BENCHHUD_TRY(check_tables(pack, file));
  return pack;
}

Expected<Connection> check_pack(const std::filesystem::path& file) {
  // It is opened several times: held open, no other file is taken for it.
  BENCHHUD_ASSIGN(const InputFile held, InputFile::open(file));
  auto pack = check_whole(file);
  const auto after = InputFile::open(file);
  if (!after || after->state != held.state || after->byte_count != held.byte_count) {
    return Error{ErrorCode::kIo, file.string() + " changed while it was read"};
  }
  return pack;
}

Expected<PackFacts> facts_of_file(const std::filesystem::path& path) {
  BENCHHUD_ASSIGN(const InputFile file, InputFile::open(path));
  const auto hash = schema::hash_of(file);
  if (!hash) return named(hash.error(), path);
  return PackFacts{*hash, file.byte_count};
}

}  // namespace benchhud::trace
