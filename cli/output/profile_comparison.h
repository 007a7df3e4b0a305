// benchhud profile compare: where an iteration goes by two profiles, of whatever form.
#pragma once

#include <cstddef>
#include <string>

#include "schema/base/errors.h"

namespace benchhud::cli {

struct ProfileComparisonRequest {
  std::string store;  ///< opened only where a side names a result
  /// A trace's file, if there is one of that name; else a result as find_result() takes it.
  std::string left, right;
  bool as_json = false;
  std::size_t most_operators = 20;  ///< text: no more of them; JSON has all
};

/// Prints to standard output what /profile-comparison answers: as JSON the same document, in which
/// `run`, `experiment`, `artifact_id` and `trace_id` of a file are null. What could not be read of
/// a file goes to standard error. Errors: kNotFound (no such file or result, or the result has no
/// profile), kAmbiguous, kInvalidArgument; kUnsupported where a file is no trace, where an older
/// version took a profile in, and, after what is known is printed, where it is not known of either
/// how many iterations it has; kIo, kCorrupt, the store's.
schema::Expected<void> print_profile_comparison(const ProfileComparisonRequest& request);

}  // namespace benchhud::cli
