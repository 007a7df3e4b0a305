#include "schema/db/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schema/base/caught_error.h"
#include "schema/base/system_error.h"
#include "schema/db/page_checksums.h"
#include "schema/db/store_folder.h"

namespace benchhud::schema {
namespace {

constexpr std::chrono::milliseconds kUsualPatience = std::chrono::minutes(1);
// SQLite's own wait tries 228, 328 and 428 ms after it began, and so on: who waits for a lock that
// is held for a quarter of a second would wait for a third.
constexpr std::chrono::milliseconds kRetryInterval{5};

ErrorCode error_code(int sqlite_code) {
  if (sqlite_code == SQLITE_IOERR_DATA) return ErrorCode::kCorrupt;  // page_checksums.h
  if (sqlite_code == SQLITE_IOERR_NOMEM) return ErrorCode::kNoMemory;
  switch (sqlite_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kBusy;
    case SQLITE_FULL:
      return ErrorCode::kFull;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return ErrorCode::kReadOnly;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return ErrorCode::kIo;
    case SQLITE_NOMEM:
      return ErrorCode::kNoMemory;
    case SQLITE_TOOBIG:
      return ErrorCode::kTooLarge;
    case SQLITE_CONSTRAINT:
      return ErrorCode::kConflict;
    default:
      return ErrorCode::kInternal;
  }
}

constexpr std::string_view kScratchName = "-scratch-";

/// The name of a connection's file, without its folder: who asks over HTTP need not know that.
struct FileName {
  std::string words;
  bool is_scratch = false;
};
FileName name_of(sqlite3* database) {
  const char* path = sqlite3_db_filename(database, "main");
  const std::string_view whole = path != nullptr && *path != '\0' ? path : "the store";
  const std::string_view name = whole.substr(whole.rfind('/') + 1);
  if (const auto end = name.rfind(kScratchName); end != name.npos) {
    return {fmt::format("the temporary file beside {}", name.substr(0, end)), true};
  }
  return {std::string(name)};
}

constexpr char kUnchanging[] = "immutable";  // the parameter of an address, for SQLite

bool is_unchanging(sqlite3* database) {
  return sqlite3_uri_boolean(sqlite3_db_filename(database, "main"), kUnchanging, 0) != 0;
}

/// A file's path as the address by which SQLite opens what nobody writes any more.
std::string unchanging_address(std::string_view path) {
  // Behind two slashes stands a host, which is none.
  std::string address = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      address += c;
    }
  }
  return address + "?" + kUnchanging + "=1";
}

/// Why the system could not do what SQLite asked of it last; 0: unknown.
int system_error_of(sqlite3* database) {
  const int known = sqlite3_system_errno(database);
  // What SQLite tries after a file could not be made fails by another error.
  if (known != 0 && known != ENOENT) return known;
  // Within a transaction only the file knows, or the log.
  int error = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  if (error != 0) return error;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log == nullptr || log->pMethods == nullptr) return 0;
  const int status = log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
  return status == SQLITE_OK ? error : 0;
}

/// What became of the store's file, in words: where, what, and why as the system says it.
Error file_error(sqlite3* database, ErrorCode kind, const std::string& message) {
  const auto [name, is_scratch] = name_of(database);
  const int system = system_error_of(database);
  const bool has_reason = kind == ErrorCode::kIo && system != 0;
  // SQLite knows a full disk only where it writes, and a quota not at all.
  if (kind == ErrorCode::kFull || (has_reason && is_out_of_space(system))) {
    return {ErrorCode::kFull, name + ": no space is left for the store (" +
                                  (has_reason ? std::string(std::strerror(system)) : message) +
                                  ")"};
  }
  if (kind == ErrorCode::kCorrupt) {
    if (is_scratch) return {ErrorCode::kIo, name + " is not what was written to it: " + message};
    if (is_unchanging(database)) return {kind, name + " is damaged (" + message + ")"};
    return {kind, name + " is damaged (" + message + "); `benchhud doctor` says where"};
  }
  return {kind,
          name + ": " + message + (has_reason ? std::string(": ") + std::strerror(system) : "")};
}

/// Whether an error may come from the state of a connection or its file, and not only from what was
/// asked of it or from what others do with the store.
bool may_lie_in_connection(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_ERROR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_ABORT:
    case SQLITE_INTERRUPT:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_AUTH:
    case SQLITE_RANGE:
      return false;
    default:
      return true;
  }
}

Error make_error(sqlite3* database, int code) {
  std::string message = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  if (database && code == SQLITE_IOERR_DATA) {
    message = "page " + std::to_string(last_damaged_page(database)) + " is not what was written";
    if (!is_unchanging(database) && may_be_written_by_others(database)) {
      return {ErrorCode::kCorrupt,
              name_of(database).words + ": " + message +
                  ": another program, such as sqlite3, has probably written to the store, or it is "
                  "damaged; `benchhud doctor` says which, and how to go on"};
    }
  }
  const ErrorCode kind = error_code(code);
  if (kind == ErrorCode::kNoMemory) return {kind, kNoMemory};
  const bool is_of_file = kind == ErrorCode::kFull || kind == ErrorCode::kIo ||
                          kind == ErrorCode::kCorrupt || kind == ErrorCode::kReadOnly;
  if (database && is_of_file) return file_error(database, kind, message);
  return Error{kind, "SQLite: " + message};
}

}  // namespace

// --- Statement ---------------------------------------------------------------------------------

// What SQLite allows unless built otherwise.
constexpr int kMostParameters = 32766;

/// A statement of SQLite's, and where its parameters are.
struct Statement::Prepared {
  Prepared(Connection::State& connection, sqlite3_stmt* statement);
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() { sqlite3_finalize(statement); }

  Connection::State& connection;
  sqlite3_stmt* const statement;
  std::vector<std::uint16_t> parameters;  // SQLite's index of $1, $2, … (0: unused)
  bool is_kept = false;                   // by the connection
  bool is_in_use = false;
};

struct Connection::State {
  sqlite3* database = nullptr;
  bool leaves_room = false;  // for checksums, when it was opened to be written
  bool has_failed = false;   // by an error that may lie in the connection
  std::chrono::milliseconds patience = kUsualPatience;
  std::chrono::steady_clock::time_point waits_since;
  // By the constant's address.
  std::unordered_map<const char*, std::unique_ptr<Statement::Prepared>> statements;

  ~State() {
    statements.clear();
    sqlite3_close(database);
  }

  // SQLite's busy handler: called with the number of tries before, returns whether there is
  // another.
  static int wait(void* state, int tries) {
    auto& self = *static_cast<State*>(state);
    const auto now = std::chrono::steady_clock::now();
    if (tries == 0) self.waits_since = now;
    const auto left = self.patience - (now - self.waits_since);
    if (left <= left.zero()) return 0;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, kRetryInterval));
    return 1;
  }

  Error failed(int code) {
    has_failed = has_failed || may_lie_in_connection(code);
    return make_error(database, code);
  }
};

Statement::Prepared::Prepared(Connection::State& of, sqlite3_stmt* made)
    : connection(of), statement(made) {
  const int count = sqlite3_bind_parameter_count(statement);
  for (int i = 1; i <= count; ++i) {
    const char* name = sqlite3_bind_parameter_name(statement, i);
    int number = 0;
    if (!name || *name != '$' ||
        std::from_chars(name + 1, name + std::strlen(name), number).ec != std::errc() ||
        number < 1 || number > kMostParameters) {
      assert(false && "parameters are named $1, $2, …");
      continue;
    }
    if (parameters.size() < static_cast<std::size_t>(number)) parameters.resize(number);
    parameters[number - 1] = static_cast<std::uint16_t>(i);
  }
}

void Statement::Release::operator()(Prepared* prepared) const {
  if (!prepared->is_kept) {
    delete prepared;
    return;
  }
  sqlite3_reset(prepared->statement);
  sqlite3_clear_bindings(prepared->statement);
  prepared->is_in_use = false;
}

sqlite3_stmt* Statement::get() const { return prepared_ ? prepared_->statement : nullptr; }

void Statement::check(int code) {
  if (code != SQLITE_OK && !error_) error_ = prepared_->connection.failed(code);
}

int Statement::index(int parameter) const {
  const auto& parameters = prepared_->parameters;
  if (parameter < 1 || static_cast<std::size_t>(parameter) > parameters.size()) return 0;
  return parameters[parameter - 1];
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  if (prepared_) check(sqlite3_bind_int64(get(), index(parameter), value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  if (prepared_) check(sqlite3_bind_double(get(), index(parameter), value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  if (prepared_) {
    check(sqlite3_bind_text64(get(), index(parameter), text.data() ? text.data() : "", text.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  return *this;
}

Statement& Statement::bind_text_view(int parameter, std::string_view text) {
  if (prepared_) {
    check(sqlite3_bind_text64(get(), index(parameter), text.data() ? text.data() : "", text.size(),
                              SQLITE_STATIC, SQLITE_UTF8));
  }
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  if (prepared_) {
    check(sqlite3_bind_blob64(get(), index(parameter), bytes.data() ? bytes.data() : "",
                              bytes.size(), SQLITE_TRANSIENT));
  }
  return *this;
}

Statement& Statement::bind_blob_view(int parameter, std::string_view bytes) {
  if (prepared_) {
    check(sqlite3_bind_blob64(get(), index(parameter), bytes.data() ? bytes.data() : "",
                              bytes.size(), SQLITE_STATIC));
  }
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  if (prepared_) check(sqlite3_bind_null(get(), index(parameter)));
  return *this;
}

Statement& Statement::bind_column(int parameter, const Statement& row, int column) {
  if (prepared_ && row.prepared_) {
    check(sqlite3_bind_value(get(), index(parameter), sqlite3_column_value(row.get(), column)));
  }
  return *this;
}

bool Statement::step() {
  if (error_ || !prepared_) return false;
  const int code = sqlite3_step(get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) check(code);
  return false;
}

Expected<void> Statement::run() {
  while (step()) {
  }
  Expected<void> result = status();
  reset();
  return result;
}

void Statement::reset() {
  if (prepared_) {
    sqlite3_reset(get());
    error_.reset();
  }
}

Expected<void> Statement::status() const {
  if (error_) return *error_;
  return {};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(get(), column); }

std::string_view Statement::text(int column) const {
  const void* data = sqlite3_column_text(get(), column);
  const int size = sqlite3_column_bytes(get(), column);
  return data ? std::string_view(static_cast<const char*>(data), size) : std::string_view();
}

std::string_view Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(get(), column);
  const int size = sqlite3_column_bytes(get(), column);
  return data ? std::string_view(static_cast<const char*>(data), size) : std::string_view();
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}
std::optional<double> Statement::optional_real(int column) const {
  if (is_null(column)) return std::nullopt;
  return real(column);
}
std::optional<std::string> Statement::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return std::string(text(column));
}

// --- Connection --------------------------------------------------------------------------------

Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

Expected<Connection> Connection::open(const std::string& path, OpenMode mode) {
  // SQLite counts every allocation under a lock unless told not to before its first use.
  [[maybe_unused]] static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  // SQLite says of a folder that the disk has an error.
  if (!path.empty()) BENCHHUD_TRY(check_store_path(path));
  auto state = std::make_unique<State>();
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const bool is_read_only = mode == OpenMode::kReadOnly || mode == OpenMode::kRescueReadOnly;
  if (is_read_only) {
    flags |= SQLITE_OPEN_READONLY;
  } else {
    flags |= SQLITE_OPEN_READWRITE;
    if (mode == OpenMode::kReadWriteCreate) flags |= SQLITE_OPEN_CREATE;
  }
  const int code = sqlite3_open_v2(path.c_str(), &state->database, flags, page_checksums_layer());
  if (code != SQLITE_OK) {
    const ErrorCode kind = (code & 0xff) == SQLITE_CANTOPEN && mode != OpenMode::kReadWriteCreate
                               ? ErrorCode::kNotFound
                               : error_code(code);
    return Error{kind, "cannot open the store " + path + ": " + sqlite3_errstr(code)};
  }
  if (mode == OpenMode::kRescueReadOnly || mode == OpenMode::kRescueReadWrite) {
    accept_pages(state->database);
  }
  sqlite3_busy_handler(state->database, &State::wait, state.get());
  Connection connection(std::move(state));
  // Foreign keys are checked by tests, not at every insert: the writer makes both sides itself.
  BENCHHUD_TRY(connection.execute(
      "PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;"));
  if (is_read_only) {
    // Small, because a server has several connections and the operating system caches pages too.
    BENCHHUD_TRY(connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -6000;"));
  } else {
    // Reads it, which the next line needs: what is in the log counts as well.
    BENCHHUD_TRY(connection.execute("PRAGMA user_version"));
    connection.state_->leaves_room = leaves_room_for_checksums(connection.state_->database);
    want_page_checksums(connection.state_->database);
    BENCHHUD_TRY(connection.execute("PRAGMA cache_size = -64000;"));
    // In WAL mode synchronous = NORMAL never loses consistency; a power cut may lose the last
    // commits, and an ingest that was lost so is simply run again. FULL costs one fsync a file.
    // One large file makes the log as large; once its content is in the store, the space is given
    // back.
    BENCHHUD_TRY(
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                           "PRAGMA journal_size_limit = 67108864;"));
  }
  return connection;
}

void Connection::set_patience(std::chrono::milliseconds patience) { state_->patience = patience; }

Expected<Connection> Connection::open_scratch(const std::string& store) {
  std::error_code none;
  std::string path = store;
  if (store.empty()) path = std::filesystem::temp_directory_path(none).string() + "/benchhud";
  path += std::string(kScratchName) + "XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) {
    return Error{error_code_of(errno), fmt::format("cannot make a temporary file beside {}: {}",
                                                   std::filesystem::path(store).filename().string(),
                                                   std::strerror(errno))};
  }
  auto state = std::make_unique<State>();
  const int code =
      sqlite3_open_v2(path.c_str(), &state->database,
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE, nullptr);
  // SQLite has it open: without a name it ends with the process, however that ends.
  ::close(file);
  ::unlink(path.c_str());
  if (code != SQLITE_OK) return state->failed(code);
  Connection connection(std::move(state));
  BENCHHUD_TRY(connection.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
      "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2000;"));
  return connection;
}

Expected<Connection> Connection::create_unchanging(const std::string& path, int page_bytes) {
  BENCHHUD_TRY(check_store_path(path));
  auto state = std::make_unique<State>();
  const int code = sqlite3_open_v2(
      path.c_str(), &state->database,
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
      page_checksums_layer());
  if (code != SQLITE_OK) {
    return Error{error_code(code), "cannot write " + path + ": " + sqlite3_errstr(code)};
  }
  Connection connection(std::move(state));
  // What was on a page before must not be told by what is there now.
  BENCHHUD_TRY(connection.execute(fmt::format(
      "PRAGMA page_size = {}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;"
      "PRAGMA cache_size = -2000;",
      page_bytes)));
  want_page_checksums(connection.state_->database);
  set_checked_page_bytes(connection.state_->database, page_bytes);
  return connection;
}

Expected<Connection> Connection::open_unchanging(const std::string& path) {
  BENCHHUD_TRY(check_store_path(path));
  auto state = std::make_unique<State>();
  const int code = sqlite3_open_v2(
      unchanging_address(path).c_str(), &state->database,
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
      page_checksums_layer());
  if (code != SQLITE_OK) {
    const bool is_missing = (code & 0xff) == SQLITE_CANTOPEN;
    return Error{is_missing ? ErrorCode::kNotFound : error_code(code),
                 "cannot open " + path + ": " + sqlite3_errstr(code)};
  }
  Connection connection(std::move(state));
  // Whoever made it may have meant harm.
  BENCHHUD_TRY(connection.execute(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON;"
      "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -6000;"));
  return connection;
}

Statement Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(state_->database, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Statement(state_->failed(code));
  return Statement(Statement::Handle(new Statement::Prepared(*state_, statement)));
}

Statement Connection::cached(std::string_view sql) {
  auto& kept = state_->statements[sql.data()];
  if (!kept) {
    Statement made = prepare(sql);
    if (!made.prepared_) return made;
    kept.reset(made.prepared_.release());
    kept->is_kept = true;
  } else if (kept->is_in_use) {
    return prepare(sql);
  }
  kept->is_in_use = true;
  return Statement(Statement::Handle(kept.get()));
}

Expected<void> Connection::execute(std::string_view script) {
  const std::string text(script);
  const int code = sqlite3_exec(state_->database, text.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return state_->failed(code);
  return {};
}

Expected<void> Connection::copy_to(const std::string& path) {
  State target;
  const int opened = sqlite3_open_v2(
      path.c_str(), &target.database,
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
      page_checksums_layer());
  if (opened != SQLITE_OK) {
    return Error{error_code(opened), "cannot write " + path + ": " + sqlite3_errstr(opened)};
  }
  set_checked_page_bytes(target.database, checked_page_bytes(state_->database));
  sqlite3_backup* copy = sqlite3_backup_init(target.database, "main", state_->database, "main");
  if (copy == nullptr) return make_error(target.database, sqlite3_errcode(target.database));
  // All pages in one step: of one moment, however long it takes, as the log keeps what is written
  // meanwhile.
  const int step = sqlite3_backup_step(copy, -1);
  const int finish = sqlite3_backup_finish(copy);
  if (step != SQLITE_DONE) {
    const int code = finish != SQLITE_OK ? finish : step;
    if (code == SQLITE_IOERR_DATA) return state_->failed(code);
    return Error{error_code(code), "cannot write " + path + ": " + sqlite3_errstr(code)};
  }
  const int code =
      sqlite3_exec(target.database, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return make_error(target.database, code);
  return {};
}

bool Connection::has_page_checksums() const {
  return state_->leaves_room || checked_page_bytes(state_->database) > 0;
}

std::int64_t Connection::last_insert_id() const {
  return sqlite3_last_insert_rowid(state_->database);
}

std::int64_t Connection::changes() const { return sqlite3_changes64(state_->database); }

bool Connection::is_sound() const {
  return !state_->has_failed && sqlite3_get_autocommit(state_->database) != 0;
}

void Connection::stop_statements() {
  for (sqlite3_stmt* statement = sqlite3_next_stmt(state_->database, nullptr); statement != nullptr;
       statement = sqlite3_next_stmt(state_->database, statement)) {
    if (sqlite3_stmt_busy(statement)) sqlite3_reset(statement);
  }
}

bool Connection::has_moved() const {
  int has_moved = 0;
  sqlite3_file_control(state_->database, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  return has_moved != 0;
}

Expected<std::int64_t> Connection::data_version() {
  static constexpr std::string_view kSql = "PRAGMA data_version";
  Statement statement = cached(kSql);
  const std::int64_t version = statement.step() ? statement.integer(0) : 0;
  BENCHHUD_TRY(statement.status());
  return version;
}

// --- Transaction -------------------------------------------------------------------------------

namespace {

// Prepared once: each request to a server is a transaction.
constexpr std::string_view kBegin = "BEGIN";
constexpr std::string_view kBeginImmediate = "BEGIN IMMEDIATE";
constexpr std::string_view kCommit = "COMMIT";
constexpr std::string_view kRollback = "ROLLBACK";

}  // namespace

Expected<Transaction> Transaction::begin(Connection& connection, Kind kind) {
  BENCHHUD_TRY(connection.cached(kind == Kind::kWrite ? kBeginImmediate : kBegin).run());
  return Transaction(connection);
}

Transaction::Transaction(Transaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

Transaction::~Transaction() {
  if (!connection_) return;
  connection_->stop_statements();
  // A failed rollback leaves nothing to be done here: SQLite has rolled back by itself then.
  (void)connection_->cached(kRollback).run();
}

Expected<void> Transaction::commit() {
  connection_->stop_statements();
  BENCHHUD_TRY(connection_->cached(kCommit).run());
  connection_ = nullptr;
  return {};
}

}  // namespace benchhud::schema
