// Tiles as bytes: what the timeline draws, in a tenth of the room that JSON would take.
// docs/traces.md describes them.
#pragma once

#include <cstdint>
#include <string>

#include "schema/base/column_codec.h"
#include "trace/trace_tiles.h"

namespace benchhud::views {

/// Puts tiles one behind the other, so that no more than one must be in memory.
class TileBytes {
 public:
  /// `count`: how many tiles will be put.
  explicit TileBytes(std::size_t count);

  /// A tile of the rows of a track's band; `window_begin`: ns on the clock that the tile's items
  /// have.
  void put(std::uint32_t track, std::uint32_t band, std::int64_t window_begin,
           const trace::Tile& tile);
  const std::string& bytes() const { return column_.bytes(); }

 private:
  schema::ColumnWriter column_;
};

}  // namespace benchhud::views
