#include "analysis/alerts/night_facts.h"
#include "analysis/alerts/watch_state.h"

namespace benchhud::analysis {

std::string pack_night(const NightFacts& night) {
  StateWriter write;
  write(kWatchMethod, night);
  return write.take();
}

std::optional<NightFacts> unpack_night(std::string_view bytes) {
  std::uint32_t method = 0;
  NightFacts night;
  StateReader read(bytes);
  read(method);
  if (method != kWatchMethod) return std::nullopt;
  read(night);
  if (!read.is_whole()) return std::nullopt;
  return night;
}

}  // namespace benchhud::analysis
