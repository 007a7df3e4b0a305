#include "analysis/changes/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/changes/level_shift.h"
#include "analysis/changes/step_fit.h"
#include "analysis/statistics/boost_math_policy.h"
#include "analysis/statistics/max_scan_p_value.h"
#include "analysis/statistics/robust_segmentation.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kPriorNights = 6;  // that the noise of the whole series counts for
// Of a night's variance at most this share may be told by its repetitions.
constexpr double kRepetitionShare = 0.8;
constexpr double kMostOwn = 4;  // times the variance of nights that a night's own counts for
constexpr std::size_t kNightsPerOutlier = 50;

using StudentsT = boost::math::students_t_distribution<double, DoublePolicy>;

// By how many repetitions each night has, and by what all of them scatter.
std::vector<double> pooled_variances(std::span<const Night> nights) {
  double repeated = 0;  // variance of a single repetition
  std::size_t known = 0;
  for (const Night& night : nights) {
    if (night.count < 2) continue;
    repeated += night.variance * static_cast<double>(night.count);
    ++known;
  }
  if (known > 0) repeated /= static_cast<double>(known);
  std::vector<double> variances;
  for (const Night& night : nights) {
    variances.push_back(repeated / static_cast<double>(night.count));
  }
  return variances;
}

std::vector<double> known_variances(std::span<const Night> nights) {
  std::vector<double> variances;
  for (const Night& night : nights) variances.push_back(night.variance);
  return variances;
}

// One over each night's variance: what all nights have in common, and what its repetitions tell.
std::vector<double> weights_of(std::span<const Night> nights, const NightNoise& noise,
                               bool is_variance_known) {
  const double whole = noise.deviation * noise.deviation;
  std::vector<double> variances =
      is_variance_known ? known_variances(nights) : pooled_variances(nights);
  double mean_own = 0;
  // A few nights that know next to nothing of themselves are no measure for the others.
  const double most = is_variance_known ? kMostOwn * whole : std::numeric_limits<double>::max();
  for (const double own : variances) mean_own += std::min(own, most);
  mean_own /= static_cast<double>(nights.size());
  const double between = std::max(whole - mean_own, (1 - kRepetitionShare) * whole);
  const double scale = mean_own > 0 ? std::min(1.0, (whole - between) / mean_own) : 0;
  for (double& own : variances) own = 1 / (between + scale * own);
  return variances;
}

class Search {
 public:
  Search(std::span<const Night> nights, const ChangeRules& rules)
      : nights_(nights),
        rules_(rules),
        noise_(noise_of(nights)),
        weights_(weights_of(nights, noise_, rules.is_variance_known)) {
    for (const Night& night : nights) values_.push_back(night.level);
    // Neighbours that are alike tell less than as many that are not.
    inflation_ = (1 + noise_.correlation) / (1 - noise_.correlation);
    told_.reserve(weights_.size());
    for (const double weight : weights_) told_.push_back(weight / inflation_);
  }

  Changes run() {
    Changes changes;
    changes.noise = noise_;
    const double penalty = rules_.penalty * std::log(static_cast<double>(values_.size()));
    if (may_have_changes(values_, told_, rules_.cut, penalty)) {
      for (const std::size_t at : segment_robustly(values_, told_, rules_.cut, penalty)) {
        cuts_.emplace_back().at = at;
      }
    }
    judge(0, cuts_.size());
    prune(&changes.rejected);
    place();
    for (const Cut& cut : cuts_) changes.found.push_back(with_interval(cut));
    for (std::size_t count = kMostSuspect; count > 0; --count) {
      if (const auto change = suspect(count)) {
        changes.found.push_back(*change);
        return changes;
      }
    }
    if (const auto change = suspect_of_few(changes.rejected)) changes.found.push_back(*change);
    return changes;
  }

  ChangePoint measure(std::size_t at) const {
    const Step step{level_of(nights(0, at)), level_of(nights(at, values_.size()))};
    ChangePoint change;
    change.at = change.earliest = change.latest = at;
    set_levels(step, &change);
    add_interval(difference(step.before, step.after, inflation_), &change);
    return change;
  }

 private:
  // Where the nights are cut, and what is made of it.
  struct Cut {
    std::size_t at = 0;
    Step step;
    ChangePoint change;
    Rejection rejection{};
    double badness = 0;  // 0: it holds
  };

  // Takes the worst cut away until all that are left hold.
  void prune(std::vector<RejectedChange>* rejected) {
    for (;;) {
      const auto worst = std::ranges::max_element(cuts_, {}, &Cut::badness);
      if (worst == cuts_.end() || worst->badness == 0) return;
      rejected->push_back({with_interval(*worst), worst->rejection});
      const auto next = static_cast<std::size_t>(cuts_.erase(worst) - cuts_.begin());
      judge(next - std::min<std::size_t>(next, 1), next + 1);
    }
  }

  // Moves each cut to where it lies most probably, if it and its neighbours hold there. How sure
  // they are is what the best cuts said.
  void place() {
    std::vector<double> p_values;
    p_values.reserve(cuts_.size());
    for (const Cut& cut : cuts_) p_values.push_back(cut.change.p_value);
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      const Place place = place_of(i);
      if (place.at != cuts_[i].at) move(i, place.at);
    }
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      const Place place = place_of(i);
      ChangePoint& change = cuts_[i].change;
      change.p_value = p_values[i];
      change.earliest = std::min(place.earliest, change.at);
      change.latest = std::max(place.latest, change.at);
    }
  }

  void move(std::size_t i, std::size_t at) {
    const std::vector<Cut> before = cuts_;
    cuts_[i].at = at;
    judge(i - std::min<std::size_t>(i, 1), i + 2);
    if (std::ranges::max(cuts_, {}, &Cut::badness).badness > 0) cuts_ = before;
  }

  // Judges cuts anew, from `first` to before `last` or the end.
  void judge(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < std::min(last, cuts_.size()); ++i) judge(i);
  }

  WeightedNights nights(std::size_t begin, std::size_t end) const {
    return WeightedNights{values_, weights_}.between(begin, end);
  }

  // The nights of both levels that meet at a cut: from the first to before the second.
  std::pair<std::size_t, std::size_t> bounds_of(std::size_t i) const {
    const std::size_t at = cuts_[i].at;
    const std::size_t begin = i > 0 ? cuts_[i - 1].at : 0;
    const std::size_t end = i + 1 < cuts_.size() ? cuts_[i + 1].at : values_.size();
    return {std::max(begin, at - std::min(at, rules_.most_nights)),
            std::min(end, at + rules_.most_nights)};
  }

  Place place_of(std::size_t i) const {
    const auto [begin, end] = bounds_of(i);
    Place place = likeliest_place(WeightedNights{values_, told_}.between(begin, end), cuts_[i].step,
                                  rules_.fewest_nights);
    for (std::size_t* night : {&place.at, &place.earliest, &place.latest}) *night += begin;
    return place;
  }

  // What is made of a cut: its change, whether it holds, why not and how badly. Nights too few are
  // worse than an effect too small, that is worse than a doubtful one; what is sure of itself but
  // creeps goes when all of its neighbours are sure, too.
  void judge(std::size_t i) {
    const auto [begin, end] = bounds_of(i);
    Cut& cut = cuts_[i];
    const WeightedNights both = nights(begin, end);
    cut.step = {level_of(nights(begin, cut.at)), level_of(nights(cut.at, end))};
    cut.change = change_of(both, cut.step);
    cut.change.at = cut.change.earliest = cut.change.latest = cut.at;
    const double p_value = cut.change.p_value;
    cut.badness = 0;
    if (std::min(cut.change.nights_before, cut.change.nights_after) < rules_.fewest_nights) {
      cut.rejection = Rejection::kTooFewNights;
      cut.badness = 6 + p_value;
    } else if (std::abs(cut.change.effect) < rules_.least_effect) {
      cut.rejection = Rejection::kTooSmall;
      cut.badness = 4 + p_value;
    } else if (p_value > rules_.significance) {
      cut.rejection = Rejection::kNotSignificant;
      cut.badness = 2 + p_value;
    } else if (is_creeping(both, cut.step)) {
      cut.rejection = Rejection::kCreeping;
      cut.badness = 1 + p_value;
    }
  }

  static void set_levels(const Step& step, ChangePoint* change) {
    change->before = step.before.mean;
    change->after = step.after.mean;
    change->nights_before = step.before.count;
    change->nights_after = step.after.count;
    change->effect = std::expm1(change->after - change->before);
  }

  ChangePoint change_of(const WeightedNights& both, const Step& step) const {
    ChangePoint change;
    set_levels(step, &change);
    change.p_value = std::max(p_value_of(difference(step.before, step.after, inflation_)),
                              wandering_p_value(both, step));
    change.p_value =
        max_scan_p_value(change.p_value, static_cast<double>(values_.size()), rules_.fewest_nights);
    change.p_value = std::max(change.p_value, spikes_p_value(both, step, values_.size()));
    return change;
  }

  // How often nights that are each like the one before wander as far without a change.
  static double wandering_p_value(const WeightedNights& nights, const Step& step) {
    std::vector<double> bounded;
    for (std::size_t i = 0; i < nights.size(); ++i) {
      const double level = step.level(i);
      const double far = kFarthest / std::sqrt(nights.weights[i]);
      bounded.push_back(level + std::clamp(nights.values[i] - level, -far, far));
    }
    return level_shift_p_value(bounded, nights.weights, step.at());
  }

  // Two levels against each other.
  struct Difference {
    double by = 0;
    double error = 0;    // of `by`, standard
    double degrees = 0;  // of freedom
  };

  Difference difference(const Level& before, const Level& after, double inflation) const {
    const double degrees = static_cast<double>(before.count + after.count) - 2;
    // Of the nights' distances, as a share of what their variances let expect.
    const double variance =
        (before.squares + after.squares + kPriorNights) / (degrees + kPriorNights);
    return {after.mean - before.mean,
            std::sqrt(variance * inflation * (1 / before.weight + 1 / after.weight)),
            std::max(2.0, degrees / inflation_ + kPriorNights)};
  }

  // Of this one comparison.
  static double p_value_of(const Difference& levels) {
    return 2 * boost::math::cdf(boost::math::complement(StudentsT(levels.degrees),
                                                        std::abs(levels.by) / levels.error));
  }

  // Its quantile takes as long as all else that is asked of a cut: for what is told alone.
  static void add_interval(const Difference& levels, ChangePoint* change) {
    const double reach = boost::math::quantile(StudentsT(levels.degrees), 0.975) * levels.error;
    change->reach = reach;
    change->interval = {std::expm1(levels.by - reach), std::expm1(levels.by + reach), 0.95};
  }

  ChangePoint with_interval(const Cut& cut) const {
    ChangePoint change = cut.change;
    add_interval(difference(cut.step.before, cut.step.after, inflation_), &change);
    return change;
  }

  // The last `count` nights, if they may begin a change.
  std::optional<ChangePoint> suspect(std::size_t count) const {
    const std::size_t at = values_.size() - count;
    std::size_t begin = cuts_.empty() ? 0 : cuts_.back().at;
    begin = std::max(begin, at - std::min(at, rules_.most_nights));
    if (at < begin + rules_.fewest_before_suspect) return std::nullopt;
    // Known at once; the level takes longer to find.
    if (!is_far_out(nights_.subspan(begin, at - begin), nights_.subspan(at))) return std::nullopt;
    const std::vector<double> known = without_lean(nights(begin, at));
    const Level before = level_of({known, std::span(weights_).subspan(begin, known.size())});
    Level after = level_of(nights(at, values_.size()));
    after.mean = 0;
    for (std::size_t i = at; i < values_.size(); ++i) {
      after.mean += values_[i] * weights_[i] / after.weight;
    }
    const double by = after.mean - before.mean;
    // Every one of its nights is off, and to the same side, by more than others were.
    std::size_t as_far = 0, far_off = 0;
    double nearest = std::abs(by);
    for (std::size_t i = at; i < values_.size(); ++i) {
      nearest = std::min(nearest, (values_[i] - before.mean) * (by < 0 ? -1 : 1));
    }
    for (std::size_t i = begin; i < at; ++i) {
      const double off = known[i - begin] - before.mean;
      if (off * (by < 0 ? -1 : 1) >= nearest) ++as_far;
      if (off * off * weights_[i] > kFarOff * kFarOff) ++far_off;
    }
    if (nearest <= 0 || as_far * kNightsPerOutlier > before.count) return std::nullopt;
    // Where single nights often are far off, one more is nothing to wonder at.
    if (count == 1 && far_off * kNightsPerOutlier > before.count) return std::nullopt;

    ChangePoint change;
    change.at = change.earliest = at;
    change.latest = at;
    change.before = before.mean;
    change.after = after.mean;
    change.nights_before = before.count;
    change.nights_after = count;
    change.state = ChangeState::kSuspect;
    // Of one night the neighbours' likeness takes nothing away; of two, not so much yet.
    change.effect = std::expm1(by);
    const Difference levels = difference(before, after, count == 1 ? 1 : 1 + noise_.correlation);
    change.p_value = std::min(1.0, kMostSuspect * p_value_of(levels));
    if (change.p_value > rules_.significance || std::abs(change.effect) < rules_.least_effect) {
      return std::nullopt;
    }
    change.p_value = std::max(change.p_value, rank_p_value(before.count, as_far, count));
    add_interval(levels, &change);
    return change;
  }

  // A step into the last level that is only doubtful because so few nights, the step among them,
  // say how much they scatter: by what they scatter about its own two levels (Student's t test),
  // for all places where it may lie (Bonferroni).
  std::optional<ChangePoint> suspect_of_few(std::span<const RejectedChange> rejected) const {
    const std::size_t count = values_.size();
    if (!rules_.suspects_in_few_nights || count > kFewNightsForNoise || !cuts_.empty()) {
      return std::nullopt;
    }
    for (const auto& [change, reason] : rejected) {
      if (reason != Rejection::kNotSignificant) continue;
      if (change.at < rules_.fewest_before_suspect) continue;
      const std::span<const double> values(values_);
      const auto before = values.first(change.at), after = values.subspan(change.at);
      const double by = mean(after) - mean(before);
      double squares = 0;
      for (const std::span<const double> level : {before, after}) {
        const double middle = mean(level);
        for (const double value : level) squares += (value - middle) * (value - middle);
      }
      const double degrees = static_cast<double>(count) - 2;
      const double error = std::sqrt(
          squares / degrees * inflation_ *
          (1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size())));
      if (!(error > 0)) continue;
      ChangePoint suspected = change;
      suspected.state = ChangeState::kSuspect;
      suspected.p_value =
          std::min(1.0, (static_cast<double>(count) - 1) * p_value_of({by, error, degrees}));
      if (suspected.p_value <= rules_.significance) return suspected;
    }
    return std::nullopt;
  }

  // How often the last nights are at least as far off as these, in any order of the nights: however
  // far off they are, so few nights cannot tell a change from what nights sometimes do.
  static double rank_p_value(std::size_t before, std::size_t as_far, std::size_t count) {
    double share = 1;
    for (std::size_t i = 0; i < count; ++i) {
      share *= static_cast<double>(as_far + count - i) / static_cast<double>(before + count - i);
    }
    return std::min(1.0, kMostSuspect * share);
  }

  const std::span<const Night> nights_;
  const ChangeRules& rules_;
  const NightNoise noise_;
  std::vector<double> values_;
  std::vector<double> weights_;  // one over each night's variance
  std::vector<double> told_;     // … as much as it tells, being like its neighbours
  double inflation_ = 1;
  std::vector<Cut> cuts_;
};

}  // namespace

bool is_far_out(std::span<const Night> before, std::span<const Night> last) {
  const auto [least, most] = std::ranges::minmax(last, {}, &Night::level);
  std::size_t above = 0, below = 0;
  for (const Night& night : before) {
    above += night.level >= least.level ? 1 : 0;
    below += night.level <= most.level ? 1 : 0;
  }
  return std::min(above, below) * kNightsPerOutlier <= before.size();
}

std::string_view change_state_name(ChangeState state) {
  return state == ChangeState::kSuspect ? "suspect" : "confirmed";
}

std::string_view rejection_name(Rejection reason) {
  switch (reason) {
    case Rejection::kTooFewNights:
      return "too_few_nights";
    case Rejection::kTooSmall:
      return "too_small";
    case Rejection::kNotSignificant:
      return "not_significant";
    case Rejection::kCreeping:
      return "creeping";
    case Rejection::kNotSignificantAmongSeries:
      return "not_significant_among_series";
  }
  return "";
}

Changes find_changes(std::span<const Night> nights, const ChangeRules& rules) {
  if (nights.size() < 4) return {};
  return Search(nights, rules).run();
}

ChangePoint measure_step(std::span<const Night> nights, std::size_t at, const ChangeRules& rules) {
  return Search(nights, rules).measure(at);
}

}  // namespace benchhud::analysis
