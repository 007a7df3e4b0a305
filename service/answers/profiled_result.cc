#include "service/answers/profiled_result.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "analysis/trace/kernel_table.h"
#include "analysis/trace/trace_context.h"
#include "service/traces/trace_digest.h"
#include "trace/trace_nesting.h"

namespace benchhud::service {

using schema::Artifact;
using schema::Expected;
using CountedBy = ProfiledResult::CountedBy;

std::string_view name_of(CountedBy counted_by) {
  constexpr std::array<std::string_view, 3> kNames = {"nothing", "marks", "repetition"};
  return kNames[static_cast<std::size_t>(counted_by)];
}

std::string_view ProfiledResult::missing() const {
  if (profile) return "";
  if (!artifact) return "The result has no profile.";
  // Whether a server does it now is not known here: not one that may not write.
  return "An older version took the profile in. A server that may write to the store reads it "
         "again soon after it starts; `benchhud rebuild` does so at once.";
}

namespace {

void count_marked_iterations(ProfiledResult& found) {
  if (found.profile->count <= 0) return;
  found.iterations = found.profile->count;
  found.counted_by = CountedBy::kMarks;
}

}  // namespace

Expected<ProfiledResult> profile_of_result(schema::Reader& reader, schema::ArtifactResult result) {
  schema::ArtifactFilter filter;
  filter.result = result;
  filter.kind = schema::ArtifactKind::kTrace;
  filter.with_superseded = false;
  filter.limit = std::numeric_limits<std::size_t>::max();
  BENCHHUD_ASSIGN(auto traces, reader.artifacts(filter));
  std::erase_if(traces, [](const Artifact& artifact) { return !artifact.trace; });
  ProfiledResult found;
  if (traces.empty()) return found;
  // Of no repetition is before the first.
  const auto last = std::ranges::min_element(traces, {}, [](const Artifact& artifact) {
    return std::tuple(-artifact.repetition.value_or(-1), artifact.part, artifact.id);
  });
  found.artifact = std::move(*last);
  BENCHHUD_ASSIGN(found.profile, iterations_of_digest(reader, *found.artifact));
  if (!found.profile) return found;
  count_marked_iterations(found);
  if (!found.iterations && found.artifact->repetition) {
    const auto facts = reader.result(result.run, result.experiment);
    if (!facts && facts.error().code != schema::ErrorCode::kNotFound) return facts.error();
    if (facts && facts->iterations_per_run.value_or(0) > 0) {
      found.iterations = facts->iterations_per_run;
      found.counted_by = CountedBy::kRepetition;
    }
  }
  return found;
}

ProfiledResult profile_of_trace(const trace::Trace& trace) {
  const trace::TraceNesting nesting = trace::nest(trace);
  const analysis::TraceContext context(trace, nesting);
  ProfiledResult found;
  found.profile = analysis::iteration_profile(context, analysis::launching_operators(context));
  count_marked_iterations(found);
  return found;
}

}  // namespace benchhud::service
