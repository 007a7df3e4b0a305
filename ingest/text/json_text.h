// Elements of a parsed line as JSON text. Only the reader of lines needs this.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/check.h"

namespace benchhud::ingest {

/// The value of an element that is known to be of type T.
template <class T>
T value_of(simdjson::dom::element element) {
  T value{};
  const simdjson::error_code error = element.get(value);
  BENCHHUD_CHECK(error == simdjson::SUCCESS);
  return value;
}

/// A member of an object.
struct JsonField {
  std::string_view key;
  simdjson::dom::element value;
};

/// The members of `object` in its order. Of a key that comes twice the last value counts, as in
/// Python, at the first one's place. `marked`: the text was made by `rewrite_python_json`.
void collect_fields(simdjson::dom::object object, bool marked, std::vector<JsonField>* fields);

void append_json_string(std::string_view text, std::string* out);
/// The same without the quotes.
void append_json_text(std::string_view text, std::string* out);
/// A number as append_json() writes it, from its text in the file.
void append_number_text(std::string_view number, bool is_integer, std::string* out);

enum class JsonOrder : std::uint8_t {
  kAsItStands,  ///< members in the file's order, with those that come twice
  kCanonical,   ///< members by key, integral numbers without a fraction: equal values, equal texts
  kPython,      ///< as it stands, with NaN and Infinity as Python writes them
};

/// Appends `element` without spaces, for every reader of JSON: NaN, Infinity and numbers that
/// fit neither 64 bits nor a double become strings ("NaN", "1e400"), but for kPython. Recurses as
/// deep as the document, which the parser bounds at 1024.
void append_json(simdjson::dom::element element, bool marked, JsonOrder order, std::string* out);

}  // namespace benchhud::ingest
