// Operations that fell back from the device to the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::analysis {

/// What the profiler says of an operation: one entry of `xla_unlowered_ops`, or their sum. Times
/// in seconds.
struct OperationTimes {
  std::string name;
  double calls = 0;
  double self_cpu = 0;
  double total_cpu = 0;  ///< with the operations within it
  double self_cuda = 0;
  double total_cuda = 0;
};

struct FallbackOperation {
  OperationTimes times;  ///< over all entries
  /// How many repetitions list it. A repetition without any fallback has no entry in the file, so
  /// which ones they are cannot be told.
  std::int64_t repetitions = 0;
  bool usual = false;
};

/// aten::nonzero and aten::_local_scalar_dense fall back wherever they are used, for the host needs
/// their result; any other operation lacks a lowering (PyTorch/XLA, "Troubleshooting").
bool is_usual_fallback(std::string_view operation);

/// Adds up the entries of a result's repetitions. The unusual first, of those the one with the most
/// CPU time first. Numbers that are not finite or below zero count as zero.
std::vector<FallbackOperation> fallback_operations(
    std::span<const std::vector<OperationTimes>> repetitions);

}  // namespace benchhud::analysis
