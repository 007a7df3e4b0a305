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
  std::set<std::uint32_t> labels;   ///< of the slices that are looked at
  std::int64_t before = 0;          ///< ns: only chunks that begin then or earlier
  std::size_t most_chunks = 64;     ///< that are read, the latest first
  std::size_t most_threads = 1000;  ///< that are looked at
};

struct Correlated {
  std::optional<PlacedSlice> slice;
  /// Several have the correlation, none within another: it cannot be told which is meant. Of a
  /// trace that was merged of several each counts from 1.
  bool is_ambiguous = false;
  bool is_complete = true;  ///< false: there are more chunks or threads than were looked at
};

/// The slice that has the correlation, of several within one another the innermost. Where all the
/// labels are of one process, whose numbers are its own, the latest is taken. Errors: kCorrupt, the
/// store's.
schema::Expected<Correlated> find_correlated(schema::Connection& connection, schema::TraceId trace,
                                             const TraceIndex& index,
                                             const CorrelationQuery& query);

}  // namespace benchhud::trace
