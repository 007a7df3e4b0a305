// What of each watch is its state, beside the nights themselves. AlertDetector::state() writes, as
// BytesWriter lays out values (state_bytes.h):
//   number of nights: std::size_t
//   ids of the experiments: vector, in the order in which the detector has them
//   by the number that models have in the catalog, the id of an experiment of each: vector
//   the AlertDetector: the fields of each experiment, in the order of the ids and without a count;
//     then its other fields
// The fields of a type are what its of() below gives the archive, in that order. Of an experiment's
// timed metrics only those are there that have a watch, and nothing says which: the nights, which
// are replayed before this is read, make the watches.
#pragma once

#include "analysis/alerts/alert_detector.h"
#include "analysis/alerts/alert_groups.h"
#include "analysis/alerts/drift_detector.h"
#include "analysis/alerts/event_detectors.h"
#include "analysis/alerts/run_observations.h"
#include "analysis/alerts/state_bytes.h"
#include "analysis/alerts/timing_change_detector.h"
#include "analysis/statistics/multiplicity.h"

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
    auto& [experiment, times, counts, code, status] = night;
    archive(experiment, times, counts, code, status);
  }
  template <class Archive, Either<RunObservations> T>
  static void of(Archive& archive, T& night) {
    auto& [run, started_at, results] = night;
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
           recovery_of, missed, begin] = change;
    archive(point, onset, earliest, latest, first_seen, q_value, confirmed, withdrawn, recovered,
            recovery_of, missed, begin);
  }
  // What the last search found is in the changes.
  template <class Archive, Either<TimingChangeDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.changes_, watch.search_.noise, watch.begin_, watch.searched_, watch.screen_);
  }
  // The rest is made anew from the nights.
  template <class Archive, Either<SearchTrigger> T>
  static void of(Archive& archive, T& screen) {
    archive(screen.level_, screen.begin_, screen.deviation_, screen.correlation_, screen.cut_);
  }

  template <class Archive, Either<WatchedDrift> T>
  static void of(Archive& archive, T& drift) {
    auto& [onset, first_seen, before, after, most, error, recovered] = drift;
    archive(onset, first_seen, before, after, most, error, recovered);
  }
  template <class Archive, Either<DriftDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.drifts_, watch.begin_, watch.stretches_);
  }

  template <class Archive, Either<WatchedEvent> T>
  static void of(Archive& archive, T& event) {
    auto& [before, after, onset, last_before, recovered, flips, out_of] = event;
    archive(before, after, onset, last_before, recovered, flips, out_of);
  }
  template <class Archive, Either<CounterChangeDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.events_, watch.flips_, watch.last_, watch.count_, watch.last_number_);
  }
  template <class Archive, Either<VerdictChangeDetector> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.events_, watch.flips_, watch.last_, watch.count_, watch.last_good_);
  }

  template <class Archive, Either<LordPlusPlus> T>
  static void of(Archive& archive, T& lifetime) {
    archive(lifetime.tests_, lifetime.alarms_);
  }
  template <class Archive, Either<WatchedMember> T>
  static void of(Archive& archive, T& member) {
    auto& [experiment, metric, change, onset, earliest, latest, first_seen, confirmed, withdrawn,
           recovered, is_reported, worse, before, after, effect, interval, error, p_value, q_value,
           nights_before, nights_after, before_text, after_text, flips, out_of, baseline] = member;
    archive(experiment, metric, change, onset, earliest, latest, first_seen, confirmed, withdrawn,
            recovered, is_reported, worse, before, after, effect, interval, error, p_value, q_value,
            nights_before, nights_after, before_text, after_text, flips, out_of, baseline);
  }
  template <class Archive, Either<AlertGroup> T>
  static void of(Archive& archive, T& group) {
    auto& [scope, backend, model, onset, members] = group;
    archive(scope, backend, model, onset, members);
  }
  template <class Archive, Either<WatchedAlert> T>
  static void of(Archive& archive, T& alert) {
    auto& [at_first, group, stage, first_seen, confirmed, closed, merged_into] = alert;
    archive(at_first, group, stage, first_seen, confirmed, closed, merged_into);
  }

  // An experiment is known by replay(); what was made of it is not.
  template <class Archive, Either<AlertDetector::Experiment> T>
  static void of(Archive& archive, T& experiment) {
    for (auto& watch : experiment.timed) {
      if (watch) archive(*watch);
    }
    archive(experiment.counts, experiment.drift, experiment.verification, experiment.timing,
            experiment.baseline, experiment.members);
  }
  template <class Archive, Either<AlertDetector> T>
  static void of(Archive& archive, T& fleet) {
    for (auto& experiment : fleet.experiments_) archive(experiment);
    archive(fleet.lifetime_, fleet.had_alarm_, fleet.members_, fleet.alerts_);
  }
};

using StateWriter = BytesWriter<StateFields>;
using StateReader = BytesReader<StateFields>;

}  // namespace benchhud::analysis
