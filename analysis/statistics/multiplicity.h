// Many tests at once, and one night after the other: how many of the alarms may be false.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace benchhud::analysis {

/// One p-value for several tests of what would be one cause: the least, over the sorted p-values,
/// of hypotheses × p / rank (Simes, An Improved Bonferroni Procedure, Biometrika 73, 1986).
/// `hypotheses`: how many tests there were; those without a p-value here have 1. 1 for none.
double simes(std::span<const double> p_values, std::size_t hypotheses);

/// The false discovery rate at which each would just be told: q-values of Benjamini & Hochberg
/// (Controlling the False Discovery Rate, Journal of the Royal Statistical Society B 57, 1995), for
/// tests that are independent or rise and fall together, as those of models on one machine do. In
/// the order of `p_values`; between p and 1.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

/// The false discovery rate at which each would just be told: q-values of Benjamini & Yekutieli
/// (The Control of the False Discovery Rate in Multiple Testing under Dependency, Annals of
/// Statistics 29, 2001), which hold however the tests hang together. In the order of `p_values`;
/// between p and 1. `hypotheses` as for simes(), at least as many as p-values.
std::vector<double> benjamini_yekutieli(std::span<const double> p_values, std::size_t hypotheses);

/// Controls the share of false alarms over a lifetime of tests, each of which must be decided when
/// it comes: LORD++ (Ramdas, Yang, Wainwright & Jordan, Online Control of the False Discovery Rate
/// with Decaying Memory, NeurIPS 2017), with the γ of Javanmard & Montanari (Online Rules for
/// Control of False Discovery Rate, Annals of Statistics 46, 2018). Alarms give back what they may
/// spend.
class LordPlusPlus {
 public:
  /// `rate`: the false discovery rate, between 0 and 1. Half of it can be spent before any alarm.
  explicit LordPlusPlus(double rate) : rate_(rate) {}

  /// What the next test's p-value may be at most to be an alarm.
  double level() const;
  /// Tells of the next test whether it was an alarm.
  void next(bool is_alarm);

 private:
  friend struct StateFields;

  double rate_;
  std::size_t tests_ = 0;
  std::vector<std::size_t> alarms_;  // numbers of the tests that were, from 1
};

}  // namespace benchhud::analysis
