// Traces that were read wrongly: flows, lost records, slices without a length, text between events.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ingest/trace/trace_reader.h"
#include "schema/base/utf8.h"
#include "tests/unit/ingest/field_files.h"

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using trace::Trace;
using trace::TraceFlow;
using Step = TraceFlow::Step;

// However the bytes are cut, every event is counted once.
Trace read(const std::string& bytes) {
  Trace whole;
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, bytes.size() + 1}) {
    TraceReader reader;
    for (std::size_t at = 0; at < bytes.size(); at += size) reader.feed(bytes.substr(at, size));
    whole = reader.finish();
    EXPECT_EQ(whole.events, static_cast<std::int64_t>(whole.slices.size() + whole.points.size()) +
                                whole.pairs + whole.flow_events + whole.fillers + whole.refused -
                                whole.unclosed)
        << "in pieces of " << size;
  }
  return whole;
}

std::vector<std::string> names(const Trace& trace) {
  std::vector<std::string> names;
  for (const auto& slice : trace.slices) names.emplace_back(trace.name(slice));
  return names;
}

std::vector<std::string> reasons(const Trace& trace) {
  std::vector<std::string> reasons;
  for (const auto& problem : trace.problems) reasons.push_back(problem.reason);
  return reasons;
}

std::string slice(const std::string& name, int tid, const std::string& ts, const std::string& dur,
                  const std::string& rest = "") {
  return R"({"name": ")" + name + R"(", "ph": "X", "pid": 1, "tid": )" + std::to_string(tid) +
         R"(, "ts": )" + ts + R"(, "dur": )" + dur + rest + "}";
}

TEST(FieldTrace, ReadsTheDriversVersion) {
  EXPECT_EQ(read(R"({"cuda_runtime_version": 12060, "cuda_driver_version": 12040,
                     "traceEvents": []})")
                .cuda_driver,
            12'040);
  EXPECT_EQ(read(R"({"traceEvents": []})").cuda_driver, 0);
}

std::string memory_event(const std::string& args, const std::string& phase = "i") {
  return R"({"name": "[memory]", "ph": ")" + phase +
         R"(", "pid": 1, "tid": 1, "ts": 7, "dur": 1, )" + R"("args": )" + args + "}";
}

TEST(FieldTrace, SumsUpWhatMemoryEventsSay) {
  const std::string device = R"("Device Type": 1, "Device Id": 0)";
  const Trace trace =
      read("[" + memory_event("{" + device + R"(, "Total Allocated": 5, "Total Reserved": 9})") +
           "," + memory_event("{" + device + R"(, "Total Allocated": 4, "Total Reserved": 9})") +
           "," + memory_event("{" + device + R"(, "Total Allocated": -6})") + "," +
           memory_event("{" + device + R"(, "Total Allocated": NaN})") + "," +
           memory_event("{" + device + R"(, "Total Allocated": 800})", "X") + "]");
  ASSERT_THAT(trace.memory.devices, SizeIs(1));
  EXPECT_EQ(trace.memory.devices[0].peak_allocated, 5) << "no slice is such an event";
  EXPECT_EQ(trace.memory.devices[0].peak_time, 7'000);
  EXPECT_EQ(trace.memory.devices[0].peak_reserved, 9);
  EXPECT_EQ(trace.memory.events_left_out, 1);
  EXPECT_THAT(reasons(trace), ElementsAre(HasSubstr("Total Allocated of a [memory] event is -6"),
                                          HasSubstr("are no JSON object")));
  EXPECT_THAT(trace.points, SizeIs(4)) << "no event is lost";
}

TEST(FieldTrace, ShowsWholeCharactersOfValuesThatCannotBe) {
  std::string text = "x";
  for (int i = 0; i < 40; ++i) text += "é";
  const std::string event = R"({"name": "f", "ph": "X", "pid": 1, "tid": 1, )";
  const Trace trace = read("[" + event + R"("ts": ")" + text + R"(", "dur": 1}, )" + event +
                           R"("ts": 1, "dur": ")" + text + R"("}])");
  ASSERT_THAT(trace.problems, SizeIs(2));
  for (const std::string& reason : reasons(trace)) {
    EXPECT_THAT(reason, HasSubstr("xéé"));
    EXPECT_EQ(schema::to_valid_utf8(reason), reason);
  }
}

// Whichever way it is known to be a device's.
TEST(FieldTrace, RefusesDeviceRecordsOfNegativeLength) {
  for (const char* category : {"kernel", "mtia_ccp_events", "GCU_MEMCPY", "gpu_memset"}) {
    const Trace trace =
        read("[" + slice("k", 7, "5", "-3", R"(, "cat": ")" + std::string(category) + '"') + "]");
    EXPECT_THAT(reasons(trace), ElementsAre(HasSubstr("impossible"))) << category;
    EXPECT_THAT(trace.slices, IsEmpty()) << category;
  }
  const std::string labels = R"([{"name": "process_labels", "ph": "M", "pid": 1,
                                  "args": {"labels": "NPU"}}, )";
  EXPECT_THAT(read(labels + slice("aclnnMm", 7, "5", "-3") + "]").slices, IsEmpty());
  EXPECT_THAT(read("[" + slice("f", 7, "5", "-3") + "]").slices, SizeIs(1));
}

TEST(FieldTrace, RefusesDeviceRecordWhoseTimesWereLost) {
  const Trace trace = read(field_text("04_device_record_at_zero.json"));
  EXPECT_THAT(names(trace), ElementsAre("aten::mm", "cudaLaunchKernel", "volta_sgemm_64x64_nn",
                                        "cudaLaunchKernel"));
  EXPECT_EQ(trace.refused, 2);
  EXPECT_THAT(reasons(trace),
              ElementsAre(HasSubstr("its times were lost"), HasSubstr("end of a flow")));
  // The arrow that led to it goes with it; the launch's own end stays.
  ASSERT_THAT(trace.flows, SizeIs(1));
  EXPECT_EQ(trace.flows[0].step, Step::kStart);
}

TEST(FieldTrace, KeepsDeviceRecordsThatBeginAtZeroOrHaveNoLength) {
  const std::string device = R"(, "cat": "kernel", "args": {"correlation": 1})";
  const Trace trace = read("[" + slice("begins", 7, "0", "5", device) + "," +
                           slice("short", 7, "9", "0", device) + "," + slice("mark", 1, "0", "0") +
                           R"(,{"ph": "f", "bp": "e", "id": 1, "pid": 1, "tid": 7, "ts": 0}])");
  EXPECT_THAT(names(trace), ElementsAre("begins", "short", "mark"));
  EXPECT_THAT(trace.flows, SizeIs(1));
  EXPECT_EQ(trace.problem_count, 0);
}

TEST(FieldTrace, RefusesLostCopiesToo) {
  const Trace trace = read("[" + slice("Memcpy HtoD", 7, "0", "0.000", R"(, "cat": "gpu_memcpy")") +
                           "," + slice("a", 1, "5", "1") + "]");
  EXPECT_THAT(names(trace), ElementsAre("a"));
  EXPECT_EQ(trace.refused, 1);
}

TEST(FieldTrace, TellsFlowsApartByCategoryAndId) {
  const Trace trace = read(field_text("08_flow_ids_of_two_categories.json"));
  ASSERT_THAT(trace.flows, SizeIs(2));
  EXPECT_NE(trace.flows[0].key, trace.flows[1].key);
}

TEST(FieldTrace, NoTwoFlowsShareAKey) {
  std::string bytes = "[";
  for (int id = 0; id < 400; ++id) {
    for (const char* category : {"ac2g", "fwdbwd", "async", ""}) {
      for (const char* phase : {"s", "f"}) {
        bytes += std::string(R"({"ph": ")") + phase + R"(", "bp": "e", "cat": ")" + category +
                 R"(", "id": )" + std::to_string(id) + R"(, "pid": 1, "tid": 1, "ts": 5},)";
      }
    }
  }
  TraceReader reader;
  reader.feed(bytes + "]");
  const Trace trace = reader.finish();
  std::set<std::uint64_t> keys;
  for (std::size_t i = 0; i < trace.flows.size(); i += 2) {
    EXPECT_EQ(trace.flows[i].key, trace.flows[i + 1].key);
    keys.insert(trace.flows[i].key);
  }
  EXPECT_EQ(keys.size(), 1600u);
}

TEST(FieldTrace, IdsOfOneProcessAreNotThoseOfAnother) {
  const auto end = [](const char* phase, int pid) {
    return std::string(R"({"ph": ")") + phase +
           R"(", "bp": "e", "cat": "c", "id2": {"local": "0x1"}, "tid": 1, "ts": 5, "pid": )" +
           std::to_string(pid) + "}";
  };
  const Trace trace = read("[" + end("s", 1) + "," + end("f", 1) + "," + end("f", 2) + "]");
  ASSERT_THAT(trace.flows, SizeIs(3));
  EXPECT_EQ(trace.flows[0].key, trace.flows[1].key);
  EXPECT_NE(trace.flows[0].key, trace.flows[2].key);
}

TEST(FieldTrace, BindIdMakesOneStepOfASliceWithBothDirections) {
  const Trace trace = read(field_text("14_flows_bind_id.json"));
  ASSERT_THAT(trace.flows, SizeIs(3));
  EXPECT_EQ(trace.flows[0].step, Step::kStart);
  EXPECT_EQ(trace.flows[1].step, Step::kStep);
  EXPECT_EQ(trace.flows[2].step, Step::kEnd);
  EXPECT_EQ(trace.flows[2].time, 200'000);
  EXPECT_EQ(trace.flows[0].key, trace.flows[2].key);
}

TEST(FieldTrace, EndWithoutBindingPointBelongsToTheNextSlice) {
  const auto end = [](const char* ts, const char* rest = "") {
    return std::string(R"({"ph": "f", "id": 1, "pid": 1, "tid": 2, "ts": )") + ts + rest + "}";
  };
  const Trace trace = read("[" + end("15") + "," + slice("around", 2, "10", "20") + "," +
                           slice("other thread", 3, "16", "1") + "," + slice("next", 2, "20", "5") +
                           "," + end("15", R"(, "bp": "e")") + "," + end("20") + "," + end("21") +
                           "," + slice("last", 2, "40", "1") + "," + end("41") + "]");
  std::vector<std::int64_t> times;
  for (const auto& flow : trace.flows) times.push_back(flow.time);
  EXPECT_THAT(times, ElementsAre(20'000, 15'000, 20'000, 40'000, 41'000));
}

TEST(FieldTrace, SliceWithoutDurationIsAProblem) {
  const Trace trace = read(field_text("15_slice_without_duration.json"));
  EXPECT_THAT(names(trace), ElementsAre("no_dur", "ok"));
  EXPECT_THAT(reasons(trace), ElementsAre(HasSubstr("without dur")));
  EXPECT_EQ(trace.problem_count, 1);
}

TEST(FieldTrace, TextBetweenEventsCostsNeither) {
  const Trace trace = read(field_text("16_text_between_events.json"));
  EXPECT_THAT(names(trace), ElementsAre("a", "b", "c"));
  EXPECT_EQ(trace.broken, 1);
}

TEST(FieldTrace, TextBetweenEventsMayHoldObjectsOfItsOwn) {
  for (const char* text :
       {"// 2 more", "\"cut\"", "null,", "[ 1, 2 ]", "42", "{ cut }", R"(log: {"level": "info"})",
        R"(log: {"level": {"a": [1, "x"]}}, )", R"(x {"level": ... })", "it's \" cut"}) {
    const Trace trace = read("[" + slice("a", 1, "1", "2") + ",\n" + text + "\n" +
                             slice("b", 1, "5", "2", R"(, "args": {"x": {"y": 1}})") + ",\n" +
                             slice("c", 1, "9", "2") + "]");
    EXPECT_THAT(names(trace), ElementsAre("a", "b", "c")) << text;
    EXPECT_GE(trace.broken, 1) << text;
    EXPECT_EQ(trace.refused, 0) << text;
  }
}

TEST(FieldTrace, TextWithoutEventsBehindItIsReadInLinearTime) {
  std::string bytes = "[" + slice("a", 1, "1", "2") + ", x ";
  for (int i = 0; i < 200'000; ++i) bytes += R"({"k": {"j": )";
  TraceReader reader;
  reader.feed(bytes);
  EXPECT_THAT(names(reader.finish()), ElementsAre("a"));
}

}  // namespace
}  // namespace benchhud::ingest
