#include "ingest/profiles/compile_times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
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

// A logger's prefix, cut at its clock: "[rank0]:I", "0102 03:04:05.006", " 42 utils.py:910]".
// Without a clock all of it is `before`.
struct Prefix {
  std::string_view before, clock, behind;

  bool empty() const { return before.empty() && clock.empty() && behind.empty(); }
  bool is_same_but_for_clock(const Prefix& other) const {
    return before == other.before && behind == other.behind && clock.empty() == other.clock.empty();
  }
};

// The clock is the first time of day, with a date that stands before it.
Prefix cut_at_clock(std::string_view text) {
  const auto is_digit_at = [&](std::size_t at) { return at < text.size() && is_digit(text[at]); };
  const auto is_time_at = [&](std::size_t at) {
    return is_digit_at(at) && is_digit_at(at + 1) && text[at + 2] == ':' && is_digit_at(at + 3) &&
           is_digit_at(at + 4) && (at == 0 || !is_digit(text[at - 1]));
  };
  std::size_t begin = 0;
  while (begin + 4 < text.size() && !is_time_at(begin)) ++begin;
  if (begin + 4 >= text.size()) return {text, {}, {}};
  const std::size_t end = std::min(text.find_first_not_of("0123456789:.,", begin), text.size());
  if (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == 'T')) {
    const std::string_view date = text.substr(0, begin - 1);
    const std::size_t word = date.find_last_not_of("0123456789-/.");
    const std::size_t first = date.find_first_of("0123456789", word == date.npos ? 0 : word + 1);
    if (first != date.npos) begin = first;
  }
  return {text.substr(0, begin), text.substr(begin, end - begin), text.substr(end)};
}

// What stands behind a prefix that differs from `prefix` in its clock only. Nothing where the line
// has another prefix, or none.
std::optional<std::string_view> behind_prefix(const Prefix& prefix, std::string_view row) {
  const auto skip_number = [](std::string_view* text) {
    const std::size_t begin = text->size();
    while (!text->empty() && is_digit(text->front())) text->remove_prefix(1);
    return begin != text->size();
  };
  if (!row.starts_with(prefix.before)) return {};
  row.remove_prefix(prefix.before.size());
  std::string_view clock = prefix.clock;
  while (!clock.empty()) {
    const bool has_number = skip_number(&clock);
    if (skip_number(&row) != has_number) return {};
    if (has_number) continue;
    if (row.empty() || row.front() != clock.front()) return {};
    clock.remove_prefix(1);
    row.remove_prefix(1);
  }
  if (!row.starts_with(prefix.behind)) return {};
  row.remove_prefix(prefix.behind.size());
  return trim(row);
}

// A prefix without its clock and without the line of code at its end: what names the process.
std::string process_of(const Prefix& prefix) {
  std::string_view behind = trim(prefix.behind);
  const std::size_t word = behind.find_last_of(" \t");
  const std::string_view last = behind.substr(word == behind.npos ? 0 : word + 1);
  const std::size_t colon = last.rfind(':');
  const bool is_place = colon != last.npos && colon + 1 < last.size() && is_digit(last[colon + 1]);
  if (is_place) behind.remove_suffix(last.size());
  return std::string(prefix.before) + "\n" + std::string(trim(behind));
}

struct TableRow {
  std::string_view name, times;
};

// A row cut by commas, or tabulate's: a name, two spaces or more, and the first time.
std::optional<TableRow> cut_row(std::string_view row) {
  const std::size_t comma = std::min(row.find(','), row.size());
  const std::size_t gap = row.substr(0, comma).rfind("  ");
  if (gap != row.npos) return TableRow{trim(row.substr(0, gap)), row.substr(gap + 1)};
  if (comma == row.size()) return {};
  return TableRow{trim(row.substr(0, comma)), row.substr(comma + 1)};
}

// So many tables may be written at the same time, by a process each.
constexpr std::size_t kMostTables = 64;

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
    return {add_up(), problems_.take()};
  }

 private:
  static bool is_list(std::string_view line) {
    line = trim(line);
    if (line.starts_with('(')) line = trim(line.substr(1));
    return line.starts_with("['") || line.starts_with("[\"");
  }

  // repr="csv": [names], [times].
  void take_lists(std::string_view* rest) {
    interrupt_tables();
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
      add(names[i], times[i], place, kNoProcess);
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

  // A table whose heading was read.
  struct Table {
    enum class Rows : std::uint8_t { kUnknown, kBehindPrefix, kBare };
    enum class State : std::uint8_t { kOpen, kInterrupted, kEnded };
    Prefix prefix;
    std::size_t process = kNoProcess;
    Rows rows = Rows::kUnknown;
    State state = State::kOpen;
  };

  void take_line(std::string_view line) {
    const std::string_view row = trim(line);
    if (const auto prefix = prefix_of_heading(row)) {
      open_table(cut_at_clock(*prefix), line);
      return;
    }
    for (Table& table : tables_) {
      if (table.prefix.empty()) continue;
      const auto behind = behind_prefix(table.prefix, row);
      if (!behind) continue;
      // A logger writes its prefix before each line of a message, or before the first alone.
      if (table.rows == Table::Rows::kBare) {
        table.state = Table::State::kEnded;
      } else {
        table.rows = Table::Rows::kBehindPrefix;
        take_row(*behind, line, &table);
      }
      return;
    }
    Table* const last = tables_.empty() ? nullptr : &tables_.back();
    if (last != nullptr && last->state == Table::State::kOpen &&
        last->rows != Table::Rows::kBehindPrefix) {
      last->rows = Table::Rows::kBare;
      take_row(row, line, last);
      return;
    }
    interrupt_tables();
  }

  void open_table(const Prefix& prefix, std::string_view line) {
    std::erase_if(tables_,
                  [&](const Table& table) { return table.prefix.is_same_but_for_clock(prefix); });
    if (tables_.size() == kMostTables) tables_.erase(tables_.begin());
    std::size_t process = kNoProcess;
    if (!prefix.empty()) {
      const auto [known, is_new] =
          processes_.try_emplace(process_of(prefix), processes_.size() + 1);
      process = known->second;
      if (is_new && processes_.size() == 2) second_process_ = line;
    }
    tables_.push_back({prefix, process});
  }

  // Of tables whose lines have a prefix: a line with another one stands in between.
  void interrupt_tables() {
    for (Table& table : tables_) {
      if (table.state == Table::State::kOpen) table.state = Table::State::kInterrupted;
    }
  }

  void take_row(std::string_view row, std::string_view line, Table* table) {
    const auto cut = cut_row(row);
    const bool has_time = cut && begins_with_time(cut->times);
    if (table->state != Table::State::kOpen) {
      if (table->state == Table::State::kInterrupted && has_time) {
        problem(line, "a row behind lines that interrupt its table: left out, with what follows");
      }
      table->state = Table::State::kEnded;
      return;
    }
    // tabulate's ruler.
    if (!row.empty() && row.find_first_not_of("- ") == row.npos) return;
    // Behind a table the log goes on with other messages.
    if (!cut || (!table->prefix.empty() && !has_time)) {
      table->state = Table::State::kEnded;
      return;
    }
    add(cut->name, cut->times, line, table->process);
  }

  static bool begins_with_time(std::string_view list) {
    return number_of<double>(trim(list.substr(0, list.find(',')))).has_value();
  }

  void add(std::string_view name, std::string_view list, std::string_view place,
           std::size_t process) {
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
        places_.try_emplace(std::pair(process, std::string(name)), functions_.size());
    if (is_new) {
      functions_.push_back({std::string(name), std::move(seconds)});
      return;
    }
    std::vector<double>& before = functions_[known->second].seconds;
    const bool goes_on = before.size() <= seconds.size() &&
                         std::equal(before.begin(), before.end(), seconds.begin());
    if (goes_on) before.clear();
    before.insert(before.end(), seconds.begin(), seconds.end());
  }

  // The functions of all processes.
  CompileTimes add_up() {
    if (!second_process_.empty()) {
      problem(second_process_, "tables of " + std::to_string(processes_.size()) +
                                   " processes, by their prefixes: their times are added up");
    }
    CompileTimes times;
    std::unordered_map<std::string, std::size_t> places;
    for (CompileTimes::Function& function : functions_) {
      const auto [known, is_new] = places.try_emplace(function.name, times.functions.size());
      if (is_new) {
        times.functions.push_back(std::move(function));
        continue;
      }
      std::vector<double>& sum = times.functions[known->second].seconds;
      sum.insert(sum.end(), function.seconds.begin(), function.seconds.end());
    }
    return times;
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
  static constexpr std::size_t kNoProcess = 0;              // of a table without a prefix
  std::vector<Table> tables_;                               // the last opened at the end
  std::unordered_map<std::string, std::size_t> processes_;  // from 1, by what names them
  std::string_view second_process_;                         // the heading of its first table
  std::vector<CompileTimes::Function> functions_;           // a process each
  std::map<std::pair<std::size_t, std::string>, std::size_t> places_;
};

}  // namespace

CompileTimesText read_compile_times(std::string_view text) { return TimesReader(text).read(); }

}  // namespace benchhud::ingest
