// A trace that somebody dropped on a page: taken in for a while, as a dump of no result that only
// they see (trace/dropped_trace.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/store/store_lock.h"
#include "service/traces/trace_digest.h"
#include "trace/dropped_trace.h"

namespace benchhud::service {

/// What the holder of a token may have dropped at once, and for how long.
struct DropLimits {
  std::int64_t bytes = std::int64_t{1} << 30;      ///< of a file, decompressed
  std::int64_t all_bytes = std::int64_t{4} << 30;  ///< of all of them
  std::int64_t count = 20;
  double seconds = 24 * 3600;  ///< then it is removed
};

struct NewDrop {
  std::string file;  ///< where it lies
  std::string name;  ///< what it is called
  std::int64_t token = 0;
  double now = 0;  ///< seconds since 1970
};

/// How many bytes, decompressed, the next one may have, at most; to be asked before any of them is
/// read. Error: kTooLarge where there may be none.
schema::Expected<std::int64_t> most_bytes_of_drop(schema::Connection& connection,
                                                  std::int64_t token, double now,
                                                  const DropLimits& limits);

/// Takes the file in, in a transaction of its own, in the store's turn. Where a dump is of the same
/// content, that trace is given, and stays: `until` is 0. Dropped again, it stays as long as if it
/// were new. Errors: those of the file; kUnsupported where it is no trace, or a pack;
/// kTooLarge beyond the limits.
schema::Expected<trace::DroppedTrace> drop_trace(schema::Connection& store, const NewDrop& drop,
                                                 const DropLimits& limits,
                                                 const schema::StoreTurns& turns);

/// The digest of one that somebody dropped; none where it is to be renewed, or where they dropped
/// no such trace. Errors: kCorrupt, the store's.
schema::Expected<std::optional<TraceDigest>> digest_of_dropped(schema::Connection& connection,
                                                               schema::TraceId trace,
                                                               std::int64_t token, double now);

}  // namespace benchhud::service
