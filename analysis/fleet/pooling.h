// What many series have in common on a night, and what is left of each beside it.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace benchhud::analysis {

/// Where values lie.
struct Location {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();  ///< its standard error
};

/// Huber's location (1964, tuning 1.5) of values with variances: values further off than one and a
/// half standard deviations pull no more than those. Begins at the weighted median. Of values that
/// scatter more than their variances say the error is larger. Zero with an infinite error where
/// there are no values. `weights`, if not null: of each value in it.
Location location_of(std::span<const double> values, std::span<const double> variances,
                     std::vector<double>* weights = nullptr);

/// Paule and Mandel's variance between series (1982): what is to be added to every variance so that
/// the mean of deviation² / variance, each at most `most`, is `usual`. 0 if it is not more than
/// that already, and of fewer than three deviations.
double between_variance(std::span<const double> deviations, std::span<const double> variances,
                        double most, double usual);

/// What a night on which series disagree adds to the variance of each.
struct Disturbance {
  double added = 0;  ///< the same for all
  double share = 0;  ///< of a series' own variance

  double of(double variance) const { return added + share * variance; }
  bool is_any() const { return added > 0 || share > 0; }
};

/// From the between_variance() of the quieter and of the noisier half of the series; the same for
/// all where that is not more in the noisier half, and of fewer than eight.
Disturbance disturbance_of(std::span<const double> deviations, std::span<const double> variances);

/// What an event did to series.
struct Effects {
  std::vector<double> effect, variance;
  double pooled = 0;  ///< what it did to most
};

/// How far a series moved since an event.
struct Shift {
  double size = 0;
  double variance = std::numeric_limits<double>::infinity();  ///< infinite: it was not measured
  double change = 0;  ///< how much later nights differ from the first one
  double before = std::numeric_limits<double>::quiet_NaN();  ///< its level before
  std::size_t model = 0;
};

/// The effects of an event on series that moved so: each shrunk to what most did, as much as its
/// own shift is uncertain (empirical Bayes: Efron and Morris 1975). What stands out by three to
/// four standard deviations (Hampel's weight 1974) is something else, and gets what most did.
/// `is_alike`: the event did much the same to all, so a series stands out by itself, also where it
/// changed after the first night; otherwise a model does, by the mean of its series.
Effects shrunk_effects(std::span<const Shift> shifts, bool is_alike = true);

}  // namespace benchhud::analysis
