#include "schema/db/row_batch.h"

#include <algorithm>
#include <charconv>

#include "schema/base/ascii.h"

namespace benchhud::schema {
namespace {

void append_row(std::string_view row, int shift, std::string* out) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    out->push_back(row[i]);
    if (row[i] != '$' || i + 1 == row.size() || !is_digit(row[i + 1])) continue;
    int number = 0;
    const char* const end =
        std::from_chars(row.data() + i + 1, row.data() + row.size(), number).ptr;
    *out += std::to_string(number + shift);
    i = static_cast<std::size_t>(end - row.data()) - 1;
  }
}

}  // namespace

std::string many_rows(std::string_view one, int columns, std::size_t rows) {
  constexpr std::string_view kValues = "VALUES", kConflict = "ON CONFLICT";
  const std::size_t begin = one.find(kValues) + kValues.size();
  const std::size_t end = std::min(one.find(kConflict, begin), one.size());
  std::string_view row = one.substr(begin, end - begin);
  while (!row.empty() && (row.back() == '\n' || row.back() == ' ')) row.remove_suffix(1);
  std::string text(one.substr(0, begin));
  for (std::size_t i = 0; i < rows; ++i) {
    if (i > 0) text += ',';
    append_row(row, static_cast<int>(i) * columns, &text);
  }
  if (end < one.size()) text.append("\n").append(one.substr(end));
  return text;
}

}  // namespace benchhud::schema
