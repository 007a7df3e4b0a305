// The reader of series: never crashes, keeps what it promises, and says the same however the lines
// come.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "ingest/results/series_csv.h"

namespace {

using benchhud::ingest::Chunk;
using benchhud::ingest::SeriesCsv;
using benchhud::ingest::SeriesCsvReader;
using benchhud::schema::Expected;

void require(bool condition) {
  if (!condition) std::abort();
}

// In chunks of so many lines.
Expected<SeriesCsv> read(std::string_view text, std::size_t lines) {
  SeriesCsvReader reader;
  std::int64_t line = 1;
  while (!text.empty()) {
    Chunk chunk;
    chunk.first_line = line;
    for (std::size_t i = 0; i < lines && !text.empty(); ++i, ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      chunk.text += text.substr(0, end);
      text.remove_prefix(end);
    }
    if (const auto added = reader.add(chunk); !added) return added.error();
  }
  return reader.finish();
}

void check(const SeriesCsv& read, std::size_t size) {
  std::set<std::string_view> nights, series;
  for (const std::string& night : read.nights)
    require(!night.empty() && nights.insert(night).second);
  std::size_t rows = 0;
  for (const auto& one : read.series) {
    require(series.insert(one.name).second && !one.nights.empty());
    require(one.ends.size() == one.nights.size() && one.ends.back() == one.values.size());
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < one.nights.size(); ++i) {
      require(one.nights[i] < read.nights.size() && seen.insert(one.nights[i]).second);
      require(!one.values_of(i).empty());
    }
    for (const double value : one.values) require(std::isfinite(value));
    rows += one.values.size();
  }
  require(rows <= size && read.problems.size() <= 1001);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte says how the rest is cut.
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = read(text, size);
  const auto cut = read(text, std::size_t{1} + data[0] % 16);
  require(whole.has_value() == cut.has_value());
  if (!whole) {
    require(!whole.error().message.empty() && whole.error().message == cut.error().message);
    return 0;
  }
  check(*whole, size);
  require(whole->nights == cut->nights && whole->series.size() == cut->series.size());
  for (std::size_t i = 0; i < whole->series.size(); ++i) {
    const auto& a = whole->series[i];
    const auto& b = cut->series[i];
    require(a.name == b.name && a.nights == b.nights && a.values == b.values && a.ends == b.ends);
  }
  require(whole->problems.size() == cut->problems.size());
  for (std::size_t i = 0; i < whole->problems.size(); ++i) {
    require(whole->problems[i].line == cut->problems[i].line);
    require(whole->problems[i].reason == cut->problems[i].reason);
  }
  return 0;
}
