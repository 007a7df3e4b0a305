// Fleets of made-up series whose nights look like those of real ones, to which something can be
// done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace benchhud::eval {

/// Every model is timed on every backend: experiment `model * backends.size() + backend`.
struct FleetShape {
  std::size_t models = 13;
  std::vector<std::string> backends = {"eager", "inductor", "openxla+dynamo"};
  std::size_t nights = 60;

  std::size_t experiments() const { return models * backends.size(); }
};

/// From this night on things are done to a fleet.
inline constexpr std::size_t kFirstEvent = 40;

/// Levels by night and experiment: natural logarithms of times; infinity where it failed, none
/// where a result is missing.
using Levels = std::vector<std::vector<std::optional<double>>>;

/// What the series of a fleet are like.
enum class SeriesKind : std::uint8_t {
  kUsual,    ///< of 0.1 to 20 % noise of many shapes
  kUnequal,  ///< half of them very quiet (0.3 %), half noisy (8 to 15 %)
  /// With a history: lasting steps, two modes, wandering; two backends that changed before
  /// kFirstEvent; two series that take a step after it.
  kLively,
};

Levels made_up_fleet(const FleetShape& shape, SeriesKind kind, std::uint64_t seed);

/// How two machines share the nights.
enum class Turns : std::uint8_t {
  kSteady,    ///< turns of 1 to 4 nights; the second has about 40 % of them
  kChanging,  ///< the second machine's share rises from a tenth to nine tenths
};
/// The same fleet, on some nights timed by a second machine on which each series differs by an
/// amount of its own, log-normal around -15 % (even seeds) or +13 % (odd seeds), by 20 %.
struct TwoMachines {
  Levels levels;
  std::vector<bool> is_second;  ///< by night: on the second machine
};
TwoMachines with_second_machine(Levels levels, Turns turns, std::uint64_t seed);

/// The same fleet without a share of its results, which are missing by chance.
Levels with_missing_results(Levels levels, double share, std::uint64_t seed);

/// The kinds of noise in which nothing ever happens.
enum class QuietKind : std::uint8_t {
  kNormal,
  kHeavyTailed,     ///< Student's t with three degrees of freedom
  kAutocorrelated,  ///< each night 0.6 of the one before
  kWalk,            ///< on a level that wanders by 0.3 standard deviations a night
  kTwoLevels,       ///< every night on one of two levels, six standard deviations apart
  kSpikes,          ///< one night in twenty is slower, by eight standard deviations in the mean
  kExcursions,      ///< once in sixty nights off by four deviations, for three nights in the mean
  kCommon,          ///< normal; what moves all series of a night is larger than what moves one
};
inline constexpr std::size_t kQuietKinds = 8;
std::string quiet_kind_name(QuietKind kind);
/// A fleet in which every confirmed alert is a false one.
Levels quiet_fleet(const FleetShape& shape, QuietKind kind, std::uint64_t seed);

}  // namespace benchhud::eval
