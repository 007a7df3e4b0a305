// A night's bytes, as BytesWriter lays out values (state_bytes.h); std::size_t has 64 bits:
//   kDetectorVersion: 32 bits
//   run: its id, 64 bits; when it started, a double
//   number of results: std::size_t, then of each:
//     experiment: its id, 64 bits
//     of each of the 5 timed metrics, in the order of WatchedMetric, an optional of: level, a
//       double; variance, a double; number of repetitions, std::size_t
//     of each of the 5 counts, in the order of WatchedMetric: an optional of 64 bits, signed
//     the verifier's code: an optional of a text
//     status: a byte, the value of Status
//     signatures of the errors of timing and of verification: two optionals of a text
// schema/alerts/watched_nights.cc stores them, packed as a text (schema/db/text_store.cc).
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
