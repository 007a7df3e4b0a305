// What is in a stored dump: read again from its text, or from what was derived from its trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/profile_sections.h"
#include "ingest/profiles/dump_text.h"
#include "schema/model/artifact.h"
#include "schema/model/profile.h"
#include "schema/results/reader.h"
#include "schema/results/torch_trace_store.h"

namespace benchhud::service {

struct ArtifactContent {
  /// None of a trace, of XPlane, and of a dump that could not be read.
  std::optional<ingest::DumpText> read;
  /// The document of a trace's report (docs/traces.md), where it is kept.
  std::optional<std::string> trace_report;
  /// What a TORCH_TRACE log says as a whole; its texts of no compile id, the first of so many.
  std::optional<schema::TorchTraceSummary> torch_trace;
  std::vector<schema::StoredOutput> log_outputs;
  std::int64_t log_output_count = 0;
};
/// Errors: kCorrupt, the store's.
schema::Expected<ArtifactContent> content_of(schema::Reader& reader,
                                             const schema::Artifact& artifact);

/// The counters of a dump of kind kDynamoCounters; none if it could not be read.
schema::Expected<std::optional<schema::DynamoCounters>> dynamo_counters_of(
    schema::Reader& reader, const schema::Artifact& artifact);

/// What two dumps of one kind can be compared by. Empty for a dump that could not be read and for
/// XPlane.
schema::Expected<std::vector<analysis::ProfileSection>> sections_of(
    schema::Reader& reader, const schema::Artifact& artifact);

}  // namespace benchhud::service
