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

/// What was compiled under one compile id.
struct CompiledId {
  struct Phase {
    std::string name;
    TimeTotals time;  ///< of slices that lie in no other of the name and the id
  };
  static constexpr std::size_t kMostPhases = 64;

  std::string id;             ///< "0/1"
  TimeTotals compiled;        ///< slices that lie in no other of the id
  std::vector<Phase> phases;  ///< they contain each other; the longest first, the first kMostPhases
  std::int64_t phases_left_out = 0;
};

struct TraceCompileTime {
  static constexpr std::uint32_t kMostPhases = 512;
  static constexpr std::size_t kMostAnnotations = 64;

  static constexpr std::size_t kMostIds = 64;

  /// Phases of compiling by what is around them, `… (dynamo_timed)` without that ending: the
  /// numbers that torch._dynamo.utils.compile_times() prints, but for what ran in other processes.
  std::vector<NameTreeRow> phases;
  std::int64_t phases_left_out = 0;  ///< slices without a row
  /// ns in which anything was compiled, on any thread.
  std::int64_t total = 0;
  /// ns of the outermost phases, added up over threads: that of the annotations together.
  std::int64_t sum = 0;
  /// The longest first. A warm-up's compilations are not the model's: annotate them apart.
  std::vector<AnnotatedCompilation> annotations;
  std::int64_t annotations_left_out = 0;
  /// By the compile ids that PyTorch's own events have, and what lies in these; the longest first.
  /// Empty where none has one: a profiler writes none.
  std::vector<CompiledId> ids;
  std::int64_t ids_left_out = 0;
  /// Whether a profiler recorded a phase: it slows down compiling more than it does running.
  bool is_profiled = false;
};

/// A compilation is within the innermost annotation around it on its thread. Where there is none,
/// within the last to begin on any thread that contains its whole time: autograd compiles backward
/// graphs on a thread of its own while the caller waits.
TraceCompileTime compile_time(const TraceContext& context);

}  // namespace benchhud::analysis
