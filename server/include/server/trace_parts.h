// What the routes about stored traces have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/trace_lookup.h"
#include "server/route_parts.h"

namespace benchhud::server {

/// The trace that a request is about. Times on its own clock are counted from its first slice:
/// nanoseconds since 1970 are beyond what a browser's numbers hold exactly.
struct AskedTrace {
  schema::TraceId id{};
  schema::TraceInfo info;
  std::string key;  ///< tells its content from another's, 16 hexadecimal digits
};

/// The trace of the parameter `id`. Errors: kNotFound where there is none, or where the parameter
/// `key` is of another one: ids are given again, and what an address with a key answers is kept for
/// good by who asked.
schema::Expected<AskedTrace> asked_trace(Ask& ask);

/// An answer that hangs on the trace alone, of which nothing ever changes. `body` refers to nothing
/// but `ask` and what is in the store.
Plan trace_plan(const Ask& ask, const AskedTrace& trace,
                std::function<schema::Expected<std::string>()> body);

/// A number from a list such as 3,4.1,7: a track and, where bands are asked for, its band.
struct TrackBand {
  std::uint32_t track = 0, band = 0;
};

/// The tracks of the parameter `name`, with commas between: at least one, at most `limit`, and with
/// bands only where `bands`. Error: kInvalidArgument, and the parameter is wrong.
schema::Expected<std::vector<TrackBand>> asked_tracks(Ask& ask, std::string_view name,
                                                      std::size_t limit, bool bands);

}  // namespace benchhud::server
