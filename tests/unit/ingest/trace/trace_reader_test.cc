#include "ingest/trace/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ingest/trace/trace_builder.h"
#include "ingest/trace/trace_scanner.h"

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Trace;
using trace::TraceFlow;

// Keeps all arguments in a list; they are numbered from 0.
class ArgsList : public trace::TraceArgsSink {
 public:
  std::uint64_t put(std::string_view json) override {
    list_.emplace_back(json);
    return list_.size() - 1;
  }
  template <class Event>
  std::string of(const Trace& trace, const Event& event) const {
    const std::uint64_t number = trace.args_of(event).packed;
    return number == trace::TraceArgs::kNotKept ? "" : list_.at(number);
  }

 private:
  std::vector<std::string> list_;
};

// What a test looks at, in words: the same for every way of feeding the same bytes.
std::string story(const Trace& trace, const ArgsList& args_list) {
  std::string text;
  for (const auto& slice : trace.slices) {
    const auto& thread = trace.threads[slice.thread];
    const auto& args = trace.args[slice.args];
    text += std::string(trace.category(slice)) + "/" + std::string(trace.name(slice)) + " " +
            std::to_string(slice.start) + "+" + std::to_string(slice.duration) + " on " +
            thread.process_name + thread.pid + ":" + thread.name + thread.tid;
    if (args.correlation != trace::TraceArgs::kAbsent) {
      text += " c" + std::to_string(args.correlation);
    }
    if (args.sequence != trace::TraceArgs::kAbsent) text += " s" + std::to_string(args.sequence);
    text += " " + args_list.of(trace, slice) + "\n";
  }
  for (const auto& point : trace.points) {
    text += point.phase + std::string(trace.name(point)) + " id " +
            std::string(trace.texts[point.id]) + " at " + std::to_string(point.time) + " on " +
            std::to_string(point.thread) + " " + args_list.of(trace, point) + "\n";
  }
  for (const auto& flow : trace.flows) {
    text += "flow " + std::to_string(static_cast<int>(flow.step)) + " at " +
            std::to_string(flow.time) + "\n";
  }
  text += std::to_string(trace.events) + " events, " + std::to_string(trace.broken) + " broken, " +
          std::to_string(trace.unclosed) + " unclosed, " + std::to_string(trace.unmatched) +
          " unmatched, from " + std::to_string(trace.base_time) + "\n";
  for (const auto& problem : trace.problems) {
    text += std::to_string(problem.offset) + ": " + problem.reason + "\n";
  }
  return text;
}

Trace read_in_pieces(std::string_view bytes, std::size_t size, trace::TraceArgsSink* sink) {
  TraceReader reader(sink);
  for (std::size_t at = 0; at < bytes.size(); at += size) reader.feed(bytes.substr(at, size));
  return reader.finish();
}

void expect_nothing_lost(const Trace& trace) {
  EXPECT_EQ(trace.events, static_cast<std::int64_t>(trace.slices.size() + trace.points.size()) +
                              trace.pairs + trace.flow_events + trace.fillers + trace.refused);
}

// However the bytes are cut, the trace is the same.
Trace read(const std::string& bytes, ArgsList* args = nullptr) {
  ArgsList own;
  if (args == nullptr) args = &own;
  Trace whole = read_in_pieces(bytes, bytes.size() + 1, args);
  expect_nothing_lost(whole);
  const std::string told = story(whole, *args);
  for (const std::size_t size : {1, 2, 3, 7, 64}) {
    ArgsList cut_args;
    const Trace cut = read_in_pieces(bytes, size, &cut_args);
    EXPECT_EQ(story(cut, cut_args), told) << "in pieces of " << size;
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
  EXPECT_EQ(trace.texts[args.origin], "triton");
  EXPECT_EQ(trace.category(trace.slices[0]), "kernel");
}

TEST(TraceReader, ACompileIdIsAnOriginWhereItIsKnownAndNoOtherIs) {
  const auto origin_of = [](const std::string& args) {
    const Trace trace = read("[" + slice("k", "1", "2", ", \"args\": {" + args + "}") + "]");
    EXPECT_EQ(trace.slices.size(), 1u);
    return std::string(trace.texts[trace.args[trace.slices[0].args].origin]);
  };
  EXPECT_EQ(origin_of(R"("compile_id": "0/1")"), "0/1");
  EXPECT_EQ(origin_of(R"("compile_id": null)"), "");
  EXPECT_EQ(origin_of(R"("compile_id": "None")"), "");
  EXPECT_EQ(origin_of(R"("kernel_backend": "triton", "compile_id": "0/1")"), "triton");
  EXPECT_EQ(origin_of(R"("compile_id": "0/1", "hlo_category": "fusion")"), "fusion");
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
          Case{R"({"ph": "X", "ts": 1, "args": {"a": [1}, "b": {]}})", false},
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

// Whatever was open when it was broken off: the events behind it are no part of it.
TEST(TraceReader, EventsThatAreBrokenOffCostThemselves) {
  std::string next;
  for (int i = 0; i < 20; ++i) {
    next += (i > 0 ? ",\n" : "") +
            slice("n" + std::to_string(i), "3", "1", R"(, "args": {"x": [{"y": 1}], "ph": 1})");
  }
  for (const char* members : {R"("name": "cut")",
                              R"("name": "cut", "args")",
                              R"("name": "cut", "args":)",
                              R"("name": "cut", "args": {)",
                              R"("name": "cut", "args": [)",
                              R"("name": "cut", "args": {"x")",
                              R"("name": "cut", "args": {"x": )",
                              R"("name": "cut", "args": {"x": 1)",
                              R"("name": "cut", "args": {"x": 1,)",
                              R"("name": "cut", "args": {"x": "text)",
                              R"("name": "cut", "args": {"x": ["text",)",
                              R"("name": "cut", "args": {"x": [[1, 2], [3)",
                              R"("name": "cut", "args": {"x": [[1], [3,)",
                              R"("name": "cut", "args": {"x": [)",
                              R"("name": "cut", "args": {"x": [{"y": 1},)",
                              R"("name": "cut", "args": {"x": {"y": )",
                              R"("name": "cut", "args": {"x": {"y": 1,)",
                              R"("name": "cut", "args": {"x": {"y": {)",
                              R"("name": )",
                              R"("id2": {"local": )"}) {
    const std::string cut = R"({"ph": "X", "pid": 1, "tid": 1, "ts": 1, )" + std::string(members);
    for (const auto& [begin, end] :
         {std::pair{"[", "]"}, std::pair{"[", ""}, std::pair{"{\"traceEvents\": [", "]}"}}) {
      const std::string file = begin + slice("first", "1", "2") + ",\n" + cut + "\n" + next +
                               ",\n" + cut + "\n" + next + end;
      const Trace trace = read(file);
      EXPECT_EQ(trace.slices.size(), 41u) << file.substr(0, 200) << end;
      EXPECT_EQ(trace.broken, 2) << members << end;
      ASSERT_FALSE(trace.problems.empty());
      EXPECT_EQ(trace.problems[0].offset, static_cast<std::int64_t>(file.find(cut)));
    }
  }
}

TEST(TraceReader, ArgumentsMayHoldWhatIsLikeAnEvent) {
  for (const char* args : {R"({"ph": "X"})", R"({"x": {"ph": "X", "y": [{"ph": 1}, {"ph": 2}]}})",
                           R"({"a": {"ph": 1}, "b": N/A x})", R"([{"ph": "X"}])"}) {
    ArgsList list;
    const Trace trace = read("[" + slice("a", "1", "2", R"(, "args": )" + std::string(args)) + "," +
                                 slice("b", "1", "2") + "]",
                             &list);
    EXPECT_THAT(names(trace), ElementsAre("a", "b")) << args;
    EXPECT_EQ(trace.broken, 0) << args;
    ASSERT_EQ(trace.slices.size(), 2u);
    EXPECT_EQ(list.of(trace, trace.slices[0]), args[0] == '{' ? args : "");
  }
}

// What waited for its end in vain is not dropped, however much it is.
TEST(TraceReader, EventsThatABrokenOneTookForItsOwnAreReadAfterAll) {
  const std::string event =
      slice("n", "3", "1", R"(, "args": {"x": ")" + std::string(4'000, 'x') + R"("})") + ",\n";
  const std::size_t count = (TraceScanner::kLongestEvent >> 12) + 2'000;
  TraceReader reader;
  reader.feed(R"([{"ph": "X", "ts": 1, "args": {"dims": [[1, 2], [3,)");
  for (std::size_t i = 0; i < count; ++i) reader.feed(event);
  const Trace trace = reader.finish();
  EXPECT_EQ(trace.slices.size(), count);
  EXPECT_EQ(trace.broken, 1);
}

TEST(TraceReader, TheNextEventIsFoundByWhatIsBeforeItToo) {
  const Trace trace = read(
      R"([{"name": "lost" "ph": "X"}  ,
   {"name": "a", "args": {"x": [1, {"y": 2}, {"z": 3}]}, "ph": "X", "ts": 1}, {"name" "b"},)"
      R"({"name": "c", "ph": "X", "ts": 3}])");
  EXPECT_THAT(names(trace), ElementsAre("a", "c"));
  EXPECT_EQ(trace.broken, 2);
}

std::vector<std::string> phases(const Trace& trace) {
  std::vector<std::string> phases;
  for (const auto& point : trace.points) phases.emplace_back(1, point.phase);
  return phases;
}

TEST(TraceReader, EventsOfOtherPhasesArePoints) {
  std::string file = "[";
  const std::string known = "iIRCPbneSTFpNODVvc()=";
  for (const char phase : known) {
    file += std::string(R"({"ph": ")") + phase +
            R"(", "name": "n", "cat": "c", "pid": 1, "tid": 2, "ts": 1.5, "id": "0x1f"},)";
  }
  const Trace trace = read(file + R"({"ph": "M", "name": "anything", "pid": 1}])");
  ASSERT_EQ(trace.points.size(), known.size() + 1);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto& point = trace.points[i];
    EXPECT_EQ(point.phase, known[i]);
    EXPECT_EQ(point.time, 1500);
    EXPECT_EQ(trace.name(point), "n");
    EXPECT_EQ(trace.category(point), "c");
    EXPECT_EQ(trace.threads[point.thread].tid, "2");
    EXPECT_EQ(trace.texts[point.id], "0x1f");
  }
  EXPECT_EQ(trace.points.back().phase, 'M');
  EXPECT_EQ(trace.points.back().time, 0);
  EXPECT_EQ(trace.problem_count, 0);
  EXPECT_THAT(trace.slices, IsEmpty());
}

TEST(TraceReader, PhasesThatNobodyKnowsAndEventsThatCannotBeUsed) {
  const Trace trace =
      read(R"([{"ph": "i", "ts": 1}, {"ph": "C"}, {"ph": "P", "ts": "x"}, {"ph": "s", "id": 1},)"
           R"({"ph": "?", "ts": 2}, {"ph": ""}, {"name": "x"}, {"ph": "XX"}, {}, {"ph": "!"}])");
  EXPECT_EQ(trace.events, 10);
  EXPECT_THAT(phases(trace), ElementsAre("i", "?", "!"));
  EXPECT_EQ(trace.points[1].time, 2000);
  EXPECT_EQ(trace.refused, 6);
  EXPECT_EQ(trace.fillers, 1);
  EXPECT_EQ(trace.problem_count, 8);
}

TEST(TraceReader, IdsOfBothForms) {
  const Trace trace =
      read(R"([{"ph": "b", "ts": 1, "id": 12}, {"ph": "b", "ts": 1, "id2": {"local": "0x1"}}])");
  EXPECT_EQ(trace.texts[trace.points[0].id], "12");
  EXPECT_EQ(trace.texts[trace.points[1].id], R"({"local": "0x1"})");
}

TEST(TraceReader, BeginsThatNeverEndAndEndsThatNeverBeganArePoints) {
  ArgsList args;
  const Trace trace = read(R"([{"ph": "E", "name": "e", "ts": 1, "args": {"x": 1}},)"
                           R"({"ph": "B", "name": "b", "ts": 2, "args": {"External id": 5}},)"
                           R"({"ph": "i", "name": "i", "ts": 3}])",
                           &args);
  EXPECT_THAT(phases(trace), ElementsAre("E", "i", "B"));
  EXPECT_EQ(args.of(trace, trace.points[0]), R"({"x": 1})");
  EXPECT_EQ(args.of(trace, trace.points[2]), R"({"External id": 5})");
  EXPECT_EQ(trace.args_of(trace.points[2]).external_id, 5);
  EXPECT_EQ(trace.unclosed, 1);
  EXPECT_EQ(trace.unmatched, 1);
}

TEST(TraceReader, WholeArgumentsGoToTheSink) {
  ArgsList args;
  const std::string object = R"({ "a": [1, {"b": "}"}], "c": N/A, "correlation": 3 })";
  const Trace trace =
      read("[" + slice("a", "1", "2", R"(, "args": )" + object) + "," +
               slice("b", "1", "2", R"(, "args": {  })") + "," + slice("c", "1", "2") + "," +
               slice("d", "1", "2", R"(, "args": "text")") + "," +
               R"({"ph": "C", "ts": 1, "args": {"bytes": 5}}])",
           &args);
  EXPECT_EQ(args.of(trace, trace.slices[0]), object);
  EXPECT_EQ(trace.args_of(trace.slices[0]).correlation, 3);
  for (const int i : {1, 2, 3}) EXPECT_EQ(trace.slices[i].args, 0u) << i;
  EXPECT_EQ(args.of(trace, trace.points[0]), R"({"bytes": 5})");
  // Without a sink only the numbers are kept.
  const Trace without =
      read_in_pieces("[" + slice("a", "1", "2", R"(, "args": )" + object), 100, nullptr);
  EXPECT_EQ(without.args_of(without.slices[0]).packed, trace::TraceArgs::kNotKept);
  EXPECT_EQ(without.args_of(without.slices[0]).correlation, 3);
}

TEST(TraceReader, BothEndsOfAPairHaveArguments) {
  const auto pair = [](const std::string& begin, const std::string& end) {
    return R"({"ph": "B", "ts": 1, "args": )" + begin + R"(}, {"ph": "E", "ts": 2, "args": )" +
           end + "},";
  };
  const std::string file =
      "[" + pair(R"({"correlation": 1, "External id": 2})", R"({"correlation": 3})") +
      pair("{ }", R"({"x": 1})") + pair(R"({"y": 2})", "{}") + pair("{}", "{}");
  ArgsList args;
  const Trace trace = read(file, &args);
  ASSERT_EQ(trace.slices.size(), 4u);
  EXPECT_EQ(trace.pairs, 4);
  EXPECT_EQ(args.of(trace, trace.slices[0]),
            R"({"correlation": 1, "External id": 2,"correlation": 3})");
  EXPECT_EQ(args.of(trace, trace.slices[1]), R"({"x": 1})");
  EXPECT_EQ(args.of(trace, trace.slices[2]), R"({"y": 2})");
  EXPECT_EQ(trace.slices[3].args, 0u);
  const Trace without = read_in_pieces(file, file.size(), nullptr);
  for (const Trace* each : {&trace, &without}) {
    EXPECT_EQ(each->args_of(each->slices[0]).correlation, 3);
    EXPECT_EQ(each->args_of(each->slices[0]).external_id, 2);
    EXPECT_EQ(each->problem_count, 0);
  }
}

// What waits for its end is bounded: a slice keeps what it began with, and the rest is told of.
TEST(TraceReader, ArgumentsOfTooManyBegunSlicesDoNotWait) {
  const std::string begin =
      R"({"ph":"B","ts":1,"args":{"x":")" + std::string(1 << 20, 'x') + R"("}},)";
  constexpr int kBegins = 70;
  ArgsList args;
  TraceReader reader(&args);
  reader.feed("[");
  for (int i = 0; i < kBegins; ++i) reader.feed(begin);
  for (int i = 0; i < kBegins; ++i) reader.feed(R"({"ph":"E","ts":2,"args":{"y":1}},)");
  const Trace trace = reader.finish();
  expect_nothing_lost(trace);
  ASSERT_EQ(trace.pairs, kBegins);
  EXPECT_EQ(trace.problem_count, kBegins - 3);  // 3 fit into 4 MiB
  EXPECT_THAT(args.of(trace, trace.slices.front()), testing::EndsWith("x\"}"));
  EXPECT_THAT(args.of(trace, trace.slices.back()), testing::EndsWith("\"y\":1}"));
}

TEST(TraceReader, WhereViewersShowThreads) {
  const auto metadata = [](const char* name, const char* args) {
    return std::string(R"({"ph": "M", "name": ")") + name + R"(", "pid": 1, "tid": 7, "args": )" +
           args + "},";
  };
  const Trace trace = read("[" + metadata("process_sort_index", R"({"sort_index": 5000000})") +
                           metadata("thread_sort_index", R"({"sort_index": "-3"})") +
                           metadata("process_labels", R"({"labels": "GPU 0"})") +
                           R"({"ph": "i", "pid": 1, "tid": 8, "ts": 1}])");
  ASSERT_EQ(trace.threads.size(), 2u);
  EXPECT_EQ(trace.threads[0].process_sort_index, 5000000);
  EXPECT_EQ(trace.threads[0].thread_sort_index, -3);
  EXPECT_EQ(trace.threads[0].process_labels, "GPU 0");
  EXPECT_EQ(trace.threads[1].process_sort_index, 5000000);
  EXPECT_EQ(trace.threads[1].thread_sort_index, std::nullopt);
}

TEST(TraceReader, BaseTimeStandsBeforeOrBehindTheEvents) {
  const std::string list = R"("traceEvents": [)" + slice("a", "1", "2") + "]";
  const std::string base = R"("baseTimeNanoseconds": 1700000000000000001)";
  EXPECT_EQ(read("{" + base + "," + list + "}").base_time, 1700000000000000001);
  EXPECT_EQ(read("{" + list + ", " + base + "}").base_time, 1700000000000000001);
  EXPECT_EQ(read("{" + list + "}").base_time, 0);
  for (const char* wrong : {"[1]", "{\"a\": 1}", "null", "1.5", "\"x\""}) {
    const Trace trace = read(R"({"baseTimeNanoseconds": )" + std::string(wrong) + "," + list + "}");
    EXPECT_EQ(trace.base_time, 0) << wrong;
    EXPECT_EQ(trace.problem_count, wrong[0] == '[' || wrong[0] == '{' ? 0 : 1) << wrong;
    EXPECT_THAT(names(trace), ElementsAre("a")) << wrong;
  }
}

// Members beside the list are passed over as texts of events are read.
TEST(TraceReader, QuotesThatNobodyEscapedBesideTheList) {
  const std::string list = R"("traceEvents": [)" + slice("a", "1", "2") + "]";
  const std::string base = R"("baseTimeNanoseconds": 17)";
  for (const char* member : {
           R"("host": "a"b")",
           R"("host": "a" b "c)",
           R"("deviceProperties": [{"name": "NVIDIA "A100"", "id": 0}, {"name": "}"}])",
           "\"host\": \"never closed,\n\"x\": 1",
           "\"host\": [\"never closed],\n1]",
           R"("host": "a\"b\\")",
           R"("host": "traceEvents", "x": {"traceEvents": []})",
           R"("host": ])",
       }) {
    for (const std::string& file : {"{" + std::string(member) + ", " + list + ", " + base + "}",
                                    "{" + list + ", " + member + ", " + base + "}"}) {
      const Trace trace = read(file);
      EXPECT_THAT(names(trace), ElementsAre("a")) << file;
      EXPECT_EQ(trace.base_time, 17) << file;
      EXPECT_EQ(trace.problem_count, 0) << file;
    }
  }
  // One that is longer than any event is not waited for.
  TraceReader reader;
  reader.feed(R"({"host": ")");
  const std::string part(1 << 20, 'x');
  for (std::size_t i = 0; i <= TraceScanner::kLongestEvent >> 20; ++i) reader.feed(part);
  reader.feed(R"(\" more", )" + list + "}");
  EXPECT_THAT(names(reader.finish()), ElementsAre("a"));
}

TEST(TraceReader, ATraceWhoseNamesExceedTheBudgetIsRefused) {
  const auto refusal = [](const auto& event_of) {
    TraceReader reader;
    reader.feed("[");
    for (int i = 0; i < 400; ++i) reader.feed(event_of(std::to_string(i)) + ",");
    const Trace trace = reader.finish();
    EXPECT_TRUE(reader.refusal().empty() || trace.events == 0);
    return reader.refusal();
  };
  const std::string long_text(200'000, 'x');
  const auto with_text = [&](const std::string& before, const std::string& after) {
    return refusal([&](const std::string& i) { return before + long_text + i + after; });
  };
  for (const auto& [before, after] :
       {std::pair(R"({"ph":"X","ts":1,"dur":1,"name":")", R"("})"),
        std::pair(R"({"ph":"X","ts":1,"dur":1,"name":"\u0061)", R"("})"),
        std::pair(R"({"ph":"X","ts":1,"dur":1,"cat":")", R"("})"),
        std::pair(R"({"ph":"i","ts":1,"id":")", R"("})"),
        std::pair(R"({"ph":"s","ts":1,"id":")", R"("})"),
        std::pair(R"({"ph":"X","ts":1,"dur":1,"flow_out":true,"bind_id":")", R"("})"),
        std::pair(R"({"ph":"X","ts":1,"dur":1,"pid":1,"tid":")", R"("})"),
        std::pair(R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":")",
                  R"("}})")}) {
    EXPECT_THAT(with_text(before, after), testing::HasSubstr("64 MiB")) << before;
  }
  // The same name again takes nothing.
  EXPECT_EQ(refusal([&](const std::string&) {
              return R"({"ph":"X","ts":1,"dur":1,"name":")" + long_text + R"("})";
            }),
            "");
  // A process's name stands at each of its threads.
  EXPECT_THAT(refusal([&](const std::string& i) {
                return R"({"ph":"M","name":"process_name","pid":1,"tid":)" + i +
                       R"(,"args":{"name":")" + long_text + R"("}})";
              }),
              testing::HasSubstr("64 MiB"));
}

TEST(TraceReader, CopiesSayHowFastTheyWere) {
  const auto copy = [](const char* category, const char* args) {
    return slice("m", "1", "2", std::string(R"(, "cat": ")") + category + R"(", "args": )" + args) +
           ",";
  };
  const Trace trace =
      read("[" + slice("a", "1", "2") + "," +
           copy("gpu_memcpy", R"--({"bytes": 2048, "memory bandwidth (GB/s)": 1.5})--") +
           copy("gpu_memset", R"--({"memory bandwidth (GB/s)": 3e2})--") +
           copy("gpu_memcpy", R"--({"bytes": 1, "memory bandwidth (GB/s)": "inf"})--") +
           copy("gpu_memcpy", R"--({"bytes": 1})--") +
           copy("kernel", R"--({"bytes": 1, "memory bandwidth (GB/s)": 1})--") + "]");
  ASSERT_EQ(trace.bandwidths.size(), 2u);
  EXPECT_EQ(trace.bandwidths[0].slice, 1u);
  EXPECT_EQ(trace.bandwidths[0].bytes, 2048);
  EXPECT_EQ(trace.bandwidths[0].gigabytes_per_second, 1.5);
  EXPECT_EQ(trace.bandwidths[1].slice, 2u);
  EXPECT_EQ(trace.bandwidths[1].bytes, 0);
  EXPECT_EQ(trace.bandwidths[1].gigabytes_per_second, 300);
}

// Time linear in the bytes: with time in their square these would run for hours.
TEST(TraceReader, HostileBytesTakeLinearTime) {
  const auto repeated = [](const std::string& text) {
    std::string all = "[";
    while (all.size() < 4'000'000) all += text;
    return all;
  };
  for (const std::string& text : {std::string(R"({"ph":)"),
                                  std::string(R"({"ph":")"),
                                  std::string("{\"ph\":\"\n"),
                                  std::string("{\"a\":[{"),
                                  std::string("},{\""),
                                  std::string("\\\""),
                                  std::string("},{\"a\" \""),
                                  std::string("[[[["),
                                  std::string(R"({"ph":"X","ts":1,"args":{"a":")"),
                                  std::string("{"),
                                  std::string(R"({"ph" )"),
                                  std::string("{\"ph\" \\\\"),
                                  std::string(R"({"ph":"x" \" )"),
                                  std::string(R"({"ph":[)"),
                                  std::string(R"({"ph":{)"),
                                  std::string(R"({"ph":[{"ph":1},)"),
                                  std::string(R"({"ph":1,"args":{"x":[)"),
                                  std::string(R"({"ph":1,"args":{"x":{"y":1,)"),
                                  std::string(R"({"ph":1,"args":{x "y")"),
                                  std::string(R"({"ph":1,"args":{x,[{"z":1},)")}) {
    TraceReader reader;
    const std::string bytes = repeated(text);
    for (std::size_t at = 0; at < bytes.size(); at += 1 << 20) {
      reader.feed(std::string_view(bytes).substr(at, 1 << 20));
    }
    const Trace trace = reader.finish();
    expect_nothing_lost(trace);
    EXPECT_LE(trace.problems.size(), Trace::kMostProblems);
    EXPECT_GE(trace.problem_count, 1) << text;
  }
}

// From 4 MiB on a thread builds the trace: in which batches makes no difference.
TEST(TraceReader, LargeTracesAreTheSameHoweverTheyAreCut) {
  std::string bytes = "{\"traceEvents\": [";
  for (int i = 0; bytes.size() < 6'000'000; ++i) {
    const std::string number = std::to_string(i);
    bytes += slice("name " + std::to_string(i % 100), number, "5",
                   R"(, "args": {"External id": )" + number + R"(, "x": ["y"]})") +
             ",\n";
    if (i % 7 == 0) bytes += R"({"ph": "i", "name": "instant", "ts": )" + number + "},";
    if (i % 5000 == 0) bytes += R"({"ph": "X", "name" "broken"},)" + std::string(i, ' ');
    if (i % 9000 == 0) bytes += slice(std::string(100'000, 'l'), number, "1") + ",";
  }
  bytes += slice("last", "1", "2") + R"(], "baseTimeNanoseconds": 17})";
  std::string first;
  for (const std::size_t size : {bytes.size(), std::size_t{1000}, std::size_t{70'001}}) {
    ArgsList args;
    const Trace trace = read_in_pieces(bytes, size, &args);
    expect_nothing_lost(trace);
    EXPECT_EQ(trace.base_time, 17);
    EXPECT_GT(trace.broken, 5);
    const std::string told = story(trace, args);
    if (first.empty()) first = told;
    EXPECT_TRUE(told == first) << "in pieces of " << size;
  }
}

TEST(TraceReader, WhoStopsReadingALargeTraceIsNotHeldUp) {
  TraceReader reader;
  reader.feed("[");
  const std::string event = slice("a", "1", "2") + ",";
  for (int i = 0; i < 100'000; ++i) reader.feed(event);
}

TEST(TraceReader, TextsAreUnescapedAndKeptOnce) {
  const Trace trace = read("[" + slice(R"(a\"b\u00e9\n)", "1", "1") + "," +
                           slice(R"(a\"b\u00E9\n)", "2", "1") + "]");
  EXPECT_THAT(names(trace), ElementsAre("a\"bé\n", "a\"bé\n"));
  EXPECT_EQ(trace.slices[0].label, trace.slices[1].label);
}

TEST(TraceBuilder, EventsOfThreadsBeyondTheMostAreRefusedAndCounted) {
  constexpr std::size_t kMost = 3;
  TraceBuilder builder(nullptr, kMost);
  TraceScanner scanner(&builder);
  std::string json = "[";
  for (int i = 0; i < 10; ++i) {
    json += R"({"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": )" +
            std::to_string(i % 5) + "},";
  }
  scanner.feed(json + "{}]");
  scanner.finish();
  const Trace trace = builder.finish();
  EXPECT_EQ(trace.threads.size(), kMost);
  EXPECT_EQ(trace.slices.size(), 6u) << "two of each thread that there is room for";
  EXPECT_EQ(trace.refused, 4);
  EXPECT_EQ(trace.problem_count, 4);
  EXPECT_THAT(trace.problems.front().reason, HasSubstr("more threads"));
  EXPECT_EQ(trace.events, 11);
}

}  // namespace
}  // namespace benchhud::ingest
