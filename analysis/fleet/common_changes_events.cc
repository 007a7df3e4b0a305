#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/fleet/common_changes_parts.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

// So many models must have moved, or it is their own doing; and of the series so many in one
// direction, or apart from each other.
constexpr double kShareOfModels = 0.3;
constexpr double kShareTogether = 0.2, kShareApart = 0.25;
// A machine that would be told with one more night of this evidence is a suspect.
constexpr double kSuspectMachine = 4;

std::vector<double> levels_before(std::span<const Shift> shifts) {
  std::vector<double> levels;
  for (const Shift& shift : shifts) levels.push_back(shift.before);
  return levels;
}

}  // namespace

std::vector<std::size_t> CommonChangeDetector::series_in(CommonScope scope,
                                                         std::size_t node) const {
  if (scope == CommonScope::kBackend) return of_backend_[node];
  std::vector<std::size_t> all(series_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void CommonChangeDetector::forget(CommonScope scope, std::size_t node) {
  const bool is_machine = scope == CommonScope::kMachine;
  (is_machine ? memory_.machine : memory_.backend).forget(node);
  (is_machine ? memory_.machine_disagreement : memory_.backend_disagreement).forget(node);
}

void CommonChangeDetector::forget_all() {
  for (std::size_t b = 0; b < of_backend_.size(); ++b) forget(CommonScope::kBackend, b);
  forget(CommonScope::kMachine, 0);
}

double CommonChangeDetector::evidence_of(const CommonChange& change) const {
  if (change.scope == CommonScope::kMachine) {
    return std::max(memory_.machine.of(0, change.direction), memory_.machine_disagreement.of(0, 1));
  }
  return std::max(memory_.backend.of(change.backend, change.direction),
                  memory_.backend_disagreement.of(change.backend, 1));
}

void CommonChangeDetector::decide() {
  constexpr double kHardly = 2;  // evidence below which a suspect is none
  for (CommonChange& change : changes_) {
    if (change.scope == CommonScope::kBackend) follow(&change);
    if (change.stage == CommonStage::kSuspect && evidence_of(change) < kHardly) {
      withdraw(&change, std::nullopt);
    }
  }
  raise(CommonScope::kMachine, 0, {kPatience / std::exp(kSuspectMachine), kPatience});
  const double enough = kPatience * static_cast<double>(of_backend_.size());
  for (std::size_t b = 0; b < of_backend_.size(); ++b) {
    raise(CommonScope::kBackend, b, {enough / std::exp(memory_.backend.most_of_first(b)), enough});
  }
}

// As what its evidence is most of; where few series moved so, it may be the other all the same: how
// far they disagree includes how far they moved together.
void CommonChangeDetector::raise(CommonScope scope, std::size_t node, const Enough& enough) {
  const bool is_machine = scope == CommonScope::kMachine;
  const double level = (is_machine ? memory_.machine : memory_.backend).most(node);
  const double apart =
      (is_machine ? memory_.machine_disagreement : memory_.backend_disagreement).most(node);
  for (const bool is_disagreement : {apart > level, apart <= level}) {
    const double evidence = is_disagreement ? apart : level;
    if (evidence < enough.suspect) continue;
    if (raise_as(scope, node, is_disagreement, evidence >= enough.change)) return;
  }
}

// A suspect, a change, or more of one that is known. Returns whether it is any.
bool CommonChangeDetector::raise_as(CommonScope scope, std::size_t node, bool is_disagreement,
                                    bool is_sure) {
  const bool is_machine = scope == CommonScope::kMachine;
  const Evidence& levels = is_machine ? memory_.machine : memory_.backend;
  const Evidence& disagreement =
      is_machine ? memory_.machine_disagreement : memory_.backend_disagreement;
  int direction = levels.direction(node);
  const std::size_t nights =
      (is_disagreement ? disagreement : levels).nights_off(node, is_disagreement ? 1 : direction);
  std::size_t onset = rows_[rows_.size() - std::min(nights, rows_.size())].night;
  const std::vector<std::size_t> members = series_in(scope, node);
  const std::vector<Shift> shifts = shifts_of(members, onset, nullptr);
  Effects effects = shrunk_effects(shifts, !is_disagreement);
  if (is_disagreement) {
    direction = effects.pooled >= 0 ? 1 : -1;
  } else if (direction * effects.pooled < kLeastChange) {
    return false;
  }
  // What a few models did is no doing of the machine or the backend.
  if (!did_many_move(members, shifts, is_disagreement ? 0 : direction, effects.pooled)) {
    return false;
  }
  CommonChange* change = known(scope, node, direction, onset);
  if (change == nullptr) {
    change = &changes_.emplace_back();
    change->scope = scope;
    change->backend = is_machine ? 0 : node;
    change->first_seen = rows_.back().night;
    change->onset = onset;
  }
  if (change->stage == CommonStage::kSuspect || change->stage == CommonStage::kWithdrawn) {
    // It began no later than it was seen, whichever of its nights say so most clearly.
    onset = std::min(onset, change->first_seen);
    change->stage = CommonStage::kSuspect;
    change->closed.reset();
    change->confirmed.reset();
    change->onset = onset;
    change->direction = direction;
    change->is_disagreement = is_disagreement;
    change->members = members;
    change->effects = std::move(effects);
    change->before = levels_before(shifts);
    measure_others(change);
  }
  if (!is_sure) return true;
  if (change->stage != CommonStage::kConfirmed) {
    // What it did before it was over stays taken off those nights.
    if (change->stage == CommonStage::kRecovered && change->end && change->begin < *change->end) {
      change->earlier.push_back(
          {change->begin, std::min(*change->end, onset), change->members, change->effects.effect});
    }
    change->begin = onset;
    change->members = members;
    confirm(change);
  }
  forget(scope, node);
  explained_.push_back({scope, node});
  return true;
}

// Whether many series moved: in a direction by more than their standard errors; or, where that is
// 0, apart from what most did by more than two and a half.
bool CommonChangeDetector::did_many_move(std::span<const std::size_t> members,
                                         std::span<const Shift> shifts, int direction,
                                         double pooled) const {
  constexpr double kApart = 2.5;
  std::vector<double> off;
  std::vector<std::size_t> series;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!std::isfinite(shifts[m].variance)) continue;
    const double error = std::sqrt(shifts[m].variance);
    const double size =
        direction == 0 ? std::abs(shifts[m].size - pooled) / kApart : direction * shifts[m].size;
    off.push_back(size / error);
    series.push_back(members[m]);
  }
  return are_many_off(series, off, 1, direction == 0 ? kShareApart : kShareTogether);
}

// Whether so many series, of so many models, are off by more than `bound` that it is no doing of a
// few models.
bool CommonChangeDetector::are_many_off(std::span<const std::size_t> series,
                                        std::span<const double> off, double bound,
                                        double share) const {
  std::vector<bool> is_there(models_, false), is_off(models_, false);
  for (std::size_t k = 0; k < series.size(); ++k) {
    const std::size_t model = series_[series[k]].model;
    is_there[model] = true;
    if (off[k] > bound) is_off[model] = true;
  }
  const auto there = static_cast<double>(std::ranges::count(is_there, true));
  const auto models = static_cast<double>(std::ranges::count(is_off, true));
  const auto count =
      static_cast<double>(std::ranges::count_if(off, [&](double one) { return one > bound; }));
  return models >= kShareOfModels * there && count >= share * static_cast<double>(off.size());
}

// The change that this is more of, if any.
CommonChange* CommonChangeDetector::known(CommonScope scope, std::size_t node, int direction,
                                          std::size_t onset) {
  const std::size_t now = rows_.back().night;
  const std::size_t returns = scope == CommonScope::kMachine ? kMachineReturns : kBackendReturns;
  CommonChange* found = nullptr;
  for (CommonChange& change : changes_) {
    const bool is_same = change.direction == direction;
    // What began after a suspect was seen, and not about then, is something else.
    constexpr std::size_t kAbout = 2;  // nights
    const bool may_be_suspect = onset <= change.first_seen + kAbout;
    if (change.scope != scope || (scope == CommonScope::kBackend && change.backend != node)) {
      continue;
    }
    switch (change.stage) {
      case CommonStage::kSuspect:
        if (may_be_suspect && (is_same || scope == CommonScope::kMachine)) found = &change;
        break;
      case CommonStage::kConfirmed:
        if (onset < change.begin + kYoung) found = &change;
        break;
      case CommonStage::kWithdrawn:
        if (!may_be_suspect) break;
        [[fallthrough]];
      case CommonStage::kRecovered:
        if (!change.is_turn && is_same && now - *change.closed <= returns && !change.taken_in_by)
          found = &change;
        break;
    }
  }
  return found;
}

void CommonChangeDetector::confirm(CommonChange* change) {
  const std::size_t now = rows_.back().night;
  change->stage = CommonStage::kConfirmed;
  change->closed.reset();
  change->end.reset();
  change->over = 0;
  change->over_from.reset();
  if (!change->confirmed) change->confirmed = now;
  change->effects.effect.assign(change->members.size(), 0);
  change->effects.variance.assign(change->members.size(), 0);
  take_in(*change);
  learn_effects(change);
  const std::size_t row = row_of(change->begin);
  rows_[row].explained.push_back(
      {change->scope, change->scope == CommonScope::kMachine ? 0 : change->backend});
  judge_again(row);
}

// What began with a wider change is explained by it.
void CommonChangeDetector::take_in(const CommonChange& wider) {
  constexpr std::size_t kBefore = 2;  // nights
  if (wider.scope != CommonScope::kMachine) return;
  const auto place = static_cast<std::size_t>(&wider - changes_.data());
  for (CommonChange& change : changes_) {
    const bool is_open =
        change.stage == CommonStage::kSuspect || change.stage == CommonStage::kConfirmed;
    if (change.scope == CommonScope::kMachine || !is_open) continue;
    if (change.onset + kBefore >= wider.begin) withdraw(&change, place);
  }
}

void CommonChangeDetector::learn_effects(CommonChange* change) {
  const std::vector<Shift> shifts = shifts_of(change->members, change->begin, change);
  if (std::ranges::none_of(shifts, [](const Shift& one) { return std::isfinite(one.variance); })) {
    return;
  }
  change->before = levels_before(shifts);
  Effects effects = shrunk_effects(shifts, !change->is_disagreement);
  if (std::abs(effects.pooled) >= kLeastChange) change->direction = effects.pooled > 0 ? 1 : -1;
  change->effects = std::move(effects);
  refresh(row_of(change->begin));
  measure_others(change);
}

// Beside what is known of those nights already.
void CommonChangeDetector::measure_others(CommonChange* change) const {
  if (change->scope != CommonScope::kBackend) return;
  std::vector<std::size_t> others;
  for (std::size_t s = 0; s < series_.size(); ++s) {
    if (series_[s].backend != change->backend) others.push_back(s);
  }
  std::vector<double> moved;
  for (const Shift& shift :
       shifts_of(others, change->is_taken_off() ? change->begin : change->onset, nullptr)) {
    if (std::isfinite(shift.variance)) moved.push_back(shift.size);
  }
  change->others = moved.size();
  change->others_moved = moved.empty() ? 0 : median(moved);
}

void CommonChangeDetector::withdraw(CommonChange* change, std::optional<std::size_t> by) {
  const bool was_taken_off = change->is_taken_off();
  // What has recovered stays so, whatever it was.
  const bool is_turn = change->stage == CommonStage::kRecovered && !by;
  change->is_turn = is_turn;
  if (!is_turn) {
    change->stage = CommonStage::kWithdrawn;
    change->closed = rows_.back().night;
    change->taken_in_by = by;
  }
  if (was_taken_off) refresh(row_of(change->begin));
}

// Whether a night is as usual for what a change is about.
bool CommonChangeDetector::is_usual(const CommonChange& change, const Residuals& of) const {
  constexpr double kUsual = 2;  // standard deviations
  if (!of.is_enough()) return false;
  const Pooled where = pooled(of);
  if (change.scope == CommonScope::kMachine) return machine_night(of, where).off < kUsual;
  std::vector<double> off(of_backend_.size(), kNone), disagreement(off), squares;
  judge_backends(of, where, false, &off, &disagreement, &squares);
  return std::abs(off[change.backend]) < kUsual && disagreement[change.backend] < kUsual;
}

// Whether the nights before a change are back: by how much likelier tonight is without its effects
// than with them.
void CommonChangeDetector::follow(CommonChange* change) {
  constexpr double kMostOfNight = 3.5, kMostOfSeries = 2;  // natural logarithms
  if (change->stage != CommonStage::kConfirmed) return;
  const std::size_t now = rows_.back().night;
  if (now == change->confirmed || !change->is_on(now)) return;
  const bool is_young = now < change->begin + kYoung;
  // What is lost of a gain that lasted is a change of its own.
  if (change->direction < 0 && !change->is_disagreement && !is_young) return;
  const Residuals& of = residuals_of_tonight();
  std::vector<double> effect(series_.size(), 0);
  add_to_members(change->members, change->effects.effect, &effect);
  double evidence = 0, count = 0;
  Residuals before = of;  // about what was before the change
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    const double own = effect[of.series[k]];
    before.residual[k] += own;
    if (own == 0) continue;
    evidence +=
        std::clamp((square(of.residual[k]) - square(before.residual[k])) / (2 * of.variance[k]),
                   -kMostOfSeries, kMostOfSeries);
    ++count;
  }
  if (count == 0) return;
  const bool is_machine = change->scope == CommonScope::kMachine;
  const MeanScatter& scatter = is_machine ? memory_.machine_scatter : memory_.backend_scatter;
  evidence /= count * square(scatter.deviation(count));
  evidence = std::clamp(evidence * usual_worth_, -kMostOfNight, kMostOfNight);
  // Where series were hit on some nights and not on others, their effects tell little; but then a
  // night on which nothing is unusual tells.
  if (change->is_disagreement && is_usual(*change, before)) {
    evidence = std::max(evidence, kOfUsualNight);
  }
  if (change->over <= 0 && evidence > 0) change->over_from = now;
  change->over = std::max(0.0, change->over + evidence);
  const double enough = is_machine ? kOverMachine : kOverBackend;
  if (change->over >= enough) {
    change->stage = CommonStage::kRecovered;
    change->closed = now;
    change->end = change->over_from;
    refresh(row_of(*change->end));
    judge_again(row_of(*change->end));
    if (!is_machine) memory_.backend.lasted(*change->end - change->begin);
  } else if (evidence < 0 && is_young) {
    learn_effects(change);
  }
}

}  // namespace benchhud::analysis
