// Frames and how often each was compiled: recompilations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// What came of one compilation of a frame.
struct CompiledVersion {
  std::string id;       ///< "F/C"
  TimeTotals executed;  ///< its regions, what lies in them included
  TimeTotals compiled;  ///< its compilations that happened in the trace
};

struct CompiledFrame {
  static constexpr std::size_t kMostVersions = 32;

  std::string frame;
  std::int64_t executions = 0;
  std::int64_t recompiles = 0;  ///< distinct compile ids in the trace, beyond the first
  /// The greatest compile id + 1: compilations since the program began, as ids count from 0.
  std::int64_t compilations = 0;
  std::vector<CompiledVersion> versions;  ///< as they came, the first kMostVersions
  std::int64_t versions_left_out = 0;
};

struct CompiledFrames {
  static constexpr std::size_t kMostFrames = 64;

  std::vector<CompiledFrame> frames;  ///< most recompiled first, then as they came
  std::int64_t frames_left_out = 0;
  /// Frames that Dynamo compiled within the trace, with all that belongs to it: forward graphs.
  TimeTotals compiled;
  std::int64_t unassigned = 0;  ///< of those, whose frame is not known
};

/// A compilation is `_compile.compile_inner (dynamo_timed)` or what older PyTorch called it. It is
/// of the region that begins next on its thread, if both lie in the same region and nothing else
/// was compiled between them: Dynamo runs what it compiled.
CompiledFrames compiled_frames(const TraceContext& context,
                               const std::vector<CompiledRegion>& regions);

}  // namespace benchhud::analysis
