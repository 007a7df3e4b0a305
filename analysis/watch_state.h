// What of each watch is its state, beside the nights themselves.
#pragma once

#include "analysis/alert_groups.h"
#include "analysis/drift_watch.h"
#include "analysis/event_watch.h"
#include "analysis/fleet_watch.h"
#include "analysis/multiplicity.h"
#include "analysis/night_facts.h"
#include "analysis/timed_watch.h"
#include "state_bytes.h"

namespace benchhud::analysis {

struct StateFields {
  template <class Archive, Either<Night> T>
  static void of(Archive& archive, T& night) {
    archive(night.level, night.variance, night.count);
  }
  template <class Archive, Either<ExperimentNight> T>
  static void of(Archive& archive, T& night) {
    archive(night.experiment, night.times, night.counts, night.code, night.status);
  }
  template <class Archive, Either<NightFacts> T>
  static void of(Archive& archive, T& night) {
    archive(night.run, night.started_at, night.results);
  }

  template <class Archive, Either<NightNoise> T>
  static void of(Archive& archive, T& noise) {
    archive(noise.deviation, noise.correlation);
  }
  template <class Archive, Either<Interval> T>
  static void of(Archive& archive, T& interval) {
    archive(interval.low, interval.high, interval.confidence);
  }
  template <class Archive, Either<ChangePoint> T>
  static void of(Archive& archive, T& point) {
    archive(point.at, point.earliest, point.latest, point.before, point.after, point.reach,
            point.effect, point.interval, point.p_value, point.state, point.nights_before,
            point.nights_after);
  }
  template <class Archive, Either<WatchedChange> T>
  static void of(Archive& archive, T& change) {
    archive(change.point, change.onset, change.earliest, change.latest, change.first_seen,
            change.q_value, change.confirmed, change.withdrawn, change.recovered,
            change.recovery_of, change.missed, change.begin);
  }
  // What the last search found is in the changes.
  template <class Archive, Either<TimedWatch> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.changes_, watch.search_.noise, watch.begin_, watch.searched_, watch.level_,
            watch.level_begin_);
  }

  template <class Archive, Either<WatchedDrift> T>
  static void of(Archive& archive, T& drift) {
    archive(drift.onset, drift.first_seen, drift.before, drift.after, drift.most, drift.error,
            drift.recovered);
  }
  template <class Archive, Either<DriftWatch> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.drifts_, watch.begin_, watch.stretches_);
  }

  template <class Archive, Either<WatchedEvent> T>
  static void of(Archive& archive, T& event) {
    archive(event.before, event.after, event.onset, event.last_before, event.recovered, event.flips,
            event.of);
  }
  template <class Archive, Either<CountWatch> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.events_, watch.flips_, watch.last_, watch.count_, watch.last_number_);
  }
  template <class Archive, Either<VerdictWatch> T>
  static void of(Archive& archive, T& watch) {
    archive(watch.events_, watch.flips_, watch.last_, watch.count_, watch.last_good_);
  }

  template <class Archive, Either<LordPlusPlus> T>
  static void of(Archive& archive, T& lifetime) {
    archive(lifetime.tests_, lifetime.alarms_);
  }
  template <class Archive, Either<AlertMember> T>
  static void of(Archive& archive, T& member) {
    archive(member.experiment, member.metric, member.change, member.onset, member.earliest,
            member.latest, member.first_seen, member.confirmed, member.withdrawn, member.recovered,
            member.is_told, member.worse, member.before, member.after, member.effect,
            member.interval, member.p_value, member.q_value, member.nights_before,
            member.nights_after, member.before_text, member.after_text, member.flips, member.of,
            member.baseline);
  }
  template <class Archive, Either<AlertGroup> T>
  static void of(Archive& archive, T& group) {
    archive(group.scope, group.backend, group.model, group.onset, group.members);
  }
  template <class Archive, Either<WatchedAlert> T>
  static void of(Archive& archive, T& alert) {
    archive(alert.at_first, alert.group, alert.stage, alert.first_seen, alert.confirmed,
            alert.closed, alert.merged_into);
  }

  // An experiment is known by recall(); what was made of it is not.
  template <class Archive, Either<FleetWatch::Experiment> T>
  static void of(Archive& archive, T& experiment) {
    for (auto& watch : experiment.timed) {
      if (watch) archive(*watch);
    }
    archive(experiment.counts, experiment.drift, experiment.verification, experiment.timing,
            experiment.baseline, experiment.members);
  }
  template <class Archive, Either<FleetWatch> T>
  static void of(Archive& archive, T& fleet) {
    for (auto& experiment : fleet.experiments_) archive(experiment);
    archive(fleet.lifetime_, fleet.had_alarm_, fleet.members_, fleet.alerts_);
  }
};

using StateWriter = BytesWriter<StateFields>;
using StateReader = BytesReader<StateFields>;

}  // namespace benchhud::analysis
