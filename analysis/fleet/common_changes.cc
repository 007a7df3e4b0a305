#include "analysis/fleet/common_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kLevelNights = 20;  // that a level rests on; as many may be judged again
constexpr double kFewestNights = 4;       // of a level
constexpr std::size_t kFewestModels = 3;  // on a backend
constexpr std::size_t kYoung = 10;        // nights: the size of a change is being learnt
constexpr std::size_t kMostStates = 3;
constexpr double kCut = 3;  // deviations are cut here before they are pooled
constexpr double kMostSquare = kCut * kCut;
constexpr double kPatience = 100;  // nights in which each scope may see a false change by chance
constexpr double kLeastChange = 0.01;  // natural logarithm
// So many models must have moved, or it is their own doing; and of the series so many in one
// direction, apart from each other, or on a night that is to count as disturbed.
constexpr double kShareOfModels = 0.3;
constexpr double kShareTogether = 0.2, kShareApart = 0.25, kShareDisturbed = 0.2;
constexpr double kDisturbed = 3;  // standard deviations of the disagreement
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr EvidenceRules kMachineRules = {.most = 9, .degrees = 10};
constexpr EvidenceRules kMachineDisagreementRules = {
    .most = 9, .degrees = 6, .is_two_sided = false};
constexpr EvidenceRules kBackendRules = {.most = 5.5, .degrees = 10, .learns = true};
constexpr EvidenceRules kBackendDisagreementRules = {
    .most = 5.5, .degrees = 6, .is_two_sided = false};
// A machine that would be told with one more night of this evidence is a suspect.
constexpr double kSuspectMachine = 4;

double square(double value) { return value * value; }

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
      if (counts_[g] == 0 || counts_[g] == count_) continue;
      visit((sum_ - sums_[g]) / (count_ - counts_[g]), count_ - counts_[g]);
    }
  }

 private:
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

double usual_variance(const std::vector<double>& values, const std::vector<double>& variances) {
  constexpr double kUsualSquare = 0.95;
  return between_variance(values, variances, kMostSquare, kUsualSquare);
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

// Adds what an event does to each of its members; `values`: by series.
template <class T>
void add_to_members(std::span<const std::size_t> members, std::span<const double> effects,
                    std::vector<T>* values) {
  for (std::size_t m = 0; m < members.size(); ++m) {
    (*values)[members[m]] += static_cast<T>(effects[m]);
  }
}

// The same of a state, to those series that it is known of: some may have come later.
template <class T>
void add_to_first(std::span<const double> effects, std::vector<T>* values) {
  for (std::size_t i = 0; i < effects.size(); ++i) (*values)[i] += static_cast<T>(effects[i]);
}

std::vector<double> levels_before(std::span<const Shift> shifts) {
  std::vector<double> levels;
  for (const Shift& shift : shifts) levels.push_back(shift.before);
  return levels;
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

// ------------------------------------------------------------------------------------- baseline

std::vector<double> CommonChangeDetector::states_effect(std::uint8_t states) const {
  std::vector<double> effect(series_.size(), 0);
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if ((states >> s & 1) != 0) add_to_first(states_[s].effect, &effect);
  }
  return effect;
}

const Effects& CommonChangeDetector::machine_effects(const Row& row) const {
  return machines_[row.machine];
}

std::vector<float> CommonChangeDetector::clean_levels(const Row& row) const {
  std::vector<double> known = states_effect(row.states);
  add_to_first(machine_effects(row).effect, &known);
  for (const CommonChange& change : changes_) {
    if (change.is_on(row.night)) add_to_members(change.members, change.effects.effect, &known);
  }
  for (const CommonChange& change : changes_) {
    for (const CommonChange::Spell& spell : change.earlier) {
      const bool is_on = spell.begin <= row.night && row.night < spell.end;
      if (is_on) add_to_members(spell.members, spell.effect, &known);
    }
  }
  std::vector<float> clean(row.levels);
  for (std::size_t i = 0; i < clean.size(); ++i) clean[i] -= static_cast<float>(known[i]);
  return clean;
}

// Something else is known of the rows from `from` on.
void CommonChangeDetector::refresh(std::size_t from) {
  revised_ = std::min(revised_, from);
  tonight_.reset();
  before_judging_.reset();
  for (std::size_t r = from; r < rows_.size(); ++r) rows_[r].clean = clean_levels(rows_[r]);
}

double CommonChangeDetector::weight_of(const Row& row, std::size_t series) const {
  if (!row.disturbance.is_any()) return 1;
  const double own = square(series_[series].deviation);
  return own / (own + row.disturbance.of(own));
}

double CommonChangeDetector::log_of_noise(const Series& series) {
  return 2 * std::log(series.noise.deviation);
}

// Each series' noise is computed again every eighth night, an eighth of them each night: it changes
// slowly, and takes longest.
void CommonChangeDetector::learn_noise(bool is_all) {
  constexpr std::size_t kEvery = 8, kFew = 24;  // nights
  constexpr double kLeastWeight = 0.3;
  const std::size_t night = rows_.back().night;
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (is_all || rows_.size() <= kFew || (i + night) % kEvery == 0) due.push_back(i);
  }
  std::vector<FloatLanes> nights(tonight());
  for (std::size_t first = 0; first < due.size(); first += kFloatLanes) {
    const auto some = std::span(due).subspan(first, std::min(kFloatLanes, due.size() - first));
    for (std::size_t r = 0; r < nights.size(); ++r) {
      const Row& row = rows_[r];
      const bool is_disturbed = row.disturbance.is_any();
      for (std::size_t s = 0; s < some.size(); ++s) {
        const bool counts = !is_disturbed || weight_of(row, some[s]) > kLeastWeight;
        nights[r][s] = counts ? row.clean[some[s]] : static_cast<float>(kNone);
      }
    }
    const auto noises = series_noise(nights);
    for (std::size_t s = 0; s < some.size(); ++s) series_[some[s]].noise = noises[s];
  }
  if (noise_logs_.size() != series_.size()) {
    noise_logs_.resize(series_.size());
    std::ranges::transform(series_, noise_logs_.begin(), log_of_noise);
  }
  for (const std::size_t i : due) noise_logs_[i] = log_of_noise(series_[i]);
  moderate_noise();
}

// What a series' own nights tell of its noise is moderated by what is usual in the fleet, as much
// as it is uncertain. The logarithm of a variance that rests on n differences has a variance of
// 2 / (0.4 n).
void CommonChangeDetector::moderate_noise() {
  constexpr double kAssumed = 0.3, kOfUsual = 20;
  constexpr std::size_t kFewestDifferences = 3;
  std::vector<double> correlations, logs, uncertain;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const Series& series = series_[i];
    if (series.noise.is_correlation_known) correlations.push_back(series.noise.correlation);
    if (series.noise.differences < kFewestDifferences) continue;
    logs.push_back(noise_logs_[i]);
    uncertain.push_back(5 / static_cast<double>(series.noise.differences));
  }
  const double usual_correlation = correlations.empty() ? kAssumed : median(correlations);
  const double usual_log = logs.empty() ? kNone : median(logs);
  double between = 2;
  if (logs.size() > 3) {
    const double mean_log =
        std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
    double squares = 0;
    for (const double log : logs) squares += square(log - mean_log);
    between = std::max(0.5, squares / static_cast<double>(logs.size()) - median(uncertain));
  }
  std::vector<double> worths;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    Series& series = series_[i];
    const double count =
        static_cast<double>(std::min<std::size_t>(series.noise.differences, kWindow));
    series.correlation = std::max(
        usual_correlation,
        (kOfUsual * usual_correlation + count * series.noise.correlation) / (kOfUsual + count));
    double log = usual_log;
    if (series.noise.differences >= kFewestDifferences) {
      const double own = 5 / static_cast<double>(series.noise.differences);
      log += between / (between + own) * (noise_logs_[i] - usual_log);
    }
    series.deviation = std::sqrt(std::exp(log) / (1 - series.correlation));
    worths.push_back((1 - series.correlation) / (1 + series.correlation));
  }
  usual_worth_ = worths.empty() ? 1 : median(worths);
  before_judging_.reset();
}

// Of the rows from `begin` to `end`, but for one.
std::vector<SeriesLevel> CommonChangeDetector::levels_of(std::span<const std::size_t> series,
                                                         std::size_t begin, std::size_t end,
                                                         std::size_t without) const {
  static_assert(kLevelNights + 1 <= SeriesNights::kMostNights);
  std::vector<SeriesLevel> levels(series.size());
  SeriesNights nights;
  for (std::size_t first = 0; first < series.size(); first += SeriesNights::kSeries) {
    const auto some = series.subspan(first, std::min(SeriesNights::kSeries, series.size() - first));
    nights.count = 0;
    for (std::size_t s = 0; s < some.size(); ++s) {
      nights.deviation[s] = series_[some[s]].deviation;
    }
    for (std::size_t r = begin; r < end; ++r) {
      if (r == without) continue;
      const Row& row = rows_[r];
      const bool is_disturbed = row.disturbance.is_any();
      for (std::size_t s = 0; s < some.size(); ++s) {
        nights.levels[nights.count][s] = row.clean[some[s]];
        nights.weights[nights.count][s] = is_disturbed ? weight_of(row, some[s]) : 1;
      }
      ++nights.count;
    }
    std::copy_n(series_levels(nights).begin(), some.size(),
                levels.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return levels;
}

CommonChangeDetector::Residuals CommonChangeDetector::residuals_of(std::size_t row) const {
  Residuals of;
  of.level.assign(series_.size(), kNone);
  // Of the first nights in view those after them tell the level, too.
  const std::size_t begin = row - std::min(row, kLevelNights);
  const std::size_t end = std::max(row, std::min(kLevelNights, tonight()));
  std::vector<double> uncertain(series_.size(), 0);
  const Row& night = rows_[row];
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if ((night.states >> s & 1) != 0) add_to_first(states_[s].variance, &uncertain);
  }
  add_to_first(machine_effects(night).variance, &uncertain);
  for (const CommonChange& change : changes_) {
    if (!change.is_on(night.night)) continue;
    add_to_members(change.members, change.effects.variance, &uncertain);
  }
  std::vector<std::size_t> known;
  const std::size_t count = std::min(series_.size(), kMostSeries);
  known.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(night.clean[i]) || !std::isfinite(series_[i].deviation)) continue;
    known.push_back(i);
  }
  const std::vector<SeriesLevel> levels = levels_of(known, begin, end, row);
  of.series.reserve(known.size());
  of.residual.reserve(known.size());
  of.variance.reserve(known.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::size_t i = known[k];
    const SeriesLevel& level = levels[k];
    if (level.weight < kFewestNights) continue;
    of.level[i] = level.level;
    of.series.push_back(i);
    of.residual.push_back(night.clean[i] - level.level);
    of.variance.push_back(square(series_[i].deviation) * (1 + std::min(1 / level.weight, 1.0)) +
                          uncertain[i]);
  }
  return of;
}

const CommonChangeDetector::Residuals& CommonChangeDetector::residuals_of_tonight() {
  if (tonight_) return tonight_->first;
  if (!before_judging_) before_judging_ = residuals_of(tonight());
  return *before_judging_;
}

// How far members moved from `onset` on, by their first nights, against the level before it; with
// what is known of them taken off, but for `own`.
std::vector<Shift> CommonChangeDetector::shifts_of(std::span<const std::size_t> members,
                                                   std::size_t onset,
                                                   const CommonChange* own) const {
  const std::size_t first = row_of(onset);
  const std::size_t begin = first - std::min(first, kLevelNights);
  // What differs from series to series is learnt soon, before something else comes.
  const std::size_t most = own != nullptr && own->is_disagreement ? kYoung / 2 : kYoung;
  std::vector<Shift> shifts(members.size());
  const std::vector<SeriesLevel> levels = levels_of(members, begin, first, first);
  std::vector<double> off;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::size_t series = members[m];
    shifts[m].model = series_[series].model;
    if (!std::isfinite(series_[series].deviation)) continue;
    const SeriesLevel& level = levels[m];
    if (level.weight < kFewestNights) continue;
    off.clear();
    for (std::size_t r = first; r < std::min(first + most, rows_.size()); ++r) {
      double value = rows_[r].clean[series] - level.level;
      if (own != nullptr && own->is_on(rows_[r].night)) value += own->effects.effect[m];
      if (std::isfinite(value)) off.push_back(value);
    }
    if (off.empty()) continue;
    shifts[m].before = level.level;
    shifts[m].size = median(off);
    shifts[m].variance = square(series_[series].deviation) *
                         (1 / static_cast<double>(off.size()) + 1 / level.weight);
    if (off.size() > 1) shifts[m].change = median(std::span(off).subspan(1)) - off[0];
  }
  return shifts;
}

// --------------------------------------------------------------------------------------- states

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
    if (change.stage == CommonStage::kWithdrawn || change.onset < rows_.front().night) continue;
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
    if (change.stage == CommonStage::kWithdrawn || change.onset < rows_.front().night) continue;
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

// ------------------------------------------------------------------------------------ statistics

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
      trust_in(expected.moved, usual_variance(memory_.moved, memory_.moved_variance));
  std::vector<double> rest = of.residual;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    rest[k] -= add_others(k, all, of_model[model(k)], trust);
  }

  const double usual = usual_variance(memory_.beside, memory_.beside_variance);
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
  for (std::size_t k = 0; k < of.series.size(); ++k) {
    const double bound = kOff * std::sqrt(of.variance[k]);
    if (std::abs(of.residual[k] + young[of.series[k]]) > bound) ++quality.off;
    if (std::abs(shifts[k] - common) > bound) ++apart;
  }
  quality.is_disturbed =
      night.is_disturbed || (of.is_enough() && apart * kShareOff >= quality.judged);
  for (std::size_t r = row; night.states != 0 && r-- > 0;) {
    if (rows_[r].states != night.states) continue;
    quality.alike.insert(quality.alike.begin(), rows_[r].night);
    if (quality.alike.size() == kMostAlike) break;
  }
  if (quality.alike.size() < kFewestAlike) quality.alike.clear();
  return quality;
}

// ---------------------------------------------------------------------------------------- changes

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
  const double machine = std::max(memory_.machine.most(0), memory_.machine_disagreement.most(0));
  if (machine >= kPatience / std::exp(kSuspectMachine)) {
    raise(CommonScope::kMachine, 0, machine >= kPatience);
  }
  const double enough = kPatience * static_cast<double>(of_backend_.size());
  for (std::size_t b = 0; b < of_backend_.size(); ++b) {
    const double evidence = std::max(memory_.backend.most(b), memory_.backend_disagreement.most(b));
    if (evidence < enough / std::exp(memory_.backend.most_of_first(b))) continue;
    raise(CommonScope::kBackend, b, evidence >= enough);
  }
}

// A suspect, a change, or more of one that is known.
void CommonChangeDetector::raise(CommonScope scope, std::size_t node, bool is_sure) {
  const bool is_machine = scope == CommonScope::kMachine;
  const Evidence& levels = is_machine ? memory_.machine : memory_.backend;
  const Evidence& disagreement =
      is_machine ? memory_.machine_disagreement : memory_.backend_disagreement;
  int direction = levels.direction(node);
  const bool is_disagreement = disagreement.most(node) > levels.of(node, direction);
  const std::size_t nights =
      (is_disagreement ? disagreement : levels).nights_off(node, is_disagreement ? 1 : direction);
  const std::size_t onset = rows_[rows_.size() - std::min(nights, rows_.size())].night;
  const std::vector<std::size_t> members = series_in(scope, node);
  const std::vector<Shift> shifts = shifts_of(members, onset, nullptr);
  Effects effects = shrunk_effects(shifts, !is_disagreement);
  if (is_disagreement) {
    direction = effects.pooled >= 0 ? 1 : -1;
  } else if (direction * effects.pooled < kLeastChange) {
    return;
  }
  // What a few models did is no doing of the machine or the backend.
  if (!did_many_move(members, shifts, is_disagreement ? 0 : direction, effects.pooled)) return;
  CommonChange* change = known(scope, node, direction, onset);
  if (change == nullptr) {
    change = &changes_.emplace_back();
    change->scope = scope;
    change->backend = is_machine ? 0 : node;
    change->first_seen = rows_.back().night;
    change->onset = onset;
  }
  if (change->stage == CommonStage::kSuspect || change->stage == CommonStage::kWithdrawn) {
    change->stage = CommonStage::kSuspect;
    change->closed.reset();
    change->confirmed.reset();
    change->onset = onset;
    change->direction = direction;
    change->is_disagreement = is_disagreement;
    change->members = members;
    change->effects = std::move(effects);
    change->before = levels_before(shifts);
  }
  if (!is_sure) return;
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
  const std::size_t returns = scope == CommonScope::kMachine ? 3 : 7;  // nights
  CommonChange* found = nullptr;
  for (CommonChange& change : changes_) {
    const bool is_same = change.direction == direction;
    if (change.scope != scope || (scope == CommonScope::kBackend && change.backend != node)) {
      continue;
    }
    switch (change.stage) {
      case CommonStage::kSuspect:
        if (is_same || scope == CommonScope::kMachine) found = &change;
        break;
      case CommonStage::kConfirmed:
        if (onset < change.begin + kYoung) found = &change;
        break;
      case CommonStage::kRecovered:
      case CommonStage::kWithdrawn:
        if (is_same && now - *change.closed <= returns && !change.taken_in_by) found = &change;
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
}

void CommonChangeDetector::withdraw(CommonChange* change, std::optional<std::size_t> by) {
  const bool was_taken_off = change->is_taken_off();
  change->stage = CommonStage::kWithdrawn;
  change->closed = rows_.back().night;
  change->taken_in_by = by;
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
  constexpr double kOfUsualNight = 2;
  if (change->is_disagreement && is_usual(*change, before)) {
    evidence = std::max(evidence, kOfUsualNight);
  }
  if (change->over <= 0 && evidence > 0) change->over_from = now;
  change->over = std::max(0.0, change->over + evidence);
  const double enough = is_machine ? 3 : 7;
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
