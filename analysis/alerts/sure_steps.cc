#include "analysis/alerts/sure_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kMostOfSeries = 4.6, kMostOfModel = 5;  // natural logarithms, of a night
constexpr double kDegreesOfSeries = 6, kDegreesOfModel = 8;
constexpr double kCut = 3;                 // deviations are cut here before they are pooled
constexpr double kUsualCorrelation = 0.1;  // of a model's series on a night
constexpr double kClear = 2;               // standard errors
// What is smaller is left to the searches: series wander by as much.
constexpr double kLeastDeviations = 5;
constexpr double kLeastChange = 0.03;  // natural logarithm

std::span<const Night> comparable_nights(const TimingChangeDetector& watch) {
  return watch.nights().subspan(std::max(watch.begin(), watch.first()) - watch.first());
}

}  // namespace

void SureStepSearch::add(std::size_t model, TimingChangeDetector* watch, const NightNoise& noise) {
  ++series_;
  if (model >= in_model_.size()) in_model_.resize(model + 1);
  ++in_model_[model];
  RecentNights recent(comparable_nights(*watch), noise);
  if (!recent.is_off()) return;
  of_model_[model].push_back(off_.size());
  off_.push_back({watch, noise, std::move(recent)});
}

std::vector<SureStep> SureStepSearch::run() {
  models_ = static_cast<std::size_t>(
      std::ranges::count_if(in_model_, [](std::uint32_t count) { return count > 0; }));
  for (std::size_t i = 0; i < off_.size(); ++i) look_at(i);
  for (const auto& [model, off] : of_model_) {
    if (off.size() > 1) look_at(off, in_model_[model]);
  }
  return std::move(found_);
}

void SureStepSearch::look_at(std::size_t place) {
  RecentNights& nights = off_[place].recent;
  const double enough = kPatience * static_cast<double>(series_);
  RecentStepRules rules{.degrees = kDegreesOfSeries,
                        .most_of_first = kMostOfSeries,
                        .most_of_next = kMostOfSeries,
                        .worth = nights.worth()};
  if (!may_reach(nights.off(), rules, enough)) return;
  // Most go no further, whatever there was before.
  nights.count_excursions(comparable_nights(*off_[place].watch));
  rules.most_of_first = nights.most_of_first(kMostOfSeries);
  rules.most_of_next = nights.most_of_next(kMostOfSeries);
  const RecentStep step = recent_step(nights.off(), rules);
  if (step.statistic >= enough && is_large_in(place, step)) tell(place, step);
}

// The mean of the model's series, of those that are off tonight and of the others alike.
void SureStepSearch::look_at(const std::vector<std::size_t>& off, std::size_t members) {
  const auto count = static_cast<double>(members);
  const double deviation = std::sqrt((1 + (count - 1) * kUsualCorrelation) / count);
  std::size_t most = RecentNights::kMost;
  RecentStepRules rules{.degrees = kDegreesOfModel,
                        .most_of_first = kMostOfModel,
                        .most_of_next = kMostOfModel,
                        .worth = 1};
  for (const std::size_t i : off) {
    most = std::min(most, off_[i].recent.most());
    rules.worth = std::min(rules.worth, off_[i].recent.worth());
  }
  std::vector<std::vector<double>> means;
  for (std::size_t k = 1; k <= most; ++k) {
    std::vector<double>& mean = means.emplace_back(k, 0);
    for (const std::size_t i : off) {
      for (std::size_t n = 0; n < k; ++n) {
        mean[n] += std::clamp(off_[i].recent.off(k)[n], -kCut, kCut) / count / deviation;
      }
    }
  }
  const double enough = kPatience * static_cast<double>(models_);
  if (!may_reach(means, rules, enough)) return;
  for (const std::size_t i : off) {
    RecentNights& recent = off_[i].recent;
    recent.count_excursions(comparable_nights(*off_[i].watch));
    rules.most_of_first = std::min(rules.most_of_first, recent.most_of_first(kMostOfModel));
    rules.most_of_next = std::min(rules.most_of_next, recent.most_of_next(kMostOfModel));
  }
  const RecentStep step = recent_step(means, rules);
  if (step.statistic < enough) return;
  const bool is_large =
      std::ranges::any_of(off, [&](std::size_t i) { return is_large_in(i, step); });
  if (!is_large) return;
  for (const std::size_t i : off) tell(i, step);
}

// By the median of its nights, so that one that is far off makes no step large.
bool SureStepSearch::is_large_in(std::size_t place, const RecentStep& step) const {
  const auto& [watch, noise, recent] = off_[place];
  const double off = median(recent.off(step.nights)) * step.direction;
  return off >= kLeastDeviations && off * noise.deviation >= kLeastChange;
}

void SureStepSearch::tell(std::size_t place, const RecentStep& step) {
  const auto& [watch, noise, recent] = off_[place];
  const double moved = mean(recent.off(step.nights)) * step.direction;
  if (moved < kClear / std::sqrt(static_cast<double>(step.nights)) ||
      moved * noise.deviation < kLeastChange / 2 || !told_.insert(place).second) {
    return;
  }
  found_.push_back({watch, step.nights, recent.level_before(step.nights), noise});
}

}  // namespace benchhud::analysis
