// What the units share that put traces into the store and get them out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/column_codec.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/queries.h"
#include "trace/trace.h"
#include "trace/trace_queries.h"
#include "trace/trace_slices.h"

namespace benchhud::trace {

/// Labels in a block.
inline constexpr std::size_t kLabelsABlock = 8192;

/// A query's blob, copied, for it lives only until the next row.
inline std::string own(const schema::Statement& row, int column) {
  return std::string(row.blob(column));
}

/// The blob that a query for one row gives, "" where it is null. Error: kCorrupt where there is no
/// such row.
inline schema::Expected<std::string> one_blob(schema::Statement& query) {
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return schema::corrupt_trace("part");
  }
  return own(query, 0);
}

/// A row of the query `threads_of_trace` (trace/queries/reading.sql).
inline TraceThread thread_of(const schema::Statement& row) {
  TraceThread thread;
  thread.pid = row.text(1);
  thread.tid = row.text(2);
  thread.process_name = row.text(3);
  thread.name = row.text(4);
  thread.process_labels = row.text(5);
  thread.process_sort_index = row.optional_integer(6);
  thread.thread_sort_index = row.optional_integer(7);
  return thread;
}

/// The bytes of its texts.
inline std::uint64_t text_bytes_of_thread(const schema::Statement& row) {
  std::uint64_t bytes = 0;
  for (int column = 1; column <= 5; ++column) bytes += row.text(column).size();
  return bytes;
}

/// A thread as it is stored beside its slices.
struct ThreadRow {
  std::uint32_t number = 0;
  const TraceThread* thread = nullptr;
  ThreadExtent extent;
  std::span<const std::uint32_t> stack_rows;  ///< those whose slices have no parent
  bool is_async = false;
  bool is_derived = false;
};
schema::Expected<void> insert_thread(schema::Connection& connection, schema::TraceId trace,
                                     const ThreadRow& row);

/// Where a block of a trace's parts stands: which of its kind it begins with, and how many.
struct BlockPlace {
  TraceBlockKind kind;
  std::uint64_t first = 0, count = 0;
  /// Points and flows.
  std::optional<std::int64_t> begin = {}, end = {}, first_thread = {}, last_thread = {};
};
schema::Expected<void> insert_block(schema::Connection& connection, schema::TraceId trace,
                                    const BlockPlace& place, std::string_view bytes);

/// Calls `take` with the bytes of each block of a kind, in the order of what is in them, until it
/// gives an error. The bytes live only during the call.
template <class Take>
schema::Expected<void> for_each_block(schema::Connection& connection, schema::TraceId trace,
                                      TraceBlockKind kind, Take take) {
  schema::Statement query = connection.cached(sql::kBlocksOfTrace);
  query.bind(1, trace).bind(2, kind);
  while (query.step()) BENCHHUD_TRY(take(query.blob(0)));
  return query.status();
}

}  // namespace benchhud::trace
