// Lists of tracks as people and pages write them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::service {

/// A number from a list such as 3,4.1,7: a track and, where bands are asked for, its band.
struct TrackBand {
  std::uint32_t track = 0, band = 0;
};

/// Tracks that an export or a question about a window is limited to.
inline constexpr std::size_t kMostTracksListed = 1000;

/// Reads numbers with commas between: at least one, at most `limit`, and with bands only where
/// `bands`. Error: kInvalidArgument, whose words call the list `name`.
schema::Expected<std::vector<TrackBand>> read_track_list(std::string_view text,
                                                         std::string_view name, std::size_t limit,
                                                         bool bands);

}  // namespace benchhud::service
