// The blobs of an index, as trace_sums.cc encodes them:
//   trace_label_sums.bytes: label totals of the labels from 1024 * block on, at most 1024
//   trace_track.sums: label sums of the thread's slices
//   trace_track.extents: extents of the thread's chunks, in the order of their numbers
//   trace_sums.sums: label sums of the chunk's or the group's slices
//   trace_sums.within: lengths, one of each slice of the chunk in its order: the sum of the
//     durations of the next row's slices that begin within it, 0 where the next row is one of the
//     thread's stack_rows; null for groups, and where all of them are 0
//   trace_posting.chunks: ascending numbers, of the thread's chunks that have slices of the label
#include "trace/trace_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "schema/base/column_codec.h"
#include "schema/base/segmented_vector.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_access.h"
#include "trace/trace_async.h"
#include "trace/trace_counters.h"
#include "trace/trace_index_version.h"
#include "trace/trace_queries.h"
#include "trace/trace_rows.h"

namespace benchhud::trace {
namespace {

// Sums by label, emptied in the time that filling them took.
class NameDurationTable {
 public:
  explicit NameDurationTable(std::size_t labels) : places_(labels, 0) {}

  SliceSums& of(std::uint32_t label) { return rows_[place(label)].sums; }
  std::size_t place(std::uint32_t label) {
    std::uint32_t& place = places_[label];
    if (place == 0) {
      rows_.push_back({label, {}});
      place = static_cast<std::uint32_t>(rows_.size());
    }
    return place - 1;
  }
  const schema::SegmentedVector<LabelSums>& rows() const { return rows_; }
  std::vector<LabelSums> sorted() const {
    std::vector<LabelSums> rows(rows_.begin(), rows_.end());
    std::sort(rows.begin(), rows.end(),
              [](const LabelSums& a, const LabelSums& b) { return a.label < b.label; });
    return rows;
  }
  void clear() {
    for (const LabelSums& row : rows_) places_[row.label] = 0;
    rows_ = {};
  }

 private:
  std::vector<std::uint32_t> places_;  // by label: of its row, from 1
  schema::SegmentedVector<LabelSums> rows_;
};

// How many begin in each part. Most labels of a trace with many are in few.
class Bins {
 public:
  void add(std::uint32_t bin) {
    if (first_.count == 0) first_.bin = bin;
    if (first_.bin == bin) {
      ++first_.count;
      return;
    }
    if (!others_) others_ = std::make_unique<Others>();
    others_->add(bin);
  }

  std::vector<BinCount> counts() const {
    std::vector<BinCount> counts;
    if (first_.count > 0) counts.push_back(first_);
    if (others_) others_->append_to(&counts);
    std::sort(counts.begin(), counts.end(),
              [](const BinCount& a, const BinCount& b) { return a.bin < b.bin; });
    return counts;
  }

 private:
  class Others {
   public:
    void add(std::uint32_t bin) {
      if (!dense_.empty()) {
        ++dense_[bin];
        return;
      }
      for (BinCount& each : few_) {
        if (each.bin == bin) {
          ++each.count;
          return;
        }
      }
      few_.push_back({bin, 1});
      if (few_.size() <= kFew) return;
      dense_.resize(kTraceBins);
      for (const BinCount& each : few_) dense_[each.bin] = each.count;
      few_ = {};
    }
    void append_to(std::vector<BinCount>* counts) const {
      counts->insert(counts->end(), few_.begin(), few_.end());
      for (std::uint32_t bin = 0; bin < dense_.size(); ++bin) {
        if (dense_[bin] > 0) counts->push_back({bin, dense_[bin]});
      }
    }

   private:
    static constexpr std::size_t kFew = 8;
    std::vector<BinCount> few_;
    std::vector<std::uint64_t> dense_;
  };

  BinCount first_;  // the one that was there first: a label with one slice has no other
  std::unique_ptr<Others> others_;
};

// A thread's slices, one after the other, by row and time.
class SliceCursor {
 public:
  SliceCursor(schema::Connection& connection, schema::TraceId trace, std::uint32_t thread,
              std::uint64_t chunks)
      : access_(connection, trace, thread), chunks_(chunks) {}

  // The slice that is next; null behind the last.
  schema::Expected<const ChunkSlice*> peek() {
    while (index_ == slices_.size()) {
      if (next_chunk_ == chunks_) return nullptr;
      BENCHHUD_ASSIGN(slices_, access_.slices(next_chunk_));
      ++next_chunk_;
      index_ = 0;
    }
    return &slices_[index_];
  }
  void next() { ++index_; }
  std::uint64_t chunk() const { return next_chunk_ - 1; }
  bool is_last_of_chunk() const { return index_ + 1 == slices_.size(); }

 private:
  ThreadAccess access_;
  std::uint64_t chunks_, next_chunk_ = 0;
  std::span<const ChunkSlice> slices_;
  std::size_t index_ = 0;
};

// Adds up what lies right within slices, given by row and time.
class ChildDurationAccumulator {
 public:
  ChildDurationAccumulator(SliceCursor cursor, std::vector<std::uint32_t> stack_rows)
      : cursor_(std::move(cursor)), stack_rows_(std::move(stack_rows)) {}

  // ns of `slice` that those in the row below take.
  schema::Expected<std::int64_t> within(const ChunkSlice& slice) {
    if (row_ != slice.row) {
      row_ = slice.row;
      has_children_ = !std::binary_search(stack_rows_.begin(), stack_rows_.end(), slice.row + 1);
    }
    if (!has_children_) return 0;
    std::int64_t taken = 0;
    for (;;) {
      BENCHHUD_ASSIGN(const ChunkSlice* child, cursor_.peek());
      if (child == nullptr || child->row > slice.row + 1) break;
      if (child->row == slice.row + 1) {
        if (child->begin >= slice.end()) break;
        if (child->begin >= slice.begin) taken = schema::wrapping_sum(taken, child->duration);
      }
      cursor_.next();
    }
    if (taken < 0 || taken > slice.duration) return schema::corrupt_trace("row of slices");
    return taken;
  }

 private:
  SliceCursor cursor_;
  std::vector<std::uint32_t> stack_rows_;
  std::optional<std::uint32_t> row_;
  bool has_children_ = false;
};

class TraceIndexer {
 public:
  TraceIndexer(schema::Connection& connection, schema::TraceId trace, const TraceInfo& info)
      : connection_(connection),
        trace_(trace),
        of_chunk_(static_cast<std::size_t>(info.labels)),
        of_group_(static_cast<std::size_t>(info.labels)),
        of_thread_(static_cast<std::size_t>(info.labels)),
        totals_(static_cast<std::size_t>(info.labels)),
        bins_(static_cast<std::size_t>(info.labels)) {}

  schema::Expected<void> run(const std::vector<StoredThread>& threads,
                             std::int64_t counters_left_out) {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
    bool any = false;
    for (const StoredThread& thread : threads) {
      if (!thread.begin || !thread.end || thread.is_derived) continue;
      begin = std::min(begin, *thread.begin);
      end = any ? std::max(end, *thread.end) : *thread.end;
      any = true;
    }
    if (!any) begin = 0;
    bounds_ = bin_begins(begin, end);
    BENCHHUD_ASSIGN(const auto points, count_points(threads.size()));
    for (const StoredThread& thread : threads) {
      const std::int64_t of_thread = points[thread.number];
      // What is derived repeats what is counted already.
      if (thread.is_derived || (thread.slices == 0 && of_thread == 0)) continue;
      BENCHHUD_TRY(index_thread(thread.number, of_thread));
    }
    BENCHHUD_TRY(put_labels());
    BENCHHUD_TRY(put_flow_kinds());
    return connection_.cached(sql::kInsertTraceIndex)
        .bind(1, trace_)
        .bind(2, kTraceIndexVersion)
        .bind(3, begin)
        .bind(4, end)
        .bind(5, counters_left_out)
        .run();
  }

 private:
  // A label that is in a chunk.
  struct Posting {
    std::uint32_t row = 0;  // the label's in of_thread_
    std::uint32_t chunk = 0;
  };

  schema::Statement of_thread(std::string_view sql, std::uint32_t thread) {
    schema::Statement query = connection_.cached(sql);
    query.bind(1, trace_).bind(2, std::int64_t{thread});
    return query;
  }

  // Of each thread, without metadata.
  schema::Expected<std::vector<std::int64_t>> count_points(std::size_t threads) {
    std::vector<std::int64_t> counts(threads);
    BENCHHUD_TRY(for_each_block(connection_, trace_, TraceBlockKind::kPoints,
                                [&](std::string_view block) -> schema::Expected<void> {
                                  BENCHHUD_ASSIGN(const auto points, decode_points(block));
                                  for (const ChunkPoint& each : points) {
                                    if (each.point.thread >= threads)
                                      return schema::corrupt_trace("chunk of points");
                                    if (each.point.phase != 'M') ++counts[each.point.thread];
                                  }
                                  return {};
                                }));
    return counts;
  }

  schema::Expected<void> index_thread(std::uint32_t thread, std::int64_t points) {
    thread_ = thread;
    schema::Statement count = of_thread(sql::kChunkCountOfThread, thread);
    const std::uint64_t chunks = count.step() ? static_cast<std::uint64_t>(count.integer(0)) : 0;
    BENCHHUD_TRY(count.status());
    schema::Statement groups = of_thread(sql::kSliceCountsOfGroups, thread);
    BENCHHUD_ASSIGN(const auto group_counts, collect(groups, [](const schema::Statement& row) {
                      return static_cast<std::uint64_t>(row.integer(0));
                    }));
    BENCHHUD_ASSIGN(auto stack_rows, stack_rows_of(connection_, trace_, thread));
    ChildDurationAccumulator children(SliceCursor(connection_, trace_, thread, chunks),
                                      std::move(stack_rows));
    SliceCursor cursor(connection_, trace_, thread, chunks);

    of_thread_.clear();
    postings_.clear();
    extents_.clear();
    busy_ = 0;
    std::size_t group = 0;
    std::uint64_t left = group_counts.empty() ? 0 : group_counts.front();
    std::optional<std::uint32_t> row;
    std::size_t bin = 0;
    for (;;) {
      BENCHHUD_ASSIGN(const ChunkSlice* slice, cursor.peek());
      if (slice == nullptr) break;
      if (slice->label >= totals_.size() || left == 0)
        return schema::corrupt_trace("chunk of slices");
      BENCHHUD_ASSIGN(const std::int64_t taken, children.within(*slice));
      of_chunk_.of(slice->label).add(slice->duration, slice->duration - taken);
      within_.push_back(taken);
      if (slice->row == 0) busy_ = schema::wrapping_sum(busy_, slice->duration);
      if (row != slice->row) {
        row = slice->row;
        bin = 0;
      }
      while (bin + 1 < kTraceBins && slice->begin >= bounds_[bin + 1]) ++bin;
      bins_[slice->label].add(static_cast<std::uint32_t>(bin));
      if (within_.size() == 1) extents_.push_back({slice->begin, slice->end()});
      extents_.back().begin = std::min(extents_.back().begin, slice->begin);
      extents_.back().end = std::max(extents_.back().end, slice->end());
      --left;
      if (cursor.is_last_of_chunk()) BENCHHUD_TRY(finish_chunk(cursor.chunk()));
      if (left == 0) {
        // A group ends where a chunk does.
        if (!cursor.is_last_of_chunk()) return schema::corrupt_trace("group of chunks");
        BENCHHUD_TRY(put_sums(true, group, &of_group_, nullptr));
        if (++group < group_counts.size()) left = group_counts[group];
      }
      cursor.next();
    }
    return finish_thread(points);
  }

  schema::Expected<void> finish_chunk(std::uint64_t chunk) {
    for (const LabelSums& each : of_chunk_.rows()) {
      of_group_.of(each.label).add(each.sums);
      of_thread_.of(each.label).add(each.sums);
      totals_[each.label].add(each.sums);
      postings_.push_back({static_cast<std::uint32_t>(of_thread_.place(each.label)),
                           static_cast<std::uint32_t>(chunk)});
    }
    const bool any = std::any_of(within_.begin(), within_.end(), [](auto ns) { return ns != 0; });
    const std::string within = any ? encode_lengths(within_) : std::string();
    BENCHHUD_TRY(put_sums(false, chunk, &of_chunk_, any ? &within : nullptr));
    within_.clear();
    return {};
  }

  schema::Expected<void> put_sums(bool is_group, std::uint64_t number, NameDurationTable* table,
                                  const std::string* within) {
    const std::string sums = encode_label_sums(table->sorted());
    table->clear();
    schema::Statement insert = of_thread(sql::kInsertTraceSums, thread_);
    insert.bind(3, is_group).bind(4, static_cast<std::int64_t>(number)).bind_blob_view(5, sums);
    if (within == nullptr) return insert.bind_null(6).run();
    return insert.bind_blob_view(6, *within).run();
  }

  schema::Expected<void> finish_thread(std::int64_t points) {
    // Of each label the chunks ascend as they come.
    std::stable_sort(postings_.begin(), postings_.end(),
                     [](const Posting& a, const Posting& b) { return a.row < b.row; });
    std::vector<std::uint64_t> chunks_of_label;
    for (auto next = postings_.begin(); next != postings_.end();) {
      const std::uint32_t row = next->row;
      chunks_of_label.clear();
      for (; next != postings_.end() && next->row == row; ++next) {
        chunks_of_label.push_back(next->chunk);
      }
      const std::string chunks = encode_ascending(chunks_of_label);
      BENCHHUD_TRY(connection_.cached(sql::kInsertTracePosting)
                       .bind(1, trace_)
                       .bind(2, std::int64_t{of_thread_.rows()[row].label})
                       .bind(3, std::int64_t{thread_})
                       .bind_blob_view(4, chunks)
                       .run());
    }
    const std::string sums = encode_label_sums(of_thread_.sorted());
    const std::string extents = encode_extents(extents_);
    return of_thread(sql::kInsertTraceTrack, thread_)
        .bind(3, busy_)
        .bind(4, points)
        .bind_blob_view(5, sums)
        .bind_blob_view(6, extents)
        .run();
  }

  schema::Expected<void> put_labels() {
    std::vector<LabelTotals> block;
    for (std::size_t first = 0; first < totals_.size(); first += kLabelsASumsBlock) {
      block.clear();
      for (std::size_t i = first; i < std::min(first + kLabelsASumsBlock, totals_.size()); ++i) {
        block.push_back({totals_[i], bins_[i].counts()});
      }
      const std::string bytes = encode_label_totals(block);
      BENCHHUD_TRY(connection_.cached(sql::kInsertTraceLabelSums)
                       .bind(1, trace_)
                       .bind(2, static_cast<std::int64_t>(first / kLabelsASumsBlock))
                       .bind_blob_view(3, bytes)
                       .run());
    }
    return {};
  }

  schema::Expected<void> put_flow_kinds() {
    std::map<std::uint32_t, std::int64_t> ends;
    BENCHHUD_TRY(for_each_block(connection_, trace_, TraceBlockKind::kFlows,
                                [&](std::string_view block) -> schema::Expected<void> {
                                  BENCHHUD_ASSIGN(const auto flows, decode_flows(block));
                                  for (const ChunkFlow& flow : flows) ++ends[flow.category];
                                  return {};
                                }));
    for (const auto& [category, count] : ends) {
      BENCHHUD_TRY(connection_.cached(sql::kInsertTraceFlowKind)
                       .bind(1, trace_)
                       .bind(2, std::int64_t{category})
                       .bind(3, count)
                       .run());
    }
    return {};
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  std::vector<std::int64_t> bounds_;
  NameDurationTable of_chunk_, of_group_, of_thread_;
  std::vector<SliceSums> totals_;  // by label
  std::vector<Bins> bins_;         // by label
  // Of the thread that is looked at.
  std::uint32_t thread_ = 0;
  std::int64_t busy_ = 0;
  std::vector<Posting> postings_;
  std::vector<ChunkExtent> extents_;
  std::vector<std::int64_t> within_;  // of the chunk
};

}  // namespace

std::vector<std::int64_t> bin_begins(std::int64_t begin, std::int64_t end) {
  // The width is one more than this, which 64 bits may not hold.
  const std::uint64_t width = schema::distance(begin, end);
  std::vector<std::int64_t> begins;
  for (std::uint64_t i = 0; i < kTraceBins; ++i) {
    const std::uint64_t from =
        width / kTraceBins * i + ((width % kTraceBins + 1) * i + kTraceBins - 1) / kTraceBins;
    begins.push_back(schema::wrapping_sum(begin, static_cast<std::int64_t>(from)));
  }
  return begins;
}

schema::Expected<void> index_trace(schema::Connection& connection, schema::TraceId trace) {
  BENCHHUD_TRY(delete_trace_index(connection, trace));
  TraceQueries lookup(connection, trace);
  BENCHHUD_ASSIGN(const TraceInfo info, lookup.info());
  if (info.labels > kMostIndexedLabels) return {};
  BENCHHUD_TRY(put_async_tracks(connection, trace));
  BENCHHUD_ASSIGN(const auto threads, lookup.threads());
  BENCHHUD_ASSIGN(const std::int64_t counters_left_out, index_counters(connection, trace));
  return TraceIndexer(connection, trace, info).run(threads, counters_left_out);
}

schema::Expected<std::int64_t> index_traces(schema::Connection& connection, ReindexScope which,
                                            const std::function<bool()>& go_on) {
  constexpr std::int64_t kNoVersion = -1;
  schema::Statement query = connection.cached(sql::kTracesWithoutIndex);
  query.bind(1, which == ReindexScope::kStale ? kTraceIndexVersion : kNoVersion)
      .bind(2, kMostIndexedLabels);
  BENCHHUD_ASSIGN(const auto traces, collect(query, [](const schema::Statement& row) {
                    return schema::TraceId(row.integer(0));
                  }));
  std::int64_t count = 0;
  std::optional<schema::Error> failed;
  for (const schema::TraceId trace : traces) {
    if (go_on && !go_on()) break;
    BENCHHUD_ASSIGN(schema::Transaction transaction,
                    schema::Transaction::begin(connection, schema::Transaction::Kind::kWrite));
    // Since the list was made it may have been moved out of the store, or have gone.
    schema::Statement still = connection.cached(sql::kIsTraceInStore);
    still.bind(1, trace);
    const bool is_here = still.step();
    BENCHHUD_TRY(still.status());
    if (!is_here) continue;
    auto done = index_trace(connection, trace);
    if (done) done = transaction.commit();
    if (done) {
      ++count;
    } else if (!failed) {
      failed = std::move(done).error();
      failed->message =
          fmt::format("trace {}: {}", static_cast<std::int64_t>(trace), failed->message);
    }
  }
  if (failed) return *std::move(failed);
  return count;
}

schema::Expected<void> delete_trace_index(schema::Connection& connection, schema::TraceId trace) {
  for (const std::string_view sql :
       {sql::kDeleteTraceIndex, sql::kDeleteTraceLabelSums, sql::kDeleteTraceTracks,
        sql::kDeleteTraceSums, sql::kDeleteTracePostings, sql::kDeleteTraceFlowKinds}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  BENCHHUD_TRY(delete_async_tracks(connection, trace));
  return delete_counters(connection, trace);
}

}  // namespace benchhud::trace
