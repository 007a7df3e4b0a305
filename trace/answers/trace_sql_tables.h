// The tables that TraceSql has: each a source of rows that reads no more than it is asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/answers/trace_sql.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {

/// What all sources of a query share.
struct SqlContext {
  SqlContext(schema::Connection& c, schema::TraceId t, TraceIndex i)
      : connection(c), trace(t), index(std::move(i)), lookup(c, t) {}

  schema::Connection& connection;
  schema::TraceId trace;
  TraceIndex index;
  TraceQueries lookup;
  std::int64_t origin = 0;
  std::function<std::string_view(const LabelText&)> class_of;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::int64_t slices_read = 0;

  bool is_late() const { return std::chrono::steady_clock::now() > deadline; }
  /// A label's texts; kept.
  schema::Expected<const LabelText*> label(std::uint32_t number);
  /// The labels of slices that have the name, one a category; kept. Error kBusy: it is too late.
  schema::Expected<std::vector<std::uint32_t>> labels_named(const std::string& name);
  /// What else there is to know of a chunk's slices; kept, for rows that follow one another are of
  /// one chunk. Valid until another is asked for. Error: kCorrupt, also where there is no such
  /// chunk.
  schema::Expected<const std::vector<SliceExtra>*> extras(std::uint32_t thread,
                                                          std::uint64_t chunk);

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<SliceExtra>> extras_;
  std::unordered_map<std::uint32_t, LabelText> labels_;
  std::size_t labels_bytes_ = 0;
  std::unordered_map<std::string, std::vector<std::uint32_t>> named_;
  std::size_t named_bytes_ = 0;
};

/// What a query says of the rows it wants; rows that do not fit may come all the same.
struct SqlFilter {
  std::optional<std::int64_t> track, id;  ///< id: of a slice
  std::optional<std::string> name;
  std::int64_t begin_least = std::numeric_limits<std::int64_t>::min();  ///< from the origin
  std::int64_t begin_most = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_least = std::numeric_limits<std::int64_t>::min();
};

/// Goes through a table's rows, one after the other.
class SqlSource {
 public:
  virtual ~SqlSource() = default;
  /// Goes to the next row; false behind the last. Error kBusy: it is too late.
  virtual schema::Expected<bool> next() = 0;
  virtual schema::Expected<SqlValue> column(int number) = 0;
  /// The same for the same row in every scan of a statement: rows that two sides of an OR find are
  /// told by it. `place` counts the rows of this scan, which serves where no filter leaves any out.
  virtual std::int64_t row_id(std::int64_t place) const { return place; }
};

struct SqlTable {
  std::string_view name, meaning;
  std::span<const SqlColumn> columns;
  // Columns that a filter can be for; -1: none.
  int track = -1, id = -1, label_name = -1, begin = -1, end = -1;
  std::unique_ptr<SqlSource> (*open)(SqlContext& context, const SqlFilter& filter) = nullptr;
};
std::span<const SqlTable> sql_tables();

/// track << 43 | chunk << 13 | index.
std::int64_t sql_slice_id(const SliceId& id);
SliceId slice_of_sql_id(std::int64_t id);

/// A member of the slice's arguments; null where there is none.
schema::Expected<SqlValue> argument_of(SqlContext& context, std::int64_t slice,
                                       std::string_view key);

}  // namespace benchhud::trace
