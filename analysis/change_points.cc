#include "analysis/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>

#include "analysis/robust_segmentation.h"

namespace benchhud::analysis {
namespace {

constexpr double kBiweight = 4;     // standard deviations beyond which a night has no weight
constexpr double kPriorNights = 6;  // that the noise of the whole series counts for
// Of a night's variance at most this share may be told by its repetitions.
constexpr double kRepetitionShare = 0.8;
constexpr double kLocation = 3.84;  // the 95 % quantile of chi-squared with one degree

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
    const double off = std::min(std::abs(value - level.mean), 3 * deviation);
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
      : rules_(rules), noise_(noise_of(nights)), weights_(weights_of(nights, noise_)) {
    for (const Night& night : nights) values_.push_back(night.level);
    // Neighbours that are alike tell less than as many that are not.
    inflation_ = (1 + noise_.correlation) / (1 - noise_.correlation);
    for (double& weight : weights_) weight /= inflation_;
  }

  Changes run() {
    Changes changes;
    changes.noise = noise_;
    cuts_ = segment_robustly(values_, weights_, rules_.cut,
                             rules_.penalty * std::log(static_cast<double>(values_.size())));
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
      if (!worst) return changes;
      changes.rejected.push_back({changes.found[*worst], reason});
      cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(*worst));
    }
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
    const double degrees = static_cast<double>(before.count + after.count) - 2;
    const double variance =
        (before.squares + after.squares + kPriorNights * noise_.deviation * noise_.deviation) /
        (degrees + kPriorNights);
    const double error =
        std::sqrt(variance * inflation_ *
                  (1 / static_cast<double>(before.count) + 1 / static_cast<double>(after.count)));
    const boost::math::students_t student(std::max(2.0, degrees / inflation_ + kPriorNights));
    const double by = after.mean - before.mean;
    change.p_value = 2 * boost::math::cdf(boost::math::complement(student, std::abs(by) / error));
    const double reach = boost::math::quantile(student, 0.975) * error;
    change.effect = std::expm1(by);
    change.interval = {std::expm1(by - reach), std::expm1(by + reach), 0.95};
    locate(begin, end, &change);
    return change;
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

  const ChangeRules& rules_;
  const NightNoise noise_;
  std::vector<double> values_, weights_;
  double inflation_ = 1;
  std::vector<std::size_t> cuts_;
};

}  // namespace

std::string_view rejection_name(Rejection reason) {
  switch (reason) {
    case Rejection::kTooFewNights:
      return "too_few_nights";
    case Rejection::kTooSmall:
      return "too_small";
    case Rejection::kNotSignificant:
      return "not_significant";
  }
  return "";
}

Changes find_changes(std::span<const Night> nights, const ChangeRules& rules) {
  if (nights.size() < 4) return {};
  return Search(nights, rules).run();
}

}  // namespace benchhud::analysis
