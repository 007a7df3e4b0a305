// What who finds alerts keeps of the nights that were watched, so as not to watch them again. It
// can all be made anew: what is missing, of another revision or corrupt is as if it were not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// The results of runs as who finds alerts sums them up, asked for one night after the other: a few
/// are looked up by one statement and held as they are stored, until they are asked for.
class NightFacts {
 public:
  /// `nights`, in their order, must outlive it.
  NightFacts(Connection& connection, std::span<const Run> nights)
      : connection_(connection), nights_(nights) {}

  /// Of one of the nights, if they were kept for this revision of it. Nights may be passed over,
  /// and asked for again.
  Expected<std::optional<std::string>> of(const Run& run);

 private:
  /// Bytes as they are stored.
  struct Kept {
    std::int64_t revision = 0;
    std::string content;
    std::int64_t byte_count = 0;
    bool is_zstd = false;
    std::string bytes;
  };
  Expected<void> look_up_from(const Run& run);

  Connection& connection_;
  const std::span<const Run> nights_;
  std::size_t next_ = 0;  // the night behind those that were looked up last
  std::map<RunId, std::optional<Kept>> held_;
};

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
