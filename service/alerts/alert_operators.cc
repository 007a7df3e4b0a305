#include "service/alerts/alert_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "analysis/profiles/profile_diff.h"
#include "analysis/text/quantity_text.h"
#include "schema/base/text_excerpt.h"
#include "service/answers/profiled_result.h"

namespace benchhud::service {
namespace {

using analysis::ComparedOperator;
using analysis::ProfiledIterations;
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
  BENCHHUD_ASSIGN(auto profiled, profile_of_result(reader, {run, experiment}));
  if (profiled.profile && profiled.iterations) found = std::move(profiled);
  return found;
}

std::string operator_text(const ComparedOperator& one) {
  switch (one.kind) {
    case ComparedOperator::Kind::kOperator:
      return schema::name_in_sentence(one.name);
    case ComparedOperator::Kind::kWithoutOperator:
      return "code of no known operator";
    case ComparedOperator::Kind::kRest:
      return "all other operators";
  }
  return "";
}

/// ns an iteration between which a time on one side lies.
struct TimeRange {
  double least = 0, most = 0;
};

TimeRange range_of(const ComparedOperator::Side& side) {
  if (side.time) return {*side.time, *side.time};
  return {0, side.at_most.value_or(std::numeric_limits<double>::infinity())};
}

/// An operator by how much it took longer, ns an iteration: less than nothing where it took less.
struct OperatorChange {
  const ComparedOperator* row = nullptr;
  TimeRange before, after;

  double least() const { return after.least - before.most; }
  double most() const { return after.most - before.least; }
  /// What is sure of it: the possible change that is nearest to none.
  double sure() const { return least() > 0 ? least() : most() < 0 ? most() : 0; }
};

std::string range_text(const TimeRange& time) {
  return (time.least < time.most ? "at most " : "") + analysis::nanoseconds_text(time.most);
}

std::string change_sentence(const OperatorChange& one) {
  const std::string name = operator_text(*one.row);
  if (one.before.most == 0) {
    return fmt::format("{} is new: {} an iteration", name, range_text(one.after));
  }
  if (one.after.most == 0) {
    return fmt::format("{} is gone: {} an iteration", name, range_text(one.before));
  }
  return fmt::format("{} takes {}: {} → {} an iteration", name,
                     one.sure() > 0 ? "longer" : "less time", range_text(one.before),
                     range_text(one.after));
}

/// What the operators are of a change.
struct OperatorChanges {
  std::vector<OperatorChange> with;        ///< those that surely went its way, the largest first
  std::vector<OperatorChange> against;     ///< and those that surely went the other
  std::optional<OperatorChange> possible;  ///< the largest that may have, if none surely did
  double net_ns = 0;                       ///< an iteration, of all operators
};

OperatorChanges changes_of(const std::vector<ComparedOperator>& rows, double change_ns) {
  OperatorChanges found;
  const double enough = kLeastShare * std::abs(change_ns);
  const auto along = [&](const OperatorChange& one) {
    return change_ns > 0 ? one.most() : -one.least();
  };
  for (const ComparedOperator& row : rows) {
    const OperatorChange one{&row, range_of(row.left), range_of(row.right)};
    // What may hide in time without a name is in the sum with that.
    found.net_ns += row.right.time.value_or(0) - row.left.time.value_or(0);
    // A profile is one measurement, whose noise would be a part of the change as well.
    const double noise = analysis::kWorthSaying * std::max(one.before.most, one.after.most);
    if (std::abs(one.sure()) >= std::max(enough, noise)) {
      ((one.sure() > 0) == (change_ns > 0) ? found.with : found.against).push_back(one);
    } else if (!row.difference && along(one) >= enough &&
               (!found.possible || along(one) > along(*found.possible))) {
      found.possible = one;
    }
  }
  for (auto* const some : {&found.with, &found.against}) {
    std::ranges::stable_sort(*some, std::greater(),
                             [](const OperatorChange& one) { return std::abs(one.sure()); });
    some->resize(std::min(some->size(), kMostNamedOperators));
  }
  return found;
}

AlertCause without_operator(const OperatorChanges& found) {
  AlertCause cause{AlertCause::Kind::kOperators, "", {}, {}};
  cause.explains = false;
  if (found.possible) {
    cause.title = fmt::format(
        "which operator it is cannot be told: it may be {}, which one of the profiles does not "
        "list, and that has {} an iteration without a name",
        operator_text(*found.possible->row),
        analysis::nanoseconds_text(found.possible->row->left.is_unknown
                                       ? found.possible->before.most
                                       : found.possible->after.most));
  } else {
    cause.title =
        "which operator it is: none in the profiles accounts for a twentieth of the change beyond "
        "the noise of a profile";
  }
  for (const OperatorChange& one : found.against) cause.lines.push_back(change_sentence(one));
  return cause;
}

bool has_differences(const std::vector<ComparedOperator>& rows) {
  return std::ranges::any_of(
      rows, [](const ComparedOperator& row) { return row.difference.has_value(); });
}

}  // namespace

std::optional<AlertCause> cause_of_operators(const ProfiledIterations& before,
                                             const ProfiledIterations& after, double change_ns) {
  const auto rows = analysis::compare_operators(before, after);
  if (!has_differences(rows)) return std::nullopt;
  const OperatorChanges found = changes_of(rows, change_ns);
  if (found.with.empty()) return without_operator(found);
  AlertCause cause{AlertCause::Kind::kOperators, change_sentence(found.with.front()), {}, {}};
  if (!found.against.empty()) cause.title += "; " + change_sentence(found.against.front());
  const std::int64_t devices =
      std::max(before.profile->operators.device_count, after.profile->operators.device_count);
  if (devices > 1) cause.title += fmt::format(" (mean of {} devices)", devices);
  const double net_share = found.net_ns / change_ns;
  // One that has another name now explains nothing: the time of both is in the sum.
  cause.explains = net_share >= kLeastShare;
  if (!cause.explains) {
    cause.title += "; all operators together account for less than a twentieth of the change";
  }
  double share = 0;
  for (const OperatorChange& one : found.with) share += one.sure() / change_ns;
  // Operators that ran at the same time, on several streams or devices, are together more than the
  // change, or other parts of it than of their sum.
  const bool has_shares = cause.explains && devices == 1 && net_share <= 1;
  if (has_shares) cause.share = net_share;
  if (found.with.size() + found.against.size() == 1) return cause;
  const bool has_each = has_shares && share <= 1 && found.against.empty();
  for (const OperatorChange& one : found.with) {
    cause.lines.push_back(
        change_sentence(one) +
        (has_each ? fmt::format(", {} of the change", analysis::share_text(one.sure() / change_ns))
                  : ""));
  }
  for (const OperatorChange& one : found.against) cause.lines.push_back(change_sentence(one));
  return cause;
}

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
    auto cause = cause_of_operators(was->profiled(), is->profiled(), changed.change * kNsPerSecond);
    if (!cause) continue;
    const std::string of = details.members.size() == 1
                               ? ""
                               : fmt::format("{} {} on {}: ", member.experiment.model,
                                             member.experiment.test, member.configuration);
    cause->title.insert(0, of);
    cause->compared = ComparedDumps{*alert.last_good, *alert.first_bad, member.experiment_id};
    causes.push_back(*std::move(cause));
  }
  return causes;
}

}  // namespace benchhud::service
