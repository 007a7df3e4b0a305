// SQL over one stored trace: tables of slices, tracks, labels, flows, counters, points and
// arguments, to be read and nothing else. The store's own tables are not even named.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {

/// Of one query, all of them together.
inline constexpr std::int64_t kMostTemporaryBytes = std::int64_t{64} << 20;

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct SqlLimits {
  std::size_t rows = 1000;
  std::size_t text_bytes = std::size_t{1} << 20;  ///< of all rows
  std::chrono::milliseconds time{5000};
};

/// How a query ended, and what it read.
struct SqlOutcome {
  std::size_t rows = 0;
  bool is_cut = false;  ///< there are more rows, or may be
  /// Why it ended early, if it did: the time, the memory, temporary files, a value too large.
  std::optional<std::string> error;
  std::int64_t slices_read = 0;
};

struct SqlColumn {
  std::string_view name, type;  ///< type: INTEGER, REAL or TEXT
  std::string_view meaning;     ///< for a person
};
struct SqlTableText {
  std::string_view name, meaning;
  std::span<const SqlColumn> columns;
};
/// The tables that a query can be about, as the comment of TraceSql lists them.
std::vector<SqlTableText> sql_table_texts();

/// A query of one trace. Values have 64 kB at most. A statement of 900 bytes can take gigabytes and
/// minutes while it is prepared, where nothing looks at the time: whoever prepares one that others
/// wrote does so in a process with limits (server/api/query_worker.h). Its tables, times in ns from
/// the trace's origin:
///
///     slices(slice_id, track, row, begin, duration, "end", name, category, class, correlation,
///            external_id, sequence)
///     tracks(track, pid, tid, process, name, slices, rows)
///     labels(label, name, category, class, count, total)
///     flows(number, category, from_track, from_time, to_track, to_time)
///     counters(counter, track, name, key, time, value)
///     points(number, track, time, phase, name, category)
///     args(slice_id, key, value), of a slice: `slice_id =` must be given
///     arg(slice_id, 'key'): a function
///
/// What is asked with `track =`, `name =`, `slice_id =` or bounds for begin and "end" reads only
/// what it must. SELECT alone is allowed, of functions those without side effects.
class TraceSql {
 public:
  /// Takes one statement. `class_of` gives the class of a label. Errors:
  /// kInvalidArgument with SQLite's words and the place where it is wrong; kTooLarge for more than
  /// 4000 bytes, and where there is not enough memory; kBusy where the trace has no index.
  static schema::Expected<TraceSql> prepare(
      schema::Connection& store, schema::TraceId trace, std::string_view sql,
      std::function<std::string_view(const LabelText&)> class_of);
  TraceSql(TraceSql&&) noexcept;
  ~TraceSql();

  /// What is said where a query's memory does not suffice: kTooLarge.
  static schema::Error out_of_memory();

  const std::vector<std::string>& columns() const;
  /// Gives the rows to `take`, which returns whether it takes more.
  SqlOutcome run(const SqlLimits& limits,
                 const std::function<bool(const std::vector<SqlValue>&)>& take);

 private:
  struct State;
  explicit TraceSql(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::trace
