#include "analysis/trace/label_class.h"

#include <gtest/gtest.h>

#include <utility>

#include "analysis/kernels/kernel_rules.h"

namespace benchhud::analysis {
namespace {

TEST(LabelClass, FollowsTheCategoryAndPyTorchsNames) {
  const auto name = [](std::string_view label, std::string_view category) {
    return label_class(label, category).name;
  };
  EXPECT_EQ(name("aten::mm", "cpu_op"), "operator");
  EXPECT_EQ(name("aten::mm", "Operator"), "operator");
  EXPECT_EQ(name("Torch-Compiled Region: 0/1", "cpu_op"), "compiled");
  EXPECT_EQ(name("CompiledFunctionBackward", "cpu_op"), "compiled");
  EXPECT_EQ(name("## Call CompiledFxGraph fabc ##", "user_annotation"), "compiled");
  EXPECT_EQ(name("compile_fx (dynamo_timed)", "user_annotation"), "compile");
  EXPECT_EQ(name("ProfilerStep#1", "user_annotation"), "annotation");
  EXPECT_EQ(name("f.py(1): f", "python_function"), "python");
  EXPECT_EQ(name("cudaLaunchKernel", "cuda_runtime"), "runtime");
  EXPECT_EQ(name("triton_poi_fused_add_0", "kernel"), "inductor_triton");
  EXPECT_EQ(name("ncclDevKernel_AllReduce", "kernel"), "communication");
  EXPECT_EQ(name("void at::native::f<float>()", "kernel"), "other");
  EXPECT_EQ(name("volta_sgemm_64x64_nt", "kernel"), "gemm");
  EXPECT_EQ(name("convolution.3", "xla_op"), "convolution");
  EXPECT_EQ(name("jit_f", "xla_module"), "shadow");
  EXPECT_EQ(name("urEnqueueKernelLaunch", "xpu_runtime"), "runtime");
  EXPECT_EQ(name("xccl::allreduce", "collective_comm"), "communication");
  EXPECT_EQ(name("triton_poi_fused_add_0", "cpu_op"), "operator");
  EXPECT_EQ(name("Memcpy HtoD", "gpu_memcpy"), "memcpy");
  EXPECT_EQ(name("Memset", "gpu_memset"), "memset");
  EXPECT_EQ(name("ProfilerStep#1", "gpu_user_annotation"), "shadow");
  EXPECT_EQ(name("PyTorch Profiler (0)", "Trace"), "profiler");
  EXPECT_EQ(name("fusion.1", ""), "unknown");
  EXPECT_EQ(name("ProfilerStep#6", "Operator"), "annotation");
}

// Inductor calls kernels by the operators that they are fused of.
TEST(LabelClass, FusedKernelsOfInductorDoNotCommunicate) {
  for (const char* name : {"triton_poi_fused_all_reduce_0", "triton_poi_fused_nccl_wait_1",
                           "triton_red_fused__to_copy_all_gather_into_tensor_mean_0"}) {
    EXPECT_EQ(label_class(name, "kernel").name, "inductor_triton") << name;
  }
}

TEST(LabelClass, ATeamsRulesStandAboveAll) {
  auto rules = KernelRules::parse("attention name is triton_ours\ngemm name is xccl::ours", "r");
  ASSERT_TRUE(rules);
  set_kernel_rules(*std::move(rules));
  EXPECT_EQ(label_class("triton_ours", "kernel").name, "attention");
  EXPECT_EQ(kernel_class_of_label("xccl::ours", "collective_comm", trace::ThreadRole::kDevice),
            KernelClass::kGemm);
  set_kernel_rules(KernelRules::built_in());
}

TEST(LabelClass, FollowsTheRoleOfTheThreadWhereTheCategorySaysNothing) {
  using trace::ThreadRole;
  const auto named = [](std::string_view name, ThreadRole role) {
    return label_class(trace::LabelText{std::string(name), "", role});
  };
  EXPECT_EQ(named("aclnnMm_MatMul", ThreadRole::kDevice).name, "gemm");
  EXPECT_EQ(named("aclnnMm_MatMul", ThreadRole::kDevice).side, TrackSide::kDevice);
  EXPECT_EQ(named("broadcast", ThreadRole::kDeviceCommunication).name, "communication");
  EXPECT_EQ(named("f", ThreadRole::kHost).name, "host");
  EXPECT_EQ(named("f", ThreadRole::kHost).side, TrackSide::kHost);
  EXPECT_EQ(named("Computing", ThreadRole::kDeviceNotes).name, "shadow");
}

TEST(LabelClass, CountsNothingThatOnlyContainsOthersAsWork) {
  for (const std::string_view category : {"user_annotation", "gpu_user_annotation", "Trace"}) {
    EXPECT_FALSE(is_work(label_class("forward", category))) << category;
  }
  EXPECT_FALSE(is_work(label_class("ProfilerStep#6", "Operator")));
  for (const std::string_view category : {"cpu_op", "kernel", "python_function", ""}) {
    EXPECT_TRUE(is_work(label_class("forward", category))) << category;
  }
  EXPECT_TRUE(is_work(label_class("## Call CompiledFxGraph fabc ##", "user_annotation")));
}

TEST(LabelClass, SaysWhereItRan) {
  EXPECT_EQ(label_class("x", "cpu_op").side, TrackSide::kHost);
  EXPECT_EQ(label_class("x", "kernel").side, TrackSide::kDevice);
  EXPECT_EQ(label_class("x", "gpu_user_annotation").side, TrackSide::kDevice);
  EXPECT_EQ(label_class("x", "Trace").side, TrackSide::kOther);
  EXPECT_EQ(label_class("x", "").side, TrackSide::kOther);
  EXPECT_EQ(label_class("f (dynamo_timed)", "").side, TrackSide::kOther);
}

TEST(LabelClass, KindsOfFlows) {
  EXPECT_EQ(flow_kind("ac2g"), "launch");
  EXPECT_EQ(flow_kind("async_cpu_to_gpu"), "launch");
  EXPECT_EQ(flow_kind("fwdbwd"), "fwdbwd");
  EXPECT_EQ(flow_kind("async_gpu"), "async");
  EXPECT_EQ(flow_kind(""), "other");
}

}  // namespace
}  // namespace benchhud::analysis
