#include "service/alerts/alert_headline.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "analysis/statistics/summary.h"

namespace benchhud::service {
namespace {

using analysis::MetricKind;
using analysis::watched_metric_info;
using analysis::WatchedMember;
using analysis::WatchedMetric;

// How soon a change is told, as the title does: failures, steady times, counts, the other times,
// and what follows from something else last: captured graphs from their breaks, speedups.
int rank_of(const WatchedMember& member) {
  switch (watched_metric_info(member.metric).kind) {
    case MetricKind::kVerdict:
      return 0;
    case MetricKind::kCount:
      return member.metric == WatchedMetric::kGraphs ? 3 : 2;
    case MetricKind::kTimed:
    case MetricKind::kDrift:
      break;
  }
  if (member.metric == WatchedMetric::kSteady) return 1;
  return member.metric == WatchedMetric::kSpeedup ? 5 : 4;
}

double size_of(const WatchedMember& member) {
  const double size = std::abs(std::log1p(member.effect));
  return std::isfinite(size) ? size : 0;
}

schema::AlertHeadline headline_of(const WatchedMember& member) {
  schema::AlertHeadline headline;
  const auto& info = watched_metric_info(member.metric);
  headline.metric = info.name;
  headline.experiment = member.experiment;
  if (info.kind == MetricKind::kVerdict || info.kind == MetricKind::kCount) {
    headline.before = member.before_text;
    headline.after = member.after_text;
    return headline;
  }
  if (std::isfinite(member.effect)) headline.effect = member.effect;
  if (std::isfinite(member.interval.low) && std::isfinite(member.interval.high)) {
    headline.low = member.interval.low;
    headline.high = member.interval.high;
  }
  return headline;
}

}  // namespace

bool is_doing_of_baseline(const AlertContext& context, const analysis::WatchedAlert& alert,
                          const WatchedMember& member) {
  if (!member.baseline) return false;
  bool own = false, baseline = false;
  for (const std::size_t place : alert.group.members) {
    const WatchedMember& other = context.fleet.members()[place];
    if (other.metric != WatchedMetric::kSteady || other.withdrawn) continue;
    own = own || other.experiment == member.experiment;
    baseline = baseline || other.experiment == member.baseline;
  }
  return baseline && !own;
}

Members telling_members(const AlertContext& context, const analysis::WatchedAlert& alert,
                        const Members& members) {
  const auto some_of = [](const Members& from, const auto& condition) {
    Members some;
    std::ranges::copy_if(from, std::back_inserter(some), condition);
    return some.empty() ? from : some;
  };
  const Members confirmed =
      some_of(members, [](const auto* member) { return member->confirmed.has_value(); });
  const Members open = some_of(confirmed, [](const auto* member) { return !member->recovered; });
  return some_of(open, [&](const auto* member) {
    return member->worse > 0 && !is_doing_of_baseline(context, alert, *member);
  });
}

bool tells_more(const WatchedMember& a, const WatchedMember& b) {
  const auto key = [](const WatchedMember& member) {
    return std::tuple(rank_of(member), -member.worse, -size_of(member));
  };
  return key(a) < key(b);
}

std::optional<MedianChange> median_change(const AlertContext& context, const Members& members,
                                          WatchedMetric metric) {
  std::set<std::size_t> models;
  std::vector<double> effects;
  for (const WatchedMember* member : members) {
    if (member->metric != metric) continue;
    models.insert(context.catalog.find(member->experiment)->model());
    effects.push_back(member->effect);
  }
  if (effects.empty()) return std::nullopt;
  MedianChange change{analysis::median(effects), analysis::median_interval(effects), models.size()};
  // Of a few series the whole range holds the median less surely than is said.
  constexpr double kConfidence = 0.95;
  if (change.interval && change.interval->confidence < kConfidence) change.interval.reset();
  return change;
}

std::optional<schema::AlertHeadline> alert_headline(const AlertContext& context,
                                                    const analysis::WatchedAlert& alert,
                                                    const Members& members) {
  if (members.empty()) return std::nullopt;
  const bool is_common =
      alert.group.scope != analysis::AlertScope::kModel && !alert.group.is_of_failures;
  if (!is_common) {
    const Members telling = telling_members(context, alert, members);
    schema::AlertHeadline headline = headline_of(**std::ranges::min_element(
        telling, [](const auto* a, const auto* b) { return tells_more(*a, *b); }));
    if (alert.group.is_of_failures) headline.experiment.reset();
    return headline;
  }
  for (const auto& info : analysis::watched_metrics()) {
    const auto change = median_change(context, members, info.metric);
    if (!change) continue;
    schema::AlertHeadline headline;
    headline.metric = info.name;
    headline.effect = change->effect;
    if (change->interval) {
      headline.low = change->interval->low;
      headline.high = change->interval->high;
    }
    return headline;
  }
  return std::nullopt;
}

double alert_weight(const std::optional<schema::AlertHeadline>& headline, const Members& members) {
  constexpr double kFailure = 1000, kCount = 0.01;
  const auto failing = std::ranges::count_if(members, [](const WatchedMember* member) {
    return watched_metric_info(member->metric).kind == MetricKind::kVerdict && member->worse > 0 &&
           member->confirmed && !member->recovered;
  });
  if (failing > 0) return kFailure + static_cast<double>(failing);
  if (!headline) return 0;
  if (!headline->effect) return kCount;
  if (!headline->low || !headline->high) return std::abs(std::log1p(*headline->effect)) / 2;
  // An interval may end at minus everything.
  const double low = std::log1p(std::max(*headline->low, -0.999)),
               high = std::log1p(*headline->high);
  return low * high <= 0 ? 0 : std::min(std::abs(low), std::abs(high));
}

}  // namespace benchhud::service
