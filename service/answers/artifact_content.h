// What is in a stored dump: read again from its text, or from what was derived of its trace.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/profile_sections.h"
#include "ingest/pipeline/dump_ingest.h"
#include "schema/base/json_writer.h"
#include "schema/model/artifact.h"
#include "schema/model/profile.h"
#include "schema/results/reader.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::server {

/// What is kept of a trace beside its events, made when it is taken in: `{"report": …, "sections":
/// …}`, and the places that are marked. A trace of millions of events is not read again to be
/// looked at or compared. Of a section the kMostItems largest items are kept and the sum of the
/// rest.
ingest::TraceSummary summarize_trace(const schema::Trace& trace,
                                     const schema::TraceNesting& nesting);
inline constexpr std::size_t kMostItems = 2000;

/// Which digests are recomputed: those that an older program made, or all.
enum class Digests : bool { kOutdated, kAll };
/// Recomputes digests and places of stored traces, one transaction each, while `go_on` says so.
/// Gives how many. Errors: those of the store.
schema::Expected<std::int64_t> renew_digests(schema::Connection& store, Digests which,
                                             const std::function<bool()>& go_on = {});

/// The fields of the contract's ArtifactContent, but `artifact`.
schema::Expected<void> write_content_fields(schema::JsonWriter& json, schema::Reader& reader,
                                            const schema::Artifact& artifact);

/// The counters of a dump of kind kDynamoCounters; none if it could not be read.
schema::Expected<std::optional<schema::DynamoCounters>> dynamo_counters_of(
    schema::Reader& reader, const schema::Artifact& artifact);

/// What two dumps of one kind can be compared by. Empty for a dump that could not be read and for
/// XPlane.
schema::Expected<std::vector<analysis::ProfileSection>> sections_of(
    schema::Reader& reader, const schema::Artifact& artifact);

}  // namespace benchhud::server
