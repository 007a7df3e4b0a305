// From one slice of some names to the next, over all of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "trace/trace_index.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {

struct NextQuery {
  /// Which labels are looked for, by their numbers.
  std::vector<bool> labels;
  /// Only in threads of which it holds; null: in all.
  std::function<bool(std::uint32_t)> is_wanted;
  bool forward = true;
  std::int64_t from = 0;  ///< ns
  /// The slice that is left, if one is: of those that begin when it does, those behind it by
  /// thread, chunk and index come after it. Without, one that begins at `from` is found.
  std::optional<SliceId> slice;
};

/// The first slice of the labels that begins at `from` or after it; or the last that begins then or
/// before it. Errors: kCorrupt, the store's.
schema::Expected<std::optional<PlacedSlice>> next_slice(schema::Connection& connection,
                                                        schema::TraceId trace,
                                                        const TraceIndex& index,
                                                        const NextQuery& query);

}  // namespace benchhud::trace
