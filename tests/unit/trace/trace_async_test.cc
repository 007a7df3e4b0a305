// What is asynchronous, as tracks: every begin and end that belong together are a slice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/trace/trace_samples.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

template <class Thing>
Thing of(schema::Expected<Thing> thing) {
  EXPECT_TRUE(thing);
  return std::move(*thing);
}

// Track, row, begin, duration, name.
using Lane = std::tuple<std::string, std::uint32_t, std::int64_t, std::int64_t, std::string>;

class Async : public testing::Test {
 protected:
  Async() : connection_(trace_store()) {
    for (const char* pid : {"1", "2"}) {
      TraceThread& thread = trace_.threads.emplace_back();
      thread.pid = pid;
      thread.tid = "7";
      thread.process_name = "process";
    }
  }

  void add(char phase, std::int64_t time, const std::string& name, const std::string& id,
           std::uint32_t thread = 0, const std::string& category = "net") {
    TraceArgs args;
    args.correlation = static_cast<std::int64_t>(trace_.points.size());
    trace_.points.push_back({time,
                             trace_.put_label({trace_.texts.put(name), trace_.texts.put(category)}),
                             thread, trace_.texts.put(id), trace_.args.put(args), phase});
  }

  // The slices of all tracks that are asynchronous.
  std::vector<Lane> lanes() {
    std::vector<Lane> found;
    TraceQueries lookup(connection_, id_);
    for (const StoredThread& thread : of(lookup.threads())) {
      if (!thread.is_async) continue;
      EXPECT_EQ(thread.thread.process_name, "process");
      std::int64_t left = thread.slices;
      for (std::uint64_t chunk = 0; left > 0; ++chunk) {
        for (std::uint32_t index = 0; left > 0; ++index, --left) {
          const auto placed = lookup.slice({thread.number, chunk, index});
          if (!placed) break;
          const LabelText label = of(lookup.label(placed->slice.label));
          found.emplace_back(thread.thread.pid + " " + thread.thread.name, placed->slice.row,
                             placed->slice.begin, placed->slice.duration, label.name);
        }
      }
    }
    return found;
  }
  void store() { id_ = put(connection_, trace_); }

  schema::Connection connection_;
  Trace trace_;
  schema::TraceId id_{};
};

TEST_F(Async, BeginsAndEndsOfOneIdNest) {
  add('b', 100, "request", "0x1");
  add('b', 120, "parse", "0x1");
  add('n', 130, "header", "0x1");
  add('e', 150, "parse", "0x1");
  add('b', 160, "answer", "0x1");
  add('e', 190, "", "0x1");  // an end need not say its name
  add('e', 200, "request", "0x1", 1);
  store();
  EXPECT_THAT(lanes(), ElementsAre(Lane{"1 async: request", 0, 100, 100, "request"},
                                   Lane{"1 async: request", 1, 120, 30, "parse"},
                                   Lane{"1 async: request", 1, 160, 30, "answer"},
                                   Lane{"1 async: request", 2, 130, 0, "header"}));
}

TEST_F(Async, IdsOverlapInRowsOfTheirOwn) {
  add('b', 100, "request", "0x1");
  add('b', 150, "request", "0x2");
  add('e', 200, "request", "0x1");
  add('e', 250, "request", "0x2");
  store();
  EXPECT_THAT(lanes(), ElementsAre(Lane{"1 async: request", 0, 100, 100, "request"},
                                   Lane{"1 async: request", 1, 150, 100, "request"}));
}

TEST_F(Async, OlderPhasesBelongTogetherByName) {
  add('S', 100, "load", "1");
  add('S', 110, "draw", "1");
  add('T', 120, "load", "1");
  add('F', 130, "load", "1");
  add('F', 140, "draw", "1");
  add('e', 150, "load", "1");  // of another kind
  store();
  EXPECT_THAT(lanes(), UnorderedElementsAre(Lane{"1 async: load", 0, 100, 30, "load"},
                                            Lane{"1 async: load", 1, 120, 0, "load"},
                                            Lane{"1 async: draw", 0, 110, 30, "draw"}));
}

TEST_F(Async, CategoriesAndLocalIdsKeepApart) {
  add('b', 100, "a", "1", 0, "x");
  add('b', 110, "a", "1", 0, "y");
  add('e', 120, "a", "1", 0, "x");
  add('e', 130, "a", "1", 0, "y");
  const std::string local = R"({"local": "0x5"})";
  add('b', 200, "l", local, 0);
  add('b', 210, "l", local, 1);
  add('e', 220, "l", local, 0);
  add('e', 230, "l", local, 1);
  store();
  EXPECT_THAT(lanes(), UnorderedElementsAre(Lane{"1 async: a", 0, 100, 20, "a"},
                                            Lane{"1 async: a", 0, 110, 20, "a"},
                                            Lane{"1 async: l", 0, 200, 20, "l"},
                                            Lane{"2 async: l", 0, 210, 20, "l"}));
}

TEST_F(Async, WhatHasNoOtherEndRemainsAPoint) {
  add('b', 100, "never ended", "1");
  add('e', 200, "never began", "2");
  add('e', 50, "never ended", "1");
  store();
  EXPECT_THAT(lanes(), IsEmpty());
  EXPECT_EQ(of(TraceQueries(connection_, id_).info()).points, 3);
}

TEST_F(Async, TheTraceItselfStaysAsItWas) {
  add_slice(&trace_, 0, 500, 600);
  add('b', 100, "request", "0x1");
  add('e', 900, "request", "0x1");
  store();
  expect_same(trace_, of(read_trace(connection_, id_)));
  TraceQueries lookup(connection_, id_);
  const TraceInfo info = of(lookup.info());
  EXPECT_EQ(info.slices, 1);
  EXPECT_EQ(info.origin, 100) << "what begins before the first slice is in sight";
  EXPECT_TRUE(info.has_async_tracks);
  const auto details = lookup.details({2, 0, 0});
  ASSERT_TRUE(details);
  EXPECT_EQ(details->extra.args.correlation, 0) << "the begin's";
  const auto index = of(TraceIndex::open(connection_, id_));
  EXPECT_EQ(of(index->thread_sums(2)).front().sums.total, 800);
}

TEST_F(Async, TheyAreMadeAnewAndGoWithTheTrace) {
  add('b', 100, "request", "0x1");
  add('e', 900, "request", "0x1");
  store();
  const auto before = lanes();
  ASSERT_EQ(before.size(), 1u);
  ASSERT_TRUE(index_trace(connection_, id_));
  EXPECT_EQ(lanes(), before);
  ASSERT_TRUE(delete_trace(connection_, id_));
  for (const char* table : {"trace_thread", "trace_chunk", "trace_group"}) {
    schema::Statement rows = connection_.prepare(std::string("SELECT count(*) FROM ") + table);
    ASSERT_TRUE(rows.step());
    EXPECT_EQ(rows.integer(0), 0) << table;
  }
}

// By chance, against a list of what is open that is looked through each time.
TEST_F(Async, ManyEventsAreEachASliceOnce) {
  std::mt19937 random(3);
  std::vector<std::tuple<std::string, std::string, std::int64_t>> open;
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> expected;
  for (std::int64_t time = 0; time < 30'000; ++time) {
    const std::string id = std::to_string(random() % 40), name = std::string(1, 'a' + random() % 5);
    if (random() % 2) {
      add('b', time, name, id);
      open.emplace_back(id, name, time);
      continue;
    }
    add('e', time, name, id, random() % 2);
    const auto found = std::find_if(open.rbegin(), open.rend(), [&](const auto& each) {
      return std::get<0>(each) == id && std::get<1>(each) == name;
    });
    if (found == open.rend()) continue;
    expected.emplace_back(std::get<2>(*found), time - std::get<2>(*found), name);
    open.erase(std::prev(found.base()));
  }
  store();
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> got;
  for (const auto& [track, row, begin, duration, name] : lanes()) {
    got.emplace_back(begin, duration, name);
  }
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_GT(expected.size(), 5000u);
  EXPECT_TRUE(got == expected);
}

TEST_F(Async, AThousandTracksAreEnough) {
  for (int i = 0; i < 1500; ++i) {
    add('n', i, "name " + std::to_string(i), "1");
  }
  store();
  const auto threads = of(TraceQueries(connection_, id_).threads());
  EXPECT_EQ(threads.size(), 2u + 1001u);
  EXPECT_EQ(threads.back().thread.name, "async: all others");
  EXPECT_EQ(threads.back().slices, 500);
}

}  // namespace
}  // namespace benchhud::trace
