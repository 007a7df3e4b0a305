// How a series' times scatter: between nights, and between the repetitions of one night.
#pragma once

#include <string_view>

#include "random.h"

namespace benchhud::bench {

enum class NoiseKind {
  kGaussian,        ///< every night around the level
  kBimodal,         ///< some nights in a second, slower mode (another machine, another clock)
  kSpikes,          ///< rare nights far too slow
  kDrift,           ///< the level wanders with the season, and never steps
  kAutoregressive,  ///< a night resembles the one before it
};

std::string_view noise_name(NoiseKind kind);

/// Draws the factors by which a series' level is multiplied.
class Noise {
 public:
  /// A noise of any kind, of a size as benchmarks have it.
  static Noise draw(Random* random);

  NoiseKind kind() const { return kind_; }
  /// Relative standard deviations between nights and between repetitions of a night.
  double between_nights() const { return between_nights_; }
  double within_night() const { return within_night_; }
  /// Relative size of what the kind does: the second mode, a spike, the drift's amplitude.
  double size() const { return size_; }

  /// The factor of one more night; to be called once a night.
  double next_night(int night, Random* random);
  /// The factor of one repetition, log-normal.
  double sample(Random* random) const { return std::exp(within_night_ * random->normal()); }

 private:
  NoiseKind kind_ = NoiseKind::kGaussian;
  double between_nights_ = 0;
  double within_night_ = 0;
  double size_ = 0;
  double phase_ = 0;
  double memory_ = 0;  // last night's deviation, for kAutoregressive
};

}  // namespace benchhud::bench
