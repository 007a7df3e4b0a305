// Numbers that change with time: what counter events say, by thread, name and key. Derived from the
// trace's points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

/// Counters of a trace that are kept; those of a hostile one have a name each.
inline constexpr std::size_t kMostCounters = 10'000;
/// Up to so many of those that are not kept are counted.
inline constexpr std::int64_t kMostCountersCounted = 1'000'000;

struct TraceCounter {
  std::uint32_t number = 0;  ///< within the trace
  std::uint32_t thread = 0;
  std::string name;  ///< the event's, and its id in brackets where it has one
  std::string key;   ///< which of the event's numbers
  std::int64_t count = 0;
  double min = 0, max = 0;
};

struct CounterValue {
  std::int64_t time = 0;  ///< ns
  double value = 0;
};

/// What a counter was in a part of a window.
struct CounterPart {
  std::int64_t at = 0;  ///< ns: where the part begins
  double min = 0, max = 0;
  double last = 0;  ///< and stays until the next part that there is
};

struct CounterWindow {
  std::optional<double> before;    ///< what it was when the window begins; none: nothing yet
  std::vector<CounterPart> parts;  ///< those with values, by time
};

struct CounterQuery {
  std::uint32_t number = 0;
  std::int64_t begin = 0, end = 0;  ///< ns: [begin, end)
  std::uint32_t buckets = 512;      ///< parts of equal width, one at least
};

/// Makes the counters of a trace out of its counter events, whose arguments are JSON objects;
/// members that are no numbers are left aside, and so are events whose arguments do not parse. Call
/// it within a transaction. Memory holds a million values at most, and some 40 bytes of each
/// counter that is not kept but counted. Gives how many there are beyond kMostCounters, at most
/// kMostCountersCounted.
schema::Expected<std::int64_t> index_counters(schema::Connection& connection,
                                              schema::TraceId trace);
schema::Expected<void> delete_counters(schema::Connection& connection, schema::TraceId trace);

schema::Expected<std::vector<TraceCounter>> trace_counters(schema::Connection& connection,
                                                           schema::TraceId trace);

/// A counter's values of a block, by time; none behind its last. Error: kCorrupt.
schema::Expected<std::vector<CounterValue>> counter_values(schema::Connection& connection,
                                                           schema::TraceId trace,
                                                           std::uint32_t counter,
                                                           std::uint32_t block);

/// A counter over a window, at a cost that grows with the parts. Errors: kInvalidArgument for an
/// empty window or none or more than 65,536 parts; kNotFound; kCorrupt.
schema::Expected<CounterWindow> counter_window(schema::Connection& connection,
                                               schema::TraceId trace, const CounterQuery& query);

}  // namespace benchhud::trace
