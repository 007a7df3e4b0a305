// What torch.compile left in a trace: compiled regions, graph breaks, recompilations, and the pairs
// of compiled forward and backward functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// "F" of "F/C".
inline std::string_view frame_of(std::string_view id) { return id.substr(0, id.find('/')); }

/// One execution of a `Torch-Compiled Region`.
struct CompiledRegion {
  std::uint32_t slice = 0;
  std::uint32_t around = trace::kNoSlice;  ///< the region right around it, by its place in the list
  std::uint32_t depth = 0;                 ///< how many regions are around it
  std::string_view id;  ///< "F/C", frame id and compile id; empty where PyTorch wrote none

  std::string_view frame() const { return frame_of(id); }  ///< "F"
};

/// "F/C" of a region's name; empty where PyTorch wrote none, or it is no region's name.
std::string_view compiled_region_id(std::string_view name);

/// All of them, by thread and beginning. A region that begins within another of its thread is
/// nested in it, even where it outlives it.
std::vector<CompiledRegion> find_compiled_regions(const trace::Trace& trace,
                                                  const trace::TraceNesting& nesting);

/// Slices named `Torch-Compiled Region`, in newer versions of PyTorch with `: F/C`, frame id and
/// compile id.
struct CompiledRegions {
  std::int64_t count = 0;  ///< executions
  /// By how many regions are around it: 0 is the root of a chain of graph breaks.
  std::map<std::int64_t, std::int64_t> by_depth;
  std::map<std::string, std::int64_t> by_frame;  ///< by "F/C"; empty where regions have no ids
  /// Regions within a region: code behind a graph break (or in a function that is compiled for
  /// itself), each execution counted.
  std::int64_t graph_breaks = 0;
  std::optional<std::int64_t> graph_breaks_distinct;  ///< frames of those; none without ids
  /// Compile ids of a frame beyond its first, summed over frames; none without ids.
  std::optional<std::int64_t> recompiles;
};
CompiledRegions compiled_regions(const std::vector<CompiledRegion>& regions);
CompiledRegions compiled_regions(const trace::Trace& trace, const trace::TraceNesting& nesting);

/// A slice named `CompiledFunction` or `CompiledFunctionBackward`.
struct CompiledFunctionSlice {
  std::int64_t sequence = 0;  ///< TraceArgs::kAbsent: none, and it belongs to no other
  std::uint32_t slice = 0;
  bool is_backward = false;
};
/// In the order of the trace.
std::vector<CompiledFunctionSlice> compiled_function_slices(const trace::Trace& trace);

/// How many there are, as compiled_pairs() pairs them; a pair has one sequence number.
/// A forward without its backward: that was not called, or lies outside the trace.
struct CompiledFunctions {
  std::int64_t forward = 0, backward = 0, paired = 0;
};
CompiledFunctions compiled_functions(const trace::Trace& trace);

}  // namespace benchhud::analysis
