// Compilation within a trace: by phase, and by what the program said that it was doing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/name_tree.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// Annotations of one name, and what was compiled within them.
struct AnnotatedCompilation {
  std::string annotation;  ///< "" for what was compiled outside of all
  TimeTotals annotated;    ///< how long they are themselves
  TimeTotals compiled;     ///< outermost phases right in them, not in another annotation within
};

struct TraceCompileTime {
  static constexpr std::uint32_t kMostPhases = 512;
  static constexpr std::size_t kMostAnnotations = 64;

  /// `… (dynamo_timed)` by what is around them, names without that ending: the numbers that
  /// torch._dynamo.utils.compile_times() prints, but for what ran in other processes.
  std::vector<NameTreeRow> phases;
  std::int64_t phases_left_out = 0;  ///< slices without a row
  /// ns in which anything was compiled, on any thread.
  std::int64_t total = 0;
  /// ns of the outermost phases, added up over threads: that of the annotations together.
  std::int64_t sum = 0;
  /// The longest first. A warm-up's compilations are not the model's: annotate them apart.
  std::vector<AnnotatedCompilation> annotations;
  std::int64_t annotations_left_out = 0;
};

/// A compilation is within the innermost annotation around it on its thread. Where there is none,
/// within the last to begin on any thread that contains its whole time: autograd compiles backward
/// graphs on a thread of its own while the caller waits.
TraceCompileTime compile_time(const TraceContext& context);

}  // namespace benchhud::analysis
