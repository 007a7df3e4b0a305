// A field of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace benchhud::schema {

/// Appends a field, in quotes where it has a quote, a comma or a line break.
inline void append_csv_field(std::string* csv, std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    csv->append(text);
    return;
  }
  csv->push_back('"');
  for (const char c : text) {
    if (c == '"') csv->push_back('"');
    csv->push_back(c);
  }
  csv->push_back('"');
}

}  // namespace benchhud::schema
