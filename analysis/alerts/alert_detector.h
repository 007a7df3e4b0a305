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
#include "analysis/alerts/drift_detector.h"
#include "analysis/alerts/event_detectors.h"
#include "analysis/alerts/run_observations.h"
#include "analysis/alerts/timing_change_detector.h"
#include "analysis/changes/noise_class.h"
#include "analysis/statistics/multiplicity.h"

namespace benchhud::analysis {

/// Which way of watching this is. Raised with whatever gives other alerts for the same nights: how
/// a night is summed up, how changes are found and grouped; and with the layout of what is kept of
/// it (watch_state.h). What an earlier one kept is not gone on from.
inline constexpr std::uint32_t kDetectorVersion = 12;

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
  NightSeries steady;     ///< of WatchedMetric::kSteady alone
};

struct FleetRules {
  std::string baseline = "inductor";  ///< the backend that speedups are against
  double false_discovery_rate = 0.05;
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
};

/// Nights come in the order of their runs' times; a night that comes late is replayed with all that
/// follow it. The same nights in the same order give the same alerts with the same numbers.
///
/// A timed change is confirmed when it has nights enough and, of all series of its night, passes
/// Benjamini-Yekutieli at the false discovery rate; and while the nights that brought alarms are to
/// be few among all nights, its night must pass LORD++ as well (multiplicity.h). Counts and
/// verdicts are exact: they are confirmed at once, unless they flip all the time.
class AlertDetector {
 public:
  AlertDetector(const Catalog& catalog, FleetRules rules);
  // Experiments are pointed to from within.
  AlertDetector(const AlertDetector&) = delete;
  AlertDetector(AlertDetector&&) = default;

  /// `others`: of this night, beside those of the catalog.
  void add(RunObservations night, RunAnnotations said = {}, const OtherSeries& others = {});

  /// To go on from another day: first every night that was added then is recalled, in that order
  /// and with what was said of it, which costs little; then load_state() says what was made of
  /// them. From then on it is as if they had been added, whatever experiments the catalog has got
  /// since.
  void replay(RunObservations night, RunAnnotations said = {});
  /// What was made of the nights so far.
  std::string state() const;
  /// Returns false if `state` is none of the nights that were recalled; then this is of no more
  /// use. The rules must be the same.
  bool load_state(std::string_view state);

  struct NightOf {
    schema::RunId run{};
    double started_at = 0;
  };
  std::span<const NightOf> nights() const { return nights_; }
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
    std::size_t* steady_tonight = nullptr;  // of its backend
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
  };

  // What waits for all results of a night: gathered as they come, for going over all experiments
  // once more takes as long as most of them take themselves.
  struct Candidate {
    Experiment* experiment = nullptr;
    TimingChangeDetector* watch = nullptr;
    std::size_t change = 0;
  };
  struct Tonight {
    std::size_t number = 0;
    std::size_t timed = 0;  // series
    std::vector<Candidate> candidates;
    std::vector<Experiment*> due_for_drift;
  };

  // Gives a night its number and does what was said of it; returns whether its measurements count.
  bool begin_night(const RunObservations& night, RunAnnotations said);
  Experiment& experiment_of(const CatalogEntry& entry);
  // The experiment of a result, which is counted among its night's; null if it is not known.
  Experiment* take_in(const ExperimentObservation& result,
                      std::optional<schema::ExperimentId> baseline);
  void count_series(const OtherSeries& others);
  TimingChangeDetector* watch_of(Experiment& experiment, const ExperimentObservation& night,
                                 std::size_t metric);
  std::vector<schema::ExperimentId> one_of_models() const;
  SeriesRules rules_for(const CatalogEntry& entry, WatchedMetric metric) const;
  const RulesOfMetrics* rules_of(const CatalogEntry& entry);
  bool watch(Experiment& experiment, const ExperimentObservation& night, Tonight* tonight);
  void decide(const Tonight& tonight);
  void look_for_drift(const Tonight& tonight);
  WatchedMember& member_of(Experiment& experiment, WatchedMetric metric, std::size_t change);
  void collect_members();
  void collect_timed(Experiment& experiment, WatchedMetric metric);
  bool is_settled(const Experiment& experiment, WatchedMetric metric, std::size_t change) const;
  void collect_drifts(Experiment& experiment);
  void collect_events(Experiment& experiment, WatchedMetric metric,
                      std::span<const WatchedEvent> events);
  std::vector<AlertGroup> groups_now() const;
  void update_alerts(std::size_t number);
  void forget_closed_alerts();
  void update_stage(WatchedAlert* alert, std::size_t number);

  const Catalog& catalog_;
  FleetRules rules_;
  std::vector<NightOf> nights_;
  std::vector<NightSeries> night_series_;
  std::vector<std::size_t> pinned_;                                 // nights
  std::map<std::string, std::size_t, std::less<>> steady_tonight_;  // by backend
  std::deque<RulesOfMetrics> rules_of_metrics_;                     // each once
  std::deque<Experiment> experiments_;
  std::vector<Experiment*> by_place_;  // in the catalog; null: none of its results was seen
  LordPlusPlus lifetime_;              // a test a stretch of TimingChangeDetector::kWindow nights
  bool had_alarm_ = false;             // in this stretch
  std::vector<WatchedMember> members_;
  std::vector<WatchedAlert> alerts_;
  // They follow from the above, also after load_state(): the members that are withdrawn, of which
  // nothing changes any more; the others; and the places of the alerts that another night may
  // change.
  std::vector<bool> is_settled_;
  std::vector<CurrentMember> standing_members_;
  std::vector<std::size_t> open_alerts_;
  std::size_t seen_alerts_ = 0;  // that were looked at for open_alerts_
};

}  // namespace benchhud::analysis
