// The bytes of an answer with tiles, of which web/src/trace/codec.ts is the reader: "BT1" and a
// zero byte, then numbers as ColumnWriter writes them (schema/base/column_codec.h), varints unless
// a line says zigzag. "N x" is a column: one number of each of the tile's N items, row by row. No
// byte follows the last tile.
//   number of tiles, then of each:
//     track; band
//     R: number of rows; N: number of items
//     of each row: row minus the row before (of the first: minus 64 * band);
//                  2 * number of its items, + 1 where the first of them reaches in
//     N x begin minus the end of the item before in the row, ns (of a row's first item: minus the
//         window's begin): zigzag
//     N x end minus begin, ns
//     N x number of slices, minus 1
//     of each item of more than one slice: end minus begin minus busy time, ns
//     N x label: zigzag difference to the item before in the tile (of the first: to 0)
//     N x chunk of the first slice: likewise
//     N x index in that chunk of the first slice: likewise
// The reader's numbers are exact up to 2^53. docs/traces.md says which items a tile has.
#include "views/trace_tile_bytes.h"

#include <string_view>

namespace benchhud::views {
namespace {

using schema::ColumnWriter;
using trace::TileItem;
using trace::TileRow;

// Of another version, another number.
constexpr std::string_view kMagic("BT1\0", 4);

template <class Visit>
void for_each_item(const trace::Tile& tile, Visit visit) {
  for (const TileRow& row : tile.rows) {
    for (const TileItem& item : row.items) visit(item);
  }
}

// A column of numbers, each by what it is more than the one before.
template <class NumberOf>
void put_differences(const trace::Tile& tile, NumberOf number_of, ColumnWriter* column) {
  std::int64_t last = 0;
  for_each_item(tile, [&](const TileItem& item) {
    const auto number = static_cast<std::int64_t>(number_of(item));
    column->put_signed(schema::wrapping_difference(number, last));
    last = number;
  });
}

void put_rows(const trace::Tile& tile, std::uint32_t first_row, ColumnWriter* column) {
  std::size_t items = 0;
  for (const TileRow& row : tile.rows) items += row.items.size();
  column->put(tile.rows.size());
  column->put(items);
  std::uint32_t last = first_row;
  for (const TileRow& row : tile.rows) {
    column->put(row.row - last);
    const bool reaches_in = !row.items.empty() && row.items.front().reaches_in;
    column->put(std::uint64_t{row.items.size()} << 1 | (reaches_in ? 1 : 0));
    last = row.row;
  }
}

}  // namespace

TileBytes::TileBytes(std::size_t count) {
  column_.put_bytes(kMagic);
  column_.put(count);
}

void TileBytes::put(std::uint32_t track, std::uint32_t band, std::int64_t window_begin,
                    const trace::Tile& tile) {
  column_.put(track);
  column_.put(band);
  put_rows(tile, band * trace::kRowsABand, &column_);
  for (const TileRow& row : tile.rows) {
    std::int64_t last = window_begin;
    for (const TileItem& item : row.items) {
      column_.put_signed(schema::wrapping_difference(item.begin, last));
      last = item.end;
    }
  }
  for_each_item(tile,
                [&](const TileItem& item) { column_.put(schema::distance(item.begin, item.end)); });
  for_each_item(tile, [&](const TileItem& item) { column_.put(item.count - 1); });
  for_each_item(tile, [&](const TileItem& item) {
    if (item.count > 1) column_.put(schema::distance(item.begin, item.end) - item.busy);
  });
  put_differences(tile, [](const TileItem& item) { return item.label; }, &column_);
  put_differences(tile, [](const TileItem& item) { return item.slice.chunk; }, &column_);
  put_differences(tile, [](const TileItem& item) { return item.slice.index; }, &column_);
}

}  // namespace benchhud::views
