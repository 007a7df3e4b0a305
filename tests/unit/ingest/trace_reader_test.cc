#include "ingest/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace benchhud::ingest {
namespace {

using schema::Trace;
using schema::TraceFlow;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What a test looks at, in words: the same for every way of feeding the same bytes.
std::string story(const Trace& trace) {
  std::string text;
  for (const auto& slice : trace.slices) {
    const auto& thread = trace.threads[slice.thread];
    const auto& args = trace.args[slice.args];
    text += std::string(trace.category(slice)) + "/" + std::string(trace.name(slice)) + " " +
            std::to_string(slice.start) + "+" + std::to_string(slice.duration) + " on " +
            thread.process_name + thread.pid + ":" + thread.name + thread.tid;
    if (args.correlation != schema::TraceArgs::kAbsent) {
      text += " c" + std::to_string(args.correlation);
    }
    if (args.sequence != schema::TraceArgs::kAbsent) text += " s" + std::to_string(args.sequence);
    text += "\n";
  }
  for (const auto& flow : trace.flows) {
    text += "flow " + std::to_string(static_cast<int>(flow.step)) + " at " +
            std::to_string(flow.time) + "\n";
  }
  text += std::to_string(trace.events) + " events, " + std::to_string(trace.broken) + " broken, " +
          std::to_string(trace.unclosed) + " unclosed, " + std::to_string(trace.unmatched) +
          " unmatched\n";
  for (const auto& problem : trace.problems) {
    text += std::to_string(problem.offset) + ": " + problem.reason + "\n";
  }
  return text;
}

Trace read_in_pieces(std::string_view bytes, std::size_t size) {
  TraceReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += size) reader.feed(bytes.substr(at, size));
  return reader.finish();
}

// However the bytes are cut, the trace is the same.
Trace read(const std::string& bytes) {
  Trace whole = read_in_pieces(bytes, bytes.size() + 1);
  const std::string told = story(whole);
  for (const std::size_t size : {1, 2, 3, 7, 64}) {
    EXPECT_EQ(story(read_in_pieces(bytes, size)), told) << "in pieces of " << size;
  }
  return whole;
}

std::string slice(std::string_view name, std::string_view ts, std::string_view dur,
                  std::string_view rest = "") {
  return R"({"ph": "X", "name": ")" + std::string(name) + R"(", "pid": 1, "tid": 2, "ts": )" +
         std::string(ts) + R"(, "dur": )" + std::string(dur) + std::string(rest) + "}";
}

std::vector<std::string> names(const Trace& trace) {
  std::vector<std::string> names;
  for (const auto& slice : trace.slices) names.emplace_back(trace.name(slice));
  return names;
}

TEST(TraceTime, IsExact) {
  EXPECT_EQ(microseconds_to_ns("1700000000000000.123"), 1700000000000000123);
  EXPECT_EQ(microseconds_to_ns("1700000000000001"), 1700000000000001000);
  EXPECT_EQ(microseconds_to_ns("0"), 0);
  EXPECT_EQ(microseconds_to_ns("-12.5"), -12500);
  EXPECT_EQ(microseconds_to_ns("1.5e3"), 1500000);
  EXPECT_EQ(microseconds_to_ns("1.7E+15"), 1700000000000000000);
  EXPECT_EQ(microseconds_to_ns("2500e-3"), 2500);
  EXPECT_EQ(microseconds_to_ns("0.0004"), 0);
  EXPECT_EQ(microseconds_to_ns("0.0005"), 1);
  EXPECT_EQ(microseconds_to_ns("3.00049999"), 3000);
  EXPECT_EQ(microseconds_to_ns("1e-300"), 0);
  EXPECT_EQ(microseconds_to_ns("0e900"), 0);
  EXPECT_EQ(microseconds_to_ns("9223372036854775.807"), 9223372036854775807);
  EXPECT_EQ(microseconds_to_ns("1." + std::string(5000, '0')), 1000);
  EXPECT_EQ(microseconds_to_ns("0." + std::string(5000, '0') + "1"), 0);
  EXPECT_EQ(microseconds_to_ns(std::string(5000, '0') + "1"), 1000);
  for (const char* text : {"", "-", ".", "e3", "1e", "1e+", "1x", "N/A", "NaN", "Infinity", "0x10",
                           "1 ", "9223372036854775.808", "1e17", "1e99999999999", "--1"}) {
    EXPECT_EQ(microseconds_to_ns(text), std::nullopt) << text;
  }
}

TEST(TraceReader, ListsAndObjects) {
  const std::string one = slice("a", "1", "2");
  for (
      const std::string& file : {
          "[" + one + "]",
          "[" + one,
          "[" + one + ",\n",
          "[\n" + one + ",\n{}]\n",
          "[," + one + ",,]",
          "\xEF\xBB\xBF[" + one + "] and more",
          R"({"traceEvents": [)" + one + "]}",
          R"({"schemaVersion": 1, "x": {"traceEvents": ["\"]"]}, "y": [[{}], "}"], "traceEvents": [)" +
              one + R"(], "traceName": "t", "z": null})",
          R"({"displayTimeUnit": "ms", "traceEvents": [)" + one,
      }) {
    const Trace trace = read(file);
    EXPECT_THAT(names(trace), ElementsAre("a")) << file;
    EXPECT_EQ(trace.problem_count, 0) << file;
  }
}

TEST(TraceReader, NothingIsLostOfAListThatEndsWithinAnEvent) {
  const Trace trace = read("[" + slice("a", "1", "2") + ",\n" + R"({"ph": "X", "name": "b)");
  EXPECT_THAT(names(trace), ElementsAre("a"));
  EXPECT_EQ(trace.events, 1);
  EXPECT_EQ(trace.broken, 1);
  ASSERT_EQ(trace.problems.size(), 1u);
  EXPECT_EQ(trace.problems[0].offset, static_cast<std::int64_t>(slice("a", "1", "2").size()) + 3);
}

TEST(TraceReader, WhatIsNoTrace) {
  TraceReader reader;
  reader.feed(R"({"model": {"traceEvents": 1}})");
  (void)reader.finish();
  EXPECT_FALSE(reader.has_list());
  EXPECT_EQ(read("").events, 0);
  EXPECT_EQ(read("hello").broken, 1);
  EXPECT_EQ(read(R"({"traceEvents": []})").events, 0);
}

TEST(TraceReader, TimesOfEveryForm) {
  const Trace trace =
      read("[" + slice("int", "1700000000000001", "2") + "," +
           slice("float", "1700000000000000.123", "0.5") + "," +
           slice("string", "\"12.25\"", "\"1\"") + "," + slice("exponent", "1.5e3", "1E1") + "]");
  ASSERT_EQ(trace.slices.size(), 4u);
  EXPECT_EQ(trace.slices[0].start, 1700000000000001000);
  EXPECT_EQ(trace.slices[1].start, 1700000000000000123);
  EXPECT_EQ(trace.slices[1].duration, 500);
  EXPECT_EQ(trace.slices[2].start, 12250);
  EXPECT_EQ(trace.slices[3].end(), 1510000);
}

TEST(TraceReader, TimesThatAreNone) {
  const Trace trace = read(
      "[" + slice("a", "N/A", "2") + "," + slice("b", "1", "NaN") + "," + slice("c", "1", "-1") +
      "," + slice("d", "9223372036854775", "9223372036854775") + R"(,{"ph": "X", "name": "e"}])");
  EXPECT_THAT(names(trace), ElementsAre("b", "c", "d"));
  for (const auto& slice : trace.slices) EXPECT_EQ(slice.duration, 0);
  EXPECT_EQ(trace.events, 5);
  EXPECT_EQ(trace.problem_count, 5);
  EXPECT_EQ(trace.broken, 0);
}

TEST(TraceReader, ThreadsBearNumbersOrTexts) {
  const Trace trace = read(
      R"([{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},)"
      R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": "7", "args": {"labels": "x", "name": "main"}},)"
      R"({"ph": "X", "pid": "1", "tid": 7, "ts": 0, "dur": 1},)"
      R"({"ph": "X", "pid": "Spans", "tid": "", "ts": 0, "dur": 1},)"
      R"({"ph": "X", "pid": -1, "tid": -5, "ts": 0, "dur": 1},)"
      R"({"ph": "X", "ts": 0, "dur": 1}])");
  ASSERT_EQ(trace.slices.size(), 4u);
  const auto& first = trace.threads[trace.slices[0].thread];
  EXPECT_EQ(first.process_name, "python");
  EXPECT_EQ(first.name, "main");
  EXPECT_EQ(trace.threads[trace.slices[1].thread].pid, "Spans");
  EXPECT_EQ(trace.threads[trace.slices[2].thread].tid, "-5");
  EXPECT_EQ(trace.threads[trace.slices[3].thread].tid, "");
}

TEST(TraceReader, BeginsAndEnds) {
  const auto event = [](const char* phase, const char* name, int time, int thread) {
    return std::string(R"({"ph": ")") + phase + R"(", "name": ")" + name +
           R"(", "pid": 1, "tid": )" + std::to_string(thread) + R"(, "ts": )" +
           std::to_string(time) + "},";
  };
  const Trace trace =
      read("[" + event("E", "first", 0, 1) + event("B", "a", 1, 1) + event("B", "b", 2, 1) +
           event("B", "other", 2, 2) + event("E", "", 3, 1) + event("E", "a", 9, 1) + "]");
  EXPECT_THAT(names(trace), ElementsAre("b", "a"));
  EXPECT_EQ(trace.slices[0].duration, 1000);
  EXPECT_EQ(trace.slices[1].duration, 8000);
  EXPECT_EQ(trace.unmatched, 1);
  EXPECT_EQ(trace.unclosed, 1);
  EXPECT_EQ(trace.events, 6);
}

TEST(TraceReader, ArgumentsThatTieThingsTogether) {
  const Trace trace =
      read("[" +
           slice("k", "1", "2",
                 R"(, "cat": "kernel", "args": {"nested": {"correlation": 1}, "correlation": 42,)"
                 R"( "External id": 7, "shapes": [[1, "x"], {"y": "}"}], "Sequence number": 3,)"
                 R"( "kernel_backend": "triton"})") +
           "]");
  ASSERT_EQ(trace.slices.size(), 1u);
  const auto& args = trace.args[trace.slices[0].args];
  EXPECT_EQ(args.correlation, 42);
  EXPECT_EQ(args.external_id, 7);
  EXPECT_EQ(args.sequence, 3);
  EXPECT_EQ(trace.texts[args.kernel_backend], "triton");
  EXPECT_EQ(trace.category(trace.slices[0]), "kernel");
}

TEST(TraceReader, FlowsOfBothForms) {
  const Trace trace =
      read(R"([{"ph": "s", "id": 5, "cat": "ac2g", "pid": 1, "tid": 1, "ts": 1},)"
           R"({"ph": "f", "id": 5, "cat": "ac2g", "pid": 2, "tid": 7, "ts": 2, "bp": "e"},)"
           R"({"ph": "f", "id": 5, "cat": "fwdbwd", "pid": 2, "tid": 7, "ts": 2},)" +
           slice("out", "3", "1", R"(, "bind_id": "0x1", "flow_out": true)") + "," +
           slice("in", "5", "1", R"(, "bind_id": "0x1", "flow_in": true)") + "]");
  ASSERT_EQ(trace.flows.size(), 5u);
  EXPECT_EQ(trace.flows[0].key, trace.flows[1].key);
  EXPECT_NE(trace.flows[0].key, trace.flows[2].key);
  EXPECT_EQ(trace.flows[3].key, trace.flows[4].key);
  EXPECT_EQ(trace.flows[3].step, TraceFlow::Step::kStart);
  EXPECT_EQ(trace.flows[4].step, TraceFlow::Step::kEnd);
}

// What real writers have got wrong: each costs itself, and the rest is read.
TEST(TraceReader, BrokenEventsCostThemselves) {
  struct Case {
    const char* event;
    bool is_read;
  };
  for (
      const Case& broken : {
          Case{R"({"ph": "X", "name": "say "hello" twice", "pid": 1, "tid": 1, "ts": 1, "dur": 1})",
               true},
          Case{"{\"ph\": \"X\", \"name\": \"a\ttab and \x01\", \"pid\": 1, \"tid\": 1, \"ts\": 1, "
               "\"dur\": 1}",
               true},
          Case{
              R"({"ph": "X", "name": "bad \q escape \u12", "pid": 1, "tid": 1, "ts": 1, "dur": 1})",
              true},
          Case{
              R"({"ph": "X", "name": "n", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"a": N/A,)"
              R"( "b": NaN, "c": -Infinity, "d": 99999999999999999999}})",
              true},
          Case{"{\"ph\": \"X\", \"name\": \"\xff\xfe\", \"pid\": 1, \"tid\": 1, \"ts\": 1, "
               "\"dur\": 1}",
               true},
          Case{R"({"ph": "X", "name": "no colon" "pid": 1, "ts": 1})", false},
          Case{R"({"ph": "X", "name": , "pid": 1, "ts": 1})", false},
          Case{R"({"ph": "X", name: "a", "ts": 1})", false},
          Case{"{\"ph\": \"X\", \"name\": \"never closed, \"ts\": 1,\n\"dur\": 1}", false},
          Case{"garbage", false},
          Case{"\"text\"", false},
          Case{"[1, 2]", false},
      }) {
    for (const char* lead : {"\n  ", ""}) {
      const std::string file = "[" + slice("before", "1", "2") + "," + lead + broken.event + "," +
                               lead + slice("after", "3", "4", R"(, "cat": "c")") + "," + lead +
                               slice("last", "9", "1") + "]";
      const Trace trace = read(file);
      EXPECT_THAT(names(trace), testing::IsSupersetOf({"before", "after", "last"})) << file;
      EXPECT_EQ(trace.slices.size(), broken.is_read ? 4u : 3u) << file;
      EXPECT_EQ(trace.broken, broken.is_read ? 0 : 1) << file;
      if (!broken.is_read) {
        EXPECT_THAT(trace.problems[0].reason, testing::Not(IsEmpty()));
        EXPECT_EQ(trace.problems[0].offset, static_cast<std::int64_t>(file.find(broken.event)))
            << file;
      }
    }
  }
}

TEST(TraceReader, TheNextEventIsFoundByWhatIsBeforeItToo) {
  const Trace trace = read(
      R"([{"name": "lost" "ph": "X"}  ,
   {"name": "a", "args": {"x": [1, {"y": 2}, {"z": 3}]}, "ph": "X", "ts": 1}, {"name" "b"},)"
      R"({"name": "c", "ph": "X", "ts": 3}])");
  EXPECT_THAT(names(trace), ElementsAre("a", "c"));
  EXPECT_EQ(trace.broken, 2);
}

TEST(TraceReader, PhasesThatAreOnlyCounted) {
  const Trace trace =
      read(R"([{"ph": "i", "ts": 1}, {"ph": "C", "ts": 1}, {"ph": "b"}, {"ph": "P"},)"
           R"({"ph": "?"}, {"ph": ""}, {"name": "x"}, {"ph": "XX"}])");
  EXPECT_EQ(trace.events, 8);
  EXPECT_THAT(trace.slices, IsEmpty());
  EXPECT_EQ(trace.problem_count, 3);
}

// Time linear in the bytes: with time in their square these would run for hours.
TEST(TraceReader, HostileBytesTakeLinearTime) {
  const auto repeated = [](const std::string& text) {
    std::string all = "[";
    while (all.size() < 4'000'000) all += text;
    return all;
  };
  for (const std::string& text :
       {std::string(R"({"ph":)"), std::string(R"({"ph":")"), std::string("{\"ph\":\"\n"),
        std::string("{\"a\":[{"), std::string("},{\""), std::string("\\\""),
        std::string("},{\"a\" \""), std::string("[[[["),
        std::string(R"({"ph":"X","ts":1,"args":{"a":")"), std::string("{")}) {
    TraceReader reader;
    const std::string bytes = repeated(text);
    for (std::size_t at = 0; at < bytes.size(); at += 1 << 20) {
      reader.feed(std::string_view(bytes).substr(at, 1 << 20));
    }
    const Trace trace = reader.finish();
    EXPECT_LE(trace.problems.size(), Trace::kMostProblems);
    EXPECT_GE(trace.problem_count, 1) << text;
  }
}

TEST(TraceReader, TextsAreUnescapedAndKeptOnce) {
  const Trace trace = read("[" + slice(R"(a\"b\u00e9\n)", "1", "1") + "," +
                           slice(R"(a\"b\u00E9\n)", "2", "1") + "]");
  EXPECT_THAT(names(trace), ElementsAre("a\"bé\n", "a\"bé\n"));
  EXPECT_EQ(trace.slices[0].label, trace.slices[1].label);
}

}  // namespace
}  // namespace benchhud::ingest
