// What who finds alerts keeps of the nights that were watched, so as not to watch them again. It
// can all be made anew: what is missing, of another revision or corrupt is as if it were not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// A run's results as who finds alerts sums them up, if they were kept for this revision of it.
Expected<std::optional<std::string>> night_facts(Connection& connection, RunId run,
                                                 std::int64_t revision);

/// What was made of the nights of an accelerator model.
struct WatchState {
  std::int64_t night_count = 0;
  std::string basis;  ///< what it follows from, in the words of who watches
  std::string bytes;
};
Expected<std::optional<WatchState>> watch_state(Connection& connection,
                                                std::string_view accelerator_model);

// --- For who finds alerts: the caller holds the write transaction --------------------------------

/// Instead of those of another revision.
Expected<void> put_night_facts(Connection& connection, RunId run, std::int64_t revision,
                               std::string_view bytes);
/// Instead of the one there is.
Expected<void> put_watch_state(Connection& connection, std::string_view accelerator_model,
                               const WatchState& state);
/// Forgets what is of runs and accelerator models that are gone.
Expected<void> forget_unused_watches(Connection& connection);

}  // namespace benchhud::schema
