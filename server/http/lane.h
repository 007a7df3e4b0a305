// Kinds of requests, by what answering one may cost.
#pragma once

#include <cstddef>
#include <cstdint>

namespace benchhud::server {

/// What a request may cost: each lane has threads of its own (lanes.h).
enum class Lane : std::uint8_t {
  kAlive,   ///< answered by whoever reads the request: it waits for nothing
  kHealth,  ///< a look at the store
  kUsual,
  kHeavy,   ///< computes for as long as a second and more
  kDumps,   ///< the same, and holds several times the size of a dump in memory
  kChange,  ///< waits for its turn to write to the store
  kUpload,  ///< a file that is sent, which holds its thread until it has arrived
};
inline constexpr std::size_t kLanes = 7;

}  // namespace benchhud::server
