// Watching the nights of a store, of which most were watched before.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>

#include "analysis/alerts/alert_detector.h"
#include "analysis/results/catalog.h"
#include "schema/alerts/night_mark.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/results/reader.h"
#include "schema/results/results.h"

namespace benchhud::service {

/// What people said of a run; `marks`: some on its accelerator model.
analysis::RunAnnotations annotations_of(const schema::Run& run,
                                        std::span<const schema::NightMark> marks);

/// By run, series that are not in the catalog.
using QuietSeries = std::unordered_map<schema::RunId, analysis::OtherSeries>;

/// Goes on from what the store keeps of the nights that were watched
/// (schema/alerts/watched_nights.h), all but the newest, and keeps what comes of it. The caller
/// holds the write transaction.
class WatchedNights {
 public:
  /// `basis`: what the watch follows from beside the nights; of another one nothing is gone on
  /// from. `quiet`: null where the catalog has all experiments; otherwise all nights are watched
  /// again, and nothing is kept.
  WatchedNights(schema::Connection& store, schema::Reader& reader, const analysis::Catalog& catalog,
                const analysis::FleetRules& rules, const std::string& basis,
                const QuietSeries* quiet)
      : store_(store),
        reader_(reader),
        catalog_(catalog),
        rules_(rules),
        basis_(basis),
        quiet_(quiet) {}

  /// The watch of an accelerator model's nights, oldest first. Where those that were watched are
  /// not the first of them any more, by run, revision or mark, all are watched again.
  schema::Expected<analysis::AlertDetector> watch(const std::string& accelerator_model,
                                                  std::span<const schema::Run> nights,
                                                  std::span<const schema::NightMark> marks);
  /// How many nights were not watched again.
  std::size_t replayed() const { return replayed_; }

 private:
  schema::Expected<analysis::RunObservations> facts_of(const schema::Run& run);
  schema::Expected<bool> go_on(const std::string& accelerator_model,
                               std::span<const schema::Run> nights,
                               std::span<const schema::NightMark> marks,
                               analysis::AlertDetector* fleet);

  analysis::OtherSeries others_of(schema::RunId run) const;

  schema::Connection& store_;
  schema::Reader& reader_;
  const analysis::Catalog& catalog_;
  const analysis::FleetRules& rules_;
  const std::string& basis_;
  const QuietSeries* quiet_;
  std::size_t replayed_ = 0;
};

}  // namespace benchhud::service
