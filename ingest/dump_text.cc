#include "ingest/dump_text.h"

#include <algorithm>
#include <utility>

#include "ingest/compile_times.h"
#include "ingest/dynamo_counters.h"
#include "ingest/ir_text.h"
#include "ingest/key_averages.h"
#include "ingest/text_parts.h"
#include "ingest/xla_metrics.h"

namespace benchhud::ingest {

using schema::DynamoCounters;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

constexpr DumpKind kKinds[] = {DumpKind::kDynamoCounters, DumpKind::kIrModules,
                               DumpKind::kOperatorTables, DumpKind::kMetricsReport,
                               DumpKind::kCompileTimes};

DumpText read_as(DumpKind kind, std::string_view text) {
  switch (kind) {
    case DumpKind::kOperatorTables: {
      KeyAverages read = read_key_averages(text);
      return {std::move(read.tables), std::move(read.problems)};
    }
    case DumpKind::kMetricsReport: {
      XlaMetrics read = read_xla_metrics(text);
      return {std::move(read.report), std::move(read.problems)};
    }
    case DumpKind::kDynamoCounters: {
      DynamoCountersText read = read_dynamo_counters(text);
      return {std::move(read.counters), std::move(read.problems)};
    }
    case DumpKind::kCompileTimes: {
      CompileTimesText read = read_compile_times(text);
      return {std::move(read.times), std::move(read.problems)};
    }
    case DumpKind::kIrModules: {
      IrText read = read_ir_text(text);
      return {std::move(read.modules), std::move(read.problems)};
    }
  }
  return {};
}

// Whether a text may be of a kind, by a look that reads nothing: so that a large one is not read
// five times, nor any JSON taken for counters.
bool may_be(DumpKind kind, std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  text = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool is_object = text.starts_with('{') || text.starts_with("defaultdict(");
  return (kind == DumpKind::kDynamoCounters) == is_object;
}

bool has_any(const DumpText& read) {
  switch (read.kind()) {
    case DumpKind::kOperatorTables:
      return !std::get<std::vector<schema::OperatorTable>>(read.content).empty();
    case DumpKind::kIrModules:
      return !std::get<std::vector<schema::IrModule>>(read.content).empty();
    case DumpKind::kMetricsReport: {
      const auto& report = std::get<schema::MetricsReport>(read.content);
      return !report.metrics.empty() || !report.counters.empty();
    }
    case DumpKind::kDynamoCounters: {
      // Any JSON has a number here and there. No counters at all are counters, too.
      std::size_t count = 0;
      for (const auto& group : std::get<DynamoCounters>(read.content).groups) {
        count += group.counters.size();
      }
      return count >= read.problems.size();
    }
    case DumpKind::kCompileTimes:
      return !std::get<schema::CompileTimes>(read.content).functions.empty();
  }
  return false;
}

}  // namespace

std::string_view dump_kind_name(DumpKind kind) {
  switch (kind) {
    case DumpKind::kOperatorTables:
      return "operator table";
    case DumpKind::kMetricsReport:
      return "metrics report";
    case DumpKind::kDynamoCounters:
      return "dynamo counters";
    case DumpKind::kCompileTimes:
      return "compile times";
    case DumpKind::kIrModules:
      return "IR modules";
  }
  return "";
}

Expected<DumpText> read_dump_text(std::string_view text, std::optional<DumpKind> kind) {
  if (kind) return read_as(*kind, text);
  for (const DumpKind guess : kKinds) {
    if (!may_be(guess, text)) continue;
    DumpText read = read_as(guess, text);
    if (has_any(read)) return read;
  }
  return Error{ErrorCode::kUnsupported,
               "no operator table, metrics report, dynamo counters, compile times or IR modules"};
}

}  // namespace benchhud::ingest
