// How much of a night can be trusted, as who finds alerts judges it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

struct NightQuality {
  std::int64_t judged = 0;  ///< series whose level and noise before it are known
  std::int64_t off = 0;     ///< of these, far off their level
  bool is_disturbed = false;
  std::optional<double> scatter;  ///< of repetitions, as a multiple of what is usual for them
  std::vector<RunId> alike;       ///< runs before it in the same recurring state, oldest first

  bool operator==(const NightQuality&) const = default;
};

/// None where nothing is known of it. Alike are those that there still are.
Expected<std::optional<NightQuality>> night_quality(Connection& connection, RunId run);

struct NightQualityOfRun {
  RunId run{};
  NightQuality quality;
};
/// For who finds alerts, who holds the write transaction: instead of what there is. Returns whether
/// that was different. It counts no revision.
Expected<bool> put_night_qualities(Connection& connection,
                                   std::span<const NightQualityOfRun> nights);

}  // namespace benchhud::schema
