// What is kept of a trace beside its events, made when it is imported: its report and what two
// traces are compared by. A trace of millions of events is not read again to be looked at or
// compared.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/iteration_profile.h"
#include "analysis/profiles/profile_sections.h"
#include "ingest/pipeline/dump_ingest.h"
#include "schema/base/errors.h"
#include "schema/model/artifact.h"
#include "schema/results/reader.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::service {

struct TraceDigest {
  std::string report;  ///< the document of analysis::report_json()
  /// Of each, the kMostItems largest items and the sum of the rest.
  std::vector<analysis::ProfileSection> sections;
  analysis::IterationProfile iterations;
};
inline constexpr std::size_t kMostItems = 2000;

std::string encode_digest(const TraceDigest& digest);
/// None of what an older program encoded. Error: kCorrupt.
schema::Expected<std::optional<TraceDigest>> decode_digest(std::string_view bytes);

/// The digest of a trace, encoded, the places that are marked, when its devices were busy, and the
/// tracks that are derived from it.
ingest::TraceSummary summarize_trace(const trace::Trace& trace, const trace::TraceNesting& nesting);

/// None of a dump that is no trace, and of one whose digest is to be renewed. Errors: kCorrupt, the
/// store's.
schema::Expected<std::optional<TraceDigest>> digest_of(schema::Reader& reader,
                                                       const schema::Artifact& artifact);
/// TraceDigest::iterations alone, as digest_of().
schema::Expected<std::optional<analysis::IterationProfile>> iterations_of_digest(
    schema::Reader& reader, const schema::Artifact& artifact);

/// Which digests are recomputed: those that an older program made, or all.
enum class Digests : bool { kOutdated, kAll };
/// Recomputes digests and places of stored traces, one transaction each, while `go_on` says so.
/// Gives how many. Errors: those of the store.
schema::Expected<std::int64_t> renew_digests(schema::Connection& store, Digests which,
                                             const std::function<bool()>& go_on = {});

}  // namespace benchhud::service
