// What of each watch is its state, beside the times of the nights that are kept.
// AlertDetector::state() writes, as BytesWriter lays out values (state_bytes.h):
//   ids of the experiments: vector, in the order in which the detector has them
//   of each its timed metrics that are watched: vector of bits, std::uint8_t
//   by the number that models have in the catalog, the id of an experiment of each: vector
//   the AlertDetector: its nights; the fields of each experiment, in the order of the ids and
//     without a count, of its timed metrics those that are watched; then its other fields
// The fields of a type are what its of() below gives the archive, in that order.
#pragma once

#include "analysis/alerts/alert_detector.h"
#include "analysis/alerts/alert_groups.h"
#include "analysis/alerts/alert_history.h"
#include "analysis/alerts/common_causes.h"
#include "analysis/alerts/drift_detector.h"
#include "analysis/alerts/event_detectors.h"
#include "analysis/alerts/night_qualities.h"
#include "analysis/alerts/run_observations.h"
#include "analysis/alerts/state_bytes.h"
#include "analysis/alerts/timing_change_detector.h"

namespace benchhud::analysis {

/// Where a type is all state, its fields are named by binding them: one that is added is not
/// forgotten.
struct StateFields {
  template <class Archive, Either<Night> T>
  static void of(Archive& archive, T& night) {
    auto& [level, variance, count] = night;
    archive(level, variance, count);
  }
  template <class Archive, Either<ExperimentObservation> T>
  static void of(Archive& archive, T& night) {
    auto& [experiment, times, counts, code, status, timing_error, verification_error] = night;
    archive(experiment, times, counts, code, status, timing_error, verification_error);
  }
  template <class Archive, Either<RunObservations> T>
  static void of(Archive& archive, T& night) {
    auto& [run, started_at, results, machine] = night;
    (void)machine;  // a label of the run, which may change: it is asked for
    archive(run, started_at, results);
  }

  template <class Archive, Either<NightNoise> T>
  static void of(Archive& archive, T& noise) {
    auto& [deviation, correlation] = noise;
    archive(deviation, correlation);
  }
  template <class Archive, Either<Interval> T>
  static void of(Archive& archive, T& interval) {
    auto& [low, high, confidence] = interval;
    archive(low, high, confidence);
  }
  template <class Archive, Either<ChangePoint> T>
  static void of(Archive& archive, T& point) {
    auto& [at, earliest, latest, before, after, reach, effect, interval, p_value, state,
           nights_before, nights_after] = point;
    archive(at, earliest, latest, before, after, reach, effect, interval, p_value, state,
            nights_before, nights_after);
  }
  template <class Archive, Either<WatchedChange> T>
  static void of(Archive& archive, T& change) {
    auto& [point, onset, earliest, latest, first_seen, q_value, confirmed, withdrawn, recovered,
           recovery_of, missed, begin, is_asserted, noise, is_early, is_over] = change;
    archive(point, onset, earliest, latest, first_seen, q_value, confirmed, withdrawn, recovered,
            recovery_of, missed, begin, is_asserted, noise, is_early, is_over);
  }
  // What the last search found is in the changes. Of the nights only their levels are written, as
  // they are judged: the rest is in the nights that are recalled.
  template <class Archive, Either<TimingChangeDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.changes_, watch.search_.noise, watch.begin_, watch.searched_, watch.screen_,
            watch.first_);
    if constexpr (std::is_const_v<T>) {
      std::vector<float> levels;
      for (const Night& night : watch.nights_) levels.push_back(static_cast<float>(night.level));
      archive(levels);
    } else {
      archive(watch.recalled_);
    }
  }
  // The rest is made anew from the nights.
  template <class Archive, Either<SearchTrigger> T>
  static void of(Archive& archive, T& screen) {
    archive(screen.level_, screen.begin_, screen.deviation_, screen.correlation_, screen.cut_);
  }

  template <class Archive, Either<WatchedDrift> T>
  static void of(Archive& archive, T& drift) {
    auto& [onset, place, first_seen, before, after, most, error, recovered] = drift;
    archive(onset, place, first_seen, before, after, most, error, recovered);
  }
  template <class Archive, Either<DriftDetector::Stretch> T>
  static void of(Archive& archive, T& stretch) {
    auto& [begin, last, level] = stretch;
    archive(begin, last, level);
  }
  template <class Archive, Either<DriftDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.drifts_, watch.begin_, watch.stretches_, watch.pinned_, watch.seen_pinned_);
  }

  template <class Archive, Either<Evidence::Node> T>
  static void of(Archive& archive, T& node) {
    auto& [statistics, last, seen, begun, run, begins] = node;
    archive(statistics, last, seen, begun, run, begins);
  }
  template <class Archive, Either<EvidenceRules> T>
  static void of(Archive& archive, T& rules) {
    auto& [most, degrees, is_two_sided, learns] = rules;
    archive(most, degrees, is_two_sided, learns);
  }
  template <class Archive, Either<Evidence> T>
  static void of(Archive& archive, T& evidence) {
    archive(evidence.rules_, evidence.nodes_, evidence.stayed_, evidence.off_);
  }
  template <class Archive, Either<MeanScatter> T>
  static void of(Archive& archive, T& scatter) {
    archive(scatter.usual_, scatter.excess_, scatter.pairs_);
  }
  template <class Archive, Either<UsualDisagreement> T>
  static void of(Archive& archive, T& usual) {
    archive(usual.nights_, usual.middle_, usual.deviation_);
  }
  template <class Archive, Either<Effects> T>
  static void of(Archive& archive, T& effects) {
    auto& [effect, variance, pooled] = effects;
    archive(effect, variance, pooled);
  }
  template <class Archive, Either<CommonChange> T>
  static void of(Archive& archive, T& change) {
    auto& [scope, backend, stage, direction, is_disagreement, onset, first_seen, confirmed, closed,
           taken_in_by, members, before, effects, others_moved, others, earlier, begin, end, over,
           over_from, is_turn] = change;
    archive(scope, backend, stage, direction, is_disagreement, onset, first_seen, confirmed, closed,
            taken_in_by, members, before, effects, others_moved, others, earlier, begin, end, over,
            over_from, is_turn);
  }
  template <class Archive, Either<CommonChange::Spell> T>
  static void of(Archive& archive, T& spell) {
    auto& [begin, end, members, effect] = spell;
    archive(begin, end, members, effect);
  }
  template <class Archive, Either<SeriesNoise> T>
  static void of(Archive& archive, T& noise) {
    auto& [deviation, correlation, differences, is_correlation_known] = noise;
    archive(deviation, correlation, differences, is_correlation_known);
  }
  template <class Archive, Either<CommonChangeDetector::Series> T>
  static void of(Archive& archive, T& series) {
    auto& [model, backend, noise, wander, deviation, correlation] = series;
    archive(model, backend, noise, wander, deviation, correlation);
  }
  template <class Archive, Either<CommonChangeDetector::Memory> T>
  static void of(Archive& archive, T& memory) {
    auto& [machine, machine_disagreement, backend, backend_disagreement, machine_scatter,
           backend_scatter, fleet_usual, backend_usual, moved, moved_variance, beside,
           beside_variance] = memory;
    archive(machine, machine_disagreement, backend, backend_disagreement, machine_scatter,
            backend_scatter, fleet_usual, backend_usual, moved, moved_variance, beside,
            beside_variance);
  }
  template <class Archive, Either<Disturbance> T>
  static void of(Archive& archive, T& disturbance) {
    auto& [added, share] = disturbance;
    archive(added, share);
  }
  template <class Archive, Either<CommonChangeDetector::Node> T>
  static void of(Archive& archive, T& node) {
    auto& [scope, number] = node;
    archive(scope, number);
  }
  // The levels are in the nights that are recalled.
  template <class Archive, Either<CommonChangeDetector::Row> T>
  static void of(Archive& archive, T& row) {
    archive(row.night, row.states, row.machine, row.disturbance, row.is_disturbed, row.explained);
  }
  template <class Archive, Either<CommonChangeDetector> T>
  static void of(Archive& archive, T& detector) {
    archive(detector.series_, detector.of_backend_, detector.wander_, detector.usual_worth_,
            detector.rows_, detector.explained_, detector.memory_, detector.before_,
            detector.changes_, detector.states_, detector.machines_, detector.first_machine_);
  }
  template <class Archive, Either<CommonCauses::OfMetric> T>
  static void of(Archive& archive, T& metric) {
    archive(metric.experiments, metric.detector);
  }
  template <class Archive, Either<CommonCauses> T>
  static void of(Archive& archive, T& causes) {
    archive(causes.metrics_, causes.backends_, causes.machines_);
  }

  template <class Archive, Either<WatchedEvent> T>
  static void of(Archive& archive, T& event) {
    auto& [before, after, onset, last_before, recovered, flips, out_of, signature, tried] = event;
    archive(before, after, onset, last_before, recovered, flips, out_of, signature, tried);
  }
  template <class Archive, Either<CounterChangeDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.events_, watch.flips_, watch.last_, watch.count_, watch.last_number_);
  }
  template <class Archive, Either<VerdictChangeDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.events_, watch.flips_, watch.last_, watch.count_, watch.last_good_);
  }

  template <class Archive, Either<WatchedMember> T>
  static void of(Archive& archive, T& member) {
    auto& [experiment, metric, change, is_common, onset, earliest, latest, first_seen, confirmed,
           withdrawn, recovered, is_reported, worse, before, after, effect, interval, error,
           p_value, q_value, nights_before, nights_after, before_text, after_text, flips, out_of,
           signature, tried, baseline] = member;
    archive(experiment, metric, change, is_common, onset, earliest, latest, first_seen, confirmed,
            withdrawn, recovered, is_reported, worse, before, after, effect, interval, error,
            p_value, q_value, nights_before, nights_after, before_text, after_text, flips, out_of,
            signature, tried, baseline);
  }
  template <class Archive, Either<AlertGroup> T>
  static void of(Archive& archive, T& group) {
    auto& [scope, backend, model, is_of_failures, onset, members] = group;
    archive(scope, backend, model, is_of_failures, onset, members);
  }
  template <class Archive, Either<WatchedAlert> T>
  static void of(Archive& archive, T& alert) {
    auto& [at_first, group, stage, first_seen, confirmed, closed, merged_into, common, history] =
        alert;
    archive(at_first, group, stage, first_seen, confirmed, closed, merged_into, common, history);
  }
  template <class Archive, Either<AlertEvent> T>
  static void of(Archive& archive, T& event) {
    auto& [kind, night, last, count, from, to, members, alerts] = event;
    archive(kind, night, last, count, from, to, members, alerts);
  }
  template <class Archive, Either<WatchedAlert::Common> T>
  static void of(Archive& archive, T& common) {
    auto& [metric, change] = common;
    archive(metric, change);
  }
  template <class Archive, Either<AlertDetector::NightOf> T>
  static void of(Archive& archive, T& night) {
    auto& [run, started_at] = night;
    archive(run, started_at);
  }

  template <class Archive, Either<NightQuality> T>
  static void of(Archive& archive, T& quality) {
    auto& [judged, off, is_disturbed, alike, scatter] = quality;
    archive(judged, off, is_disturbed, alike, scatter);
  }
  template <class Archive, Either<NightQualities> T>
  static void of(Archive& archive, T& qualities) {
    archive(qualities.nights_, qualities.disturbed_);
  }
  template <class Archive, Either<AlertDetector::Experiment> T>
  static void of(Archive& archive, T& experiment) {
    for (auto& watch : experiment.timed) {
      if (watch) archive(*watch);
    }
    archive(experiment.counts, experiment.drift, experiment.verification, experiment.timing,
            experiment.baseline, experiment.collected_baseline, experiment.members);
  }
  template <class Archive, Either<AlertDetector> T>
  static void of(Archive& archive, T& fleet) {
    archive(fleet.nights_, fleet.excluded_, fleet.pinned_, fleet.new_machines_);
    for (auto& experiment : fleet.experiments_) archive(experiment);
    archive(fleet.members_, fleet.alerts_, fleet.common_, fleet.common_members_,
            fleet.common_alerts_, fleet.qualities_);
  }
};

using StateWriter = BytesWriter<StateFields>;
using StateReader = BytesReader<StateFields>;

}  // namespace benchhud::analysis
