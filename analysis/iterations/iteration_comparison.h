// Two profiles beside each other, of whatever form: time by the framework's operators, in an
// iteration of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/iterations/iteration_profile.h"

namespace benchhud::analysis {

/// A profile, and how many iterations of the model its `length` has. None: that is not known, and
/// neither is what an iteration takes.
struct ProfiledIterations {
  const IterationProfile* profile = nullptr;
  std::optional<std::int64_t> count;

  /// ns an iteration: an amount of `length`.
  std::optional<double> per_iteration(std::int64_t ns) const;
  /// ns an iteration, of several devices the mean: an amount of the operators' total, by its part
  /// in it. What a profile has beyond whole iterations is taken to be made of the same operators.
  std::optional<double> operator_per_iteration(std::int64_t ns) const;
};

struct ComparedOperator {
  enum class Kind : std::uint8_t {
    kOperator,
    kWithoutOperator,  ///< time of which no operator is known
    kRest,             ///< operators beyond the rows that are kept
  };
  struct Side {
    /// ns an iteration. None: how many iterations there are is not known, or `is_unknown`.
    std::optional<double> time;
    /// Of the time of all operators, 0 of one that did not run. None: `is_unknown`.
    std::optional<double> share;
    /// The profile does not list it, and has time of which no operator is known, or more rows than
    /// are kept: it may have run.
    bool is_unknown = false;
    /// Where `is_unknown`: ns an iteration that it may have taken at most. None: that is not known.
    std::optional<double> at_most = {};
  };
  Kind kind = Kind::kOperator;
  std::string name;  ///< "" of other kinds
  Side left, right;
  /// right.time − left.time; none where one of them is none.
  std::optional<double> difference;
};

/// All operators of both: the largest difference first, where it is known, then what one side alone
/// says, by its time, then by name. Times on the host and on a device do not compare: where one of
/// the profiles has operators on neither or another than the other, there are no differences.
std::vector<ComparedOperator> compare_operators(const ProfiledIterations& left,
                                                const ProfiledIterations& right);

}  // namespace benchhud::analysis
