// A trace's index against the slices themselves.

#include "trace/trace_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "schema/base/column_codec.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/answers/trace_next.h"
#include "trace/answers/trace_window_sums.h"
#include "trace/trace_chunk.h"

namespace benchhud::trace {
namespace {

// Each slice's length without what lies right within it, ns.
std::vector<std::int64_t> self_times(const Trace& trace, const TraceNesting& nesting) {
  std::vector<std::int64_t> self;
  for (const TraceSlice& slice : trace.slices) self.push_back(slice.duration);
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
    if (nesting.parent[i] != kNoSlice) self[nesting.parent[i]] -= trace.slices[i].duration;
  }
  return self;
}

// Slices that nest and overlap, on three threads; no time is near the ends of 64 bits.
Trace busy_trace(std::uint32_t seed, int size) {
  std::mt19937 random(seed);
  Trace trace;
  std::int64_t time = 1000;
  for (int i = 0; i < size; ++i) {
    time += random() % 20;
    const std::int64_t duration = random() % 10 ? random() % 30 : random() % 5000;
    add_slice(&trace, random() % 3, time, time + duration, "name " + std::to_string(random() % 40));
  }
  return trace;
}

class Index : public testing::Test {
 protected:
  Index() : connection_(trace_store()) {}

  TraceIndex& store(Trace trace) {
    trace_ = std::move(trace);
    nesting_ = nest(trace_, NestingRows::kYes);
    self_ = self_times(trace_, nesting_);
    id_ = put(connection_, trace_);
    return open();
  }
  TraceIndex& open() {
    auto index = TraceIndex::open(connection_, id_);
    EXPECT_TRUE(index && *index);
    return index_.emplace(**index);
  }
  std::int64_t count(const std::string& table) {
    schema::Statement query = connection_.prepare("SELECT count(*) FROM " + table);
    return query.step() ? query.integer(0) : -1;
  }

  std::vector<ChunkSlice> chunk(std::uint32_t thread, std::uint64_t number) {
    schema::Statement query = connection_.prepare(
        "SELECT slices FROM trace_chunk WHERE trace_id = $1 AND thread = $2 AND number = $3");
    query.bind(1, id_).bind(2, std::int64_t{thread}).bind(3, static_cast<std::int64_t>(number));
    EXPECT_TRUE(query.step());
    const auto slices = decode_slices(query.blob(0));
    EXPECT_TRUE(slices);
    return *slices;
  }

  static std::map<std::uint32_t, SliceSums> by_label(const std::vector<LabelSums>& sums) {
    std::map<std::uint32_t, SliceSums> found;
    for (const LabelSums& each : sums) found[each.label] = each.sums;
    EXPECT_EQ(found.size(), sums.size());
    return found;
  }

  schema::Connection connection_;
  Trace trace_;
  TraceNesting nesting_;
  std::vector<std::int64_t> self_;
  schema::TraceId id_{};
  std::optional<TraceIndex> index_;
};

TEST_F(Index, SumsOfThreadsAndLabelsAreThoseOfTheSlices) {
  const TraceIndex& index = store(busy_trace(1, 60'000));
  std::map<std::uint32_t, std::map<std::uint32_t, SliceSums>> of_threads;
  std::map<std::uint32_t, SliceSums> of_labels;
  std::map<std::uint32_t, std::int64_t> busy;
  for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) {
    const TraceSlice& slice = trace_.slices[i];
    of_threads[slice.thread][slice.label].add(slice.duration, self_[i]);
    of_labels[slice.label].add(slice.duration, self_[i]);
    if (nesting_.row[i] == 0) busy[slice.thread] += slice.duration;
  }
  const auto tracks = index.tracks();
  ASSERT_TRUE(tracks) << tracks.error().message;
  ASSERT_EQ(tracks->size(), of_threads.size());
  for (const IndexedTrack& track : *tracks) {
    EXPECT_EQ(by_label(track.sums), of_threads[track.thread]);
    EXPECT_EQ(track.busy, busy[track.thread]);
    EXPECT_EQ(by_label(*index.thread_sums(track.thread)), of_threads[track.thread]);
  }
  const auto labels = index.labels(0);
  ASSERT_TRUE(labels);
  ASSERT_EQ(labels->size(), trace_.labels.size());
  for (std::uint32_t i = 0; i < labels->size(); ++i) EXPECT_EQ((*labels)[i].sums, of_labels[i]);
  EXPECT_TRUE(index.labels(1)->empty());
}

TEST_F(Index, ChunksHaveTheirOwnSumsExtentsAndLengthsWithin) {
  const TraceIndex& index = store(busy_trace(2, 60'000));
  // By where it is: no two slices of a row begin at the same time but those without length.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::int64_t> self;
  for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) {
    const TraceSlice& slice = trace_.slices[i];
    if (slice.duration > 0) self[{slice.thread, nesting_.row[i], slice.start}] = self_[i];
  }
  std::map<std::uint32_t, std::map<std::uint32_t, SliceSums>> of_threads;
  std::map<std::uint32_t, std::map<std::uint64_t, std::set<std::uint32_t>>> labels_of_chunks;
  std::size_t with_children = 0;
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    const auto extents = index.extents(thread);
    ASSERT_TRUE(extents);
    ASSERT_GT(extents->size(), 1u);
    for (std::uint64_t chunk = 0; chunk < extents->size(); ++chunk) {
      const auto within = index.within(thread, chunk);
      ASSERT_TRUE(within);
      std::map<std::uint32_t, SliceSums> sums;
      ChunkExtent extent{std::numeric_limits<std::int64_t>::max(), 0};
      const auto slices = this->chunk(thread, chunk);
      for (std::uint32_t i = 0; i < slices.size(); ++i) {
        const ChunkSlice& slice = slices[i];
        const std::int64_t own = slice.duration > 0 ? self.at({thread, slice.row, slice.begin}) : 0;
        EXPECT_EQ(within->empty() ? 0 : (*within)[i], slice.duration - own);
        with_children += own != slice.duration;
        sums[slice.label].add(slice.duration, own);
        extent.begin = std::min(extent.begin, slice.begin);
        extent.end = std::max(extent.end, slice.end());
      }
      EXPECT_EQ((*extents)[chunk], extent);
      EXPECT_EQ(by_label(*index.chunk_sums(thread, chunk)), sums);
      for (const auto& [label, of_label] : sums) {
        of_threads[thread][label].add(of_label);
        labels_of_chunks[label][thread].insert(static_cast<std::uint32_t>(chunk));
      }
    }
    EXPECT_EQ(by_label(*index.group_sums(thread, 0)), of_threads[thread]) << "one group";
  }
  EXPECT_GT(with_children, 1000u);
  for (const auto& [label, of_threads_of_label] : labels_of_chunks) {
    const auto places = index.places(label);
    ASSERT_TRUE(places);
    std::map<std::uint64_t, std::set<std::uint32_t>> found;
    for (const LabelPlaces& each : *places) {
      found[each.thread] = {each.chunks.begin(), each.chunks.end()};
    }
    EXPECT_EQ(found, of_threads_of_label);
  }
}

TEST_F(Index, BinsCountWhereSlicesBegin) {
  const TraceIndex& index = store(busy_trace(3, 20'000));
  const std::int64_t width = index.end() - index.begin() + 1;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> expected;
  for (const TraceSlice& slice : trace_.slices) {
    ++expected[slice.label]
              [static_cast<std::uint32_t>((slice.start - index.begin()) * 256 / width)];
  }
  const auto labels = index.labels(0);
  ASSERT_TRUE(labels);
  for (std::uint32_t i = 0; i < labels->size(); ++i) {
    std::map<std::uint32_t, std::uint64_t> bins;
    for (const BinCount& bin : (*labels)[i].bins) bins[bin.bin] = bin.count;
    EXPECT_EQ(bins, expected[i]) << i;
  }
}

TEST_F(Index, AnythingThatATraceMayHoldIsIndexed) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    connection_ = trace_store();
    const TraceIndex& index = store(any_trace(seed, 20'000));
    const auto labels = index.labels(0);
    const auto tracks = index.tracks();
    const auto kinds = index.flow_kinds();
    ASSERT_TRUE(labels && tracks && kinds);
    std::uint64_t slices = 0, begins = 0;
    for (const LabelTotals& label : *labels) {
      slices += label.sums.count;
      EXPECT_LE(label.sums.self, label.sums.total);
      for (const BinCount& bin : label.bins) begins += bin.count;
    }
    EXPECT_EQ(slices, trace_.slices.size());
    EXPECT_EQ(begins, trace_.slices.size());
    std::int64_t points = 0, ends = 0, expected_points = 0;
    for (const IndexedTrack& track : *tracks) points += track.points;
    for (const TracePoint& point : trace_.points) expected_points += point.phase != 'M';
    EXPECT_EQ(points, expected_points);
    for (const FlowKindCount& kind : *kinds) ends += kind.ends;
    EXPECT_EQ(ends, static_cast<std::int64_t>(trace_.flows.size()));
  }
}

TEST_F(Index, RowsByTheThousandAndATraceWithoutSlices) {
  Trace deep;
  for (int i = 0; i < 20'000; ++i) add_slice(&deep, 0, i, 100'000 - i, "deep");
  const TraceIndex& index = store(std::move(deep));
  const auto labels = index.labels(0);
  EXPECT_EQ((*labels)[1].sums.count, 20'000u);
  EXPECT_EQ((*labels)[1].sums.self, 100'000) << "what is within a slice is another's";
  connection_ = trace_store();
  Trace empty;
  empty.threads.emplace_back();
  EXPECT_TRUE(store(std::move(empty)).tracks()->empty());
}

TEST_F(Index, OneThatCannotBeReadKeepsNoOtherFromItsOwn) {
  store(busy_trace(4, 1000));
  const auto broken = std::to_string(static_cast<std::int64_t>(id_));
  const schema::TraceId other = put(connection_, busy_trace(5, 1000), nullptr, "another");
  ASSERT_TRUE(connection_.execute("COMMIT"));
  ASSERT_TRUE(connection_.execute("UPDATE trace_index SET version = 0"));
  ASSERT_TRUE(
      connection_.execute("UPDATE trace_chunk SET slices = x'00' WHERE trace_id = " + broken));
  const auto done = index_traces(connection_, ReindexScope::kStale);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, testing::HasSubstr("trace " + broken));
  EXPECT_TRUE(TraceIndex::open(connection_, other)->has_value());
}

TEST_F(Index, IsMadeOnceAndGoesWithTheTrace) {
  store(busy_trace(4, 1000));
  ASSERT_TRUE(connection_.execute("COMMIT"));
  EXPECT_EQ(*index_traces(connection_, ReindexScope::kStale), 0);
  EXPECT_EQ(*index_traces(connection_, ReindexScope::kAll), 1);
  EXPECT_EQ(*index_traces(connection_, ReindexScope::kAll, [] { return false; }), 0);
  ASSERT_TRUE(connection_.execute("UPDATE trace_index SET version = 0"));
  EXPECT_FALSE(TraceIndex::open(connection_, id_)->has_value()) << "made by older rules";
  EXPECT_EQ(*index_traces(connection_, ReindexScope::kStale), 1);
  EXPECT_TRUE(TraceIndex::open(connection_, id_)->has_value());
  const std::int64_t sums = count("trace_sums");
  EXPECT_GT(sums, 3);
  ASSERT_TRUE(connection_.execute("BEGIN"));
  ASSERT_TRUE(delete_trace(connection_, id_));
  for (const char* table : {"trace_index", "trace_label_sums", "trace_track", "trace_sums",
                            "trace_posting", "trace_flow_kind"}) {
    EXPECT_EQ(count(table), 0) << table;
  }
}

// The part of a slice that lies in a window, and the part of that which is its own.
struct Part {
  std::int64_t all = 0, own = 0;
};

std::int64_t overlap(const TraceSlice& slice, std::int64_t begin, std::int64_t end) {
  return std::max<std::int64_t>(0, std::min(slice.end(), end) - std::max(slice.start, begin));
}

TEST_F(Index, SumsOfWindowsAreThoseOfTheSlicesInThem) {
  // Groups are of 256 chunks or 4096 segments: many rows make several of few slices.
  Trace trace = busy_trace(5, 30'000);
  for (int burst = 0; burst < 6; ++burst) {
    for (int i = 0; i < 3000; ++i) {
      add_slice(&trace, 1, 70'000 * burst + i, 70'000 * burst + 10'000 - i, "deep");
    }
  }
  const TraceIndex& index = store(std::move(trace));
  EXPECT_GT(count("trace_sums WHERE is_group"), 3);
  std::mt19937_64 random(1);
  const auto span = static_cast<std::uint64_t>(index.end() - index.begin());
  for (int round = 0; round < 8; ++round) {
    std::int64_t begin = index.begin() + static_cast<std::int64_t>(random() % span);
    std::int64_t end = begin + 1 + static_cast<std::int64_t>(random() % (span >> round * 2 % 14));
    if (round == 0) begin = index.begin(), end = index.end() + 1;
    if (round == 1) begin = index.begin() - 5, end = index.end();
    std::vector<Part> parts(trace_.slices.size());
    for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) {
      const std::int64_t ns = overlap(trace_.slices[i], begin, end);
      parts[i].all += ns;
      parts[i].own += ns;
      if (nesting_.parent[i] != kNoSlice) parts[nesting_.parent[i]].own -= ns;
    }
    std::map<std::uint32_t, std::map<std::uint32_t, SliceSums>> expected;
    for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) {
      const TraceSlice& slice = trace_.slices[i];
      if (slice.start >= end || (slice.end() <= begin && slice.start < begin)) continue;
      expected[slice.thread][slice.label].add(
          SliceSums{1, parts[i].all, parts[i].own, parts[i].all, parts[i].all});
    }
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      const auto sums = sums_in_window(connection_, id_, index, thread, begin, end);
      ASSERT_TRUE(sums) << sums.error().message;
      EXPECT_EQ(by_label(*sums), expected[thread]) << begin << " to " << end;
    }
  }
}

TEST_F(Index, TheNextSliceOfSomeNamesIsFoundInEveryDirection) {
  const TraceIndex& index = store(busy_trace(6, 30'000));
  std::mt19937 random(2);
  for (const std::size_t names : {1U, 5U, 40U}) {
    NextQuery query;
    query.labels.resize(trace_.labels.size());
    for (std::size_t i = 1; i <= names; ++i) query.labels[i] = true;
    query.is_wanted = [](std::uint32_t thread) { return thread != 1; };
    using Hit = std::tuple<std::int64_t, std::uint32_t, std::uint64_t, std::uint32_t>;
    std::vector<Hit> hits;
    for (const std::uint32_t thread : {0U, 2U}) {
      const auto extents = index.extents(thread);
      for (std::uint64_t chunk = 0; chunk < extents->size(); ++chunk) {
        const auto slices = this->chunk(thread, chunk);
        for (std::uint32_t i = 0; i < slices.size(); ++i) {
          if (query.labels[slices[i].label]) hits.emplace_back(slices[i].begin, thread, chunk, i);
        }
      }
    }
    std::sort(hits.begin(), hits.end());
    ASSERT_GT(hits.size(), 100u);
    const auto found = [&]() -> std::optional<Hit> {
      const auto next = next_slice(connection_, id_, index, query);
      EXPECT_TRUE(next) << next.error().message;
      if (!*next) return {};
      return Hit((*next)->slice.begin, (*next)->id.thread, (*next)->id.chunk, (*next)->id.index);
    };
    for (int round = 0; round < 30; ++round) {
      const std::size_t at = random() % (hits.size() - 1);
      const auto& [begin, thread, chunk, i] = hits[at];
      query.from = begin;
      query.slice = SliceId{thread, chunk, i};
      query.forward = true;
      EXPECT_EQ(found(), hits[at + 1]);
      query.forward = false;
      EXPECT_EQ(found(), at == 0 ? std::nullopt : std::optional(hits[at - 1]));
      query.slice.reset();
      const auto first = std::find_if(hits.begin(), hits.end(),
                                      [&](const Hit& hit) { return std::get<0>(hit) >= begin; });
      query.forward = true;
      EXPECT_EQ(found(), *first);
    }
    query.from = std::get<0>(hits.back()) + 1;
    EXPECT_EQ(found(), std::nullopt);
    query.forward = false;
    EXPECT_EQ(found(), hits.back());
  }
}

TEST_F(Index, TheNextOfThousandsOfNames) {
  Trace trace;
  for (int i = 0; i < 30'000; ++i) add_slice(&trace, 0, 10 * i, 10 * i + 5, std::to_string(i));
  const TraceIndex& index = store(std::move(trace));
  NextQuery query;
  query.labels.resize(trace_.labels.size());
  for (std::size_t i = 20'001; i <= 22'000; ++i) query.labels[i] = true;
  query.from = 12;
  const auto next = next_slice(connection_, id_, index, query);
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->slice.begin, 200'000);
}

TEST(TraceSums, CountInFullAndHoldAtTheirMost) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  SliceSums sums;
  sums.add(kMost, kMost);
  sums.add(5, 3);
  EXPECT_EQ(sums, (SliceSums{2, kMost, kMost, 5, kMost}));
  const std::vector<LabelSums> rows = {{0, sums}, {4'000'000'000, {1, 9, 0, 9, 9}}};
  const auto read = decode_label_sums(encode_label_sums(rows));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, rows);
}

TEST(TraceSums, BytesThatAreNoneOfTheirsAreSaidToBe) {
  const auto of = [](std::initializer_list<std::uint64_t> numbers) {
    schema::ColumnWriter column;
    for (const std::uint64_t number : numbers) column.put(number);
    return column.bytes();
  };
  EXPECT_FALSE(decode_label_sums("no frame"));
  EXPECT_FALSE(decode_label_sums(schema::compress(of({2, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}))))
      << "the same label twice";
  EXPECT_FALSE(decode_label_sums(schema::compress(of({1, 1, 1, 5, 6, 0, 0}))))
      << "more within than all";
  EXPECT_FALSE(decode_label_sums(schema::compress(of({1'000'000'000}))));
  EXPECT_FALSE(decode_label_totals(schema::compress(of({1, 1, 5, 0, 5, 0, 1, 256, 1}))))
      << "no such part";
  EXPECT_FALSE(decode_ascending(of({2, 3, 0})));
  EXPECT_FALSE(decode_ascending(of({2, 3})));
  EXPECT_FALSE(decode_extents(schema::compress(of({1, 0, std::uint64_t{1} << 63}))));
  EXPECT_FALSE(decode_lengths(schema::compress(of({9'000}))));
  EXPECT_EQ(*decode_ascending(of({2, 3, 4})), (std::vector<std::uint64_t>{3, 7}));
}

}  // namespace
}  // namespace benchhud::trace
