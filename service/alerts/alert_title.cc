#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/text/quantity_text.h"
#include "schema/base/text_excerpt.h"
#include "service/alerts/alert_headline.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {
namespace {

using analysis::AlertScope;
using analysis::MetricKind;
using analysis::WatchedMember;
using analysis::WatchedMetric;

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

const WatchedMember& most_telling(const Members& members) {
  return **std::ranges::min_element(
      members, [](const auto* a, const auto* b) { return tells_more(*a, *b); });
}

// "inference" or "inference and training", in this order.
std::string tests_text(const AlertContext& context, const Members& members) {
  std::set<std::string> tests;
  for (const WatchedMember* member : members) {
    tests.emplace(schema::test_name(context.catalog.find(member->experiment)->experiment().test));
  }
  return fmt::format("{}", fmt::join(tests, " and "));
}

// What of a model changed on one backend, the most telling first: "PASS → FAIL in inference".
std::vector<std::string> facts_of(const AlertContext& context, const Members& members) {
  std::vector<std::string> facts;
  for (const WatchedMetric metric : {WatchedMetric::kTiming, WatchedMetric::kVerification}) {
    // Tests that changed alike are told together.
    std::map<std::pair<std::string, std::string>, Members> alike;
    for (const WatchedMember* member : of_metric(members, metric)) {
      alike[{member->before_text, member->after_text}].push_back(member);
    }
    for (const auto& [texts, some] : alike) {
      facts.push_back(
          fmt::format("{} → {} in {}", texts.first, texts.second, tests_text(context, some)));
    }
  }
  const auto largest_of = [&](WatchedMetric metric, std::string_view title) {
    const Members some = of_metric(members, metric);
    if (some.empty()) return;
    const WatchedMember& most = most_telling(some);
    const std::string moved = direction_text(analysis::watched_metric_info(metric), most.effect);
    facts.push_back(fmt::format("{}{}{} in {}", title, title.empty() ? "" : " ", moved,
                                tests_text(context, {&most})));
  };
  largest_of(WatchedMetric::kSteady, "");
  for (const auto& info : analysis::watched_metrics()) {
    if (info.kind != MetricKind::kCount) continue;
    const Members some = of_metric(members, info.metric);
    // That more graphs are captured follows from their breaks.
    const bool follows = info.metric == WatchedMetric::kGraphs &&
                         !of_metric(members, WatchedMetric::kGraphBreaks).empty();
    if (some.empty() || follows) continue;
    const WatchedMember& most = most_telling(some);
    facts.push_back(fmt::format("{} {} → {}", info.title, most.before_text, most.after_text));
  }
  if (!facts.empty()) return facts;
  for (const auto& info : analysis::watched_metrics()) {
    if (!of_metric(members, info.metric).empty()) largest_of(info.metric, info.title);
  }
  return facts;
}

// Of a model: what changed on each backend, the worst first; of more than two how many more.
std::string model_text(const AlertContext& context, const Members& members) {
  std::map<std::string, Members> by_backend;
  for (const bool speedups : {false, true}) {
    // A speedup moves with its baseline too.
    if (speedups && !by_backend.empty()) break;
    for (const WatchedMember* member : members) {
      if ((member->metric == WatchedMetric::kSpeedup) != speedups) continue;
      by_backend[context.catalog.find(member->experiment)->backend()].push_back(member);
    }
  }
  std::vector<std::pair<std::string, Members>> backends(by_backend.begin(), by_backend.end());
  std::stable_sort(backends.begin(), backends.end(), [](const auto& a, const auto& b) {
    return tells_more(most_telling(a.second), most_telling(b.second));
  });
  constexpr std::size_t kMost = 2;
  std::vector<std::string> parts;
  for (std::size_t b = 0; b < std::min(backends.size(), kMost); ++b) {
    parts.push_back(fmt::format("{} {}", backends[b].first,
                                fmt::join(facts_of(context, backends[b].second), ", ")));
  }
  if (backends.size() > kMost) {
    parts.push_back(
        analysis::count_text(static_cast<std::int64_t>(backends.size() - kMost), "more backend"));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// What most of the series did, in the metric that tells most: "13 models 6.0 % slower (median)".
std::string common_text(const AlertContext& context, const Members& members) {
  for (const auto& info : analysis::watched_metrics()) {
    const auto change = median_change(context, members, info.metric);
    if (!change) continue;
    const std::string title =
        info.metric == WatchedMetric::kSteady ? "" : fmt::format("{} ", info.title);
    return fmt::format("{} {}{} (median)",
                       analysis::count_text(static_cast<std::int64_t>(change->models), "model"),
                       title, direction_text(info, change->effect));
  }
  return "times disagree more than usual";
}

// Of models that failed together: "5 models fail in inference: RuntimeError: …". Of those that work
// again it says how many still fail.
std::string failures_text(const AlertContext& context, const Members& members) {
  std::set<std::size_t> models, failing;
  std::map<std::string_view, std::size_t> counts;
  for (const WatchedMember* member : members) {
    const std::size_t model = context.catalog.find(member->experiment)->model();
    models.insert(model);
    if (!member->recovered) failing.insert(model);
    ++counts[member->signature];
  }
  const auto count = [](const auto& some) { return static_cast<std::int64_t>(some.size()); };
  std::string text = analysis::count_text(count(models), "model");
  if (failing.empty()) {
    text += " failed";
  } else if (failing.size() < models.size()) {
    text = fmt::format("{} of {} still {}", failing.size(), text,
                       failing.size() == 1 ? "fails" : "fail");
  } else {
    text += " fail";
  }
  text += " in " + tests_text(context, members);
  counts.erase("");
  if (counts.empty()) return text;
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  constexpr std::size_t kLongestSignature = 100;  // bytes
  text += ": " + schema::beginning_of(most->first, kLongestSignature);
  if (counts.size() > 1)
    text += fmt::format(
        ", and {} with others or none",
        analysis::count_text(static_cast<std::int64_t>(members.size() - most->second), "result"));
  return text;
}

}  // namespace

std::string alert_title(const AlertContext& context, const analysis::WatchedAlert& alert) {
  const Members members = members_of(context, alert);
  const auto common = alert.group.is_of_failures ? failures_text : common_text;
  switch (alert.group.scope) {
    case AlertScope::kMachine:
      return fmt::format("the machine: {}", common(context, members));
    case AlertScope::kBackend:
      return fmt::format("{}: {}", alert.group.backend, common(context, members));
    case AlertScope::kModel:
      break;
  }
  if (members.empty()) return "nothing is left of it";
  const auto& experiment = context.catalog.find(members.front()->experiment)->experiment();
  return fmt::format("{}/{}: {}", experiment.suite, experiment.model,
                     model_text(context, telling_members(context, alert, members)));
}

}  // namespace benchhud::service
