// Creeping up: what no single night changed, but many together did.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/alerts/timing_change_detector.h"
#include "schema/model/metric.h"

namespace benchhud::analysis {

/// A level that is worse than it was, and no change explains it. Nights are numbered as the series'
/// are.
struct WatchedDrift {
  std::size_t onset = 0;       ///< the last night of the level that it is compared with
  std::size_t place = 0;       ///< of that night in the series
  std::size_t first_seen = 0;  ///< night
  double before = 0,
         after = 0;  ///< levels, natural logarithms; what changes explain is not in them
  double most = 0;   ///< how far `after` was from `before` at the most
  double error = 0;  ///< standard error of their difference
  std::optional<std::size_t> recovered;  ///< night
};

/// The level of the last kStretch nights against the best of all stretches before, and against the
/// stretch around each pinned night. What changes that were told moved since is taken off; what is
/// left is drift if it is for the worse by kLeastDrift and by kDriftErrors standard errors of the
/// two stretches' medians (the variance of a median is π/2 times that of a mean; nights that are
/// alike count for fewer; at least what neighbouring stretches really differ by). Looked at every
/// kEvery nights, with kFewestForDrift of them. A drift that is known is not told
/// again until it has grown by kLeastDrift more; it is over when half of what it was at most is
/// gone.
class DriftDetector {
 public:
  static constexpr std::size_t kStretch = 15;
  static constexpr std::size_t kEvery = 25;
  static constexpr std::size_t kFewestForDrift = 60;
  static constexpr double kLeastDrift = 0.05;
  static constexpr double kDriftErrors = 5;

  /// Whether look() would look, after as many nights.
  static bool is_due(const TimingChangeDetector& series);
  /// After each night of the series. `pinned`: numbers of nights. `wander`: of the series' fleet
  /// (CommonChangeDetector::wander()). Returns whether anything is new.
  bool look(const TimingChangeDetector& series, schema::Direction better,
            std::span<const std::size_t> pinned, double wander);

  /// What must have moved for it to be a drift, in natural logarithms; `error` is its standard
  /// error.
  static double least(double error);

  std::span<const WatchedDrift> drifts() const { return drifts_; }

 private:
  friend struct StateFields;

  /// kStretch nights of the series.
  struct Stretch {
    std::size_t begin = 0;  // place
    std::size_t last = 0;   // night
    double level = 0;
  };

  static Stretch stretch_of(const TimingChangeDetector& series, std::size_t begin);
  void add_stretches(const TimingChangeDetector& series);
  void add_pinned(const TimingChangeDetector& series, std::span<const std::size_t> pinned);
  double standard_error(const NightNoise& noise) const;
  /// Those that others are compared with.
  std::vector<Stretch> references(const TimingChangeDetector& series, int worse) const;

  std::vector<WatchedDrift> drifts_;
  std::size_t begin_ = 0;           // of the nights that are comparable
  std::vector<Stretch> stretches_;  // one after the other, from begin_
  std::vector<Stretch> pinned_;     // around each pinned night
  std::size_t seen_pinned_ = 0;     // of the pinned nights
};

}  // namespace benchhud::analysis
