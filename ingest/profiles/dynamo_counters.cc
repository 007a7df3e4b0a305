#include "ingest/profiles/dynamo_counters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ingest/text/problem_list.h"
#include "ingest/text/quoted_text.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::DynamoCounters;

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (const auto exact = number_of<std::int64_t>(text)) return exact;
  const auto value = number_of<double>(text);
  // Beyond 2^53 a double is not the number that was meant.
  if (!value || std::abs(*value) > 0x1p53 || *value != std::trunc(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

// Goes over the text from front to back; no value is entered deeper than a group.
class CountersReader {
 public:
  explicit CountersReader(std::string_view text) : text_(text), rest_(text), lines_(text) {}

  DynamoCountersText read() {
    DynamoCountersText found;
    rest_.remove_prefix(std::min(rest_.find('{'), rest_.size()));
    if (take('{')) {
      read_members([&](std::string name) { read_group(std::move(name), &found.counters); });
    }
    found.problems = problems_.take();
    return found;
  }

 private:
  // The members of the object whose brace was taken: calls read_value(key) before each value.
  template <class ReadValue>
  void read_members(ReadValue read_value) {
    while (!take('}')) {
      if (take(',')) continue;
      skip_blanks();
      if (rest_.empty()) return problem("the text ends before its end");
      const std::size_t before = rest_.size();
      auto key = take_quoted(&rest_);
      if (!key || !take(':')) {
        problem("a member without a name");
        // What is between here and the next member is lost.
        skip_value();
        if (rest_.size() == before) return;
        continue;
      }
      skip_blanks();
      read_value(*std::move(key));
    }
  }

  void read_group(std::string name, DynamoCounters* counters) {
    // Python: Counter({…}), defaultdict(<class 'int'>, {…}), Counter().
    const bool is_printed = rest_.starts_with("Counter(") || rest_.starts_with("defaultdict(");
    if (is_printed) {
      rest_.remove_prefix(rest_.find('(') + 1);
      rest_.remove_prefix(std::min(rest_.find_first_of("{)"), rest_.size()));
    }
    if (take('{')) {
      counters->groups.push_back({std::move(name), {}});
      DynamoCounters::Group& group = counters->groups.back();
      read_members([&](std::string counter) { read_counter(std::move(counter), &group); });
    } else if (is_printed) {
      counters->groups.push_back({std::move(name), {}});
    } else {
      problem(excerpt(name) + " is " + excerpt(word()) + ", not a group of counters");
      skip_value();
    }
    if (is_printed) take(')');
  }

  void read_counter(std::string name, DynamoCounters::Group* group) {
    const std::string_view value = word();
    if (const auto count = whole_number(value)) {
      group->counters.emplace_back(std::move(name), *count);
    } else {
      problem(excerpt(group->name) + ": " + excerpt(name) + " is " + excerpt(value) +
              ", not a whole number");
    }
    skip_value();
  }

  // What stands up to the end of a member, without what begins a nested value.
  std::string_view word() const { return trim(rest_.substr(0, rest_.find_first_of(",}\n"))); }

  // Up to the comma or the brace behind a value, whatever it is.
  void skip_value() {
    std::size_t depth = 0;
    while (!rest_.empty()) {
      const std::size_t next = rest_.find_first_of("\"'{}[](),");
      rest_.remove_prefix(std::min(next, rest_.size()));
      if (rest_.empty()) break;
      const char c = rest_.front();
      if (depth == 0 && (c == ',' || c == '}' || c == ')' || c == ']')) {
        if (c == ',' || c == '}') break;
      } else if (c == '{' || c == '[' || c == '(') {
        ++depth;
      } else if (c == '}' || c == ']' || c == ')') {
        --depth;
      } else if (c != ',') {
        // A string that does not end is the text's end.
        if (!take_quoted(&rest_)) rest_ = {};
        continue;
      }
      rest_.remove_prefix(1);
    }
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }

  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void problem(std::string reason) {
    problems_.add(lines_.line_of(text_.size() - rest_.size()), std::move(reason));
  }

  std::string_view text_;
  std::string_view rest_;
  LineCounter lines_;
  ProblemList problems_;
};

}  // namespace

DynamoCountersText read_dynamo_counters(std::string_view text) {
  return CountersReader(text).read();
}

}  // namespace benchhud::ingest
