#include "noise.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace benchhud::bench {
namespace {

constexpr std::array kKinds = {NoiseKind::kGaussian, NoiseKind::kBimodal, NoiseKind::kSpikes,
                               NoiseKind::kDrift, NoiseKind::kAutoregressive};
constexpr double kSlowModeShare = 0.3;
constexpr double kSpikeShare = 0.04;
constexpr double kSeason = 120;  // nights
constexpr double kCorrelation = 0.8;

}  // namespace

std::string_view noise_name(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::kGaussian:
      return "gaussian";
    case NoiseKind::kBimodal:
      return "bimodal";
    case NoiseKind::kSpikes:
      return "spikes";
    case NoiseKind::kDrift:
      return "drift";
    case NoiseKind::kAutoregressive:
      return "autoregressive";
  }
  return "";
}

Noise Noise::draw(Random* random) {
  Noise noise;
  noise.kind_ = kKinds[random->below(kKinds.size())];
  noise.between_nights_ = random->between(0.002, 0.015);
  noise.within_night_ = random->between(0.002, 0.02);
  switch (noise.kind_) {
    case NoiseKind::kBimodal:
      noise.size_ = random->between(0.03, 0.12);
      break;
    case NoiseKind::kSpikes:
      noise.size_ = random->between(0.3, 2);
      break;
    case NoiseKind::kDrift:
      noise.size_ = random->between(0.02, 0.08);
      break;
    default:
      break;
  }
  noise.phase_ = random->between(0, 2 * std::numbers::pi);
  return noise;
}

double Noise::next_night(int night, Random* random) {
  const double deviation = between_nights_ * random->normal();
  switch (kind_) {
    case NoiseKind::kGaussian:
      return 1 + deviation;
    case NoiseKind::kBimodal:
      return (1 + deviation) * (random->chance(kSlowModeShare) ? 1 + size_ : 1);
    case NoiseKind::kSpikes:
      return (1 + deviation) * (random->chance(kSpikeShare) ? 1 + size_ * random->uniform() : 1);
    case NoiseKind::kDrift:
      return (1 + deviation) *
             (1 + size_ * std::sin(phase_ + 2 * std::numbers::pi * night / kSeason));
    case NoiseKind::kAutoregressive:
      memory_ = kCorrelation * memory_ + std::sqrt(1 - kCorrelation * kCorrelation) * deviation;
      return 1 + memory_;
  }
  return 1;
}

}  // namespace benchhud::bench
