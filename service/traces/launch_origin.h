// Where a slice of a device comes from: the call that launched it, and what that was done for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace_queries.h"

namespace benchhud::service {

/// A step of the profiler, `ProfilerStep#N`.
struct TraceStep {
  std::string name;
  std::int64_t begin = 0, end = 0;  ///< ns on the trace's own clock
  std::uint32_t thread = 0;
};

/// Why it is not known whether there is something, although the trace may tell.
enum class NotSearched : std::uint8_t {
  kNoIndex,     ///< the trace has no index yet
  kTooMuch,     ///< the search would read too much of it
  kAmbiguous,   ///< several fit
  kNotDerived,  ///< steps are still to be derived from the trace
};
/// "no_index", "too_much", "ambiguous" or "not_derived"
std::string_view not_searched_name(NotSearched why);

/// Of each what the trace tells; none where it does not.
struct LaunchOrigin {
  /// The call of the runtime: an arrow leads from it, or it has the slice's correlation.
  std::optional<trace::PlacedSlice> call;
  std::optional<NotSearched> why_no_call;  ///< none: there is one, or there is none in the trace
  /// The operator around the call that the slice names (`External id`), else the innermost one.
  std::optional<trace::PlacedSlice> launching_operator;
  /// The innermost frames of Python around the call: a module (`nn.Module: …`), and a line of code.
  std::optional<trace::PlacedSlice> module, line;
  /// The frames are around the forward operator of which a backward one made the call: autograd's
  /// threads have no frames of their own.
  bool is_of_forward = false;
  /// In which the call began, of its process.
  std::optional<TraceStep> step;
  std::optional<NotSearched> why_no_step;
};

/// Whether slices of that label are of a device, and something launched them.
bool has_launch_origin(const trace::LabelText& label);

/// The origin of a slice of a device. What costs more than 64 chunks of slices, 20,000 labels or
/// 20,000 steps to be found is not searched. Errors: kCorrupt, the store's.
schema::Expected<LaunchOrigin> launch_origin(schema::Connection& connection, schema::TraceId trace,
                                             const trace::SliceDetails& slice);

}  // namespace benchhud::service
