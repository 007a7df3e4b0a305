#include "ingest/text/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "ingest/text/number_text.h"
#include "ingest/text/python_json.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {
namespace {

using simdjson::dom::element_type;

template <class Number>
void append_number(Number number, std::string* out) {
  char digits[40];
  const auto result = std::to_chars(digits, digits + sizeof digits, number);
  out->append(digits, result.ptr);
}

void append_double(double number, JsonOrder order, std::string* out) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (order == JsonOrder::kCanonical && std::trunc(number) == number &&
      std::abs(number) <= kExactIntegers) {
    return append_number(static_cast<std::int64_t>(number), out);
  }
  const std::size_t start = out->size();
  append_number(number, out);
  // A double stays one for whoever reads the text.
  if (out->find_first_of(".e", start) == out->npos) out->append(".0");
}

// Ends an object or array whose members each have a comma behind them.
void close(char bracket, std::string* out) {
  if (out->back() == ',') {
    out->back() = bracket;
  } else {
    out->push_back(bracket);
  }
}

void append_member(const JsonField& field, bool marked, JsonOrder order, std::string* out) {
  append_json_string(field.key, out);
  out->push_back(':');
  append_json(field.value, marked, order, out);
  out->push_back(',');
}

void append_object(simdjson::dom::object object, bool marked, JsonOrder order, std::string* out) {
  out->push_back('{');
  if (order == JsonOrder::kCanonical) {
    std::vector<JsonField> fields;
    collect_fields(object, marked, &fields);
    std::sort(fields.begin(), fields.end(),
              [](const JsonField& a, const JsonField& b) { return a.key < b.key; });
    for (const JsonField& field : fields) append_member(field, marked, order, out);
  } else {
    for (const auto field : object) {
      append_member({marked ? unmarked(field.key) : field.key, field.value}, marked, order, out);
    }
  }
  close('}', out);
}

void append_array(simdjson::dom::array array, bool marked, JsonOrder order, std::string* out) {
  out->push_back('[');
  for (const simdjson::dom::element member : array) {
    append_json(member, marked, order, out);
    out->push_back(',');
  }
  close(']', out);
}

}  // namespace

void collect_fields(simdjson::dom::object object, bool marked, std::vector<JsonField>* fields) {
  constexpr std::size_t kFewFields = 32;
  fields->clear();
  std::unordered_map<std::string_view, std::size_t> places;  // filled when there are many
  for (const auto field : object) {
    const std::string_view key = marked ? unmarked(field.key) : field.key;
    JsonField* same = nullptr;
    if (fields->size() < kFewFields) {
      for (JsonField& earlier : *fields) {
        if (earlier.key == key) same = &earlier;
      }
    } else {
      if (places.empty()) {
        for (std::size_t i = 0; i < fields->size(); ++i) places.emplace((*fields)[i].key, i);
      }
      const auto [place, is_new] = places.emplace(key, fields->size());
      if (!is_new) same = &(*fields)[place->second];
    }
    if (same != nullptr) {
      same->value = field.value;
    } else {
      fields->push_back({key, field.value});
    }
  }
}

void append_json_string(std::string_view text, std::string* out) {
  out->push_back('"');
  append_json_text(text, out);
  out->push_back('"');
}

void append_number_text(std::string_view number, bool is_integer, std::string* out) {
  if (is_integer) {
    if (const auto exact = number_of<std::int64_t>(number)) return append_number(*exact, out);
    if (const auto exact = number_of<std::uint64_t>(number)) return append_number(*exact, out);
  } else if (const double value = nearest_double(number); std::isfinite(value)) {
    return append_double(value, JsonOrder::kAsItStands, out);
  }
  append_json_string(number, out);
}

void append_json_text(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out->append(text, copied, i - copied);
    copied = i + 1;
    out->push_back('\\');
    if (c == '"' || c == '\\') {
      out->push_back(static_cast<char>(c));
    } else if (c == '\n') {
      out->push_back('n');
    } else if (c == '\t') {
      out->push_back('t');
    } else if (c == '\r') {
      out->push_back('r');
    } else {
      out->append("u00");
      out->push_back(kHex[c >> 4]);
      out->push_back(kHex[c & 15]);
    }
  }
  out->append(text, copied);
}

void append_json(simdjson::dom::element element, bool marked, JsonOrder order, std::string* out) {
  switch (element.type()) {
    case element_type::NULL_VALUE:
      out->append("null");
      return;
    case element_type::BOOL:
      out->append(value_of<bool>(element) ? "true" : "false");
      return;
    case element_type::INT64:
      return append_number(value_of<std::int64_t>(element), out);
    case element_type::UINT64:
      return append_number(value_of<std::uint64_t>(element), out);
    case element_type::DOUBLE:
      return append_double(value_of<double>(element), order, out);
    case element_type::STRING: {
      const std::string_view text = value_of<std::string_view>(element);
      if (!marked) return append_json_string(text, out);
      const std::string_view literal = marked_literal(text);
      if (!literal.empty() && order == JsonOrder::kPython) {
        out->append(literal);
        return;
      }
      append_json_string(literal.empty() ? unmarked(text) : literal, out);
      return;
    }
    case element_type::ARRAY:
      return append_array(value_of<simdjson::dom::array>(element), marked, order, out);
    case element_type::OBJECT:
      return append_object(value_of<simdjson::dom::object>(element), marked, order, out);
  }
}

}  // namespace benchhud::ingest
