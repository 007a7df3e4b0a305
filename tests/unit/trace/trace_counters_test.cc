// Counters, arrows and notes of stored traces.

#include "trace/trace_counters.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "schema/store/migrate.h"
#include "tests/unit/schema/older_store.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/answers/trace_arrows.h"
#include "trace/trace_index.h"
#include "trace/trace_note.h"

namespace benchhud::trace {
namespace {

class Counters : public testing::Test {
 protected:
  Counters() : connection_(trace_store()) { add_slice(&trace_, 1, 0, 10); }

  void add(std::uint32_t thread, std::int64_t time, const std::string& name,
           const std::string& arguments, char phase = 'C') {
    TraceArgs args;
    args.packed = packed_.put(arguments);
    trace_.points.push_back({time, trace_.put_label({trace_.texts.put(name), 0}), thread, 0,
                             trace_.args.put(args), phase});
  }
  void store() { id_ = put(connection_, trace_, &packed_); }
  std::vector<TraceCounter> counters() {
    const auto found = trace_counters(connection_, id_);
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }

  schema::Connection connection_;
  Trace trace_;
  PackedArgs packed_;
  schema::TraceId id_{};
};

TEST_F(Counters, AreByThreadNameAndKeyAndOnlyOfNumbers) {
  packed_.put("{}");
  add(0, 5, "memory", R"({"used": 10, "free": 2.5, "unit": "MB", "deep": {"a": 1}})");
  add(0, 7, "memory", R"({"used": -3})");
  add(1, 7, "memory", R"({"used": 1})");
  add(0, 8, "memory", "{not JSON");
  add(0, 9, "memory", R"([1, 2])");
  add(0, 9, "instant", R"({"used": 1})", 'i');
  store();
  std::map<std::string, TraceCounter> found;
  for (const TraceCounter& each : counters()) {
    found[std::to_string(each.thread) + each.name + "." + each.key] = each;
  }
  EXPECT_EQ(found.count("0memory.used"), 1u);
  EXPECT_EQ(found.count("0memory.free"), 1u);
  EXPECT_EQ(found.count("1memory.used"), 1u);
  EXPECT_EQ(found.count("0memory.unit") + found.count("0memory.deep"), 0u);
  EXPECT_EQ(found.count("0instant.used"), 0u);
  const TraceCounter& used = found["0memory.used"];
  EXPECT_EQ(used.count, 2);
  EXPECT_EQ(used.min, -3);
  EXPECT_EQ(used.max, 10);
}

TEST_F(Counters, WindowsAreThoseOfTheValues) {
  packed_.put("{}");
  std::mt19937 random(3);
  std::vector<std::pair<std::int64_t, double>> values;
  std::int64_t time = -5000;
  for (int i = 0; i < 20'000; ++i) {
    time += random() % 50;
    values.emplace_back(time, static_cast<double>(random() % 1000) / 8);
    add(0, time, "c", "{\"v\": " + std::to_string(values.back().second) + "}");
  }
  store();
  ASSERT_EQ(counters().size(), 1u);
  for (int round = 0; round < 40; ++round) {
    CounterQuery query;
    query.begin = -6000 + static_cast<std::int64_t>(random() % 500'000);
    query.end = query.begin + 1 + static_cast<std::int64_t>(random() % (600'000 >> round % 15));
    query.buckets = std::vector<std::uint32_t>{1, 7, 512}[static_cast<std::size_t>(round) % 3];
    const std::int64_t width = (query.end - query.begin + query.buckets - 1) / query.buckets;
    std::map<std::int64_t, CounterPart> expected;
    std::optional<double> before;
    for (const auto& [at, value] : values) {
      if (at < query.begin) before = value;
      if (at < query.begin || at >= query.end) continue;
      const std::int64_t part = query.begin + (at - query.begin) / width * width;
      const auto [place, is_new] =
          expected.try_emplace(part, CounterPart{part, value, value, value});
      place->second.min = std::min(place->second.min, value);
      place->second.max = std::max(place->second.max, value);
      place->second.last = value;
    }
    const auto window = counter_window(connection_, id_, query);
    ASSERT_TRUE(window) << window.error().message;
    EXPECT_EQ(window->before, before);
    ASSERT_EQ(window->parts.size(), expected.size());
    auto part = window->parts.begin();
    for (const auto& [at, each] : expected) {
      EXPECT_EQ(part->at, at);
      EXPECT_EQ(part->min, each.min);
      EXPECT_EQ(part->max, each.max);
      EXPECT_EQ(part->last, each.last);
      ++part;
    }
  }
  EXPECT_FALSE(counter_window(connection_, id_, {.number = 0, .begin = 1, .end = 1}));
}

TEST_F(Counters, BeyondThoseThatAreKeptAreCountedOnce) {
  packed_.put("{}");
  // Each comes twice; the last 5 are told apart by thread, name or key.
  for (int i = 0; i < 2 * 10'000; ++i) {
    add(0, i, "c" + std::to_string(i % 10'000), R"({"v": 1})");
  }
  for (int i = 0; i < 2; ++i) {
    add(0, 30'000 + i, "c", R"({"a": 1, "b": 2})");
    add(1, 30'000 + i, "c", R"({"a": 1})");
    add(0, 30'000 + i, "d", R"({"a": 1, "a b": 1})");
  }
  store();
  EXPECT_EQ(counters().size(), kMostCounters);
  const auto index = TraceIndex::open(connection_, id_);
  ASSERT_TRUE(index && *index);
  EXPECT_EQ((*index)->counters_left_out(), 5);
}

TEST_F(Counters, ThatAnOlderProgramLeftOutAreUnknownUntilTheTraceIsIndexedAgain) {
  packed_.put("{}");
  for (int i = 0; i < 10'003; ++i) add(0, i, "c" + std::to_string(i), R"({"v": 1})");
  store();
  ASSERT_TRUE(connection_.execute("UPDATE trace_index SET counters_left_out = NULL; COMMIT"));
  EXPECT_EQ((*TraceIndex::open(connection_, id_))->counters_left_out(), std::nullopt);
  EXPECT_EQ(*index_traces(connection_, ReindexScope::kStale), 1);
  EXPECT_EQ((*TraceIndex::open(connection_, id_))->counters_left_out(), 3);
  EXPECT_EQ(*index_traces(connection_, ReindexScope::kStale), 0);
}

TEST_F(Counters, OfAnOlderStoreAreAllThereWhereFewerAreKeptThanCanBe) {
  auto store = schema::Connection::open(":memory:", schema::OpenMode::kReadWriteCreate);
  ASSERT_TRUE(store);
  ASSERT_TRUE(make_older_store(*store, 19));
  const auto left_out = [&](int trace) {
    schema::Statement query = store->prepare(
        "SELECT counters_left_out FROM trace_index WHERE trace_id = " + std::to_string(trace));
    EXPECT_TRUE(query.step());
    return query.optional_integer(0);
  };
  ASSERT_TRUE(store->execute(
      "PRAGMA foreign_keys = OFF; DELETE FROM trace_counter; DELETE FROM trace_index;"
      "INSERT INTO trace_index VALUES (101, 3, 0, 1), (102, 3, 0, 1), (103, 3, 0, 1);"
      "WITH number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 9999)"
      "INSERT INTO trace_counter SELECT 101, n, 0, 'c' || n, 'v', 1, 0, 0 FROM number;"
      "INSERT INTO trace_counter SELECT 102, number, 0, name, 'v', 1, 0, 0 FROM trace_counter "
      "WHERE number < 9999"));
  ASSERT_TRUE(migrate(*store));
  EXPECT_EQ(left_out(101), std::nullopt) << "never 0";
  EXPECT_EQ(left_out(102), 0);
  EXPECT_EQ(left_out(103), 0);
}

TEST_F(Counters, GoWithTheTrace) {
  packed_.put("{}");
  add(0, 5, "c", R"({"v": 1})");
  store();
  ASSERT_TRUE(delete_trace(connection_, id_));
  for (const char* table : {"trace_counter", "trace_counter_block"}) {
    schema::Statement query = connection_.prepare(std::string("SELECT count(*) FROM ") + table);
    ASSERT_TRUE(query.step());
    EXPECT_EQ(query.integer(0), 0);
  }
}

TEST(Arrows, OfAWindowHaveAnEndInIt) {
  using Step = TraceFlow::Step;
  schema::Connection connection = trace_store();
  Trace trace;
  add_slice(&trace, 1, 0, 10);
  const std::uint32_t other = trace.texts.put("other");
  std::mt19937 random(4);
  struct Made {
    std::int64_t from, to;
    std::uint32_t category;
  };
  std::vector<Made> made;
  for (std::uint64_t key = 0; key < 12'000; ++key) {
    const auto from = static_cast<std::int64_t>(key * 2);
    const std::int64_t to = from + 1 + static_cast<std::int64_t>(random() % 5000);
    const std::uint32_t category = key % 3 == 0 ? other : 0;
    made.push_back({from, to, category});
    trace.flows.push_back({from, key, category, 0, Step::kStart});
    trace.flows.push_back({to, key, category, 1, Step::kEnd});
  }
  trace.flows.push_back({3, 99'999, 0, 0, Step::kStart});  // leads nowhere
  const schema::TraceId id = put(connection, trace);
  for (const std::int64_t begin : {0, 100, 7'001, 20'000, 40'000}) {
    for (const std::int64_t length : {1, 300, 30'000}) {
      for (const bool only_other : {false, true}) {
        ArrowQuery query{.begin = begin, .end = begin + length, .is_wanted = {}, .limit = 100'000};
        if (only_other) query.is_wanted = [&](std::uint32_t category) { return category == other; };
        const auto found = arrows_in_window(connection, id, query);
        ASSERT_TRUE(found) << found.error().message;
        std::multiset<std::pair<std::int64_t, std::int64_t>> expected, arrows;
        for (const Made& each : made) {
          const auto inside = [&](std::int64_t at) { return at >= begin && at < begin + length; };
          if ((inside(each.from) || inside(each.to)) && (!only_other || each.category == other)) {
            expected.emplace(each.from, each.to);
          }
        }
        for (const Arrow& arrow : found->arrows) {
          arrows.emplace(arrow.from.flow.time, arrow.to.flow.time);
        }
        EXPECT_EQ(arrows, expected) << begin << " " << length;
        EXPECT_EQ(found->count, expected.size());
        EXPECT_FALSE(found->is_cut);
      }
    }
  }
  const auto cut =
      arrows_in_window(connection, id, {.begin = 0, .end = 50'000, .is_wanted = {}, .limit = 10});
  EXPECT_EQ(cut->arrows.size(), 10u);
  EXPECT_EQ(cut->count, 12'000u);
  EXPECT_TRUE(cut->is_cut);
  // All of these come from before the window.
  const auto from_before = arrows_in_window(
      connection, id, {.begin = 24'500, .end = 50'000, .is_wanted = {}, .limit = 3});
  EXPECT_EQ(from_before->arrows.size(), 3u);
  EXPECT_TRUE(from_before->is_cut);
}

TEST(TraceNotes, OutliveTheTraceAndAreAudited) {
  schema::Connection connection = trace_store();
  Trace trace;
  add_slice(&trace, 1, 0, 10);
  const schema::TraceId id = put(connection, trace);
  ASSERT_TRUE(connection.execute("COMMIT"));
  const schema::ContentHash content = schema::content_hash("content");
  const auto put_note = [&](TraceNote note) { return put_trace_note(connection, content, note); };
  const auto first = put_note({.begin = 5, .end = 9, .thread = 1, .words = "slow", .who = "ada"});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(put_note({.begin = 1, .end = 1, .thread = {}, .words = "begins", .who = ""}));
  EXPECT_EQ(put_note({.begin = 2, .end = 1, .thread = {}, .words = "x", .who = ""}).error().code,
            schema::ErrorCode::kInvalidArgument);
  EXPECT_EQ(put_note({.begin = 1, .end = 2, .thread = {}, .words = "", .who = ""}).error().code,
            schema::ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      put_note({.begin = 1, .end = 2, .thread = {}, .words = std::string(1025, 'x'), .who = ""})
          .error()
          .code,
      schema::ErrorCode::kTooLarge);
  ASSERT_TRUE(connection.execute("BEGIN"));
  ASSERT_TRUE(delete_trace(connection, id));
  ASSERT_TRUE(connection.execute("COMMIT"));
  auto notes = trace_notes(connection, content);
  ASSERT_TRUE(notes);
  ASSERT_EQ(notes->size(), 2u);
  EXPECT_EQ((*notes)[0].words, "begins") << "by beginning";
  EXPECT_EQ((*notes)[0].thread, std::nullopt);
  EXPECT_EQ((*notes)[1].thread, 1u);
  EXPECT_EQ((*notes)[1].who, "ada");
  EXPECT_GT((*notes)[1].at, 0);
  EXPECT_EQ(delete_trace_note(connection, schema::content_hash("another"), *first).error().code,
            schema::ErrorCode::kNotFound);
  EXPECT_TRUE(delete_trace_note(connection, content, *first));
  EXPECT_EQ(trace_notes(connection, content)->size(), 1u);
  schema::Statement audit =
      connection.prepare("SELECT count(*) FROM audit WHERE detail LIKE '%slow%'");
  ASSERT_TRUE(audit.step());
  EXPECT_EQ(audit.integer(0), 2);
}

TEST(TraceNotes, AreBounded) {
  schema::Connection connection = trace_store();
  ASSERT_TRUE(connection.execute("COMMIT"));
  const schema::ContentHash content = schema::content_hash("content");
  ASSERT_TRUE(connection.execute("PRAGMA synchronous = OFF"));
  const TraceNote note{.begin = 0, .end = 1, .thread = {}, .words = "x", .who = ""};
  for (std::size_t i = 0; i < kMostTraceNotes; ++i) {
    ASSERT_TRUE(put_trace_note(connection, content, note));
  }
  EXPECT_EQ(put_trace_note(connection, content, note).error().code, schema::ErrorCode::kConflict);
}

}  // namespace
}  // namespace benchhud::trace
