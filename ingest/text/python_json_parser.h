// Parses texts of JSON as Python's json module writes it, one after the other. Only readers of JSON
// need this.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "ingest/text/json_reader.h"

namespace benchhud::ingest {

/// A parser with the memory that it uses again from text to text.
class PythonJsonParser {
 public:
  /// Parses one text. What it gives is valid until the next call. Returns the reason where the text
  /// cannot be read: a phrase.
  std::optional<std::string> parse(std::string_view text, simdjson::dom::element* document);
  /// How values of the text that was parsed last are read.
  const JsonReader& reader() const { return reader_; }

 private:
  simdjson::error_code parse_padded(std::string_view text, simdjson::dom::element* document);

  simdjson::dom::parser parser_;
  JsonReader reader_;
  std::string padded_, rewritten_;
};

}  // namespace benchhud::ingest
