// A stored trace as a Chrome trace, which Perfetto, Chrome and our own importer read.
#pragma once

#include <cstdint>
#include <functional>

#include "schema/base/byte_sink.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::service {

struct ExportQuery {
  std::int64_t begin = 0, end = 0;  ///< ns on the trace's own clock: [begin, end)
  /// Only of threads of which it holds; null: of all.
  std::function<bool(std::uint32_t)> is_wanted;
};

/// Writes what overlaps the window, in pieces of some 64 KB: what threads and processes are called
/// and where they are shown; slices, whole; points; flows all of whose ends are in the window and
/// on the threads. Times are decimal microseconds, exact. Arguments are written as they are stored
/// if they are JSON, else as the text `benchhud_raw`. Ends early, without an error, where nobody
/// takes more. Errors: kNotFound, kCorrupt, the store's.
schema::Expected<void> write_chrome_trace(schema::Connection& connection, schema::TraceId trace,
                                          const ExportQuery& query, const schema::ByteSink& take);

}  // namespace benchhud::service
