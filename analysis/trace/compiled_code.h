// Which operators ran in compiled code, and which did not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// Where an operator ran that lies in no other operator.
enum class OperatorPlace : std::uint8_t {
  kOutside,  ///< of compiled regions and functions
  /// In a compiled region, but not by its graph: code behind a graph break, of a function that is
  /// disabled or that Dynamo skipped.
  kEager,
  kHandedBack,  ///< in a compiled graph: Inductor calls the original, or the backend compiles
                ///< nothing
  kGenerated,   ///< in a compiled graph: Inductor's, `triton_…`
};

struct PlacedOperator {
  std::uint32_t slice = 0;
  std::uint32_t region = trace::kNoSlice;  ///< by its place in the list of regions; kNoSlice: none
  OperatorPlace place = OperatorPlace::kOutside;
};

/// Times are of the host, ns, added up over threads.
struct CompiledCode {
  /// Without optimizers' steps, the adding up of gradients and bookkeeping of Dynamo and autograd.
  std::vector<PlacedOperator> operators;
  /// In regions and compiled functions, forward and backward, without `eager` and `compiling`.
  std::int64_t compiled = 0;
  std::int64_t eager = 0;      ///< operators of kEager
  std::int64_t outside = 0;    ///< operators of kOutside
  std::int64_t compiling = 0;  ///< `… (dynamo_timed)`, wherever it is
  /// ns on devices of what compiled code launched, and of everything.
  std::int64_t device_compiled = 0, device_all = 0;
  std::int64_t cache_lookups = 0;  ///< `TorchDynamo Cache Lookup`
  std::int64_t graph_calls = 0;    ///< `## Call CompiledFxGraph`, of newer PyTorch
  std::int64_t backward_nodes =
      0;  ///< of autograd that ran: `autograd::engine::evaluate_function: `
};

/// Follows "Profiling to understand torch.compile performance" of PyTorch's documentation. An
/// operator right in a region belongs to its graph, unless one of these says that Python called it:
/// - the region's graph is marked (`CompiledFunction`, `## Call CompiledFxGraph`) and the operator
///   lies outside of the marks;
/// - it has a sequence number: autograd saw it, which AOTAutograd turns off around its graphs;
/// - another region lies in this one and began before: a graph runs before its break, and what
///   comes later is a region of its own.
/// Operators that run while something is compiled are none of these.
/// `device_times`: as device_time_of_slices() gives them.
CompiledCode compiled_code(const TraceContext& context, const std::vector<CompiledRegion>& regions,
                           const std::vector<std::int64_t>& device_times);

}  // namespace benchhud::analysis
