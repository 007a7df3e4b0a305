#include "analysis/alerts/judged_nights.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kReach = 1.96;  // standard errors, 95 %

const TimingChangeDetector* watch_of(const AlertDetector& fleet, schema::ExperimentId experiment,
                                     WatchedMetric metric) {
  return fleet.timed(experiment, metric == WatchedMetric::kDrift ? WatchedMetric::kSteady : metric);
}

/// Calls `visit` with number and night for the nights of a series from `first` on.
template <class Visit>
void visit_nights(const TimingChangeDetector& watch, std::size_t first, const Visit& visit) {
  const std::span<const Night> nights = watch.nights();
  const auto numbers = watch.numbers();
  const auto begin = std::ranges::lower_bound(numbers, first) - numbers.begin();
  for (auto i = static_cast<std::size_t>(begin); i < nights.size(); ++i) {
    if (std::isfinite(nights[i].level)) visit(numbers[i], nights[i]);
  }
}

/// What a common change did to its `place`th member on a night: what was taken off it, as its own
/// or as that of a state.
double taken_off(const CommonChange& change, std::size_t place, std::size_t night) {
  if (change.covers(night)) return change.effects.effect[place];
  for (const CommonChange::Spell& spell : change.earlier) {
    if (!change.is_told() || night < spell.begin || night >= spell.end) continue;
    const auto member = std::ranges::find(spell.members, change.members[place]);
    if (member == spell.members.end()) continue;
    return spell.effect[static_cast<std::size_t>(member - spell.members.begin())];
  }
  return 0;
}

}  // namespace

std::vector<JudgedNight> judged_nights(const AlertDetector& fleet, const WatchedMember& member,
                                       std::size_t first) {
  std::vector<JudgedNight> all;
  const TimingChangeDetector* watch = watch_of(fleet, member.experiment, member.metric);
  if (watch == nullptr) return all;
  visit_nights(*watch, first, [&](std::size_t number, const Night& night) {
    JudgedNight& judged = all.emplace_back();
    judged.night = number;
    judged.value = std::exp(night.level);
    judged.count = night.count;
    if (night.variance > 0) {
      const double reach = kReach * std::sqrt(night.variance);
      judged.low = std::exp(night.level - reach);
      judged.high = std::exp(night.level + reach);
    }
  });
  return all;
}

std::vector<JudgedNight> judged_nights(const AlertDetector& fleet,
                                       const WatchedAlert::Common& common,
                                       std::span<const schema::ExperimentId> experiments,
                                       std::size_t first) {
  const CommonChange& change = fleet.common().changes(common.metric)[common.change];
  std::map<std::size_t, std::vector<double>> moved;  // by night
  for (std::size_t m = 0; m < change.members.size(); ++m) {
    if (!std::isfinite(change.before[m])) continue;
    const CatalogEntry& entry = fleet.common().series(common.metric, change.members[m]);
    if (!std::ranges::binary_search(experiments, entry.id())) continue;
    const TimingChangeDetector* watch = watch_of(fleet, entry.id(), common.metric);
    if (watch == nullptr) continue;
    visit_nights(*watch, first, [&](std::size_t number, const Night& night) {
      moved[number].push_back(night.level + taken_off(change, m, number) - change.before[m]);
    });
  }
  std::vector<JudgedNight> all;
  for (auto& [number, by] : moved) {
    std::ranges::sort(by);
    all.push_back({number, std::exp(quantile_of_sorted(by, 0.5)),
                   std::exp(quantile_of_sorted(by, 0.25)), std::exp(quantile_of_sorted(by, 0.75)),
                   by.size()});
  }
  return all;
}

}  // namespace benchhud::analysis
