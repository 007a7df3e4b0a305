#include "trace/xla_profile_store.h"

#include <limits>

#include "trace/queries.h"
#include "trace/trace_chunk.h"

namespace benchhud::trace {

schema::Expected<std::optional<XlaProfile>> read_xla_profile(schema::Connection& connection,
                                                             schema::TraceId trace) {
  // Whoever looks up a text finds out whether it is there.
  constexpr std::size_t kAnyText = std::numeric_limits<std::uint32_t>::max();
  schema::Statement query = connection.cached(sql::kBlocksOfTrace);
  query.bind(1, trace).bind(2, TraceBlockKind::kXlaProfile);
  std::optional<XlaProfile> profile;
  if (query.step()) {
    BENCHHUD_ASSIGN(profile, decode_xla_profile(query.blob(2), kAnyText));
  }
  BENCHHUD_TRY(query.status());
  return profile;
}

}  // namespace benchhud::trace
