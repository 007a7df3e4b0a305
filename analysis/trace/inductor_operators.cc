#include "analysis/trace/inductor_operators.h"

#include <algorithm>
#include <array>

namespace benchhud::analysis {
namespace {

// After PyTorch of mid-2025: lowerings and fallbacks that torch/_inductor/lowering.py registers
// (pytorch/pytorch at 0015748b977f), and what decomposition.py and core_aten_decompositions() break
// up into such; with composite operators that are made of them, and without what falls back under
// conditions. Both are sorted.

// clang-format off
constexpr std::array<std::string_view, 232> kGenerated = {
    "__and__", "__or__", "__xor__", "_batch_norm_impl_index", "_foreach_abs", "_foreach_add",
    "_foreach_clamp_max", "_foreach_clamp_min", "_foreach_div", "_foreach_maximum",
    "_foreach_minimum", "_foreach_mul", "_foreach_neg", "_foreach_pow", "_foreach_reciprocal",
    "_foreach_rsqrt", "_foreach_sign", "_foreach_sqrt", "_foreach_sub", "_log_softmax",
    "_log_softmax_backward_data", "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training",
    "_prelu_kernel", "_softmax", "_softmax_backward_data", "_unsafe_index", "abs", "acos",
    "acosh", "add", "addcdiv", "addcmul", "all", "amax", "amin", "aminmax", "any", "arange",
    "argmax", "argmin", "asin", "asinh", "atan", "atan2", "atanh", "batch_norm",
    "binary_cross_entropy", "binary_cross_entropy_backward", "binary_cross_entropy_with_logits",
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "cat", "ceil", "celu", "clamp", "clamp_max", "clamp_min", "constant_pad_nd",
    "copysign", "cos", "cosh", "cross_entropy_loss", "cudnn_batch_norm",
    "cudnn_batch_norm_backward", "div", "dot", "dropout", "elu", "elu_backward", "embedding",
    "eq", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "flip", "floor", "floor_divide",
    "fmax", "fmin", "fmod", "frac", "gather", "ge", "gelu", "gelu_backward", "glu",
    "glu_backward", "group_norm", "gt", "hardshrink", "hardsigmoid", "hardsigmoid_backward",
    "hardswish", "hardswish_backward", "hardtanh", "hardtanh_backward", "huber_loss",
    "huber_loss_backward", "hypot", "index", "index_select", "instance_norm", "isinf", "isnan",
    "l1_loss", "layer_norm", "le", "leaky_relu", "leaky_relu_backward", "lerp", "lgamma",
    "linalg_vector_norm", "log", "log10", "log1p", "log2", "log_sigmoid", "log_sigmoid_backward",
    "log_sigmoid_forward", "log_softmax", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logit", "logsumexp", "lt", "masked_fill", "max", "maximum", "mean", "min",
    "minimum", "mish", "mse_loss", "mse_loss_backward", "mul", "mv", "nan_to_num", "nansum",
    "native_batch_norm", "native_batch_norm_backward", "native_dropout",
    "native_dropout_backward", "native_group_norm", "native_group_norm_backward",
    "native_layer_norm", "native_layer_norm_backward", "ne", "neg", "nextafter", "nll_loss",
    "nll_loss2d_backward", "nll_loss2d_forward", "nll_loss_backward", "nll_loss_forward",
    "nll_loss_nd", "norm", "pixel_shuffle", "pow", "prelu", "prod", "reciprocal",
    "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "relu", "relu6", "remainder",
    "replication_pad1d", "replication_pad2d", "replication_pad3d", "rms_norm", "roll", "round",
    "rsqrt", "rsub", "select_scatter", "selu", "sgn", "sigmoid", "sigmoid_backward", "sign",
    "signbit", "silu", "silu_backward", "sin", "sinh", "slice_scatter", "smooth_l1_loss",
    "smooth_l1_loss_backward", "softmax", "softplus", "softplus_backward", "softshrink", "sqrt",
    "square", "stack", "std", "std_mean", "sub", "sum", "tan", "tanh", "tanh_backward",
    "threshold", "threshold_backward", "tril", "triu", "true_divide", "trunc",
    "upsample_bilinear2d", "upsample_linear1d", "upsample_nearest1d", "upsample_nearest2d",
    "upsample_nearest2d_backward", "upsample_nearest3d", "upsample_trilinear3d", "var",
    "var_mean", "where", "xlogy"};

constexpr std::array<std::string_view, 93> kCalled = {
    "_adaptive_avg_pool3d", "_adaptive_avg_pool3d_backward", "_addmm_activation",
    "_cdist_backward", "_cdist_forward", "_convolution", "_cudnn_rnn", "_cudnn_rnn_backward",
    "_efficient_attention_backward", "_efficient_attention_forward", "_fft_c2c", "_fft_c2r",
    "_fft_r2c", "_flash_attention_backward", "_flash_attention_forward", "_grouped_mm", "_int_mm",
    "_linalg_det", "_linalg_eigh", "_linalg_slogdet", "_linalg_solve_ex", "_linalg_svd",
    "_pdist_backward", "_pdist_forward", "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_cudnn_attention_backward", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward", "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention_for_cpu_backward", "_scaled_mm", "_thnn_fused_lstm_cell",
    "_trilinear", "adaptive_max_pool2d_backward", "adaptive_max_pool3d",
    "adaptive_max_pool3d_backward", "addbmm", "addmm", "baddbmm", "bmm", "cholesky_inverse",
    "cholesky_solve", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "convolution", "convolution_backward", "cudnn_convolution",
    "cudnn_convolution_transpose", "einsum", "fractional_max_pool2d_backward",
    "fractional_max_pool3d_backward", "geqrf", "histc", "index_reduce", "kthvalue",
    "linalg_cholesky_ex", "linalg_householder_product", "linalg_inv_ex", "linalg_lu",
    "linalg_lu_factor_ex", "linalg_lu_solve", "linalg_matrix_exp", "linalg_qr",
    "linalg_solve_triangular", "linear", "lu_unpack", "matmul",
    "max_pool3d_with_indices_backward", "median", "miopen_convolution", "mkldnn_convolution",
    "mm", "mode", "nanmedian", "nonzero", "ormqr", "randperm", "replication_pad1d_backward",
    "replication_pad2d_backward", "scaled_dot_product_attention", "segment_reduce",
    "slow_conv3d_forward", "topk", "triangular_solve", "upsample_bicubic2d_backward",
    "upsample_linear1d_backward", "upsample_trilinear3d_backward"};
// clang-format on
static_assert(std::is_sorted(kGenerated.begin(), kGenerated.end()));
static_assert(std::is_sorted(kCalled.begin(), kCalled.end()));

Lowering lowering_of(std::string_view name) {
  if (std::binary_search(kGenerated.begin(), kGenerated.end(), name)) return Lowering::kGenerated;
  if (std::binary_search(kCalled.begin(), kCalled.end(), name)) return Lowering::kCalled;
  return Lowering::kUnknown;
}

}  // namespace

Lowering inductor_lowering(std::string_view operator_name) {
  // oneDNN's and MKL's operators are put into graphs by Inductor itself, in order to call them.
  if (operator_name.starts_with("mkldnn::") || operator_name.starts_with("mkl::")) {
    return Lowering::kCalled;
  }
  constexpr std::string_view kAten = "aten::";
  if (!operator_name.starts_with(kAten)) return Lowering::kUnknown;
  operator_name.remove_prefix(kAten.size());
  const Lowering found = lowering_of(operator_name);
  if (found != Lowering::kUnknown || !operator_name.ends_with('_')) return found;
  operator_name.remove_suffix(1);  // in place
  return lowering_of(operator_name);
}

}  // namespace benchhud::analysis
