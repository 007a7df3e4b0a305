// What can be wrong with a result's time, by name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace benchhud::analysis {

/// What is looked for. "Steady" are the repetitions behind the warm-up.
enum class Concern : std::uint8_t {
  kOnlyTracing,      ///< total ends when the calls return, while the device worked on
  kNotWaitedFor,     ///< the device worked longer than total, which is no tracing time either
  kWaitUnclear,      ///< total ends when the calls return; how long the device took cannot be told
  kSteadyCompiles,   ///< steady repetitions still compile
  kWarmupMissing,    ///< fewer than four repetitions: no warm-up can be left out, or but one
  kFirstNotSlower,   ///< the first repetition compiled, but took no longer than the others
  kProfilerOn,       ///< the times were taken under a profiler
  kPureWallTime,     ///< the least of many calls by the device's clock: phases do not add up to it
  kFewRepetitions,   ///< fewer than five usable steady repetitions
  kDrifting,         ///< the steady repetitions go up or down
  kBimodal,          ///< the steady repetitions have two humps
  kHighSpread,       ///< the steady repetitions lie far apart
  kHostBound,        ///< tracing takes longer than executing
  kBatchSizeDiffers  ///< the baseline ran other batch sizes
};
inline constexpr std::array kConcerns = {
    Concern::kOnlyTracing,    Concern::kNotWaitedFor,    Concern::kWaitUnclear,
    Concern::kSteadyCompiles, Concern::kWarmupMissing,   Concern::kFirstNotSlower,
    Concern::kProfilerOn,     Concern::kPureWallTime,    Concern::kFewRepetitions,
    Concern::kDrifting,       Concern::kBimodal,         Concern::kHighSpread,
    Concern::kHostBound,      Concern::kBatchSizeDiffers};
/// "only_tracing", "not_waited_for", …
std::string_view concern_name(Concern concern);
/// How it is found: one or two sentences.
std::string_view concern_definition(Concern concern);

enum class Severity : std::uint8_t {
  kWrong,    ///< the number is not what it is called
  kWarning,  ///< the number may be off
  kNote,     ///< the number is right; it says something about the model or the machine
};
/// "wrong", "warning" or "note".
std::string_view severity_name(Severity severity);

enum class CheckOutcome : std::uint8_t { kCannotTell, kNotFound, kFound };
/// "found", "not_found" or "cannot_tell".
std::string_view outcome_name(CheckOutcome outcome);

}  // namespace benchhud::analysis
