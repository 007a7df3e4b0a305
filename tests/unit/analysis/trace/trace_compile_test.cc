// What torch.compile did in a trace: chains of graph breaks, recompilations, functions and their
// backward, compilation, and whether it is applied; on traces made by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/trace/autograd_links.h"
#include "analysis/trace/compile_verdict.h"
#include "analysis/trace/compiled_code.h"
#include "analysis/trace/compiled_frames.h"
#include "analysis/trace/compiled_pairs.h"
#include "analysis/trace/graph_break_tree.h"
#include "analysis/trace/inductor_operators.h"
#include "analysis/trace/kernel_table.h"
#include "analysis/trace/trace_compile_time.h"
#include "tests/unit/analysis/trace_builder.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;
using trace::kNoSlice;
using trace::TraceFlow;

std::uint32_t add_region(TraceBuilder* builder, const std::string& id, std::int64_t start,
                         std::int64_t end, std::uint32_t thread = 0) {
  return builder->add("cpu_op", "Torch-Compiled Region: " + id, thread, start, end);
}

// The analyses that follow from each other, of one trace.
struct Compiled : NestedTrace {
  explicit Compiled(const TraceBuilder& builder)
      : NestedTrace(builder),
        regions(find_compiled_regions(builder.trace(), nesting)),
        device_times(device_time_of_slices(context, launching_operators(context))),
        code(compiled_code(context, regions, device_times)) {}

  CompileVerdict verdict() const {
    return compile_verdict(context, compiled_regions(context.trace(), nesting), code,
                           compiled_pairs(context, regions, autograd_links(context)), device_times,
                           10);
  }

  std::vector<CompiledRegion> regions;
  std::vector<std::int64_t> device_times;
  CompiledCode code;
};

TEST(GraphBreakTree, ChainsAreAddedUp) {
  TraceBuilder builder;
  add_region(&builder, "0/0", 0, 100);
  builder.op("aten::mm", 2, 6);                      // of the graph
  builder.add("cpu_op", "aten::relu", 0, 7, 9, 33);  // autograd saw it
  add_region(&builder, "1/0", 10, 50);
  add_region(&builder, "2/0", 20, 30);
  builder.op("aten::add", 52, 55);  // behind the break
  add_region(&builder, "2/1", 60, 70);
  add_region(&builder, "0/0", 200, 260);
  add_region(&builder, "1/0", 210, 240);
  add_region(&builder, "5/0", 0, 10, 1);
  const Compiled compiled(builder);
  const GraphBreakTree tree = graph_break_tree(compiled.context, compiled.regions, compiled.code);
  std::vector<std::string> names;
  for (const GraphBreakNode& node : tree.nodes) names.push_back(node.row.name);
  ASSERT_THAT(names, ElementsAre("0/0", "1/0", "2/0", "2/1", "5/0"));
  const auto& [root, eager] = tree.nodes[0];
  EXPECT_EQ(root.depth, 0u);
  EXPECT_EQ(root.parent, std::nullopt);
  EXPECT_EQ(root.time.count, 2);
  EXPECT_EQ(root.time.total, 160);
  EXPECT_EQ(root.self, 160 - 70 - 10);
  EXPECT_EQ(eager.count, 2);
  EXPECT_EQ(eager.total, 2 + 3);
  EXPECT_EQ(tree.nodes[1].row.time.total, 70);
  EXPECT_EQ(tree.nodes[1].row.self, 60);
  EXPECT_EQ(tree.nodes[2].row.depth, 2u);
  EXPECT_EQ(tree.nodes[2].row.parent, 1u);
  EXPECT_EQ(tree.nodes[3].row.parent, 0u);
  EXPECT_EQ(tree.chains, 3);
  EXPECT_EQ(tree.broken_chains, 2);
  EXPECT_EQ(tree.longest_chain, 3);
  EXPECT_EQ(tree.left_out, 0);
  EXPECT_EQ(compiled.code.compiled, 100 + 60 + 10 - 5);
  EXPECT_EQ(compiled.code.eager, 5);
}

TEST(GraphBreakTree, AHostileDepthIsBounded) {
  TraceBuilder builder;
  constexpr int kDepth = 100'000;
  for (int i = 0; i < kDepth; ++i) {
    add_region(&builder, std::to_string(i) + "/0", i, 2 * kDepth - i);
  }
  const Compiled compiled(builder);
  const GraphBreakTree tree = graph_break_tree(compiled.context, compiled.regions, compiled.code);
  EXPECT_EQ(tree.nodes.size(), NameTree::kMostDepth);
  EXPECT_EQ(tree.left_out, kDepth - static_cast<int>(NameTree::kMostDepth));
  EXPECT_EQ(tree.longest_chain, kDepth);
}

std::map<std::string, OperatorPlace> places(const Compiled& compiled) {
  std::map<std::string, OperatorPlace> places;
  for (const PlacedOperator& placed : compiled.code.operators) {
    places[std::string(compiled.context.name(placed.slice))] = placed.place;
  }
  return places;
}

TEST(CompiledCode, AMarkedGraphSaysWhatIsOutsideOfIt) {
  TraceBuilder builder;
  builder.op("TorchDynamo Cache Lookup", 0, 5);
  builder.op("aten::guard", 1, 2);  // of the lookup
  add_region(&builder, "0/0", 10, 100);
  builder.op("aten::before", 12, 15);
  builder.op("CompiledFunction", 20, 60);
  builder.op("aten::mm", 25, 35);
  builder.op("aten::within", 26, 27);  // another operator's
  builder.op("triton_poi_fused_0", 40, 45);
  builder.add("user_annotation", "compile_fx_inner (dynamo_timed)", 0, 70, 90);
  builder.op("aten::traced", 75, 80);
  builder.op("aten::sum", 110, 120);
  builder.op("autograd::engine::evaluate_function: CompiledFunctionBackward", 130, 150);
  builder.op("CompiledFunctionBackward", 131, 149);
  builder.op("aten::mm_backward", 135, 140);
  builder.op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 150, 160);
  builder.op("torch::autograd::AccumulateGrad", 151, 159);
  builder.op("aten::add_", 152, 158);
  builder.add("user_annotation", "Optimizer.step#SGD.step", 0, 170, 190);
  builder.op("aten::_foreach_add_", 171, 180);
  const Compiled compiled(builder);
  EXPECT_THAT(places(compiled),
              UnorderedElementsAre(Pair("aten::before", OperatorPlace::kEager),
                                   Pair("aten::mm", OperatorPlace::kHandedBack),
                                   Pair("triton_poi_fused_0", OperatorPlace::kGenerated),
                                   Pair("aten::sum", OperatorPlace::kOutside),
                                   Pair("aten::mm_backward", OperatorPlace::kHandedBack)));
  EXPECT_EQ(compiled.code.compiled, 90 - 3 - 20 + 18);
  EXPECT_EQ(compiled.code.eager, 3);
  EXPECT_EQ(compiled.code.outside, 10);
  EXPECT_EQ(compiled.code.compiling, 20);
  EXPECT_EQ(compiled.code.cache_lookups, 1);
  EXPECT_EQ(compiled.code.backward_nodes, 2);
}

TEST(CompiledCode, DeviceTimeOfCompiledCode) {
  TraceBuilder builder;
  builder.add("user_annotation", "## Call CompiledFxGraph abc ##", 0, 0, 50);
  builder.add("cuda_runtime", "cudaGraphLaunch", 0, 10, 20, 1);
  builder.op("aten::add", 60, 70);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 61, 62, 2);
  builder.add("kernel", "void a()", 1, 100, 130, 1);
  builder.add("kernel", "void b()", 1, 130, 140, 2);
  const Compiled compiled(builder);
  EXPECT_EQ(compiled.code.device_compiled, 30);
  EXPECT_EQ(compiled.code.device_all, 40);
  EXPECT_EQ(compiled.code.graph_calls, 1);
}

TEST(CompiledFrames, CompilationsBelongToTheRegionThatFollows) {
  TraceBuilder builder;
  const auto compilation = [&](std::int64_t start, std::int64_t end) {
    builder.add("user_annotation", "_compile.compile_inner (dynamo_timed)", 0, start, end);
  };
  compilation(0, 50);
  add_region(&builder, "0/0", 60, 100);
  compilation(110, 130);
  add_region(&builder, "0/3", 140, 150);
  add_region(&builder, "1/0", 155, 200);
  compilation(160, 170);
  add_region(&builder, "2/0", 175, 180);
  add_region(&builder, "0/0", 210, 220);
  compilation(300, 310);  // nothing runs what it made
  const Compiled compiled(builder);
  const CompiledFrames found = compiled_frames(compiled.context, compiled.regions);
  EXPECT_EQ(found.compiled.count, 4);
  EXPECT_EQ(found.compiled.total, 90);
  EXPECT_EQ(found.unassigned, 1);
  ASSERT_EQ(found.frames.size(), 3u);
  const CompiledFrame& frame = found.frames[0];
  EXPECT_EQ(frame.frame, "0");
  EXPECT_EQ(frame.executions, 3);
  EXPECT_EQ(frame.recompiles, 1);
  EXPECT_EQ(frame.compilations, 4);  // 0/3 is the fourth
  ASSERT_EQ(frame.versions.size(), 2u);
  EXPECT_EQ(frame.versions[0].id, "0/0");
  EXPECT_EQ(frame.versions[0].executed.total, 50);
  EXPECT_EQ(frame.versions[0].compiled.total, 50);
  EXPECT_EQ(frame.versions[1].compiled.total, 20);
  EXPECT_EQ(found.frames[1].versions[0].compiled.count, 0);
  EXPECT_EQ(found.frames[2].versions[0].compiled.total, 10);
}

TEST(CompiledFrames, ManyVersionsAreCounted) {
  TraceBuilder builder;
  for (int i = 0; i < 40; ++i) {
    add_region(&builder, "0/" + std::to_string(i), i * 10, i * 10 + 5);
    add_region(&builder, "0/39", i * 10 + 6, i * 10 + 8);
  }
  const Compiled compiled(builder);
  const CompiledFrames found = compiled_frames(compiled.context, compiled.regions);
  ASSERT_EQ(found.frames.size(), 1u);
  EXPECT_EQ(found.frames[0].executions, 80);
  EXPECT_EQ(found.frames[0].recompiles, 39);
  EXPECT_EQ(found.frames[0].versions.size(), CompiledFrame::kMostVersions);
  EXPECT_EQ(found.frames[0].versions_left_out, 8);
}

TEST(AutogradLinks, BindToTheInnermostOperatorThatBeginsThere) {
  TraceBuilder builder;
  const auto inner = builder.op("inner", 0, 5);
  builder.op("aten::mul", 0, 10);
  builder.add("user_annotation", "mine", 0, 0, 5);
  const auto backward = builder.add("cpu_op", "MulBackward0", 1, 100, 110);
  builder.flow(TraceFlow::Step::kEnd, 1, "fwdbwd", 1, 100);
  builder.flow(TraceFlow::Step::kStart, 1, "fwdbwd", 0, 0);
  builder.flow(TraceFlow::Step::kEnd, 2, "fwdbwd", 1, 100);  // no start
  builder.flow(TraceFlow::Step::kStart, 3, "fwdbwd", 0, 3);  // no operator
  builder.flow(TraceFlow::Step::kEnd, 3, "fwdbwd", 1, 100);
  builder.flow(TraceFlow::Step::kStart, 4, "ac2g", 0, 0);
  builder.flow(TraceFlow::Step::kEnd, 4, "ac2g", 1, 100);
  const NestedTrace nested(builder);
  const AutogradLinks found = autograd_links(nested.context);
  ASSERT_EQ(found.links.size(), 1u);
  EXPECT_EQ(found.links[0].forward, inner);
  EXPECT_EQ(found.links[0].backward, backward);
  EXPECT_EQ(found.without_start, 1);
  EXPECT_EQ(found.without_operator, 1);
  ASSERT_EQ(found.groups.size(), 1u);
  EXPECT_EQ(found.groups[0].forward, "inner");
  EXPECT_EQ(found.groups[0].forward_time.total, 5);
  EXPECT_EQ(found.groups[0].backward_time.total, 10);
}

TEST(CompiledPairs, AFlowDecidesWhereANumberComesTwice) {
  TraceBuilder builder;
  add_region(&builder, "0/0", 0, 12);
  const auto first = builder.add("cpu_op", "CompiledFunction", 0, 0, 10, 5);
  const auto second = builder.add("cpu_op", "CompiledFunction", 2, 20, 30, 5);
  const auto early = builder.add("cpu_op", "CompiledFunctionBackward", 1, 40, 45, 5);
  builder.add("cpu_op", "autograd::engine::evaluate_function: CompiledFunctionBackward", 1, 49, 57);
  const auto late = builder.add("cpu_op", "CompiledFunctionBackward", 1, 50, 56, 5);
  builder.flow(TraceFlow::Step::kStart, 1, "fwdbwd", 0, 0);
  builder.flow(TraceFlow::Step::kEnd, 1, "fwdbwd", 1, 49);
  builder.add("cpu_op", "CompiledFunction", 0, 60, 61, 7);
  builder.op("CompiledFunction", 62, 63);  // without a number
  builder.add("cpu_op", "CompiledFunctionBackward", 1, 70, 71, 9);
  const Compiled compiled(builder);
  const CompiledPairs found =
      compiled_pairs(compiled.context, compiled.regions, autograd_links(compiled.context));
  ASSERT_EQ(found.pairs.size(), 5u);
  EXPECT_EQ(found.pairs[0].forward, first);
  EXPECT_EQ(found.pairs[0].backward, late);
  EXPECT_EQ(found.pairs[0].region, "0/0");
  EXPECT_EQ(found.pairs[0].sequence, 5);
  EXPECT_EQ(found.pairs[1].forward, second);
  EXPECT_EQ(found.pairs[1].backward, early);
  EXPECT_EQ(found.pairs[4].forward, kNoSlice);
  EXPECT_EQ(found.paired, 2);
  EXPECT_EQ(found.forward_only, 2);
  EXPECT_EQ(found.backward_only, 1);
  ASSERT_EQ(found.groups.size(), 2u);
  EXPECT_EQ(found.groups[0].region, "0/0");
  EXPECT_EQ(found.groups[0].forward.total, 10);
  EXPECT_EQ(found.groups[0].backward.total, 6);
  EXPECT_EQ(found.groups[0].paired, 1);
  EXPECT_EQ(found.groups[1].paired, 1);
}

TEST(TraceCompileTime, EventsOfPyTorchTellCompileIds) {
  TraceBuilder builder;
  const auto event = [&](const char* name, const char* id, std::int64_t start, std::int64_t end,
                         std::uint32_t thread = 0) {
    const std::uint32_t slice = builder.add("dynamo_timed", name, thread, start, end);
    if (*id != 0) builder.set_origin(slice, id);
  };
  event("dynamo", "0/0", 0, 100);
  event("inductor", "", 20, 80);   // of the phase around it
  event("inductor", "", 30, 50);   // once counted
  event("dynamo", "1/0", 60, 70);  // a function within it, that is compiled for itself
  event("inductor", "", 62, 66);
  event("dynamo", "0/1", 200, 230);
  event("backward", "0/0", 300, 340, 1);
  event("startup", "", 400, 500);  // of no id
  const NestedTrace nested(builder);
  const TraceCompileTime found = compile_time(nested.context);
  EXPECT_FALSE(found.is_profiled);
  EXPECT_EQ(found.total, 270);
  ASSERT_EQ(found.ids.size(), 3u);
  EXPECT_EQ(found.ids[0].id, "0/0");
  EXPECT_EQ(found.ids[0].compiled.total, 140);
  ASSERT_EQ(found.ids[0].phases.size(), 3u);
  EXPECT_EQ(found.ids[0].phases[0].name, "dynamo");
  EXPECT_EQ(found.ids[0].phases[1].name, "inductor");
  EXPECT_EQ(found.ids[0].phases[1].time.total, 60);
  EXPECT_EQ(found.ids[0].phases[1].time.count, 1);
  EXPECT_EQ(found.ids[0].phases[2].time.total, 40);
  EXPECT_EQ(found.ids[1].id, "0/1");
  EXPECT_EQ(found.ids[2].compiled.total, 10);
  EXPECT_EQ(found.ids[2].phases[1].time.total, 4);
}

TEST(TraceCompileTime, ByPhaseAndByAnnotation) {
  TraceBuilder builder;
  const auto phase = [&](const char* name, std::uint32_t thread, std::int64_t start,
                         std::int64_t end) {
    builder.add("user_annotation", std::string(name) + " (dynamo_timed)", thread, start, end);
  };
  builder.add("user_annotation", "warmup", 0, 0, 100);
  phase("a", 0, 10, 60);
  phase("b", 0, 20, 30);
  phase("b", 0, 35, 40);
  builder.add("user_annotation", "model", 0, 110, 150);
  builder.add("user_annotation", "short", 0, 116, 117);
  phase("a", 0, 115, 125);
  phase("c", 1, 120, 130);  // autograd's thread: while "model" waits
  phase("a", 0, 200, 250);
  const NestedTrace nested(builder);
  const TraceCompileTime found = compile_time(nested.context);
  EXPECT_TRUE(found.is_profiled);
  EXPECT_THAT(found.ids, testing::IsEmpty());
  EXPECT_EQ(found.total, 50 + 15 + 50);
  EXPECT_EQ(found.sum, 50 + 10 + 10 + 50);
  ASSERT_EQ(found.phases.size(), 3u);
  EXPECT_EQ(found.phases[0].name, "a");
  EXPECT_EQ(found.phases[0].time.count, 3);
  EXPECT_EQ(found.phases[0].time.total, 110);
  EXPECT_EQ(found.phases[0].self, 95);
  EXPECT_EQ(found.phases[1].name, "b");
  EXPECT_EQ(found.phases[1].parent, 0u);
  EXPECT_EQ(found.phases[1].time.total, 15);
  EXPECT_EQ(found.phases[2].name, "c");
  EXPECT_EQ(found.phases[2].depth, 0u);
  ASSERT_EQ(found.annotations.size(), 3u);
  EXPECT_EQ(found.annotations[0].annotation, "");
  EXPECT_EQ(found.annotations[0].compiled.total, 50);
  EXPECT_EQ(found.annotations[1].annotation, "warmup");
  EXPECT_EQ(found.annotations[1].annotated.total, 100);
  EXPECT_EQ(found.annotations[1].compiled.total, 50);
  EXPECT_EQ(found.annotations[2].annotation, "model");
  EXPECT_EQ(found.annotations[2].compiled.total, 20);
}

TEST(CompileVerdict, YesWithItsEvidence) {
  TraceBuilder builder;
  add_region(&builder, "0/0", 0, 100);
  builder.op("aten::mm", 10, 60);
  builder.op("aten::mm", 60, 70);
  builder.op("aten::sum", 100, 110);
  const CompileVerdict verdict = Compiled(builder).verdict();
  EXPECT_EQ(verdict.applied, CompileVerdict::Applied::kYes);
  EXPECT_THAT(verdict.evidence[0], HasSubstr("1 compiled region ran"));
  EXPECT_THAT(verdict.evidence[1], HasSubstr("no input required gradients"));
  ASSERT_EQ(verdict.handed_back.size(), 1u);
  EXPECT_EQ(verdict.handed_back[0].name, "aten::mm");
  EXPECT_EQ(verdict.handed_back[0].time.total, 60);
  EXPECT_EQ(verdict.handed_back[0].lowering, Lowering::kCalled);
}

TEST(CompileVerdict, PartlyWhereABackendGeneratesNothing) {
  TraceBuilder builder;
  add_region(&builder, "0/0", 0, 100);
  builder.op("aten::mm", 10, 60);
  builder.op("aten::relu", 60, 70);
  const CompileVerdict verdict = Compiled(builder).verdict();
  EXPECT_EQ(verdict.applied, CompileVerdict::Applied::kPartly);
  EXPECT_THAT(verdict.evidence.back(), HasSubstr("1 of 2 operators"));
}

TEST(CompileVerdict, PartlyWhereMostRunsOutside) {
  TraceBuilder builder;
  add_region(&builder, "0/0", 0, 100);
  builder.op("aten::mm", 200, 500);
  const CompileVerdict verdict = Compiled(builder).verdict();
  EXPECT_EQ(verdict.applied, CompileVerdict::Applied::kPartly);
  EXPECT_THAT(verdict.evidence.back(),
              HasSubstr("75.0 % of the host's time in compiled regions and operators"));
}

TEST(CompileVerdict, NoAndCannotTell) {
  TraceBuilder nothing;
  nothing.add("", "from a browser", 0, 0, 10);
  EXPECT_EQ(Compiled(nothing).verdict().applied, CompileVerdict::Applied::kCannotTell);
  const auto add_matrices = [](TraceBuilder* builder) { builder->op("aten::mm", 0, 10); };
  TraceBuilder matrices;  // Inductor calls the same
  add_matrices(&matrices);
  EXPECT_EQ(Compiled(matrices).verdict().applied, CompileVerdict::Applied::kCannotTell);
  TraceBuilder pointwise;
  add_matrices(&pointwise);
  pointwise.op("aten::relu", 10, 20);
  EXPECT_EQ(Compiled(pointwise).verdict().applied, CompileVerdict::Applied::kNo);
  TraceBuilder training;
  add_matrices(&training);
  training.op("autograd::engine::evaluate_function: MmBackward0", 10, 20);
  EXPECT_EQ(Compiled(training).verdict().applied, CompileVerdict::Applied::kNo);
  TraceBuilder device;
  add_matrices(&device);
  device.add("kernel", "void gemm()", 1, 10, 20);
  EXPECT_EQ(Compiled(device).verdict().applied, CompileVerdict::Applied::kNo);
  device.add("kernel", "triton_poi_fused_add_0", 1, 20, 500);
  EXPECT_NE(Compiled(device).verdict().applied, CompileVerdict::Applied::kNo);
}

TEST(CompileVerdict, WhatIsUnknownCountsOnNeitherSide) {
  // One of two known is generated: a backend that runs one by one, however many views there are.
  TraceBuilder builder;
  add_region(&builder, "0/0", 0, 1000);
  builder.op("aten::mm", 0, 10);
  builder.op("aten::sum", 10, 20);
  for (int i = 0; i < 30; ++i) builder.op("aten::view", 20 + i, 21 + i);
  CompileVerdict verdict = Compiled(builder).verdict();
  EXPECT_EQ(verdict.applied, CompileVerdict::Applied::kPartly);
  EXPECT_THAT(verdict.evidence.back(), HasSubstr("1 of 2 operators"));
  EXPECT_THAT(verdict.evidence.back(), HasSubstr("(30 more may be either)"));
  EXPECT_EQ(verdict.handed_back_called.count, 1);
  // Views alone say nothing.
  TraceBuilder views;
  add_region(&views, "0/0", 0, 1000);
  views.op("aten::mm", 0, 10);
  views.op("aten::view", 20, 21);
  EXPECT_EQ(Compiled(views).verdict().applied, CompileVerdict::Applied::kYes);
}

TEST(CompileVerdict, AFewOfTheProgramsOwnOperatorsAreNoProof) {
  // Inference on a CPU before 2.2 leaves no mark: a sum of what came out is not the model.
  TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.op("aten::convolution", i * 10, i * 10 + 9);
  builder.op("aten::sum", 300, 310);
  EXPECT_EQ(Compiled(builder).verdict().applied, CompileVerdict::Applied::kCannotTell);
  for (int i = 0; i < 5; ++i) builder.op("aten::relu", 400 + i, 401 + i);
  EXPECT_EQ(Compiled(builder).verdict().applied, CompileVerdict::Applied::kNo);
}

TEST(InductorOperators, GeneratedCalledOrUnknown) {
  for (const char* name :
       {"relu", "relu_", "_batch_norm_impl_index", "where", "sum", "mean", "amax", "amin", "max",
        "min", "cat", "erf", "rsub", "eq", "index", "embedding", "add_", "__and__", "_softmax"}) {
    EXPECT_EQ(inductor_lowering("aten::" + std::string(name)), Lowering::kGenerated) << name;
  }
  for (const char* name : {"mm", "addmm", "bmm", "baddbmm", "convolution", "conv2d", "linear",
                           "scaled_dot_product_attention", "topk", "nonzero", "_fft_r2c"}) {
    EXPECT_EQ(inductor_lowering("aten::" + std::string(name)), Lowering::kCalled) << name;
  }
  for (const char* name : {"view", "clone", "copy_", "zero_", "max_pool2d_with_indices", "cumsum",
                           "sort", "scatter_add_", "my_operator", "", "_"}) {
    EXPECT_EQ(inductor_lowering("aten::" + std::string(name)), Lowering::kUnknown) << name;
  }
  EXPECT_EQ(inductor_lowering("relu"), Lowering::kUnknown);
  EXPECT_EQ(inductor_lowering("torchvision::nms"), Lowering::kUnknown);
  EXPECT_EQ(inductor_lowering("mkldnn::_linear_pointwise"), Lowering::kCalled);
}

}  // namespace
}  // namespace benchhud::analysis
