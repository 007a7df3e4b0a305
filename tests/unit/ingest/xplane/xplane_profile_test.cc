// What an XPlane profile says of operators, kernels, modules, memory and steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_op_facts.h"
#include "ingest/xplane/xplane_trace.h"
#include "tests/unit/ingest/xplane/xplane_writer.h"
#include "tests/unit/places.h"
#include "trace/xla_profile.h"

namespace benchhud::ingest {
namespace {

using nlohmann::json;
using trace::XlaDevice;
using trace::XlaOperator;
using trace::XlaProfile;

// Names of values, as the planes below have them.
enum Stat : std::int64_t {
  kProgram = 1,
  kSymbol,
  kFlops,
  kBytes,
  kOffset,
  kDuration,
  kHloOp,
  kModule,
  kCategory,
  kDetails,
  kCorrelation,
  kRunId,
  kQueue,
  kCore,
  kOrdinal,
  kStepNum,
  kRoot,
  kType,
  kProducer,
  kConsumerType,
  kConsumer,
  kAllocator,
  kAllocated,
  kReserved,
  kFree,
  kPeak,
  kTera,
  kHbm,
  kAccess,
  kFrameworkOp,
  kMemcpy
};
Message named(Message plane) {
  constexpr std::array kNames = {"program_id",
                                 "symbol_id",
                                 "flops",
                                 "bytes_accessed",
                                 "device_offset_ps",
                                 "device_duration_ps",
                                 "hlo_op",
                                 "hlo_module",
                                 "hlo_category",
                                 "kernel_details",
                                 "correlation_id",
                                 "run_id",
                                 "queue_id",
                                 "core_type",
                                 "device_ordinal",
                                 "step_num",
                                 "_r",
                                 "_pt",
                                 "_p",
                                 "_ct",
                                 "_c",
                                 "allocator_name",
                                 "bytes_allocated",
                                 "bytes_reserved",
                                 "bytes_available",
                                 "peak_bytes_in_use",
                                 "peak_teraflops_per_second",
                                 "peak_hbm_bw_gigabytes_per_second",
                                 "memory_access_breakdown",
                                 "tf_op",
                                 "memcpy_details"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    plane.message(5, stat_entry(static_cast<std::int64_t>(i) + 1, kNames[i]));
  }
  return plane;
}

// An entry of event_metadata with values.
Message kind_with(std::int64_t id, std::string_view name, const std::vector<Message>& stats) {
  Message kind;
  kind.number(1, id).text(2, name);
  for (const Message& stat : stats) kind.message(5, stat);
  return Message().number(1, id).message(2, kind);
}
Message with(Message event, const std::vector<Message>& stats) {
  for (const Message& stat : stats) event.message(4, stat);
  return event;
}

XplaneTrace read(const std::vector<Message>& planes) {
  Message space;
  for (const Message& plane : planes) space.message(1, plane);
  return read_xplane(space.bytes());
}
const XlaProfile& profile_of(const XplaneTrace& made) { return *made.trace.xla; }
std::string text(const XplaneTrace& made, std::uint32_t number) {
  return std::string(made.trace.texts[number]);
}

class RealProfile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(folder() / "reference.json");
    if (!file) GTEST_SKIP() << "the real profiles (shared/data/xplane) are not here";
    reference_ = json::parse(file);
  }
  static std::filesystem::path folder() { return shared_folder() / "data/xplane"; }
  template <class Check>
  void for_each_file(const Check& check) {
    for (const auto& [name, expected] : reference_.items()) {
      SCOPED_TRACE(name);
      const auto file = XplaneFile::open(folder() / name);
      ASSERT_TRUE(file) << file.error().message;
      const XplaneTrace made = read_xplane(file->bytes());
      if (made.unreadable.empty()) check(made, expected);
    }
  }
  json reference_;
};

json operators_of(const XplaneTrace& made, std::uint32_t device) {
  const XlaProfile& profile = profile_of(made);
  std::int64_t distinct = 0, occurrences = 0, self = 0, flops = 0, bytes = 0;
  std::map<std::string, std::int64_t> by_category;
  for (const XlaOperator& op : profile.operators) {
    if (op.device != device) continue;
    ++distinct;
    occurrences += op.occurrences;
    self += op.self_ps;
    flops += op.cost.flops;
    bytes += op.cost.bytes;
    by_category[text(made, op.category)] += op.self_ps;
  }
  const XlaDevice& of = profile.devices[device];
  return {{"distinct", distinct},    {"occurrences", occurrences},         {"total_ps", of.span_ps},
          {"self_ps", self},         {"idle_ps", of.span_ps - of.busy_ps}, {"flops", flops},
          {"bytes_accessed", bytes}, {"self_ps_by_category", by_category}};
}

void expect_tpu(const XplaneTrace& made, std::uint32_t device, json expected) {
  json top = std::move(expected["top"]);
  expected.erase("top");
  EXPECT_EQ(operators_of(made, device), expected);
  for (const json& row : top) {
    const auto text_or_null = [&](std::uint32_t number) {
      return number == 0 ? json() : json(text(made, number));
    };
    int found = 0;
    for (const XlaOperator& op : profile_of(made).operators) {
      if (op.device != device || text(made, op.name) != row["name"].get_ref<const std::string&>())
        continue;
      if (op.program != row["module"].get<std::uint64_t>()) continue;
      ++found;
      EXPECT_EQ(row["category"], text(made, op.category));
      EXPECT_EQ(op.occurrences, row["occurrences"]);
      EXPECT_EQ(op.time_ps, row["time_ps"]);
      EXPECT_EQ(op.self_ps, row["self_ps"]);
      EXPECT_EQ(op.cost.flops, row["flops_each"].get<std::int64_t>() * op.occurrences);
      EXPECT_EQ(op.cost.bytes, row["bytes_each"].get<std::int64_t>() * op.occurrences);
      EXPECT_EQ(op.cost.flops_stated, op.occurrences);
      EXPECT_EQ(text_or_null(op.source), row["source"]);
      EXPECT_EQ(text_or_null(op.framework_op), row["tf_op"]);
    }
    EXPECT_EQ(found, 1) << row["name"];
  }
}

void expect_gpu(const XplaneTrace& made, std::uint32_t device, const json& expected) {
  const XlaProfile& profile = profile_of(made);
  if (expected.contains("busy_ps")) {
    EXPECT_EQ(profile.devices[device].busy_ps, expected["busy_ps"]);
    EXPECT_EQ(profile.devices[device].span_ps, expected["busy_span_ps"]);
  }
  if (expected.contains("kernels")) {
    std::int64_t count = 0, total = 0;
    for (const trace::XlaKernel& kernel : profile.kernels) {
      if (kernel.device != device) continue;
      count += kernel.count;
      total += kernel.total_ps;
    }
    EXPECT_EQ(count, expected["kernels"]["count"]);
    EXPECT_EQ(total, expected["kernels"]["total_ps"]);
  }
  if (!expected.contains("hlo_ops")) return;
  std::int64_t kernels = 0, total = 0, distinct = 0;
  for (const XlaOperator& op : profile.operators) {
    if (op.device != device || op.name == 0) continue;
    ++distinct;
    kernels += op.kernels;
    total += op.self_ps;
  }
  EXPECT_EQ(distinct, expected["hlo_ops"]["count"]);
  EXPECT_EQ(kernels, expected["hlo_ops"]["events"]);
  EXPECT_EQ(total, expected["hlo_ops"]["total_ps"]);
  for (const json& row : expected["hlo_ops"]["top"]) {
    int found = 0;
    for (const XlaOperator& op : profile.operators) {
      if (op.device != device || text(made, op.name) != row["op"].get_ref<const std::string&>())
        continue;
      if (std::to_string(op.program.value_or(0)) != row["program_id"].get_ref<const std::string&>())
        continue;
      ++found;
      EXPECT_EQ(row["module"], text(made, op.module));
      EXPECT_EQ(op.kernels, row["count"]);
      EXPECT_EQ(op.self_ps, row["total_ps"]);
      EXPECT_GT(op.occurrences, 0);
      EXPECT_LE(op.occurrences, op.kernels);
    }
    EXPECT_EQ(found, 1) << row["op"];
  }
}

TEST_F(RealProfile, HasTheReferencesOperatorsToThePicosecond) {
  int tpus = 0, gpus = 0;
  for_each_file([&](const XplaneTrace& made, const json& expected) {
    const XlaProfile& profile = profile_of(made);
    for (std::uint32_t i = 0; i < profile.devices.size(); ++i) {
      SCOPED_TRACE(profile.devices[i].name);
      for (const json& plane : expected["planes"]) {
        if (plane["name"] != profile.devices[i].name || !plane.contains("analysis")) continue;
        const json& analysis = plane["analysis"];
        if (analysis.contains("operators")) {
          ++tpus;
          expect_tpu(made, i, analysis["operators"]);
        } else {
          ++gpus;
          expect_gpu(made, i, analysis);
        }
      }
    }
  });
  EXPECT_EQ(tpus, 4);
  EXPECT_GE(gpus, 6);
}

TEST_F(RealProfile, HasTheReferencesModuleRuns) {
  for_each_file([](const XplaneTrace& made, const json& expected) {
    const XlaProfile& profile = profile_of(made);
    for (const json& plane : expected["planes"]) {
      if (!plane.contains("analysis") || !plane["analysis"].contains("modules")) continue;
      json modules = json::object();
      for (const trace::XlaModule& module : profile.modules) {
        if (profile.devices[module.device].name != plane["name"].get_ref<const std::string&>())
          continue;
        const std::string name =
            text(made, module.name) + "(" + std::to_string(module.program.value()) + ")";
        modules[name] = {{"runs", module.runs}, {"total_ps", module.total_ps}};
      }
      EXPECT_EQ(modules, plane["analysis"]["modules"]) << plane["name"];
    }
  });
}

TEST_F(RealProfile, HasTheReferencesMemoryPeaks) {
  for_each_file([](const XplaneTrace& made, const json& expected) {
    json memory = json::object();
    for (const trace::XlaAllocator& one : profile_of(made).allocators) {
      std::string name = text(made, one.name);
      if (name.starts_with("device ")) name = name.substr(7);
      memory[name] = {{"allocations", one.allocations},
                      {"deallocations", one.deallocations},
                      {"peak_in_window_bytes", one.peak_bytes.value()},
                      {"lifetime_peak_bytes", one.lifetime_peak_bytes.value()},
                      {"capacity_bytes", one.capacity_bytes.value()}};
    }
    EXPECT_EQ(memory, expected["memory"]);
  });
}

// Two kernels of a convolution are one execution.
TEST_F(RealProfile, CountsExecutionsOfOperatorsOnGpus) {
  const auto file = XplaneFile::open(folder() / "mi300_jax_conv.xplane.pb");
  ASSERT_TRUE(file);
  const XplaneTrace made = read_xplane(file->bytes());
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts;
  for (const XlaOperator& op : profile_of(made).operators) {
    counts[text(made, op.name)] = {op.occurrences, op.kernels};
  }
  EXPECT_EQ(counts["cudnn-conv.1.0"], std::pair(5L, 10L));
  EXPECT_EQ(counts["input_transpose_fusion"], std::pair(5L, 5L));
  ASSERT_EQ(profile_of(made).modules.size(), 1);
  EXPECT_EQ(profile_of(made).modules[0].runs, 5);
}

TEST_F(RealProfile, LinksRunsOfModulesToTheirLaunches) {
  const auto file = XplaneFile::open(folder() / "tpu_v6e_host_offload.xplane.pb");
  ASSERT_TRUE(file);
  const XplaneTrace made = read_xplane(file->bytes());
  EXPECT_EQ(profile_of(made).linked_runs, 414);
  EXPECT_EQ(profile_of(made).runs_without_launch, 0);
}

TEST_F(RealProfile, DoesNotTakeUnknownOccupancyForNone) {
  const auto file = XplaneFile::open(folder() / "mi300_jax_conv.xplane.pb");
  ASSERT_TRUE(file);
  const XplaneTrace made = read_xplane(file->bytes());
  ASSERT_FALSE(profile_of(made).kernels.empty());
  for (const trace::XlaKernel& kernel : profile_of(made).kernels) {
    EXPECT_NE(kernel.occupancy_pct, 0.0) << text(made, kernel.name);
  }
}

// A TPU with a fusion inside a loop; times by the device's clock differ from those of the file.
TEST(XplaneProfile, NestsOperatorsByTheDevicesClock) {
  Message ops = xline(3, "XLA Ops");
  ops.message(4, with(xevent(1, 1'000'000, 900'000),
                      {int_stat(kOffset, 2'000'000), int_stat(kDuration, 1'000'001)}));
  ops.message(4, with(xevent(2, 1'100'000, 100'000),
                      {int_stat(kOffset, 2'100'000), int_stat(kDuration, 300'000)}));
  ops.message(4, with(xevent(2, 1'500'000, 100'000),
                      {int_stat(kOffset, 2'600'000), int_stat(kDuration, 400'001)}));
  Message plane = named(xplane(1, "/device:TPU:0").message(3, ops));
  plane.message(
      4, kind_with(1, "while",
                   {int_stat(kProgram, -5), int_stat(kSymbol, 1), text_stat(kCategory, "while")}));
  plane.message(4, kind_with(2, "fusion",
                             {int_stat(kProgram, -5), int_stat(kSymbol, 2), int_stat(kFlops, 700),
                              int_stat(kBytes, 9)}));
  const XplaneTrace made = read({plane});
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.operators.size(), 2);
  const XlaOperator &loop = profile.operators[0], &fusion = profile.operators[1];
  EXPECT_EQ(text(made, loop.name), "while");
  EXPECT_EQ(loop.program, static_cast<std::uint64_t>(-5));
  EXPECT_EQ(loop.time_ps, 1'000'001);
  EXPECT_EQ(loop.self_ps, 300'000);
  EXPECT_EQ(loop.cost.flops_stated, 0);
  EXPECT_EQ(fusion.occurrences, 2);
  EXPECT_EQ(fusion.self_ps, 700'001);
  EXPECT_EQ(fusion.cost.flops, 1400);
  EXPECT_EQ(fusion.cost.bytes, 18);
  EXPECT_EQ(profile.devices[0].span_ps, 1'000'001);
  EXPECT_EQ(profile.devices[0].busy_ps, 1'000'001);
}

TEST(XplaneProfile, NestsByTheFilesTimesWhereTheDevicesClockIsNotKnownOfAll) {
  Message ops = xline(3, "XLA Ops");
  ops.message(4, with(xevent(1, 1'000'000, 900'000),
                      {int_stat(kOffset, 77'000'000), int_stat(kDuration, 900'001)}));
  ops.message(4, xevent(2, 1'100'000, 100'000));
  Message plane = named(xplane(1, "/device:TPU:0").message(3, ops));
  plane.message(4, kind_entry(1, "while")).message(4, kind_entry(2, "fusion"));
  const XplaneTrace made = read({plane});
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.operators.size(), 2);
  EXPECT_EQ(profile.operators[0].time_ps, 900'000);
  EXPECT_EQ(profile.operators[0].self_ps, 800'000);
  EXPECT_EQ(profile.devices[0].span_ps, 900'000);
}

TEST(XplaneProfile, HasOperatorsOfTimesSince1970) {
  Message ops = xline(3, "XLA Ops", 1'700'000'000'000'000'000);
  ops.message(4, xevent(1, 1'000, 5'000)).message(4, xevent(1, 9'000, 5'001));
  Message plane = named(xplane(1, "/device:TPU:0").message(3, ops));
  plane.message(4, kind_entry(1, "fusion"));
  const XplaneTrace made = read({plane});
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.operators.size(), 1);
  EXPECT_EQ(profile.operators[0].self_ps, 10'001);
  EXPECT_EQ(profile.devices[0].left_out, 0);
  EXPECT_EQ(profile.devices[0].span_ps, 13'001);
}

TEST(XplaneProfile, GivesDevicesOfOneNameANumber) {
  Message ops = xline(3, "XLA Ops").message(4, xevent(1, 0, 10));
  Message plane = named(xplane(1, "/device:TPU:0").message(3, ops));
  plane.message(4, kind_entry(1, "fusion"));
  const XplaneTrace made = read({plane, plane, plane});
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.devices.size(), 3);
  EXPECT_EQ(profile.devices[0].name, "/device:TPU:0");
  EXPECT_EQ(profile.devices[1].name, "/device:TPU:0 (2)");
  EXPECT_EQ(profile.devices[2].name, "/device:TPU:0 (3)");
}

TEST(XplaneProfile, KeepsRunsOfTheModuleThatTakesTheMostTime) {
  constexpr std::int64_t kShort = XlaProfile::kMostRuns + 10, kLong = 5;
  Message modules = xline(2, "XLA Modules");
  for (std::int64_t i = 0; i < kShort; ++i) modules.message(4, xevent(1, i * 2'000, 1'000));
  for (std::int64_t i = 0; i < kLong; ++i) {
    modules.message(4, xevent(2, (kShort + i * kShort) * 2'000, kShort * 1'000));
  }
  Message plane = named(xplane(1, "/device:TPU:0").message(3, modules));
  plane.message(4, kind_entry(1, "short(1)")).message(4, kind_entry(2, "long(2)"));
  const XplaneTrace made = read({plane});
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.modules.size(), 2);
  EXPECT_EQ(profile.runs.size(), XlaProfile::kMostRuns);
  EXPECT_EQ(profile.runs_left_out, 10 + kLong);
  EXPECT_EQ(std::count_if(profile.runs.begin(), profile.runs.end(),
                          [](const trace::XlaRun& run) { return run.module == 1; }),
            kLong);
}

TEST(XplaneProfile, KnowsTheProgramOfEachRunOfOneKind) {
  Message modules = xline(2, "XLA Modules");
  modules.message(4, with(xevent(1, 0, 10), {int_stat(kProgram, 5)}));
  modules.message(4, with(xevent(1, 20, 10), {int_stat(kProgram, 6)}));
  Message plane = named(xplane(1, "/device:TPU:0").message(3, modules));
  plane.message(4, kind_entry(1, "jit_f"));
  const XplaneTrace made = read({plane});
  ASSERT_EQ(profile_of(made).modules.size(), 2);
  EXPECT_EQ(profile_of(made).modules[0].program, 5);
  EXPECT_EQ(profile_of(made).modules[1].program, 6);
}

TEST(XplaneProfile, ReadsWhatAllAllocationsOfAKindSay) {
  Message thread = xline(1, "main");
  thread.message(4, with(xevent(1, 0, 0), {int_stat(kAllocated, 100)}));
  thread.message(4, with(xevent(1, 10, 0), {int_stat(kAllocated, 70), int_stat(kReserved, 50)}));
  Message host = named(xplane(2, "/host:CPU").message(3, thread));
  host.message(4, kind_with(1, "MemoryAllocation",
                            {int_stat(kReserved, 10), int_stat(kFree, 1000),
                             text_stat(kAllocator, "GPU_0_bfc")}));
  const XplaneTrace made = read({host});
  ASSERT_EQ(profile_of(made).allocators.size(), 1);
  EXPECT_EQ(profile_of(made).allocators[0].peak_bytes, 120);
  EXPECT_EQ(profile_of(made).allocators[0].capacity_bytes, 1120);
}

TEST(XplaneProfile, TakesTheCostOfAnEventBeforeThatOfItsKind) {
  Message ops = xline(3, "XLA Ops");
  ops.message(4, with(xevent(1, 0, 10), {int_stat(kFlops, 3)})).message(4, xevent(1, 10, 10));
  Message plane = named(xplane(1, "/device:TPU:0").message(3, ops));
  plane.message(4, kind_with(1, "custom-call", {int_stat(kFlops, 2)}));
  const XplaneTrace made = read({plane});
  ASSERT_EQ(profile_of(made).operators.size(), 1);
  EXPECT_EQ(profile_of(made).operators[0].cost.flops, 5);
}

TEST(XplaneProfile, ReadsMemoryAccessesAndPeaks) {
  Message ops = xline(3, "XLA Ops").message(4, xevent(1, 0, 10));
  Message access;
  access.message(1, Message().number(1, 1).number(2, 1).number(3, 100));
  access.message(1, Message().number(1, 2).number(2, 3).number(3, 40));
  Message plane = named(xplane(1, "/device:TPU:0").message(3, ops));
  plane.message(6, Message().number(1, kTera).real(2, 918));
  plane.message(6, Message().number(1, kHbm).real(2, 1638));
  plane.message(
      4, kind_with(1, "copy",
                   {int_stat(kBytes, 140), Message().number(1, kAccess).text(6, access.bytes())}));
  const XplaneTrace made = read({plane});
  const XlaProfile& profile = profile_of(made);
  EXPECT_EQ(profile.devices[0].peaks.flops_per_s, 918e12);
  EXPECT_EQ(profile.devices[0].peaks.bytes_per_s[0], 1638e9);
  EXPECT_THAT(profile.operators[0].cost.memory, testing::ElementsAre(100, 0, 0, 0, 40));
}

// Kernels of one stream: each a name, an operator and the call that launched it.
struct MadeKernel {
  std::int64_t kind;
  std::string_view op;
  std::int64_t correlation;  // 0: none
};
std::vector<Message> gpu_session(const std::vector<MadeKernel>& kernels,
                                 const std::vector<std::int64_t>& executions) {
  Message stream = xline(7, "Stream #7(Compute)");
  Message thread = xline(1, "main");
  std::int64_t at = 0;
  // The host executes a module: its launches follow the beginning of the execution.
  std::int64_t next = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (static_cast<std::size_t>(next) < executions.size() &&
        executions[static_cast<std::size_t>(next)] == static_cast<std::int64_t>(i)) {
      const std::int64_t end = static_cast<std::size_t>(next) + 1 < executions.size()
                                   ? executions[static_cast<std::size_t>(next) + 1]
                                   : static_cast<std::int64_t>(kernels.size());
      thread.message(4, xevent(9, at, (end - static_cast<std::int64_t>(i)) * 1'000'000 - 1000));
      ++next;
    }
    std::vector<Message> stats = {text_stat(kHloOp, kernels[i].op), text_stat(kModule, "jit_f"),
                                  text_stat(kDetails, "regs:12 grid:3,1,1 block:128,1,1")};
    if (kernels[i].correlation != 0) {
      stats.push_back(int_stat(kCorrelation, kernels[i].correlation));
      thread.message(
          4, with(xevent(8, at + 1000, 1000), {int_stat(kCorrelation, kernels[i].correlation)}));
    }
    stream.message(4, with(xevent(kernels[i].kind, at + 500'000, 100'000), stats));
    at += 1'000'000;
  }
  Message device = named(xplane(1, "/device:GPU:0").message(3, stream));
  device.message(4, kind_entry(1, "gemm")).message(4, kind_entry(2, "splitK"));
  Message host = named(xplane(2, "/host:CPU").message(3, thread));
  host.message(4, kind_entry(8, "cuLaunchKernel"));
  host.message(4, kind_entry(9, "jit_f:XLA GPU module"));
  return {device, host};
}

TEST(XplaneProfile, CountsAnExecutionForEachThatTheHostLaunched) {
  // One operator of two kernels, executed twice, then a module of one operator.
  const XplaneTrace made = read(gpu_session({{1, "fusion::dot.1", 11},
                                             {2, "fusion::dot.1", 12},
                                             {1, "fusion::dot.1", 13},
                                             {2, "fusion::dot.1", 14}},
                                            {0, 2}));
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.operators.size(), 1);
  EXPECT_EQ(text(made, profile.operators[0].name), "dot.1");
  EXPECT_EQ(profile.operators[0].occurrences, 2);
  EXPECT_EQ(profile.operators[0].kernels, 4);
  ASSERT_EQ(profile.modules.size(), 1);
  EXPECT_EQ(profile.modules[0].runs, 2);
  EXPECT_EQ(profile.modules[0].total_ps, 2 * 1'100'000);
  ASSERT_EQ(profile.kernels.size(), 2);
  EXPECT_EQ(profile.kernels[0].registers, 12);
  EXPECT_EQ(text(made, profile.kernels[0].block), "128,1,1");
}

TEST(XplaneProfile, CountsAnExecutionForEachTimeThatALoopLaunchesAKernel) {
  const XplaneTrace made =
      read(gpu_session({{1, "dot", 11}, {2, "dot", 12}, {1, "dot", 13}, {2, "dot", 14}}, {0}));
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.operators.size(), 1);
  EXPECT_EQ(profile.operators[0].occurrences, 2);
  ASSERT_EQ(profile.modules.size(), 1);
  EXPECT_EQ(profile.modules[0].runs, 1);
}

TEST(XplaneProfile, CountsOneExecutionWhereItsKernelsAreOnTwoStreams) {
  Message thread = xline(1, "main").message(4, xevent(9, 0, 1'000'000));
  Message device = named(xplane(1, "/device:GPU:0"));
  for (std::int64_t i = 1; i <= 2; ++i) {
    thread.message(4, with(xevent(8, i * 1000, 100), {int_stat(kCorrelation, i)}));
    Message stream = xline(6 + i, "Stream #" + std::to_string(6 + i) + "(Compute)");
    stream.message(4, with(xevent(i, 500'000, 100'000),
                           {text_stat(kHloOp, "dot"), text_stat(kModule, "jit_f"),
                            text_stat(kDetails, "regs:1"), int_stat(kCorrelation, i)}));
    device.message(3, stream);
  }
  device.message(4, kind_entry(1, "gemm")).message(4, kind_entry(2, "splitK"));
  Message host = named(xplane(2, "/host:CPU").message(3, thread));
  host.message(4, kind_entry(8, "cuLaunchKernel"));
  host.message(4, kind_entry(9, "jit_f:XLA GPU module"));
  const XplaneTrace made = read({device, host});
  ASSERT_EQ(profile_of(made).operators.size(), 1);
  EXPECT_EQ(profile_of(made).operators[0].occurrences, 1);
  EXPECT_EQ(profile_of(made).operators[0].kernels, 2);
}

// Kernels of one kind, which the framework launched for two of its operators.
TEST(XplaneProfile, BooksKernelsOfNoXlaOperatorOnTheFrameworksOwn) {
  Message stream = xline(7, "Stream #7(Compute)");
  for (const std::string_view name : {"dense/MatMul", "dense_1/MatMul", "dense/MatMul"}) {
    stream.message(
        4, with(xevent(1, 0, 100), {text_stat(kFrameworkOp, name), text_stat(kDetails, "grid:1")}));
  }
  Message device = named(xplane(1, "/device:GPU:0").message(3, stream));
  device.message(4, kind_entry(1, "sgemm_128"));
  const XplaneTrace made = read({device});
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.operators.size(), 2);
  EXPECT_EQ(text(made, profile.operators[0].name), "dense/MatMul");
  EXPECT_EQ(profile.operators[0].kernels, 2);
  EXPECT_EQ(text(made, profile.operators[1].framework_op), "dense_1/MatMul");
  EXPECT_TRUE(profile.modules.empty()) << "they are of no module";
  EXPECT_TRUE(profile.runs.empty());
}

// What a CUDA graph executes has no details; copies have a table of their own.
TEST(XplaneProfile, KeepsKernelsWithoutDetails) {
  Message stream = xline(7, "Stream #7(Compute)");
  stream.message(4, with(xevent(1, 0, 100), {int_stat(kCorrelation, 3)}));
  stream.message(4, with(xevent(2, 200, 50), {text_stat(kMemcpy, "size:8")}));
  Message device = named(xplane(1, "/device:GPU:0").message(3, stream));
  device.message(4, kind_entry(1, "graph")).message(4, kind_entry(2, "MemcpyD2D"));
  const XplaneTrace made = read({device});
  ASSERT_EQ(profile_of(made).operators.size(), 1);
  EXPECT_EQ(profile_of(made).operators[0].name, 0);
  EXPECT_EQ(profile_of(made).operators[0].kernels, 1);
  EXPECT_EQ(profile_of(made).operators[0].self_ps, 100);
}

TEST(XplaneProfile, CountsTheSameKernelAsAnotherExecutionWhereNoLaunchIsKnown) {
  const XplaneTrace made = read(
      gpu_session({{1, "dot", 0}, {2, "dot", 0}, {1, "dot", 0}, {2, "dot", 0}, {1, "add", 0}}, {}));
  const XlaProfile& profile = profile_of(made);
  EXPECT_EQ(profile.operators[0].occurrences, 2);
  EXPECT_EQ(profile.operators[1].occurrences, 1);
}

TEST(XplaneProfile, KeepsKernelsOfNoOperatorAsARowWithoutExecutions) {
  Message stream = xline(7, "Stream #7(Compute)");
  stream.message(4, with(xevent(1, 0, 100), {text_stat(kDetails, "grid:1")}));
  Message device = named(xplane(1, "/device:GPU:0").message(3, stream));
  device.message(4, kind_entry(1, "gemm"));
  const XplaneTrace made = read({device});
  ASSERT_EQ(profile_of(made).operators.size(), 1);
  EXPECT_EQ(profile_of(made).operators[0].name, 0);
  EXPECT_EQ(profile_of(made).operators[0].occurrences, 0);
  EXPECT_EQ(profile_of(made).operators[0].kernels, 1);
}

TEST(XplaneProfile, ReadsOperatorsThatRunOnTheHost) {
  Message thread = xline(1, "tf_XLAPjRtCpuClient");
  thread.message(4, with(xevent(1, 0, 1000), {text_stat(kHloOp, "dot"), int_stat(kProgram, 3)}));
  Message host = named(xplane(2, "/host:CPU").message(3, thread));
  host.message(4, kind_entry(1, "dot"));
  const XplaneTrace made = read({host});
  ASSERT_EQ(profile_of(made).devices.size(), 1);
  EXPECT_EQ(profile_of(made).devices[0].kind, XlaDevice::Kind::kCpu);
  EXPECT_EQ(profile_of(made).operators[0].self_ps, 1000);
}

TEST(XplaneProfile, ReadsAnnotatedSteps) {
  Message thread = xline(1, "python");
  thread.message(4, with(xevent(1, 0, 5'000), {int_stat(kStepNum, 7), int_stat(kRoot, 1)}));
  Message host = named(xplane(2, "/host:CPU").message(3, thread));
  host.message(4, kind_entry(1, "train"));
  const XplaneTrace made = read({host});
  ASSERT_EQ(profile_of(made).steps.size(), 1);
  EXPECT_EQ(text(made, profile_of(made).steps[0].name), "train");
  EXPECT_EQ(profile_of(made).steps[0].number, 7);
  EXPECT_EQ(profile_of(made).steps[0].end, 5);
}

// A launch on the host, and the run on a TPU of the same number, of which the device has 27 bits.
std::vector<Message> launched_module(std::int64_t run_on_host, std::int64_t run_on_device,
                                     bool is_linked) {
  std::vector<Message> launch = {int_stat(kRunId, run_on_host), int_stat(kQueue, 2),
                                 int_stat(kCore, 0), int_stat(kOrdinal, 1)};
  std::vector<Message> run = {int_stat(kRunId, run_on_device), int_stat(kQueue, 2),
                              int_stat(kCore, 0)};
  if (is_linked) {
    launch.insert(launch.end(), {int_stat(kType, 12), int_stat(kProducer, 77)});
    run.insert(run.end(), {int_stat(kConsumerType, 12), int_stat(kConsumer, 77)});
  }
  Message thread = xline(1, "main").message(4, with(xevent(1, 0, 1000), launch));
  Message host = named(xplane(2, "/host:CPU").message(3, thread));
  host.message(4, kind_entry(1, "DoEnqueueProgram"));
  Message modules = xline(2, "XLA Modules").message(4, with(xevent(1, 5000, 1000), run));
  Message device = named(xplane(1, "/device:TPU:1").message(3, modules));
  device.message(4, kind_entry(1, "jit_f(12)"));
  return {device, host};
}

TEST(XplaneProfile, LeadsArrowsFromLaunchesToRunsOfModules) {
  constexpr std::int64_t kBeyond = std::int64_t{1} << 27;
  const XplaneTrace made = read(launched_module(kBeyond + 5, 5, false));
  EXPECT_EQ(profile_of(made).linked_runs, 1);
  EXPECT_EQ(made.flows.arrows, 1);
  EXPECT_EQ(made.trace.flows.size(), 2);
}

TEST(XplaneProfile, LeadsOneArrowWhereTheProfilerLinkedThemAlready) {
  const XplaneTrace made = read(launched_module(5, 5, true));
  EXPECT_EQ(profile_of(made).linked_runs, 1);
  EXPECT_EQ(made.flows.arrows, 1);
  EXPECT_EQ(made.trace.flows.size(), 2);
}

TEST(XplaneProfile, CountsRunsAndLaunchesWithoutTheirCounterpart) {
  const XplaneTrace made = read(launched_module(5, 6, false));
  EXPECT_EQ(profile_of(made).linked_runs, 0);
  EXPECT_EQ(profile_of(made).runs_without_launch, 1);
  EXPECT_EQ(profile_of(made).launches_without_run, 1);
}

TEST(XplaneProfile, SurvivesTheGreatestNumbersThatThereAre) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  Message ops = xline(3, "XLA Ops");
  for (int i = 0; i < 3; ++i) {
    ops.message(4, with(xevent(1, 0, 10), {int_stat(kOffset, kMost - 5), int_stat(kDuration, 10)}));
    ops.message(4, with(xevent(1, 0, 10), {int_stat(kOffset, -kMost), int_stat(kDuration, kMost)}));
    ops.message(4, with(xevent(1, 0, 10), {int_stat(kOffset, 0), int_stat(kDuration, kMost)}));
  }
  Message plane = named(xplane(1, "/device:TPU:0").message(3, ops));
  plane.message(4, kind_with(1, "op", {int_stat(kFlops, kMost), int_stat(kBytes, -1)}));
  const XplaneTrace made = read({plane});
  const XlaProfile& profile = profile_of(made);
  ASSERT_EQ(profile.operators.size(), 1);
  EXPECT_EQ(profile.operators[0].time_ps, kMost);
  EXPECT_EQ(profile.operators[0].cost.flops, kMost);
  EXPECT_EQ(profile.operators[0].cost.bytes_stated, 0);
  EXPECT_EQ(profile.devices[0].left_out, 3);
  EXPECT_EQ(profile.devices[0].span_ps, kMost);
}

TEST(XplaneProfile, CountsWhatItHasNoRowFor) {
  constexpr std::int64_t kOps = XlaProfile::kMostOperators + 10;
  Message ops = xline(3, "XLA Ops");
  Message plane = xplane(1, "/device:TPU:0");
  // All are within the first one.
  ops.message(4, xevent(1, 0, (kOps + 1) * 10));
  for (std::int64_t i = 2; i <= kOps; ++i) ops.message(4, xevent(i, i * 10, 10));
  plane.message(3, ops);
  plane = named(std::move(plane));
  for (std::int64_t i = 1; i <= kOps; ++i) {
    plane.message(4, kind_with(i, "op", {int_stat(kSymbol, i), int_stat(kProgram, 1)}));
  }
  const XplaneTrace made = read({plane});
  ASSERT_EQ(made.refusal, "");
  EXPECT_EQ(profile_of(made).operators.size(), XlaProfile::kMostOperators);
  EXPECT_EQ(profile_of(made).devices[0].left_out, 10);
  EXPECT_EQ(profile_of(made).devices[0].left_out_ps, 100);
  EXPECT_EQ(profile_of(made).operators[0].self_ps, 20) << "without those that have no row";
  EXPECT_EQ(profile_of(made).devices[0].busy_ps, (kOps + 1) * 10);
}

TEST(XplaneProfile, ComesOutOfItsBytesAsItWentIn) {
  const XplaneTrace made = read(gpu_session({{1, "dot", 11}, {2, "add", 12}}, {0}));
  const std::string bytes = trace::encode_xla_profile(profile_of(made));
  const auto read_again = trace::decode_xla_profile(bytes, made.trace.texts.size());
  ASSERT_TRUE(read_again);
  EXPECT_EQ(trace::encode_xla_profile(*read_again), bytes);
  EXPECT_EQ(read_again->operators.size(), 2);
  EXPECT_FALSE(trace::decode_xla_profile(bytes, 1));
  EXPECT_FALSE(trace::decode_xla_profile("no frame", made.trace.texts.size()));
}

TEST(XplaneModuleNameTest, KnowsTheProgramOfAName) {
  EXPECT_EQ(read_module_name("jit_f(12190760917235803885)").program, 12190760917235803885U);
  EXPECT_EQ(read_module_name("jit_f(12190760917235803885)").name, "jit_f");
  EXPECT_EQ(read_module_name("jit_f(-1)").program, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read_module_name("jit_f(x)").name, "jit_f(x)");
  EXPECT_EQ(read_module_name("jit_f").program, std::nullopt);
}

TEST(XplaneKernelDetailsTest, ReadsWhatCudaAndRocmWrite) {
  const auto cuda = read_kernel_details(
      "regs:12 static_shared:1 dynamic_shared:2 grid:3,1,1 block:128,1,1 occ_pct:100");
  EXPECT_EQ(cuda.registers, 12);
  EXPECT_EQ(cuda.static_shared, 1);
  EXPECT_EQ(cuda.dynamic_shared, 2);
  EXPECT_EQ(cuda.occupancy_pct, 100);
  const auto rocm =
      read_kernel_details(" grid:1,1,1 block:512,1,1 private_mem:0 group_mem:16384 occ_pct:");
  EXPECT_EQ(rocm.grid, "1,1,1");
  EXPECT_EQ(rocm.static_shared, 16384);
  EXPECT_EQ(rocm.occupancy_pct, std::nullopt);
  EXPECT_EQ(read_kernel_details("regs:2191500840").registers, std::nullopt);
  EXPECT_EQ(read_kernel_details("regs:-1").registers, std::nullopt);
  EXPECT_EQ(read_kernel_details("dynamic_shared:-5").dynamic_shared, std::nullopt);
  EXPECT_EQ(read_kernel_details("static_shared:-5").static_shared, std::nullopt);
  for (const std::string_view text : {"occ_pct:0", "occ_pct:nan", "occ_pct:-1", "occ_pct:inf"}) {
    EXPECT_EQ(read_kernel_details(text).occupancy_pct, std::nullopt) << text;
  }
}

}  // namespace
}  // namespace benchhud::ingest
