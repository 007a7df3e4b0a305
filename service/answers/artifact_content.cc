#include "service/answers/artifact_content.h"

#include <utility>

#include "service/answers/compilation_logs.h"
#include "service/traces/trace_digest.h"

namespace benchhud::service {

using analysis::ProfileSection;
using ingest::DumpText;
using schema::Artifact;
using schema::ArtifactKind;
using schema::Expected;

namespace {

// None of a dump that is not kept as a text, or not read.
Expected<std::optional<DumpText>> read_text(schema::Reader& reader, const Artifact& artifact) {
  std::optional<DumpText> read;
  if (!artifact.text || artifact.kind == ArtifactKind::kXplane) return read;
  BENCHHUD_ASSIGN(const std::string text, reader.text(*artifact.text));
  BENCHHUD_ASSIGN(read, ingest::read_dump_text(text, artifact.kind));
  return read;
}

}  // namespace

Expected<ArtifactContent> content_of(schema::Reader& reader, const Artifact& artifact) {
  ArtifactContent content;
  if (artifact.kind == ArtifactKind::kTorchTrace) {
    // A log is not kept as a text; what was read of it is.
    schema::Connection& connection = reader.connection();
    BENCHHUD_ASSIGN(content.torch_trace, schema::torch_trace_of(connection, artifact.id));
    BENCHHUD_ASSIGN(content.log_outputs,
                    schema::outputs_of(connection, artifact.id, {}, schema::kMostListedOutputs));
    BENCHHUD_ASSIGN(content.log_output_count, schema::output_count_of(connection, artifact.id, {}));
    return content;
  }
  BENCHHUD_ASSIGN(content.read, read_text(reader, artifact));
  BENCHHUD_ASSIGN(auto digest, digest_of(reader, artifact));
  if (digest) content.trace_report = std::move(digest->report);
  return content;
}

Expected<std::optional<schema::DynamoCounters>> dynamo_counters_of(schema::Reader& reader,
                                                                   const Artifact& artifact) {
  std::optional<schema::DynamoCounters> counters;
  if (artifact.kind != ArtifactKind::kDynamoCounters) return counters;
  BENCHHUD_ASSIGN(auto read, read_text(reader, artifact));
  if (read) counters = std::get<schema::DynamoCounters>(std::move(read->content));
  return counters;
}

Expected<std::vector<ProfileSection>> sections_of(schema::Reader& reader,
                                                  const Artifact& artifact) {
  if (artifact.kind == ArtifactKind::kTrace) {
    BENCHHUD_ASSIGN(auto digest, digest_of(reader, artifact));
    return digest ? std::move(digest->sections) : std::vector<ProfileSection>();
  }
  if (artifact.kind == ArtifactKind::kTorchTrace) {
    BENCHHUD_ASSIGN(const auto log, compilation_log_of(reader, artifact.id));
    return log ? analysis::profile_sections(*log) : std::vector<ProfileSection>();
  }
  BENCHHUD_ASSIGN(const auto read, read_text(reader, artifact));
  if (!read) return std::vector<ProfileSection>();
  return std::visit([](const auto& content) { return analysis::profile_sections(content); },
                    read->content);
}

}  // namespace benchhud::service
