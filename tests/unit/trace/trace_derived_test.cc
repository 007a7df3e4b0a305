// Tracks that repeat slices are stored beside a trace's own, and nothing counts them.
#include "trace/trace_derived.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/trace/trace_samples.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"
#include "trace/trace_tiles.h"

namespace benchhud::trace {
namespace {

using testing::ElementsAre;

template <class Thing>
Thing of(schema::Expected<Thing> thing) {
  EXPECT_TRUE(thing);
  return std::move(*thing);
}

DerivedTracks made_up(int slices) {
  DerivedTracks derived;
  // One of the names is a text of the trace already.
  const std::uint32_t names[] = {derived.names.put("slice"), derived.names.put("module")};
  DerivedTrack& track = derived.tracks.emplace_back();
  track.thread.tid = "derived XLA Ops";
  track.thread.name = "XLA Ops";
  track.stack_rows = {0};
  for (int i = 0; i < slices; ++i) track.slices.push_back({10 * i, 10, names[i % 2], 0});
  return derived;
}

class Derived : public testing::Test {
 protected:
  Derived() : connection_(trace_store()) {
    for (int i = 0; i < 5000; ++i) add_slice(&trace_, i % 2, 10 * i, 10 * i + 8, "slice");
    id_ = put(connection_, trace_);
  }

  // What is summed up of a trace: of each label how many slices and how long, of each track.
  std::vector<std::int64_t> sums() {
    std::vector<std::int64_t> all;
    const auto index = of(TraceIndex::open(connection_, id_));
    EXPECT_TRUE(index);
    const auto add = [&](std::uint32_t label, const LabelTotals& totals) -> schema::Expected<void> {
      all.insert(all.end(), {label, static_cast<std::int64_t>(totals.sums.count), totals.sums.total,
                             totals.sums.self});
      return {};
    };
    EXPECT_TRUE(for_each_used_label(*index, add));
    for (const IndexedTrack& track : of(index->tracks())) {
      all.insert(all.end(),
                 {track.thread, track.busy, static_cast<std::int64_t>(track.sums.size())});
    }
    const TraceInfo info = of(TraceQueries(connection_, id_).info());
    all.insert(all.end(), {index->begin(), index->end(), info.slices, info.origin, info.events});
    return all;
  }

  schema::Connection connection_;
  Trace trace_;
  schema::TraceId id_{};
};

TEST_F(Derived, TracksAreShownAndNotCounted) {
  const std::vector<std::int64_t> before = sums();
  EXPECT_FALSE(of(TraceQueries(connection_, id_).info()).has_derived_tracks);
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(10'000)));
  ASSERT_TRUE(index_trace(connection_, id_));
  EXPECT_EQ(sums(), before);

  TraceQueries lookup(connection_, id_);
  EXPECT_TRUE(of(lookup.info()).has_derived_tracks);
  const auto threads = of(lookup.threads());
  ASSERT_EQ(threads.size(), 3U);
  EXPECT_FALSE(threads[1].is_derived);
  EXPECT_TRUE(threads[2].is_derived);
  EXPECT_EQ(threads[2].thread.name, "XLA Ops");
  EXPECT_EQ(threads[2].slices, 10'000);
  const Tile tile =
      of(TileReader(connection_, id_)
             .tile({.thread = 2, .begin = 0, .end = 20, .buckets = 20, .last_row = 9}));
  ASSERT_EQ(tile.rows.size(), 1U);
  ASSERT_EQ(tile.rows[0].items.size(), 2U);
  EXPECT_EQ(of(lookup.label(tile.rows[0].items[0].label)).name, "slice");
  const LabelText label = of(lookup.label(tile.rows[0].items[1].label));
  EXPECT_EQ(label.name, "module");
  EXPECT_EQ(label.category, kDerivedCategory);

  // The trace is what was read of the file.
  EXPECT_EQ(of(read_trace(connection_, id_)).slices.size(), trace_.slices.size());
  EXPECT_EQ(of(read_trace(connection_, id_)).threads.size(), trace_.threads.size());
}

TEST_F(Derived, TracksTakeThePlaceOfThoseBefore) {
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(100)));
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(50)));
  ASSERT_TRUE(index_trace(connection_, id_));
  const auto threads = of(TraceQueries(connection_, id_).threads());
  ASSERT_EQ(threads.size(), 3U);
  EXPECT_EQ(threads[2].slices, 50);
}

TEST_F(Derived, LabelsOfTracksBeforeAreFoundAgain) {
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(100)));
  const std::int64_t labels = of(TraceQueries(connection_, id_).info()).labels;
  const auto blocks = [&] {
    auto rows = connection_.prepare("SELECT count(*) FROM trace_block");
    EXPECT_TRUE(rows.step());
    return rows.integer(0);
  };
  const std::int64_t before = blocks();
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(100)));
  EXPECT_EQ(of(TraceQueries(connection_, id_).info()).labels, labels);
  EXPECT_EQ(blocks(), before);

  // A name that is new has a label of its own, behind the others.
  DerivedTracks derived = made_up(100);
  derived.tracks[0].slices[0].label = derived.names.put("another module");
  ASSERT_TRUE(put_derived_tracks(connection_, id_, derived));
  ASSERT_TRUE(index_trace(connection_, id_));
  TraceQueries lookup(connection_, id_);
  EXPECT_EQ(of(lookup.info()).labels, labels + 1);
  const Tile tile =
      of(TileReader(connection_, id_)
             .tile({.thread = 2, .begin = 0, .end = 30, .buckets = 30, .last_row = 9}));
  ASSERT_EQ(tile.rows.size(), 1U);
  std::vector<std::string> names;
  for (const auto& item : tile.rows[0].items) {
    const LabelText label = of(lookup.label(item.label));
    EXPECT_EQ(label.category, kDerivedCategory);
    names.push_back(label.name);
  }
  EXPECT_THAT(names, ElementsAre("another module", "module", "slice"));
}

TEST_F(Derived, TracksWithoutRoomForTheirLabelsAreNotTriedAgain) {
  const auto set_labels = [&](std::int64_t count) {
    return connection_.execute("UPDATE trace SET label_count = " + std::to_string(count));
  };
  EXPECT_TRUE(of(TraceQueries(connection_, id_).info()).lacks_derived_tracks);
  ASSERT_TRUE(set_labels(kMostIndexedLabels - 1));
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(100)));
  const TraceInfo info = of(TraceQueries(connection_, id_).info());
  EXPECT_FALSE(info.has_derived_tracks);
  EXPECT_FALSE(info.lacks_derived_tracks);
  EXPECT_EQ(info.labels, kMostIndexedLabels - 1);
  EXPECT_EQ(of(TraceQueries(connection_, id_).threads()).size(), 2U);
  // Other rules may need fewer.
  ASSERT_TRUE(connection_.execute("UPDATE trace SET derived_version = derived_version + 1"));
  EXPECT_TRUE(of(TraceQueries(connection_, id_).info()).lacks_derived_tracks);
  ASSERT_TRUE(set_labels(kMostIndexedLabels - 2));
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(100)));
  EXPECT_TRUE(of(TraceQueries(connection_, id_).info()).has_derived_tracks) << "as many as may be";
}

TEST_F(Derived, TracksByOlderRulesAreNotDerived) {
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(100)));
  ASSERT_TRUE(connection_.execute("UPDATE trace SET derived_version = derived_version - 1"));
  EXPECT_FALSE(of(TraceQueries(connection_, id_).info()).has_derived_tracks);
}

TEST_F(Derived, TracksGoWithTheirTrace) {
  ASSERT_TRUE(put_derived_tracks(connection_, id_, made_up(100)));
  ASSERT_TRUE(delete_trace(connection_, id_));
  for (const std::string table : {"trace_thread", "trace_chunk", "trace_group", "trace_block"}) {
    auto rows = connection_.prepare("SELECT count(*) FROM " + table);
    ASSERT_TRUE(rows.step());
    EXPECT_EQ(rows.integer(0), 0) << table;
  }
}

}  // namespace
}  // namespace benchhud::trace
