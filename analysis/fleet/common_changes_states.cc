#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/fleet/common_changes_parts.h"

namespace benchhud::analysis {
NightMatrix CommonChangeDetector::matrix_of(const std::vector<std::vector<float>>& rows) const {
  NightMatrix nights;
  for (const auto& row : rows)
    nights.emplace_back(std::span(row).first(std::min(row.size(), kMostSeries)));
  return nights;
}

// In view: how often tonight's machine and others relieved each other, tonight not counted.
std::size_t CommonChangeDetector::switches_of_machine() const {
  const std::size_t machine = rows_.back().machine;
  std::size_t switches = 0;
  for (std::size_t r = 1; r < tonight(); ++r) {
    const bool was_in = rows_[r - 1].machine == machine, is_in = rows_[r].machine == machine;
    if (was_in != is_in) ++switches;
  }
  return switches;
}

// What tonight's machine does to each series, beside the first one, from the nights on which it
// came and went. Of a machine that is new tonight is all that is known: what else happened on its
// first night cannot be told from it.
void CommonChangeDetector::learn_machine() {
  const std::size_t machine = rows_.back().machine;
  if (machine == first_machine_ || tonight() == 0) return;
  const bool is_new = machines_[machine].effect.empty();
  const bool has_changed = rows_[tonight() - 1].machine != machine;
  // An estimate changes where the machine came back: once more it was seen to come or to go.
  if (!is_new && (!has_changed || switches_of_machine() == 0)) return;
  std::vector<bool> is_in;
  std::vector<std::vector<float>> rows;
  for (std::size_t r = 0; r < tonight() + (is_new ? 1 : 0); ++r) {
    is_in.push_back(rows_[r].machine == machine);
    rows.push_back(rows_[r].clean);
    if (is_in.back()) add_to_first(machine_effects(rows_[r]).effect, &rows.back());
  }
  const NightMatrix nights = matrix_of(rows);
  const std::vector<double> noise = noise_without_turns(nights, nights.front().size());
  machines_[machine] = effects_of_state(nights, is_in, noise);
  // What was told before the machine was known well enough may have been its doing.
  constexpr std::size_t kFewSwitches = 4;
  for (CommonChange& change : changes_) {
    if (switches_of_machine() >= kFewSwitches) break;
    if (change.stage == CommonStage::kWithdrawn || change.is_turn) continue;
    if (change.onset < rows_.front().night) continue;
    const std::size_t row = row_of(change.onset);
    const bool is_at_switch =
        row > 0 && (rows_[row].machine == machine) != (rows_[row - 1].machine == machine);
    if (is_at_switch && is_short(change) && is_turn(change, machines_[machine], noise)) {
      withdraw(&change, std::nullopt);
    }
  }
  const auto first =
      static_cast<std::size_t>(std::ranges::find(rows_, machine, &Row::machine) - rows_.begin());
  refresh(first);
  judge_again(first);
}

// Estimates again, from the nights before this one, what each known state does. A state without
// turns in these nights is dropped, and its effects stay in the levels.
void CommonChangeDetector::update_states() {
  if (states_.empty()) return;
  constexpr std::size_t kFewestSwitches = 2;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    std::vector<bool> is_in;
    std::vector<std::vector<float>> rows;
    std::size_t switches = 0;
    for (std::size_t r = 0; r < tonight(); ++r) {
      is_in.push_back((rows_[r].states >> s & 1) != 0);
      if (r > 0 && is_in[r] != is_in[r - 1]) ++switches;
      rows.push_back(rows_[r].clean);
      if (is_in.back()) add_to_first(states_[s].effect, &rows.back());
    }
    if (switches < kFewestSwitches) {
      for (Row& row : rows_) {
        const auto low = static_cast<std::uint8_t>(row.states & ((1U << s) - 1));
        const auto high = static_cast<std::uint8_t>(row.states >> (s + 1) << s);
        row.states = low | high;
      }
      states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(s--));
    } else {
      const NightMatrix nights = matrix_of(rows);
      states_[s] =
          effects_of_state(nights, is_in, noise_without_turns(nights, nights.front().size()));
    }
    refresh(0);
  }
}

// Of each combination of states the one in which the night fits best, whatever else there is.
void CommonChangeDetector::choose_state() {
  if (states_.empty()) return;
  Row& row = rows_.back();
  row.states = 0;
  refresh(tonight());
  const Residuals of = residuals_of(tonight());
  double least = std::numeric_limits<double>::infinity();
  for (std::uint8_t states = 0; states < (1U << states_.size()); ++states) {
    const std::vector<double> effect = states_effect(states);
    std::vector<double> residual;
    for (std::size_t k = 0; k < of.series.size(); ++k) {
      residual.push_back(of.residual[k] - effect[of.series[k]]);
    }
    const double common = location_of(residual, of.variance).value;
    double plain = 0, shifted = kMostSquare;
    for (std::size_t k = 0; k < residual.size(); ++k) {
      plain += std::min(square(residual[k]) / of.variance[k], kMostSquare);
      shifted += std::min(square(residual[k] - common) / of.variance[k], kMostSquare);
    }
    const double misfit = std::min(plain, shifted);
    if (misfit >= least) continue;
    least = misfit;
    row.states = states;
  }
  refresh(tonight());
}

// With what short changes did, which may have been turns: of the series at `places`, or of all.
std::vector<std::vector<float>> CommonChangeDetector::levels_with_short_changes(
    std::span<const std::size_t> places) const {
  std::vector<std::size_t> place_of(series_.size(), places.size());
  for (std::size_t k = 0; k < places.size(); ++k) place_of[places[k]] = k;
  std::vector<std::vector<float>> rows;
  for (const Row& row : rows_) {
    std::vector<float>& levels = rows.emplace_back();
    levels.reserve(places.size());
    for (const std::size_t place : places) levels.push_back(row.clean[place]);
    for (const CommonChange& change : changes_) {
      if (!change.is_on(row.night) || !is_short(change)) continue;
      for (std::size_t m = 0; m < change.members.size(); ++m) {
        const std::size_t k = place_of[change.members[m]];
        if (k < places.size()) levels[k] += static_cast<float>(change.effects.effect[m]);
      }
    }
  }
  return rows;
}

// Tonight may be the night on which a second return tells turns from an event.
bool CommonChangeDetector::find_new_state() {
  if (states_.size() >= kMostStates || series_.size() < kFewestSeries) return false;
  const bool is_one_machine = std::ranges::all_of(
      rows_, [&](const Row& row) { return row.machine == rows_.front().machine; });
  if (!is_one_machine) return false;
  const std::size_t series = std::min(rows_.front().clean.size(), kMostSeries);
  const auto looked_at = levels_with_short_changes(looked_at_for_states(series));
  const auto is_in = find_state(matrix_of(looked_at), looked_at.front().size());
  if (!is_in) return false;
  std::vector<std::size_t> all(series);
  std::iota(all.begin(), all.end(), 0);
  const auto rows = levels_with_short_changes(all);
  const NightMatrix nights = matrix_of(rows);
  const std::vector<double> noise = noise_without_turns(nights, nights.front().size());
  Effects effects = effects_of_state(nights, *is_in, noise);
  double squares = 0;
  for (const double effect : effects.effect) squares += square(effect);
  if (std::sqrt(squares / static_cast<double>(effects.effect.size())) < kLeastChange) return false;
  for (CommonChange& change : changes_) {
    if (change.stage == CommonStage::kWithdrawn || change.is_turn) continue;
    if (change.onset < rows_.front().night) continue;
    if (is_short(change) && is_turn(change, effects, noise)) withdraw(&change, std::nullopt);
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if ((*is_in)[r]) rows_[r].states |= static_cast<std::uint8_t>(1U << states_.size());
  }
  states_.push_back(std::move(effects));
  forget_all();
  before_.clear();
  refresh(0);
  return true;
}

// Short changes may have been turns.
bool CommonChangeDetector::is_short(const CommonChange& change) const {
  return !change.is_taken_off() ||
         change.end.value_or(rows_.back().night + 1) - change.begin < kYoung;
}

// Whether a change was no more than a state's turn: the state explains half of its squares.
bool CommonChangeDetector::is_turn(const CommonChange& change, const Effects& state,
                                   std::span<const double> noise) const {
  if (change.stage == CommonStage::kSuspect) return true;
  double whole = 0, there = 0, back = 0;
  for (std::size_t m = 0; m < change.members.size(); ++m) {
    const std::size_t series = change.members[m];
    if (series >= state.effect.size() || !std::isfinite(noise[series])) continue;
    const double weight = 1 / (square(noise[series]) + square(kLeastChange));
    const double own = change.effects.effect[m];
    whole += weight * square(own);
    there += weight * square(own - state.effect[series]);
    back += weight * square(own + state.effect[series]);
  }
  return std::min(there, back) < whole / 2;
}

}  // namespace benchhud::analysis
