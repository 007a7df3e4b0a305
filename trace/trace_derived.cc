#include "trace/trace_derived.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "trace/added_texts.h"
#include "trace/queries.h"
#include "trace/trace_args.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"
#include "trace/trace_rows.h"
#include "trace/trace_slices.h"
#include "trace/trace_sums.h"

namespace benchhud::trace {
namespace {

// Labels of these names behind those that the trace has, and their numbers; label 0 is that of
// none.
schema::Expected<std::vector<std::uint32_t>> add_labels(schema::Connection& connection,
                                                        schema::TraceId trace, std::int64_t known,
                                                        const TextPool& names) {
  BENCHHUD_ASSIGN(AddedTexts texts, AddedTexts::of(connection, trace));
  const std::uint32_t category = texts.put(kDerivedCategory);
  std::vector<TraceLabel> labels;
  std::vector<std::uint32_t> numbers{0};
  for (std::uint32_t name = 1; name < names.size(); ++name) {
    numbers.push_back(static_cast<std::uint32_t>(known) + name - 1);
    labels.push_back({texts.put(names[name]), category, ThreadRole::kDeviceNotes});
  }
  BENCHHUD_TRY(texts.store(connection, trace));
  for (std::size_t first = 0; first < labels.size(); first += kLabelsABlock) {
    const std::size_t count = std::min(kLabelsABlock, labels.size() - first);
    const BlockPlace place{.kind = TraceBlockKind::kLabels,
                           .first = static_cast<std::uint64_t>(known) + first,
                           .count = count};
    BENCHHUD_TRY(
        insert_block(connection, trace, place, encode_labels({labels.data() + first, count})));
  }
  BENCHHUD_TRY(connection.cached(sql::kSetTraceLabelCount)
                   .bind(1, trace)
                   .bind(2, known + static_cast<std::int64_t>(labels.size()))
                   .run());
  return numbers;
}

}  // namespace

schema::Expected<void> put_derived_tracks(schema::Connection& connection, schema::TraceId trace,
                                          const DerivedTracks& derived) {
  BENCHHUD_TRY(delete_trace_index(connection, trace));
  for (const std::string_view sql :
       {sql::kDeleteDerivedChunks, sql::kDeleteDerivedGroups, sql::kDeleteDerivedThreads}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  TraceQueries lookup(connection, trace);
  BENCHHUD_ASSIGN(const TraceInfo info, lookup.info());
  const auto labels_after = static_cast<std::size_t>(info.labels) + derived.names.size();
  if (info.labels <= kMostIndexedLabels && labels_after > std::size_t{kMostIndexedLabels}) {
    return {};
  }
  BENCHHUD_ASSIGN(const auto threads, lookup.threads());
  const auto first = static_cast<std::uint32_t>(threads.size());
  BENCHHUD_ASSIGN(const auto labels, add_labels(connection, trace, info.labels, derived.names));
  TraceSliceWriter writer(connection, trace);
  for (std::uint32_t i = 0; i < derived.tracks.size(); ++i) {
    for (ChunkSlice slice : derived.tracks[i].slices) {
      slice.label = labels[slice.label];
      BENCHHUD_TRY(writer.add(first + i, slice, {}));
    }
  }
  BENCHHUD_TRY(writer.finish());
  for (std::uint32_t i = 0; i < derived.tracks.size(); ++i) {
    BENCHHUD_TRY(insert_thread(connection, trace,
                               {.number = first + i,
                                .thread = &derived.tracks[i].thread,
                                .extent = writer.extent(first + i),
                                .stack_rows = derived.tracks[i].stack_rows,
                                .is_derived = true}));
  }
  return connection.cached(sql::kSetDerivedVersion)
      .bind(1, trace)
      .bind(2, kDerivedTracksVersion)
      .run();
}

}  // namespace benchhud::trace
