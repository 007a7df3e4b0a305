// The changes that alerts hold of a metric's series, for the charts that draw it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::server {

/// The contract's SeriesChange of each change of an experiment, oldest first.
using SeriesChanges = std::unordered_map<schema::ExperimentId, std::vector<std::string>>;

/// The changes of the watched metric `metric` on an accelerator model. Without those that further
/// nights took back, and without such as have no levels: counts and verdicts.
schema::Expected<SeriesChanges> series_changes(schema::Connection& store,
                                               std::string_view accelerator_model,
                                               std::string_view metric);

}  // namespace benchhud::server
