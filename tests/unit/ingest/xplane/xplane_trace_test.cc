// Profiles made by hand: what no real file at hand holds.
#include "ingest/xplane/xplane_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/ingest/xplane/xplane_writer.h"
#include "trace/trace_nesting.h"

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class KeptArgs : public trace::TraceArgsSink {
 public:
  std::uint64_t put(std::string_view json) override {
    kept.emplace_back(json);
    return kept.size() - 1;
  }
  std::vector<std::string> kept;
};

// A file of planes, read.
struct Read {
  explicit Read(const std::vector<Message>& planes) {
    Message space;
    for (const Message& plane : planes) space.message(1, plane);
    made = read_xplane(space.bytes(), &args);
  }
  const trace::Trace& trace() const { return made.trace; }
  template <class Event>
  nlohmann::json args_of(const Event& event) const {
    const std::uint64_t packed = trace().args_of(event).packed;
    if (packed == trace::TraceArgs::kNotKept) return nullptr;
    return nlohmann::json::parse(args.kept[packed]);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& slice : trace().slices) names.emplace_back(trace().name(slice));
    return names;
  }
  std::vector<std::string> categories() const {
    std::vector<std::string> names;
    for (const auto& slice : trace().slices) names.emplace_back(trace().category(slice));
    return names;
  }
  std::string problem(std::size_t number = 0) const {
    return number < trace().problems.size() ? trace().problems[number].reason : "";
  }

  KeptArgs args;
  XplaneTrace made;
};

Message host_plane(const Message& line) {
  return xplane(0, "/host:CPU").message(3, line).message(4, kind_entry(1, "f"));
}

TEST(Xplane, TakesAnAbsentFieldForZero) {
  const Read read({host_plane(Message().message(4, Message()))});
  ASSERT_THAT(read.trace().slices, SizeIs(1));
  EXPECT_EQ(read.trace().slices[0].start, 0);
  EXPECT_EQ(read.trace().slices[0].duration, 0);
  EXPECT_EQ(read.trace().threads[0].tid, "0");
  EXPECT_THAT(read.names(), ElementsAre("<UNKNOWN>"));
}

TEST(Xplane, ReadsNegativeIds) {
  const std::int64_t id = -8800332967749297542;
  const Read read({xplane(0, "/host:CPU")
                       .message(3, xline(-7, "python").message(4, xevent(id, 1000, 2000)))
                       .message(4, kind_entry(id, "hashed"))});
  EXPECT_THAT(read.names(), ElementsAre("hashed"));
  EXPECT_EQ(read.trace().threads[0].tid, "-7");
}

TEST(Xplane, IdsMeanAnotherKindInEachPlane) {
  const auto plane = [](std::int64_t number, const std::string& name) {
    Message line = xline(number, "thread");
    for (const std::int64_t id : {3, 65535, 65536, 1 << 30, 3}) {
      line.message(4, xevent(id, 1000, 2000));
    }
    Message made = xplane(number, "/host:" + name).message(3, line);
    for (const std::int64_t id : {3, 65535, 65536, 1 << 30}) {
      made.message(4, kind_entry(id, name + std::to_string(id)));
    }
    return made;
  };
  const Read read({plane(0, "CPU"), plane(1, "other")});
  EXPECT_THAT(read.names(),
              ElementsAre("CPU3", "CPU65535", "CPU65536", "CPU1073741824", "CPU3", "other3",
                          "other65535", "other65536", "other1073741824", "other3"));
}

TEST(Xplane, RoundsBeginningsAndEndsSoThatSlicesStillNest) {
  // A parent of 78 ps and a child of all of it; another one right behind.
  Message line = xline(3, "XLA Ops", 1);
  line.message(4, xevent(1, 450, 78))
      .message(4, xevent(1, 450, 78))
      .message(4, xevent(1, 528, 972));
  const Read read({xplane(2, "/device:TPU:0").message(3, line).message(4, kind_entry(1, "op"))});
  ASSERT_THAT(read.trace().slices, SizeIs(3));
  EXPECT_EQ(read.trace().slices[0].start, 1);
  EXPECT_EQ(read.trace().slices[0].end(), 2);  // 1528 ps
  EXPECT_EQ(read.trace().slices[2].start, 2);
  EXPECT_EQ(read.trace().slices[2].end(), 3);  // 2500 ps
  EXPECT_EQ(trace::nest(read.trace()).overlaps, 0);
}

TEST(Xplane, CountsFromTheProfilesBeginning) {
  const std::int64_t start = 1'747'325'045'706'893'896;
  const Message environment = xplane(0, "Task Environment")
                                  .message(6, int_stat(1, start))
                                  .message(5, stat_entry(1, "profile_start_time"));
  const Read read({host_plane(xline(1, "absolute", start + 5).message(4, xevent(1, 1000, 0))),
                   host_plane(xline(1, "relative", 7).message(4, xevent(1, 1000, 0))),
                   environment});
  ASSERT_THAT(read.trace().slices, SizeIs(2));
  EXPECT_EQ(read.trace().slices[0].start, 6);
  EXPECT_EQ(read.trace().slices[1].start, 8);
  EXPECT_EQ(read.trace().base_time, start);
}

TEST(Xplane, MergesLinesOfOneId) {
  const Read read(
      {xplane(0, "/device:GPU:0")
           .message(3, xline(7, "Stream #7(Compute)", 10).message(4, xevent(1, 0, 1000)))
           .message(3, xline(7, "Stream #7(Compute)", 20).message(4, xevent(1, 0, 1000)))
           .message(3, xline(8, "Stream #8(Compute)").message(4, xevent(1, 0, 1000)))
           .message(4, kind_entry(1, "k"))});
  EXPECT_THAT(read.trace().threads, SizeIs(2));
  EXPECT_EQ(read.trace().slices[1].thread, read.trace().slices[0].thread);
  EXPECT_EQ(read.trace().slices[1].start, 20);
  EXPECT_EQ(read.made.planes[0].lines, 3);
}

TEST(Xplane, KeepsPlanesOfOneNameApart) {
  const Message line = xline(1, "main").message(4, xevent(1, 0, 1000));
  const Read read({host_plane(line), host_plane(line)});
  ASSERT_THAT(read.trace().threads, SizeIs(2));
  EXPECT_EQ(read.trace().threads[0].pid, "701");
  EXPECT_EQ(read.trace().threads[1].pid, "702");
}

TEST(Xplane, CallsEventsAndLinesByTheirDisplayNames) {
  Message line = xline(3, "name");
  line.message(4, xevent(1, 0, 1000)).text(11, "display name").number(10, 5);
  const Read read({xplane(2, "/device:TPU:0")
                       .message(3, line)
                       .message(4, kind_entry(1, "%fusion.1 = f32[2]{0} fusion()", "fusion.1"))});
  EXPECT_THAT(read.names(), ElementsAre("fusion.1"));
  EXPECT_EQ(read.trace().threads[0].name, "display name");
  EXPECT_EQ(read.trace().threads[0].thread_sort_index, 5);
  EXPECT_EQ(read.args_of(read.trace().slices[0])["full_name"], "%fusion.1 = f32[2]{0} fusion()");
}

TEST(Xplane, KeepsValuesOfEventsAndOfTheirKinds) {
  Message event = xevent(1, 0, 1000);
  event.message(4, int_stat(1, std::numeric_limits<std::int64_t>::min()))
      .message(4, Message().number(1, 2).number(3, -1))  // unsigned
      .message(4, Message().number(1, 3).number(7, 9))   // a name's
      .message(4, Message().number(1, 4).text(6, "\x01\x02\x03"))
      .message(4, Message().number(1, 5).real(2, 0.5))
      .message(4, text_stat(6, "own \"text\"\xFF"))
      .message(4, Message().number(1, 7).number(7, 1234))
      .message(4, int_stat(8, 12));
  Message kind;
  kind.text(2, "op").message(5, text_stat(6, "of the kind")).message(5, int_stat(10, 42));
  Message plane = xplane(0, "/host:CPU")
                      .message(3, xline(1, "l").message(4, event).message(4, xevent(1, 0, 1)));
  plane.message(4, Message().number(1, 1).message(2, kind));
  for (const auto& [id, name] : std::vector<std::pair<std::int64_t, std::string>>{{1, "least"},
                                                                                  {2, "most"},
                                                                                  {3, "named"},
                                                                                  {4, "raw"},
                                                                                  {5, "half"},
                                                                                  {6, "text"},
                                                                                  {7, "missing"},
                                                                                  {9, "the name"},
                                                                                  {10, "flops"}}) {
    plane.message(5, stat_entry(id, name));
  }
  const Read read({plane});
  ASSERT_THAT(read.trace().slices, SizeIs(2));
  EXPECT_EQ(read.args_of(read.trace().slices[0]),
            nlohmann::json({{"least", "-9223372036854775808"},
                            {"most", "18446744073709551615"},
                            {"named", "the name"},
                            {"raw", "<3 bytes>"},
                            {"half", 0.5},
                            {"text", "own \"text\"\xEF\xBF\xBD"},
                            {"missing", nullptr},
                            {"stat 8", 12},
                            {"flops", 42}}));
  EXPECT_EQ(read.args_of(read.trace().slices[1]),
            nlohmann::json({{"text", "of the kind"}, {"flops", 42}}));
}

TEST(Xplane, UnpacksCompressedTexts) {
  // "text", and the same cut off.
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x49\xad\x28\x01\x00\xc7\xa7\x8b\x3b\x04\x00\x00"
      "\x00",
      24);
  const auto with = [&](std::size_t size) {
    return xevent(1, 0, 0).message(4, Message().number(1, 1).text(8, packed.substr(0, size)));
  };
  const Read read({host_plane(xline(1, "l").message(4, with(24)).message(4, with(12)))
                       .message(5, stat_entry(1, "stack"))});
  ASSERT_THAT(read.trace().slices, SizeIs(2));
  EXPECT_EQ(read.args_of(read.trace().slices[0]), nlohmann::json({{"stack", "text"}}));
  EXPECT_EQ(read.args_of(read.trace().slices[1]), nlohmann::json({{"stack", "<12 bytes, gzip>"}}));
}

TEST(Xplane, AnAggregatedEventIsNoSlice) {
  Message event = Message().number(1, 1).number(5, 12).number(3, 999);
  const Read read({host_plane(xline(1, "l").message(4, event))});
  EXPECT_THAT(read.trace().slices, SizeIs(0));
  EXPECT_EQ(read.made.planes[0].aggregated, 1);
  ASSERT_THAT(read.trace().points, SizeIs(1));
  EXPECT_EQ(read.trace().points[0].phase, 'M');
  EXPECT_EQ(read.trace().name(read.trace().points[0]), "f");
  EXPECT_EQ(read.args_of(read.trace().points[0]),
            nlohmann::json({{"num_occurrences", 12}, {"duration_ps", "999"}}));
}

TEST(Xplane, CountersAndAllocationsAreCounters) {
  const Read read(
      {xplane(2, "/device:TPU:0")
           .message(
               3,
               xline(9, "_counters_").message(4, xevent(1, 5000, 1000).message(4, int_stat(1, 42))))
           .message(4, kind_entry(1, "MXU"))
           .message(5, stat_entry(1, "% util")),
       xplane(0, "/host:CPU")
           .message(3, xline(1, "l").message(4, xevent(1, 7000, 0)
                                                    .message(4, text_stat(1, "GPU_0_bfc"))
                                                    .message(4, int_stat(2, 4096))
                                                    .message(4, int_stat(3, 17))))
           .message(4, kind_entry(1, "MemoryAllocation"))
           .message(5, stat_entry(1, "allocator_name"))
           .message(5, stat_entry(2, "bytes_allocated"))
           .message(5, stat_entry(3, "addr"))});
  ASSERT_THAT(read.trace().points, SizeIs(2));
  EXPECT_EQ(read.made.planes[0].counters, 1);
  EXPECT_EQ(read.trace().points[0].phase, 'C');
  EXPECT_EQ(read.trace().points[0].time, 5);
  EXPECT_EQ(read.args_of(read.trace().points[0]), nlohmann::json({{"% util", 42}}));
  EXPECT_EQ(read.made.planes[1].allocations, 1);
  EXPECT_EQ(read.trace().name(read.trace().points[1]), "GPU_0_bfc");
  EXPECT_EQ(read.args_of(read.trace().points[1]), nlohmann::json({{"event", "MemoryAllocation"},
                                                                  {"allocator_name", "GPU_0_bfc"},
                                                                  {"bytes_allocated", 4096},
                                                                  {"addr", "17"}}));
}

TEST(Xplane, AsynchronousEventsAreSlicesThatMayOverlap) {
  Message line = xline(4, "Async XLA Ops");
  line.message(4, xevent(1, 0, 10'000)).message(4, xevent(1, 5000, 10'000));
  const Read read({xplane(2, "/device:TPU:0").message(3, line).message(4, kind_entry(1, "copy"))});
  EXPECT_EQ(read.made.planes[0].async, 2);
  EXPECT_THAT(read.categories(), ElementsAre("xla_async_op", "xla_async_op"));
  const trace::TraceNesting nesting = trace::nest(read.trace(), trace::NestingRows::kYes);
  EXPECT_THAT(nesting.row, ElementsAre(0, 1));
}

TEST(Xplane, KnowsDeviceSlicesByTheirLinesAndValues) {
  const auto gpu_event = [](std::int64_t stat) {
    Message event = xevent(1, 0, 2000);
    return stat == 0 ? event : event.message(4, text_stat(stat, "kind_src:host size:4096 dest:0"));
  };
  Message plane = xplane(0, "/device:GPU:0");
  for (const std::int64_t stat : {0, 1, 2, 3}) {
    plane.message(3, xline(7, "Stream #7").message(4, gpu_event(stat)));
  }
  plane.message(3, xline(-559038735, "anything").message(4, gpu_event(0)))
      .message(3, xline(0xdeadbeef, "Steps").message(4, gpu_event(0)))
      .message(3, xline(5, "TensorFlow Ops").message(4, gpu_event(0)))
      .message(4, kind_entry(1, "k"))
      .message(5, stat_entry(1, "memcpy_details"))
      .message(5, stat_entry(2, "memset_details"))
      .message(5, stat_entry(3, "memalloc_details"));
  const Read read({plane});
  EXPECT_THAT(read.categories(), ElementsAre("kernel", "gpu_memcpy", "gpu_memset", "gpu_memory",
                                             "gpu_derived", "gpu_derived", "gpu_derived"));
  ASSERT_THAT(read.trace().bandwidths, SizeIs(1));
  EXPECT_EQ(read.trace().bandwidths[0].slice, 1u);
  EXPECT_EQ(read.trace().bandwidths[0].bytes, 4096);
  EXPECT_DOUBLE_EQ(read.trace().bandwidths[0].gigabytes_per_second, 2048);
}

TEST(Xplane, OneLaunchLeadsToEachOfItsKernels) {
  const auto event = [](std::int64_t at) { return xevent(1, at, 100).message(4, int_stat(1, 77)); };
  Message stream = xline(7, "Stream #7");
  stream.message(4, event(5000)).message(4, event(6000));
  const Read read(
      {xplane(0, "/device:GPU:0").message(3, stream).message(5, stat_entry(1, "correlation_id")),
       xplane(0, "/host:CPU")
           .message(3, xline(1, "l").message(4, event(1000)))
           .message(4, kind_entry(1, "cudaGraphLaunch"))
           .message(5, stat_entry(1, "correlation_id"))});
  EXPECT_EQ(read.made.flows.keys, 1);
  EXPECT_EQ(read.made.flows.arrows, 2);
  ASSERT_THAT(read.trace().flows, SizeIs(4));
  EXPECT_NE(read.trace().flows[0].key, read.trace().flows[2].key);
  EXPECT_EQ(read.trace().flows[2].time, 1);
  EXPECT_EQ(read.trace().flows[3].time, 6);
  EXPECT_EQ(read.trace().args_of(read.trace().slices[0]).correlation, 77);
  EXPECT_EQ(read.categories().back(), "cuda_runtime");
}

TEST(Xplane, AnEventMayBeBothEndsOfArrows) {
  const auto with = [](std::int64_t at, std::vector<std::pair<int, int>> stats) {
    Message event = xevent(1, at, 100);
    for (const auto& [id, value] : stats) event.message(4, int_stat(id, value));
    return event;
  };
  Message line = xline(1, "l");
  line.message(4, with(0, {{1, 5}, {2, 1}}))
      .message(4, with(1000, {{3, 5}, {4, 1}, {1, 5}, {2, 2}}))
      .message(4, with(2000, {{3, 5}, {4, 2}}))
      .message(4, with(3000, {{1, 6}, {2, 1}}));  // another type: nobody's
  Message plane = host_plane(line);
  for (const auto& [id, name] : {std::pair(1, "_pt"), {2, "_p"}, {3, "_ct"}, {4, "_c"}}) {
    plane.message(5, stat_entry(id, name));
  }
  const Read read({plane});
  EXPECT_EQ(read.made.flows.keys, 3);
  EXPECT_EQ(read.made.flows.arrows, 2);
  EXPECT_EQ(read.made.flows.only_start, 1);
  EXPECT_THAT(read.trace().flows, SizeIs(5));
}

TEST(Xplane, ReadsDirectionAndIdOfAFlow) {
  const auto with = [](std::int64_t at, std::int64_t id, int direction) {
    return xevent(1, at, 100)
        .message(4, int_stat(1, (std::int64_t{3} << 58) | (id << 2) | direction));
  };
  Message line = xline(1, "l");
  line.message(4, with(0, 9, 2)).message(4, with(1000, 9, 1)).message(4, with(2000, 10, 3));
  const Read read({host_plane(line).message(5, stat_entry(1, "flow"))});
  EXPECT_EQ(read.made.flows.keys, 2);
  EXPECT_EQ(read.made.flows.with_both, 2);
  EXPECT_EQ(read.made.flows.arrows, 1);  // none from an event to itself
}

TEST(Xplane, SaysWhatTheProfilerLost) {
  Message space;
  space
      .message(1, host_plane(xline(1, "l").message(4, xevent(1, 0, 1).message(4, int_stat(1, 12))))
                      .message(5, stat_entry(1, "dropped_traces")))
      .text(2, "No visible GPU")
      .text(3, "the buffer was full")
      .text(4, "host-1");
  const XplaneTrace made = read_xplane(space.bytes());
  ASSERT_EQ(made.trace.problem_count, 3);
  EXPECT_THAT(made.trace.problems[0].reason, HasSubstr("dropped 12 events of /host:CPU"));
  EXPECT_THAT(made.trace.problems[1].reason, HasSubstr("No visible GPU"));
  EXPECT_THAT(made.trace.problems[2].reason, HasSubstr("the buffer was full"));
  EXPECT_EQ(made.trace.threads[0].process_labels, "host-1");
}

TEST(Xplane, TakesNoTextForANumber) {
  const Read read({xplane(0, "/host:CPU")
                       .message(3, xline(1, "thread")
                                       .message(4, xevent(1, 1000, 5)
                                                       .message(4, text_stat(1, "0"))
                                                       .message(4, text_stat(2, "x"))
                                                       .message(4, text_stat(3, "x"))))
                       .message(4, kind_entry(1, "op"))
                       .message(5, stat_entry(1, "dropped_traces"))
                       .message(5, stat_entry(2, "correlation_id"))
                       .message(5, stat_entry(3, "_a")),
                   xplane(1, "Task Environment")
                       .message(5, stat_entry(1, "profile_start_time"))
                       .message(6, text_stat(1, "1700000000000000000"))});
  EXPECT_EQ(read.trace().problem_count, 0);
  EXPECT_EQ(read.trace().base_time, 0);
  EXPECT_EQ(read.made.planes[0].slices, 1);
  EXPECT_EQ(read.trace().args_of(read.trace().slices[0]).correlation, trace::TraceArgs::kAbsent);
}

// Constants of a kind count where the event does not say otherwise.
TEST(Xplane, ReadsWhatAKindSaysOfItsEvents) {
  const Message kind =
      Message().number(1, 1).text(2, "copy").message(5, text_stat(1, "size:4096 dest:0"));
  const Read read({xplane(0, "/device:GPU:0")
                       .message(3, xline(1, "Stream #1")
                                       .message(4, xevent(1, 1000, 1000))
                                       .message(4, xevent(1, 3000, 0)))
                       .message(4, Message().number(1, 1).message(2, kind))
                       .message(5, stat_entry(1, "memcpy_details"))});
  EXPECT_THAT(read.categories(), ElementsAre("gpu_memcpy", "gpu_memcpy"));
  ASSERT_THAT(read.trace().bandwidths, SizeIs(1)) << "none without a length";
}

TEST(Xplane, KeepsValuesOfPlanes) {
  const Read read({xplane(3, "/device:GPU:3")
                       .message(6, text_stat(1, "AMD"))
                       .message(5, stat_entry(1, "device_vendor"))});
  ASSERT_THAT(read.trace().points, SizeIs(1));
  EXPECT_EQ(read.args_of(read.trace().points[0]), nlohmann::json({{"device_vendor", "AMD"}}));
  EXPECT_EQ(read.trace().threads[0].process_name, "/device:GPU:3");
  EXPECT_EQ(read.trace().threads[0].pid, "4");
  EXPECT_EQ(read.trace().events, 0);
}

TEST(Xplane, RefusesTimesThatDoNotFit) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Message line = xline(1, "l", most);
  line.message(4, xevent(1, most, 0)).message(4, xevent(1, 0, -1)).message(4, xevent(1, 0, 0));
  const Read read({host_plane(line)});
  EXPECT_EQ(read.made.planes[0].refused, 2);
  EXPECT_EQ(read.made.planes[0].slices, 1);
  EXPECT_THAT(read.problem(0), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(read.problem(1), HasSubstr("below 0"));
}

TEST(Xplane, OfAnEmptyFileSaysWhatHappened) {
  EXPECT_THAT(read_xplane("").unreadable, HasSubstr("could not write more than 2 GB"));
}

TEST(Xplane, NamesTheFileThatCannotBeRead) {
  const std::string path = testing::TempDir() + "/none.xplane.pb";
  std::ofstream(path).close();
  const auto none = read_xplane_file(path);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, schema::ErrorCode::kUnsupported);
  EXPECT_THAT(none.error().message, HasSubstr(path));
  EXPECT_FALSE(read_xplane_file(path + ".is-not-there"));
}

}  // namespace
}  // namespace benchhud::ingest
