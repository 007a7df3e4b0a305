#include "trace/trace_derived.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
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

// Labels that derived slices have: those of the trace, and such as are still to be stored.
class DerivedLabels {
 public:
  // Finds those that the trace has from when its tracks were derived before. Errors: kCorrupt, the
  // store's.
  static schema::Expected<DerivedLabels> of(schema::Connection& connection, schema::TraceId trace,
                                            std::int64_t known, const TextPool& names) {
    BENCHHUD_ASSIGN(AddedTexts texts, AddedTexts::of(connection, trace));
    DerivedLabels made(std::move(texts), known);
    std::unordered_map<std::uint32_t, std::uint32_t> label_of_text;
    const std::uint32_t category = made.texts_.put(kDerivedCategory);
    std::uint32_t number = 0;
    BENCHHUD_TRY(for_each_block(connection, trace, TraceBlockKind::kLabels,
                                [&](std::string_view block) -> schema::Expected<void> {
                                  BENCHHUD_ASSIGN(const std::vector<TraceLabel> labels,
                                                  decode_labels(block));
                                  for (const TraceLabel& label : labels) {
                                    if (label == TraceLabel{label.name, category, kDerivedRole}) {
                                      label_of_text.try_emplace(label.name, number);
                                    }
                                    ++number;
                                  }
                                  return {};
                                }));
    for (std::uint32_t name = 1; name < names.size(); ++name) {
      const std::uint32_t text = made.texts_.put(names[name]);
      const auto next = static_cast<std::uint32_t>(made.count());
      const auto [found, is_new] = label_of_text.try_emplace(text, next);
      made.numbers_.push_back(found->second);
      if (is_new) made.added_.push_back({text, category, kDerivedRole});
    }
    return made;
  }

  // Of the trace's labels and those to be stored.
  std::int64_t count() const { return known_ + static_cast<std::int64_t>(added_.size()); }
  // By the number of a name; label 0 is that of none.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }

  schema::Expected<void> store(schema::Connection& connection, schema::TraceId trace) const {
    BENCHHUD_TRY(texts_.store(connection, trace));
    for (std::size_t first = 0; first < added_.size(); first += kLabelsABlock) {
      const std::size_t count = std::min(kLabelsABlock, added_.size() - first);
      const BlockPlace place{.kind = TraceBlockKind::kLabels,
                             .first = static_cast<std::uint64_t>(known_) + first,
                             .count = count};
      BENCHHUD_TRY(
          insert_block(connection, trace, place, encode_labels({added_.data() + first, count})));
    }
    return connection.cached(sql::kSetTraceLabelCount).bind(1, trace).bind(2, count()).run();
  }

 private:
  static constexpr ThreadRole kDerivedRole = ThreadRole::kDeviceNotes;

  DerivedLabels(AddedTexts texts, std::int64_t known) : texts_(std::move(texts)), known_(known) {}

  AddedTexts texts_;
  std::int64_t known_;
  std::vector<TraceLabel> added_;
  std::vector<std::uint32_t> numbers_{0};
};

schema::Expected<void> set_derived_version(schema::Connection& connection, schema::TraceId trace,
                                           std::int64_t version) {
  return connection.cached(sql::kSetDerivedVersion).bind(1, trace).bind(2, version).run();
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
  BENCHHUD_ASSIGN(const DerivedLabels labels,
                  DerivedLabels::of(connection, trace, info.labels, derived.names));
  const bool has_room = info.labels > kMostIndexedLabels || labels.count() <= kMostIndexedLabels;
  if (derived.has_no_room || !has_room) {
    return set_derived_version(connection, trace, kNoRoomForDerivedTracks);
  }
  BENCHHUD_TRY(labels.store(connection, trace));
  BENCHHUD_ASSIGN(const auto threads, lookup.threads());
  const auto first = static_cast<std::uint32_t>(threads.size());
  TraceSliceWriter writer(connection, trace);
  for (std::uint32_t i = 0; i < derived.tracks.size(); ++i) {
    for (ChunkSlice slice : derived.tracks[i].slices) {
      slice.label = labels.numbers()[slice.label];
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
  return set_derived_version(connection, trace, kDerivedTracksVersion);
}

}  // namespace benchhud::trace
