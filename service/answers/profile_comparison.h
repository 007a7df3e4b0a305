// The profiles of two results beside each other: where an iteration of each goes, by its parts and
// by the framework's operators.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/iteration_profile.h"
#include "service/answers/profiled_result.h"

namespace benchhud::service {

/// A part of the iterations, or an operator's part of all operators' time, on one side.
struct ComparedTime {
  std::optional<double> ns = {};  ///< an iteration
  std::optional<double> share = {};
  /// With what went on behind other parts: ns, an iteration.
  std::optional<double> overlapped_ns = {};
  std::string unknown = {};  ///< why `ns` is none: a sentence
};

struct ComparedRow {
  /// "part", or of operators "operator", "without_operator", "rest", as
  /// analysis::ComparedOperator::Kind has them.
  std::string_view kind;
  std::string name;  ///< "" of kinds without one
  ComparedTime left, right;
  /// Right less left: ns, an iteration. None: they do not compare, or one of them is unknown.
  std::optional<double> difference;
};

struct BackendComparison {
  std::vector<ComparedRow> parts;      ///< in the order of kComparedParts
  std::vector<ComparedRow> operators;  ///< the largest difference first; none without two profiles
  /// Why no operators have a difference, where they are known of both sides; "" where they do.
  std::string_view without_difference;
};

/// The order in which an iteration goes through its parts, and what is left behind them.
inline constexpr std::array kComparedParts = {
    analysis::IterationPart::kTracing,      analysis::IterationPart::kCompiling,
    analysis::IterationPart::kTransferring, analysis::IterationPart::kExecuting,
    analysis::IterationPart::kWaiting,      analysis::IterationPart::kUnknown};

BackendComparison compare_profiles(const ProfiledResult& left, const ProfiledResult& right);

}  // namespace benchhud::service
