#include "analysis/timing/timing_concerns.h"

namespace benchhud::analysis {
namespace {

using enum Concern;
using enum CheckOutcome;

struct ConcernInfo {
  Concern concern;
  std::string_view name;
  std::string_view definition;
};

constexpr std::array<ConcernInfo, kConcerns.size()> kInfo = {{
    {kOnlyTracing, "only_tracing",
     "In most steady repetitions total_time is at most 5 % longer than trace_total_time, and the "
     "mean execution (xla_ExecuteTime_time_s by its number; else total_cuda_time_s) at least 5 % "
     "longer than total_time."},
    {kNotWaitedFor, "not_waited_for",
     "In most steady repetitions the mean execution is at least 5 % longer than total_time, "
     "which is not near trace_total_time."},
    {kWaitUnclear, "wait_unclear",
     "In most steady repetitions total_time is at most 5 % longer than trace_total_time, and "
     "nothing "
     "tells how long the device took, or only that several executions together took longer."},
    {kSteadyCompiles, "compiling_in_steady_state",
     "After the warm-up XLA counts compilations, or Dynamo's counters captured graphs, compiled "
     "frames or recompiled. Hits and misses of caches do not count."},
    {kWarmupMissing, "warmup_missing",
     "Fewer than four repetitions: no warm-up of three can be left out."},
    {kFirstNotSlower, "first_not_slower",
     "The first repetition compiled, but took no longer than the slowest steady one that did not; "
     "from two such on, and not with --pure-wall-time."},
    {kProfilerOn, "profiler_on",
     "The line has metrics that only the profiler gives, or there are traces or operator tables of "
     "steady repetitions."},
    {kPureWallTime, "pure_wall_time",
     "All trace times are exactly 0, as the runner writes them with --pure-wall-time."},
    {kFewRepetitions, "too_few_repetitions", "Fewer than five usable steady repetitions."},
    {kDrifting, "drifting",
     "Mann-Kendall test of the steady repetitions, p < 0.005, and a Theil-Sen slope that makes 2 % "
     "of the median or more from first to last; from six repetitions on."},
    {kBimodal, "bimodal",
     "Hartigan's dip test of the steady repetitions at 1 %, and two groups at least 2 % of the "
     "median apart, neither of one repetition alone; from eight repetitions on."},
    {kHighSpread, "high_spread",
     "1.4826 times the median absolute deviation of the steady repetitions is more than 5 % of "
     "their median; from five repetitions on."},
    {kHostBound, "host_bound",
     "The median of tracing over the steady repetitions is longer than that of executing."},
    {kBatchSizeDiffers, "batch_size_differs",
     "The baseline was timed in the same run, but with other batch sizes only."},
}};

}  // namespace

std::string_view concern_name(Concern concern) {
  return kInfo[static_cast<std::size_t>(concern)].name;
}

std::string_view concern_definition(Concern concern) {
  return kInfo[static_cast<std::size_t>(concern)].definition;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kWrong:
      return "wrong";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "note";
}

std::string_view outcome_name(CheckOutcome outcome) {
  switch (outcome) {
    case kFound:
      return "found";
    case kNotFound:
      return "not_found";
    case kCannotTell:
      return "cannot_tell";
  }
  return "cannot_tell";
}

}  // namespace benchhud::analysis
