// Series in which nothing ever changes, however they look.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/changes/night_series.h"

namespace benchhud::eval {

/// How nights differ, and how the repetitions of one do (by 1 %, eight of them).
enum class NoiseKind : std::uint8_t {
  kGaussian,        ///< nights by 2 %
  kAutocorrelated,  ///< each night 0.6 of the one before, by 2 % in all
  kBimodal,         ///< three nights of ten 6 % slower, by 0.6 % otherwise
  kSpiky,           ///< one night in twenty slower by up to half, the others by 2 %
};
inline constexpr std::array kNoiseKinds = {NoiseKind::kGaussian, NoiseKind::kAutocorrelated,
                                           NoiseKind::kBimodal, NoiseKind::kSpiky};
std::string_view noise_name(NoiseKind kind);

/// The series with that number: the same on every machine.
std::vector<analysis::Night> made_up_series(NoiseKind kind, std::size_t nights,
                                            std::uint64_t number);

/// As made_up_series(), the values of each night's repetitions: one to ten of them, which fall into
/// two humps 40 % apart, a third into the slower one, and differ by 2 % within each. Nights differ
/// by 0.3 %, or by 2 % and as kAutocorrelated ones do.
std::vector<std::vector<double>> made_up_humps(bool is_autocorrelated, std::size_t nights,
                                               std::uint64_t number);

}  // namespace benchhud::eval
