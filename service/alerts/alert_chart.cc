#include "service/alerts/alert_chart.h"

#include <algorithm>
#include <string>

#include "analysis/alerts/judged_nights.h"
#include "analysis/alerts/watched_metric.h"
#include "service/alerts/alert_headline.h"

namespace benchhud::service {
namespace {

using analysis::JudgedNight;
using analysis::WatchedAlert;
using analysis::WatchedMember;

constexpr std::size_t kNightsBefore = 90, kNightsAfter = 20;

std::vector<JudgedNight> nights_of(const AlertContext& context, const WatchedAlert& alert,
                                   const schema::AlertHeadline& headline, std::size_t first) {
  const auto is_metric = [&](analysis::WatchedMetric metric) {
    return analysis::watched_metric_info(metric).name == headline.metric;
  };
  if (!headline.experiment) {
    const auto common = std::ranges::find_if(
        alert.common, [&](const WatchedAlert::Common& one) { return is_metric(one.metric); });
    if (common == alert.common.end()) return {};
    std::vector<schema::ExperimentId> told;
    for (const WatchedMember* member :
         telling_members(context, alert, members_of(context, alert))) {
      if (member->metric == common->metric) told.push_back(member->experiment);
    }
    std::ranges::sort(told);
    return judged_nights(context.fleet, *common, told, first);
  }
  for (const WatchedMember* member : members_of(context, alert)) {
    if (member->experiment != *headline.experiment || !is_metric(member->metric)) continue;
    if (!member->is_common) return judged_nights(context.fleet, *member, first);
  }
  return {};
}

}  // namespace

std::optional<std::vector<schema::AlertChartNight>> alert_chart(const AlertContext& context,
                                                                const WatchedAlert& alert,
                                                                const schema::Alert& record) {
  if (!record.headline || !record.headline->effect) return std::nullopt;
  const std::size_t onset = alert.group.onset;
  const std::size_t first = onset - std::min(onset, kNightsBefore);
  const auto judged = nights_of(context, alert, *record.headline, first);
  if (judged.empty() || judged.front().night >= onset) return std::nullopt;
  const std::size_t end = alert.closed ? *alert.closed + kNightsAfter : context.nights.size() - 1;
  std::vector<schema::AlertChartNight> nights;
  for (const JudgedNight& night : judged) {
    if (night.night > end) break;
    nights.push_back({context.nights[night.night].id, night.value, night.low, night.high,
                      static_cast<std::int64_t>(night.count)});
  }
  return nights;
}

}  // namespace benchhud::service
