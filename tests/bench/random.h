// Random numbers that are the same everywhere for one seed; the standard's distributions are not.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace benchhud::bench {

/// One step of SplitMix64 (Steele, Lea, Flood 2014): spreads a seed's bits.
inline std::uint64_t split_mix(std::uint64_t* state) {
  std::uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// xoshiro256++ (Blackman, Vigna 2019). Small, so that every series has its own.
class Random {
 public:
  /// `stream` tells generators of one seed apart.
  Random(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t mix = seed;
    mix = split_mix(&mix) ^ stream;
    for (std::uint64_t& word : state_) word = split_mix(&mix);
  }

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  /// In [0, count).
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(count));
  }
  bool chance(double probability) { return uniform() < probability; }

  /// Standard normal, by Marsaglia's polar method.
  double normal() {
    if (spare_) {
      const double value = *spare_;
      spare_.reset();
      return value;
    }
    double u, v, s;
    do {
      u = 2 * uniform() - 1;
      v = 2 * uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    spare_ = v * scale;
    return u * scale;
  }

 private:
  std::uint64_t state_[4];
  std::optional<double> spare_;
};

}  // namespace benchhud::bench
