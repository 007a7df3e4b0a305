#include "ingest/text/json_reader.h"

#include <cmath>
#include <limits>

#include "ingest/text/json_text.h"
#include "ingest/text/number_text.h"
#include "ingest/text/python_json.h"
#include "schema/model/types.h"

namespace benchhud::ingest {

using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

std::optional<double> literal_number(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text.empty()) return std::nullopt;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  return nearest_double(text);
}

}  // namespace

std::string_view JsonReader::literal(element value) const {
  return marked && value.is_string() ? marked_literal(value_of<std::string_view>(value))
                                     : std::string_view();
}

bool JsonReader::is_string(element value) const {
  return value.is_string() && literal(value).empty();
}

std::string_view JsonReader::string(element value) const {
  const std::string_view text = value_of<std::string_view>(value);
  return marked ? unmarked(text) : text;
}

std::string JsonReader::json(element value) const {
  std::string text;
  append_json(value, marked, JsonOrder::kAsItStands, &text);
  return text;
}

std::string JsonReader::describe(element value) const {
  switch (value.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::STRING:
      return is_string(value) ? "a string" : std::string(literal(value).substr(0, 40));
    default:
      return json(value);
  }
}

std::optional<double> JsonReader::number(element value) const {
  switch (value.type()) {
    case element_type::INT64:
      return static_cast<double>(value_of<std::int64_t>(value));
    case element_type::UINT64:
      return static_cast<double>(value_of<std::uint64_t>(value));
    case element_type::DOUBLE:
      return value_of<double>(value);
    case element_type::STRING:
      return literal_number(literal(value));
    default:
      return std::nullopt;
  }
}

std::optional<double> JsonReader::sample(element value) const {
  if (value.type() == element_type::DOUBLE) return value_of<double>(value);
  if (value.is_null()) return schema::null_sample();
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (value.type() == element_type::INT64) {
    const std::int64_t exact = value_of<std::int64_t>(value);
    const auto nearest = static_cast<double>(exact);
    if (nearest >= kTwoTo63 || static_cast<std::int64_t>(nearest) != exact) return std::nullopt;
    return nearest;
  }
  if (value.type() == element_type::UINT64) {
    const std::uint64_t exact = value_of<std::uint64_t>(value);
    const auto nearest = static_cast<double>(exact);
    if (nearest >= 2 * kTwoTo63 || static_cast<std::uint64_t>(nearest) != exact) {
      return std::nullopt;
    }
    return nearest;
  }
  const std::string_view text = literal(value);
  const bool is_integer = text.find_first_not_of("-0123456789") == text.npos;
  return is_integer ? std::nullopt : literal_number(text);
}

std::optional<std::int64_t> JsonReader::integer(element value) {
  if (value.type() == element_type::INT64) return value_of<std::int64_t>(value);
  if (value.type() != element_type::DOUBLE) return std::nullopt;
  const double number = value_of<double>(value);
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (std::trunc(number) != number || number < -kTwoTo63 || number >= kTwoTo63) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace benchhud::ingest
