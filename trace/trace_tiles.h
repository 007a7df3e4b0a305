// A stored trace's timeline by windows: what there is to draw of a thread at a given resolution, at
// a cost that grows with what is drawn and not with what happened.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

/// Rows of a track that are asked for at once: the band `b` are the rows 64b to 64b + 63.
inline constexpr std::uint32_t kRowsABand = 64;

/// A slice of a stored trace.
struct SliceId {
  std::uint32_t thread = 0;
  std::uint64_t chunk = 0;  ///< within the thread
  std::uint32_t index = 0;  ///< within the chunk
  bool operator==(const SliceId&) const = default;
};

struct TileQuery {
  std::uint32_t thread = 0;
  std::int64_t begin = 0, end = 0;  ///< ns: the window [begin, end)
  /// Into how many parts of equal width the window is divided; a part is a nanosecond at least.
  std::uint32_t buckets = 1024;
  std::uint32_t first_row = 0;  ///< only these rows of the thread
  std::uint32_t last_row = std::numeric_limits<std::uint32_t>::max();
};
inline constexpr std::uint32_t kMostBuckets = 65'536;

/// A slice, or several that follow one another in their row.
struct TileItem {
  std::int64_t begin = 0, end = 0;  ///< ns; of the first and of the last
  std::uint64_t count = 0;          ///< slices; 1: it is exactly that slice
  std::uint64_t busy = 0;           ///< ns: the sum of their durations
  std::uint32_t label = 0;          ///< of the longest; index in Trace::labels
  /// It began before the window and is not over: not among Tile::count.
  bool reaches_in = false;
  SliceId slice;  ///< the first of them

  bool operator==(const TileItem&) const = default;
};

struct TileRow {
  std::uint32_t row = 0;
  std::vector<TileItem> items;  ///< by time; none overlaps another
};

struct Tile {
  std::uint64_t bucket = 0;   ///< ns: the width of a part
  std::uint64_t count = 0;    ///< slices that begin in the window; the sum of the items'
  std::vector<TileRow> rows;  ///< those that have something in the window, ascending
};

/// Reads tiles of one trace. Not shared between threads. What it keeps in memory is what one tile
/// needs, and at most one chunk's slices.
class TileReader {
 public:
  TileReader(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace) {}

  /// What there is to draw of a thread. In every row:
  ///  - each slice that begins in [begin, end) is in exactly one item, so that the items' counts
  ///    add up to the number of such slices; one that began before and ends after `begin` is there
  ///    too, as an item of its own that `reaches_in`;
  ///  - a slice as long as a bucket, or longer, is an item of its own;
  ///  - shorter ones that follow one another may be one item, which from its begin to its end is
  ///    shorter than a bucket. Of two neighbouring items of shorter slices, the second one's first
  ///    slice, or the node of the pyramid it comes from, would not have fitted into the first one:
  ///    so a row has at most some two items a bucket, and a slice alone in its bucket is itself.
  ///
  /// A chunk is read only where the window cuts it, or where slices in it are far enough apart to
  /// be told from one another. A thread without slices gives no rows. Errors: kInvalidArgument (an
  /// empty window, no buckets or more than kMostBuckets), kCorrupt, the store's.
  schema::Expected<Tile> tile(const TileQuery& query);

 private:
  schema::Connection& connection_;
  schema::TraceId trace_;
};

}  // namespace benchhud::trace
