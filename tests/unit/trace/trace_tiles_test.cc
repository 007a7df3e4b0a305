// Tiles against the slices themselves, at every zoom.

#include "trace/trace_tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "schema/base/column_codec.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/trace_nesting.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {
namespace {

constexpr auto kEarliest = std::numeric_limits<std::int64_t>::min();
constexpr auto kLatest = std::numeric_limits<std::int64_t>::max();

class TileCheck {
 public:
  explicit TileCheck(const Trace& trace)
      : connection_(trace_store()),
        id_(put(connection_, trace)),
        reader_(connection_, id_),
        lookup_(connection_, id_) {
    const TraceNesting nesting = nest(trace, NestingRows::kYes);
    for (const std::uint32_t index : nesting.order) {
      const TraceSlice& slice = trace.slices[index];
      rows_[slice.thread][nesting.row[index]].push_back(slice);
    }
  }

  /// Random windows of every width. Returns how many items stood for several slices.
  std::size_t at_every_zoom(std::int64_t begin, std::int64_t end, int windows = 3) {
    std::mt19937_64 random(5);
    const std::uint64_t span = schema::distance(begin, end);
    for (std::uint64_t width = span; width > 0; width /= 3) {
      for (int i = 0; i < windows; ++i) {
        const std::uint64_t at = width == span ? 0 : random() % (span - width);
        const std::int64_t from = schema::wrapping_sum(begin, static_cast<std::int64_t>(at));
        const std::int64_t to = schema::wrapping_sum(from, static_cast<std::int64_t>(width));
        for (const auto& [thread, rows] : rows_) {
          for (const std::uint32_t buckets : {1U, 50U, 1024U}) {
            check({.thread = thread, .begin = from, .end = to, .buckets = buckets});
            if (testing::Test::HasFailure()) return 0;
          }
        }
      }
    }
    return aggregates_;
  }

  void check(const TileQuery& query) {
    SCOPED_TRACE(testing::Message() << "thread " << query.thread << " [" << query.begin << ", "
                                    << query.end << ") in " << query.buckets);
    const auto tile = reader_.tile(query);
    ASSERT_TRUE(tile) << tile.error().message;
    std::uint64_t count = 0;
    auto found = tile->rows.begin();
    for (const auto& [row, slices] : rows_[query.thread]) {
      if (row < query.first_row || row > query.last_row) continue;
      std::vector<TileItem> none;
      const bool is_there = found != tile->rows.end() && found->row == row;
      const std::uint64_t of_row =
          check_row(query, tile->bucket, slices, is_there ? found->items : none);
      if (testing::Test::HasFatalFailure()) return;
      if (is_there) {
        EXPECT_FALSE(found->items.empty());
        ++found;
      }
      count += of_row;
    }
    EXPECT_EQ(found, tile->rows.end());
    EXPECT_EQ(tile->count, count);
  }

  TraceQueries& lookup() { return lookup_; }

 private:
  // Returns how many slices begin in the window.
  std::uint64_t check_row(const TileQuery& query, std::uint64_t bucket,
                          const std::vector<TraceSlice>& slices,
                          const std::vector<TileItem>& items) {
    auto slice = std::lower_bound(
        slices.begin(), slices.end(), query.begin,
        [](const TraceSlice& each, std::int64_t time) { return each.start < time; });
    const auto end = std::lower_bound(
        slice, slices.end(), query.end,
        [](const TraceSlice& each, std::int64_t time) { return each.start < time; });
    const auto count = static_cast<std::uint64_t>(end - slice);
    auto item = items.begin();
    if (slice != slices.begin() && std::prev(slice)->end() > query.begin) {
      check_item(item, items, slices, std::prev(slice), std::prev(slice), bucket, true);
      if (testing::Test::HasFatalFailure()) return 0;
      ++item;
    }
    for (; item != items.end(); ++item) {
      if (item->count == 0 || item->count > static_cast<std::uint64_t>(end - slice)) {
        ADD_FAILURE() << "more slices than there are";
        return 0;
      }
      const auto last = slice + static_cast<std::ptrdiff_t>(item->count) - 1;
      check_item(item, items, slices, slice, last, bucket, false);
      if (testing::Test::HasFailure()) return 0;
      slice = last + 1;
    }
    EXPECT_EQ(slice, end) << "a slice is in no item";
    return count;
  }

  using Slice = std::vector<TraceSlice>::const_iterator;
  void check_item(std::vector<TileItem>::const_iterator item, const std::vector<TileItem>& items,
                  const std::vector<TraceSlice>&, Slice first, Slice last, std::uint64_t bucket,
                  bool reaches_in) {
    ASSERT_NE(item, items.end());
    EXPECT_EQ(item->reaches_in, reaches_in);
    EXPECT_EQ(item->begin, first->start);
    EXPECT_EQ(item->end, last->end());
    EXPECT_EQ(item->count, static_cast<std::uint64_t>(last - first) + 1);
    std::uint64_t busy = 0;
    Slice longest = first;
    for (Slice each = first; each <= last; ++each) {
      busy += static_cast<std::uint64_t>(each->duration);
      if (each->duration > longest->duration) longest = each;
    }
    EXPECT_EQ(item->busy, busy);
    EXPECT_EQ(item->label, longest->label);
    if (item->count > 1) {
      ++aggregates_;
      EXPECT_LT(schema::distance(item->begin, item->end), bucket);
    }
    // Neighbours that would fit into a bucket are one item.
    if (!reaches_in && item != items.begin() && !std::prev(item)->reaches_in) {
      EXPECT_GE(schema::distance(std::prev(item)->begin, item->end), bucket);
    }
    if (++checked_ % 97 != 0) return;
    const auto placed = lookup_.slice(item->slice);
    ASSERT_TRUE(placed);
    EXPECT_EQ(placed->slice.begin, first->start);
    EXPECT_EQ(placed->slice.duration, first->duration);
    EXPECT_EQ(placed->slice.label, first->label);
  }

  schema::Connection connection_;
  schema::TraceId id_;
  TileReader reader_;
  TraceQueries lookup_;
  std::map<std::uint32_t, std::map<std::uint32_t, std::vector<TraceSlice>>> rows_;
  std::size_t aggregates_ = 0, checked_ = 0;
};

TEST(TraceTiles, DenseTinySlices) {
  std::mt19937 random(1);
  Trace trace;
  std::int64_t time = 0;
  for (int i = 0; i < 150'000; ++i) {
    const std::int64_t end = time + random() % 4;
    add_slice(&trace, 0, time, end, "name " + std::to_string(random() % 50));
    time = end + random() % 2;
  }
  EXPECT_GT(TileCheck(trace).at_every_zoom(-10, time + 10), 1000u);
}

TEST(TraceTiles, BurstsAndLongGaps) {
  std::mt19937 random(2);
  Trace trace;
  std::int64_t time = 0;
  for (int burst = 0; burst < 200; ++burst) {
    for (int i = random() % 1500; i > 0; --i) {
      const std::int64_t end = time + 10 + random() % 50;
      add_slice(&trace, 0, time, end, "name " + std::to_string(random() % 50));
      time = end + random() % 9;
    }
    time += 1'000'000 + random() % 50'000'000;
  }
  EXPECT_GT(TileCheck(trace).at_every_zoom(0, time), 1000u);
}

TEST(TraceTiles, SlicesWithoutDuration) {
  Trace trace;
  for (int i = 0; i < 30'000; ++i) add_slice(&trace, 0, i / 100, i / 100, i % 7 ? "a" : "b");
  add_slice(&trace, 0, 50, 250);
  TileCheck check(trace);
  check.at_every_zoom(-5, 305, 20);
  check.check({.thread = 0, .begin = 100, .end = 101, .buckets = 1024});
}

TEST(TraceTiles, SlicesLongerThanTheWindow) {
  Trace trace;
  for (int depth = 0; depth < 40; ++depth) add_slice(&trace, 0, depth, 1'000'000 - depth);
  for (int i = 0; i < 30'000; ++i) add_slice(&trace, 0, 100 + 10 * i, 105 + 10 * i);
  TileCheck(trace).at_every_zoom(0, 1'000'000, 10);
}

TEST(TraceTiles, Anything) {
  const Trace trace = any_trace(4, 60'000);
  TileCheck check(trace);
  std::int64_t end = 0;
  for (const TraceSlice& slice : trace.slices) {
    if (slice.start < kLatest / 2) end = std::max(end, slice.start);
  }
  EXPECT_GT(check.at_every_zoom(0, end, 1), 1000u);
  check.at_every_zoom(kEarliest, kLatest, 1);
}

TEST(TraceTiles, OnlySomeRows) {
  Trace trace;
  for (int i = 0; i < 20'000; ++i) {
    for (int depth = 0; depth < 5; ++depth) add_slice(&trace, 0, 100 * i + depth, 100 * i + 90);
  }
  TileCheck check(trace);
  check.check({.thread = 0, .begin = 0, .end = 2'000'000, .first_row = 1, .last_row = 3});
  check.check({.thread = 0, .begin = 5'000, .end = 10'000, .first_row = 4});
}

TEST(TraceTiles, WhatMakesNoSense) {
  schema::Connection connection = trace_store();
  TileReader reader(connection, put(connection, Trace()));
  const auto code = [&](const TileQuery& query) { return reader.tile(query).error().code; };
  EXPECT_EQ(code({.begin = 5, .end = 5}), schema::ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.begin = 5, .end = 9, .buckets = 0}), schema::ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.begin = 5, .end = 9, .buckets = 70'000}), schema::ErrorCode::kInvalidArgument);
  EXPECT_TRUE(reader.tile({.thread = 17, .begin = 5, .end = 9})->rows.empty());
}

// A tile costs what is drawn: with twenty times the slices, not twenty times the blocks.
TEST(TraceTiles, WideNodesAloneAreLookedInto) {
  const auto blobs_read = [](int slices) {
    schema::Connection connection = trace_store();
    Trace trace;
    for (int i = 0; i < slices; ++i) add_slice(&trace, 0, 10 * i, 10 * i + 5);
    const schema::TraceId id = put(connection, trace);
    // Chunks that are not needed are not missed.
    EXPECT_TRUE(connection.execute("UPDATE trace_chunk SET slices = x'', nodes = x''"));
    return TileReader(connection, id)
        .tile({.thread = 0, .begin = 0, .end = 10 * std::int64_t{slices}, .buckets = 50})
        .has_value();
  };
  EXPECT_FALSE(blobs_read(5'000));
  EXPECT_TRUE(blobs_read(100'000));
}

class Lookup : public testing::Test {
 protected:
  Lookup() : connection_(trace_store()) {}
  TraceQueries& store(PackedArgs* args = nullptr) {
    return lookup_.emplace(connection_, put(connection_, trace_, args));
  }
  SliceId at(std::uint32_t thread, std::uint32_t row, std::int64_t time) {
    const auto found = lookup_->slice_at(thread, row, time);
    EXPECT_TRUE(found && *found);
    return (*found)->id;
  }

  schema::Connection connection_;
  Trace trace_;
  std::optional<TraceQueries> lookup_;
};

TEST_F(Lookup, DetailsOfASlice) {
  PackedArgs packed;
  packed.put("{}");
  add_slice(&trace_, 1, 10, 20, "kernel");
  TraceArgs args;
  args.correlation = 7;
  args.packed = packed.put(R"({"grid": [1, 2]})");
  args.origin = trace_.texts.put("triton");
  trace_.slices[0].args = trace_.args.put(args);
  trace_.bandwidths.push_back({0, 512, 0.5});
  store(&packed);
  const auto details = lookup_->details(at(1, 0, 15));
  ASSERT_TRUE(details) << details.error().message;
  EXPECT_EQ(details->label.name, "kernel");
  EXPECT_EQ(details->placed.slice.begin, 10);
  EXPECT_EQ(details->placed.slice.end(), 20);
  EXPECT_EQ(details->extra.args.correlation, 7);
  EXPECT_EQ(details->extra.args.sequence, TraceArgs::kAbsent);
  EXPECT_EQ(details->extra.gigabytes_per_second, 0.5);
  EXPECT_EQ(details->origin, "triton");
  EXPECT_EQ(details->arguments, R"({"grid": [1, 2]})");
  EXPECT_EQ(lookup_->details({1, 0, 1}).error().code, schema::ErrorCode::kNotFound);
  EXPECT_EQ(lookup_->details({1, 1, 0}).error().code, schema::ErrorCode::kNotFound);
  EXPECT_EQ(lookup_->details({9, 0, 0}).error().code, schema::ErrorCode::kNotFound);
  EXPECT_EQ(lookup_->label(2).error().code, schema::ErrorCode::kNotFound);
}

TEST_F(Lookup, ParentsAreThoseOfTheNesting) {
  trace_ = any_trace(9, 20'000);
  store();
  const TraceNesting nesting = nest(trace_, NestingRows::kYes);
  for (std::uint32_t i = 0; i < trace_.slices.size(); i += 101) {
    const TraceSlice& slice = trace_.slices[i];
    if (slice.duration == 0) continue;  // of two at one moment, slice_at() gives the last
    const auto parents = lookup_->parents(at(slice.thread, nesting.row[i], slice.start));
    ASSERT_TRUE(parents) << parents.error().message;
    std::uint32_t expected = nesting.parent[i];
    for (const PlacedSlice& parent : *parents) {
      ASSERT_NE(expected, kNoSlice);
      EXPECT_EQ(parent.slice.begin, trace_.slices[expected].start);
      EXPECT_EQ(parent.slice.duration, trace_.slices[expected].duration);
      expected = nesting.parent[expected];
    }
    EXPECT_EQ(expected, kNoSlice);
  }
}

TEST_F(Lookup, PointsOfAWindow) {
  add_slice(&trace_, 2, 0, 1);
  for (int i = 0; i < 20'000; ++i) {
    trace_.points.push_back({i / 2, 0, static_cast<std::uint32_t>(i % 3), 0, 0, i % 5 ? 'i' : 'C'});
  }
  store();
  const auto count = [&](const PointQuery& query) {
    const auto window = lookup_->points(query);
    EXPECT_TRUE(window);
    return std::pair(window->events.size(), window->is_cut);
  };
  const auto expected = [&](auto wanted) {
    return std::pair(
        static_cast<std::size_t>(std::count_if(trace_.points.begin(), trace_.points.end(), wanted)),
        false);
  };
  EXPECT_EQ(count({.thread = 1, .begin = 100, .end = 9'000, .phase = {}}),
            expected([](const TracePoint& p) {
              return p.thread == 1 && p.time >= 100 && p.time < 9'000;
            }));
  EXPECT_EQ(count({.thread = {}, .begin = 5'000, .end = 5'010, .phase = 'C'}),
            expected([](const TracePoint& p) {
              return p.phase == 'C' && p.time >= 5'000 && p.time < 5'010;
            }));
  EXPECT_EQ(count({.thread = {}, .begin = 0, .end = 10'000, .phase = {}, .limit = 50}),
            std::pair(std::size_t{50}, true));
}

TEST_F(Lookup, FlowsOfASlice) {
  using Step = TraceFlow::Step;
  add_slice(&trace_, 0, 0, 100'000, "outer");
  for (int i = 0; i < 9'000; ++i) {
    add_slice(&trace_, 0, 10 * i, 10 * i + 5, "launch");
    add_slice(&trace_, 1, 10 * i + 7, 10 * i + 16, "kernel");
    const auto key = static_cast<std::uint64_t>(i) << 32;
    trace_.flows.push_back({10 * i + 1, key, 0, 0, Step::kStart});
    trace_.flows.push_back({10 * i + 7, key, 0, 1, Step::kEnd});
  }
  // One flow from the outer slice to the device, a long way off, and back.
  trace_.flows.push_back({7, 99, 0, 0, Step::kStart});
  trace_.flows.push_back({50'008, 99, 0, 1, Step::kStep});
  trace_.flows.push_back({90'009, 99, 0, 0, Step::kEnd});
  store();
  const auto times = [&](const SliceId& id, std::size_t limit = 1000) {
    const auto found = lookup_->flows_on(id, limit);
    EXPECT_TRUE(found);
    std::vector<std::int64_t> all;
    for (const PlacedFlow& each : found->events) all.push_back(each.flow.time);
    return all;
  };
  // The times of the ends before and after the first end on a slice; -1 where there is none.
  const auto beside = [&](const SliceId& id) {
    const auto found = lookup_->flows_on(id);
    EXPECT_TRUE(found && !found->events.empty());
    const auto before = lookup_->flow_before(found->events.front());
    const auto after = lookup_->flow_after(found->events.front());
    EXPECT_TRUE(before && after);
    const auto time = [](const auto& end) { return end ? end->flow.time : -1; };
    return std::pair(time(*before), time(*after));
  };
  using testing::ElementsAre;
  EXPECT_THAT(times(at(0, 1, 10 * 4'321 + 2)), ElementsAre(43'211));
  EXPECT_EQ(beside(at(0, 1, 10 * 4'321 + 2)), std::pair(-1L, 43'217L));
  EXPECT_THAT(times(at(1, 0, 50'007)), ElementsAre(50'007, 50'008));
  EXPECT_EQ(beside(at(1, 0, 50'007)), std::pair(50'001L, -1L));
  EXPECT_THAT(times(at(0, 0, 8)), ElementsAre(7, 90'009));
  EXPECT_EQ(beside(at(0, 0, 8)), std::pair(-1L, 50'008L));
  EXPECT_EQ(times(at(0, 0, 8), 1).size(), 1u);
  const auto window = lookup_->flows({.thread = {}, .begin = 40'000, .end = 40'010});
  ASSERT_TRUE(window);
  EXPECT_EQ(window->events.size(), 2u);
  EXPECT_EQ(lookup_->flow(18'003).error().code, schema::ErrorCode::kNotFound);
}

TEST_F(Lookup, SelfTimesAreThoseOfTheNesting) {
  trace_ = any_trace(11, 20'000);
  store();
  const TraceNesting nesting = nest(trace_, NestingRows::kYes);
  std::vector<std::int64_t> self;
  for (const TraceSlice& slice : trace_.slices) self.push_back(slice.duration);
  for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) {
    if (nesting.parent[i] != kNoSlice) self[nesting.parent[i]] -= trace_.slices[i].duration;
  }
  std::size_t parents = 0;
  for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) {
    const TraceSlice& slice = trace_.slices[i];
    const bool is_parent = self[i] != slice.duration;
    if (slice.duration == 0 || (!is_parent && i % 101 != 0)) continue;
    parents += is_parent;
    const auto placed = lookup_->slice(at(slice.thread, nesting.row[i], slice.start));
    ASSERT_TRUE(placed);
    const auto found = lookup_->self_time(*placed);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, self[i]);
  }
  EXPECT_GT(parents, 100u);
}

TEST_F(Lookup, TheInnermostSliceAtATime) {
  add_slice(&trace_, 0, 0, 100, "outer");
  add_slice(&trace_, 0, 10, 50, "inner");
  add_slice(&trace_, 0, 50, 60, "next");
  add_slice(&trace_, 0, 90, 120, "overlaps");
  store();
  const auto name = [&](std::int64_t time, std::uint32_t thread = 0) -> std::string {
    const auto found = lookup_->innermost_at(thread, time);
    EXPECT_TRUE(found) << found.error().message;
    return *found ? lookup_->label((*found)->slice.label)->name : "none";
  };
  EXPECT_EQ(name(-1), "none");
  EXPECT_EQ(name(0), "outer");
  EXPECT_EQ(name(49), "inner");
  EXPECT_EQ(name(50), "next");
  EXPECT_EQ(name(60), "next") << "the moment of its end is its";
  EXPECT_EQ(name(61), "outer");
  EXPECT_EQ(name(110), "overlaps");
  EXPECT_EQ(name(120), "overlaps");
  EXPECT_EQ(name(121), "none");
}

TEST_F(Lookup, FlowsThatEndOnTheSliceItself) {
  using Step = TraceFlow::Step;
  add_slice(&trace_, 0, 0, 100, "outer");
  add_slice(&trace_, 0, 10, 20, "launch");
  add_slice(&trace_, 1, 30, 40, "kernel");
  trace_.flows.push_back({.time = 15, .key = 1, .category = 0, .thread = 0, .step = Step::kStart});
  trace_.flows.push_back({.time = 30, .key = 1, .category = 0, .thread = 1, .step = Step::kStep});
  trace_.flows.push_back({.time = 80, .key = 1, .category = 0, .thread = 0, .step = Step::kEnd});
  store();
  const auto ends = lookup_->flows_on(at(1, 0, 30));
  ASSERT_TRUE(ends);
  ASSERT_EQ(ends->events.size(), 1u);
  const auto before = lookup_->flow_before(ends->events[0]);
  const auto after = lookup_->flow_after(ends->events[0]);
  ASSERT_TRUE(before && *before && after && *after);
  EXPECT_EQ((*before)->flow.time, 15);
  EXPECT_EQ((*after)->flow.time, 80);
  EXPECT_FALSE(lookup_->flow_before(**before)->has_value());
  const auto of_outer = lookup_->flows_on(at(0, 0, 0));
  ASSERT_TRUE(of_outer);
  ASSERT_EQ(of_outer->events.size(), 1u) << "what is on the launch is not on what is around it";
  EXPECT_EQ(of_outer->events[0].flow.time, 80);
  EXPECT_TRUE(lookup_->flows_on(at(0, 0, 0), 0)->is_cut);
}

}  // namespace
}  // namespace benchhud::trace
