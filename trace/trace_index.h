// What a stored trace is searched and summed up by: sums by label of chunks, groups and threads,
// where each label is, how much of each slice is its own. Derived from the trace's slices, in one
// pass, and made again at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace_sums.h"

namespace benchhud::trace {

/// Makes a trace's index, in place of one that is there, and its tracks of what is asynchronous.
/// Call it within a transaction. In memory are two chunks, some 100 bytes a label and 100 a step of
/// something asynchronous. A trace with more than kMostIndexedLabels gets none.
/// Errors: kCorrupt, the store's.
schema::Expected<void> index_trace(schema::Connection& connection, schema::TraceId trace);

/// Whose indexes are made: of traces that have none, one by older rules, or one whose counters that
/// are left out were not counted; or of all.
enum class ReindexScope { kStale, kAll };

/// Makes indexes, each in a transaction of its own. Returns how many. `go_on` is asked before each.
/// A trace that fails keeps no other from its index; the first one's error is returned at the end.
schema::Expected<std::int64_t> index_traces(schema::Connection& connection, ReindexScope which,
                                            const std::function<bool()>& go_on = nullptr);

/// Deletes a trace's index. Call it within a transaction.
schema::Expected<void> delete_trace_index(schema::Connection& connection, schema::TraceId trace);

/// What is kept of a thread.
struct IndexedTrack {
  std::uint32_t thread = 0;
  std::int64_t busy = 0;    ///< ns: of its first row
  std::int64_t points = 0;  ///< without metadata
  std::vector<LabelSums> sums;
};

/// Where a label is in a thread.
struct LabelPlaces {
  std::uint32_t thread = 0;
  std::vector<std::uint64_t> chunks;  ///< ascending
};

struct FlowKindCount {
  std::string category;
  std::int64_t ends = 0;
};

/// Reads a trace's index. Not shared between threads. Errors: kCorrupt, the store's.
class TraceIndex {
 public:
  /// None where the trace has no index.
  static schema::Expected<std::optional<TraceIndex>> open(schema::Connection& connection,
                                                          schema::TraceId trace);

  /// ns: of the first slice, and of the one that ends last. The parts of kTraceBins divide what is
  /// between.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  /// Counters that are not kept (trace_counters.h), counted up to kMostCountersCounted; none where
  /// an older program made the index, which did not count them.
  std::optional<std::int64_t> counters_left_out() const { return counters_left_out_; }

  /// The labels from block * kLabelsASumsBlock on; none behind the last.
  schema::Expected<std::vector<LabelTotals>> labels(std::uint64_t block) const;
  /// All threads that have slices or points, ascending.
  schema::Expected<std::vector<IndexedTrack>> tracks() const;
  /// Of a thread; empty where it has no slices.
  schema::Expected<std::vector<LabelSums>> thread_sums(std::uint32_t thread) const;
  schema::Expected<std::vector<ChunkExtent>> extents(std::uint32_t thread) const;
  schema::Expected<std::vector<LabelSums>> group_sums(std::uint32_t thread,
                                                      std::uint64_t group) const;
  schema::Expected<std::vector<LabelSums>> chunk_sums(std::uint32_t thread,
                                                      std::uint64_t chunk) const;
  /// How much of each of a chunk's slices what is right within it takes, ns; empty where there is
  /// nothing within any.
  schema::Expected<std::vector<std::int64_t>> within(std::uint32_t thread,
                                                     std::uint64_t chunk) const;
  schema::Expected<std::vector<LabelPlaces>> places(std::uint32_t label) const;
  schema::Expected<std::vector<FlowKindCount>> flow_kinds() const;

 private:
  TraceIndex(schema::Connection& connection, schema::TraceId trace, std::int64_t begin,
             std::int64_t end)
      : connection_(&connection), trace_(trace), begin_(begin), end_(end) {}
  schema::Expected<std::vector<LabelSums>> sums_of(std::uint32_t thread, bool is_group,
                                                   std::uint64_t number) const;

  schema::Connection* connection_;
  schema::TraceId trace_;
  std::int64_t begin_, end_;
  std::optional<std::int64_t> counters_left_out_;
};

/// Where the kTraceBins parts of a trace begin that is from `begin` to `end`: the part `i`,
/// rounded up, i·w/256 behind its begin, w = end − begin + 1.
std::vector<std::int64_t> bin_begins(std::int64_t begin, std::int64_t end);

/// Calls `visit(number, totals)`, which returns Expected<void>, for each label that has slices, in
/// the order of their numbers.
template <class Visit>
schema::Expected<void> for_each_used_label(const TraceIndex& index, Visit visit) {
  for (std::uint64_t block = 0;; ++block) {
    BENCHHUD_ASSIGN(const auto labels, index.labels(block));
    if (labels.empty()) return {};
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].sums.count == 0) continue;
      const auto number = static_cast<std::uint32_t>(block * kLabelsASumsBlock + i);
      BENCHHUD_TRY(visit(number, labels[i]));
    }
  }
}

}  // namespace benchhud::trace
