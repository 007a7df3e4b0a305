// What changed in how members of an alert were compiled when it began, by their logs of
// TORCH_TRACE.
#pragma once

#include <vector>

#include "schema/alerts/alert.h"
#include "schema/results/reader.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::service {

/// At most one cause: of the first members that have logs both in the last good run and in the
/// first bad one, what differs between these, and what could not be compared. Nothing where no
/// member has both.
schema::Expected<std::vector<AlertCause>> compilation_causes(schema::Reader& reader,
                                                             const schema::Alert& alert,
                                                             const schema::AlertDetails& details);

}  // namespace benchhud::service
