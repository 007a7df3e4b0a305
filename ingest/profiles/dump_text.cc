#include "ingest/profiles/dump_text.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "ingest/ir/ir_text.h"
#include "ingest/profiles/compile_times.h"
#include "ingest/profiles/dynamo_counters.h"
#include "ingest/profiles/key_averages.h"
#include "ingest/profiles/xla_metrics.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::ArtifactKind;
using schema::DynamoCounters;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

template <auto kRead, auto kContent>
DumpText read_as(std::string_view text) {
  auto read = kRead(text);
  return {std::move(read.*kContent), std::move(read.problems)};
}

struct TextKind {
  ArtifactKind kind;
  DumpText (*read)(std::string_view text);
};

// In the order in which a text is tried that may be of any kind.
constexpr TextKind kTextKinds[] = {
    {ArtifactKind::kDynamoCounters, read_as<read_dynamo_counters, &DynamoCountersText::counters>},
    {ArtifactKind::kIr, read_as<read_ir_text, &IrText::modules>},
    {ArtifactKind::kOperatorTable, read_as<read_key_averages, &KeyAverages::tables>},
    {ArtifactKind::kXlaMetrics, read_as<read_xla_metrics, &XlaMetrics::report>},
    {ArtifactKind::kCompileTimes, read_as<read_compile_times, &CompileTimesText::times>},
};
static_assert(std::size(kTextKinds) == std::variant_size_v<decltype(DumpText::content)>);

// Whether a text may be of a kind, by a look that reads nothing: so that a large one is not read
// five times, nor any JSON taken for counters.
bool may_be(ArtifactKind kind, std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  text = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool is_object = text.starts_with('{') || text.starts_with("defaultdict(");
  return (kind == ArtifactKind::kDynamoCounters) == is_object;
}

// Any JSON has a number here and there; but no counters at all are counters, too.
bool shows(const DumpText& read) {
  const auto* counters = std::get_if<DynamoCounters>(&read.content);
  if (counters == nullptr) return !is_empty(read);
  std::size_t count = 0;
  for (const DynamoCounters::Group& group : counters->groups) count += group.counters.size();
  return count >= read.problems.size();
}

bool is_none(const std::vector<schema::OperatorTable>& tables) { return tables.empty(); }
bool is_none(const std::vector<schema::IrModule>& modules) { return modules.empty(); }
bool is_none(const DynamoCounters& counters) { return counters.groups.empty(); }
bool is_none(const schema::CompileTimes& times) { return times.functions.empty(); }
bool is_none(const schema::MetricsReport& report) {
  return report.metrics.empty() && report.counters.empty();
}

}  // namespace

std::string_view dump_kind_words(ArtifactKind kind) {
  switch (kind) {
    case ArtifactKind::kTrace:
      return "trace";
    case ArtifactKind::kOperatorTable:
      return "operator table";
    case ArtifactKind::kDynamoCounters:
      return "dynamo counters";
    case ArtifactKind::kXlaMetrics:
      return "metrics report";
    case ArtifactKind::kIr:
      return "IR modules";
    case ArtifactKind::kCompileTimes:
      return "compile times";
    case ArtifactKind::kXplane:
      return "XPlane";
    case ArtifactKind::kTorchTrace:
      return "TORCH_TRACE log";
  }
  return "";
}

ArtifactKind DumpText::kind() const {
  static constexpr ArtifactKind kByContent[] = {
      ArtifactKind::kOperatorTable, ArtifactKind::kXlaMetrics, ArtifactKind::kDynamoCounters,
      ArtifactKind::kCompileTimes, ArtifactKind::kIr};
  static_assert(std::size(kByContent) == std::variant_size_v<decltype(content)>);
  return kByContent[content.index()];
}

bool is_empty(const DumpText& read) {
  return std::visit([](const auto& content) { return is_none(content); }, read.content);
}

Expected<DumpText> read_dump_text(std::string_view text, std::optional<ArtifactKind> kind) {
  for (const TextKind& known : kTextKinds) {
    if (kind) {
      if (known.kind == *kind) return known.read(text);
    } else if (may_be(known.kind, text)) {
      DumpText read = known.read(text);
      if (shows(read)) return read;
    }
  }
  if (kind) {
    return Error{ErrorCode::kUnsupported,
                 std::string(dump_kind_words(*kind)) + " is not read as a text"};
  }
  return Error{ErrorCode::kUnsupported,
               "no operator table, metrics report, dynamo counters, compile times or IR modules"};
}

}  // namespace benchhud::ingest
