// Finds alerts in the store's nights, and keeps what was found beside what people made of it.
#pragma once

#include <cstddef>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "service/alerts/quiet_series.h"

namespace benchhud::service {

struct AlertUpdate {
  std::size_t nights = 0;    ///< that there are
  std::size_t replayed = 0;  ///< of them: that were watched before, and were not watched again
  std::size_t added = 0;
  std::size_t changed = 0;
  bool was_current = false;  ///< there was nothing to do
};

/// Watches the nights of all accelerator models, all or those after the ones that were watched
/// before (watched_nights.h), and brings the store's alerts up to what was found, which is the same
/// either way: one transaction. An alert that is found again keeps its number and what people did
/// with it, also where a night that came late moved it by some nights; new ones get numbers in the
/// order in which they were first seen. One that is not found any more is withdrawn if it was ever
/// confirmed and the night it began with is there, a person did anything with it or was told of it,
/// and deleted otherwise. Nothing is done where neither runs, marks nor rules changed. By the rules
/// that the store keeps (alert_rules_file.h). After an error, also where memory was lacking
/// (kNoMemory), alerts are as before, and the next update finds what this one would have found.
/// `most_together`: with more experiments than that, those in which nothing ever changed are sorted
/// out first, one at a time (quiet_series.h), which finds the same in less memory.
schema::Expected<AlertUpdate> update_alerts(schema::Connection& store,
                                            std::size_t most_together = kMostWatchedTogether);

}  // namespace benchhud::service
