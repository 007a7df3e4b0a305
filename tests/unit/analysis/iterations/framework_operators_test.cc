// What operators are called by whatever compiled them, and how their time is added up.
#include "analysis/iterations/framework_operators.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "analysis/trace/kernel_table.h"
#include "tests/unit/analysis/trace_builder.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {
namespace {

using Where = FrameworkOperators::Where;

FrameworkOperators operators_of(const trace::Trace& trace) {
  const trace::TraceNesting nesting = trace::nest(trace);
  const TraceContext context(trace, nesting);
  return framework_operators(context, launching_operators(context), find_executing_slices(context));
}

TEST(FrameworkOperatorName, IsPyTorchsOfWhatXlaWrites) {
  EXPECT_EQ(framework_operator_name("aten__mm"), "aten::mm");
  EXPECT_EQ(framework_operator_name("Linear[fc1]/aten__addmm.5"), "aten::addmm");
  EXPECT_EQ(framework_operator_name("Linear[fc1]/aten__addmm:aten__addmm"), "aten::addmm");
  EXPECT_EQ(framework_operator_name("jit(f)/jit(main)/dot_general:"), "dot_general");
  EXPECT_EQ(framework_operator_name("aten::mm"), "aten::mm");
  EXPECT_EQ(framework_operator_name("aten::add_"), "aten::add_");
}

TEST(FrameworkOperatorName, LeavesTheNumberOfAFusedKernelOut) {
  EXPECT_EQ(framework_operator_name("triton_poi_fused_add_relu_12"), "triton_poi_fused_add_relu");
  EXPECT_EQ(framework_operator_name("triton_mm"), "triton_mm");
}

TEST(FrameworkOperatorName, KeepsWhatHasNoFormOfItsOwn) {
  EXPECT_EQ(framework_operator_name(""), "");
  EXPECT_EQ(framework_operator_name("/"), "/");
  EXPECT_EQ(framework_operator_name(":"), ":");
  EXPECT_EQ(framework_operator_name("my__op"), "my__op");
  EXPECT_EQ(framework_operator_name("conv2"), "conv2");
  EXPECT_EQ(framework_operator_name(".5"), ".5");
}

TEST(FrameworkOperators, AreThoseThatLaunchedADevicesKernels) {
  TraceBuilder builder;
  builder.op("aten::mm", 0, 100);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 10, 20, 1);
  builder.add("kernel", "sgemm", 1, 30, 90, 1);
  builder.op("triton_poi_fused_add_0", 200, 260);
  builder.add("cuda_runtime", "cuLaunchKernel", 0, 210, 220, 2);
  builder.add("kernel", "triton_poi_fused_add_0", 1, 230, 250, 2);
  builder.add("gpu_memcpy", "Memcpy HtoD", 1, 300, 310);
  const FrameworkOperators found = operators_of(builder.trace());
  EXPECT_EQ(found.where, Where::kDevice);
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].name, "aten::mm");
  EXPECT_EQ(found.rows[0].time, 60);
  EXPECT_EQ(found.rows[1].name, "triton_poi_fused_add");
  EXPECT_EQ(found.rows[1].time, 20);
  EXPECT_EQ(found.without_operator.time, 10);
  EXPECT_EQ(found.total, 90);
  EXPECT_FALSE(found.unknown.empty());
}

TEST(FrameworkOperators, SayOfHowManyDevicesTheyAre) {
  TraceBuilder builder;
  builder.add("kernel", "sgemm", 1, 0, 100);
  builder.add("kernel", "sgemm", 2, 0, 100);
  builder.trace().threads[2].pid = "1";
  const FrameworkOperators found = operators_of(builder.trace());
  EXPECT_EQ(found.device_count, 2);
  EXPECT_TRUE(found.names_triton_kernels);
  EXPECT_FALSE(operators_of(TraceBuilder().trace()).names_triton_kernels);
}

trace::Trace xla_trace(std::string_view framework_op) {
  TraceBuilder builder;
  builder.add("xla_op", "fusion.1", 1, 0, 100);
  trace::Trace trace = std::move(builder.trace());
  trace::XlaProfile profile;
  profile.devices.resize(1);
  profile.operators.resize(2);
  for (trace::XlaOperator& row : profile.operators) {
    row.name = trace.texts.put("fusion.1");
    row.framework_op = trace.texts.put(framework_op);
    row.occurrences = 2;
    row.self_ps = 40'000;
  }
  profile.devices[0].left_out = 1;
  profile.devices[0].left_out_ps = 20'000;
  trace.xla = std::make_shared<const trace::XlaProfile>(std::move(profile));
  return trace;
}

TEST(FrameworkOperators, AreThoseThatAnXplaneProfileNames) {
  const FrameworkOperators found = operators_of(xla_trace("aten__mm"));
  EXPECT_EQ(found.where, Where::kDevice);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].name, "aten::mm");
  EXPECT_EQ(found.rows[0].time, 80);
  EXPECT_EQ(found.rows[0].count, 4);
  EXPECT_EQ(found.without_operator.time, 20) << "what was left out of the profile's rows";
  EXPECT_EQ(found.total, 100);
}

TEST(FrameworkOperators, SayWhatNamesThemWhereAnXplaneProfileDoesNot) {
  const FrameworkOperators found = operators_of(xla_trace(""));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.without_operator.time, 100);
  EXPECT_NE(found.unknown.find("XLA_HLO_DEBUG=1"), std::string::npos);
}

TEST(FrameworkOperators, AreTheHostsWhereNothingRanOnADevice) {
  TraceBuilder builder;
  builder.op("Torch-Compiled Region: 0/0", 0, 100);
  builder.op("aten::mm", 10, 70);
  builder.op("aten::empty", 20, 30);
  const FrameworkOperators found = operators_of(builder.trace());
  EXPECT_EQ(found.where, Where::kHost);
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].name, "aten::mm");
  EXPECT_EQ(found.rows[0].time, 50);
  EXPECT_EQ(found.without_operator.time, 40) << "compiled code leaves no events";
  EXPECT_EQ(found.total, 100);
}

TEST(FrameworkOperators, AreNotThoseThatACompilerCalls) {
  TraceBuilder builder;
  builder.op("_compile.compile_inner (dynamo_timed)", 0, 100);
  builder.op("aten::mul", 10, 90);
  builder.op("TorchDynamo Cache Lookup", 100, 110);
  builder.op("aten::mm", 200, 260);
  const FrameworkOperators found = operators_of(builder.trace());
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].name, "aten::mm");
  EXPECT_EQ(found.total, 60);
}

TEST(FrameworkOperators, AreNotKnownWhereNobodyKnowsWhatRanOnDevices) {
  TraceBuilder builder;
  builder.op("aten::mm", 0, 100);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 10, 20, 1);
  const FrameworkOperators found = operators_of(builder.trace());
  EXPECT_EQ(found.where, Where::kNowhere);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_FALSE(found.unknown.empty());
}

TEST(FrameworkOperators, KeepTheLongestAndTheSumOfTheRest) {
  TraceBuilder builder;
  for (int i = 0; i < 1500; ++i) {
    builder.op("operator " + std::to_string(i), i * 10'000, i * 10'000 + i + 1);
  }
  const FrameworkOperators found = operators_of(builder.trace());
  EXPECT_EQ(found.rows.size(), FrameworkOperators::kMostRows);
  EXPECT_EQ(found.rest.time, 500 * 501 / 2);
  EXPECT_EQ(found.rest.count, 500);
  EXPECT_EQ(found.total, 1500 * 1501 / 2);
}

}  // namespace
}  // namespace benchhud::analysis
