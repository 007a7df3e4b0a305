// The tracks that XProf derives of a profile of XLA where the file does not have them: Steps, XLA
// Modules, XLA Ops, Framework Ops, Framework Name Scope and Source code, of each device.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/trace/trace_context.h"
#include "trace/trace_derived.h"

namespace benchhud::analysis {

/// The tracks of each device of an XPlane profile, or of the host where XLA runs on the CPU, each
/// where the profile says what it shows and the device has no line of that name. After
/// derived_timeline.cc of openxla/xla, with these rules:
/// - On a stream or thread, slices that follow one another are one as long as they show the same
///   and are of one run of their module; where the run is not known, as long as the gap between
///   them is at most twice as long as what is joined already.
/// - `XLA Modules` are the runs of XlaProfile::runs, where a device has such; else joined slices.
/// - `Steps` reach from a device's first slice to its last one of each of xla_iterations(). A slice
///   is of the iteration in which the host launched it, and where iterations are runs of a module,
///   or the device is the host, in which it begins; one whose launch is not known is of none.
/// - `Framework Name Scope` shows the parts of the framework's operator before its name, the outer
///   ones above. Parts beyond kMostScopes, and levels that would make more than twice as many
///   slices as the device has and a million, are left out.
/// Streams and threads stand in rows of their own, one below the other.
///
/// None of a trace that is no XPlane profile; of one that comes from a store (which does not keep
/// XlaProfile::slices) no tracks. Time n log n, memory some 100 bytes a slice of an operator.
std::optional<trace::DerivedTracks> xla_derived_tracks(const TraceContext& context);

inline constexpr std::size_t kMostScopes = 64;

/// A framework's operator, of "jit(f)/while/body/add:" or "name:Type".
struct ScopedOperator {
  std::string_view name;                 ///< the whole, without what is behind the colon
  std::vector<std::string_view> scopes;  ///< "jit(f)", "while", "body": at most kMostScopes
};
/// A slash within parentheses parts nothing.
ScopedOperator read_scoped_operator(std::string_view text);

}  // namespace benchhud::analysis
