// What failed when an alert began.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "schema/results/reader.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::server {

/// The errors with which the results of an alert's members failed in the runs in which each began:
/// for each signature its kind, the signature and the last lines of the text; those of most members
/// first, at most three. `members` is what AlertDetails has of them; only changes of `timing` and
/// `verification` have errors. Throws nlohmann::json::exception where they do not read.
schema::Expected<std::vector<AlertCause>> error_causes(schema::Reader& reader,
                                                       const nlohmann::json& members);

}  // namespace benchhud::server
