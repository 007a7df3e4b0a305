// Which operators take longer since an alert began, by the profiles of its members.
#pragma once

#include <optional>
#include <vector>

#include "analysis/iterations/iteration_comparison.h"
#include "schema/alerts/alert.h"
#include "schema/results/reader.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::service {

/// What the framework's operators of two profiles say of a steady time that changed by `change_ns`
/// (ns an iteration, not 0) between them: those whose own time changed by a twentieth of that or
/// more, either way, and what all operators together are of the change. Where no operator went its
/// way by that much, that is said, or that it cannot be told, for one side has more time without a
/// name than that. None where the times do not compare, or iterations are not counted.
std::optional<AlertCause> cause_of_operators(const analysis::ProfiledIterations& before,
                                             const analysis::ProfiledIterations& after,
                                             double change_ns);

/// Of members whose steady time changed, the surest first, three at most: cause_of_operators() by
/// the profiles of the last good run and the first bad one. Nothing of a member that has no profile
/// in one of them, or whose profiles do not say how many iterations they have.
schema::Expected<std::vector<AlertCause>> operator_causes(schema::Reader& reader,
                                                          const schema::Alert& alert,
                                                          const schema::AlertDetails& details);

}  // namespace benchhud::service
