#include "analysis/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>

#include "analysis/level_shift_test.h"
#include "analysis/robust_segmentation.h"
#include "analysis/searched_p_value.h"

namespace benchhud::analysis {
namespace {

constexpr double kBiweight = 4;     // standard deviations beyond which a night has no weight
constexpr double kPriorNights = 6;  // that the noise of the whole series counts for
// Of a night's variance at most this share may be told by its repetitions.
constexpr double kRepetitionShare = 0.8;
constexpr double kFarthest = 3;  // standard deviations that a night may count for
constexpr std::size_t kNightsPerOutlier = 50;
constexpr double kLocation = 3.84;  // the 95 % quantile of chi-squared with one degree

// Not reckoned in long double, of which no digit is wanted here and which takes thrice as long.
using StudentsT = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

struct Level {
  double mean = 0;
  double squares = 0;  // of the distances from it, none counted beyond three deviations
  std::size_t count = 0;
};

Level level_of(std::span<const double> values, double deviation) {
  Level level;
  level.count = values.size();
  level.mean = median(values);
  for (int i = 0; i < 3; ++i) {
    double sum = 0, weights = 0;
    for (const double value : values) {
      const double off = (value - level.mean) / (kBiweight * deviation);
      if (std::abs(off) >= 1) continue;
      const double weight = (1 - off * off) * (1 - off * off);
      sum += weight * value;
      weights += weight;
    }
    if (weights > 0) level.mean = sum / weights;
  }
  for (const double value : values) {
    const double off = std::min(std::abs(value - level.mean), kFarthest * deviation);
    level.squares += off * off;
  }
  return level;
}

// One over each night's variance: what all nights have in common, and what its repetitions tell.
std::vector<double> weights_of(std::span<const Night> nights, const NightNoise& noise) {
  const double whole = noise.deviation * noise.deviation;
  double repeated = 0;  // variance of a single repetition
  std::size_t known = 0;
  for (const Night& night : nights) {
    if (night.count < 2) continue;
    repeated += night.variance * static_cast<double>(night.count);
    ++known;
  }
  if (known > 0) repeated /= static_cast<double>(known);
  double mean_own = 0;
  for (const Night& night : nights) mean_own += repeated / static_cast<double>(night.count);
  mean_own /= static_cast<double>(nights.size());
  const double between = std::max(whole - mean_own, (1 - kRepetitionShare) * whole);
  const double scale = mean_own > 0 ? std::min(1.0, (whole - between) / mean_own) : 0;
  std::vector<double> weights;
  for (const Night& night : nights) {
    weights.push_back(1 / (between + scale * repeated / static_cast<double>(night.count)));
  }
  return weights;
}

class Search {
 public:
  Search(std::span<const Night> nights, const ChangeRules& rules)
      : nights_(nights),
        rules_(rules),
        noise_(noise_of(nights)),
        weights_(weights_of(nights, noise_)) {
    for (const Night& night : nights) values_.push_back(night.level);
    // Neighbours that are alike tell less than as many that are not.
    inflation_ = (1 + noise_.correlation) / (1 - noise_.correlation);
    for (double& weight : weights_) weight /= inflation_;
  }

  Changes run() {
    Changes changes;
    changes.noise = noise_;
    const double penalty = rules_.penalty * std::log(static_cast<double>(values_.size()));
    if (may_have_changes(values_, weights_, rules_.cut, penalty)) {
      cuts_ = segment_robustly(values_, weights_, rules_.cut, penalty);
    }
    for (;;) {
      changes.found.clear();
      std::optional<std::size_t> worst;
      double worst_badness = 0;
      Rejection reason{};
      for (std::size_t i = 0; i < cuts_.size(); ++i) {
        changes.found.push_back(change_at(i));
        const auto [rejection, badness] = judge(changes.found.back());
        if (badness > worst_badness) {
          worst = i;
          worst_badness = badness;
          reason = rejection;
        }
      }
      if (!worst) break;
      changes.rejected.push_back({changes.found[*worst], reason});
      cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(*worst));
    }
    for (std::size_t count = kMostSuspect; count > 0; --count) {
      if (const auto change = suspect(count)) {
        changes.found.push_back(*change);
        break;
      }
    }
    return changes;
  }

 private:
  std::span<const double> values(std::size_t begin, std::size_t end) const {
    return std::span(values_).subspan(begin, end - begin);
  }

  ChangePoint change_at(std::size_t i) const {
    const std::size_t at = cuts_[i];
    std::size_t begin = i > 0 ? cuts_[i - 1] : 0;
    std::size_t end = i + 1 < cuts_.size() ? cuts_[i + 1] : values_.size();
    begin = std::max(begin, at - std::min(at, rules_.most_nights));
    end = std::min(end, at + rules_.most_nights);
    const Level before = level_of(values(begin, at), noise_.deviation);
    const Level after = level_of(values(at, end), noise_.deviation);

    ChangePoint change;
    change.at = at;
    change.before = before.mean;
    change.after = after.mean;
    change.nights_before = before.count;
    change.nights_after = after.count;
    compare(before, after, inflation_, &change);
    change.p_value = std::max(change.p_value, wandering_p_value(begin, at, end, before, after));
    change.p_value =
        searched_p_value(change.p_value, static_cast<double>(values_.size()), rules_.fewest_nights);
    change.p_value = std::max(change.p_value, spikes_p_value(begin, at, end, before, after));
    locate(begin, end, &change);
    return change;
  }

  // How often nights that are each like the one before wander as far without a change.
  double wandering_p_value(std::size_t begin, std::size_t at, std::size_t end, const Level& before,
                           const Level& after) const {
    std::vector<double> bounded(values_.begin() + static_cast<std::ptrdiff_t>(begin),
                                values_.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = 0; i < bounded.size(); ++i) {
      const double level = begin + i < at ? before.mean : after.mean;
      bounded[i] = level + std::clamp(bounded[i] - level, -kFarthest * noise_.deviation,
                                      kFarthest * noise_.deviation);
    }
    return level_shift_p_value(bounded, at - begin);
  }

  // How often nights that are far off come so many in a row as the shorter side has, if as many of
  // the other side's nights are: spikes come together by chance.
  double spikes_p_value(std::size_t begin, std::size_t at, std::size_t end, const Level& before,
                        const Level& after) const {
    const bool is_after_short = after.count <= before.count;
    const Level& level = is_after_short ? before : after;
    const double by = (after.mean - before.mean) * (is_after_short ? 1 : -1);
    const double far = kBiweight * noise_.deviation;
    if (std::abs(by) < far) return 0;
    std::size_t spikes = 0;
    for (const double value : is_after_short ? values(begin, at) : values(at, end)) {
      if ((value - level.mean) * (by < 0 ? -1 : 1) > far) ++spikes;
    }
    const double share = static_cast<double>(spikes) / static_cast<double>(level.count);
    const auto in_a_row = static_cast<double>(std::min(before.count, after.count));
    return std::min(1.0, static_cast<double>(values_.size()) * std::pow(share, in_a_row));
  }

  // Fills in what the two levels tell: effect, interval and the p-value of this one comparison.
  void compare(const Level& before, const Level& after, double inflation,
               ChangePoint* change) const {
    const double degrees = static_cast<double>(before.count + after.count) - 2;
    const double variance =
        (before.squares + after.squares + kPriorNights * noise_.deviation * noise_.deviation) /
        (degrees + kPriorNights);
    const double error =
        std::sqrt(variance * inflation *
                  (1 / static_cast<double>(before.count) + 1 / static_cast<double>(after.count)));
    const StudentsT student(std::max(2.0, degrees / inflation_ + kPriorNights));
    const double by = after.mean - before.mean;
    change->p_value = 2 * boost::math::cdf(boost::math::complement(student, std::abs(by) / error));
    const double reach = boost::math::quantile(student, 0.975) * error;
    change->reach = reach;
    change->effect = std::expm1(by);
    change->interval = {std::expm1(by - reach), std::expm1(by + reach), 0.95};
  }

  // The last `count` nights, if they may begin a change.
  std::optional<ChangePoint> suspect(std::size_t count) const {
    const std::size_t at = values_.size() - count;
    std::size_t begin = cuts_.empty() ? 0 : cuts_.back();
    begin = std::max(begin, at - std::min(at, rules_.most_nights));
    if (at < begin + rules_.fewest_before_suspect) return std::nullopt;
    // Known at once; the level takes longer to find.
    if (!is_far_out(nights_.subspan(begin, at - begin), nights_.subspan(at))) return std::nullopt;
    const Level before = level_of(values(begin, at), noise_.deviation);
    Level after = level_of(values(at, values_.size()), noise_.deviation);
    after.mean = mean(values(at, values_.size()));
    const double by = after.mean - before.mean;
    // Every one of its nights is off, and to the same side, by more than others were.
    std::size_t as_far = 0, far_off = 0;
    double nearest = std::abs(by);
    for (const double value : values(at, values_.size())) {
      nearest = std::min(nearest, (value - before.mean) * (by < 0 ? -1 : 1));
    }
    for (const double value : values(begin, at)) {
      if ((value - before.mean) * (by < 0 ? -1 : 1) >= nearest) ++as_far;
      if (std::abs(value - before.mean) > kBiweight * noise_.deviation) ++far_off;
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
    compare(before, after, count == 1 ? 1 : 1 + noise_.correlation, &change);
    change.p_value = std::min(1.0, kMostSuspect * change.p_value);
    if (change.p_value > rules_.significance || std::abs(change.effect) < rules_.least_effect) {
      return std::nullopt;
    }
    change.p_value = std::max(change.p_value, rank_p_value(before.count, as_far, count));
    return change;
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

  // How much worse a cut elsewhere explains the nights between the two levels.
  void locate(std::size_t begin, std::size_t end, ChangePoint* change) const {
    const auto cost = [&](std::size_t i, double level) {
      const double off = values_[i] - level;
      return std::min(weights_[i] * off * off, rules_.cut * rules_.cut);
    };
    change->earliest = change->latest = change->at;
    double worse = 0;
    for (std::size_t at = change->at; at > begin + 1; --at) {
      worse += cost(at - 1, change->after) - cost(at - 1, change->before);
      if (worse <= kLocation) change->earliest = at - 1;
    }
    worse = 0;
    for (std::size_t at = change->at; at + 1 < end; ++at) {
      worse += cost(at, change->before) - cost(at, change->after);
      if (worse <= kLocation) change->latest = at + 1;
    }
  }

  // Why a change does not hold, and how badly; 0: it holds. Nights too few are worse than an effect
  // too small, and that is worse than a doubtful one.
  std::pair<Rejection, double> judge(const ChangePoint& change) const {
    if (std::min(change.nights_before, change.nights_after) < rules_.fewest_nights) {
      return {Rejection::kTooFewNights, 4 + change.p_value};
    }
    if (std::abs(change.effect) < rules_.least_effect) {
      return {Rejection::kTooSmall, 2 + change.p_value};
    }
    if (change.p_value > rules_.significance) return {Rejection::kNotSignificant, change.p_value};
    return {Rejection{}, 0};
  }

  const std::span<const Night> nights_;
  const ChangeRules& rules_;
  const NightNoise noise_;
  std::vector<double> values_, weights_;
  double inflation_ = 1;
  std::vector<std::size_t> cuts_;
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
    case Rejection::kNotSignificantAmongSeries:
      return "not_significant_among_series";
  }
  return "";
}

Changes find_changes(std::span<const Night> nights, const ChangeRules& rules) {
  if (nights.size() < 4) return {};
  return Search(nights, rules).run();
}

}  // namespace benchhud::analysis
