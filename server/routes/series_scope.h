// Which runs and experiments an answer over runs is about.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "server/api/routes.h"

namespace benchhud::server {

/// The runs of a series and the experiments of the model that it is of.
struct SeriesScope {
  std::vector<const service::RunEntry*> runs;  ///< oldest first
  std::unordered_map<schema::RunId, std::size_t> places;
  /// All of the model and test, whatever the backend.
  std::vector<const analysis::CatalogEntry*> entries;
};

/// What the parameters suite, model, test, accelerator_model, runs and until ask for. Without an
/// accelerator model it is the one with the newest run that has the model. Error: kNotFound, of the
/// parameter model.
schema::Expected<SeriesScope> asked_series(RequestContext& context);

/// Opens the CSV row of one experiment's point in one run: its run and its experiment.
void begin_point_row(schema::JsonWriter& json, const service::RunEntry* run,
                     const analysis::CatalogEntry& entry);

}  // namespace benchhud::server
