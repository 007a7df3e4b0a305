// What moved a whole fleet, or all series of a backend, and what is left of each series without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/changes/night_series.h"
#include "analysis/fleet/evidence.h"
#include "analysis/fleet/night_quality.h"
#include "analysis/fleet/pooling.h"
#include "analysis/fleet/recurring_states.h"
#include "analysis/fleet/series_baseline.h"
#include "analysis/fleet/usual_scatter.h"

namespace benchhud::analysis {

enum class CommonScope : std::uint8_t {
  kMachine,  ///< most series moved, or they disagree much more than usual
  kBackend,  ///< the series of one backend moved beside all others
};

enum class CommonStage : std::uint8_t {
  kSuspect,
  kConfirmed,
  kRecovered,  ///< the nights before it are back
  kWithdrawn,  ///< it is not seen any more, or is something wider
};

/// One thing that happened to many series. Nights are numbered by who asks.
struct CommonChange {
  CommonScope scope{};
  std::size_t backend = 0;
  CommonStage stage = CommonStage::kSuspect;
  int direction = 1;             ///< 1: most became slower
  bool is_disagreement = false;  ///< the series moved by amounts that differ more than usual
  std::size_t onset = 0, first_seen = 0;  ///< nights
  std::optional<std::size_t> confirmed, closed;
  std::optional<std::size_t> taken_in_by;  ///< the wider change that explains it
  std::vector<std::size_t> members;        ///< series
  std::vector<double> before;              ///< levels of the members; NaN where not known
  Effects effects;                         ///< of the members, natural logarithms
  /// Of a backend: how far the series of all others moved since the onset, in the median, and how
  /// many they are; as far as it was measured.
  double others_moved = 0;
  std::size_t others = 0;
  /// When it was there before and over in between: what it did then.
  struct Spell {
    std::size_t begin = 0, end = 0;  ///< nights
    std::vector<std::size_t> members;
    std::vector<double> effect;
  };
  std::vector<Spell> earlier;
  // Taken off the members' nights from `begin` on, and up to `end` once it has recovered.
  std::size_t begin = 0;
  std::optional<std::size_t> end;
  double over = 0;                       ///< evidence that it is, natural logarithm
  std::optional<std::size_t> over_from;  ///< the first night of that
  /// It had recovered when its nights turned out to be of a state that returns, or of another
  /// machine: what that does is taken off instead.
  bool is_turn = false;

  /// It was there, and is told.
  bool is_told() const {
    return stage == CommonStage::kConfirmed || stage == CommonStage::kRecovered;
  }
  bool is_taken_off() const { return is_told() && !is_turn; }
  /// Whether a night is one of its last spell.
  bool covers(std::size_t night) const {
    return is_told() && begin <= night && !(end && night >= *end);
  }
  bool is_on(std::size_t night) const { return is_taken_off() && covers(night); }
};

/// Nights come in order. A night's levels are compared with what each series' last nights let
/// expect; what the residuals of all series have in common is tested first, then what those of a
/// backend have beside the others. Evidence gathers from night to night (evidence.h). What is
/// confirmed is taken off the nights since it began, and these are judged again. The same nights
/// give the same changes. docs/regressions.md describes the method and its sources.
class CommonChangeDetector {
 public:
  /// Nights from which noise and states are learnt, and which may be judged again.
  static constexpr std::size_t kWindow = 60;
  /// With more series than that, the first ones are judged together, and the others as they are.
  static constexpr std::size_t kMostSeries = 20'000;
  /// Of fewer series nothing common is told.
  static constexpr std::size_t kFewestSeries = 6;
  /// Nights in which each scope may see a false change by chance.
  static constexpr double kPatience = 100;
  /// Evidence that a change is over, natural logarithms.
  static constexpr double kOverMachine = 3, kOverBackend = 7;
  /// The same, of a night on which nothing is unusual, where the change hit some series and not
  /// others.
  static constexpr double kOfUsualNight = 2;
  /// The same within so many nights after it was over is the same change again.
  static constexpr std::size_t kMachineReturns = 3, kBackendReturns = 7;
  static constexpr std::size_t kYoung = 10;  ///< nights: the size of a change is being learnt

  CommonChangeDetector();

  /// A series of which there will be levels. Models and backends are numbered from 0.
  std::size_t add_series(std::size_t model, std::size_t backend);
  std::size_t series_count() const { return series_.size(); }
  std::size_t backend_count() const { return of_backend_.size(); }
  /// The series' model has another number now.
  void set_model(std::size_t series, std::size_t model);

  struct Value {
    std::size_t series = 0;
    double level = 0;  ///< the natural logarithm of a time
  };
  /// `night`: its number, greater than those before. `machine`: of the machine that it ran on, as
  /// who asks numbers them. What another machine than the first one does to each series is learnt
  /// from the nights on which they relieve each other, and taken off its nights; where there are
  /// several, no states are looked for.
  void add(std::size_t night, std::span<const Value> values, std::size_t machine = 0);
  /// A night that was added on another day, of which the state keeps what was made of it. Those
  /// that the state does not keep are passed over.
  void recall(std::size_t night, std::span<const Value> values);
  void finish_recall();
  /// Whether a state that was read may be one.
  bool is_consistent() const;
  /// From the next night on something other than what is measured is different: all levels are new.
  void restart();

  std::span<const CommonChange> changes() const { return changes_; }
  /// The noise of a series, moderated by what is usual in its fleet. NaN where nothing is known.
  NightNoise noise(std::size_t series) const {
    return {series_[series].deviation, series_[series].correlation};
  }

  /// By how much levels wander in this fleet: the variance of what a series' level moves by from
  /// night to night, as a share of that of its nights about their level; in the median, 0 where
  /// that is not seen.
  double wander() const { return wander_; }

  /// A night as it is to be judged series by series.
  struct Judged {
    std::size_t night = 0;
    /// By series: its level without what machine and backend did, as far as the other models tell.
    /// On a disturbed night its distance from its level is shrunk to what it means on a usual one.
    /// NaN where the series has no value.
    std::vector<double> levels;
    NightQuality quality;  ///< without `scatter`
  };
  /// The nights that the last add() judged, ascending: the newest, and those before it of which
  /// more is known now.
  std::span<const Judged> judged() const { return judged_; }

 private:
  friend struct StateFields;

  static constexpr std::size_t kLevelNights =
      20;  // that a level rests on; as many may be judged again
  static constexpr std::size_t kMostStates = 3;
  static constexpr double kCut = 3;  // deviations are cut here before they are pooled
  static constexpr double kMostSquare = kCut * kCut;
  static constexpr double kLeastChange = 0.01;  // natural logarithm

  struct Series {
    std::size_t model = 0, backend = 0;
    SeriesNoise noise;
    std::optional<double> wander;           // of some; below 0 by chance
    double deviation = 0, correlation = 0;  // moderated by what is usual in the fleet
  };
  /// What nights taught and gathered, as it was before one.
  struct Memory {
    Evidence machine, machine_disagreement, backend, backend_disagreement;
    MeanScatter machine_scatter, backend_scatter;
    UsualDisagreement fleet_usual, backend_usual;
    std::vector<double> moved, moved_variance;    // by what all series moved on past nights
    std::vector<double> beside, beside_variance;  // backends beside them

    void count() {
      machine.count();
      machine_disagreement.count();
      backend.count();
      backend_disagreement.count();
    }
  };
  struct Node {
    CommonScope scope{};
    std::size_t number = 0;  // of a backend
  };
  struct Row {
    std::size_t night = 0;
    std::vector<float> levels, clean;  // as they came; without what is known of the night
    std::uint8_t states = 0;           // bits
    std::size_t machine = 0;
    Disturbance disturbance;
    bool is_disturbed = false;
    // Nodes whose evidence before this night belongs to a change: it is reset on this night.
    std::vector<Node> explained;
  };
  // A night's residuals about the series' levels: of series that can be judged.
  struct Residuals {
    std::vector<std::size_t> series;
    std::vector<double> residual, variance;
    std::vector<double> level;  // of all series; NaN where it is not known
    bool is_enough() const { return series.size() >= kFewestSeries; }
  };
  struct MachineNight {
    double level = 0, disagreement = 0;  // standard deviations
    double off = 0;                      // both together
    double mean = 0, mean_square = 0;
    std::size_t count = 0;
  };

  std::size_t tonight() const { return rows_.size() - 1; }
  std::size_t row_of(std::size_t night) const;
  std::vector<double> states_effect(std::uint8_t states) const;
  const Effects& machine_effects(const Row& row) const;
  void refresh(std::size_t from);
  std::vector<float> clean_levels(const Row& row) const;
  static double log_of_noise(const Series& series);
  void learn_noise(bool is_all);
  void moderate_noise();
  double weight_of(const Row& row, std::size_t series) const;
  std::vector<SeriesLevel> levels_of(std::span<const std::size_t> series, std::size_t begin,
                                     std::size_t end, std::size_t without) const;
  Residuals residuals_of(std::size_t row) const;
  const Residuals& residuals_of_tonight();
  std::vector<Shift> shifts_of(std::span<const std::size_t> members, std::size_t onset,
                               const CommonChange* own) const;

  NightMatrix matrix_of(const std::vector<std::vector<float>>& rows) const;
  void learn_machine();
  std::size_t switches_of_machine() const;
  void update_states();
  void choose_state();
  std::vector<std::vector<float>> levels_with_short_changes(
      std::span<const std::size_t> places) const;
  bool find_new_state();
  bool is_short(const CommonChange& change) const;
  bool is_turn(const CommonChange& change, const Effects& state,
               std::span<const double> noise) const;

  /// Where residuals lie.
  struct Pooled {
    Location all;
    std::vector<double> weights;    // of all residuals, in `all`
    std::vector<Location> without;  // each backend: the series of all others
  };
  Pooled pooled(const Residuals& of) const;
  MachineNight machine_night(const Residuals& of, const Pooled& pooled) const;
  std::vector<MeanScatter::Mean> judge_backends(const Residuals& of, const Pooled& pooled,
                                                bool is_busy, std::vector<double>* off,
                                                std::vector<double>* disagreement,
                                                std::vector<double>* squares) const;
  /// What machine and backend did to each residual, as other models tell it, and its variance.
  struct Expected {
    std::vector<double> value, variance;
    Location moved;                // all series
    std::vector<Location> beside;  // each backend beside them
  };
  Expected expected_of(const Residuals& of, const Location& moved,
                       std::span<const double> weights) const;
  /// What is added to variances, and whether that is for more than a young change of the machine.
  std::pair<Disturbance, bool> disturbance_on(const Residuals& of, const Expected& expected,
                                              bool is_busy) const;
  void judge(std::size_t row);
  void judge_again(std::size_t from);
  Judged judged_row(std::size_t row) const;
  NightQuality quality_of(std::size_t row, const Residuals& of) const;
  bool is_busy(std::size_t night) const;

  void decide();
  // Evidence of a suspect, and of a change.
  struct Enough {
    double suspect = 0, change = 0;
  };
  void raise(CommonScope scope, std::size_t node, const Enough& enough);
  bool raise_as(CommonScope scope, std::size_t node, bool is_disagreement, bool is_sure);
  CommonChange* known(CommonScope scope, std::size_t node, int direction, std::size_t onset);
  double evidence_of(const CommonChange& change) const;
  bool did_many_move(std::span<const std::size_t> members, std::span<const Shift> shifts,
                     int direction, double pooled) const;
  bool are_many_off(std::span<const std::size_t> series, std::span<const double> off, double bound,
                    double share) const;
  void confirm(CommonChange* change);
  void take_in(const CommonChange& wider);
  void learn_effects(CommonChange* change);
  void measure_others(CommonChange* change) const;
  void withdraw(CommonChange* change, std::optional<std::size_t> by);
  bool is_usual(const CommonChange& change, const Residuals& of) const;
  void follow(CommonChange* change);
  void forget(CommonScope scope, std::size_t node);
  void forget_all();
  std::vector<std::size_t> series_in(CommonScope scope, std::size_t node) const;

  std::vector<Series> series_;
  std::vector<double> noise_logs_;  // of their variances; they follow from their noise
  std::vector<std::vector<std::size_t>> of_backend_;
  std::size_t models_ = 0;
  double wander_ = 0;
  double usual_worth_ = 1;  // of one more night: less than 1 where nights are alike
  std::deque<Row> rows_;
  Memory memory_;
  std::vector<Node> explained_;  // tonight; they move to the next row
  std::deque<Memory> before_;    // `memory_` as it was before each of the last rows
  std::size_t not_judged_ = 0;   // rows at the end
  std::vector<CommonChange> changes_;
  std::vector<Effects> states_;
  // By machine, beside the first one that there was.
  std::vector<Effects> machines_;
  std::size_t first_machine_ = 0;
  std::optional<std::pair<Residuals, Expected>> tonight_;  // as it was judged last
  std::optional<Residuals> before_judging_;  // tonight's, until anything else is known
  std::size_t revised_ = 0;                  // the first row of which something else is known now
  std::vector<Judged> judged_;
};

}  // namespace benchhud::analysis
