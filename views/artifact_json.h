// Dumps as JSON: what they are, and what is in them.
#pragma once

#include <string>
#include <vector>

#include "analysis/profiles/profile_sections.h"
#include "schema/base/json_writer.h"
#include "schema/model/artifact.h"
#include "schema/model/compile_times.h"
#include "schema/model/ir.h"
#include "schema/model/profile.h"
#include "service/answers/artifact_content.h"
#include "service/answers/snapshot.h"

namespace benchhud::views {

/// As the contract's Artifact.
void write_artifact(schema::JsonWriter& json, const schema::Artifact& artifact,
                    const service::Snapshot& snapshot);

// What is in a dump, as the contract's ArtifactContent has it under the name of its kind.
void write_content(schema::JsonWriter& json, const std::vector<schema::OperatorTable>& tables);
void write_content(schema::JsonWriter& json, const schema::MetricsReport& report);
void write_content(schema::JsonWriter& json, const schema::DynamoCounters& counters);
void write_content(schema::JsonWriter& json, const std::vector<schema::IrModule>& modules);
void write_content(schema::JsonWriter& json, const schema::CompileTimes& times);

/// The fields of the contract's ArtifactContent, but `artifact`.
void write_content_fields(schema::JsonWriter& json, schema::ArtifactKind kind,
                          const service::ArtifactContent& content);

/// As the contract's SectionDifference, a section each; of changes no more than `most` a section,
/// the largest, with the number of all.
void write_section_differences(schema::JsonWriter& json,
                               const std::vector<analysis::SectionDifference>& sections,
                               std::size_t most);

}  // namespace benchhud::views
