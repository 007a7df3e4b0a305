// What differs between two profiles: what appeared, went or changed, by its part in the whole
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// A repetition's profile is one measurement: what moves a total by less is noise more often than
/// not (the same model's tables of two nights without a change differ by a few percent).
inline constexpr double kWorthSaying = 0.02;

/// Something that a profile counts under a name.
struct ProfileItem {
  std::string name;
  double amount = 0;  ///< of what the profile adds up: ns, or a count
  double calls = 0;
};

struct ProfileChange {
  enum class Kind : std::uint8_t { kChanged, kAppeared, kGone };
  std::string name;
  Kind kind = Kind::kChanged;
  double before = 0, after = 0;  ///< amounts
  double calls_before = 0, calls_after = 0;
  /// (after − before) / the difference of the totals; none where the totals differ by less than
  /// kWorthSaying of the larger one. The shares of all items and the unexplained rest add up to 1.
  std::optional<double> share;
};

/// "changed", "appeared", "gone".
std::string_view change_name(ProfileChange::Kind kind);

struct ProfileDifference {
  double before = 0, after = 0;  ///< totals
  /// The difference of the totals that no item accounts for.
  double unexplained = 0;
  /// Items that differ in amount or calls; the largest difference of amounts first, then of calls,
  /// then by name.
  std::vector<ProfileChange> changes;
};

/// Items of one name count together. Without a total, it is the sum of the items.
ProfileDifference diff_profiles(const std::vector<ProfileItem>& before,
                                const std::vector<ProfileItem>& after,
                                std::optional<double> total_before = {},
                                std::optional<double> total_after = {});

/// The self time, in ns, of a trace's slices by name: their length without what lies within them.
struct SelfTimes {
  /// Of all but the device's, the profiler's window and the shadows of annotations on the device's
  /// side.
  std::vector<ProfileItem> host;
  std::vector<ProfileItem> device;
  ProfileItem host_rest, device_rest;  ///< without a name: the sum of what is not among the items
};
/// The `most` longest items of each.
SelfTimes self_times(const trace::Trace& trace, const trace::TraceNesting& nesting,
                     std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace benchhud::analysis
