#include "trace/answers/trace_sql.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>

#include "schema/base/ascii.h"
#include "schema/base/temporary_files.h"
#include "trace/answers/trace_sql_tables.h"

namespace benchhud::trace {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostSqlBytes = 4000;
// Of one value. Functions like instr() and replace() take the time of two lengths multiplied,
// within one step: a tenth of a second for two values of this size.
constexpr int kMostValueBytes = 64 << 10;
// What a sort keeps in memory before it goes to a file. There may be several sorts.
constexpr int kMostSortKb = 8'000;
constexpr int kOpsBetweenLooks = 100;

// What a query may call: nothing of these has side effects, or makes much of nothing.
constexpr auto kFunctions = std::to_array<std::string_view>(
    {"abs",       "acos",         "arg",          "asin",     "atan",        "avg",
     "ceil",      "ceiling",      "char",         "coalesce", "cos",         "count",
     "cume_dist", "degrees",      "dense_rank",   "exp",      "first_value", "floor",
     "format",    "glob",         "group_concat", "hex",      "ifnull",      "iif",
     "instr",     "json_extract", "json_valid",   "lag",      "last_value",  "lead",
     "length",    "like",         "ln",           "log",      "log10",       "log2",
     "lower",     "ltrim",        "max",          "min",      "mod",         "nth_value",
     "ntile",     "nullif",       "percent_rank", "pow",      "power",       "printf",
     "quote",     "rank",         "replace",      "round",    "row_number",  "rtrim",
     "sign",      "sin",          "sqrt",         "substr",   "substring",   "sum",
     "total",     "trim",         "trunc",        "typeof",   "unicode",     "upper",
     "->",        "->>"});

bool is_allowed_function(std::string_view name) {
  return std::find(kFunctions.begin(), kFunctions.end(), schema::lower_case(name)) !=
         kFunctions.end();
}

bool may_read(std::string_view table, std::string_view column) {
  // So is a table told of whose rows alone are counted, a WITH's among them.
  if (column.empty()) return !table.starts_with("sqlite_") && !table.starts_with("pragma_");
  const auto tables = sql_tables();
  return std::any_of(tables.begin(), tables.end(),
                     [&](const SqlTable& each) { return each.name == table; });
}

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      return may_read(first, second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return is_allowed_function(second) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// What a function that SQLite calls may throw ends there: no exception goes through SQLite's
// frames, which would leave its locks and counters as they are.
template <auto kCallback>
struct NoThrow;
template <class... Args, int (*kCallback)(Args...)>
struct NoThrow<kCallback> {
  static int call(Args... args) noexcept {
    try {
      return kCallback(args...);
    } catch (const std::bad_alloc&) {
      return SQLITE_NOMEM;
    } catch (const std::exception&) {
      return SQLITE_INTERNAL;
    }
  }
};

// A table as SQLite sees it.
struct Table {
  sqlite3_vtab base{};
  const SqlTable* table = nullptr;
  SqlContext* context = nullptr;
};

struct Cursor {
  sqlite3_vtab_cursor base{};
  std::unique_ptr<SqlSource> source;
  bool is_at_end = true;
  std::int64_t row = 0;  // of this scan, from 1
};

struct Module {
  const SqlTable* table;
  SqlContext* context;
};

Table& table_of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<Table*>(cursor->pVtab); }

int failed(sqlite3_vtab* table, const schema::Error& error) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", error.message.c_str());
  return error.code == schema::ErrorCode::kBusy ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

std::string declaration_of(const SqlTable& table) {
  std::string columns;
  for (const SqlColumn& column : table.columns) {
    columns += fmt::format("{}\"{}\" {}", columns.empty() ? "" : ", ", column.name, column.type);
  }
  return fmt::format("CREATE TABLE x({})", columns);
}

int connect(sqlite3* database, void* module, int, const char* const*, sqlite3_vtab** made, char**) {
  const auto* of = static_cast<const Module*>(module);
  const int code = sqlite3_declare_vtab(database, declaration_of(*of->table).c_str());
  if (code != SQLITE_OK) return code;
  auto table = std::make_unique<Table>();
  table->table = of->table;
  table->context = of->context;
  *made = &table.release()->base;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<Table*>(table);
  return SQLITE_OK;
}

// What a constraint is for. The filter gets the values in the order of `idxStr`.
char use_of(const SqlTable& table, int column, unsigned char operation) {
  const bool is_equal = operation == SQLITE_INDEX_CONSTRAINT_EQ;
  if (column < 0) return 0;
  if (column == table.track && is_equal) return 't';
  if (column == table.id && is_equal) return 'i';
  if (column == table.label_name && is_equal) return 'n';
  const bool is_least =
      operation == SQLITE_INDEX_CONSTRAINT_GT || operation == SQLITE_INDEX_CONSTRAINT_GE;
  const bool is_most =
      operation == SQLITE_INDEX_CONSTRAINT_LT || operation == SQLITE_INDEX_CONSTRAINT_LE;
  if (column == table.begin && (is_least || is_equal)) return 'b';
  if (column == table.begin && is_most) return 'B';
  if (column == table.end && is_least) return 'e';
  return 0;
}

int best_index(sqlite3_vtab* base, sqlite3_index_info* info) {
  const SqlTable& table = *reinterpret_cast<Table*>(base)->table;
  std::string uses;
  double cost = 1e9;
  bool has_id = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const char use = use_of(table, constraint.iColumn, constraint.op);
    if (use == 0 || constraint.usable == 0) continue;
    // Names are looked up byte by byte: another collation is SQLite's to compare.
    if (use == 'n' && sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
    uses += use;
    info->aConstraintUsage[i].argvIndex = static_cast<int>(uses.size());
    cost /= use == 'i' ? 1e7 : use == 'n' ? 100 : 10;
    has_id |= use == 'i';
  }
  // Arguments are of one slice: without knowing which, there are none to go through.
  if (table.name == "args" && !has_id) return SQLITE_CONSTRAINT;
  info->idxStr = sqlite3_mprintf("%s", uses.c_str());
  info->needToFreeIdxStr = 1;
  info->estimatedCost = cost;
  info->estimatedRows = static_cast<sqlite3_int64>(std::max(1.0, cost / 1000));
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = &std::make_unique<Cursor>().release()->base;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* base) {
  auto* cursor = reinterpret_cast<Cursor*>(base);
  const auto any = cursor->source->next();
  if (!any) return failed(base->pVtab, any.error());
  cursor->is_at_end = !*any;
  ++cursor->row;
  return SQLITE_OK;
}

// A bound from a number that need not be whole.
std::int64_t bound_of(sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_FLOAT) return sqlite3_value_int64(value);
  const double number = sqlite3_value_double(value);
  constexpr double kMost = 9.2e18;
  return static_cast<std::int64_t>(std::clamp(number, -kMost, kMost));
}

int filter(sqlite3_vtab_cursor* base, int, const char* uses, int count, sqlite3_value** values) {
  auto* cursor = reinterpret_cast<Cursor*>(base);
  Table& table = table_of(base);
  SqlFilter wanted;
  bool is_possible = true;
  for (int i = 0; i < count; ++i) {
    sqlite3_value* value = values[i];
    const int type = sqlite3_value_type(value);
    // Nothing equals null, and what is compared with a text is SQLite's to say.
    if (type == SQLITE_NULL) is_possible = false;
    const bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (uses[i] == 'n') {
      if (type == SQLITE_TEXT) {
        wanted.name = std::string(reinterpret_cast<const char*>(sqlite3_value_text(value)),
                                  static_cast<std::size_t>(sqlite3_value_bytes(value)));
      }
      continue;
    }
    if (!is_number) continue;
    const std::int64_t number = bound_of(value);
    // One that is not whole equals none, and bounds are a little wider than asked for.
    if (uses[i] == 't') wanted.track = number;
    if (uses[i] == 'i') wanted.id = number;
    if (uses[i] == 'b') wanted.begin_least = std::max(wanted.begin_least, number);
    if (uses[i] == 'B' && number < std::numeric_limits<std::int64_t>::max()) {
      wanted.begin_most = std::min(wanted.begin_most, number + 1);
    }
    if (uses[i] == 'e') wanted.end_least = std::max(wanted.end_least, number);
  }
  cursor->source.reset();
  cursor->is_at_end = true;
  cursor->row = 0;
  if (!is_possible) return SQLITE_OK;
  cursor->source = table.table->open(*table.context, wanted);
  return next_row(base);
}

int is_at_end(sqlite3_vtab_cursor* cursor) {
  return reinterpret_cast<Cursor*>(cursor)->is_at_end ? 1 : 0;
}

void give(sqlite3_context* context, const SqlValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_result_int64(context, *number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_result_double(context, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_result_null(context);
  }
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  const auto value = reinterpret_cast<Cursor*>(base)->source->column(number);
  if (!value) return failed(base->pVtab, value.error());
  give(context, *value);
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  const auto& at = *reinterpret_cast<Cursor*>(cursor);
  *id = at.source->row_id(at.row);
  return SQLITE_OK;
}

int give_argument(sqlite3_context* context, int, sqlite3_value** values) {
  auto& of = *static_cast<SqlContext*>(sqlite3_user_data(context));
  const auto* key = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
  if (key == nullptr || sqlite3_value_type(values[0]) != SQLITE_INTEGER) return SQLITE_OK;
  // SQLite looks at the time only every so many steps, and each of these may read a block.
  if (of.is_late()) return SQLITE_INTERRUPT;
  const auto value = argument_of(of, sqlite3_value_int64(values[0]), key);
  if (value) {
    give(context, *value);
  } else {
    sqlite3_result_error(context, value.error().message.c_str(), -1);
  }
  return SQLITE_OK;
}

void argument(sqlite3_context* context, int count, sqlite3_value** values) {
  const int code = NoThrow<give_argument>::call(context, count, values);
  if (code != SQLITE_OK) sqlite3_result_error_code(context, code);
}

constexpr sqlite3_module kModule = [] {
  sqlite3_module module{};
  // Without xCreate: the table is there, and none can be made.
  module.xConnect = NoThrow<connect>::call;
  module.xBestIndex = NoThrow<best_index>::call;
  module.xDisconnect = disconnect;
  module.xDestroy = disconnect;
  module.xOpen = NoThrow<open_cursor>::call;
  module.xClose = close_cursor;
  module.xFilter = NoThrow<filter>::call;
  module.xNext = NoThrow<next_row>::call;
  module.xEof = is_at_end;
  module.xColumn = NoThrow<column>::call;
  module.xRowid = NoThrow<row_id>::call;
  return module;
}();

SqlValue value_of(sqlite3_stmt* statement, int number) {
  switch (sqlite3_column_type(statement, number)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, number);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, number);
    case SQLITE_NULL:
      return {};
    default:
      break;
  }
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, number));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, number));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

}  // namespace

struct TraceSql::State {
  State(schema::Connection& connection, schema::TraceId trace, TraceIndex index)
      : context(connection, trace, std::move(index)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    sqlite3_finalize(statement);
    sqlite3_close(database);
  }

  schema::Expected<void> open() {
    const int code = sqlite3_open_v2(
        ":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, temporary_files.name());
    if (code != SQLITE_OK) return schema::Error{schema::ErrorCode::kInternal, sqlite3_errstr(code)};
    for (const auto& [limit, most] :
         {std::pair(SQLITE_LIMIT_LENGTH, kMostValueBytes),
          std::pair(SQLITE_LIMIT_SQL_LENGTH, int{kMostSqlBytes}),
          std::pair(SQLITE_LIMIT_COLUMN, 100), std::pair(SQLITE_LIMIT_EXPR_DEPTH, 50),
          std::pair(SQLITE_LIMIT_COMPOUND_SELECT, 10), std::pair(SQLITE_LIMIT_VDBE_OP, 25'000),
          std::pair(SQLITE_LIMIT_ATTACHED, 0), std::pair(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200)}) {
      sqlite3_limit(database, limit, most);
    }
    int was = 0;
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, &was);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &was);
    const std::string cache =
        fmt::format("PRAGMA cache_size = -{}; PRAGMA temp_store = FILE;", kMostSortKb);
    sqlite3_exec(database, cache.c_str(), nullptr, nullptr, nullptr);
    modules.reserve(sql_tables().size());
    for (const SqlTable& table : sql_tables()) {
      modules.push_back({&table, &context});
      sqlite3_create_module(database, std::string(table.name).c_str(), &kModule, &modules.back());
    }
    sqlite3_create_function(database, "arg", 2, SQLITE_UTF8, &context, argument, nullptr, nullptr);
    // A table is declared when it is named first, by a statement that the authorizer is asked about
    // as well: so all are, before there is one.
    for (const SqlTable& table : sql_tables()) {
      const std::string first =
          fmt::format("SELECT 1 FROM {}{}", table.name, table.id == 0 ? " WHERE slice_id = 0" : "");
      sqlite3_stmt* named = nullptr;
      const int declared = sqlite3_prepare_v2(database, first.c_str(), -1, &named, nullptr);
      sqlite3_finalize(named);
      if (declared != SQLITE_OK)
        return schema::Error{schema::ErrorCode::kInternal, sqlite3_errmsg(database)};
    }
    sqlite3_set_authorizer(database, NoThrow<authorize>::call, nullptr);
    sqlite3_progress_handler(
        database, kOpsBetweenLooks,
        [](void* of) { return static_cast<SqlContext*>(of)->is_late() ? 1 : 0; }, &context);
    return {};
  }

  schema::Error wrong(int code, std::string_view sql) const {
    if (code == SQLITE_NOMEM) return out_of_memory();
    std::string message = sqlite3_errmsg(database);
    const int offset = sqlite3_error_offset(database);
    if (offset >= 0 && static_cast<std::size_t>(offset) <= sql.size()) {
      message += fmt::format(" (at byte {})", offset);
    }
    return {schema::ErrorCode::kInvalidArgument, message};
  }

  // Why a statement that runs ended with `code`.
  std::string why_ended(int code) const {
    if (code == SQLITE_NOMEM) return out_of_memory().message;
    if (code == SQLITE_FULL && temporary_files.was_full()) {
      return fmt::format(
          "It takes more than the {} MB of temporary files that a query may have. "
          "Sort and group fewer rows or shorter ones.",
          kMostTemporaryBytes >> 20);
    }
    if (code == SQLITE_TOOBIG) {
      return fmt::format("A value is longer than the {} kB that one may have.",
                         kMostValueBytes >> 10);
    }
    if (code != SQLITE_INTERRUPT) return sqlite3_errmsg(database);
    return "It took longer than a query may. Add `track =`, `name =` or bounds for begin.";
  }

  SqlContext context;
  schema::BoundedTemporaryFiles temporary_files{kMostTemporaryBytes};
  std::vector<Module> modules;
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::vector<std::string> columns;
};

TraceSql::TraceSql(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceSql::TraceSql(TraceSql&&) noexcept = default;
TraceSql::~TraceSql() = default;

const std::vector<std::string>& TraceSql::columns() const { return state_->columns; }

schema::Expected<TraceSql> TraceSql::prepare(
    schema::Connection& store, schema::TraceId trace, std::string_view sql,
    std::function<std::string_view(const LabelText&)> class_of) {
  if (sql.size() > kMostSqlBytes) {
    return schema::Error{schema::ErrorCode::kTooLarge,
                         fmt::format("A query has {} bytes at most.", kMostSqlBytes)};
  }
  BENCHHUD_ASSIGN(auto index, TraceIndex::open(store, trace));
  if (!index) return schema::Error{schema::ErrorCode::kBusy, "The trace is not indexed yet."};
  auto state = std::make_unique<State>(store, trace, *std::move(index));
  state->context.class_of = std::move(class_of);
  BENCHHUD_ASSIGN(const TraceInfo info, state->context.lookup.info());
  state->context.origin = info.origin;
  BENCHHUD_TRY(state->open());
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(state->database, sql.data(), static_cast<int>(sql.size()),
                                      &state->statement, &rest);
  if (code != SQLITE_OK) return state->wrong(code, sql);
  if (state->statement == nullptr) {
    return schema::Error{schema::ErrorCode::kInvalidArgument, "There is no statement."};
  }
  // The authorizer is not asked about all of them: VACUUM INTO would write a file, and EXPLAIN
  // print addresses of memory.
  if (sqlite3_column_count(state->statement) == 0 || !sqlite3_stmt_readonly(state->statement) ||
      sqlite3_stmt_isexplain(state->statement) != 0) {
    return schema::Error{schema::ErrorCode::kInvalidArgument, "Only a SELECT is answered."};
  }
  const auto behind = sql.substr(static_cast<std::size_t>(rest - sql.data()));
  if (behind.find_first_not_of(" \t\r\n;") != behind.npos) {
    return schema::Error{
        schema::ErrorCode::kInvalidArgument,
        fmt::format("One statement is enough (at byte {})", sql.size() - behind.size())};
  }
  for (int i = 0; i < sqlite3_column_count(state->statement); ++i) {
    state->columns.emplace_back(sqlite3_column_name(state->statement, i));
  }
  return TraceSql(std::move(state));
}

std::vector<SqlTableText> sql_table_texts() {
  std::vector<SqlTableText> texts;
  for (const SqlTable& table : sql_tables()) {
    texts.push_back({table.name, table.meaning, table.columns});
  }
  return texts;
}

schema::Error TraceSql::out_of_memory() {
  return {
      schema::ErrorCode::kTooLarge,
      "The query takes more memory than a query may have. Write it shorter, or read fewer rows."};
}

SqlOutcome TraceSql::run(const SqlLimits& limits,
                         const std::function<bool(const std::vector<SqlValue>&)>& take) {
  SqlOutcome outcome;
  state_->context.deadline = Clock::now() + limits.time;
  int code = SQLITE_ROW;
  try {
    std::vector<SqlValue> row(state_->columns.size());
    std::size_t bytes = 0;
    while ((code = sqlite3_step(state_->statement)) == SQLITE_ROW) {
      if (outcome.rows == limits.rows) {
        outcome.is_cut = true;
        break;
      }
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = value_of(state_->statement, static_cast<int>(i));
        if (const auto* text = std::get_if<std::string>(&row[i])) bytes += text->size();
      }
      if (bytes > limits.text_bytes) {
        outcome.is_cut = true;
        break;
      }
      ++outcome.rows;
      if (!take(row)) break;
    }
  } catch (const std::bad_alloc&) {
    code = SQLITE_NOMEM;
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    outcome.is_cut = true;
    outcome.error = state_->why_ended(code & 0xff);
  }
  sqlite3_reset(state_->statement);
  outcome.slices_read = state_->context.slices_read;
  return outcome;
}

}  // namespace benchhud::trace
