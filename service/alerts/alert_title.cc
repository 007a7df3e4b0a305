#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "analysis/statistics/summary.h"
#include "analysis/text/quantity_text.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {
namespace {

using analysis::AlertScope;
using analysis::MetricKind;
using analysis::WatchedMember;
using analysis::WatchedMetric;

using Members = std::vector<const WatchedMember*>;

Members of_metric(const Members& members, WatchedMetric metric) {
  Members some;
  for (const WatchedMember* member : members) {
    if (member->metric == metric) some.push_back(member);
  }
  return some;
}

std::string direction_text(const analysis::WatchedMetricInfo& info, double effect) {
  const std::string_view word = info.better == schema::Direction::kLowerIsBetter
                                    ? (effect > 0 ? "slower" : "faster")
                                    : (effect > 0 ? "higher" : "lower");
  return fmt::format("{} {}", analysis::share_text(std::abs(effect)), word);
}

const WatchedMember& largest(const Members& members) {
  return **std::max_element(members.begin(), members.end(), [](const auto* a, const auto* b) {
    return std::abs(std::log1p(a->effect)) < std::abs(std::log1p(b->effect));
  });
}

std::string tests_text(const AlertContext& context, const Members& members) {
  std::set<std::string> tests;
  for (const WatchedMember* member : members) {
    tests.emplace(schema::test_name(context.catalog.find(member->experiment)->experiment().test));
  }
  return fmt::format("{}", fmt::join(tests, " and "));
}

// What of a model changed, the most telling first.
std::vector<std::string> model_parts(const AlertContext& context, const Members& members) {
  std::vector<std::string> parts;
  const auto verdict = [&](WatchedMetric metric, std::string_view title) {
    const Members some = of_metric(members, metric);
    if (some.empty()) return;
    parts.push_back(fmt::format("{} {} {} → {}", tests_text(context, some), title,
                                some.front()->before_text, some.front()->after_text));
  };
  verdict(WatchedMetric::kTiming, "was");
  verdict(WatchedMetric::kVerification, "verification");
  const Members steady = of_metric(members, WatchedMetric::kSteady);
  if (!steady.empty()) {
    const WatchedMember& most = largest(steady);
    parts.push_back(fmt::format(
        "{} {}", schema::test_name(context.catalog.find(most.experiment)->experiment().test),
        direction_text(analysis::watched_metric_info(WatchedMetric::kSteady), most.effect)));
  }
  for (const auto& info : analysis::watched_metrics()) {
    if (info.kind != MetricKind::kCount) continue;
    const Members some = of_metric(members, info.metric);
    // That more graphs are captured follows from their breaks.
    const bool follows = info.metric == WatchedMetric::kGraphs &&
                         !of_metric(members, WatchedMetric::kGraphBreaks).empty();
    if (some.empty() || follows) continue;
    parts.push_back(
        fmt::format("{} {} → {}", info.title, some.front()->before_text, some.front()->after_text));
  }
  if (!parts.empty()) return parts;
  for (const auto& info : analysis::watched_metrics()) {
    const Members some = of_metric(members, info.metric);
    if (some.empty()) continue;
    const WatchedMember& most = largest(some);
    parts.push_back(fmt::format("{} {} {}",
                                context.catalog.find(most.experiment)->experiment().test,
                                info.title, direction_text(info, most.effect)));
  }
  return parts;
}

// "on inductor", where it is one backend's own doing.
std::string backends_text(const AlertContext& context, const Members& members) {
  std::set<std::string> backends;
  for (const WatchedMember* member : members) {
    // A speedup moves with its baseline too.
    if (member->metric == WatchedMetric::kSpeedup) continue;
    backends.insert(context.catalog.find(member->experiment)->backend());
  }
  if (backends.empty()) {
    for (const WatchedMember* member : members) {
      backends.insert(context.catalog.find(member->experiment)->backend());
    }
  }
  if (backends.size() > 2) return fmt::format("on {} backends", backends.size());
  return fmt::format("on {}", fmt::join(backends, " and "));
}

std::string common_text(const AlertContext& context, const Members& members) {
  std::set<std::size_t> models;
  std::vector<double> effects;
  for (const WatchedMember* member : of_metric(members, WatchedMetric::kSteady)) {
    models.insert(context.catalog.find(member->experiment)->model());
    effects.push_back(member->effect);
  }
  if (effects.empty()) return "times changed";
  return fmt::format("{} {} (median)",
                     analysis::count_text(static_cast<std::int64_t>(models.size()), "model"),
                     direction_text(analysis::watched_metric_info(WatchedMetric::kSteady),
                                    analysis::median(effects)));
}

}  // namespace

std::string alert_title(const AlertContext& context, const analysis::WatchedAlert& alert) {
  const Members members = members_of(context, alert);
  if (members.empty()) return "nothing is left of it";
  switch (alert.group.scope) {
    case AlertScope::kMachine:
      return fmt::format("the machine: {}", common_text(context, members));
    case AlertScope::kBackend:
      return fmt::format("{}: {}", alert.group.backend, common_text(context, members));
    case AlertScope::kModel:
      break;
  }
  const auto& experiment = context.catalog.find(members.front()->experiment)->experiment();
  return fmt::format("{}/{} {}: {}", experiment.suite, experiment.model,
                     backends_text(context, members),
                     fmt::join(model_parts(context, members), ", "));
}

}  // namespace benchhud::service
