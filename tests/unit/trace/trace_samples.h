// Traces made by hand and by chance, and what the tests of their storage compare.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schema/db/database.h"
#include "schema/store/migrate.h"
#include "trace/trace_nesting.h"
#include "trace/trace_store.h"

namespace benchhud::trace {

/// A store in memory, with a transaction left open.
inline schema::Connection trace_store() {
  auto connection = schema::Connection::open(":memory:", schema::OpenMode::kReadWriteCreate);
  EXPECT_TRUE(connection);
  EXPECT_TRUE(migrate(*connection));
  EXPECT_TRUE(connection->execute("BEGIN"));
  return std::move(*connection);
}

inline schema::TraceId put(schema::Connection& connection, const Trace& trace,
                           PackedArgs* args = nullptr, const std::string& content = "content") {
  const auto id = put_trace(connection, trace, nest(trace, NestingRows::kYes), args,
                            schema::content_hash(content), 1);
  EXPECT_TRUE(id) << id.error().message;
  return id ? *id : schema::TraceId{};
}

inline void add_slice(Trace* trace, std::uint32_t thread, std::int64_t begin, std::int64_t end,
                      const std::string& name = "slice") {
  while (trace->threads.size() <= thread) {
    trace->threads.emplace_back().tid = std::to_string(trace->threads.size());
  }
  trace->slices.push_back({.start = begin,
                           .duration = end - begin,
                           .label = trace->put_label({trace->texts.put(name), 0}),
                           .thread = thread,
                           .args = 0});
}

// What makes two events the same. Texts and labels keep their numbers, arguments and flows do not.
using ArgsFacts =
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint64_t, std::uint32_t>;
using SliceFacts =
    std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::uint32_t, ArgsFacts, double, double>;

inline ArgsFacts facts_of(const TraceArgs& args) {
  return {args.correlation, args.external_id, args.sequence, args.packed, args.origin};
}

inline std::vector<SliceFacts> slices_of(const Trace& trace) {
  std::vector<SliceFacts> facts;
  for (const TraceSlice& slice : trace.slices) {
    facts.emplace_back(slice.thread, slice.start, slice.duration, slice.label,
                       facts_of(trace.args_of(slice)), -1, -1);
  }
  for (const TraceBandwidth& bandwidth : trace.bandwidths) {
    std::get<5>(facts[bandwidth.slice]) = bandwidth.bytes;
    std::get<6>(facts[bandwidth.slice]) = bandwidth.gigabytes_per_second;
  }
  std::sort(facts.begin(), facts.end());
  return facts;
}

inline auto points_of(const Trace& trace) {
  std::vector<
      std::tuple<std::uint32_t, std::int64_t, std::uint32_t, std::uint32_t, char, ArgsFacts>>
      facts;
  for (const TracePoint& point : trace.points) {
    facts.emplace_back(point.thread, point.time, point.label, point.id, point.phase,
                       facts_of(trace.args_of(point)));
  }
  std::sort(facts.begin(), facts.end());
  return facts;
}

/// Each flow as all of its ends.
inline auto flows_of(const Trace& trace) {
  using End = std::tuple<std::int64_t, std::uint32_t, std::uint32_t, int>;
  std::map<std::uint64_t, std::vector<End>> by_key;
  for (const TraceFlow& flow : trace.flows) {
    by_key[flow.key].emplace_back(flow.time, flow.category, flow.thread,
                                  static_cast<int>(flow.step));
  }
  std::vector<std::vector<End>> flows;
  for (auto& [key, ends] : by_key) {
    std::sort(ends.begin(), ends.end());
    flows.push_back(std::move(ends));
  }
  std::sort(flows.begin(), flows.end());
  return flows;
}

inline auto threads_of(const Trace& trace) {
  std::vector<std::tuple<std::string, std::string, std::string, std::string, std::string,
                         std::optional<std::int64_t>, std::optional<std::int64_t>>>
      facts;
  for (const TraceThread& thread : trace.threads) {
    facts.emplace_back(thread.pid, thread.tid, thread.process_name, thread.name,
                       thread.process_labels, thread.process_sort_index, thread.thread_sort_index);
  }
  return facts;
}

inline void expect_same(const Trace& a, const Trace& b) {
  EXPECT_EQ(threads_of(a), threads_of(b));
  EXPECT_TRUE(slices_of(a) == slices_of(b));
  EXPECT_TRUE(points_of(a) == points_of(b));
  EXPECT_TRUE(flows_of(a) == flows_of(b));
  EXPECT_TRUE(a.labels == b.labels);
  EXPECT_TRUE(a.memory == b.memory);
  ASSERT_EQ(a.texts.size(), b.texts.size());
  for (std::uint32_t i = 0; i < a.texts.size(); ++i) ASSERT_EQ(a.texts[i], b.texts[i]);
  const auto counts = [](const Trace& t) {
    return std::vector{t.base_time, t.events,      t.broken,   t.fillers,   t.refused,
                       t.pairs,     t.flow_events, t.unclosed, t.unmatched, t.problem_count};
  };
  EXPECT_EQ(counts(a), counts(b));
  ASSERT_EQ(a.problems.size(), b.problems.size());
  for (std::size_t i = 0; i < a.problems.size(); ++i) {
    EXPECT_EQ(a.problems[i].offset, b.problems[i].offset);
    EXPECT_EQ(a.problems[i].reason, b.problems[i].reason);
  }
}

/// Anything that may be in a trace, by chance: nested and overlapping slices, times from one end of
/// 64 bits to the other, points, flows of many ends, texts of any bytes.
inline Trace any_trace(std::uint32_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  Trace trace;
  trace.base_time = static_cast<std::int64_t>(random());
  trace.events = 1;
  trace.broken = 2;
  trace.fillers = 3;
  trace.refused = 4;
  trace.pairs = 5;
  trace.flow_events = 6;
  trace.unclosed = 7;
  trace.unmatched = 8;
  trace.problem_count = 9;
  trace.problems = {{12, "a reason"}, {34, "it's \"another\""}};
  for (std::uint32_t i = 0; i < 5; ++i) {
    TraceThread& thread = trace.threads.emplace_back();
    thread.pid = std::string("p\0\xff", 3) + std::to_string(i);
    thread.tid = std::to_string(i);
    thread.name = i % 2 ? "" : "näme";
    thread.process_name = "process";
    thread.process_labels = i == 3 ? "GPU 0" : "";
    if (i == 2) thread.process_sort_index = -5;
    if (i == 4) thread.thread_sort_index = kMax;
  }
  std::vector<std::uint32_t> labels;
  for (int i = 0; i < 300; ++i) {
    labels.push_back(trace.put_label({trace.texts.put("name " + std::to_string(i)),
                                      trace.texts.put("category " + std::to_string(i % 7))}));
  }
  trace.texts.put(std::string(300'000, 'x'));
  const auto args = [&]() -> std::uint32_t {
    if (below(2)) return 0;
    TraceArgs some;
    if (below(2)) some.correlation = static_cast<std::int64_t>(below(9) ? below(1000) : random());
    if (below(2)) some.external_id = -static_cast<std::int64_t>(below(1000));
    if (below(2)) some.sequence = static_cast<std::int64_t>(below(1000));
    if (below(2)) some.packed = below(1000);
    if (below(9) == 0) some.origin = 1;
    return trace.args.put(some);
  };
  std::int64_t time = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t label = labels[below(labels.size())];
    const auto thread = static_cast<std::uint32_t>(below(4));
    time += static_cast<std::int64_t>(below(50) ? below(20) : below(100'000));
    if (below(1000) == 0) {
      const std::int64_t start = below(2) ? kMin : kMax - static_cast<std::int64_t>(below(10));
      const std::int64_t duration = start < 0 ? (below(2) ? kMax : 0) : kMax - start;
      trace.slices.push_back({start, duration, label, thread, args()});
    }
    const auto duration = static_cast<std::int64_t>(below(10) ? below(30) : below(3000));
    trace.slices.push_back({time, duration, label, thread, args()});
    if (below(20) == 0) {
      trace.bandwidths.push_back(
          {static_cast<std::uint32_t>(trace.slices.size() - 1), 1024.0 * i, 0.1 * i});
    }
    if (below(3) == 0) {
      trace.points.push_back({below(5) ? time : 0, label, static_cast<std::uint32_t>(below(5)),
                              static_cast<std::uint32_t>(below(trace.texts.size())), args(),
                              "iCM\xf0"[below(4)]});
    }
    if (below(3) == 0) {
      trace.flows.push_back({time, random() >> (below(2) ? 54 : 0), trace.labels[label].category,
                             thread, static_cast<TraceFlow::Step>(below(3))});
    }
  }
  return trace;
}

}  // namespace benchhud::trace
