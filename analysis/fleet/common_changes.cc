#include <algorithm>
#include <span>
#include <utility>

#include "analysis/fleet/common_changes_parts.h"

namespace benchhud::analysis {
namespace {

constexpr EvidenceRules kMachineRules = {.most = 9, .degrees = 10};
constexpr EvidenceRules kMachineDisagreementRules = {
    .most = 9, .degrees = 6, .is_two_sided = false};
constexpr EvidenceRules kBackendRules = {.most = 5.5, .degrees = 10, .learns = true};
constexpr EvidenceRules kBackendDisagreementRules = {
    .most = 5.5, .degrees = 6, .is_two_sided = false};

}  // namespace

CommonChangeDetector::CommonChangeDetector()
    : memory_{Evidence(1, kMachineRules),
              Evidence(1, kMachineDisagreementRules),
              Evidence(0, kBackendRules),
              Evidence(0, kBackendDisagreementRules),
              MeanScatter(0.05),
              MeanScatter(0.05),
              {},
              {},
              {},
              {},
              {},
              {}} {}

std::size_t CommonChangeDetector::add_series(std::size_t model, std::size_t backend) {
  const std::size_t place = series_.size();
  Series& series = series_.emplace_back();
  series.model = model;
  series.backend = backend;
  models_ = std::max(models_, model + 1);
  while (of_backend_.size() <= backend) {
    of_backend_.emplace_back();
    memory_.backend.add_node();
    memory_.backend_disagreement.add_node();
    for (Memory& memory : before_) {
      memory.backend.add_node();
      memory.backend_disagreement.add_node();
    }
  }
  of_backend_[backend].push_back(place);
  return place;
}

void CommonChangeDetector::set_model(std::size_t series, std::size_t model) {
  series_[series].model = model;
  models_ = std::max(models_, model + 1);
}

void CommonChangeDetector::recall(std::size_t night, std::span<const Value> values) {
  const auto row = std::ranges::lower_bound(rows_, night, {}, &Row::night);
  if (row == rows_.end() || row->night != night) return;
  row->levels.assign(series_.size(), static_cast<float>(kNone));
  for (const Value& value : values) row->levels[value.series] = static_cast<float>(value.level);
}

bool CommonChangeDetector::is_consistent() const {
  const std::size_t backends = of_backend_.size(), count = series_.size();
  const auto is_of_fleet = [&](const Memory& memory) {
    return memory.machine.nodes() == 1 && memory.machine_disagreement.nodes() == 1 &&
           memory.backend.nodes() == backends && memory.backend_disagreement.nodes() == backends &&
           memory.moved.size() == memory.moved_variance.size() &&
           memory.beside.size() == memory.beside_variance.size();
  };
  const auto are_series = [&](std::span<const std::size_t> places) {
    return std::ranges::all_of(places, [&](std::size_t place) { return place < count; });
  };
  const auto is_node = [&](const Node& node) {
    return node.number < (node.scope == CommonScope::kMachine ? 1 : backends);
  };
  const auto is_row = [&](const Row& row) {
    return std::ranges::all_of(row.explained, is_node) && row.machine < machines_.size();
  };
  const auto is_state = [&](const Effects& state) {
    return state.effect.size() <= count && state.variance.size() == state.effect.size();
  };
  const auto is_change = [&](const CommonChange& change) {
    const std::size_t members = change.members.size();
    const bool is_closed =
        change.stage == CommonStage::kRecovered || change.stage == CommonStage::kWithdrawn;
    const auto is_spell = [&](const CommonChange::Spell& spell) {
      return are_series(spell.members) && spell.members.size() == spell.effect.size();
    };
    return are_series(change.members) && change.before.size() == members &&
           change.effects.effect.size() == members && change.effects.variance.size() == members &&
           (change.scope == CommonScope::kMachine || change.backend < backends) &&
           (!is_closed || change.closed) && (change.over <= 0 || change.over_from) &&
           change.taken_in_by.value_or(0) < changes_.size() &&
           std::ranges::all_of(change.earlier, is_spell);
  };
  return is_of_fleet(memory_) && std::ranges::all_of(before_, is_of_fleet) &&
         before_.size() <= rows_.size() && rows_.size() <= kWindow + 1 &&
         std::ranges::is_sorted(rows_, {}, &Row::night) && std::ranges::all_of(rows_, is_row) &&
         std::ranges::all_of(explained_, is_node) && states_.size() <= kMostStates &&
         std::ranges::all_of(states_, is_state) && std::ranges::all_of(machines_, is_state) &&
         std::ranges::all_of(of_backend_, are_series) &&
         std::ranges::all_of(series_, [&](const Series& one) { return one.backend < backends; }) &&
         std::ranges::all_of(changes_, is_change);
}

void CommonChangeDetector::finish_recall() {
  for (Row& row : rows_) row.levels.resize(series_.size(), static_cast<float>(kNone));
  refresh(0);
  judged_.clear();
}

void CommonChangeDetector::restart() {
  // What is confirmed stays so, and is compared with no night any more.
  for (CommonChange& change : changes_) {
    const bool is_followed = change.stage == CommonStage::kConfirmed && !change.end;
    if (is_followed && !rows_.empty()) change.end = rows_.back().night + 1;
  }
  rows_.clear();
  before_.clear();
  states_.clear();
  machines_.clear();
  not_judged_ = 0;
  forget_all();
}

void CommonChangeDetector::add(std::size_t night, std::span<const Value> values,
                               std::size_t machine) {
  judged_.clear();
  if (rows_.size() > kWindow) rows_.pop_front();
  for (Row& row : rows_) {
    row.levels.resize(series_.size(), static_cast<float>(kNone));
    row.clean.resize(series_.size(), static_cast<float>(kNone));
  }
  Row& row = rows_.emplace_back();
  row.night = night;
  row.machine = machine;
  if (machines_.empty()) first_machine_ = machine;
  if (machine >= machines_.size()) machines_.resize(machine + 1);
  row.explained = std::exchange(explained_, {});
  row.levels.resize(series_.size(), static_cast<float>(kNone));
  for (const Value& value : values) row.levels[value.series] = static_cast<float>(value.level);
  revised_ = tonight();
  not_judged_ = 1;
  refresh(tonight());
  learn_machine();
  update_states();
  learn_noise(false);
  choose_state();
  if (find_new_state()) {
    learn_noise(true);
    choose_state();
  }
  for (CommonChange& change : changes_) {
    if (change.scope == CommonScope::kMachine) follow(&change);
  }
  before_.push_back(memory_);
  if (before_.size() > std::min(kLevelNights, rows_.size())) before_.pop_front();
  judge(tonight());
  not_judged_ = 0;
  decide();
  memory_.count();
  for (std::size_t r = revised_; r < rows_.size(); ++r) judged_.push_back(judged_row(r));
}

std::size_t CommonChangeDetector::row_of(std::size_t night) const {
  const auto row = std::ranges::lower_bound(rows_, night, {}, &Row::night);
  return std::min<std::size_t>(row - rows_.begin(), tonight());
}

}  // namespace benchhud::analysis
