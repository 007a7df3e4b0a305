// Constants of HLO.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

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
    default:
      return {};
  }
}

// Those of one dimension and what is within it: "{ { 1, 2 }, { 3, 4 } }", but "{1, 2}" alone.
void write_dimension(const std::vector<std::int64_t>& sizes, std::size_t dimension,
                     const std::vector<std::string>& elements, std::size_t* next, HloWriter* out) {
  if (dimension == sizes.size()) {
    out->add(elements[(*next)++]);
    return;
  }
  const bool is_vector = sizes.size() == 1;
  out->add(is_vector ? "{" : "{ ");
  for (std::int64_t i = 0; i < sizes[dimension]; ++i) {
    if (i > 0) out->add(", ");
    write_dimension(sizes, dimension + 1, elements, next, out);
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

}  // namespace

void write_hlo_literal(std::string_view literal, HloWriter* out) {
  const ProtoMessage fields(literal);
  const ProtoMessage shape(fields.bytes(1));
  const auto sizes = shape.integers(3);
  const auto count = few_elements(sizes);
  const auto elements = count ? elements_of(shape.integer(2), fields) : std::vector<std::string>();
  if (!count || elements.size() != *count) {
    out->add("{...}");
    return;
  }
  std::size_t next = 0;
  write_dimension(sizes, 0, elements, &next, out);
}

}  // namespace benchhud::ingest
