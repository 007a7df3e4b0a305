#include "ingest/profiles/compile_times.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "ingest/text/problem_list.h"
#include "ingest/text/quoted_text.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::CompileTimes;

namespace {

// What stands before a table's heading in a line of a log: "I0102 03:04:05.006 42 utils.py:910] ".
// Nothing where the line is no heading.
std::optional<std::string_view> prefix_of_heading(std::string_view row) {
  constexpr std::string_view kTimes = "Runtimes (s)", kName = "Function";
  if (!row.ends_with(kTimes)) return {};
  row.remove_suffix(kTimes.size());
  row = trim(row);
  if (row.ends_with(',')) row = trim(row.substr(0, row.size() - 1));
  if (!row.ends_with(kName)) return {};
  row.remove_suffix(kName.size());
  const bool is_own_word = row.empty() || std::string_view("]): \t|-").find(row.back()) != row.npos;
  return is_own_word ? std::optional(trim(row)) : std::nullopt;
}

// What stands behind a prefix that differs from `prefix` in numbers only: time, process, line of
// code. Nothing where the line has another prefix, or none.
std::optional<std::string_view> behind_prefix(std::string_view prefix, std::string_view row) {
  const auto skip_number = [](std::string_view* text) {
    const std::size_t begin = text->size();
    while (!text->empty() && is_digit(text->front())) text->remove_prefix(1);
    return begin != text->size();
  };
  while (!prefix.empty()) {
    const bool has_number = skip_number(&prefix);
    if (skip_number(&row) != has_number) return {};
    if (has_number) continue;
    if (row.empty() || row.front() != prefix.front()) return {};
    prefix.remove_prefix(1);
    row.remove_prefix(1);
  }
  return trim(row);
}

class TimesReader {
 public:
  explicit TimesReader(std::string_view text) : text_(text), lines_(text) {}

  CompileTimesText read() {
    std::string_view rest = text_;
    while (!rest.empty()) {
      std::string_view behind = rest;
      const std::string_view line = next_line(&behind);
      if (is_list(line)) {
        take_lists(&rest);
        continue;
      }
      take_line(line);
      rest = behind;
    }
    return {std::move(times_), problems_.take()};
  }

 private:
  static bool is_list(std::string_view line) {
    line = trim(line);
    if (line.starts_with('(')) line = trim(line.substr(1));
    return line.starts_with("['") || line.starts_with("[\"");
  }

  // repr="csv": [names], [times].
  void take_lists(std::string_view* rest) {
    is_in_table_ = false;
    const std::vector<std::string> names = take_list(rest);
    const std::size_t next = rest->find_first_not_of("(), \t\r\n");
    const bool has_times = next != rest->npos && (*rest)[next] == '[';
    if (!has_times) {
      if (!names.empty()) problem(*rest, "a list of functions without their times");
      return;
    }
    rest->remove_prefix(next);
    const std::string_view place = *rest;
    const std::vector<std::string> times = take_list(rest);
    if (names.size() != times.size()) {
      problem(place, std::to_string(names.size()) + " functions, but the times of " +
                         std::to_string(times.size()));
    }
    for (std::size_t i = 0; i < std::min(names.size(), times.size()); ++i) {
      add(names[i], times[i], place);
    }
  }

  // The strings of the list that begins within `*rest`, up to and with its end; numbers are as
  // they stand.
  std::vector<std::string> take_list(std::string_view* rest) {
    std::vector<std::string> strings;
    rest->remove_prefix(rest->find('[') + 1);
    while (!rest->empty()) {
      rest->remove_prefix(std::min(rest->find_first_not_of(", \t\r\n"), rest->size()));
      if (rest->empty()) break;
      if (rest->front() == ']') {
        rest->remove_prefix(1);
        return strings;
      }
      if (auto string = take_quoted(rest)) {
        strings.push_back(*std::move(string));
        continue;
      }
      // Not a string, or one that does not end with the text.
      const bool is_cut = rest->front() == '\'' || rest->front() == '"';
      const std::size_t end = is_cut ? rest->npos : rest->find_first_of(",]\n");
      if (is_cut || end == rest->npos) {
        *rest = {};
      } else {
        strings.emplace_back(trim(rest->substr(0, end)));
        rest->remove_prefix(end);
      }
    }
    problem(*rest, "a list that does not end");
    return strings;
  }

  void take_line(std::string_view line) {
    std::string_view row = trim(line);
    if (const auto prefix = prefix_of_heading(row)) {
      is_in_table_ = true;
      prefix_ = *prefix;
      is_first_row_ = true;
      return;
    }
    if (!is_in_table_) return;
    if (!prefix_.empty()) {
      const auto behind = behind_prefix(prefix_, row);
      // A logger writes its prefix before each line of a message, or before the first alone.
      if (is_first_row_) has_prefixed_rows_ = behind.has_value();
      is_first_row_ = false;
      if (has_prefixed_rows_ && !behind) return;  // somebody else's, in between
      row = behind.value_or(row);
    }
    if (row.empty()) {
      is_in_table_ = false;
      return;
    }
    // tabulate's ruler.
    if (row.find_first_not_of("- ") == row.npos) return;
    std::size_t name_end = std::min(row.find(','), row.size());
    // tabulate's columns: a name, two spaces or more, and the first time.
    const std::size_t gap = row.substr(0, name_end).rfind("  ");
    const bool is_tabular = gap != row.npos;
    if (!is_tabular && name_end == row.size()) {
      is_in_table_ = false;
      return;
    }
    if (is_tabular) name_end = gap;
    // Behind a table the log goes on with other messages.
    if (!prefix_.empty() && !begins_with_time(row.substr(name_end + 1))) {
      is_in_table_ = false;
      return;
    }
    add(trim(row.substr(0, name_end)), row.substr(name_end + 1), line);
  }

  static bool begins_with_time(std::string_view list) {
    return number_of<double>(trim(list.substr(0, list.find(',')))).has_value();
  }

  void add(std::string_view name, std::string_view list, std::string_view place) {
    std::vector<double> seconds;
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(','), list.size());
      const std::string_view entry = trim(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
      const auto value = number_of<double>(entry);
      if (value && std::isfinite(*value) && *value >= 0) {
        seconds.push_back(*value);
      } else if (!entry.empty()) {
        problem(place, excerpt(name) + " has " + excerpt(entry) + ", not seconds");
      }
    }
    const auto [known, is_new] =
        places_.try_emplace(std::string(name), static_cast<std::uint32_t>(times_.functions.size()));
    if (is_new) {
      times_.functions.push_back({std::string(name), std::move(seconds)});
      return;
    }
    std::vector<double>& before = times_.functions[known->second].seconds;
    const bool goes_on = before.size() <= seconds.size() &&
                         std::equal(before.begin(), before.end(), seconds.begin());
    if (goes_on) before.clear();
    before.insert(before.end(), seconds.begin(), seconds.end());
  }

  // `place`: a part of the text.
  void problem(std::string_view place, std::string reason) {
    const std::size_t offset = place.data() == nullptr
                                   ? text_.size()
                                   : static_cast<std::size_t>(place.data() - text_.data());
    problems_.add(lines_.line_of(offset), std::move(reason));
  }

  std::string_view text_;
  LineCounter lines_;
  ProblemList problems_;
  CompileTimes times_;
  std::unordered_map<std::string, std::uint32_t> places_;  // of functions, by name
  bool is_in_table_ = false;
  std::string_view prefix_;  // of the table's heading
  bool is_first_row_ = false, has_prefixed_rows_ = false;
};

}  // namespace

CompileTimesText read_compile_times(std::string_view text) { return TimesReader(text).read(); }

}  // namespace benchhud::ingest
