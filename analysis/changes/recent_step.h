// Whether the last nights of a series are on another level than those before: sooner than a search
// of the whole series can tell, as the level and the noise before are known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/changes/night_series.h"

namespace benchhud::analysis {

/// How the last nights of a series lie beside those before them.
class RecentNights {
 public:
  static constexpr std::size_t kMost = 20;  ///< last nights that are looked at
  static constexpr std::size_t kFewestBefore = 4;

  /// `nights`: oldest first, those that are comparable. `noise`: of the series, as its fleet has
  /// it.
  RecentNights(std::span<const Night> nights, const NightNoise& noise);

  /// Whether the last night is off enough for anything to be told.
  bool is_off() const { return is_off_; }
  /// The last `count` nights, oldest first: how far each is off the level of those before them all,
  /// in standard deviations. For 1 to most() nights.
  const std::vector<double>& off(std::size_t count) const { return off_[count - 1]; }
  /// The same for 1, 2, … nights.
  std::span<const std::vector<double>> off() const { return off_; }
  std::size_t most() const { return off_.size(); }
  double level_before(std::size_t count) const { return before_[count - 1]; }
  /// Of the nights before those that may be a step now. `nights`: as they were given.
  void count_excursions(std::span<const Night> nights);
  /// The natural logarithm of what one night's evidence is worth at the most: the first one of a
  /// step, by how seldom something began that was off by four standard deviations; and a next one,
  /// by how seldom that went on. As count_excursions() learnt it; `bound` at the most.
  double most_of_first(double bound) const;
  double most_of_next(double bound) const;
  /// What one more night is worth: less than 1 where nights are alike.
  double worth() const { return worth_; }

 private:
  std::vector<std::vector<double>> off_;
  std::vector<double> before_;
  double deviation_ = 0, worth_ = 1;
  bool is_off_ = false;
  double seen_ = 0, begun_ = 0, stayed_ = 0, nights_off_ = 0;
};

struct RecentStep {
  std::size_t nights = 0;  ///< since it, that explain best what is seen
  int direction = 1;
  /// Shiryaev-Roberts: the sum over the nights on which a step may have begun of how much likelier
  /// what followed is with it. Reached without a step once in as many nights.
  double statistic = 0;
};

struct RecentStepRules {
  double degrees = 6;                          ///< of freedom
  double most_of_first = 0, most_of_next = 0;  ///< natural logarithms
  double worth = 1;
};

/// `off`: as RecentNights::off(), for 1, 2, … nights.
RecentStep recent_step(std::span<const std::vector<double>> off, const RecentStepRules& rules);

/// Whether the statistic of recent_step() may be so much. True for some that are less, and false
/// for none that is as much: at a tenth of its cost, by bounds of what each night is worth.
bool may_reach(std::span<const std::vector<double>> off, const RecentStepRules& rules,
               double statistic);

}  // namespace benchhud::analysis
