// Where the time of annotated steps went.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// A moment of a step belongs to the first of these that happens then.
enum class StepPart : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,  ///< kernels of NCCL and its like, and gloo's calls on the host
  kRuntime,
  kDataLoader,
  kCpu,    ///< operators
  kOther,  ///< nothing of these
};
inline constexpr std::size_t kStepParts = 8;
/// "kernel", "memcpy", …: as JSON has it.
std::string_view name_of(StepPart part);

/// ns by StepPart.
using StepParts = std::array<std::int64_t, kStepParts>;

struct ProfilerStep {
  std::string name;  ///< "ProfilerStep#7"
  std::int64_t start = 0, duration = 0;
  StepParts parts = {};  ///< add up to the duration
};

struct StepBreakdown {
  std::vector<ProfilerStep> steps;  ///< in the order of beginnings, the first `most`
  std::int64_t steps_left_out = 0;
  std::int64_t count = 0;     ///< of all
  std::int64_t duration = 0;  ///< of all
  StepParts parts = {};       ///< of all
};

/// The sweep of PyTorch's TensorBoard plugin (its overview's step time breakdown), within the
/// host's annotations `ProfilerStep#N`. The plugin also lengthens steps by what runs late on the
/// device; here a step is what it is on the host.
StepBreakdown step_breakdown(const TraceContext& context, std::size_t most);

}  // namespace benchhud::analysis
