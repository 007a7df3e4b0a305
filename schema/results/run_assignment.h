// Which invocations make up which run: a pure function of all invocations on one accelerator model,
// so that it cannot depend on the order in which files were ingested.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/types.h"

namespace benchhud::schema {

/// How invocations with timestamps of their own are put together.
struct RunGrouping {
  enum class By { kTimestamp, kNight };
  By by = By::kTimestamp;
  double day_start = 0;  ///< kNight: seconds after midnight UTC at which a night's date begins
};

/// What the assignment looks at.
struct InvocationFacts {
  double timestamp = 0;
  InvocationKind kind = InvocationKind::kTiming;
  std::optional<std::string> run_name;  ///< given by --run or a command
};

/// A verification later than this after the nearest timing run before it stands for itself.
inline constexpr double kLongestJoinSeconds = 24 * 3600;

/// The name of each invocation's run, in the order given.
///
/// An invocation with a name given belongs to the run of that name. A timing (or mixed) invocation
/// belongs to the run of its timestamp (or night). A verification joins the run of the timing
/// invocation nearest before it (or at the same time), at most kLongestJoinSeconds earlier; where
/// there is none, it is a run of its own.
std::vector<std::string> assign_runs(std::span<const InvocationFacts> invocations,
                                     const RunGrouping& grouping);

/// What an invocation was for, by what its lines hold: total_time, or codes that only a
/// verification gives.
InvocationKind invocation_kind(bool has_timing, bool has_verdict);

/// "timing", "verification" or "mixed".
std::string_view invocation_kind_name(InvocationKind kind);

/// Whether a code is a verifier's verdict: anything but VERIFIER_SKIPPED and VERIFIER_DIDNT_RUN,
/// which timing lines bear too.
bool is_verdict(std::string_view code);

}  // namespace benchhud::schema
