// The one entrance to the readers of dumps that are texts; Chrome traces have their own
// (trace_reader.h).
#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/base/errors.h"
#include "schema/model/artifact.h"
#include "schema/model/compile_times.h"
#include "schema/model/ir.h"
#include "schema/model/profile.h"

namespace benchhud::ingest {

/// What a person calls a dump: "operator table", "metrics report", "dynamo counters", "compile
/// times", "IR modules"; "trace", "XPlane", "TORCH_TRACE log".
std::string_view dump_kind_words(schema::ArtifactKind kind);

struct DumpText {
  std::variant<std::vector<schema::OperatorTable>, schema::MetricsReport, schema::DynamoCounters,
               schema::CompileTimes, std::vector<schema::IrModule>>
      content;
  std::vector<schema::DumpProblem> problems;

  schema::ArtifactKind kind() const;
};

/// Whether nothing of its kind was found.
bool is_empty(const DumpText& read);

/// Reads a text as what it is said to be, where `kind` is given (then it may be empty), else as
/// what it shows to be; its beginning is enough to show it. Error: kUnsupported where it is none of
/// these, or the kind is not that of a text.
schema::Expected<DumpText> read_dump_text(std::string_view text,
                                          std::optional<schema::ArtifactKind> kind = {});

}  // namespace benchhud::ingest
