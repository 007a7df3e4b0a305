#include "analysis/alerts/alert_detector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <ranges>
#include <set>
#include <utility>

#include "analysis/alerts/watch_state.h"
#include "analysis/statistics/multiplicity.h"

namespace benchhud::analysis {
namespace {

bool are_below(const auto& places, std::size_t count) {
  return std::ranges::all_of(places, [&](std::size_t place) { return place < count; });
}

bool has_same_subject(const AlertGroup& a, const AlertGroup& b) {
  return a.scope == b.scope && a.model == b.model && a.is_of_failures == b.is_of_failures &&
         a.backend == b.backend;
}

constexpr WatchedMetric metric_at(std::size_t place) { return static_cast<WatchedMetric>(place); }

bool was_tried(const ExperimentObservation& result) {
  return result.status == Status::kTimed || result.status == Status::kFailed;
}

}  // namespace

AlertDetector::AlertDetector(const Catalog& catalog, FleetRules rules)
    : catalog_(catalog),
      rules_(std::move(rules)),
      common_(catalog),
      by_place_(catalog.entries().size()) {}

SeriesRules AlertDetector::rules_for(const CatalogEntry& entry, WatchedMetric metric) const {
  if (rules_.series) return rules_.series(entry, metric);
  SeriesRules rules;
  rules.changes.least_effect = watched_metric_info(metric).least_effect;
  return rules;
}

const AlertDetector::RulesOfMetrics* AlertDetector::rules_of(const CatalogEntry& entry) {
  RulesOfMetrics rules;
  for (std::size_t i = 0; i < kWatchedMetrics; ++i) rules[i] = rules_for(entry, metric_at(i));
  const auto same = std::ranges::find(rules_of_metrics_, rules);
  return same == rules_of_metrics_.end() ? &rules_of_metrics_.emplace_back(rules) : &*same;
}

AlertDetector::Experiment& AlertDetector::experiment_of(const CatalogEntry& entry) {
  Experiment*& place = by_place_[catalog_.place(entry)];
  if (place == nullptr) {
    place = &experiments_.emplace_back();
    place->id = entry.id();
    place->entry = &entry;
    place->number = static_cast<std::uint32_t>(experiments_.size() - 1);
    place->rules = rules_of(entry);
    for (std::size_t i = 0; i < kCountMetrics; ++i) {
      place->counts[i] =
          CounterChangeDetector(watched_metric_info(metric_at(kTimedMetrics + i)).better);
    }
  }
  return *place;
}

const TimingChangeDetector* AlertDetector::timed(schema::ExperimentId experiment,
                                                 WatchedMetric metric) const {
  const CatalogEntry* entry = catalog_.find(experiment);
  const Experiment* found = entry == nullptr ? nullptr : by_place_[catalog_.place(*entry)];
  return found == nullptr ? nullptr : found->timed[place_of(metric)].get();
}

bool AlertDetector::begin_night(const RunObservations& night, RunAnnotations said) {
  const std::size_t number = nights_.size();
  nights_.push_back({night.run, night.started_at});
  qualities_.add_night();
  if (said.is_new_environment) {
    for (Experiment& experiment : experiments_) {
      for (auto& watch : experiment.timed) {
        if (watch) watch->restart();
      }
    }
    common_.restart();
  }
  if (!said.is_excluded && common_.is_new_machine(night.machine)) new_machines_.push_back(number);
  if (said.is_pinned) pinned_.push_back(number);
  if (said.is_excluded) excluded_.push_back(number);
  return !said.is_excluded;
}

// Each experiment's once a night: where they are near in memory, because it is watched just then.
void AlertDetector::forget_old_nights(Experiment* experiment, std::size_t number) {
  experiment->forgotten = number;
  for (auto& watch : experiment->timed) {
    if (watch) watch->forget_old(number);
  }
}

// Of series without a value tonight, too, something else may be known.
void AlertDetector::look_again(std::size_t number) {
  for (Experiment& experiment : experiments_) {
    for (auto& watch : experiment.timed) {
      if (watch && watch->look_again(number)) experiment.is_changed = true;
    }
  }
}

// Null if it is not known.
AlertDetector::Experiment* AlertDetector::find(schema::ExperimentId id) {
  const CatalogEntry* entry = catalog_.find(id);
  return entry == nullptr ? nullptr : by_place_[catalog_.place(*entry)];
}

CommonCauses::IsWatched AlertDetector::is_watched() const {
  return [this](const CatalogEntry& entry, WatchedMetric metric) {
    return (*by_place_[catalog_.place(entry)]->rules)[place_of(metric)].is_watched;
  };
}

// Null where the night has no such time, or nobody watches it.
TimingChangeDetector* AlertDetector::watch_of(Experiment& experiment,
                                              const ExperimentObservation& night,
                                              std::size_t metric) {
  if (!night.times[metric] || !(*experiment.rules)[metric].is_watched) return nullptr;
  if (!experiment.timed[metric]) make_watch(&experiment, metric);
  return experiment.timed[metric].get();
}

void AlertDetector::make_watch(Experiment* experiment, std::size_t metric) {
  experiment->timed[metric] = std::make_unique<TimingChangeDetector>(
      (*experiment->rules)[metric].changes, watched_metric_info(metric_at(metric)).better);
}

void AlertDetector::add(RunObservations night, RunAnnotations said, const OtherSeries& others) {
  const std::size_t number = nights_.size();
  if (!begin_night(night, said)) {
    for (Experiment& experiment : experiments_) forget_old_nights(&experiment, number);
    return;
  }
  std::erase_if(night.results,
                [&](const auto& result) { return catalog_.find(result.experiment) == nullptr; });
  Tonight tonight;
  tonight.number = number;
  tonight.timed = others.timed;
  tonight.experiments.reserve(night.results.size());
  for (const ExperimentObservation& result : night.results) {
    tonight.experiments.push_back(&experiment_of(*catalog_.find(result.experiment)));
  }
  if (rules_.are_judged_together) judge_together(tonight, &night);
  const auto baselines = add_speedups(catalog_, rules_.baseline, &night);
  for (std::size_t i = 0; i < night.results.size(); ++i) {
    if (baselines[i]) tonight.experiments[i]->baseline = baselines[i];
  }
  const bool is_revised = revise_nights();
  for (std::size_t i = 0; i < night.results.size(); ++i) {
    Experiment& experiment = *tonight.experiments[i];
    forget_old_nights(&experiment, number);
    experiment.is_changed = watch(experiment, night, night.results[i], &tonight);
  }
  for (Experiment& experiment : experiments_) {
    if (experiment.forgotten != number) forget_old_nights(&experiment, number);
  }
  bool is_changed = false;
  if (is_revised) look_again(number);
  decide(tonight);
  assert_steps(&tonight);
  look_for_drift(tonight);
  recover_together(number);
  for (const Experiment& experiment : experiments_) is_changed |= experiment.is_changed;
  if (is_changed || has_common_changes(number)) update_alerts(number);
}

// The same before tonight; without the watch, if there is no need of it.
const UsualRepetitions& AlertDetector::usual_repetitions_before(Experiment* experiment,
                                                                std::size_t number) {
  const std::size_t place = experiment->number;
  const std::size_t oldest = nights_.size() - kept_nights();
  if (place < repetitions_.size() && repetitions_[place].is_full(oldest)) {
    return repetitions_[place];
  }
  forget_old_nights(experiment, number);
  return usual_repetitions(*experiment);
}

// Of steady times, up to the last night that its watch has.
const UsualRepetitions& AlertDetector::usual_repetitions(const Experiment& experiment) {
  if (experiment.number >= repetitions_.size()) repetitions_.resize(experiments_.size());
  UsualRepetitions& usual = repetitions_[experiment.number];
  const TimingChangeDetector& watch = *experiment.timed[place_of(WatchedMetric::kSteady)];
  usual.follow(watch.nights(), watch.numbers(), watch.count());
  return usual;
}

void AlertDetector::judge_together(const Tonight& tonight, RunObservations* night) {
  std::vector<RepetitionsTonight> repetitions;
  constexpr std::size_t kSteady = place_of(WatchedMetric::kSteady);
  for (std::size_t i = 0; i < night->results.size(); ++i) {
    const auto& steady = night->results[i].times[kSteady];
    const auto& watch = tonight.experiments[i]->timed[kSteady];
    if (!steady || !watch) continue;
    const auto usual = usual_repetitions_before(tonight.experiments[i], tonight.number).variance();
    if (usual) repetitions.push_back({*steady, *usual});
  }
  qualities_.set_scatter(repetition_scatter(repetitions));
  common_.add(tonight.number, night, is_watched());
  for (const WatchedMetric metric : CommonCauses::kMetrics) {
    qualities_.judge(metric, common_.judged(metric));
  }
}

// What is known now of nights before this one. Returns whether anything is.
bool AlertDetector::revise_nights() {
  bool is_revised = false;
  const std::size_t oldest = nights_.size() - kept_nights();
  const auto revise = [&](WatchedMetric metric) {
    return [this, metric, oldest, &is_revised](schema::ExperimentId id, std::size_t night,
                                               double level) {
      if (night < oldest) return;
      is_revised = true;
      if (const auto& watch = find(id)->timed[place_of(metric)]) watch->revise(night, level);
    };
  };
  for (const WatchedMetric metric : CommonCauses::kMetrics) {
    common_.visit_revised(metric, revise(metric));
  }
  const auto baseline_of = [&](schema::ExperimentId id) -> const schema::ExperimentId* {
    const auto& baseline = find(id)->baseline;
    return baseline ? &*baseline : nullptr;
  };
  common_.visit_revised_speedups(baseline_of, revise(WatchedMetric::kSpeedup));
  return is_revised;
}

// Whether anything common is going on, or ended or began tonight.
bool AlertDetector::has_common_changes(std::size_t number) const {
  for (std::size_t m = 0; m < kTimedMetrics; ++m) {
    for (const CommonChange& change : common_.changes(metric_at(m))) {
      if (!change.closed || *change.closed == number || change.first_seen == number) return true;
    }
  }
  return false;
}

std::size_t AlertDetector::kept_nights() const {
  return std::min(nights_.size(), TimingChangeDetector::kKept);
}

void AlertDetector::recall(const RunObservations& night) {
  const std::size_t number = nights_.size() - kept_nights() + recalled_++;
  if (std::ranges::binary_search(excluded_, number)) return;
  RunObservations known = night;
  std::erase_if(known.results,
                [&](const auto& result) { return find(result.experiment) == nullptr; });
  if (rules_.are_judged_together) common_.recall(number, known, is_watched());
  (void)add_speedups(catalog_, rules_.baseline, &known);
  for (const ExperimentObservation& result : known.results) {
    Experiment& experiment = *find(result.experiment);
    for (std::size_t k = 0; k < kTimedMetrics; ++k) {
      const bool is_watched = experiment.timed[k] && result.times[k];
      if (is_watched) experiment.timed[k]->recall(*result.times[k], number);
    }
  }
}

bool AlertDetector::finish_recall() {
  bool is_whole = recalled_ == kept_nights();
  common_.finish_recall();
  for (Experiment& experiment : experiments_) {
    for (auto& watch : experiment.timed) is_whole = (!watch || watch->finish_recall()) && is_whole;
  }
  return is_whole;
}

std::string AlertDetector::state() const {
  std::vector<schema::ExperimentId> ids;
  std::vector<std::uint8_t> watches;
  for (const Experiment& experiment : experiments_) {
    ids.push_back(experiment.id);
    std::uint8_t timed = 0;
    for (std::size_t k = 0; k < kTimedMetrics; ++k) timed |= experiment.timed[k] ? 1U << k : 0U;
    watches.push_back(timed);
  }
  StateWriter write;
  write(ids, watches, one_of_models(), *this);
  return write.take();
}

bool AlertDetector::load_state(std::string_view state) {
  std::vector<schema::ExperimentId> ids, models;
  std::vector<std::uint8_t> watches;
  StateReader read(state);
  read(ids, watches, models);
  if (ids.size() != watches.size()) return false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const CatalogEntry* entry = catalog_.find(ids[i]);
    if (entry == nullptr) return false;
    Experiment& experiment = experiment_of(*entry);
    for (std::size_t k = 0; k < kTimedMetrics; ++k) {
      if ((watches[i] >> k & 1) != 0) make_watch(&experiment, k);
    }
  }
  if (experiments_.size() != ids.size()) return false;
  read(*this);
  if (!read.is_whole() || !common_.find_experiments() || !is_consistent()) return false;
  // Models have other numbers in another catalog.
  for (WatchedAlert& alert : alerts_) {
    for (AlertGroup* group : {&alert.at_first, &alert.group}) {
      if (group->scope != AlertScope::kModel) continue;
      const CatalogEntry* entry =
          group->model < models.size() ? catalog_.find(models[group->model]) : nullptr;
      if (entry == nullptr) return false;
      group->model = entry->model();
    }
  }
  return true;
}

// Whether a state that was read names only what there is.
bool AlertDetector::is_consistent() const {
  if (!qualities_.is_consistent_with(nights_.size())) return false;
  for (std::size_t m = 0; m < kTimedMetrics; ++m) {
    for (const schema::ExperimentId id : common_.experiments(metric_at(m))) {
      if (by_place_[catalog_.place(*catalog_.find(id))] == nullptr) return false;
    }
    const std::size_t changes = common_.changes(metric_at(m)).size();
    if (common_members_[m].size() > changes || common_alerts_[m].size() > changes ||
        !are_below(common_alerts_[m], alerts_.size())) {
      return false;
    }
    for (const auto& places : common_members_[m]) {
      if (!are_below(std::views::values(places), members_.size())) return false;
    }
  }
  return std::ranges::all_of(alerts_, [&](const WatchedAlert& alert) {
    return are_below(alert.group.members, members_.size()) && is_consistent(alert.history) &&
           std::ranges::all_of(alert.common, [&](const WatchedAlert::Common& common) {
             return place_of(common.metric) < kTimedMetrics &&
                    common.change < common_.changes(common.metric).size();
           });
  });
}

bool AlertDetector::is_consistent(std::span<const AlertEvent> history) const {
  return std::ranges::all_of(history, [&](const AlertEvent& event) {
    return event.kind <= AlertEventKind::kSplit &&
           std::max(event.last, event.to) < nights_.size() &&
           std::max(event.night, event.from) < nights_.size() &&
           are_below(event.members, members_.size()) && are_below(event.alerts, alerts_.size());
  });
}

// By the number that models have in this catalog, an experiment of each.
std::vector<schema::ExperimentId> AlertDetector::one_of_models() const {
  std::vector<schema::ExperimentId> one;
  for (const CatalogEntry& entry : catalog_.entries()) {
    if (entry.model() >= one.size()) one.resize(entry.model() + 1);
    one[entry.model()] = entry.id();
  }
  return one;
}

bool AlertDetector::watch(Experiment& experiment, const RunObservations& night,
                          const ExperimentObservation& result, Tonight* tonight) {
  const std::size_t number = tonight->number;
  const auto is_watched = [&](WatchedMetric metric) {
    return (*experiment.rules)[place_of(metric)].is_watched;
  };
  bool changed = false;
  for (std::size_t i = 0; i < kTimedMetrics; ++i) {
    tonight->timed += result.times[i] ? 1 : 0;
    TimingChangeDetector* watch = watch_of(experiment, result, i);
    if (watch == nullptr) continue;
    changed = watch->add(*result.times[i], number) || changed;
    prepare_steps(experiment, metric_at(i), tonight);
    for (std::size_t c = 0; c < watch->changes().size(); ++c) {
      if (!watch->changes()[c].is_candidate()) continue;
      tonight->candidates.push_back({&experiment, watch, metric_at(i), c});
    }
  }
  const auto& steady = experiment.timed[place_of(WatchedMetric::kSteady)];
  if (result.times[place_of(WatchedMetric::kSteady)] && steady && DriftDetector::is_due(*steady) &&
      is_watched(WatchedMetric::kDrift)) {
    tonight->due_for_drift.push_back(&experiment);
  }
  for (std::size_t i = 0; i < kCountMetrics; ++i) {
    if (!result.counts[i] || !is_watched(metric_at(kTimedMetrics + i))) continue;
    changed = experiment.counts[i].add(*result.counts[i], number) || changed;
  }
  changed = watch_verdicts(experiment, night, result, tonight) || changed;
  // In the nights that searches look at.
  const auto is_recent = [&](const WatchedEvent& event) {
    return event.onset + TimingChangeDetector::kWindow > number;
  };
  if (has_exact_change(experiment, is_recent)) {
    tonight->pointed_to += static_cast<std::size_t>(
        std::ranges::count_if(result.times, [](const auto& time) { return time.has_value(); }));
  }
  return changed;
}

bool AlertDetector::watch_verdicts(Experiment& experiment, const RunObservations& night,
                                   const ExperimentObservation& result, Tonight* tonight) {
  const auto watch = [&](WatchedMetric metric, VerdictChangeDetector* detector,
                         const std::string& verdict, const std::optional<std::string>& error) {
    if (!(*experiment.rules)[place_of(metric)].is_watched) return false;
    if (!detector->add(verdict, tonight->number)) return false;
    const WatchedEvent& event = detector->events().back();
    if (event.onset == tonight->number) {
      detector->describe_last(error.value_or(""),
                              tried_on(experiment.entry->backend(), night, tonight));
    }
    return true;
  };
  bool changed = false;
  if (result.code) {
    changed = watch(WatchedMetric::kVerification, &experiment.verification, *result.code,
                    result.verification_error);
  }
  if (was_tried(result)) {
    changed = watch(WatchedMetric::kTiming, &experiment.timing,
                    std::string(status_name(result.status)), result.timing_error) ||
              changed;
  }
  return changed;
}

// How many experiments of a backend were timed, verified, or failed; counted when first asked for.
std::size_t AlertDetector::tried_on(std::string_view backend, const RunObservations& night,
                                    Tonight* tonight) {
  if (tonight->tried.empty()) {
    for (const ExperimentObservation& result : night.results) {
      if (!result.code && !was_tried(result)) continue;
      ++tonight->tried[find(result.experiment)->entry->backend()];
    }
  }
  return tonight->tried[backend];
}

// Whether a change of what is exact of the experiment, a count or a verdict, fits.
template <class Fits>
bool AlertDetector::has_exact_change(const Experiment& experiment, const Fits& fits) {
  return std::ranges::any_of(experiment.verification.events(), fits) ||
         std::ranges::any_of(experiment.counts, [&](const CounterChangeDetector& count) {
           return std::ranges::any_of(count.events(), fits);
         });
}

// Whether something exact of its experiment changed where the time may have.
bool AlertDetector::is_pointed_to(const Candidate& candidate) {
  const WatchedChange& change = candidate.watch->changes()[candidate.change];
  return has_exact_change(*candidate.experiment, [&](const WatchedEvent& event) {
    return !event.is_flaky() && event.last_before < change.latest + kSameCause &&
           change.earliest < event.onset + kSameCause;
  });
}

// What disturbs the machine moves series unequally: it has to be seen on another night as well.
bool AlertDetector::is_known_by_disturbed_nights_alone(const Candidate& candidate) const {
  const WatchedChange& change = candidate.watch->changes()[candidate.change];
  return are_all_disturbed(*candidate.watch, candidate.metric, change.onset);
}

// Which of the changes that have nights enough are told tonight: among all series that were timed,
// and, where something exact says where to look, among those times alone.
void AlertDetector::decide(const Tonight& tonight) {
  std::vector<Candidate> found, pointed_to;
  for (const Candidate& candidate : tonight.candidates) {
    if (is_pointed_to(candidate)) {
      pointed_to.push_back(candidate);
    } else if (!is_known_by_disturbed_nights_alone(candidate)) {
      found.push_back(candidate);
    }
  }
  decide(found, tonight.timed, tonight.number);
  decide(pointed_to, tonight.pointed_to, tonight.number);
}

// `tests`: how many there were, if not more.
void AlertDetector::decide(std::span<const Candidate> candidates, std::size_t tests,
                           std::size_t number) {
  std::vector<double> p_values;
  for (const Candidate& candidate : candidates) {
    const WatchedChange& change = candidate.watch->changes()[candidate.change];
    double p_value = change.point.p_value;
    const double wander = common_.wander(judged_metric_of(candidate.metric));
    if (wander > 0) p_value = std::max(p_value, candidate.watch->wandering_p_value(change, wander));
    p_values.push_back(p_value);
  }
  const auto q_values = benjamini_yekutieli(p_values, std::max(tests, p_values.size()));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_told = q_values[i] <= rules_.false_discovery_rate;
    candidates[i].watch->decide(candidates[i].change,
                                is_told ? std::optional(number) : std::nullopt, q_values[i]);
    candidates[i].experiment->is_changed = true;
  }
}

// While the series' nights are near in memory: going over all of them once more takes longer than
// what is asked of each.
void AlertDetector::prepare_steps(const Experiment& experiment, WatchedMetric metric,
                                  Tonight* tonight) {
  if (!rules_.are_judged_together) return;
  if (metric == WatchedMetric::kSteady) usual_repetitions(experiment);
  const auto noise = common_.noise(metric, experiment.id);
  if (!noise) return;
  tonight->sure_steps[place_of(metric)].add(experiment.entry->model(),
                                            experiment.timed[place_of(metric)].get(), *noise);
}

// What is sure already, whatever the searches found. Speedups follow from steady times.
void AlertDetector::assert_steps(Tonight* tonight) {
  for (const WatchedMetric metric : CommonCauses::kMetrics) {
    SureStepSearch& search = tonight->sure_steps[place_of(metric)];
    std::set<const TimingChangeDetector*> told;
    for (const SureStep& step : search.run()) {
      const auto numbers = step.watch->numbers();
      if (are_all_disturbed(*step.watch, metric, numbers[numbers.size() - step.nights])) continue;
      step.watch->assert_step(step.nights, step.before, step.noise, tonight->number,
                              search.series());
      told.insert(step.watch);
    }
    if (told.empty()) continue;
    for (Experiment* experiment : tonight->experiments) {
      if (told.contains(experiment->timed[place_of(metric)].get())) experiment->is_changed = true;
    }
  }
}

// After it is decided what is told: what is not does not explain where a level went.
void AlertDetector::look_for_drift(const Tonight& tonight) {
  const auto better = watched_metric_info(WatchedMetric::kSteady).better;
  const double wander = common_.wander(WatchedMetric::kSteady);
  for (Experiment* experiment : tonight.due_for_drift) {
    const TimingChangeDetector& steady = *experiment->timed[place_of(WatchedMetric::kSteady)];
    if (experiment->drift.look(steady, better, pinned_, wander)) experiment->is_changed = true;
  }
}

WatchedMember& AlertDetector::member_of(Experiment& experiment, WatchedMetric metric,
                                        std::size_t change) {
  std::vector<std::size_t>& places = experiment.members[place_of(metric)];
  if (change == places.size()) {
    places.push_back(members_.size());
    WatchedMember& made = members_.emplace_back();
    made.experiment = experiment.id;
    made.metric = metric;
    made.change = change;
  }
  return members_[places[change]];
}

// Whether all nights of a series from one on are disturbed: what single series do on them says
// nothing yet.
bool AlertDetector::are_all_disturbed(const TimingChangeDetector& watch, WatchedMetric metric,
                                      std::size_t from) const {
  const auto numbers = watch.numbers();
  return std::all_of(std::ranges::lower_bound(numbers, from), numbers.end(),
                     [&](std::size_t night) { return qualities_.is_disturbed(metric, night); });
}

// What a new machine does to a series is known by as little as its first night: what begins there
// is taken for its doing.
bool AlertDetector::is_of_new_machine(std::size_t onset) const {
  return std::ranges::any_of(
      new_machines_, [&](std::size_t night) { return nights_apart(night, onset) <= kSameCause; });
}

// Whether a steady time recovered about that night: what speedups do then is no change of its own.
bool AlertDetector::is_back_near(const Experiment& experiment, std::size_t night) {
  const auto& steady = experiment.timed[place_of(WatchedMetric::kSteady)];
  return steady && std::ranges::any_of(steady->changes(), [&](const WatchedChange& change) {
           return change.recovered && nights_apart(*change.recovered, night) <= kSameCause;
         });
}

void AlertDetector::collect_timed(Experiment& experiment, WatchedMetric metric) {
  const auto& watch = experiment.timed[place_of(metric)];
  if (!watch) return;
  const SeriesRules& rules = (*experiment.rules)[place_of(metric)];
  const bool has_other_baseline =
      metric == WatchedMetric::kSpeedup &&
      std::exchange(experiment.collected_baseline, experiment.baseline) != experiment.baseline;
  for (std::size_t i = 0; i < watch->changes().size(); ++i) {
    // Most are withdrawn, and of such a one nothing changes any more.
    if (!has_other_baseline && is_settled(experiment, metric, i)) continue;
    const WatchedChange& change = watch->changes()[i];
    WatchedMember& member = member_of(experiment, metric, i);
    member.onset = change.onset;
    member.earliest = change.earliest;
    member.latest = change.latest;
    member.first_seen = change.first_seen;
    member.confirmed = change.confirmed;
    member.withdrawn = change.withdrawn;
    member.recovered = change.recovered;
    set_numbers(change.point, metric, &member);
    member.is_reported = !change.recovery_of &&
                         (member.worse < 0 ? rules.tell_better : rules.tell_worse) &&
                         (change.confirmed || !are_all_disturbed(*watch, metric, change.onset)) &&
                         !is_of_new_machine(change.onset);
    member.p_value = change.point.p_value;
    member.q_value = change.q_value;
    if (metric == WatchedMetric::kSpeedup) {
      member.baseline = experiment.baseline;
      const bool is_recovery =
          is_back_near(experiment, change.onset) ||
          (experiment.baseline && is_back_near(*find(*experiment.baseline), change.onset));
      member.is_reported = member.is_reported && !is_recovery;
    }
  }
}

void AlertDetector::set_numbers(const ChangePoint& point, WatchedMetric metric,
                                WatchedMember* member) {
  member->effect = point.effect;
  member->worse = worse_of(point.effect, watched_metric_info(metric).better);
  member->before = std::exp(point.before);
  member->after = std::exp(point.after);
  member->interval = point.interval;
  member->nights_before = point.nights_before;
  member->nights_after = point.nights_after;
}

void AlertDetector::measure_members() {
  for (WatchedMember& member : members_) {
    const bool is_timed = watched_metric_info(member.metric).kind == MetricKind::kTimed;
    if (!is_timed || member.is_common || member.withdrawn || member.recovered) continue;
    const TimingChangeDetector* watch = timed(member.experiment, member.metric);
    const WatchedChange& change = watch->changes()[member.change];
    const ChangePoint now = watch->measured_now(change);
    // Which way it went is a verdict: that is the search's.
    if ((now.effect > 0) == (change.point.effect > 0)) set_numbers(now, member.metric, &member);
  }
}

bool AlertDetector::is_settled(const Experiment& experiment, WatchedMetric metric,
                               std::size_t change) const {
  const std::vector<std::size_t>& places = experiment.members[place_of(metric)];
  return change < places.size() && places[change] < is_settled_.size() &&
         is_settled_[places[change]];
}

void AlertDetector::collect_events(Experiment& experiment, WatchedMetric metric,
                                   std::span<const WatchedEvent> events) {
  const WatchedMetricInfo& info = watched_metric_info(metric);
  const SeriesRules& rules = (*experiment.rules)[place_of(metric)];
  for (std::size_t i = 0; i < events.size(); ++i) {
    const WatchedEvent& event = events[i];
    WatchedMember& member = member_of(experiment, metric, i);
    member.onset = member.latest = member.first_seen = event.onset;
    member.earliest = event.last_before + 1;
    if (!event.is_flaky()) member.confirmed = event.onset;
    member.recovered = event.recovered;
    member.before_text = event.before;
    member.after_text = event.after;
    member.flips = event.flips;
    member.of = event.of;
    member.signature = event.signature;
    member.tried = event.tried;
    member.p_value = member.q_value = 0;
    if (info.kind == MetricKind::kCount) {
      member.before = std::stod(event.before);
      member.after = std::stod(event.after);
      member.worse = worse_of(member.after - member.before, info.better);
    } else {
      member.worse = 1;
    }
    member.is_reported = member.worse < 0 ? rules.tell_better : rules.tell_worse;
  }
}

void AlertDetector::collect_drifts(Experiment& experiment) {
  const auto drifts = experiment.drift.drifts();
  for (std::size_t i = 0; i < drifts.size(); ++i) {
    const WatchedDrift& drift = drifts[i];
    const double moved = drift.after - drift.before;
    WatchedMember& member = member_of(experiment, WatchedMetric::kDrift, i);
    member.onset = member.earliest = member.latest = drift.onset;
    member.first_seen = drift.first_seen;
    member.confirmed = drift.first_seen;
    member.recovered = drift.recovered;
    member.before = std::exp(drift.before);
    member.after = std::exp(drift.after);
    member.effect = std::expm1(moved);
    member.worse = worse_of(member.effect, watched_metric_info(WatchedMetric::kDrift).better);
    member.error = drift.error;
    constexpr double kReach = 1.96;  // standard errors, 95 %
    member.interval = {std::expm1(moved - kReach * drift.error),
                       std::expm1(moved + kReach * drift.error), 0.95};
    member.p_value = member.q_value = std::erfc(std::abs(moved) / drift.error / std::sqrt(2.0));
    member.nights_before = member.nights_after = DriftDetector::kStretch;
    member.is_reported = (*experiment.rules)[place_of(WatchedMetric::kDrift)].tell_worse;
  }
}

void AlertDetector::collect_members() {
  for (Experiment& experiment : experiments_) {
    if (!std::exchange(experiment.is_changed, false)) continue;
    for (std::size_t i = 0; i < kTimedMetrics; ++i) collect_timed(experiment, metric_at(i));
    for (std::size_t i = 0; i < kCountMetrics; ++i) {
      collect_events(experiment, metric_at(kTimedMetrics + i), experiment.counts[i].events());
    }
    collect_events(experiment, WatchedMetric::kVerification, experiment.verification.events());
    collect_events(experiment, WatchedMetric::kTiming, experiment.timing.events());
    collect_drifts(experiment);
  }
  for (std::size_t place = is_settled_.size(); place < members_.size(); ++place) {
    if (members_[place].is_common) continue;
    standing_members_.push_back({place, catalog_.find(members_[place].experiment)});
  }
  is_settled_.resize(members_.size(), false);
  std::erase_if(standing_members_, [&](const CurrentMember& one) {
    is_settled_[one.place] = members_[one.place].withdrawn.has_value();
    return is_settled_[one.place];
  });
}

std::vector<AlertGroup> AlertDetector::groups_now() const {
  auto groups = group_changes(members_, standing_members_, catalog_);
  // By onset, so that alerts of one night are numbered in a fixed order.
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.onset < b.onset; });
  return groups;
}

// What a common change did to each series: as it is known now.
void AlertDetector::collect_common(WatchedMetric metric, std::size_t place) {
  const CommonChange& change = common_.changes(metric)[place];
  const WatchedMetricInfo& info = watched_metric_info(metric);
  auto& places = common_members_[place_of(metric)][place];
  for (std::size_t m = 0; m < change.members.size(); ++m) {
    const double moved = change.effects.effect[m], before = change.before[m];
    const bool is_withdrawn = change.stage == CommonStage::kWithdrawn;
    const auto update_state = [&](WatchedMember* member) {
      member->confirmed = change.confirmed;
      member->withdrawn = is_withdrawn ? change.closed : std::nullopt;
      member->recovered = change.stage == CommonStage::kRecovered ? change.closed : std::nullopt;
    };
    // Of one of which nothing new is known the numbers stay.
    if (const auto old = places.find(change.members[m]); old != places.end()) {
      update_state(&members_[old->second]);
    }
    if (!std::isfinite(before)) continue;
    const CatalogEntry& entry = common_.series(metric, change.members[m]);
    const double error = std::sqrt(change.effects.variance[m]);
    const int worse = worse_of(std::expm1(moved), info.better);
    const SeriesRules& rules = (*by_place_[catalog_.place(entry)]->rules)[place_of(metric)];
    // Where it did nothing that can be told from nothing, there is nothing to tell.
    constexpr double kReach = 1.96;  // standard errors, 95 %
    const bool is_reported =
        std::abs(moved) > kReach * error && (worse < 0 ? rules.tell_better : rules.tell_worse);
    if (!is_reported && !places.contains(change.members[m])) continue;
    const auto [known, is_new] = places.try_emplace(change.members[m], members_.size());
    if (is_new) members_.emplace_back();
    WatchedMember& member = members_[known->second];
    member.worse = worse;
    member.is_reported = is_reported;
    member.experiment = entry.id();
    member.metric = metric;
    member.change = place;
    member.is_common = true;
    member.onset = member.earliest = member.latest = change.onset;
    member.first_seen = change.first_seen;
    update_state(&member);
    member.effect = std::expm1(moved);
    member.interval = {std::expm1(moved - kReach * error), std::expm1(moved + kReach * error),
                       0.95};
    member.p_value = member.q_value =
        std::erfc(std::abs(moved) / std::max(error, 1e-12) / std::numbers::sqrt2);
    member.before = std::exp(before);
    member.after = std::exp(before + moved);
    const std::size_t now = nights_.size() - 1;
    member.nights_before = std::min<std::size_t>(change.onset, 20);
    member.nights_after = std::min<std::size_t>(now + 1 - change.onset, 10);
  }
}

void AlertDetector::collect_common() {
  const std::size_t now = nights_.size() - 1;
  for (std::size_t m = 0; m < kTimedMetrics; ++m) {
    const auto changes = common_.changes(metric_at(m));
    common_members_[m].resize(changes.size());
    for (std::size_t place = 0; place < changes.size(); ++place) {
      const auto& closed = changes[place].closed;
      if (!closed || *closed == now) collect_common(metric_at(m), place);
    }
  }
}

// The alert of a common change: one that tells of another of the same scope that began then, or a
// new one. It stays with it.
std::size_t AlertDetector::alert_of(WatchedMetric metric, std::size_t change, std::size_t number) {
  const CommonChange& common = common_.changes(metric)[change];
  AlertGroup group;
  group.scope = common.scope == CommonScope::kMachine ? AlertScope::kMachine : AlertScope::kBackend;
  if (group.scope == AlertScope::kBackend) group.backend = common_.backend(common.backend);
  group.onset = common.onset;
  for (std::size_t a = 0; a < alerts_.size(); ++a) {
    WatchedAlert& alert = alerts_[a];
    const bool is_same = !alert.group.is_of_failures && alert.group.scope == group.scope &&
                         alert.group.backend == group.backend &&
                         nights_apart(alert.group.onset, group.onset) <= kSameCause &&
                         alert.stage != AlertStage::kWithdrawn;
    // Of one metric two changes are two events.
    const bool has_metric = std::ranges::find(alert.common, metric,
                                              &WatchedAlert::Common::metric) != alert.common.end();
    if (!is_same || has_metric) continue;
    alert.common.push_back({metric, change});
    return a;
  }
  WatchedAlert& made = alerts_.emplace_back();
  made.first_seen = number;
  made.at_first = made.group = std::move(group);
  made.common.push_back({metric, change});
  return alerts_.size() - 1;
}

void AlertDetector::update_common_alerts(std::size_t number) {
  std::set<std::size_t> changed;
  for (std::size_t m = 0; m < kTimedMetrics; ++m) {
    const auto changes = common_.changes(metric_at(m));
    std::vector<std::size_t>& known = common_alerts_[m];
    for (std::size_t c = 0; c < changes.size(); ++c) {
      if (c == known.size()) known.push_back(alert_of(metric_at(m), c, number));
      if (!changes[c].closed || *changes[c].closed == number) changed.insert(known[c]);
    }
  }
  for (const std::size_t place : changed) {
    WatchedAlert& alert = alerts_[place];
    alert.group.members.clear();
    bool is_confirmed = false, is_suspect = false, is_recovered = false, is_improved = false;
    bool was_confirmed = false, is_loss_over = false;
    std::optional<std::size_t> onset, onset_of_none, taken_in_by;
    for (const auto& [metric, c] : alert.common) {
      const CommonChange& change = common_.changes(metric)[c];
      if (change.taken_in_by) taken_in_by = common_alerts_[place_of(metric)][*change.taken_in_by];
      bool is_told = false, is_worse = false;
      for (const auto& [series, member] : common_members_[place_of(metric)][c]) {
        if (!members_[member].is_reported) continue;
        alert.group.members.push_back(member);
        is_told = true;
        is_worse = is_worse || members_[member].worse > 0;
      }
      if (change.stage == CommonStage::kWithdrawn) continue;
      was_confirmed = was_confirmed || change.confirmed.has_value();
      // An improvement of one kind of time does not keep a regression of another open.
      const bool is_open = change.stage == CommonStage::kConfirmed;
      is_confirmed = is_confirmed || (is_open && (is_worse || !is_told));
      is_improved = is_improved || (is_open && !is_worse && is_told);
      is_suspect = is_suspect || change.stage == CommonStage::kSuspect;
      const bool is_over = change.stage == CommonStage::kRecovered;
      is_recovered = is_recovered || is_over;
      is_loss_over = is_loss_over || (is_over && is_worse);
      std::optional<std::size_t>& first = is_told ? onset : onset_of_none;
      first = std::min(first.value_or(change.onset), change.onset);
    }
    is_confirmed = is_confirmed || (is_improved && !is_loss_over);
    if (was_confirmed && !alert.confirmed) alert.confirmed = number;
    // What was confirmed of it was taken back.
    if (!was_confirmed && is_suspect) alert.confirmed.reset();
    std::ranges::sort(alert.group.members);
    const std::size_t onset_before = alert.group.onset;
    alert.group.onset = onset ? *onset : onset_of_none.value_or(onset_before);
    const AlertStage before = alert.stage;
    alert.stage = is_confirmed   ? AlertStage::kConfirmed
                  : is_recovered ? AlertStage::kRecovered
                  : is_suspect   ? AlertStage::kSuspect
                                 : AlertStage::kWithdrawn;
    alert.merged_into = alert.stage == AlertStage::kWithdrawn ? taken_in_by : std::nullopt;
    const bool is_open = is_confirmed || alert.stage == AlertStage::kSuspect;
    if (is_open) alert.closed.reset();
    if (!is_open && before != alert.stage) alert.closed = number;
    note_onset(place, onset_before, number);
    note_common(place, number);
    note_stage(place, before, number);
  }
}

// The alert of a machine or a backend that explains what began with it.
std::optional<std::size_t> AlertDetector::common_alert_over(const AlertGroup& group) const {
  for (std::size_t a = 0; a < alerts_.size(); ++a) {
    const WatchedAlert& alert = alerts_[a];
    if (alert.common.empty() || alert.stage == AlertStage::kWithdrawn) continue;
    if (nights_apart(alert.group.onset, group.onset) > kSameCause) continue;
    if (alert.group.scope == AlertScope::kMachine) return a;
    const bool is_of_backend = std::ranges::any_of(group.members, [&](std::size_t place) {
      return catalog_.find(members_[place].experiment)->backend() == alert.group.backend;
    });
    if (is_of_backend) return a;
  }
  return std::nullopt;
}

// How open alerts and the groups of tonight share members.
struct AlertDetector::Regrouping {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // `open`: place in open_alerts_
  struct Tie {
    std::size_t count, open, group;
  };
  std::vector<std::size_t> group_of;  // by member; kNone
  std::vector<Tie> ties;              // the closest first, of equals the oldest alert
  std::vector<std::optional<std::size_t>> alert_of;  // by group
  std::vector<bool> goes_on;                         // by place in open_alerts_
};

void AlertDetector::update_alerts(std::size_t number) {
  collect_members();
  collect_common();
  update_common_alerts(number);
  auto groups = groups_now();
  note_new_alerts();
  const Regrouping regrouping = regroup(groups);
  const auto alert_of = alerts_of_groups(regrouping, groups, number);
  std::vector<std::optional<std::size_t>> taken_by(open_alerts_.size());
  for (const Regrouping::Tie& tie : regrouping.ties) {
    if (!regrouping.goes_on[tie.open] && !taken_by[tie.open]) {
      taken_by[tie.open] = alert_of[tie.group];
    }
  }
  for (std::size_t k = 0; k < open_alerts_.size(); ++k) {
    WatchedAlert& alert = alerts_[open_alerts_[k]];
    if (regrouping.goes_on[k]) continue;
    std::erase_if(alert.group.members,
                  [&](std::size_t place) { return !members_[place].is_reported; });
    const AlertStage before = std::exchange(alert.stage, AlertStage::kWithdrawn);
    if (before == AlertStage::kWithdrawn) continue;
    alert.closed = number;
    alert.merged_into = taken_by[k] ? taken_by[k] : common_alert_over(alert.group);
    note_stage(open_alerts_[k], before, number);
  }
  forget_closed_alerts();
  const auto alert_telling = [&](std::size_t member) {
    const std::size_t group = regrouping.group_of[member];
    return group == Regrouping::kNone ? std::nullopt : std::optional(alert_of[group]);
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    WatchedAlert& alert = alerts_[alert_of[g]];
    const AlertGroup before = std::exchange(alert.group, std::move(groups[g]));
    const AlertStage stage = alert.stage;
    note_members(alert_of[g], before.members, alert_telling, number);
    note_onset(alert_of[g], before.onset, number);
    update_stage(&alert, number);
    note_stage(alert_of[g], stage, number);
    alert.merged_into.reset();
  }
}

// Each group goes on with the alert that it shares most with; of equals with the oldest. An alert
// keeps its subject: it goes on with no group that is about something else.
AlertDetector::Regrouping AlertDetector::regroup(std::span<const AlertGroup> groups) const {
  Regrouping now;
  now.group_of.resize(members_.size(), Regrouping::kNone);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::size_t place : groups[g].members) now.group_of[place] = g;
  }
  std::vector<std::size_t> shared;
  for (std::size_t k = 0; k < open_alerts_.size(); ++k) {
    shared.clear();
    for (const std::size_t place : alerts_[open_alerts_[k]].group.members) {
      if (now.group_of[place] != Regrouping::kNone) shared.push_back(now.group_of[place]);
    }
    std::sort(shared.begin(), shared.end());
    for (auto from = shared.begin(); from != shared.end();) {
      const auto end = std::upper_bound(from, shared.end(), *from);
      now.ties.push_back({static_cast<std::size_t>(end - from), k, *from});
      from = end;
    }
  }
  std::stable_sort(now.ties.begin(), now.ties.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  now.alert_of.resize(groups.size());
  now.goes_on.resize(open_alerts_.size(), false);
  for (const Regrouping::Tie& tie : now.ties) {
    if (now.goes_on[tie.open] || now.alert_of[tie.group]) continue;
    if (!has_same_subject(alerts_[open_alerts_[tie.open]].at_first, groups[tie.group])) continue;
    now.goes_on[tie.open] = true;
    now.alert_of[tie.group] = open_alerts_[tie.open];
  }
  return now;
}

std::vector<std::size_t> AlertDetector::alerts_of_groups(const Regrouping& regrouping,
                                                         std::span<const AlertGroup> groups,
                                                         std::size_t number) {
  std::vector<std::size_t> places;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    places.push_back(regrouping.alert_of[g].value_or(alerts_.size()));
    if (regrouping.alert_of[g]) continue;
    WatchedAlert& made = alerts_.emplace_back();
    made.first_seen = number;
    made.at_first = groups[g];
    made.at_first.members.clear();
    made.group.onset = groups[g].onset;
    // Suspects are grouped one way tonight and another way tomorrow.
    const auto tie = std::ranges::find_if(regrouping.ties, [&](const Regrouping::Tie& one) {
      return one.group == g && regrouping.goes_on[one.open] &&
             alerts_[open_alerts_[one.open]].confirmed.has_value();
    });
    if (tie == regrouping.ties.end()) continue;
    const std::size_t older = open_alerts_[tie->open];
    std::vector<std::size_t> shared;
    std::ranges::set_intersection(alerts_[older].group.members, groups[g].members,
                                  std::back_inserter(shared));
    note(places.back(), AlertEventKind::kSplit, number, std::move(shared), {older});
  }
  return places;
}

// What is withdrawn for good has no group any more, and most alerts that ever were are so.
void AlertDetector::forget_closed_alerts() {
  std::erase_if(open_alerts_, [&](std::size_t a) {
    return alerts_[a].stage == AlertStage::kWithdrawn &&
           std::ranges::all_of(alerts_[a].group.members,
                               [&](std::size_t place) { return bool{is_settled_[place]}; });
  });
}

void AlertDetector::note_new_alerts() {
  for (; seen_alerts_ < alerts_.size(); ++seen_alerts_) {
    if (alerts_[seen_alerts_].common.empty()) open_alerts_.push_back(seen_alerts_);
  }
}

// What got slower with a model together is over together: once half of the series of a metric have
// recovered within some nights, the others have where two nights and more say so. A noisy one takes
// many more to be sure by itself, and would keep the alert open.
void AlertDetector::recover_together(std::size_t number) {
  note_new_alerts();
  for (const std::size_t place : open_alerts_) {
    const WatchedAlert& alert = alerts_[place];
    const bool is_told =
        alert.stage == AlertStage::kConfirmed || alert.stage == AlertStage::kRecovered;
    if (alert.group.scope != AlertScope::kModel || !is_told) continue;
    for (const WatchedMetric metric : CommonCauses::kMetrics) {
      recover_together(alert, metric, number);
    }
  }
}

void AlertDetector::recover_together(const WatchedAlert& alert, WatchedMetric metric,
                                     std::size_t number) {
  constexpr double kLikely = 1;                                      // natural logarithm
  constexpr std::size_t kFewest = 2, kTogether = 10;                 // nights
  std::vector<std::pair<Experiment*, std::size_t>> recovered, open;  // and the change's place
  bool are_likely = true;
  for (const std::size_t m : alert.group.members) {
    const WatchedMember& member = members_[m];
    if (member.metric != metric || member.is_common || member.worse <= 0) continue;
    Experiment& experiment = *find(member.experiment);
    TimingChangeDetector& watch = *experiment.timed[place_of(metric)];
    const WatchedChange& change = watch.changes()[member.change];
    if (!change.confirmed || change.withdrawn) continue;
    const bool is_recent = change.recovered && number - *change.recovered <= kTogether;
    // It was no recovery, unless this night says nothing.
    if (is_recent && change.is_over_with_others && !qualities_.is_disturbed(metric, number) &&
        watch.back_of(change).evidence <= 0) {
      watch.reopen(member.change);
      experiment.is_changed = true;
      return;
    }
    if (is_recent) recovered.emplace_back(&experiment, member.change);
    if (change.recovered) continue;
    const auto back = watch.back_of(change);
    are_likely = are_likely && back.evidence >= kLikely && back.nights >= kFewest;
    open.emplace_back(&experiment, member.change);
  }
  if (recovered.empty() || recovered.size() < open.size()) return;
  // What each of several says by itself is not taken back by nights that say nothing.
  for (const auto& [experiment, change] : recovered) {
    TimingChangeDetector& watch = *experiment->timed[place_of(metric)];
    if (recovered.size() > 1) watch.recover(change, *watch.changes()[change].recovered);
  }
  if (!are_likely) return;
  for (const auto& [experiment, change] : open) {
    experiment->timed[place_of(metric)]->recover(change, number);
    experiment->is_changed = true;
  }
}

void AlertDetector::update_stage(WatchedAlert* alert, std::size_t number) {
  // Of a speedup its own time or the baseline's tells more.
  const auto is_regression = [](const WatchedMember& member) {
    return member.confirmed && member.worse > 0 && member.metric != WatchedMetric::kSpeedup;
  };
  bool has_regression = false;
  for (const std::size_t place : alert->group.members) {
    const WatchedMember& member = members_[place];
    if (member.confirmed && !alert->confirmed) alert->confirmed = number;
    has_regression = has_regression || is_regression(member);
  }
  // What keeps it open: of one that was confirmed no suspect, and of a regression no improvement.
  bool is_open = false;
  for (const std::size_t place : alert->group.members) {
    const WatchedMember& member = members_[place];
    const bool counts =
        has_regression ? is_regression(member) : (!alert->confirmed || member.confirmed);
    is_open = is_open || (counts && !member.recovered);
  }
  const AlertStage before = alert->stage;
  alert->stage = !is_open ? AlertStage::kRecovered
                          : (alert->confirmed ? AlertStage::kConfirmed : AlertStage::kSuspect);
  if (is_open) {
    alert->closed.reset();
  } else if (before != AlertStage::kRecovered) {
    alert->closed = number;
  }
}

}  // namespace benchhud::analysis
