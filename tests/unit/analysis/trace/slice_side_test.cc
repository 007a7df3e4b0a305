#include "analysis/trace/slice_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/trace/step_breakdown.h"
#include "tests/unit/analysis/trace_builder.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using trace::ThreadRole;
using Side = SliceSide;

TEST(SliceSide, RuntimesAndDriversOfAnyDevice) {
  for (const char* category :
       {"cuda_runtime", "cuda_driver", "xpu_runtime", "xpu_driver", "privateuse1_runtime",
        "privateuse1_driver", "mtia_runtime", "glow_runtime", "mlu_runtime", "Runtime", "hpu_op"}) {
    EXPECT_EQ(side_of("call", category), Side::kRuntime) << category;
    EXPECT_EQ(side_of("call", category, ThreadRole::kDevice), Side::kRuntime) << category;
  }
}

TEST(SliceSide, PhasesOfCompiling) {
  EXPECT_EQ(side_of("dynamo", "dynamo_timed"), Side::kHost);
  EXPECT_TRUE(is_compile_phase("dynamo", "dynamo_timed"));
  EXPECT_FALSE(is_profiled_compile_phase("dynamo"));
  EXPECT_TRUE(is_compile_phase("f (dynamo_timed)", "user_annotation"));
}

TEST(SliceSide, CategoriesOfDevices) {
  EXPECT_EQ(side_of("k", "kernel"), Side::kKernel);
  EXPECT_EQ(side_of("k", "Kernel", ThreadRole::kHost), Side::kKernel) << "the category is first";
  EXPECT_EQ(side_of("k", "mtia_ccp_events"), Side::kKernel);
  EXPECT_EQ(side_of("Memcpy HtoD", "gpu_memcpy"), Side::kMemcpy);
  EXPECT_EQ(side_of("c", "mlu_memcpy"), Side::kMemcpy);
  EXPECT_EQ(side_of("s", "GCU_MEMSET"), Side::kMemset);
  for (const char* category :
       {"gpu_user_annotation", "mlu_user_annotation", "cuda_sync", "cuda_event", "xpu_sync",
        "cuda_profiler_range", "mlu_notifier", "mtia_insight", "gpu_memory", "gpu_derived"}) {
    EXPECT_EQ(side_of("a", category), Side::kShadow) << category;
  }
  EXPECT_EQ(side_of("a", "input_event"), Side::kUnknown) << "no profiler's of devices";
}

TEST(SliceSide, XplanesCategories) {
  EXPECT_EQ(side_of("fusion.1", "xla_op"), Side::kDeviceOperator);
  EXPECT_EQ(side_of("jit_f", "xla_module"), Side::kShadow);
  EXPECT_EQ(side_of("copy-start", "xla_async_op"), Side::kShadow);
  EXPECT_EQ(side_of("1", "step", ThreadRole::kDeviceSteps), Side::kDeviceStep);
  EXPECT_EQ(side_of("a", "custom", ThreadRole::kDeviceNotes), Side::kShadow);
  EXPECT_EQ(side_of("f", "host"), Side::kHost);
  EXPECT_EQ(side_of("op", "device", ThreadRole::kDevice), Side::kKernel);
  EXPECT_EQ(side_of("bundle", "device", ThreadRole::kDeviceNotes), Side::kShadow);
}

// Categories of ours for XPlane's lines, and open forms, are words of other programs as well.
TEST(SliceSide, ProgramsOfTheHostUseTheSameWords) {
  for (const ThreadRole role : {ThreadRole::kUnknown, ThreadRole::kHost}) {
    const Side nothing = role == ThreadRole::kHost ? Side::kHost : Side::kUnknown;
    for (const char* category : {"step", "custom", "host_memcpy", "cpu_memset"}) {
      EXPECT_EQ(side_of("x", category, role), nothing) << category;
    }
    EXPECT_EQ(side_of("x", "gpu_memcpy", role), Side::kMemcpy);
    EXPECT_EQ(side_of("x", "Memset", role), Side::kMemset);
  }
  for (const char* category : {"xla_op", "xla_module", "mlu_memcpy", "my_memset"}) {
    EXPECT_EQ(side_of("x", category, ThreadRole::kHost), Side::kHost) << category;
  }
  EXPECT_EQ(side_of("x", "mlu_memcpy", ThreadRole::kDevice), Side::kMemcpy);
}

TEST(SliceSide, TasksOfCollectivesCountWhereTheseAreShown) {
  for (const char* name : {"hcom_allReduce__1", "Reduce_Inline", "RDMASend"}) {
    EXPECT_EQ(side_of(name, "", ThreadRole::kDevice), Side::kKernel) << name;
    EXPECT_EQ(side_of(name, "", ThreadRole::kDeviceComputation), Side::kShadow) << name;
  }
  EXPECT_EQ(side_of("aclnnMm_MatMul", "", ThreadRole::kDeviceComputation), Side::kKernel);
}

TEST(SliceSide, ThreadsTellWhereCategoriesDoNot) {
  EXPECT_EQ(side_of("aclnnMm_MatMul", "", ThreadRole::kDevice), Side::kKernel);
  EXPECT_EQ(side_of("MEMCPY_ASYNC", "", ThreadRole::kDevice), Side::kMemcpy);
  EXPECT_EQ(side_of("MemsetD32", "", ThreadRole::kDevice), Side::kMemset);
  EXPECT_EQ(side_of("EVENT_WAIT", "", ThreadRole::kDevice), Side::kShadow);
  EXPECT_EQ(side_of("Notify_Wait", "", ThreadRole::kDevice), Side::kShadow);
  EXPECT_EQ(side_of("hcom_allReduce__1", "", ThreadRole::kDeviceCommunication), Side::kKernel);
  EXPECT_EQ(side_of("AscendCL@aclnnMm", "", ThreadRole::kHostRuntime), Side::kRuntime);
  EXPECT_EQ(side_of("cuLaunchKernel", "", ThreadRole::kHost), Side::kRuntime);
  EXPECT_EQ(side_of("custom_call", "", ThreadRole::kHost), Side::kHost);
  EXPECT_EQ(side_of("$a.py:1 f", "", ThreadRole::kHost), Side::kPython);
  EXPECT_EQ(side_of("x", "anything", ThreadRole::kHost), Side::kHost);
  EXPECT_EQ(side_of("cuLaunchKernel", ""), Side::kUnknown) << "nothing tells";
}

TEST(SliceSide, ProfilerStepsOfTheHostComeBeforeThoseOfDevices) {
  TraceBuilder builder;
  builder.add("step", "1", 1, 0, 10);
  builder.add("step", "2", 2, 10, 20);
  builder.add("step", "3", 2, 20, 30);
  for (const std::uint32_t thread : {1, 2}) {
    builder.trace().threads[thread].process_name = "/device:TPU:0";
    builder.trace().threads[thread].name = "Steps";
  }
  builder.trace().assign_roles(true);
  {
    const NestedTrace nested(builder);
    EXPECT_THAT(profiler_steps(builder.trace(), nested.context.sides()), ElementsAre(1, 2))
        << "of the thread that has most";
  }
  builder.add("user_annotation", "ProfilerStep#1", 0, 5, 9);
  const NestedTrace nested(builder);
  EXPECT_THAT(profiler_steps(builder.trace(), nested.context.sides()), ElementsAre(3));
}

TEST(SliceSide, SynchronizationsOfSeveralRuntimes) {
  for (const char* name : {"cudaDeviceSynchronize", "hipStreamSynchronize", "urQueueFinish",
                           "zeEventHostSynchronize", "AscendCL@aclrtSynchronizeStream"}) {
    EXPECT_TRUE(is_synchronization(name)) << name;
  }
  EXPECT_FALSE(is_synchronization("cudaLaunchKernel"));
}

}  // namespace
}  // namespace benchhud::analysis
