#include "trace/thread_role.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "trace/trace.h"
#include "trace/trace_chunk.h"

namespace benchhud::trace {
namespace {

using testing::ElementsAre;
using enum ThreadRole;

ThreadRole role(std::string_view process, std::string_view labels, std::string_view name = "") {
  TraceThread thread;
  thread.process_name = process;
  thread.process_labels = labels;
  thread.name = name;
  return roles_of_threads({thread}).front();
}

TEST(ThreadRole, FollowsTheLabelsOfPyTorchsProcesses) {
  EXPECT_EQ(role("python", "CPU"), kHost);
  EXPECT_EQ(role("python", "GPU 0", "stream 7"), kDevice);
  EXPECT_EQ(role("python", "XPU 1"), kDevice);
  EXPECT_EQ(role("python", "HPU"), kDevice);
  EXPECT_EQ(role("python", "MTIA 0"), kDevice);
  EXPECT_EQ(role("python", "rank 0, NPU"), kDevice);
  EXPECT_EQ(role("python", "a computer"), kUnknown);
  EXPECT_EQ(role("python", ""), kUnknown);
  EXPECT_EQ(role("", ""), kUnknown);
  EXPECT_EQ(role("", "", "stream 7"), kDevice);
  EXPECT_EQ(role("", "", "Stream #14(Compute)"), kDevice);
  EXPECT_EQ(role("", "", "stream7"), kUnknown);
  EXPECT_EQ(role("", "", "streaming 3 films"), kUnknown);
}

TEST(ThreadRole, FollowsTheNamesOfXlasPlanes) {
  EXPECT_EQ(role("/host:CPU", "", "python"), kHost);
  EXPECT_EQ(role("/device:CPU:0", ""), kHost);
  EXPECT_EQ(role("/device:GPU:0", "", "Stream #14(Compute)"), kDevice);
  EXPECT_EQ(role("/device:GPU:0", "", "XLA Ops"), kDeviceNotes);
  EXPECT_EQ(role("/device:GPU:0", "", "Kernels again"), kDeviceNotes) << "a line of a later XProf";
  EXPECT_EQ(role("/device:GPU:0", "", "XLA Ops - from #22"), kDeviceNotes);
  EXPECT_EQ(role("/device:GPU:0", "", "Steps"), kDeviceSteps);
  EXPECT_EQ(role("/device:TPU:0", "", "XLA Ops"), kDeviceOperators);
  EXPECT_EQ(role("/device:TPU:0", "", "XLA Modules"), kDeviceNotes);
  EXPECT_EQ(role("/device:TPU:0", "", "Async XLA Ops"), kDeviceNotes);
  EXPECT_EQ(role("/device:TPU:0", "", "Tensor Core"), kDeviceNotes);
  EXPECT_EQ(role("/device:TPU:0 SparseCore 1", "", "Sparse Core Ops"), kDeviceOperators);
  EXPECT_EQ(role("/device:CUSTOM:Megascale Trace", "", "a"), kDeviceNotes);
  EXPECT_EQ(role("/device:XYZ:0", "", "Stream #1"), kDevice) << "whoever makes it";
}

TEST(ThreadRole, FollowsTheNamesOfAscendsProcesses) {
  EXPECT_EQ(role("Python", "CPU"), kHost);
  EXPECT_EQ(role("CANN", "CPU"), kHostRuntime);
  EXPECT_EQ(role("CANN (1234)", "CPU"), kHostRuntime);
  EXPECT_EQ(role("Ascend Hardware", "NPU", "Stream 3"), kDevice);
  EXPECT_EQ(role("Communication", "NPU", "Group 0 Communication"), kDeviceCommunication);
  EXPECT_EQ(role("HCCL", "NPU", "Plane 0"), kDeviceNotes);
  EXPECT_EQ(role("Overlap Analysis", "NPU", "Computing"), kDeviceNotes);
}

TEST(ThreadRole, ProgramsThatWriteTracesOfTheirOwnAreNoDevices) {
  EXPECT_EQ(role("Gpu", "", "CrGpuMain"), kUnknown) << "a browser's";
  EXPECT_EQ(role("GPU 0", "", "stream 7"), kDevice);
  EXPECT_EQ(role("server", "", "Stream 3"), kUnknown);
  EXPECT_EQ(role("python3", "", "stream 7"), kDevice);
  EXPECT_EQ(role("a program", "", "Stream #14(Compute)"), kDevice);
  for (const char* process : {"Communication", "HCCL", "CANN", "Overlap Analysis"}) {
    EXPECT_EQ(role(process, "", "Group 0 Communication"), kUnknown) << process;
  }
}

TEST(ThreadRole, ProcessesOfAscendTellOfOneAnother) {
  const auto thread = [](std::string_view process, std::string_view name) {
    TraceThread made;
    made.process_name = process;
    made.name = name;
    return made;
  };
  const TraceThread stream = thread("Ascend Hardware", "Stream 3"), cann = thread("CANN", "1");
  EXPECT_THAT(roles_of_threads({stream, cann}), ElementsAre(kDevice, kHostRuntime));
  EXPECT_THAT(roles_of_threads({stream, thread("HCCL", "Group 0 Communication")}),
              ElementsAre(kDeviceComputation, kDeviceCommunication))
      << "collectives are shown whole elsewhere";
}

// Three slices called alike: on a host, on a device, and on a thread without a name.
Trace three_alike() {
  Trace trace;
  trace.threads.resize(3);
  trace.threads[0].process_name = "/host:CPU";
  trace.threads[1].process_name = "/device:GPU:0";
  const std::uint32_t label = trace.put_label({trace.texts.put("MemcpyH2D"), 0});
  for (std::uint32_t i = 0; i < 3; ++i) {
    TraceSlice slice;
    slice.label = label;
    slice.thread = i;
    trace.slices.push_back(slice);
  }
  return trace;
}

TEST(ThreadRole, LabelsOnThreadsOfSeveralRolesAreSplit) {
  Trace trace = three_alike();
  EXPECT_EQ(trace.assign_roles(true), 2u);
  std::vector<ThreadRole> roles;
  for (const TraceSlice& slice : trace.slices) {
    roles.push_back(trace.labels[slice.label].role);
    EXPECT_EQ(trace.name(slice), "MemcpyH2D");
  }
  EXPECT_THAT(roles, ElementsAre(kHost, kDevice, kUnknown));
  // Labels are still found.
  EXPECT_EQ(trace.put_label(trace.labels[trace.slices[1].label]), trace.slices[1].label);
}

TEST(ThreadRole, LabelsThatMayNotBeSplitHaveNoRole) {
  Trace trace = three_alike();
  EXPECT_EQ(trace.assign_roles(false), 0u);
  EXPECT_EQ(trace.labels[trace.slices[0].label].role, kUnknown);
}

TEST(ThreadRole, ManyLabelsAreFoundAfterwards) {
  Trace trace = three_alike();
  for (int i = 0; i < 1000; ++i) trace.put_label({trace.texts.put(std::to_string(i)), 0});
  trace.assign_roles(true);
  const std::size_t count = trace.labels.size();
  for (std::uint32_t i = 1; i < count; ++i) EXPECT_EQ(trace.put_label(trace.labels[i]), i);
  EXPECT_EQ(trace.labels.size(), count);
}

TEST(ThreadRole, IsStoredWithLabels) {
  const std::vector<TraceLabel> labels = {{}, {1, 2, kDevice}, {1, 2, kHost}};
  const auto read = decode_labels(encode_labels(labels));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, labels);
  // As an older program wrote them.
  const std::vector<TraceLabel> plain = {{}, {1, 2}};
  const auto old = decode_labels(encode_labels(plain));
  ASSERT_TRUE(old);
  EXPECT_EQ(*old, plain);
  const std::vector<TraceLabel> wrong = {{1, 2, static_cast<ThreadRole>(99)}};
  EXPECT_FALSE(decode_labels(encode_labels(wrong)));
}

}  // namespace
}  // namespace benchhud::trace
