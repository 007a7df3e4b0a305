#include "analysis/alerts/run_observations.h"
#include "analysis/alerts/watch_state.h"

namespace benchhud::analysis {

std::string pack_night(const RunObservations& night) {
  StateWriter write;
  write(kDetectorVersion, night);
  return write.take();
}

std::optional<RunObservations> unpack_night(std::string_view bytes) {
  std::uint32_t method = 0;
  RunObservations night;
  StateReader read(bytes);
  read(method);
  if (method != kDetectorVersion) return std::nullopt;
  read(night);
  if (!read.is_whole()) return std::nullopt;
  return night;
}

}  // namespace benchhud::analysis
