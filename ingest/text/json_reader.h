// Values of a parsed text of Python's JSON. Only readers of JSON need this.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// One text's way out of the parser.
struct JsonReader {
  bool marked = false;  ///< the text was made by rewrite_python_json(): strings may be marks

  /// What the mark stands for; "" if the value is none.
  std::string_view literal(simdjson::dom::element value) const;
  bool is_string(simdjson::dom::element value) const;
  /// Of a string that is no mark.
  std::string_view string(simdjson::dom::element value) const;
  std::string json(simdjson::dom::element value) const;
  /// What a reason says of a value that is of the wrong type.
  std::string describe(simdjson::dom::element value) const;
  /// Any number, NaN and Infinity too, as the nearest double.
  std::optional<double> number(simdjson::dom::element value) const;
  /// A number as a sample: one that a double holds exactly, or was written as a double.
  std::optional<double> sample(simdjson::dom::element value) const;
  /// An integer, or a double without a fraction; none if the value is neither or beyond 64 bits.
  static std::optional<std::int64_t> integer(simdjson::dom::element value);
};

}  // namespace benchhud::ingest
