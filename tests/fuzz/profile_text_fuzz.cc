// The readers of operator tables and of metrics reports: never crash, and keep what they promise.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/key_averages.h"
#include "ingest/xla_metrics.h"

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
  return 0;
}
