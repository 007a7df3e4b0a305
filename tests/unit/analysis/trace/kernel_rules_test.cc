#include "analysis/kernels/kernel_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace benchhud::analysis {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Class = KernelClass;

Class of_name(std::string_view name) {
  return KernelRules::built_in().of_name(name).value_or(Class::kOther);
}

TEST(NameMatcher, TheFirstPatternThatFitsIsFound) {
  const NameMatcher matcher({{"abc", NamePlace::kEnd},
                             {"B", NamePlace::kAnywhere},
                             {"ab", NamePlace::kBegin},
                             {"x", NamePlace::kWhole},
                             {"mm", NamePlace::kWord}});
  EXPECT_EQ(matcher.first("zABC"), 0u);
  EXPECT_EQ(matcher.first("abcz"), 1u);
  EXPECT_EQ(matcher.first("x"), 3u);
  EXPECT_EQ(matcher.first("xx"), std::nullopt);
  EXPECT_EQ(matcher.first("aten_mm(1)"), 4u);
  EXPECT_EQ(matcher.first("mm"), 4u);
  EXPECT_EQ(matcher.first("addmm"), std::nullopt);
  EXPECT_EQ(matcher.first("mm2"), std::nullopt);
  EXPECT_EQ(matcher.first(""), std::nullopt);
  EXPECT_EQ(NameMatcher().first("a"), std::nullopt);
}

// Every place at which a pattern might end is looked at once, whatever the name repeats.
TEST(NameMatcher, PatternsWithinPatternsAreFound) {
  const NameMatcher matcher(
      {{"bcd", NamePlace::kEnd}, {"abcde", NamePlace::kAnywhere}, {"c", NamePlace::kEnd}});
  EXPECT_EQ(matcher.first("abcd"), 0u);
  EXPECT_EQ(matcher.first("abcdef"), 1u);
  EXPECT_EQ(matcher.first("abcabc"), 2u);
}

TEST(NameMatcher, HostileNamesTakeLinearTime) {
  std::vector<NamePattern> patterns;
  for (int i = 1; i < 200; ++i) {
    patterns.push_back({std::string(static_cast<std::size_t>(i), 'a') + 'b', NamePlace::kAnywhere});
  }
  const NameMatcher matcher(patterns);
  const std::string name(4'000'000, 'a');
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(matcher.first(name), std::nullopt);
  // Some 20 ms; what goes back takes hundreds of times as long.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST(KernelRules, Communication) {
  for (const char* name :
       {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
        "void deep_ep::internode::dispatch<false, 8, false, 8>(int4*, float*)",
        "multimem_all_reduce_kernel_Sum_bf16", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)",
        "nvshmemi_transfer_rma_p2p", "hcom_allReduce__517_0_1", "rcclGenericKernel", "xccl::send",
        "oneShotAllReduceKernel", "void flashinfer::trtllm_allreduce_fusion::f<8>()",
        "reduce-scatter.3", "all_to_all_kernel"}) {
    EXPECT_EQ(of_name(name), Class::kCommunication) << name;
  }
  for (const char* name : {"void at::native::reduce_kernel<512, 1>()", "broadcast_add_kernel",
                           "vectorized_gather_kernel", "fusion.12", "asyncClearKernel",
                           "srcClamp_kernel", "block_all_reduce_sum_f32_kernel"}) {
    EXPECT_NE(of_name(name), Class::kCommunication) << name;
  }
}

TEST(KernelRules, WhatEngineersCallKernels) {
  EXPECT_EQ(of_name("volta_sgemm_64x64_nt"), Class::kGemm);
  EXPECT_EQ(of_name("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT"), Class::kGemm);
  EXPECT_EQ(of_name("Cijk_Ailk_Bljk_HHS_BH_MT128x128"), Class::kGemm);
  EXPECT_EQ(of_name("aclnnMm_MatMulCommon_MatMul"), Class::kGemm);
  EXPECT_EQ(of_name("gemm_fusion_dot_general_744"), Class::kGemm);
  EXPECT_EQ(of_name("sm80_xmma_fprop_implicit_gemm_f16f16"), Class::kConvolution);
  EXPECT_EQ(of_name("implicit_convolve_sgemm<float>"), Class::kConvolution);
  EXPECT_EQ(of_name("convert_fusion"), Class::kElementwise);
  EXPECT_EQ(of_name("fmha_cutlassF_f16_aligned_64x64_rf_sm80"), Class::kAttention);
  EXPECT_EQ(of_name("void flash_fwd_kernel<Flash_fwd_kernel_traits<64>>"), Class::kAttention);
  EXPECT_EQ(of_name("void at::native::vectorized_layer_norm_kernel<float>"), Class::kNormalisation);
  EXPECT_EQ(of_name("void cunn_SoftMaxForward<4>"), Class::kNormalisation);
  EXPECT_EQ(of_name("void at::native::vectorized_elementwise_kernel<4>"), Class::kElementwise);
  EXPECT_EQ(of_name("loop_add_fusion"), Class::kElementwise);
  EXPECT_EQ(of_name("void at::native::reduce_kernel<512, 1>()"), Class::kReduction);
  EXPECT_EQ(of_name("void at::native::embedding_dense_backward()"), Class::kEmbedding);
  EXPECT_EQ(of_name("void at::native::CatArrayBatchedCopy<>"), Class::kCopy);
  EXPECT_EQ(of_name("__amd_rocclr_copyBuffer.kd"), Class::kCopy);
  EXPECT_EQ(of_name("__amd_rocclr_fillBufferAligned"), Class::kMemset);
  EXPECT_EQ(of_name("fusion.12"), Class::kOther);
  const KernelRules& rules = KernelRules::built_in();
  EXPECT_EQ(rules.of_hlo("convolution fusion"), Class::kConvolution);
  EXPECT_EQ(rules.of_hlo("loop fusion"), Class::kElementwise);
  EXPECT_EQ(rules.of_hlo("all-reduce fusion"), Class::kCommunication);
  EXPECT_EQ(rules.of_hlo("data formatting"), Class::kCopy);
  EXPECT_EQ(rules.of_hlo("custom-call"), std::nullopt);
  EXPECT_EQ(rules.of_operator("aten::addmm"), Class::kGemm);
  EXPECT_EQ(rules.of_operator("aten::view"), std::nullopt);
}

TEST(KernelRules, NamesThatSayTwoThings) {
  const std::pair<const char*, Class> names[] = {
      {"volta_scudnn_128x64_relu_interior_nn_v1", Class::kConvolution},
      {"volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1", Class::kConvolution},
      {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
       Class::kConvolution},
      {"ampere_sgemm_128x64_tn", Class::kGemm},
      {"void marlin::Marlin<256, 1, 8, 8, 4, 8>(int4 const*)", Class::kGemm},
      {"fused_moe_kernel", Class::kGemm},
      {"void wvSplitK_hf_sml_<__half, 64, 4, 16, 8, 4, 1>", Class::kGemm},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
       "at::native::WelfordOps<float, float, int>>>",
       Class::kReduction},
      {"block_all_reduce_sum_f32_kernel", Class::kReduction},
      {"void vllm::concat_and_cache_mla_kernel<float>", Class::kCopy},
      {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<2>", Class::kAttention},
      {"void flashinfer::BatchPrefillWithRaggedKVCacheKernel<2>", Class::kAttention},
      {"void normalization::ln_fwd_tuned_kernel<float>", Class::kNormalisation},
      {"void c10d::symmetric_memory::barrier_kernel(unsigned int**)", Class::kCommunication},
  };
  for (const auto& [name, expected] : names) EXPECT_EQ(of_name(name), expected) << name;
  const KernelRules& rules = KernelRules::built_in();
  EXPECT_EQ(rules.of_operator("aten::index_select"), Class::kEmbedding);
  EXPECT_EQ(rules.of_operator("aten::var_mean"), Class::kReduction);
  EXPECT_EQ(rules.of_operator("aten::pow"), Class::kElementwise);
}

TEST(KernelRules, ATeamsRulesComeFirst) {
  const auto rules = KernelRules::parse(
      "# ours\n\n  communication name word ring_xfer \t\r\nattention\tname contains my gemm\n"
      "triton name starts our_",
      "ours.txt");
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_EQ(rules->of_name("ring_xfer<4>"), Class::kCommunication);
  EXPECT_EQ(rules->of_name("this is MY GEMM"), Class::kAttention);
  EXPECT_EQ(rules->of_name("our_kernel"), Class::kUserTriton);
  EXPECT_EQ(rules->own_of_name("our_kernel"), Class::kUserTriton);
  EXPECT_EQ(rules->own_of_name("sgemm"), std::nullopt);
  EXPECT_EQ(rules->of_name("sgemm"), Class::kGemm) << "the program's own are there still";
}

TEST(KernelRules, WhatIsNoRuleIsRefusedWithItsLine) {
  const auto error = [](const std::string& text) {
    const auto rules = KernelRules::parse(text, "ours.txt");
    return rules ? std::string("none") : rules.error().message;
  };
  EXPECT_THAT(error("# one\ngem name is x"), AllOf(HasSubstr("ours.txt:2: "), HasSubstr("“gem”")));
  EXPECT_THAT(error("gemm nam is x"), AllOf(HasSubstr("ours.txt:1: "), HasSubstr("“nam”")));
  EXPECT_THAT(error("gemm name like x"), AllOf(HasSubstr("ours.txt:1: "), HasSubstr("“like”")));
  EXPECT_THAT(error("\n\ngemm name is   "), HasSubstr("ours.txt:3: "));
  EXPECT_THAT(error("gemm"), HasSubstr("ours.txt:1: "));
  EXPECT_THAT(error("memcpy name is x"), HasSubstr("ours.txt:1: "));
  EXPECT_THAT(error("gemm name is " + std::string(201, 'x')), HasSubstr("200"));
  EXPECT_THAT(error(std::string("gemm name is a\0b", 16)), HasSubstr("ours.txt:1: "));
  EXPECT_THAT(error(std::string(KernelRules::kMostFileBytes + 1, '\n')), HasSubstr("ours.txt"));
}

}  // namespace
}  // namespace benchhud::analysis
