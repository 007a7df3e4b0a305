// From a slice to the one that shares its correlation, such as the call that launched it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {

struct CorrelationQuery {
  std::int64_t correlation = 0;
  std::set<std::uint32_t> labels;  ///< of the slices that are looked at
  std::int64_t before = 0;         ///< ns: only chunks that begin then or earlier
  std::size_t most_chunks = 64;    ///< that are read, the latest first
};

/// The slice that has the correlation; none where it is in none of these chunks. Errors: kCorrupt,
/// the store's.
schema::Expected<std::optional<PlacedSlice>> find_correlated(schema::Connection& connection,
                                                             schema::TraceId trace,
                                                             const TraceIndex& index,
                                                             const CorrelationQuery& query);

}  // namespace benchhud::trace
