// The one entrance to the readers of dumps that are texts; Chrome traces have their own
// (trace_reader.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/compile_times.h"
#include "schema/errors.h"
#include "schema/ir.h"
#include "schema/profile.h"

namespace benchhud::ingest {

/// In the order of DumpText::content.
enum class DumpKind : std::uint8_t {
  kOperatorTables,
  kMetricsReport,
  kDynamoCounters,
  kCompileTimes,
  kIrModules,
};

/// "operator table", "metrics report", "dynamo counters", "compile times", "IR modules".
std::string_view dump_kind_name(DumpKind kind);

struct DumpText {
  std::variant<std::vector<schema::OperatorTable>, schema::MetricsReport, schema::DynamoCounters,
               schema::CompileTimes, std::vector<schema::IrModule>>
      content;
  std::vector<schema::DumpProblem> problems;

  DumpKind kind() const { return static_cast<DumpKind>(content.index()); }
};

/// Reads a text as what it is said to be, where `kind` is given (then it may hold nothing), else as
/// what it shows to be. Error: kUnsupported where it is none of these.
schema::Expected<DumpText> read_dump_text(std::string_view text, std::optional<DumpKind> kind = {});

}  // namespace benchhud::ingest
