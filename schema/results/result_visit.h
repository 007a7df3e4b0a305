// A run's results one after the other, without holding the samples of all.
#pragma once

#include <functional>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/results/reader.h"

namespace benchhud::schema {

/// Visits what Reader::results() gives. Nothing that `visit` calls may ask for all results of a
/// run. Errors: those of the store, and of `visit`, which ends with its first.
Expected<void> visit_results(Connection& connection, RunId run,
                             const std::function<Expected<void>(const ResultFacts&)>& visit);

}  // namespace benchhud::schema
