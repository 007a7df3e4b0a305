// The profile of a result, as it is set beside another and followed over runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/iterations/iteration_comparison.h"
#include "schema/model/artifact.h"
#include "schema/results/reader.h"
#include "trace/trace.h"

namespace benchhud::service {

struct ProfiledResult {
  /// What `iterations` is counted by.
  enum class CountedBy : std::uint8_t {
    kNothing,
    kMarks,       ///< the profile marks them
    kRepetition,  ///< it is of one repetition, which the result says the iterations of
  };
  std::optional<schema::Artifact> artifact;  ///< none: the result has no profile
  /// None where there is no profile, and where an older version took it in and it has not been
  /// read again yet.
  std::optional<analysis::IterationProfile> profile;
  std::optional<std::int64_t> iterations;
  CountedBy counted_by = CountedBy::kNothing;

  /// Why there is no profile to look at; "" where there is one.
  std::string_view missing() const;
  /// Of a profile that is there.
  analysis::ProfiledIterations profiled() const { return {&*profile, iterations}; }
};
/// "nothing", "marks", "repetition".
std::string_view name_of(ProfiledResult::CountedBy counted_by);

/// The last repetition's trace or XPlane profile; of several of it, which are parts, the first by
/// name. Errors: kCorrupt, the store's.
schema::Expected<ProfiledResult> profile_of_result(schema::Reader& reader,
                                                   schema::ArtifactResult result);

/// The same of a trace that is in no store, and of no result: it has no artifact, and nothing but
/// its marks says how many iterations it has.
ProfiledResult profile_of_trace(const trace::Trace& trace);

}  // namespace benchhud::service
