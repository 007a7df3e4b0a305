#include "service/alerts/alert_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "analysis/alerts/drift_detector.h"
#include "analysis/alerts/sure_steps.h"
#include "analysis/text/quantity_text.h"
#include "service/alerts/alert_level.h"

namespace benchhud::service {
namespace {

using analysis::AlertScope;
using analysis::AlertStage;
using analysis::CommonChange;
using analysis::CommonChangeDetector;
using analysis::CommonStage;
using analysis::count_text;
using analysis::DriftDetector;
using analysis::MetricKind;
using analysis::TimingChangeDetector;
using analysis::watched_metric_info;
using analysis::WatchedAlert;
using analysis::WatchedChange;
using analysis::WatchedMember;
using analysis::WatchedMetric;

MetricKind kind_of(const WatchedMember& member) { return watched_metric_info(member.metric).kind; }

bool is_exact(const WatchedMember& member) {
  return kind_of(member) == MetricKind::kCount || kind_of(member) == MetricKind::kVerdict;
}

// The series' watch and the change that a member tells of; null where it is none of its own.
std::pair<const TimingChangeDetector*, const WatchedChange*> change_of(
    const AlertContext& context, const WatchedMember& member) {
  if (kind_of(member) != MetricKind::kTimed || member.is_common) return {};
  const TimingChangeDetector* watch = context.fleet.timed(member.experiment, member.metric);
  if (watch == nullptr || member.change >= watch->changes().size()) return {};
  return {watch, &watch->changes()[member.change]};
}

// ", its third night": which one of those that count a night is since the onset. Nothing of a night
// before it: the onset may have moved since.
std::string nth_night(const AlertContext& context, std::size_t onset, std::size_t night) {
  if (night < onset) return "";
  const auto excluded = context.fleet.excluded();
  const auto left_out =
      std::ranges::count_if(excluded, [&](std::size_t one) { return onset < one && one <= night; });
  const std::size_t number = night - onset + 1 - static_cast<std::size_t>(left_out);
  constexpr std::array<std::string_view, 10> kOrdinals = {"first", "second", "third",   "fourth",
                                                          "fifth", "sixth",  "seventh", "eighth",
                                                          "ninth", "tenth"};
  if (number == 0) return "";
  if (number <= kOrdinals.size()) return fmt::format(", its {} night", kOrdinals[number - 1]);
  return fmt::format(", its night {}", number);
}

// "= 0.0021", and no smaller than can be meant.
std::string probability_text(double value) {
  constexpr double kLeast = 1e-4;
  return value < kLeast ? "< 0.0001" : fmt::format("= {:.2g}", value);
}

// How many times likelier a natural logarithm is, with two digits: "20", "1,100".
std::string times_text(double logarithm) {
  const auto times = static_cast<std::int64_t>(std::exp(logarithm));
  if (times < 100) return fmt::format("{}", times);
  const std::int64_t rounded = (times + 50) / 100 * 100;
  return rounded < 1000 ? fmt::format("{}", rounded)
                        : fmt::format("{},{:03}", rounded / 1000, rounded % 1000);
}

// --- Machines and backends ---------------------------------------------------------------------

std::vector<const CommonChange*> common_changes_of(const AlertContext& context,
                                                   const WatchedAlert& alert, CommonStage stage) {
  std::vector<const CommonChange*> some;
  for (const auto& [metric, place] : alert.common) {
    const CommonChange& change = context.fleet.common().changes(metric)[place];
    if (change.stage == stage) some.push_back(&change);
  }
  return some;
}

double enough_of(const CommonChange& change) {
  return change.scope == analysis::CommonScope::kMachine ? CommonChangeDetector::kOverMachine
                                                         : CommonChangeDetector::kOverBackend;
}

// How many nights on which nothing is unusual end a change that hit some series and not others.
std::size_t nights_as_usual(const CommonChange& change) {
  return static_cast<std::size_t>(
      std::ceil(enough_of(change) / CommonChangeDetector::kOfUsualNight));
}

std::string common_suspect() {
  return fmt::format(
      "A suspect: chance brings as much evidence more often than once in {} nights, and one more "
      "night like its last may confirm it",
      CommonChangeDetector::kPatience);
}

std::string common_recovery(const AlertContext& context, const WatchedAlert& alert) {
  auto open = common_changes_of(context, alert, CommonStage::kConfirmed);
  if (open.empty()) return "";
  // A gain of one kind of time does not keep a loss of another open.
  const auto is_gain = [](const CommonChange* change) { return change->direction < 0; };
  if (!std::ranges::all_of(open, is_gain)) std::erase_if(open, is_gain);
  const std::size_t now = context.nights.size() - 1;
  const bool is_for_good = std::ranges::all_of(open, [&](const CommonChange* change) {
    return change->direction < 0 && !change->is_disagreement &&
           now >= change->begin + CommonChangeDetector::kYoung;
  });
  if (is_for_good) {
    return fmt::format("A gain that has lasted {} nights stays: its loss would be another alert",
                       CommonChangeDetector::kYoung);
  }
  std::string text =
      fmt::format("It is recovered when the nights are {} times likelier without it than with it",
                  times_text(enough_of(*open.front())));
  const bool is_disagreement =
      std::ranges::any_of(open, [](const CommonChange* change) { return change->is_disagreement; });
  if (is_disagreement) {
    text +=
        fmt::format(", or {} are as usual", count_text(nights_as_usual(*open.front()), "night"));
  }
  if (open.size() > 1) text += ", in every kind of time that it is about";
  return text;
}

std::string common_confirmed(const AlertContext& context, const WatchedAlert& alert) {
  return fmt::format(
      "Confirmed on {}{}: chance alone brings as much evidence once in {} "
      "nights. {}",
      night_text(context, *alert.confirmed),
      nth_night(context, alert.group.onset, *alert.confirmed), CommonChangeDetector::kPatience,
      common_recovery(context, alert));
}

std::string common_recovered(const AlertContext& context, const WatchedAlert& alert) {
  const auto over = common_changes_of(context, alert, CommonStage::kRecovered);
  if (over.empty()) return fmt::format("Recovered on {}", night_text(context, *alert.closed));
  const bool is_of_machine = alert.group.scope == AlertScope::kMachine;
  std::string text =
      fmt::format("Recovered on {}: the nights are {} times likelier without it than with it",
                  night_text(context, *alert.closed), times_text(enough_of(*over.front())));
  const bool is_disagreement =
      std::ranges::any_of(over, [](const CommonChange* change) { return change->is_disagreement; });
  if (is_disagreement) text += ", or as usual";
  const bool is_turn =
      std::ranges::any_of(over, [](const CommonChange* change) { return change->is_turn; });
  if (is_turn) {
    return text +
           ". Its nights turned out to be of a state that returns, or of another machine, "
           "which is now taken off them";
  }
  const std::size_t returns =
      is_of_machine ? CommonChangeDetector::kMachineReturns : CommonChangeDetector::kBackendReturns;
  if (context.nights.size() - 1 < *alert.closed + returns) {
    text += fmt::format(". The same within {} nights of that is this alert again", returns);
  }
  return text;
}

// --- Models, and what failed together ----------------------------------------------------------

// What keeps an alert open, as AlertDetector decides it: its regressions that are confirmed, but
// for speedups; else all that is confirmed; else all.
Members deciding_members(const Members& members) {
  const auto those = [&](const auto& condition) {
    Members some;
    std::ranges::copy_if(members, std::back_inserter(some), condition);
    return some;
  };
  Members some = those([](const auto* member) {
    return member->confirmed && member->worse > 0 && member->metric != WatchedMetric::kSpeedup;
  });
  if (some.empty()) some = those([](const auto* member) { return member->confirmed.has_value(); });
  return some.empty() ? members : some;
}

// Why a member is sure.
std::string certainty_of(const AlertContext& context, const WatchedMember& member) {
  if (is_exact(member)) {
    std::string text =
        member.metric == WatchedMetric::kVerification ? "the verifier's code"
        : member.metric == WatchedMetric::kTiming
            ? "whether a result can be timed"
            : fmt::format("the number of {}", watched_metric_info(member.metric).title);
    text += " is exact and needs no further nights";
    if (member.flips > 1) {
      text += fmt::format(" (it changed {} times within {}; from {} on it would stay a suspect)",
                          member.flips, count_text(member.of, "night"), analysis::kFlakyFlips);
    }
    return text;
  }
  if (kind_of(member) == MetricKind::kDrift) {
    return fmt::format(
        "the last {} nights are {:.1f} standard errors off the {} nights up to {}, and no change "
        "that is told explains it",
        DriftDetector::kStretch, std::abs(std::log1p(member.effect)) / member.error,
        DriftDetector::kStretch, night_text(context, member.onset));
  }
  const auto [watch, change] = change_of(context, member);
  if (change == nullptr) return "";
  if (change->is_confirmed_early) {
    const double moved = std::abs(change->point.after - change->point.before);
    return fmt::format(
        "the step is {:.1f} standard deviations of a night, and nights like these "
        "come about by chance once in {} nights of the fleet",
        moved / change->noise.deviation, analysis::SureStepSearch::kPatience);
  }
  const double limit = context.fleet.rules().false_discovery_rate;
  if (member.q_value > limit) return "";
  return fmt::format("q {} among the series that it was tested with, where {:g} is allowed",
                     probability_text(member.q_value), limit);
}

// What ends it: of those that are open.
std::string recovery_of(const AlertContext& context, const Members& deciding) {
  Members open;
  std::ranges::copy_if(deciding, std::back_inserter(open),
                       [](const auto* member) { return !member->recovered; });
  if (open.empty()) return "";
  const auto all_are = [&](MetricKind kind) {
    return std::ranges::all_of(open, [&](const auto* member) { return kind_of(*member) == kind; });
  };
  const bool is_one = open.size() == 1;
  const std::string of_all = is_one ? "" : fmt::format("all {} ", open.size());
  if (all_are(MetricKind::kVerdict)) {
    return is_one ? "It is recovered when the result is good again"
                  : fmt::format("It is recovered when {}results are good again", of_all);
  }
  if (all_are(MetricKind::kCount)) {
    return is_one ? fmt::format("It is recovered when the count is {} again",
                                open.front()->before_text)
                  : fmt::format("It is recovered when {}counts are as before again", of_all);
  }
  if (all_are(MetricKind::kDrift)) {
    return fmt::format(
        "It is recovered when half of the drift is gone, which is looked at every {} nights",
        DriftDetector::kEvery);
  }
  std::string text = is_one ? "It is recovered when its level before is back"
                            : fmt::format("It is recovered when {}changes have gone back", of_all);
  std::size_t most = 0;
  for (const WatchedMember* member : open) {
    const auto [watch, change] = change_of(context, *member);
    const auto nights = change == nullptr ? std::nullopt : watch->nights_to_recover(*change);
    if (kind_of(*member) == MetricKind::kTimed) most = nights ? std::max(most, *nights) : SIZE_MAX;
    if (most == SIZE_MAX) break;
  }
  constexpr std::size_t kTooMany = 30;
  if (most > 0 && most <= kTooMany) {
    text += fmt::format(": {} at {} {} enough", count_text(most, "night"),
                        is_one ? "it" : "the level before", most == 1 ? "is" : "are");
  }
  return text;
}

std::string own_confirmed(const AlertContext& context, const WatchedAlert& alert,
                          const Members& members) {
  const Members deciding = deciding_members(members);
  const auto night_of = [](const WatchedMember* member) {
    return std::pair(member->confirmed.value_or(SIZE_MAX), !is_exact(*member));
  };
  const WatchedMember& first = **std::ranges::min_element(deciding, {}, night_of);
  std::string text = fmt::format("Confirmed on {}", night_text(context, *alert.confirmed));
  text += nth_night(context, alert.group.onset, *alert.confirmed);
  const std::string certainty = certainty_of(context, first);
  if (!certainty.empty()) {
    // What made it sure may not be part of it any more.
    const bool is_other = first.confirmed && *first.confirmed > *alert.confirmed;
    text += is_other ? fmt::format("; what it is of now was confirmed on {}: {}",
                                   night_text(context, *first.confirmed), certainty)
                     : ": " + certainty;
  }
  const std::string recovery = recovery_of(context, deciding);
  return recovery.empty() ? text : text + ". " + recovery;
}

std::string own_suspect(const AlertContext& context, const Members& members) {
  const auto of_kind = [&](const auto& condition) {
    return std::ranges::find_if(members, [&](const auto* member) { return condition(*member); });
  };
  const auto flaky = of_kind([](const WatchedMember& member) { return is_exact(member); });
  if (flaky != members.end()) {
    return fmt::format(
        "A suspect: it changed {} times within {}, so one more change says little. "
        "It is over when {}",
        (*flaky)->flips, count_text((*flaky)->of, "night"),
        kind_of(**flaky) == MetricKind::kCount ? "the count is as before again"
                                               : "the result is good again");
  }
  const auto key = [&](const WatchedMember* member) {
    return std::pair(nights_missing(context, *member), member->q_value);
  };
  const WatchedMember& nearest = **std::ranges::min_element(members, {}, key);
  const auto [watch, change] = change_of(context, nearest);
  if (change == nullptr) return "A suspect";
  if (const std::size_t missing = nights_missing(context, nearest); missing > 0) {
    return fmt::format(
        "A suspect: it has {} of the {} nights at a new level that a change needs. "
        "{} more there, tested among all series, may confirm it, and a night at "
        "the level before would withdraw it",
        watch->rules().fewest_nights - missing, watch->rules().fewest_nights, missing);
  }
  return fmt::format(
      "A suspect: q {} among the series that it was tested with, and {:g} is "
      "allowed; further nights at the new level settle it",
      probability_text(nearest.q_value), context.fleet.rules().false_discovery_rate);
}

std::string own_recovered(const AlertContext& context, const WatchedAlert& alert,
                          const Members& members) {
  const Members deciding = deciding_members(members);
  const bool are_verdicts = std::ranges::all_of(
      deciding, [](const auto* member) { return kind_of(*member) == MetricKind::kVerdict; });
  const bool is_one = deciding.size() == 1;
  const std::string_view back = are_verdicts ? (is_one ? "is good again" : "are good again")
                                             : (is_one ? "has gone back" : "have gone back");
  const std::string_view noun = are_verdicts ? "result" : "change";
  std::string text = fmt::format("{} on {}: {} {}",
                                 alert.confirmed ? "Recovered" : "Over, without being confirmed,",
                                 night_text(context, *alert.closed),
                                 is_one ? fmt::format("its {}", noun)
                                        : fmt::format("all of its {} {}s", deciding.size(), noun),
                                 back);
  std::size_t settles = 0;
  for (const WatchedMember* member : deciding) {
    if (change_of(context, *member).second == nullptr || !member->recovered) continue;
    settles = std::max(settles, *member->recovered + TimingChangeDetector::kYoung);
  }
  if (context.nights.size() - 1 < settles) {
    text += fmt::format(". It may open again within {} nights of that, if the level does not hold",
                        TimingChangeDetector::kYoung);
  }
  return text;
}

std::string subject_text(const WatchedAlert& alert) {
  switch (alert.group.scope) {
    case AlertScope::kMachine:
      return "the machine";
    case AlertScope::kBackend:
      return name_text(alert.group.backend);
    case AlertScope::kModel:
      break;
  }
  return "a model";
}

// --- All ---------------------------------------------------------------------------------------

std::string withdrawn_text(const AlertContext& context, const WatchedAlert& alert,
                           const Members& members) {
  std::string text = "Withdrawn";
  if (alert.closed) text += " on " + night_text(context, *alert.closed);
  if (alert.merged_into) {
    const WatchedAlert& into = context.fleet.alerts()[*alert.merged_into];
    const bool is_gone = into.stage == AlertStage::kWithdrawn;
    return text + fmt::format(": it was taken in by the alert of {} that began on {}{}.",
                              subject_text(into), night_text(context, into.group.onset),
                              is_gone ? ", which is withdrawn as well" : "");
  }
  if (!alert.common.empty()) {
    const auto gone = common_changes_of(context, alert, CommonStage::kWithdrawn);
    const bool was_sure = std::ranges::any_of(
        gone, [](const CommonChange* change) { return change->confirmed.has_value(); });
    return text + (was_sure ? ": these nights are of a state that returns, or of another machine."
                            : ": the nights since do not confirm it.");
  }
  if (!alert.confirmed) text += ", without being confirmed";
  const bool are_gone = !members.empty() && std::ranges::all_of(members, [](const auto* member) {
    return member->withdrawn.has_value();
  });
  return text + (are_gone ? ": the nights that are known now do not show it."
                          : ": nothing of it is told by itself any more.");
}

}  // namespace

std::size_t nights_missing(const AlertContext& context, const WatchedMember& member) {
  const auto [watch, change] = change_of(context, member);
  if (change == nullptr || change->point.state == analysis::ChangeState::kConfirmed) return 0;
  const std::size_t fewest = watch->rules().fewest_nights;
  return fewest - std::min(fewest, change->point.nights_after);
}

std::string alert_explanation(const AlertContext& context, const WatchedAlert& alert,
                              const Members& members) {
  if (alert.stage == AlertStage::kWithdrawn) return withdrawn_text(context, alert, members);
  const bool is_common = !alert.common.empty();
  if (members.empty() && !is_common) return "";
  std::string text = level_text(context, alert, members);
  if (!text.empty()) text += " ";
  switch (alert.stage) {
    case AlertStage::kSuspect:
      text += is_common ? common_suspect() : own_suspect(context, members);
      break;
    case AlertStage::kConfirmed:
      text += is_common ? common_confirmed(context, alert) : own_confirmed(context, alert, members);
      break;
    case AlertStage::kRecovered:
      text += is_common ? common_recovered(context, alert) : own_recovered(context, alert, members);
      break;
    case AlertStage::kWithdrawn:
      break;
  }
  return text + ".";
}

}  // namespace benchhud::service
