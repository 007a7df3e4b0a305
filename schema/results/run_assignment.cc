#include "schema/results/run_assignment.h"

#include <algorithm>

#include "schema/base/time.h"

namespace benchhud::schema {
namespace {

std::string name_of(double timestamp, const RunGrouping& grouping) {
  return grouping.by == RunGrouping::By::kNight ? format_date(timestamp, grouping.day_start)
                                                : format_time(timestamp);
}

}  // namespace

std::vector<std::string> assign_runs(std::span<const InvocationFacts> invocations,
                                     const RunGrouping& grouping) {
  std::vector<std::string> names(invocations.size());
  std::vector<std::size_t> timings;  // indices, by time
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    const InvocationFacts& invocation = invocations[i];
    if (invocation.kind != InvocationKind::kVerification) timings.push_back(i);
    if (invocation.run_name) {
      names[i] = *invocation.run_name;
    } else if (invocation.kind != InvocationKind::kVerification) {
      names[i] = name_of(invocation.timestamp, grouping);
    }
  }
  // Of timings at the same time the one with the smallest name is taken, whatever came first.
  std::sort(timings.begin(), timings.end(), [&](std::size_t a, std::size_t b) {
    const double time_a = invocations[a].timestamp, time_b = invocations[b].timestamp;
    return time_a != time_b ? time_a < time_b : names[a] > names[b];
  });
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    if (!names[i].empty()) continue;
    const double time = invocations[i].timestamp;
    const auto after = std::upper_bound(
        timings.begin(), timings.end(), time,
        [&](double value, std::size_t timing) { return value < invocations[timing].timestamp; });
    const bool joins = after != timings.begin() &&
                       time - invocations[*std::prev(after)].timestamp <= kLongestJoinSeconds;
    names[i] = joins ? names[*std::prev(after)] : name_of(time, grouping);
  }
  return names;
}

InvocationKind invocation_kind(bool has_timing, bool has_verdict) {
  if (!has_verdict) return InvocationKind::kTiming;
  return has_timing ? InvocationKind::kMixed : InvocationKind::kVerification;
}

std::string_view invocation_kind_name(InvocationKind kind) {
  switch (kind) {
    case InvocationKind::kTiming:
      return "timing";
    case InvocationKind::kVerification:
      return "verification";
    case InvocationKind::kMixed:
      return "mixed";
  }
  return "";
}

bool is_verdict(std::string_view code) {
  return code != "VERIFIER_SKIPPED" && code != "VERIFIER_DIDNT_RUN";
}

}  // namespace benchhud::schema
