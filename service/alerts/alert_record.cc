#include "service/alerts/alert_record.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/changes/noise_class.h"
#include "analysis/text/quantity_text.h"
#include "service/alerts/alert_explanation.h"
#include "service/alerts/alert_headline.h"

namespace benchhud::service {
namespace {

using analysis::AlertScope;
using analysis::AlertStage;
using analysis::MetricKind;
using analysis::WatchedAlert;
using analysis::WatchedMember;
using analysis::WatchedMetric;
using schema::ChangeDirection;
using schema::DetectedState;

DetectedState detected_of(AlertStage stage) {
  switch (stage) {
    case AlertStage::kSuspect:
      return DetectedState::kSuspect;
    case AlertStage::kConfirmed:
      return DetectedState::kConfirmed;
    case AlertStage::kRecovered:
      return DetectedState::kRecovered;
    case AlertStage::kWithdrawn:
      break;
  }
  return DetectedState::kWithdrawn;
}

DetectedState detected_of(const WatchedMember& member) {
  if (member.withdrawn) return DetectedState::kWithdrawn;
  if (member.recovered) return DetectedState::kRecovered;
  return member.confirmed ? DetectedState::kConfirmed : DetectedState::kSuspect;
}

ChangeDirection direction_of(bool is_worse, bool is_better) {
  if (is_worse) return ChangeDirection::kRegression;
  return is_better ? ChangeDirection::kImprovement : ChangeDirection::kChange;
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

schema::AlertMember::Timed timed_of(const AlertContext& context, const WatchedMember& member) {
  schema::AlertMember::Timed timed;
  timed.before = finite(member.before);
  timed.after = finite(member.after);
  timed.effect = finite(member.effect);
  if (std::isfinite(member.interval.low) && std::isfinite(member.interval.high)) {
    timed.low = member.interval.low;
    timed.high = member.interval.high;
    timed.confidence = member.interval.confidence;
  }
  timed.p_value = finite(member.p_value);
  timed.q_value = finite(member.q_value);
  timed.nights_before = static_cast<std::int64_t>(member.nights_before);
  timed.nights_after = static_cast<std::int64_t>(member.nights_after);
  // Most alerts that ever were are withdrawn suspects; of these nobody asks, and it takes time.
  if (member.withdrawn) return timed;
  const analysis::TimingChangeDetector* watch = context.fleet.timed(
      member.experiment,
      member.metric == WatchedMetric::kDrift ? WatchedMetric::kSteady : member.metric);
  const auto [known, is_first] = context.noise.try_emplace(watch);
  if (is_first) {
    const auto [levels, changes] = watch->current();
    known->second = analysis::noise_class_of_levels(levels, changes);
  }
  timed.noise = analysis::noise_class_name(known->second);
  timed.sigma = finite(watch->noise().deviation);
  return timed;
}

schema::AlertMember member_record(const AlertContext& context, const WatchedAlert& alert,
                                  const WatchedMember& member) {
  const auto& info = analysis::watched_metric_info(member.metric);
  const analysis::CatalogEntry& entry = *context.catalog.find(member.experiment);
  schema::AlertMember record;
  record.experiment_id = member.experiment;
  // The rest of it is read where it is told.
  record.experiment.suite = entry.experiment().suite;
  record.experiment.model = entry.experiment().model;
  record.experiment.test = entry.experiment().test;
  record.backend = entry.backend();
  record.configuration = entry.column();
  record.metric = info.name;
  record.detected = detected_of(member);
  record.direction = direction_of(member.worse > 0, member.worse < 0);
  record.onset = context.nights[member.onset].id;
  record.earliest = context.nights[member.earliest].id;
  record.latest = context.nights[member.latest].id;
  if (info.kind == MetricKind::kTimed || info.kind == MetricKind::kDrift) {
    record.timed = timed_of(context, member);
  } else {
    record.counted = {member.before_text, member.after_text,
                      static_cast<std::int64_t>(member.flips),
                      static_cast<std::int64_t>(member.of)};
  }
  if (member.metric == WatchedMetric::kSpeedup) {
    record.is_doing_of_baseline = is_doing_of_baseline(context, alert, member);
  }
  return record;
}

// The labels that are not the same in two runs: commits, versions.
std::vector<schema::AlertLabel> labels_of(const schema::Run& before, const schema::Run& after) {
  std::map<std::string, std::pair<std::string, std::string>> labels;
  for (const auto& [key, value] : before.labels) labels[key].first = value;
  for (const auto& [key, value] : after.labels) labels[key].second = value;
  std::vector<schema::AlertLabel> changed;
  for (auto& [key, values] : labels) {
    if (values.first == values.second) continue;
    changed.push_back({key, std::move(values.first), std::move(values.second)});
  }
  return changed;
}

// What would settle a suspect.
std::string rerun_text(const AlertContext& context, const WatchedAlert& alert,
                       const std::vector<const WatchedMember*>& members) {
  if (alert.stage != AlertStage::kSuspect || members.empty()) return "";
  for (const WatchedMember* member : members) {
    if (analysis::watched_metric_info(member->metric).kind != MetricKind::kTimed) {
      return "its verdict flips often: verify it again";
    }
  }
  std::size_t missing = nights_missing(context, *members.front());
  for (const WatchedMember* member : members) {
    missing = std::min(missing, nights_missing(context, *member));
  }
  if (missing == 0) {
    return "among so many series it is not sure yet: further nights, or a rerun, settle it";
  }
  return "time it again, on another machine of the same kind if there is one: " +
         analysis::count_text(missing, "night") + " more would confirm it as well";
}

}  // namespace

std::vector<const WatchedMember*> members_of(const AlertContext& context,
                                             const WatchedAlert& alert) {
  std::vector<const WatchedMember*> members;
  for (const bool withdrawn : {false, true}) {
    for (const std::size_t place : alert.group.members) {
      const WatchedMember& member = context.fleet.members()[place];
      if (member.withdrawn.has_value() == withdrawn) members.push_back(&member);
    }
    if (!members.empty()) break;
  }
  // Not the order in which they were seen: that depends on which night told of which.
  std::sort(members.begin(), members.end(), [&](const WatchedMember* a, const WatchedMember* b) {
    const auto key = [&](const WatchedMember& member) {
      return std::tuple(context.catalog.place(*context.catalog.find(member.experiment)),
                        member.metric, member.change);
    };
    return key(*a) < key(*b);
  });
  return members;
}

AlertRecord alert_record(const AlertContext& context, const WatchedAlert& alert) {
  const std::vector<const WatchedMember*> members = members_of(context, alert);
  // It began where all of its members may have begun that were seen to begin with it.
  std::size_t earliest = 0, latest = context.nights.size() - 1;
  bool is_worse = false, is_better = false;
  for (const WatchedMember* member : members) {
    if (member->onset == alert.group.onset) {
      earliest = std::max(earliest, member->earliest);
      latest = std::min(latest, member->latest);
    }
    if (member->metric == WatchedMetric::kSpeedup &&
        is_doing_of_baseline(context, alert, *member)) {
      continue;
    }
    is_worse = is_worse || member->worse > 0;
    is_better = is_better || member->worse < 0;
  }
  if (members.empty()) earliest = latest = alert.group.onset;
  earliest = std::min(earliest, alert.group.onset);
  latest = std::max(latest, alert.group.onset);

  const auto run = [&](std::optional<std::size_t> night) {
    return night ? std::optional(context.nights[*night].id) : std::nullopt;
  };
  const auto time = [&](std::size_t night) { return context.nights[night].started_at; };
  AlertRecord record;
  schema::Alert& kept = record.alert;
  kept.onset = time(alert.group.onset);
  kept.detected = detected_of(alert.stage);
  kept.first_seen = time(alert.first_seen);
  if (alert.confirmed) kept.confirmed_at = time(*alert.confirmed);
  kept.title = alert_title(context, alert);
  kept.scope = analysis::alert_scope_name(alert.group.scope);
  if (alert.group.scope == AlertScope::kModel && !members.empty()) {
    const auto& experiment = context.catalog.find(members.front()->experiment)->experiment();
    kept.suite = experiment.suite;
    kept.model = experiment.model;
  }
  if (alert.group.scope == AlertScope::kBackend) kept.backend = alert.group.backend;
  kept.direction = direction_of(is_worse, is_better);
  kept.onset_run = run(alert.group.onset);
  if (earliest > 0) {
    kept.last_good = run(earliest - 1);
    record.details.labels = labels_of(context.nights[earliest - 1], context.nights[latest]);
  }
  kept.first_bad = run(latest);
  kept.first_seen_run = run(alert.first_seen);
  kept.confirmed_run = run(alert.confirmed);
  kept.closed_run = run(alert.closed);
  kept.rerun = rerun_text(context, alert, members);
  kept.explanation = alert_explanation(context, alert, members);
  kept.headline = alert_headline(context, alert, members);
  kept.weight = alert_weight(kept.headline, members);
  for (const WatchedMember* member : members) {
    record.details.members.push_back(member_record(context, alert, *member));
  }
  return record;
}

}  // namespace benchhud::service
