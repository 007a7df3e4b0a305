// Which slices ran on devices, what launched them, and what is not known of that.
#include "analysis/trace/device_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>

#include "analysis/trace/device_activity.h"
#include "analysis/trace/device_breakdown.h"
#include "analysis/trace/kernel_table.h"
#include "analysis/trace/trace_report.h"
#include "tests/unit/analysis/trace_builder.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using trace::kNoSlice;
using Kind = DeviceSlice::Kind;
using Step = trace::TraceFlow::Step;

constexpr std::int64_t kDay = 86'400'000'000'000;

// A builder whose threads have names; to be called when all slices are there.
void name_threads(TraceBuilder* builder) {
  auto& threads = builder->trace().threads;
  threads[0].process_labels = "CPU";
  threads[1].process_name = "Ascend Hardware";
  threads[2].process_name = "CANN";
  builder->trace().assign_roles(true);
}

TEST(DeviceSlices, CallsOfAnyRuntimeLaunch) {
  TraceBuilder builder;
  builder.add("xpu_runtime", "urEnqueueKernelLaunch", 0, 0, 5, 1);
  builder.add("kernel", "gemm_kernel", 1, 10, 20, 1);
  const NestedTrace nested(builder);
  const DeviceActivity found = device_activity(nested.context);
  EXPECT_THAT(found.launches, ElementsAre(Pair("urEnqueueKernelLaunch", 1)));
  EXPECT_THAT(found.kinds, ElementsAre(Pair(Kind::kGemm, 1)));
  EXPECT_EQ(found.unknowns.launches, "");
}

TEST(DeviceSlices, ArrowsLeadFromOperatorsAndCalls) {
  TraceBuilder builder;
  builder.add("cpu_op", "aten::mm", 0, 0, 20);
  builder.add("", "Node@launch", 2, 5, 9);
  builder.add("", "aclnnMm_MatMul", 1, 100, 140);
  builder.add("", "aclnnAdd_Add", 1, 150, 160);
  builder.flow(Step::kStart, 1, "async_npu", 0, 10);
  builder.flow(Step::kEnd, 1, "async_npu", 1, 100);
  builder.flow(Step::kStart, 2, "HostToDevice", 2, 5);
  builder.flow(Step::kEnd, 2, "HostToDevice", 1, 100);
  builder.flow(Step::kStart, 3, "async_npu", 0, 12);
  builder.flow(Step::kEnd, 3, "async_npu", 1, 150);
  builder.flow(Step::kEnd, 4, "async_npu", 1, 150);
  name_threads(&builder);
  const NestedTrace nested(builder);
  ASSERT_THAT(nested.context.device(), SizeIs(2));
  EXPECT_EQ(nested.context.device()[0].launch, 1u);
  EXPECT_EQ(nested.context.device()[0].launching_operator, 0u);
  EXPECT_EQ(nested.context.device()[1].launch, kNoSlice);
  EXPECT_THAT(launching_operators(nested.context), ElementsAre(0, 0));
  EXPECT_EQ(nested.context.unknowns().launches, "");
}

TEST(DeviceSlices, OperatorsAreKnownWithoutCalls) {
  TraceBuilder builder;
  builder.add("cpu_op", "aten::mm", 0, 0, 20);
  builder.add("", "aclnnMm_MatMul", 1, 100, 140);
  builder.flow(Step::kStart, 1, "async_npu", 0, 10);
  builder.flow(Step::kEnd, 1, "async_npu", 1, 100);
  name_threads(&builder);
  const NestedTrace nested(builder);
  EXPECT_THAT(nested.context.unknowns().launches, HasSubstr("not in the trace"));
  EXPECT_EQ(nested.context.unknowns().operators, "");
}

TEST(DeviceSlices, OperatorsAndXlasCategoriesSayWhatKernelsDo) {
  TraceBuilder builder;
  builder.add("cpu_op", "aten::embedding", 0, 0, 20);
  builder.add("cpu_op", "aten::index", 0, 1, 19);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 5, 9, 1);
  builder.add("kernel", "void gather<int>()", 1, 10, 20, 1);
  const std::uint32_t fusion = builder.add("xla_op", "fusion.1", 2, 10, 20);
  builder.add("xla_op", "fusion.2", 2, 20, 30);
  trace::TraceArgs args;
  args.origin = builder.trace().texts.put("convolution fusion");
  builder.trace().slices[fusion].args = builder.trace().args.put(args);
  const NestedTrace nested(builder);
  ASSERT_THAT(nested.context.device(), SizeIs(3));
  EXPECT_EQ(nested.context.device()[0].kind, Kind::kEmbedding);
  EXPECT_EQ(nested.context.device()[1].kind, Kind::kConvolution);
  EXPECT_EQ(nested.context.device()[2].kind, Kind::kOther);
}

TEST(DeviceSlices, OperatorsThatContainOthersCountTheirOwnTime) {
  TraceBuilder builder;
  builder.add("xla_module", "jit_f", 2, 0, 1000);
  builder.add("xla_op", "while.1", 1, 0, 100);
  builder.add("xla_op", "fusion.1", 1, 10, 40);
  builder.add("xla_op", "all-reduce.2", 1, 50, 90);
  builder.add("xla_op", "fusion.3", 1, 100, 110);
  const NestedTrace nested(builder);
  const DeviceActivity activity = device_activity(nested.context);
  EXPECT_EQ(activity.busy, 110) << "a module is no work";
  EXPECT_EQ(activity.kernels, 4);
  const KernelTable table = kernel_table(nested.context, launching_operators(nested.context), 10);
  EXPECT_EQ(table.all.total, 110);
  ASSERT_THAT(table.rows, SizeIs(4));
  EXPECT_EQ(table.rows[0].name, "all-reduce.2");
  EXPECT_EQ(table.rows[1].time.total, 30) << "of while.1: the three parts around the others";
  const DeviceBreakdown breakdown = device_breakdown(nested.context);
  EXPECT_EQ(breakdown.busy(DeviceBreakdown::kCommunication), 40);
  EXPECT_EQ(breakdown.busy(DeviceBreakdown::kCompute), 70);
  EXPECT_EQ(breakdown.overlap_of_communication(), 0.0);
}

TEST(DeviceSlices, ImpossibleTimesAreSetAside) {
  TraceBuilder builder;
  const std::int64_t now = 20'000 * kDay;
  builder.add("kernel", "lost begin", 1, 0, now);
  builder.add("kernel", "a", 1, now, now + 10);
  builder.add("kernel", "b", 1, now + 10, now + 20);
  builder.add("kernel", "lost end", 1, now + 20, now + 20 + 2 * kDay);
  builder.bandwidth(builder.add("gpu_memcpy", "of 1970", 2, 5, 6), 1000, 1000);
  const NestedTrace nested(builder);
  EXPECT_THAT(nested.context.set_aside(), ElementsAre(0, 3, 4));
  const TraceReport report = trace_report(nested.context);
  EXPECT_EQ(report.activity.set_aside, 3);
  EXPECT_EQ(report.activity.span, 20);
  EXPECT_EQ(report.span, 20);
  EXPECT_EQ(report.advice.front().code, "impossible_times");
  EXPECT_THAT(report.copies, IsEmpty()) << "nor does what it says of its speed";
}

TEST(DeviceSlices, ATraceOfDaysIsWhole) {
  TraceBuilder builder;
  for (std::int64_t hour = 0; hour < 40; ++hour) {
    builder.add("kernel", "a", 1, hour * kDay / 24, hour * kDay / 24 + 10);
  }
  EXPECT_THAT(NestedTrace(builder).context.set_aside(), IsEmpty());
  for (std::int64_t hour = 40; hour < 100; ++hour) {
    builder.add("kernel", "a", 1, hour * kDay / 24, hour * kDay / 24 + 10);
  }
  EXPECT_THAT(NestedTrace(builder).context.set_aside(), IsEmpty()) << "four days, without a gap";
}

// Libraries launch by the driver as Triton does, and so does XLA.
TEST(DeviceSlices, TritonIsSaidOnlyWhereNothingElseFits) {
  const std::pair<const char*, Kind> kernels[] = {
      {"ampere_sgemm_128x64_tn", Kind::kGemm},
      {"volta_scudnn_128x64_relu_nn_v1", Kind::kConvolution},
      {"sm80_xmma_gemm_f16f16", Kind::kGemm},
      {"_attn_fwd", Kind::kAttention},
      {"my_kernel", Kind::kUserTriton}};
  TraceBuilder builder;
  for (std::int64_t i = 0; const auto& [name, kind] : kernels) {
    builder.add("cuda_driver", "cuLaunchKernelEx", 0, 10 * i, 10 * i + 5, i);
    builder.add("kernel", name, 1, 1000 + 10 * i, 1005 + 10 * i, i);
    ++i;
  }
  builder.add("cuda_runtime", "cuLaunchKernelEx", 0, 90, 95, 9);
  builder.add("", "input_scatter_fusion", 2, 2000, 2010, 9);
  builder.trace().threads[2].process_name = "/device:GPU:0";
  builder.trace().threads[2].name = "Stream #14(Compute)";
  builder.trace().assign_roles(true);
  const NestedTrace nested(builder);
  const auto& found = nested.context.device();
  ASSERT_THAT(found, SizeIs(std::size(kernels) + 1));
  for (std::size_t i = 0; i < std::size(kernels); ++i) {
    EXPECT_EQ(found[i].kind, kernels[i].second) << kernels[i].first;
  }
  EXPECT_NE(found.back().launch, kNoSlice);
  EXPECT_EQ(found.back().kind, Kind::kOther);
}

TEST(DeviceSlices, NumbersOfAscendsQueueAreNotThoseOfLaunches) {
  TraceBuilder builder;
  builder.add("enqueue", "Enqueue@aclnnAdd", 0, 0, 5, 7);
  builder.add("", "Node@launch", 2, 10, 15, 7);
  builder.add("", "aclnnMm_MatMul", 1, 100, 140, 7);
  name_threads(&builder);
  const NestedTrace nested(builder);
  ASSERT_THAT(nested.context.device(), SizeIs(1));
  EXPECT_EQ(nested.context.device()[0].launch, 1u);
}

std::string why_no_device(const TraceBuilder& builder) {
  return NestedTrace(builder).context.unknowns().device;
}

TEST(TraceUnknowns, WhatRanOnDevicesIsNotKnown) {
  TraceBuilder unplaced;
  unplaced.add("cpu_op", "aten::mm", 0, 0, 1);
  unplaced.add("odd", "x", 1, 0, 1);
  EXPECT_THAT(why_no_device(unplaced), HasSubstr("1 slice on 1 track may be a device's"));
  EXPECT_THAT(why_no_device(unplaced), HasSubstr("(odd)"));

  TraceBuilder annotated;
  annotated.add("gpu_user_annotation", "step", 1, 0, 1);
  EXPECT_THAT(why_no_device(annotated), HasSubstr("1 slice that is no work"));

  TraceBuilder launching;
  launching.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 1, 7);
  EXPECT_THAT(why_no_device(launching), HasSubstr("1 call launched something"));

  for (const char* name : {"cudaMemcpyAsync", "hipMemcpyWithStream", "urEnqueueUSMMemcpy",
                           "aclrtMemcpyAsync", "cudaMemsetAsync", "AscendCL@aclrtLaunchKernel"}) {
    TraceBuilder copying;
    copying.add("cuda_runtime", name, 0, 0, 1, 7);
    EXPECT_THAT(why_no_device(copying), HasSubstr("1 call launched something")) << name;
  }
  TraceBuilder of_host;
  of_host.add("cuda_runtime", "cudaLaunchHostFunc", 0, 0, 1);
  of_host.add("cpu_op", "aten::mm", 0, 0, 1);
  of_host.add("host", "f", 1, 0, 1);
  EXPECT_EQ(why_no_device(of_host), "");
}

TEST(CudaGraphs, AdviceNamesWhatHelpsWithOldDrivers) {
  const auto advice = [](std::int64_t driver) {
    TraceBuilder builder;
    builder.add("cuda_runtime", "cudaGraphLaunch", 0, 0, 5, 1);
    builder.add("kernel", "k", 1, 10, 20, 1);
    builder.trace().cuda_driver = driver;
    for (const Advice& each : trace_report(NestedTrace(builder).context).advice) {
      if (each.code == "cuda_graphs_old_driver") return each.sentence;
    }
    return std::string();
  };
  EXPECT_THAT(advice(11'080), HasSubstr("_init_for_cuda_graphs"));
  EXPECT_THAT(advice(11'080), HasSubstr("CUDA 11.8"));
  EXPECT_THAT(advice(12'000), HasSubstr("525.85.12"));
  EXPECT_THAT(advice(12'040), HasSubstr("DISABLE_CUPTI_LAZY_REINIT=1"));
  EXPECT_THAT(advice(12'040), testing::Not(HasSubstr("_init_for_cuda_graphs")));
  EXPECT_EQ(advice(12'060), "");
  EXPECT_EQ(advice(0), "") << "not known";
}

}  // namespace
}  // namespace benchhud::analysis
