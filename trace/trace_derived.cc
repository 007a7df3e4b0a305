#include "trace/trace_derived.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/queries.h"
#include "trace/trace_args.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"
#include "trace/trace_rows.h"
#include "trace/trace_slices.h"
#include "trace/trace_sums.h"

namespace benchhud::trace {
namespace {

// Adds texts and labels behind those that the trace has.
class DerivedLabels {
 public:
  DerivedLabels(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace) {}

  /// The numbers of labels of these names, which it adds; label 0 is that of none.
  schema::Expected<std::vector<std::uint32_t>> put(const TextPool& names) {
    BENCHHUD_TRY(read_counts());
    const std::uint32_t known_texts = text_count_, known_labels = label_count_;
    const std::uint32_t category = text(kDerivedCategory);
    std::vector<std::uint32_t> numbers{0};
    for (std::uint32_t name = 1; name < names.size(); ++name) {
      labels_.push_back({text(names[name]), category, ThreadRole::kDeviceNotes});
      numbers.push_back(label_count_++);
    }
    if (!texts_.empty()) {
      BENCHHUD_TRY(
          put_block(TraceBlockKind::kTexts, known_texts, texts_.size(), encode_texts(texts_)));
    }
    for (std::size_t first = 0; first < labels_.size(); first += kLabelsABlock) {
      const std::size_t count = std::min(kLabelsABlock, labels_.size() - first);
      BENCHHUD_TRY(put_block(TraceBlockKind::kLabels, known_labels + first, count,
                             encode_labels({labels_.data() + first, count})));
    }
    BENCHHUD_TRY(connection_.cached(sql::kSetTraceTextCount)
                     .bind(1, trace_)
                     .bind(2, std::int64_t{text_count_})
                     .run());
    BENCHHUD_TRY(connection_.cached(sql::kSetTraceLabelCount)
                     .bind(1, trace_)
                     .bind(2, std::int64_t{label_count_})
                     .run());
    return numbers;
  }

 private:
  schema::Expected<void> read_counts() {
    schema::Statement query = connection_.cached(sql::kBlocksOfTrace);
    query.bind(1, trace_).bind(2, TraceBlockKind::kTexts);
    while (query.step()) {
      BENCHHUD_ASSIGN(const std::vector<std::string> texts, decode_texts(query.blob(2)));
      for (const std::string& text : texts) numbers_.try_emplace(text, text_count_++);
    }
    BENCHHUD_TRY(query.status());
    BENCHHUD_ASSIGN(const TraceInfo info, TraceQueries(connection_, trace_).info());
    label_count_ = static_cast<std::uint32_t>(info.labels);
    return {};
  }

  std::uint32_t text(std::string_view text) {
    const auto [found, is_new] = numbers_.try_emplace(std::string(text), text_count_);
    if (is_new) {
      texts_.push_back(text);
      ++text_count_;
    }
    return found->second;
  }

  schema::Expected<void> put_block(TraceBlockKind kind, std::size_t first, std::size_t rows,
                                   std::string_view bytes) {
    schema::Statement insert = connection_.cached(sql::kInsertTraceBlock);
    insert.bind(1, trace_).bind(2, kind).bind(3, static_cast<std::int64_t>(first));
    insert.bind(4, static_cast<std::int64_t>(rows));
    // No times, and no threads.
    for (int parameter = 5; parameter <= 8; ++parameter) insert.bind_null(parameter);
    insert.bind_blob_view(9, bytes);
    return insert.run();
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of texts
  std::uint32_t text_count_ = 0, label_count_ = 0;
  std::vector<std::string_view> texts_;  // that are added
  std::vector<TraceLabel> labels_;       // that are added
};

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
  BENCHHUD_ASSIGN(const auto labels, DerivedLabels(connection, trace).put(derived.names));
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
