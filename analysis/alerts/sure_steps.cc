#include "analysis/alerts/sure_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kPatience = 300;                        // nights
constexpr double kMostOfSeries = 4.6, kMostOfModel = 5;  // natural logarithms, of a night
constexpr double kDegreesOfSeries = 6, kDegreesOfModel = 8;
constexpr double kCut = 3;                 // deviations are cut here before they are pooled
constexpr double kUsualCorrelation = 0.1;  // of a model's series on a night
constexpr double kClear = 2;               // standard errors
// What is smaller is left to the searches: series wander by as much.
constexpr double kLeastDeviations = 5;
constexpr double kLeastChange = 0.03;  // natural logarithm

// Most series are not off tonight, and are only counted: places are of those that are.
class Search {
 public:
  explicit Search(const std::vector<SeriesTonight>& tonight) : series_(tonight.size()) {
    for (const SeriesTonight& series : tonight) {
      if (series.model >= in_model_.size()) in_model_.resize(series.model + 1);
      ++in_model_[series.model];
      const TimingChangeDetector& watch = *series.watch;
      const std::size_t begin = std::max(watch.begin(), watch.first()) - watch.first();
      RecentNights nights(watch.nights().subspan(begin), series.noise);
      if (!nights.is_off()) continue;
      of_model_[series.model].push_back(recent_.size());
      recent_.push_back(std::move(nights));
      off_.push_back(&series);
    }
    models_ = static_cast<std::size_t>(
        std::ranges::count_if(in_model_, [](std::uint32_t count) { return count > 0; }));
  }

  std::vector<SureStep> run() {
    for (std::size_t i = 0; i < recent_.size(); ++i) look_at(i);
    for (const auto& [model, off] : of_model_) {
      if (off.size() > 1) look_at(off, in_model_[model]);
    }
    return std::move(found_);
  }

 private:
  void look_at(std::size_t i) {
    const RecentNights& nights = recent_[i];
    const RecentStepRules rules{.degrees = kDegreesOfSeries,
                                .most_of_first = nights.most_of_first(kMostOfSeries),
                                .most_of_next = nights.most_of_next(kMostOfSeries),
                                .worth = nights.worth()};
    const double enough = kPatience * static_cast<double>(series_);
    if (!may_reach(nights.off(), rules, enough)) return;
    const RecentStep step = recent_step(nights.off(), rules);
    if (step.statistic >= enough && is_large_in(i, step)) tell(i, step);
  }

  // The mean of the model's series, of those that are off tonight and of the others alike.
  void look_at(const std::vector<std::size_t>& off, std::size_t members) {
    const auto count = static_cast<double>(members);
    const double deviation = std::sqrt((1 + (count - 1) * kUsualCorrelation) / count);
    std::size_t most = RecentNights::kMost;
    double first = kMostOfModel, next = kMostOfModel, worth = 1;
    for (const std::size_t i : off) {
      most = std::min(most, recent_[i].most());
      first = std::min(first, recent_[i].most_of_first(kMostOfModel));
      next = std::min(next, recent_[i].most_of_next(kMostOfModel));
      worth = std::min(worth, recent_[i].worth());
    }
    std::vector<std::vector<double>> means;
    for (std::size_t k = 1; k <= most; ++k) {
      std::vector<double>& mean = means.emplace_back(k, 0);
      for (const std::size_t i : off) {
        for (std::size_t n = 0; n < k; ++n) {
          mean[n] += std::clamp(recent_[i].off(k)[n], -kCut, kCut) / count / deviation;
        }
      }
    }
    const RecentStepRules rules{
        .degrees = kDegreesOfModel, .most_of_first = first, .most_of_next = next, .worth = worth};
    const double enough = kPatience * static_cast<double>(models_);
    if (!may_reach(means, rules, enough)) return;
    const RecentStep step = recent_step(means, rules);
    if (step.statistic < enough) return;
    const bool is_large =
        std::ranges::any_of(off, [&](std::size_t i) { return is_large_in(i, step); });
    if (!is_large) return;
    for (const std::size_t i : off) tell(i, step);
  }

  // By the median of its nights, so that one that is far off makes no step large.
  bool is_large_in(std::size_t i, const RecentStep& step) const {
    const double off = median(recent_[i].off(step.nights)) * step.direction;
    return off >= kLeastDeviations && off * off_[i]->noise.deviation >= kLeastChange;
  }

  void tell(std::size_t i, const RecentStep& step) {
    const double moved = mean(recent_[i].off(step.nights)) * step.direction;
    const double deviation = off_[i]->noise.deviation;
    if (moved < kClear / std::sqrt(static_cast<double>(step.nights)) ||
        moved * deviation < kLeastChange / 2 || !told_.insert(i).second) {
      return;
    }
    found_.push_back(
        {off_[i]->watch, step.nights, recent_[i].level_before(step.nights), off_[i]->noise});
  }

  std::size_t series_ = 0, models_ = 0;
  std::vector<std::uint32_t> in_model_;    // series, by model
  std::vector<const SeriesTonight*> off_;  // those that are off tonight
  std::vector<RecentNights> recent_;       // of these
  std::map<std::size_t, std::vector<std::size_t>> of_model_;
  std::set<std::size_t> told_;
  std::vector<SureStep> found_;
};

}  // namespace

std::vector<SureStep> sure_steps(const std::vector<SeriesTonight>& tonight) {
  return Search(tonight).run();
}

}  // namespace benchhud::analysis
