// The bytes of tiles against tests/cases/tile_bytes.json, which the pages' decoder is held to as
// well.

#include "views/trace_tile_bytes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/places.h"

namespace benchhud::views {
namespace {

trace::Tile tile_of(const nlohmann::json& json) {
  trace::Tile tile;
  for (const auto& row : json.at("rows")) {
    trace::TileRow& made = tile.rows.emplace_back();
    made.row = row.at("row");
    for (const auto& item : row.at("items")) {
      trace::TileItem& each = made.items.emplace_back();
      each.begin = item.at("begin");
      each.end = item.at("end");
      each.count = item.at("count");
      each.busy = item.at("busy");
      each.label = item.at("label");
      each.reaches_in = item.at("reaches_in");
      each.slice.chunk = item.at("chunk");
      each.slice.index = item.at("index");
    }
  }
  return tile;
}

TEST(TraceTileBytes, AreThoseOfTheDocument) {
  std::ifstream file(source_root() / "tests/cases/tile_bytes.json");
  const auto cases = nlohmann::json::parse(file);
  ASSERT_GE(cases.size(), 5u);
  for (const auto& each : cases) {
    const auto& tiles = each.at("tiles");
    TileBytes bytes(tiles.size());
    for (const auto& tile : tiles) {
      bytes.put(tile.at("track"), tile.at("band"), tile.at("window_begin"), tile_of(tile));
    }
    std::string hex;
    for (const char byte : bytes.bytes()) {
      hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    EXPECT_EQ(each.at("bytes"), hex) << each.at("name");
  }
}

}  // namespace
}  // namespace benchhud::views
