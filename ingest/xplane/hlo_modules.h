// The modules of HLO that XLA's profiler keeps in the plane /host:metadata of its profiles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "trace/trace_limits.h"

namespace benchhud::ingest {

/// A module as a profile has it.
struct XplaneHloModule {
  /// By which its executions name it (`program_id`): the number in brackets behind its name, in 64
  /// bits with a sign; where there is none, the number of its entry in the plane.
  std::int64_t program_id = 0;
  std::string name;  ///< "jit_f"
  std::string text;  ///< as print_hlo() makes it
};

struct XplaneHloFound {
  std::int64_t modules = 0;     ///< that were given to `take`
  std::int64_t unreadable = 0;  ///< of which nothing could be decoded
  std::int64_t left_out = 0;    ///< beyond kMostHloModules, or kMostHloTexts
  /// Of dumps of LLO, a compiler's own format that nobody outside can read: only so much is known.
  std::int64_t llo_bytes = 0;
};

inline constexpr auto kMostHloModules = static_cast<std::int64_t>(trace::kMostHloModules);
inline constexpr std::size_t kMostHloTexts = trace::kMostHloTexts;

/// Gives the modules of a profile's bytes, decompressed, to `take`, in the order in which they
/// stand there, one at a time. `report` gets what cannot be decoded, with its place in the file.
/// Errors: those of `take`, which ends it.
schema::Expected<XplaneHloFound> read_xplane_hlo(
    std::string_view bytes,
    const std::function<schema::Expected<void>(const XplaneHloModule&)>& take,
    const std::function<void(std::int64_t place, std::string reason)>& report);

}  // namespace benchhud::ingest
