#include "made_up_noise.h"

#include <cmath>
#include <numbers>

namespace benchhud::eval {
namespace {

constexpr std::size_t kRepetitions = 8;

// The standard library's distributions differ from one library to the next.
class Random {
 public:
  // The seed is mixed twice: seeds that differ by a step of the state would give the same numbers,
  // only later, and series that are said to be independent would be pieces of one.
  explicit Random(std::uint64_t seed) : state_(mix(mix(seed) + 0xD1B54A32D192ED03U)) {}

  double uniform() {  // SplitMix64
    state_ += 0x9E3779B97F4A7C15U;
    return (static_cast<double>(mix(state_) >> 11) + 0.5) * 0x1p-53;
  }
  double normal() {  // Box & Muller
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static std::uint64_t mix(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31);
  }

  std::uint64_t state_;
};

}  // namespace

std::string_view noise_name(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::kGaussian:
      return "Gaussian";
    case NoiseKind::kAutocorrelated:
      return "autocorrelated";
    case NoiseKind::kBimodal:
      return "bimodal";
    case NoiseKind::kSpiky:
      return "spiky";
  }
  return "";
}

std::vector<analysis::Night> made_up_series(NoiseKind kind, std::size_t nights,
                                            std::uint64_t number) {
  Random random(number * 4 + static_cast<std::uint64_t>(kind));
  std::vector<analysis::Night> series;
  double before = random.normal();
  std::vector<double> samples(kRepetitions);
  while (series.size() < nights) {
    double level = 0.02 * random.normal();
    if (kind == NoiseKind::kAutocorrelated) {
      before = 0.6 * before + 0.8 * random.normal();
      level = 0.02 * before;
    } else if (kind == NoiseKind::kBimodal) {
      level *= 0.3;
      if (random.uniform() < 0.3) level += 0.06;
    } else if (kind == NoiseKind::kSpiky && random.uniform() < 0.05) {
      level += 0.4 * random.uniform();
    }
    for (double& sample : samples) sample = std::exp(level + 0.01 * random.normal());
    series.push_back(*analysis::night_of(samples));
  }
  return series;
}

std::vector<std::vector<double>> made_up_humps(bool is_autocorrelated, std::size_t nights,
                                               std::uint64_t number) {
  Random random(number * 2 + (is_autocorrelated ? 1 : 0));
  std::vector<std::vector<double>> series;
  double before = random.normal();
  while (series.size() < nights) {
    before = is_autocorrelated ? 0.6 * before + 0.8 * random.normal() : random.normal();
    const double level = (is_autocorrelated ? 0.02 : 0.003) * before;
    series.emplace_back();
    const auto repetitions = static_cast<std::size_t>(1 + 10 * random.uniform());
    while (series.back().size() < repetitions) {
      const double hump = random.uniform() < 1.0 / 3 ? std::log(1.4) : 0;
      series.back().push_back(std::exp(level + hump + 0.02 * random.normal()));
    }
  }
  return series;
}

}  // namespace benchhud::eval
