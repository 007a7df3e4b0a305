#include "tests/statement_count.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace benchhud {
namespace {

std::atomic<std::int64_t> statements{0};

std::mutex mutex;
std::map<std::string, std::int64_t> now, taken;  // by text

int count(unsigned, void*, void*, void*) {
  ++statements;
  return 0;
}

int count_by_text(unsigned, void*, void*, void* text) {
  ++statements;
  const std::scoped_lock lock(mutex);
  ++now[static_cast<const char*>(text)];
  return 0;
}

int count_on(sqlite3* connection, const char**, const sqlite3_api_routines*) {
  return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, count, nullptr);
}

int count_by_text_on(sqlite3* connection, const char**, const sqlite3_api_routines*) {
  return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, count_by_text, nullptr);
}

}  // namespace

void count_statements(CountedBy by) {
  const auto on = by == CountedBy::kText ? count_by_text_on : count_on;
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(on));
}

std::int64_t take_statement_count() {
  const std::scoped_lock lock(mutex);
  taken = std::exchange(now, {});
  return statements.exchange(0);
}

std::string table_of_statements() {
  constexpr std::size_t kShown = 100;  // bytes of a text
  const std::scoped_lock lock(mutex);
  std::vector<std::pair<std::int64_t, std::string>> rows;
  for (const auto& [text, count] : taken) {
    std::string line = text.substr(0, kShown);
    std::ranges::replace(line, '\n', ' ');
    rows.emplace_back(count, std::move(line));
  }
  std::ranges::sort(rows, std::greater<>());
  std::string table;
  for (const auto& [count, line] : rows) table += fmt::format("{:>7} {}\n", count, line);
  return table;
}

}  // namespace benchhud
