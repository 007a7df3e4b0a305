#include "service/alerts/alert_history.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/alerts/alert_history.h"
#include "analysis/alerts/watched_metric.h"

namespace benchhud::service {
namespace {

using analysis::AlertEventKind;
using analysis::WatchedMember;

schema::AlertEventSeries series_of(const AlertContext& context, const WatchedMember& member) {
  const analysis::CatalogEntry& entry = *context.catalog.find(member.experiment);
  schema::AlertEventSeries series;
  series.experiment_id = member.experiment;
  series.suite = entry.experiment().suite;
  series.model = entry.experiment().model;
  series.test = entry.experiment().test;
  series.configuration = entry.column();
  series.metric = analysis::watched_metric_info(member.metric).name;
  return series;
}

/// An experiment's id and what is measured of it.
using SeriesKey = std::pair<schema::ExperimentId, std::string_view>;

std::string_view speedup_name() {
  return analysis::watched_metric_info(analysis::WatchedMetric::kSpeedup).name;
}

}  // namespace

std::vector<schema::AlertEvent> alert_events(const AlertContext& context,
                                             const analysis::WatchedAlert& alert,
                                             std::span<const schema::AlertId> ids) {
  const auto run = [&](std::size_t night) { return context.nights[night].id; };
  std::vector<schema::AlertEvent> events;
  events.push_back({});
  events.back().kind = analysis::alert_event_name(AlertEventKind::kFirstSeen);
  events.back().run = run(alert.first_seen);
  for (const analysis::AlertEvent& event : alert.history) {
    schema::AlertEvent& told = events.emplace_back();
    told.kind = analysis::alert_event_name(event.kind);
    told.run = run(event.night);
    if (event.last != event.night) told.last = run(event.last);
    told.count = event.count;
    if (event.kind == AlertEventKind::kOnsetMoved) {
      told.from = run(event.from);
      told.to = run(event.to);
    }
    for (const std::size_t member : event.members) {
      told.series.push_back(series_of(context, context.fleet.members()[member]));
    }
    for (const std::size_t other : event.alerts) told.alerts.push_back(ids[other]);
  }
  return events;
}

std::optional<std::size_t> successor_of(const AlertContext& context,
                                        std::span<const FoundAlert> found,
                                        const schema::AlertOutline& lost,
                                        std::span<const schema::AlertMember> members) {
  std::set<SeriesKey> changed, speedups;
  for (const schema::AlertMember& member : members) {
    auto& series = member.metric == speedup_name() ? speedups : changed;
    series.emplace(member.experiment_id, member.metric);
  }
  if (changed.empty()) changed = std::move(speedups);
  std::optional<std::size_t> successor;
  std::size_t most = changed.size() / 2;
  const std::size_t onset = nearest_night(context.nights, lost.onset);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const analysis::WatchedAlert& alert = *found[i].watched;
    if (alert.stage == analysis::AlertStage::kWithdrawn) continue;
    if (nights_between(context, onset, alert.group.onset) > analysis::kSameCause) continue;
    std::set<SeriesKey> shared;
    for (const std::size_t place : alert.group.members) {
      const WatchedMember& member = context.fleet.members()[place];
      const SeriesKey key(member.experiment, analysis::watched_metric_info(member.metric).name);
      if (changed.contains(key)) shared.insert(key);
    }
    if (shared.size() <= most) continue;
    most = shared.size();
    successor = i;
  }
  return successor;
}

}  // namespace benchhud::service
