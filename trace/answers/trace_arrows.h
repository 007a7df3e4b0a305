// Arrows between slices, by windows of time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trace/trace_queries.h"

namespace benchhud::trace {

/// From an end of a flow to the next one of the same flow.
struct Arrow {
  PlacedFlow from, to;
};

struct ArrowQuery {
  std::int64_t begin = 0, end = 0;  ///< ns: [begin, end)
  /// Whether arrows of a category, the number of a text, are wanted; null: all are.
  std::function<schema::Expected<bool>(std::uint32_t)> is_wanted;
  std::size_t limit = 2000;
};

struct ArrowWindow {
  std::vector<Arrow> arrows;  ///< the first `limit`, by the end that was come upon first
  std::uint64_t count = 0;    ///< how many there are, as far as was counted
  bool is_cut = false;        ///< there are more than are listed, or may be
};

/// The wanted arrows with an end in the window. Of a window with more than 200,000 ends, those
/// behind are not counted. Errors: kCorrupt, the store's.
schema::Expected<ArrowWindow> arrows_in_window(schema::Connection& connection,
                                               schema::TraceId trace, const ArrowQuery& query);

}  // namespace benchhud::trace
