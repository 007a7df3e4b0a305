// All series of one accelerator model, watched night by night: alerts and what becomes of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/alert_groups.h"
#include "analysis/alerts/alert_history.h"
#include "analysis/alerts/common_causes.h"
#include "analysis/alerts/drift_detector.h"
#include "analysis/alerts/event_detectors.h"
#include "analysis/alerts/night_qualities.h"
#include "analysis/alerts/run_observations.h"
#include "analysis/alerts/sure_steps.h"
#include "analysis/alerts/timing_change_detector.h"
#include "analysis/changes/noise_class.h"

namespace benchhud::analysis {

/// Which way of watching this is. Raised with whatever gives other alerts for the same nights: how
/// a night is summed up, how changes are found and grouped; and with the layout of what is kept of
/// it (watch_state.h). What an earlier one kept is not gone on from.
inline constexpr std::uint32_t kDetectorVersion = 25;

/// How a series is watched.
struct SeriesRules {
  bool is_watched = true;
  ChangeRules changes;
  /// Which changes are told.
  bool tell_worse = true, tell_better = true;

  bool operator==(const SeriesRules&) const = default;
};

/// Series of a night that nobody watches, because nothing ever changes in them: that they were
/// timed counts for the others.
struct OtherSeries {
  std::size_t timed = 0;  ///< of every timed metric
};

struct FleetRules {
  std::string baseline = "inductor";  ///< the backend that speedups are against
  double false_discovery_rate = 0.05;
  /// Whether what series have in common is judged. Not where only some of a fleet's series are
  /// watched: those in which something changes are no measure of what all have in common.
  bool are_judged_together = true;
  /// Rules of one series, timed or not; empty: SeriesRules with the metric's least effect.
  std::function<SeriesRules(const CatalogEntry&, WatchedMetric)> series;
};

/// What people said of a night.
struct RunAnnotations {
  bool is_excluded = false;         ///< its measurements do not count
  bool is_new_environment = false;  ///< levels begin anew with it
  bool is_pinned = false;           ///< levels are held against it: a release
};

enum class AlertStage : std::uint8_t {
  kSuspect,
  kConfirmed,
  kRecovered,
  kWithdrawn,  ///< what was seen is not there any more, or belongs to another alert
};

/// Changes that have one cause.
struct WatchedAlert {
  AlertGroup at_first;  ///< as it was first seen, without members: by it an alert is known again
  AlertGroup group;     ///< as of the last night on which it had members; their places in members()
  AlertStage stage = AlertStage::kSuspect;
  std::size_t first_seen = 0;              ///< night
  std::optional<std::size_t> confirmed;    ///< night
  std::optional<std::size_t> closed;       ///< night on which it was recovered or withdrawn
  std::optional<std::size_t> merged_into;  ///< place of the alert that took in its changes
  /// Of a machine or a backend: the common changes that it tells of, by metric and place. An alert
  /// keeps what it is about; of a model it has none.
  struct Common {
    WatchedMetric metric{};
    std::size_t change = 0;
  };
  std::vector<Common> common;
  std::vector<AlertEvent> history;  ///< what happened after it was first seen, oldest first
};

/// Nights come in the order of their runs' times; where one comes late, all are watched again. The
/// same nights in the same order give the same alerts with the same numbers.
///
/// First what the machine and the backends did is told from what is left of each series
/// (common_causes.h); then each series is watched by itself (timing_change_detector.h), and what
/// changed goes by model (alert_groups.h).
///
/// A timed change is confirmed when it has nights enough and, of all series of its night, passes
/// Benjamini-Yekutieli at the false discovery rate (multiplicity.h). Counts and
/// verdicts are exact: they are confirmed at once, unless they flip all the time. Where one
/// changed, nobody searched all series and nights for the change of the same experiment's time: it
/// has to pass among such changes alone.
class AlertDetector {
 public:
  AlertDetector(const Catalog& catalog, FleetRules rules);
  // Experiments are pointed to from within.
  AlertDetector(const AlertDetector&) = delete;
  AlertDetector(AlertDetector&&) = default;

  /// `others`: of this night, beside those of the catalog.
  void add(RunObservations night, RunAnnotations said = {}, const OtherSeries& others = {});

  /// The members' levels and effects as all nights so far tell them, and not only those up to when
  /// each was last searched: for who tells of them. No verdict changes, and no state may be kept
  /// afterwards.
  void measure_members();

  /// What was made of the nights so far.
  std::string state() const;
  /// To go on from another day: first load_state(), then recall() for the last kept_nights() of the
  /// nights that were added then, in that order, then finish_recall(). From then on it is as if all
  /// had been added, whatever experiments the catalog has got since. False where `state` is none of
  /// these nights; then this is of no more use. The rules must be the same.
  bool load_state(std::string_view state);
  std::size_t kept_nights() const;
  void recall(const RunObservations& night);
  bool finish_recall();

  struct NightOf {
    schema::RunId run{};
    double started_at = 0;
  };
  std::span<const NightOf> nights() const { return nights_; }
  /// Nights that do not count, ascending.
  std::span<const std::size_t> excluded() const { return excluded_; }
  const FleetRules& rules() const { return rules_; }
  /// By night.
  const NightQualities& qualities() const { return qualities_; }
  /// What moved the machine and the backends.
  const CommonCauses& common() const { return common_; }
  /// In the order in which they were first seen; none goes away.
  std::span<const WatchedMember> members() const { return members_; }
  std::span<const WatchedAlert> alerts() const { return alerts_; }
  /// A timed series' watch; null if it never had a value.
  const TimingChangeDetector* timed(schema::ExperimentId experiment, WatchedMetric metric) const;

 private:
  friend struct StateFields;

  using RulesOfMetrics = std::array<SeriesRules, kWatchedMetrics>;

  // Most have few nights and no changes, and there may be many.
  struct Experiment {
    schema::ExperimentId id{};
    const CatalogEntry* entry = nullptr;
    const RulesOfMetrics* rules = nullptr;
    std::array<std::unique_ptr<TimingChangeDetector>, kTimedMetrics>
        timed;  // null: no such time was seen
    std::array<CounterChangeDetector, kCountMetrics> counts;
    DriftDetector drift;
    VerdictChangeDetector verification{"PASS"};
    VerdictChangeDetector timing{"timed"};
    std::optional<schema::ExperimentId> baseline;
    std::optional<schema::ExperimentId> collected_baseline;         // that members of speedups name
    std::array<std::vector<std::size_t>, kWatchedMetrics> members;  // places, by change
    bool is_changed = false;                                        // tonight
    std::uint32_t number = 0;   // in the order in which they were first seen
    std::size_t forgotten = 0;  // the last night on which old nights were
  };

  // What waits for all results of a night: gathered as they come, for going over all experiments
  // once more takes as long as most of them take themselves.
  struct Candidate {
    Experiment* experiment = nullptr;
    TimingChangeDetector* watch = nullptr;
    WatchedMetric metric{};
    std::size_t change = 0;
  };
  struct Tonight {
    std::size_t number = 0;
    std::vector<Experiment*> experiments;  // of the results
    std::size_t timed = 0;                 // series
    std::size_t pointed_to = 0;  // of these, those of experiments of which something exact changed
    std::vector<Candidate> candidates;
    std::array<SureStepSearch, kTimedMetrics> sure_steps;
    std::vector<Experiment*> due_for_drift;
    std::map<std::string_view, std::size_t> tried;  // experiments, by backend; see tried_on()
  };

  // Gives a night its number and does what was said of it; returns whether its measurements count.
  bool begin_night(const RunObservations& night, RunAnnotations said);
  CommonCauses::IsWatched is_watched() const;
  const UsualRepetitions& usual_repetitions_before(Experiment* experiment, std::size_t number);
  const UsualRepetitions& usual_repetitions(const Experiment& experiment);
  void judge_together(const Tonight& tonight, RunObservations* night);
  void prepare_steps(const Experiment& experiment, WatchedMetric metric, Tonight* tonight);
  bool revise_nights();
  static void forget_old_nights(Experiment* experiment, std::size_t number);
  void look_again(std::size_t number);
  bool has_common_changes(std::size_t number) const;
  Experiment& experiment_of(const CatalogEntry& entry);
  Experiment* find(schema::ExperimentId id);
  TimingChangeDetector* watch_of(Experiment& experiment, const ExperimentObservation& night,
                                 std::size_t metric);
  void make_watch(Experiment* experiment, std::size_t metric);
  bool is_consistent() const;
  bool is_consistent(std::span<const AlertEvent> history) const;
  std::vector<schema::ExperimentId> one_of_models() const;
  SeriesRules rules_for(const CatalogEntry& entry, WatchedMetric metric) const;
  const RulesOfMetrics* rules_of(const CatalogEntry& entry);
  bool watch(Experiment& experiment, const RunObservations& night,
             const ExperimentObservation& result, Tonight* tonight);
  bool watch_verdicts(Experiment& experiment, const RunObservations& night,
                      const ExperimentObservation& result, Tonight* tonight);
  std::size_t tried_on(std::string_view backend, const RunObservations& night, Tonight* tonight);
  template <class Fits>
  static bool has_exact_change(const Experiment& experiment, const Fits& fits);
  static bool is_pointed_to(const Candidate& candidate);
  bool is_known_by_disturbed_nights_alone(const Candidate& candidate) const;
  void decide(const Tonight& tonight);
  void decide(std::span<const Candidate> candidates, std::size_t tests, std::size_t number);
  void assert_steps(Tonight* tonight);
  void look_for_drift(const Tonight& tonight);
  void note_new_alerts();
  void recover_together(std::size_t number);
  void recover_together(const WatchedAlert& alert, WatchedMetric metric, std::size_t number);
  WatchedMember& member_of(Experiment& experiment, WatchedMetric metric, std::size_t change);
  void collect_members();
  bool are_all_disturbed(const TimingChangeDetector& watch, WatchedMetric metric,
                         std::size_t from) const;
  bool is_of_new_machine(std::size_t onset) const;
  static bool is_back_near(const Experiment& experiment, std::size_t night);
  void collect_timed(Experiment& experiment, WatchedMetric metric);
  static void set_numbers(const ChangePoint& point, WatchedMetric metric, WatchedMember* member);
  bool is_settled(const Experiment& experiment, WatchedMetric metric, std::size_t change) const;
  void collect_drifts(Experiment& experiment);
  void collect_events(Experiment& experiment, WatchedMetric metric,
                      std::span<const WatchedEvent> events);
  void collect_common();
  void collect_common(WatchedMetric metric, std::size_t place);
  std::vector<AlertGroup> groups_now() const;
  void update_alerts(std::size_t number);
  void update_common_alerts(std::size_t number);
  struct Regrouping;
  Regrouping regroup(std::span<const AlertGroup> groups) const;
  std::vector<std::size_t> alerts_of_groups(const Regrouping& regrouping,
                                            std::span<const AlertGroup> groups, std::size_t number);
  void note(std::size_t alert, AlertEventKind kind, std::size_t number,
            std::vector<std::size_t> members = {}, std::vector<std::size_t> alerts = {});
  void note_onset(std::size_t alert, std::size_t before, std::size_t number);
  void note_stage(std::size_t alert, AlertStage before, std::size_t number);
  using AlertOfMember = std::function<std::optional<std::size_t>(std::size_t)>;
  void note_members(std::size_t alert, std::span<const std::size_t> before,
                    const AlertOfMember& alert_telling, std::size_t number);
  void note_common(std::size_t alert, std::size_t number);
  std::size_t alert_of(WatchedMetric metric, std::size_t change, std::size_t number);
  std::optional<std::size_t> common_alert_over(const AlertGroup& group) const;
  void forget_closed_alerts();
  void update_stage(WatchedAlert* alert, std::size_t number);

  const Catalog& catalog_;
  FleetRules rules_;
  std::vector<NightOf> nights_;
  std::vector<std::size_t> excluded_;      // nights
  std::vector<std::size_t> pinned_;        // nights
  std::vector<std::size_t> new_machines_;  // nights that were the first of one beside others
  CommonCauses common_;
  NightQualities qualities_;
  // By timed metric and change: places of the members, by series, and the place of the alert.
  std::array<std::vector<std::map<std::size_t, std::size_t>>, kTimedMetrics> common_members_;
  std::array<std::vector<std::size_t>, kTimedMetrics> common_alerts_;
  std::deque<RulesOfMetrics> rules_of_metrics_;  // each once
  std::deque<Experiment> experiments_;
  std::vector<Experiment*> by_place_;  // in the catalog; null: none of its results was seen
  // Of steady times, by the experiments' numbers, where series are judged together; they follow
  // from the nights.
  std::vector<UsualRepetitions> repetitions_;
  std::vector<WatchedMember> members_;
  std::vector<WatchedAlert> alerts_;
  // They follow from the above, also after load_state(): the members that are withdrawn, of which
  // nothing changes any more; the others; and the places of the alerts that another night may
  // change.
  std::vector<bool> is_settled_;
  std::vector<CurrentMember> standing_members_;
  std::vector<std::size_t> open_alerts_;
  std::size_t recalled_ = 0;     // nights, after load_state()
  std::size_t seen_alerts_ = 0;  // that were looked at for open_alerts_
};

}  // namespace benchhud::analysis
