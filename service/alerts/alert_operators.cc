#include "service/alerts/alert_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "analysis/iterations/iteration_comparison.h"
#include "analysis/profiles/profile_diff.h"
#include "analysis/text/quantity_text.h"
#include "service/answers/profiled_result.h"

namespace benchhud::service {
namespace {

using analysis::ComparedOperator;
using schema::AlertMember;
using schema::Expected;

constexpr std::size_t kMostProfiledMembers = 3;
// An alert of a machine has hundreds: so many are asked for profiles.
constexpr std::size_t kMostAskedMembers = 32;
constexpr std::size_t kMostNamedOperators = 5;
constexpr double kLeastShare = 0.05;  // of the change
constexpr double kNsPerSecond = 1e9;

struct ChangedMember {
  const AlertMember* member;
  double change = 0;  // s an iteration
};

// Members whose steady time has two levels, the largest effect first.
std::vector<ChangedMember> changed_members(const schema::AlertDetails& details) {
  std::vector<ChangedMember> members;
  for (const AlertMember& member : details.members) {
    if (member.metric != "steady" || !member.timed) continue;
    const AlertMember::Timed& timed = *member.timed;
    if (!timed.before || !timed.after || *timed.before == *timed.after) continue;
    members.push_back({&member, *timed.after - *timed.before});
  }
  std::ranges::stable_sort(members, std::greater(), [](const ChangedMember& one) {
    return std::abs(std::log1p(one.member->timed->effect.value_or(0)));
  });
  members.resize(std::min(members.size(), kMostAskedMembers));
  return members;
}

Expected<std::optional<ProfiledResult>> profile_in(schema::Reader& reader, schema::RunId run,
                                                   schema::ExperimentId experiment) {
  std::optional<ProfiledResult> found;
  BENCHHUD_ASSIGN(const auto runs, reader.runs_with_artifacts(experiment, run));
  if (runs.empty()) return found;
  const auto facts = reader.result(run, experiment);
  if (!facts && facts.error().code != schema::ErrorCode::kNotFound) return facts.error();
  BENCHHUD_ASSIGN(auto profiled,
                  profile_of_result(reader, {run, experiment},
                                    facts ? facts->iterations_per_run : std::nullopt));
  if (profiled.profile && profiled.iterations) found = std::move(profiled);
  return found;
}

std::string operator_text(const ComparedOperator& one) {
  switch (one.kind) {
    case ComparedOperator::Kind::kOperator:
      return one.name;
    case ComparedOperator::Kind::kWithoutOperator:
      return "code of no known operator";
    case ComparedOperator::Kind::kRest:
      return "all other operators";
  }
  return "";
}

std::string times_text(const ComparedOperator& one) {
  return fmt::format("{} → {}", analysis::nanoseconds_text(*one.left.time),
                     analysis::nanoseconds_text(*one.right.time));
}

// Of an operator with a difference.
std::string change_sentence(const ComparedOperator& one) {
  const std::string name = operator_text(one);
  if (*one.left.time == 0) {
    return fmt::format("{} is new: {} an iteration", name,
                       analysis::nanoseconds_text(*one.right.time));
  }
  if (*one.right.time == 0) {
    return fmt::format("{} is gone: {} an iteration", name,
                       analysis::nanoseconds_text(*one.left.time));
  }
  return fmt::format("{} takes {}: {} an iteration", name,
                     *one.difference > 0 ? "longer" : "less time", times_text(one));
}

/// Operators that went the way of the change, with what they are of it.
struct Explaining {
  std::vector<std::pair<ComparedOperator, double>> operators;
  double share = 0;  ///< of all of them
};

Explaining explaining_operators(const std::vector<ComparedOperator>& rows, double change_ns) {
  Explaining found;
  for (const ComparedOperator& row : rows) {
    if (!row.difference) continue;
    // A profile is one measurement, whose noise would be a part of the change as well.
    const double larger = std::max(*row.left.time, *row.right.time);
    if (std::abs(*row.difference) < analysis::kWorthSaying * larger) continue;
    const double share = *row.difference / change_ns;
    if (share < kLeastShare || found.operators.size() == kMostNamedOperators) continue;
    found.operators.emplace_back(row, share);
    found.share += share;
  }
  return found;
}

bool has_differences(const std::vector<ComparedOperator>& rows) {
  return std::ranges::any_of(
      rows, [](const ComparedOperator& row) { return row.difference.has_value(); });
}

AlertCause cause_of_operators(const ChangedMember& changed, const std::string& of,
                              const std::vector<ComparedOperator>& rows) {
  const double change_ns = changed.change * kNsPerSecond;
  const Explaining found = explaining_operators(rows, change_ns);
  AlertCause cause{AlertCause::Kind::kOperators, "", {}, {}};
  if (found.operators.empty()) {
    cause.title =
        of + "which operator it is: none in the profiles accounts for a twentieth of the change";
    cause.explains = false;
    return cause;
  }
  // Operators that ran at the same time, on several streams, are together more than the change.
  const bool has_shares = found.share <= 1;
  if (has_shares) cause.share = found.share;
  cause.title = of + change_sentence(found.operators.front().first);
  if (found.operators.size() == 1) return cause;
  for (const auto& [one, share] : found.operators) {
    cause.lines.push_back(
        fmt::format("{}: {}{}", operator_text(one), times_text(one),
                    has_shares ? ", " + analysis::share_text(share) + " of the change" : ""));
  }
  return cause;
}

}  // namespace

Expected<std::vector<AlertCause>> operator_causes(schema::Reader& reader,
                                                  const schema::Alert& alert,
                                                  const schema::AlertDetails& details) {
  std::vector<AlertCause> causes;
  if (!alert.last_good || !alert.first_bad) return causes;
  for (const ChangedMember& changed : changed_members(details)) {
    if (causes.size() == kMostProfiledMembers) break;
    const AlertMember& member = *changed.member;
    BENCHHUD_ASSIGN(const auto was, profile_in(reader, *alert.last_good, member.experiment_id));
    if (!was) continue;
    BENCHHUD_ASSIGN(const auto is, profile_in(reader, *alert.first_bad, member.experiment_id));
    if (!is) continue;
    const auto rows = analysis::compare_operators(was->profiled(), is->profiled());
    if (!has_differences(rows)) continue;
    const std::string of = details.members.size() == 1
                               ? ""
                               : fmt::format("{} {} on {}: ", member.experiment.model,
                                             member.experiment.test, member.configuration);
    AlertCause cause = cause_of_operators(changed, of, rows);
    cause.compared = ComparedDumps{*alert.last_good, *alert.first_bad, member.experiment_id};
    causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace benchhud::service
