// By which rules indexes are made now.
#pragma once

#include <cstdint>

namespace benchhud::trace {

/// One more wherever index_trace() makes something else than before: older ones are made anew.
inline constexpr std::int64_t kTraceIndexVersion = 3;

}  // namespace benchhud::trace
