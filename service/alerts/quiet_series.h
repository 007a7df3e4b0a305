// A store with very many experiments: which of them have to be watched together, and how many there
// are beside them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>

#include "analysis/alerts/alert_detector.h"
#include "analysis/results/catalog.h"
#include "schema/alerts/night_mark.h"
#include "schema/base/errors.h"
#include "schema/model/types.h"
#include "schema/results/reader.h"

namespace benchhud::service {

/// By run, series that are not in the catalog.
using QuietSeries = std::unordered_map<schema::RunId, analysis::OtherSeries>;

/// Of what is watched together an experiment takes some 3.5 kB, and 40 bytes more for each night
/// and time. A store with more experiments is sorted out first.
inline constexpr std::size_t kMostWatchedTogether = 40'000;

struct SortedOut {
  /// The experiments in which anything ever changed, and those that their speedups are against.
  analysis::CatalogBuilder restless;
  /// Of `restless`, among all experiments of the store.
  analysis::Configurations configurations;
  /// By run, what it has beside them.
  QuietSeries quiet;
};

/// Watches one experiment after the other by itself. Where series are not judged together
/// (FleetRules), what others do decides only which of its changes are confirmed, so one without
/// changes has none among others either: all that the watch of the others follows from is how many
/// such series were timed. Takes as much memory as the restless ones, however many are quiet, and
/// as much time as watching all nights again.
/// `marks`: what people said of nights.
schema::Expected<SortedOut> sort_out_quiet(schema::Reader& reader,
                                           const analysis::FleetRules& rules,
                                           std::span<const schema::NightMark> marks);

/// What of a store is watched.
struct WatchedExperiments {
  analysis::Catalog catalog;
  /// Where the quiet ones are not in the catalog.
  std::optional<QuietSeries> quiet;
};

/// All experiments; of more than `most_together` the restless ones.
schema::Expected<WatchedExperiments> watched_experiments(schema::Reader& reader,
                                                         const analysis::FleetRules& rules,
                                                         std::span<const schema::NightMark> marks,
                                                         std::size_t most_together);

}  // namespace benchhud::service
