// Large traces come into the store in pieces, so that whoever wants to write meanwhile does not
// wait for all of one. Until it is whole nobody sees it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

/// A trace that is coming in. A number that was given to one and not committed is given again; the
/// key tells which it is.
struct ArrivingTrace {
  schema::TraceId trace{};
  std::string key;  ///< what stands for its content's hash until it is whole
};

/// From now on the trace, of which the store has the row, is one that is coming in, and cannot be
/// found by its content. The caller holds the write transaction.
schema::Expected<ArrivingTrace> note_arrival(schema::Connection& store, schema::TraceId trace);
/// Whether it is still there.
schema::Expected<bool> is_arriving(schema::Connection& store, const ArrivingTrace& arriving);
/// Whether the store has only a part of a trace.
schema::Expected<bool> is_coming_in(schema::Connection& store, schema::TraceId trace);
/// It is whole: false where it is not there any more. The caller holds the write transaction, and
/// writes its own row next.
schema::Expected<bool> end_arrival(schema::Connection& store, const ArrivingTrace& arriving);

/// Removes it unless it is whole, in a transaction of its own, which takes as long as the trace is
/// large.
schema::Expected<void> remove_arrival(schema::Connection& store, const ArrivingTrace& arriving);
/// Those that come no more (kLongestArrival).
schema::Expected<std::vector<schema::TraceId>> abandoned_arrivals(schema::Connection& store);
/// Removes them, each in a transaction of its own. Stops where `goes_on`, asked before each, says
/// so.
schema::Expected<void> remove_abandoned_arrivals(schema::Connection& store,
                                                 const std::function<bool()>& goes_on);

}  // namespace benchhud::trace
