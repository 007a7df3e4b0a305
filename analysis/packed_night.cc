#include "analysis/night_facts.h"
#include "watch_state.h"

namespace benchhud::analysis {
namespace {

// Other than what an earlier program summed nights up to.
constexpr std::uint32_t kVersion = 1;

}  // namespace

std::string pack_night(const NightFacts& night) {
  StateWriter write;
  write(kVersion, night);
  return write.take();
}

std::optional<NightFacts> unpack_night(std::string_view bytes) {
  std::uint32_t version = 0;
  NightFacts night;
  StateReader read(bytes);
  read(version);
  if (version != kVersion) return std::nullopt;
  read(night);
  if (!read.is_whole()) return std::nullopt;
  return night;
}

}  // namespace benchhud::analysis
