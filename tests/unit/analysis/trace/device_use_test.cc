#include "analysis/trace/device_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/trace_findings.h"
#include "tests/unit/analysis/trace_builder.h"

namespace benchhud::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using trace::IdleCause;

// Two streams of a device: each has gaps in which the other works.
TraceBuilder two_streams() {
  TraceBuilder trace;
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 10, 1);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 20, 30, 2);
  trace.add("kernel", "a", 1, 100, 200, 1);
  trace.add("kernel", "b", 2, 150, 1'000, 2);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 300, 310, 3);
  trace.add("kernel", "c", 1, 1'400, 1'500, 3);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 90'000, 90'010, 4);
  trace.add("gpu_memcpy", "d", 2, 100'000, 100'100, 4);
  trace.add("kernel", "e", 1, 200'000, 200'100, 99);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 90'100, 90'110, 5);
  trace.add("kernel", "f", 1, 300'000, 300'100, 5);
  return trace;
}

trace::TraceDevice only_device(const TraceBuilder& builder) {
  const auto devices = device_uses(NestedTrace(builder).context);
  EXPECT_TRUE(devices && devices->size() == 1);
  return devices->front().device;
}

TEST(DeviceUse, IsTheUnionOfItsStreams) {
  const trace::TraceDevice device = only_device(two_streams());
  EXPECT_EQ(device.thread, 1u);
  EXPECT_EQ(device.begin, 100);
  EXPECT_EQ(device.end, 300'100);
  EXPECT_EQ(device.busy, 900 + 100 + 100 + 100 + 100);
  EXPECT_EQ(device.gaps, 4);
}

TEST(DeviceUse, SaysWhatWasWaitedFor) {
  const trace::TraceDevice device = only_device(two_streams());
  const auto idle = [&](IdleCause cause) { return device.idle[static_cast<std::size_t>(cause)]; };
  EXPECT_EQ(idle(IdleCause::kKernelWait), 400) << "c was launched while b ran";
  EXPECT_EQ(idle(IdleCause::kHostWait), 98'500) << "d was launched while nothing ran";
  EXPECT_EQ(idle(IdleCause::kUnknown), 99'900) << "nothing says what launched e";
  EXPECT_EQ(idle(IdleCause::kOther), 99'900) << "f had been launched long before";
  EXPECT_EQ(device.busy + idle(IdleCause::kKernelWait) + idle(IdleCause::kHostWait) +
                idle(IdleCause::kUnknown) + idle(IdleCause::kOther),
            device.end - device.begin);
}

TEST(DeviceUse, OfTwoThatBeginAtOnceTheOneLaunchedFirstTellsWhy) {
  TraceBuilder trace;
  trace.add("kernel", "a", 1, 0, 10);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 50, 60, 2);
  trace.add("kernel", "late", 1, 100, 200, 2);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 5, 6, 3);
  trace.add("kernel", "early", 2, 100, 200, 3);
  trace.add("kernel", "unknown", 3, 100, 200);
  const trace::TraceDevice device = only_device(trace);
  EXPECT_EQ(device.idle[static_cast<std::size_t>(IdleCause::kKernelWait)], 90);
}

TEST(DeviceUse, EachProcessIsADevice) {
  TraceBuilder trace;
  for (std::uint32_t i = 1; i < 4; ++i) trace.trace().threads[i].pid = i < 3 ? "0" : "1";
  trace.add("kernel", "a", 1, 0, 10);
  trace.add("kernel", "b", 3, 20, 50);
  trace.add("kernel", "c", 2, 5, 20);
  const auto devices = device_uses(NestedTrace(trace).context);
  ASSERT_TRUE(devices && devices->size() == 2);
  EXPECT_EQ((*devices)[0].device.busy, 20);
  EXPECT_EQ((*devices)[0].device.gaps, 0);
  EXPECT_EQ((*devices)[1].device.busy, 30);
  EXPECT_EQ((*devices)[1].device.thread, 3u);
}

TEST(DeviceUse, WithoutDevicesThereAreNoneAndUnknownOnesAreUnknown) {
  TraceBuilder host;
  host.op("aten::add", 0, 10);
  const auto none = device_uses(NestedTrace(host).context);
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
  TraceBuilder unknown;
  unknown.add("somebody's category", "a", 1, 0, 10);
  EXPECT_FALSE(device_uses(NestedTrace(unknown).context));
}

// What is days away from all others cannot be, and is no gap either.
TEST(DeviceUse, ImpossibleTimesAreNoGaps) {
  TraceBuilder trace;
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  trace.add("kernel", "a", 1, kFirst, kFirst + 10);
  trace.add("kernel", "b", 1, 0, 10);
  trace.add("kernel", "c", 1, 30, 40);
  trace.add("kernel", "d", 1, kLast - 10, kLast);
  const trace::TraceDevice device = only_device(trace);
  EXPECT_EQ(device.busy, 20);
  EXPECT_EQ(device.gaps, 1);
  EXPECT_EQ(device.idle[static_cast<std::size_t>(IdleCause::kUnknown)], 20);
}

TEST(DeviceUse, GapsAreFindingsTheLongestFirst) {
  const TraceBuilder builder = two_streams();
  const NestedTrace nested(builder);
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const trace::PackedFindings& kind : trace_findings(nested.context)) {
    if (kind.kind != "device_idle") continue;
    const auto findings = trace::decode_findings(kind.blocks.front());
    ASSERT_TRUE(findings);
    for (const trace::TraceFinding& each : *findings) {
      const auto cause = finding_cause(kind.kind, each);
      ASSERT_TRUE(cause);
      found.emplace_back(each.end - each.begin, trace::idle_cause_name(*cause));
    }
  }
  EXPECT_THAT(found, ElementsAre(std::pair(99'900, "unknown"), std::pair(99'900, "other"),
                                 std::pair(98'500, "host_wait"), std::pair(400, "kernel_wait")));
}

TEST(DeviceUse, OfShortGapsOnlyTheLongestAreFindings) {
  TraceBuilder trace;
  std::int64_t time = 0;
  const auto kernel_behind = [&](std::int64_t gap) {
    time += gap;
    trace.add("kernel", "k", 1, time, time + 10);
    time += 10;
  };
  kernel_behind(0);
  constexpr std::size_t kShort = kMostShortGaps + 50;
  for (std::size_t i = 0; i < kShort; ++i) kernel_behind(i < 50 ? 5 : 20);
  kernel_behind(30'000);
  kernel_behind(40'000);
  const NestedTrace nested(trace);
  EXPECT_EQ(device_uses(nested.context)->front().device.gaps, kShort + 2) << "all are counted";
  std::int64_t count = 0, shortest = 0;
  for (const trace::PackedFindings& kind : trace_findings(nested.context)) {
    if (kind.kind != "device_idle") continue;
    count = kind.count;
    const auto last = trace::decode_findings(kind.blocks.back());
    ASSERT_TRUE(last);
    shortest = last->back().end - last->back().begin;
  }
  EXPECT_EQ(count, kMostShortGaps + 2);
  EXPECT_EQ(shortest, 20);
}

TEST(DeviceUse, CausesOfStreamsGaps) {
  EXPECT_EQ(finding_cause("idle_host_wait", {}), IdleCause::kHostWait);
  EXPECT_EQ(finding_cause("idle_other", {}), IdleCause::kOther);
  trace::TraceFinding unknown;
  unknown.number = 1;
  EXPECT_EQ(finding_cause("idle_other", unknown), IdleCause::kUnknown);
  EXPECT_FALSE(finding_cause("step", {}));
  unknown.number = 77;
  EXPECT_EQ(finding_cause("device_idle", unknown), IdleCause::kUnknown);
}

}  // namespace
}  // namespace benchhud::analysis
