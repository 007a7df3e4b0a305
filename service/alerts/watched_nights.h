// Watching the nights of a store, of which most were watched before.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "analysis/alerts/alert_detector.h"
#include "schema/alerts/night_mark.h"
#include "schema/alerts/watched_nights.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/results/reader.h"
#include "schema/results/results.h"
#include "service/alerts/quiet_series.h"

namespace benchhud::service {

/// What people said of a run; `marks`: some on its accelerator model.
analysis::RunAnnotations annotations_of(const schema::Run& run,
                                        std::span<const schema::NightMark> marks);

/// What the watch of any nights follows from beside them; `rules`: as the store keeps them.
std::string watch_basis(const std::string& rules);

/// Goes on from what the store keeps of the nights that were watched
/// (schema/alerts/watched_nights.h), all but the newest, and keeps what comes of it. The caller
/// holds the write transaction, but for only_read().
class WatchedNights {
 public:
  /// `basis`: what the watch follows from beside the nights; of another one nothing is gone on
  /// from. Where `experiments` are not all, all nights are watched again, and nothing is kept.
  WatchedNights(schema::Reader& reader, const WatchedExperiments& experiments,
                const analysis::FleetRules& rules, const std::string& basis)
      : reader_(reader), experiments_(experiments), rules_(rules), basis_(basis) {}

  /// For who only asks what would be: reads what is kept, and keeps nothing, so that no write
  /// transaction is needed. Between two nights it asks whether to give up: kBusy then.
  void only_read(std::function<bool()> is_cancelled) {
    is_reading_ = true;
    is_cancelled_ = std::move(is_cancelled);
  }

  /// The watch of an accelerator model's nights, oldest first. Where those that were watched are
  /// not the first of them any more, by run, revision or mark, all are watched again.
  schema::Expected<analysis::AlertDetector> watch(const std::string& accelerator_model,
                                                  std::span<const schema::Run> nights,
                                                  std::span<const schema::NightMark> marks);
  /// How many nights were not watched again.
  std::size_t replayed() const { return replayed_; }

 private:
  schema::Expected<analysis::RunObservations> facts_of(const schema::Run& run,
                                                       schema::NightFacts* kept);
  schema::Expected<bool> go_on(const std::string& accelerator_model,
                               std::span<const schema::Run> nights,
                               std::span<const schema::NightMark> marks, schema::NightFacts* kept,
                               analysis::AlertDetector* fleet);

  analysis::OtherSeries others_of(schema::RunId run) const;

  schema::Connection& store() const { return reader_.connection(); }

  schema::Reader& reader_;
  const WatchedExperiments& experiments_;
  const analysis::FleetRules& rules_;
  const std::string& basis_;
  bool is_reading_ = false;
  std::function<bool()> is_cancelled_;
  std::size_t replayed_ = 0;
};

}  // namespace benchhud::service
