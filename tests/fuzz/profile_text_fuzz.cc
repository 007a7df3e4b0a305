// The readers of operator tables, metrics reports, compile times and counters: never crash, and
// keep what they promise.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/profiles/compile_times.h"
#include "ingest/profiles/dump_text.h"
#include "ingest/profiles/dynamo_counters.h"
#include "ingest/profiles/key_averages.h"
#include "ingest/profiles/xla_metrics.h"
#include "ingest/text/quoted_text.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tables = benchhud::ingest::read_key_averages(text);
  for (const auto& table : tables.tables) {
    require(!table.columns.empty() && table.column("Name") == 0);
    for (const auto& row : table.rows) require(row.size() == table.columns.size());
  }
  const auto metrics = benchhud::ingest::read_xla_metrics(text);
  for (const auto& metric : metrics.report.metrics) {
    require(!metric.accumulator || !metric.accumulator->text.empty());
  }
  if (const auto duration = benchhud::ingest::decode_duration(text)) require(*duration >= 0);
  const auto times = benchhud::ingest::read_compile_times(text);
  for (const auto& function : times.times.functions) {
    for (const double seconds : function.seconds) require(std::isfinite(seconds) && seconds >= 0);
  }
  const auto counters = benchhud::ingest::read_dynamo_counters(text);
  require(counters.problems.size() <= 1001);
  std::string_view rest = text;
  const auto string = benchhud::ingest::take_quoted(&rest);
  require(string ? rest.size() + 2 <= text.size() : rest.size() == text.size());
  if (const auto read = benchhud::ingest::read_dump_text(text)) {
    // What it shows to be, it is when read as that.
    const auto again = benchhud::ingest::read_dump_text(text, read->kind());
    require(again && again->content.index() == read->content.index());
  }
  return 0;
}
