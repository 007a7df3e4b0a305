// Constants of HLO.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ingest/xplane/hlo_shape.h"
#include "ingest/xplane/hlo_writer.h"
#include "ingest/xplane/proto_message.h"

namespace benchhud::ingest {
namespace {

// XLA prints longer constants as "{...}", too.
constexpr std::size_t kMostElements = 10;

template <class Bits>
std::vector<Bits> fixed(std::string_view bytes, std::size_t most) {
  std::vector<Bits> all(std::min(most, bytes.size() / sizeof(Bits)));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Bits));
  return all;
}

// IEEE 754's half precision.
float half_precision(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  float size = 0;
  if (exponent == 31) {
    size = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    size = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -size : size;
}

float brain_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

// A float of eight bits. What of its largest exponent is no number: `kIeee` has infinities and NaN,
// `kFinite` NaN only where all bits are set, `kUnsignedZero` NaN in place of -0.
enum class SmallFloat : std::uint8_t { kIeee, kFinite, kUnsignedZero };
float small_float(std::uint8_t bits, int fraction_bits, int bias, SmallFloat kind) {
  const int fraction_end = 1 << fraction_bits;
  const int fraction = bits & (fraction_end - 1);
  const int exponent = (bits & 0x7F) >> fraction_bits;
  const int most = 0x7F >> fraction_bits;
  if (kind == SmallFloat::kUnsignedZero && bits == 0x80) return NAN;
  if (kind == SmallFloat::kFinite && (bits & 0x7F) == 0x7F) return NAN;
  float size = 0;
  if (kind == SmallFloat::kIeee && exponent == most) {
    size = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), 1 - bias - fraction_bits);
  } else {
    size = std::ldexp(static_cast<float>(fraction_end + fraction), exponent - bias - fraction_bits);
  }
  return (bits & 0x80) != 0 ? -size : size;
}

std::vector<std::string> small_floats(std::string_view bytes, int fraction_bits, int bias,
                                      SmallFloat kind) {
  std::vector<std::string> texts;
  for (const auto bits : fixed<std::uint8_t>(bytes, kMostElements)) {
    texts.push_back(fmt::format("{}", small_float(bits, fraction_bits, bias, kind)));
  }
  return texts;
}

// A scalar of four bits. Versions of XLA differ in which half of a byte comes first; the other one
// of a scalar is 0. Of an array nobody can tell.
std::vector<std::string> half_byte(std::string_view bytes, bool is_signed) {
  if (bytes.size() != 1) return {};
  const auto byte = static_cast<std::uint8_t>(bytes.front());
  const int low = byte & 15, high = byte >> 4;
  if (low != 0 && high != 0) return {};
  const int value = low + high;
  return {fmt::format("{}", is_signed && value > 7 ? value - 16 : value)};
}

template <class Number>
std::vector<std::string> texts_of(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (const Number number : numbers) texts.push_back(fmt::format("{}", number));
  return texts;
}

template <class Number>
std::vector<std::string> pairs_of(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    texts.push_back(fmt::format("({}, {})", numbers[i], numbers[i + 1]));
  }
  return texts;
}

template <class To>
std::vector<std::string> integers_as(const ProtoMessage& literal, std::uint32_t field) {
  std::vector<std::string> texts;
  for (const std::int64_t number : literal.integers(field)) {
    texts.push_back(fmt::format("{}", static_cast<To>(number)));
    if (texts.size() > kMostElements) break;
  }
  return texts;
}

std::vector<std::string> halves_as(std::string_view bytes, float (*value)(std::uint16_t)) {
  std::vector<std::string> texts;
  for (const std::uint16_t bits : fixed<std::uint16_t>(bytes, kMostElements)) {
    texts.push_back(fmt::format("{}", value(bits)));
  }
  return texts;
}

// The first elements; none of types that are not decoded.
std::vector<std::string> elements_of(std::int64_t type, const ProtoMessage& literal) {
  constexpr std::size_t kMost = kMostElements;
  switch (type) {
    case 1: {
      std::vector<std::string> texts;
      for (const std::int64_t value : literal.integers(2)) {
        if (texts.size() > kMost) break;
        texts.emplace_back(value != 0 ? "true" : "false");
      }
      return texts;
    }
    case 2:
      return texts_of(fixed<std::int8_t>(literal.bytes(15), kMost));
    case 3:
      return texts_of(fixed<std::int16_t>(literal.bytes(17), kMost));
    case 4:
      return integers_as<std::int32_t>(literal, 4);
    case 5:
      return integers_as<std::int64_t>(literal, 5);
    case 6:
      return texts_of(fixed<std::uint8_t>(literal.bytes(3), kMost));
    case 7:
      return texts_of(fixed<std::uint16_t>(literal.bytes(16), kMost));
    case 8:
      return integers_as<std::uint32_t>(literal, 6);
    case 9:
      return integers_as<std::uint64_t>(literal, 7);
    case 10:
      return halves_as(literal.bytes(11), half_precision);
    case 11:
      return texts_of(fixed<float>(literal.bytes(8), kMost));
    case 12:
      return texts_of(fixed<double>(literal.bytes(9), kMost));
    case 15:
      return pairs_of(fixed<float>(literal.bytes(12), 2 * kMost));
    case 16:
      return halves_as(literal.bytes(13), brain_float);
    case 18:
      return pairs_of(fixed<double>(literal.bytes(18), 2 * kMost));
    case 19:
      return small_floats(literal.bytes(19), 2, 15, SmallFloat::kIeee);
    case 20:
      return small_floats(literal.bytes(20), 3, 7, SmallFloat::kFinite);
    case 21:
      return half_byte(literal.bytes(21), true);
    case 22:
      return half_byte(literal.bytes(22), false);
    case 23:
      return small_floats(literal.bytes(23), 3, 11, SmallFloat::kUnsignedZero);
    case 24:
      return small_floats(literal.bytes(24), 2, 16, SmallFloat::kUnsignedZero);
    case 25:
      return small_floats(literal.bytes(25), 3, 8, SmallFloat::kUnsignedZero);
    case 28:
      return small_floats(literal.bytes(28), 3, 7, SmallFloat::kIeee);
    case 29:
      return small_floats(literal.bytes(29), 4, 3, SmallFloat::kIeee);
    default:
      return {};
  }
}

// How far apart in the literal elements are that are neighbours in a dimension: it has them in the
// order of its layout, in text they stand by rows. Nothing of a layout that is none.
std::optional<std::vector<std::size_t>> strides_of(const std::vector<std::int64_t>& sizes,
                                                   const std::vector<std::int64_t>& from_minor) {
  std::vector<std::size_t> strides(sizes.size(), 0);
  if (!from_minor.empty() && from_minor.size() != sizes.size()) return std::nullopt;
  std::size_t stride = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t dimension =
        from_minor.empty() ? sizes.size() - 1 - i : static_cast<std::size_t>(from_minor[i]);
    if (dimension >= sizes.size() || strides[dimension] != 0) return std::nullopt;
    strides[dimension] = stride;
    stride *= static_cast<std::size_t>(sizes[dimension]);
  }
  return strides;
}

struct Elements {
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t> strides;
  std::vector<std::string> texts;
};

// Those of one dimension and what is within it, from the element `at` on: "{ { 1, 2 }, { 3, 4 } }",
// but "{1, 2}" alone.
void write_dimension(const Elements& elements, std::size_t dimension, std::size_t at,
                     HloWriter* out) {
  const auto& sizes = elements.sizes;
  if (dimension == sizes.size()) {
    out->add(elements.texts[at]);
    return;
  }
  const bool is_vector = sizes.size() == 1;
  out->add(is_vector ? "{" : "{ ");
  for (std::int64_t i = 0; i < sizes[dimension]; ++i) {
    if (i > 0) out->add(", ");
    const std::size_t there = at + static_cast<std::size_t>(i) * elements.strides[dimension];
    write_dimension(elements, dimension + 1, there, out);
  }
  out->add(is_vector ? "}" : " }");
}

// How many elements the dimensions have, if they are few.
std::optional<std::size_t> few_elements(const std::vector<std::int64_t>& sizes) {
  constexpr std::size_t kMostDimensions = 16;
  constexpr auto kMost = static_cast<std::int64_t>(kMostElements);
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > kMost) return std::nullopt;
    count *= size;
    if (count > kMost) return std::nullopt;
  }
  if (sizes.size() > kMostDimensions) return std::nullopt;
  return static_cast<std::size_t>(count);
}

// Whether the literal was written; else nothing is.
bool write_array(const ProtoMessage& literal, const ProtoMessage& shape, HloWriter* out) {
  Elements elements{shape.integers(3), {}, {}};
  const auto count = few_elements(elements.sizes);
  if (!count) return false;
  const ProtoMessage layout(shape.bytes(5), out->damage());
  const auto strides = strides_of(elements.sizes, layout.integers(1));
  if (!strides) return false;
  elements.strides = *strides;
  elements.texts = elements_of(shape.integer(2), literal);
  if (elements.texts.size() != *count) return false;
  write_dimension(elements, 0, 0, out);
  return true;
}

void write_literal(std::string_view literal, int depth, HloWriter* out) {
  constexpr int kDeepest = 16;
  const ProtoMessage fields(literal, out->damage());
  const ProtoMessage shape(fields.bytes(1), out->damage());
  const auto parts = fields.all_bytes(10);
  const bool is_tuple = shape.integer(2) == kHloTuple;
  if (is_tuple && parts.size() <= kMostElements && depth < kDeepest) {
    out->add("(");
    for (std::size_t i = 0; i < parts.size() && !out->is_full(); ++i) {
      if (i > 0) out->add(", ");
      write_literal(parts[i], depth + 1, out);
    }
    out->add(")");
  } else if (is_tuple || !write_array(fields, shape, out)) {
    out->add("{...} ").add_hash(literal);
  }
}

}  // namespace

void write_hlo_literal(std::string_view literal, HloWriter* out) { write_literal(literal, 0, out); }

}  // namespace benchhud::ingest
