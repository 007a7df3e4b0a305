// Tables as text: CSV, and the box-drawn grid that Python's tabulate calls `fancy_grid`.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace benchhud::analysis {

/// Nothing, a number, a count or a text.
using TextCell = std::variant<std::monostate, double, std::int64_t, std::string>;

struct TextTable {
  std::vector<std::string> headers;  ///< of several lines in a grid
  std::vector<std::vector<TextCell>> rows;
};

/// As the upstream report prints it: the first line begins with `# `, numbers are Python's, an
/// absent value is an empty field. Fields are not quoted, as they are not upstream.
std::string to_plain_csv(const TextTable& table);

/// As tabulate 0.8.9 prints `fancy_grid` with two decimals: columns of numbers to the right, others
/// to the left, headers as their columns. A column's width counts code points.
std::string to_fancy_grid(const TextTable& table);

}  // namespace benchhud::analysis
