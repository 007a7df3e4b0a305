// What TorchDynamo's counters say of a result: what was captured, where the graph broke, what was
// captured again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/profile.h"

namespace benchhud::analysis {

struct GraphBreak {
  std::string reason;
  std::int64_t count = 0;
};

struct DynamoReport {
  std::size_t repetitions = 0;  ///< that have counters, empty ones included
  /// The counters go on from repetition to repetition instead of being cleared before each, as the
  /// Torchbench runner does; what is said of a repetition is then what grew in it.
  bool running_totals = false;
  std::int64_t unique_graphs = 0;   ///< stats/unique_graphs: graphs that were captured
  std::int64_t calls_captured = 0;  ///< stats/calls_captured: operations in them
  std::int64_t frames_total = 0;    ///< frames/total: functions that Dynamo looked at
  std::int64_t frames_ok = 0;       ///< frames/ok: those that it could compile
  /// Graphs that were captured after the first repetition: what was compiled before did not fit any
  /// more (another shape, another mode, a changed guard).
  std::int64_t recaptured_graphs = 0;
  /// Counters of a group whose name begins with "recompile": what Dynamo itself calls so.
  std::int64_t recompiles = 0;
  /// By count, then by reason. From the group graph_break; quotation marks around a reason, which
  /// older versions write, are taken off.
  std::vector<GraphBreak> graph_breaks;
  std::int64_t graph_break_count = 0;
  /// Operations and language features that Dynamo gave up at (group unimplemented).
  std::vector<GraphBreak> unimplemented;
  /// One a repetition: how much was captured or compiled in it, as the largest of frames/ok,
  /// stats/unique_graphs, aot_autograd/total and recompiles. Counters of caches (fxgraph_cache_hit,
  /// autograd_cache_miss and their like) follow what ran before and say nothing of the repetition.
  std::vector<std::int64_t> captured;
  /// Every counter, over all repetitions, in the order of their first appearance. No group is
  /// empty.
  schema::DynamoCounters totals;
};

/// Whether a counter is of a cache (inductor: fxgraph_cache_hit, aot_autograd: autograd_cache_miss
/// and their like): it follows what ran before on the machine and says nothing of the model. What
/// Dynamo broke at, gave up at or captured again is of the model, whatever its reason names:
/// "call to a lru_cache wrapped function", "hit config.cache_size_limit".
bool is_of_cache(std::string_view group, std::string_view counter);

/// Reads the counters of a result's repetitions, in order. `slow_start`: the first repetition took
/// much longer than the others. It decides where nothing else does: counters that never change
/// from one repetition to the next are running totals of a result that compiled at first only, or
/// those of one that compiles anew every time and then is always as slow. Numbers below zero count
/// as zero; sums that overflow stay at the largest number.
DynamoReport read_dynamo(std::span<const schema::DynamoCounters> repetitions, bool slow_start);

}  // namespace benchhud::analysis
