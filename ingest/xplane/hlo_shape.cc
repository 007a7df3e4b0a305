#include "ingest/xplane/hlo_shape.h"

#include <array>
#include <limits>

#include "ingest/xplane/hlo_writer.h"
#include "ingest/xplane/proto_message.h"

namespace benchhud::ingest {
namespace {

// By number, PrimitiveType of xla_data.proto.
constexpr std::array<std::string_view, 35> kTypes = {
    "",           "pred",       "s8",   "s16",    "s32",      "s64",    "u8",     "u16",
    "u32",        "u64",        "f16",  "f32",    "f64",      "tuple",  "opaque", "c64",
    "bf16",       "token",      "c128", "f8e5m2", "f8e4m3fn", "s4",     "u4",     "f8e4m3b11fnuz",
    "f8e5m2fnuz", "f8e4m3fnuz", "s2",   "u2",     "f8e4m3",   "f8e3m4", "s1",     "u1",
    "f4e2m1fn",   "f8e8m0fnu",  "b"};

constexpr std::int64_t kOpaque = 14, kToken = 17, kBuffer = 34;
constexpr int kDeepestTuple = 100;

void write_tile(std::string_view tile, HloWriter* out) {
  // In a tile, the dimension that is combined with the next.
  constexpr std::int64_t kCombined = std::numeric_limits<std::int64_t>::min();
  out->add("(");
  bool is_first = true;
  for (const std::int64_t size : ProtoMessage(tile, out->damage()).integers(1)) {
    if (!is_first) out->add(",");
    is_first = false;
    if (size == kCombined) {
      out->add("*");
    } else {
      out->add(size);
    }
  }
  out->add(")");
}

// "(0:64,128)": where a dimension is split.
void write_split(std::string_view split, HloWriter* out) {
  const ProtoMessage fields(split, out->damage());
  out->add("(").add(fields.integer(1)).add(":");
  bool is_first = true;
  for (const std::int64_t index : fields.integers(2)) {
    if (out->is_full()) break;
    if (!is_first) out->add(",");
    is_first = false;
    out->add(index);
  }
  out->add(")");
}

// "{1,0:T(8,128)S(1)}". Nothing for a scalar's, which says nothing.
void write_layout(std::string_view layout, HloWriter* out) {
  const ProtoMessage fields(layout, out->damage());
  const auto order = fields.integers(1);
  const auto tiles = fields.all_bytes(6);
  const std::int64_t padding = fields.integer(16);
  const std::int64_t bits = fields.integer(7), space = fields.integer(8);
  const auto splits = fields.all_bytes(17);
  const bool has_more = !tiles.empty() || padding > 1 || bits != 0 || space != 0 || !splits.empty();
  if (order.empty() && !has_more) return;
  out->add("{");
  for (std::size_t i = 0; i < order.size() && !out->is_full(); ++i) {
    if (i > 0) out->add(",");
    out->add(order[i]);
  }
  if (has_more) out->add(":");
  if (!tiles.empty()) out->add("T");
  for (const std::string_view tile : tiles) write_tile(tile, out);
  const auto add = [&](std::string_view letter, std::int64_t number) {
    out->add(letter).add("(").add(number).add(")");
  };
  if (padding > 1) add("L", padding);
  if (bits != 0) add("E", bits);
  if (space != 0) add("S", space);
  if (!splits.empty()) out->add("SC");
  for (const std::string_view one : splits) write_split(one, out);
  out->add("}");
}

void write_shape(std::string_view shape, bool with_layout, int depth, HloWriter* out) {
  if (depth > kDeepestTuple) {
    out->add("?");
    return;
  }
  const ProtoMessage fields(shape, out->damage());
  const std::int64_t type = fields.integer(2);
  if (type == kHloTuple || type == kBuffer) {
    out->add(type == kBuffer ? "b(" : "(");
    bool is_first = true;
    for (const std::string_view part : fields.all_bytes(4)) {
      if (out->is_full()) break;
      if (!is_first) out->add(", ");
      is_first = false;
      write_shape(part, with_layout, depth + 1, out);
    }
    out->add(")");
    return;
  }
  const std::string_view name = hlo_element_type(type);
  out->add(name.empty() ? "invalid" : name).add("[");
  if (type != kOpaque && type != kToken) {
    const auto sizes = fields.integers(3);
    const auto is_dynamic = fields.integers(6);
    for (std::size_t i = 0; i < sizes.size() && !out->is_full(); ++i) {
      if (i > 0) out->add(",");
      if (i < is_dynamic.size() && is_dynamic[i] != 0) out->add("<=");
      out->add(sizes[i]);
    }
  }
  out->add("]");
  if (with_layout) write_layout(fields.bytes(5), out);
}

}  // namespace

std::string_view hlo_element_type(std::int64_t number) {
  const bool is_known = 0 <= number && number < static_cast<std::int64_t>(kTypes.size());
  return is_known ? kTypes[static_cast<std::size_t>(number)] : std::string_view();
}

void write_hlo_shape(std::string_view shape, bool with_layout, HloWriter* out) {
  write_shape(shape, with_layout, 0, out);
}

}  // namespace benchhud::ingest
