// Which operators take longer since an alert began, by the profiles of its members.
#pragma once

#include <vector>

#include "schema/alerts/alert.h"
#include "schema/results/reader.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::service {

/// Of members whose steady time changed, the surest first, three at most: the framework's operators
/// whose time an iteration went the way of the steady time, the largest first, and how much of the
/// change they are. Nothing of a member that has no profile in the last good run or in the first
/// bad one, or whose profiles do not say how many iterations they have. Where no operator accounts
/// for a twentieth of the change, that is said.
schema::Expected<std::vector<AlertCause>> operator_causes(schema::Reader& reader,
                                                          const schema::Alert& alert,
                                                          const schema::AlertDetails& details);

}  // namespace benchhud::service
