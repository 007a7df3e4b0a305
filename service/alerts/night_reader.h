// Reads what is watched of a night from the store.
#pragma once

#include "analysis/alerts/run_observations.h"
#include "analysis/results/catalog.h"
#include "analysis/results/result_view.h"
#include "schema/results/line_measurements.h"
#include "schema/results/reader.h"

namespace benchhud::service {

/// What a result says, without its speedup. `entry`: its experiment's. `errors`: of failures.
/// `measurements`: of results that are asked for in its order.
schema::Expected<analysis::ExperimentObservation> read_result(
    schema::TimingMeasurements& measurements, const analysis::CatalogEntry& entry,
    const schema::ResultFacts& facts, const analysis::ErrorTexts& errors);

/// What a run says of each of its experiments, without speedups. Results of experiments that the
/// catalog lacks are left out.
schema::Expected<analysis::RunObservations> read_night(schema::Reader& reader,
                                                       const schema::Run& run,
                                                       const analysis::Catalog& catalog);

}  // namespace benchhud::service
