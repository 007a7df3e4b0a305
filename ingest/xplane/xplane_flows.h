// Arrows between XPlane's events: collects their ends, and pairs them once all are known.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace benchhud::ingest {

/// One end of an arrow.
struct XplaneFlowEnd {
  enum class Kind : std::uint8_t {
    kLaunch,            ///< correlation_id: from a call on the host to what it launched
    kProducerConsumer,  ///< _pt and _p, _ct and _c
    kFlow,              ///< flow
    kRun,               ///< run_id: from a launch on the host to a module's run on a TPU
  };
  std::int64_t type = 0, id = 0;  ///< together with the kind equal for ends that belong together
  std::int64_t time = 0;          ///< ns: the event's beginning
  std::int64_t event = 0;         ///< its number in the file
  std::uint32_t thread = 0;       ///< index in Trace::threads
  Kind kind = Kind::kLaunch;
  bool is_start = false;
  /// Of a kRun: the _p or the _c that it has besides.
  std::int64_t peer_type = 0;
  std::optional<std::int64_t> peer;
};

struct XplaneFlowCounts {
  std::int64_t keys = 0;       ///< different kinds, types and ids, but for those of kRun
  std::int64_t with_both = 0;  ///< of keys, those that have a start and an end
  std::int64_t only_start = 0, only_end = 0;
  std::int64_t arrows = 0;
  std::int64_t linked_runs = 0;  ///< ends of kRun that have a start
  std::int64_t runs_without_launch = 0, launches_without_run = 0;
  std::int64_t crowded = 0;  ///< of keys, those with too many ends for an arrow of each pair
};

/// Puts the ends into Trace::flows: every start with every end of its key, each pair as a flow of
/// its own, so that one launch leads to each of its kernels and none of these to the next. Of a key
/// with more than four starts and more than four ends, all are one flow, in the order of time. What
/// has no counterpart is a flow with one end. An event that is both ends of a `flow` of its own has
/// no arrow, nor have a launch and a run that are a producer and its consumer as well a second one.
XplaneFlowCounts put_xplane_flows(std::vector<XplaneFlowEnd> ends, trace::Trace* trace);

}  // namespace benchhud::ingest
