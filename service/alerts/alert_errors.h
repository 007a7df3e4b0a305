// What failed when an alert began.
#pragma once

#include <span>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/results/reader.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::service {

/// The errors with which the results of an alert's members failed in the runs in which each began:
/// for each signature its kind, the signature and the last lines of the text; those of most members
/// first, at most three. Only changes of `timing` and `verification` have errors.
schema::Expected<std::vector<AlertCause>> error_causes(
    schema::Reader& reader, std::span<const schema::AlertMember> members);

}  // namespace benchhud::service
