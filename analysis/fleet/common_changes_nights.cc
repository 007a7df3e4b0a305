#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/fleet/common_changes_parts.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFewestModels = 3;  // on a backend
// So many series must be off on a night that is to count as disturbed.
constexpr double kShareDisturbed = 0.2;
constexpr double kDisturbed = 3;  // standard deviations of the disagreement

// Sums over groups, for what is left of the whole without each of them.
class LeftOut {
 public:
  explicit LeftOut(std::size_t groups) : sums_(groups), counts_(groups) {}

  void add(std::size_t group, double value) {
    sums_[group] += value;
    ++counts_[group];
    sum_ += value;
    ++count_;
  }
  double mean() const { return sum_ / count_; }
  double count() const { return count_; }

  // Calls `visit` with the mean and the count of all, and of all without each group that is a part
  // of them.
  template <class Visit>
  void visit(const Visit& visit) const {
    visit(mean(), count_);
    for (std::size_t g = 0; g < sums_.size(); ++g) {
      if (!is_part(g)) continue;
      visit((sum_ - sums_[g]) / (count_ - counts_[g]), count_ - counts_[g]);
    }
  }

  // Of many groups, the mean and the count of all without the two that lift it most.
  std::optional<MeanScatter::Mean> without_highest_two() const {
    constexpr std::size_t kManyGroups = 8;
    std::vector<std::size_t> groups;
    for (std::size_t g = 0; g < sums_.size(); ++g) {
      if (is_part(g)) groups.push_back(g);
    }
    if (groups.size() < kManyGroups) return std::nullopt;
    const auto lift = [&](std::size_t g) { return sums_[g] - mean() * counts_[g]; };
    std::partial_sort(groups.begin(), groups.begin() + 2, groups.end(),
                      [&](std::size_t x, std::size_t y) { return lift(x) > lift(y); });
    const std::size_t first = groups[0], second = groups[1];
    const double count = count_ - counts_[first] - counts_[second];
    return MeanScatter::Mean{(sum_ - sums_[first] - sums_[second]) / count, count};
  }

 private:
  bool is_part(std::size_t group) const { return counts_[group] != 0 && counts_[group] != count_; }

  std::vector<double> sums_, counts_;
  double sum_ = 0, count_ = 0;
};

// The least far of numbers that all have the same sign; 0 if they have not.
class Agreed {
 public:
  void add(double value) {
    has_positive_ = has_positive_ || value > 0;
    has_negative_ = has_negative_ || value < 0;
    if (std::abs(value) < std::abs(least_)) least_ = value;
  }
  double value() const {
    return has_positive_ == has_negative_ || !std::isfinite(least_) ? 0 : least_;
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  bool has_positive_ = false, has_negative_ = false;
};

// How far a location is to be believed, if it usually is as far from 0 as `usual` says.
double trust_in(const Location& location, double usual) {
  const double own = square(location.error);
  if (!std::isfinite(own)) return 0;
  const double from_usual = usual / (usual + own);
  if (square(location.value) <= own) return from_usual;
  return std::max(from_usual, 1 - own / square(location.value));
}

// Whether there are so many different models.
bool are_several(std::span<const std::size_t> models, std::size_t fewest) {
  std::vector<std::size_t> different;
  for (const std::size_t model : models) {
    if (std::ranges::find(different, model) != different.end()) continue;
    different.push_back(model);
    if (different.size() >= fewest) return true;
  }
  return different.size() >= fewest;
}

void keep(double value, double variance, std::size_t most, std::vector<double>* values,
          std::vector<double>* variances) {
  values->push_back(value);
  variances->push_back(variance);
  if (values->size() <= most) return;
  values->erase(values->begin());
  variances->erase(variances->begin());
}

}  // namespace

CommonChangeDetector::Pooled CommonChangeDetector::pooled(const Residuals& of) const {
  Pooled pooled;
  pooled.all = location_of(of.residual, of.variance, &pooled.weights);
  std::vector<double> residual, variance;
  for (std::size_t b = 0; b < of_backend_.size(); ++b) {
    residual.clear();
    variance.clear();
    for (std::size_t k = 0; k < of.series.size(); ++k) {
      if (series_[of.series[k]].backend == b) continue;
      residual.push_back(of.residual[k]);
      variance.push_back(of.variance[k]);
    }
    pooled.without.push_back(location_of(residual, variance));
  }
  return pooled;
}

CommonChangeDetector::MachineNight CommonChangeDetector::machine_night(const Residuals& of,
                                                                       const Pooled& pooled) const {
  MachineNight night;
  night.count = of.series.size();
  if (!of.is_enough()) return night;
  const auto backend = [&](std::size_t k) { return series_[of.series[k]].backend; };
  const auto model = [&](std::size_t k) { return series_[of.series[k]].model; };

  LeftOut without_backend(of_backend_.size()), without_model(models_);
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    const double off = std::clamp(of.residual[k] / std::sqrt(of.variance[k]), -kCut, kCut);
    without_backend.add(backend(k), off);
    without_model.add(model(k), off);
  }
  Agreed level;
  const double correlation = memory_.machine_scatter.correlation();
  const auto add_level = [&](double mean, double count) {
    level.add(mean / MeanScatter::deviation(count, correlation));
  };
  without_backend.visit(add_level);
  without_model.visit(add_level);
  night.level = level.value();
  night.mean = without_model.mean();

  // Each set about its own location.
  const auto square_about = [&](std::size_t k, double middle) {
    return std::min(square(of.residual[k] - middle) / of.variance[k], kMostSquare);
  };
  LeftOut all(models_);
  for (std::size_t k = 0; k < of.series.size(); ++k)
    all.add(model(k), square_about(k, pooled.all.value));
  night.mean_square = all.mean();
  night.disagreement = std::numeric_limits<double>::infinity();
  const auto add_disagreement = [&](double mean_square, double count) {
    night.disagreement =
        std::min(night.disagreement, memory_.fleet_usual.standard(mean_square, count));
  };
  all.visit(add_disagreement);
  // Two models that change on one night are two models, and not the machine.
  if (const auto left = all.without_highest_two()) add_disagreement(left->mean, left->count);
  for (std::size_t b = 0; b < of_backend_.size(); ++b) {
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < of.series.size(); ++k) {
      if (backend(k) == b) continue;
      sum += square_about(k, pooled.without[b].value);
      ++count;
    }
    if (count > 0) add_disagreement(sum / count, count);
  }
  night.off =
      std::sqrt(std::max(0.0, square(night.level) + square(std::max(night.disagreement, 0.0)) - 1));
  return night;
}

std::vector<MeanScatter::Mean> CommonChangeDetector::judge_backends(
    const Residuals& of, const Pooled& pooled, bool is_busy, std::vector<double>* off,
    std::vector<double>* disagreement, std::vector<double>* squares) const {
  std::vector<MeanScatter::Mean> means;
  const double correlation = memory_.backend_scatter.correlation();
  std::vector<double> own, own_variance;
  std::vector<std::size_t> models;
  for (std::size_t b = 0; b < of_backend_.size(); ++b) {
    own.clear();
    own_variance.clear();
    models.clear();
    for (std::size_t k = 0; k < of.series.size(); ++k) {
      const Series& series = series_[of.series[k]];
      if (series.backend != b) continue;
      own.push_back(of.residual[k]);
      own_variance.push_back(of.variance[k]);
      models.push_back(series.model);
    }
    if (!are_several(models, kFewestModels) || of.series.size() < own.size() + kFewestModels) {
      continue;
    }
    const Location& beside = pooled.without[b];
    if (is_busy) {  // only a common shift can be told from what the machine does
      std::vector<double> apart, others_variance;
      for (std::size_t k = 0; k < of.series.size(); ++k) {
        if (series_[of.series[k]].backend == b) continue;
        apart.push_back(of.residual[k] - beside.value);
        others_variance.push_back(of.variance[k]);
      }
      const Disturbance disturbance = disturbance_of(apart, others_variance);
      for (double& variance : own_variance) variance += disturbance.of(variance);
    }
    for (double& one : own) one -= beside.value;
    const double middle = location_of(own, own_variance).value;
    LeftOut level(models_), square_sums(models_);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const double variance = own_variance[k] + square(beside.error);
      level.add(models[k], std::clamp(own[k] / std::sqrt(variance), -kCut, kCut));
      square_sums.add(models[k], std::min(square(own[k] - middle) / variance, kMostSquare));
    }
    Agreed agreed;
    level.visit([&](double mean, double count) {
      agreed.add(mean / MeanScatter::deviation(count, correlation));
    });
    (*off)[b] = agreed.value();
    double least = std::numeric_limits<double>::infinity();
    square_sums.visit([&](double mean, double count) {
      least = std::min(least, memory_.backend_usual.standard(mean, count));
    });
    (*disagreement)[b] = is_busy ? 0 : least;
    means.push_back({level.mean(), level.count()});
    squares->push_back(square_sums.mean());
  }
  return means;
}

// `moved`: where all residuals lie, and `weights` of each in it.
CommonChangeDetector::Expected CommonChangeDetector::expected_of(
    const Residuals& of, const Location& moved, std::span<const double> weights) const {
  constexpr double kFewestOthers = 3;
  Expected expected;
  expected.value.assign(of.series.size(), 0);
  expected.variance.assign(of.series.size(), 0);
  expected.beside.resize(of_backend_.size());
  if (!of.is_enough()) return expected;
  struct Sums {
    double weight = 0, sum = 0, information = 0, count = 0, models = 0;

    void add(double own_weight, double value, double variance) {
      weight += own_weight;
      sum += own_weight * value;
      information += 1 / variance;
      ++count;
    }
  };
  const auto model = [&](std::size_t k) { return series_[of.series[k]].model; };
  const auto backend = [&](std::size_t k) { return series_[of.series[k]].backend; };
  // Adds what the others of `whole` did, without the series' own model.
  const auto add_others = [&](std::size_t k, const Sums& whole, const Sums& own, double trust) {
    if (whole.count - own.count < kFewestOthers || whole.models < kFewestModels) return 0.0;
    const double value = trust * (whole.sum - own.sum) / (whole.weight - own.weight);
    expected.value[k] += value;
    expected.variance[k] += trust / (whole.information - own.information);
    return value;
  };

  expected.moved = moved;
  Sums all;
  std::vector<Sums> of_model(models_);
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    all.add(weights[k], of.residual[k], of.variance[k]);
    of_model[model(k)].add(weights[k], of.residual[k], of.variance[k]);
  }
  for (const Sums& one : of_model) all.models += one.count > 0 ? 1 : 0;
  const double trust =
      trust_in(expected.moved,
               between_variance(memory_.moved, memory_.moved_variance, kMostSquare, kUsualSquare));
  std::vector<double> rest = of.residual;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    rest[k] -= add_others(k, all, of_model[model(k)], trust);
  }

  const double usual =
      between_variance(memory_.beside, memory_.beside_variance, kMostSquare, kUsualSquare);
  for (std::size_t b = 0; b < of_backend_.size(); ++b) {
    std::vector<std::size_t> members;
    std::vector<double> residual, variance;
    for (std::size_t k = 0; k < rest.size(); ++k) {
      if (backend(k) != b) continue;
      members.push_back(k);
      residual.push_back(rest[k]);
      variance.push_back(of.variance[k]);
    }
    std::vector<double> own_weights;
    expected.beside[b] = location_of(residual, variance, &own_weights);
    Sums whole;
    std::vector<Sums> by_model(models_);
    for (std::size_t m = 0; m < members.size(); ++m) {
      whole.add(own_weights[m], residual[m], variance[m]);
      by_model[model(members[m])].add(own_weights[m], residual[m], variance[m]);
    }
    for (const Sums& one : by_model) whole.models += one.count > 0 ? 1 : 0;
    const double own_trust = trust_in(expected.beside[b], usual);
    for (const std::size_t k : members) add_others(k, whole, by_model[model(k)], own_trust);
  }
  return expected;
}

// Where the series without the worst model disagree much more than usual, or under a young change
// of the machine, which hits each series by another amount every night.
std::pair<Disturbance, bool> CommonChangeDetector::disturbance_on(const Residuals& of,
                                                                  const Expected& expected,
                                                                  bool is_busy) const {
  if (!of.is_enough()) return {};
  std::vector<double> sums(models_, 0), counts(models_, 0), squares, off;
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    squares.push_back(std::min(
        square(of.residual[k] - expected.value[k]) / (of.variance[k] + expected.variance[k]),
        kMostSquare));
    off.push_back(std::sqrt(squares[k]));
    sums[series_[of.series[k]].model] += squares[k];
    ++counts[series_[of.series[k]].model];
  }
  std::size_t worst = 0;
  const auto mean_of = [&](std::size_t m) { return counts[m] == 0 ? 0 : sums[m] / counts[m]; };
  for (std::size_t m = 1; m < models_; ++m) {
    if (mean_of(m) > mean_of(worst)) worst = m;
  }
  std::vector<double> deviations, variances;
  double sum = 0;
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    if (series_[of.series[k]].model == worst) continue;
    deviations.push_back(of.residual[k] - expected.value[k]);
    variances.push_back(of.variance[k] + expected.variance[k]);
    sum += squares[k];
  }
  const auto count = static_cast<double>(deviations.size());
  if (deviations.size() < kFewestModels) return {};
  constexpr double kOff = 2.5;  // standard deviations
  const bool is_disturbed = memory_.fleet_usual.standard(sum / count, count) > kDisturbed &&
                            are_many_off(of.series, off, kOff, kShareDisturbed);
  if (!is_busy && !is_disturbed) return {};
  return {disturbance_of(deviations, variances), is_disturbed};
}

bool CommonChangeDetector::is_busy(std::size_t night) const {
  return std::ranges::any_of(changes_, [&](const CommonChange& change) {
    return change.scope == CommonScope::kMachine && change.is_on(night) &&
           night < change.begin + kYoung;
  });
}

void CommonChangeDetector::judge(std::size_t row) {
  for (const auto& [scope, node] : rows_[row].explained) forget(scope, node);
  const bool is_known = row == tonight() && before_judging_;
  const Residuals of = is_known ? std::move(*before_judging_) : residuals_of(row);
  const bool busy = is_busy(rows_[row].night);
  const Pooled where = pooled(of);
  const MachineNight machine = machine_night(of, where);
  std::vector<double> off(of_backend_.size(), kNone), disagreement(off), squares;
  const auto means = judge_backends(of, where, busy, &off, &disagreement, &squares);
  const Expected expected = expected_of(of, where.all, where.weights);
  std::tie(rows_[row].disturbance, rows_[row].is_disturbed) = disturbance_on(of, expected, busy);
  before_judging_.reset();
  if (row == tonight()) tonight_ = {of, expected};

  constexpr double kMostOff = 8;  // standard deviations: a disagreement is no surer beyond
  // A night with too few series is one of which nothing is known.
  const bool is_enough = of.is_enough();
  memory_.machine.add(std::array{is_enough ? machine.level : kNone}, usual_worth_);
  memory_.machine_disagreement.add(std::array{is_enough ? std::min(machine.off, kMostOff) : kNone},
                                   1);
  for (double& one : disagreement) one = std::min(one, kMostOff);
  memory_.backend.add(off, usual_worth_);
  memory_.backend_disagreement.add(disagreement, 1);
  if (busy || !of.is_enough()) return;
  memory_.machine_scatter.learn(
      std::array{MeanScatter::Mean{machine.mean, static_cast<double>(machine.count)}});
  memory_.backend_scatter.learn(means);
  memory_.fleet_usual.learn(machine.mean_square);
  for (const double one : squares) memory_.backend_usual.learn(one);
  keep(expected.moved.value, square(expected.moved.error), kWindow, &memory_.moved,
       &memory_.moved_variance);
  for (const Location& beside : expected.beside) {
    if (!std::isfinite(beside.error)) continue;
    keep(beside.value, square(beside.error), kWindow * of_backend_.size(), &memory_.beside,
         &memory_.beside_variance);
  }
}

// More is known of the nights from row `from` on: evidence goes back to what it was before, and is
// gathered again.
void CommonChangeDetector::judge_again(std::size_t from) {
  const std::size_t end = rows_.size() - not_judged_;
  const std::size_t first = end - std::min(end, before_.size());
  std::size_t row = std::max(from, first);
  if (row >= end) return;
  memory_ = before_[row - first];
  for (; row < end; ++row) {
    before_[row - first] = memory_;
    judge(row);
    if (row == tonight()) break;
    memory_.count();
  }
}

CommonChangeDetector::Judged CommonChangeDetector::judged_row(std::size_t row) const {
  const bool is_known = row == tonight() && tonight_;
  std::optional<std::pair<Residuals, Expected>> other;
  if (!is_known) {
    Residuals of = residuals_of(row);
    std::vector<double> weights;
    const Location moved = location_of(of.residual, of.variance, &weights);
    Expected expected = expected_of(of, moved, weights);
    other = {std::move(of), std::move(expected)};
  }
  const auto& [of, expected] = is_known ? *tonight_ : *other;
  const Disturbance& disturbance = rows_[row].disturbance;
  Judged judged;
  judged.night = rows_[row].night;
  judged.quality = quality_of(row, of);
  judged.levels.assign(rows_[row].clean.begin(), rows_[row].clean.end());
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    double& level = judged.levels[of.series[k]];
    level -= expected.value[k];
    if (!disturbance.is_any()) continue;
    const double usual = of.level[of.series[k]];
    const double variance = of.variance[k] + expected.variance[k];
    level = usual + (level - usual) * std::sqrt(variance / (variance + disturbance.of(variance)));
  }
  return judged;
}

NightQuality CommonChangeDetector::quality_of(std::size_t row, const Residuals& of) const {
  constexpr double kOff = 3;               // standard deviations
  constexpr std::size_t kShareOff = 4;     // one in so many
  constexpr std::size_t kFewestApart = 3;  // what one or two do is their own
  constexpr std::size_t kUnexplained = 3;  // nights of a change, from which it is learnt
  constexpr std::size_t kFewestAlike = 2, kMostAlike = 3;
  const Row& night = rows_[row];
  NightQuality quality;
  quality.judged = of.series.size();
  // What a young change of the machine did is taken off, and is what the night is like.
  std::vector<double> young(series_.size(), 0), unexplained(series_.size(), 0);
  for (const CommonChange& change : changes_) {
    if (change.scope != CommonScope::kMachine || !change.is_on(night.night)) continue;
    const std::size_t age = night.night - change.begin;
    if (age < kYoung) add_to_members(change.members, change.effects.effect, &young);
    if (age < kUnexplained) add_to_members(change.members, change.effects.effect, &unexplained);
  }
  std::vector<double> shifts;
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    shifts.push_back(of.residual[k] + unexplained[of.series[k]]);
  }
  const double common = shifts.empty() ? 0 : median(shifts);
  std::size_t apart = 0;
  std::set<std::size_t> models_apart;
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    const double bound = kOff * std::sqrt(of.variance[k]);
    if (std::abs(of.residual[k] + young[of.series[k]]) > bound) ++quality.off;
    if (std::abs(shifts[k] - common) <= bound) continue;
    ++apart;
    models_apart.insert(series_[of.series[k]].model);
  }
  quality.is_disturbed =
      night.is_disturbed || (of.is_enough() && apart * kShareOff >= quality.judged &&
                             models_apart.size() >= kFewestApart);
  for (std::size_t r = row; night.states != 0 && r-- > 0;) {
    if (rows_[r].states != night.states) continue;
    quality.alike.insert(quality.alike.begin(), rows_[r].night);
    if (quality.alike.size() == kMostAlike) break;
  }
  if (quality.alike.size() < kFewestAlike) quality.alike.clear();
  return quality;
}

}  // namespace benchhud::analysis
