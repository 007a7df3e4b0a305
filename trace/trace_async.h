// Tracks of what is asynchronous: derived from the points that say where it begins and ends.
#pragma once

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

/// Makes a slice of every begin and end that belong together, and one without length of every step
/// between, on tracks of their own behind the trace's threads: one for what is called and
/// categorized alike in a process, with what lies within it. The points stay as they are. Call it
/// within a transaction, where there are none yet. Errors: kCorrupt, the store's.
///
/// b, n and e belong together by category and id, and where there are several by name, the
/// innermost first; S, T, p and F by category, id and name. An id that the file calls local is one
/// of its process. What has no other end remains a point.
schema::Expected<void> put_async_tracks(schema::Connection& connection, schema::TraceId trace);

/// Deletes them. Call it within a transaction.
schema::Expected<void> delete_async_tracks(schema::Connection& connection, schema::TraceId trace);

}  // namespace benchhud::trace
