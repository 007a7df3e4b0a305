// Models that failed together: one cause, not as many as there are models.
#pragma once

#include <span>
#include <vector>

#include "analysis/alerts/alert_groups.h"
#include "analysis/results/catalog.h"

namespace benchhud::analysis {

/// Groups of failures (results that could not be timed any more, or that the verifier does not pass
/// any more) of two models and more. Failures that began on the same night belong together where
/// they have the same signature, of two models and more, or the same backend, of which three models
/// and a fifth of what was tried failed. What failed up to kSameCause nights later is of the group
/// if it is of one of its backends, and has one of its signatures or may have failed on that night
/// too.
///
/// A group's scope is the backend, or the machine where several backends failed. It follows from
/// its first night, so it stays as it is. What flips all the time belongs to no group, nor does
/// what is withdrawn or not to be told. By onset, then by the place of the first member.
/// Deterministic, whatever the order of `members`.
std::vector<AlertGroup> common_failures(std::span<const WatchedMember> members,
                                        std::span<const CurrentMember> current);

}  // namespace benchhud::analysis
