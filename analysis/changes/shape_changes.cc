#include "analysis/changes/shape_changes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "analysis/statistics/max_scan_p_value.h"
#include "analysis/statistics/rank_sum.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kShapeScatter = 0.85;
constexpr double kLooks = 2;  // at the nights, and at their shape
constexpr double kOfScatter = 0.3, kAlwaysEnough = 0.05;
// The shape is known the better the better it is known where levels change.
constexpr int kLooksAtShape = 2;
constexpr std::size_t kSameChange = 3;  // nights

// Of each night the median of all repetitions between the changes around it.
std::vector<double> levels_between(Repetitions repetitions, std::span<const ChangePoint> changes) {
  std::vector<double> levels;
  for (std::size_t i = 0; i <= changes.size(); ++i) {
    const std::size_t end = i < changes.size() ? changes[i].at : repetitions.size();
    std::vector<double> values;
    for (const auto& night : repetitions.subspan(levels.size(), end - levels.size())) {
      values.insert(values.end(), night.begin(), night.end());
    }
    levels.resize(end, median(values));
  }
  return levels;
}

double least_effect(Repetitions repetitions, std::span<const double> levels) {
  return std::min(std::expm1(kOfScatter * scatter_of(repetitions, levels)), kAlwaysEnough);
}

bool is_same_change(const ChangePoint& a, const ChangePoint& b) {
  return (a.effect < 0) == (b.effect < 0) && a.earliest <= b.latest + kSameChange &&
         b.earliest <= a.latest + kSameChange;
}

void pay_for_looks(ChangePoint* change) {
  change->p_value = std::min(1.0, kLooks * change->p_value);
}

// How often nights come in an order that separates them so well somewhere. Nights of few
// repetitions that happen to fall into one hump all are far off, and nothing to wonder at.
double searched_rank_p_value(std::span<const Night> nights, const ChangePoint& change,
                             std::size_t fewest) {
  std::vector<double> before, after;
  for (std::size_t i = change.at - change.nights_before; i < change.at; ++i) {
    before.push_back(nights[i].level);
  }
  for (std::size_t i = change.at; i < change.at + change.nights_after; ++i) {
    after.push_back(nights[i].level);
  }
  return max_scan_p_value(rank_sum_p_value(before, after), static_cast<double>(nights.size()),
                          fewest);
}

// What the nights told by themselves, and their shape does not.
void add_others(std::span<const Night> nights, const Changes& changes, const ChangeRules& rules,
                ShapeChanges* told) {
  for (ChangePoint change : changes.found) {
    const bool is_reported = std::ranges::any_of(
        told->changes.found,
        [&](const ChangePoint& other) { return is_same_change(change, other); });
    // Of a suspect the shape, which scatters less, knows better.
    if (is_reported || change.state == ChangeState::kSuspect) continue;
    change.p_value =
        std::max(change.p_value, searched_rank_p_value(nights, change, rules.fewest_nights));
    pay_for_looks(&change);
    if (change.p_value <= rules.significance) {
      told->others.push_back(change);
    } else {
      told->changes.rejected.push_back({change, Rejection::kNotSignificant});
    }
  }
}

}  // namespace

std::optional<ShapeChanges> shape_changes(Repetitions repetitions, std::span<const Night> nights,
                                          const Changes& changes, const ChangeRules& rules) {
  std::optional<ShapeChanges> told;
  std::vector<double> levels;
  for (int round = 0; round < kLooksAtShape; ++round) {
    const auto& known = told ? told->changes.found : changes.found;
    const std::vector<double> before = std::exchange(levels, levels_between(repetitions, known));
    if (round > 0 && levels == before) break;
    const auto shaped = nights_by_shape(repetitions, levels);
    if (!shaped || noise_of(*shaped).deviation >= kShapeScatter * changes.noise.deviation) break;
    ChangeRules stricter = rules;
    stricter.is_variance_known = true;
    stricter.significance /= kLooks;
    stricter.least_effect = std::max(rules.least_effect, least_effect(repetitions, levels));
    told = ShapeChanges{find_changes(*shaped, stricter), {}};
  }
  if (!told) return std::nullopt;
  for (ChangePoint& change : told->changes.found) pay_for_looks(&change);
  for (RejectedChange& rejected : told->changes.rejected) pay_for_looks(&rejected.change);
  add_others(nights, changes, rules, &*told);
  return told;
}

}  // namespace benchhud::analysis
