// How nights of a fleet usually scatter, learnt from those on which nothing was going on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace benchhud::analysis {

/// What is assumed of squares of deviations that are cut at three standard deviations: a little
/// less than the 0.995 of normal ones, as noise is estimated robustly.
inline constexpr double kUsualSquare = 0.95;

/// How the mean of some series' deviations scatters: they have something in common. Their
/// intraclass correlation on past nights, moderated by ten nights of what is usual.
class MeanScatter {
 public:
  explicit MeanScatter(double usual_correlation = 0) : usual_(usual_correlation) {}

  /// The standard deviation of a mean of so many deviations, which have one of 1 each.
  double deviation(double count) const { return deviation(count, correlation()); }
  /// The same for many counts: `correlation`: what correlation() was asked for once.
  static double deviation(double count, double correlation);
  double correlation() const;

  struct Mean {
    double mean = 0, count = 0;
  };
  /// A night's means, of several groups of series. One that is far off counts as two standard
  /// deviations.
  void learn(std::span<const Mean> night);

 private:
  friend struct StateFields;

  double usual_;
  std::vector<double> excess_, pairs_;  // by night
};

/// How much series disagree: the mean of their squared deviations against that of past nights.
class UsualDisagreement {
 public:
  /// In standard deviations, of a mean of `count` squares.
  double standard(double mean_square, double count) const;
  void learn(double mean_square);

 private:
  friend struct StateFields;

  std::vector<double> nights_;
  double middle_ = 0, deviation_ = 0;  // of them
};

}  // namespace benchhud::analysis
