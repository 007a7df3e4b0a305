#include "service/answers/profile_comparison.h"

#include <cstddef>
#include <utility>

namespace benchhud::service {

using analysis::ComparedOperator;
using analysis::FrameworkOperators;
using analysis::IterationPart;
using analysis::ProfiledIterations;

namespace {

constexpr std::string_view kOfNoIteration =
    "Nothing says how many iterations of the model the profile has.";
constexpr std::string_view kMayHaveRun =
    "The profile does not list it, and has time of which it names no operator: it may have run.";
constexpr std::string_view kWhereDiffers =
    "One side's times are of operators on a device, the other's are not: they do not compare.";

ComparedTime part_of_side(const ProfiledResult& side, IterationPart part) {
  if (!side.profile) return {.unknown = std::string(side.missing())};
  const ProfiledIterations profiled = side.profiled();
  const analysis::IterationPartTime& of = side.profile->of(part);
  ComparedTime time;
  if (of.with_overlap) time.overlapped_ns = profiled.per_iteration(*of.with_overlap);
  time.unknown = of.unknown;
  if (!of.time) return time;
  time.ns = profiled.per_iteration(*of.time);
  if (side.profile->length > 0) {
    time.share = static_cast<double>(*of.time) / static_cast<double>(side.profile->length);
  }
  if (!time.ns) time.unknown = kOfNoIteration;
  return time;
}

std::vector<ComparedRow> compared_parts(const ProfiledResult& left, const ProfiledResult& right) {
  std::vector<ComparedRow> rows;
  bool knows_same = true;
  for (const IterationPart part : kComparedParts) {
    ComparedRow row{"part",
                    std::string(name_of(part)),
                    part_of_side(left, part),
                    part_of_side(right, part),
                    {}};
    knows_same = knows_same && row.left.share.has_value() == row.right.share.has_value();
    // What one side cannot tell is in its unknown time, and not in the other's.
    const bool compares = part != IterationPart::kUnknown || knows_same;
    if (compares && row.left.ns && row.right.ns) row.difference = *row.right.ns - *row.left.ns;
    rows.push_back(row);
  }
  return rows;
}

std::string_view name_of_kind(ComparedOperator::Kind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"operator", "without_operator", "rest"};
  return kNames[static_cast<std::size_t>(kind)];
}

ComparedTime operator_of_side(const ProfiledResult& of, const ComparedOperator::Side& side) {
  ComparedTime time{.ns = side.time, .share = side.share};
  if (side.is_unknown) {
    const bool is_nothing_known =
        of.profile->operators.where == FrameworkOperators::Where::kNowhere;
    if (is_nothing_known) time.unknown = of.profile->operators.unknown;
    if (time.unknown.empty()) time.unknown = kMayHaveRun;
  } else if (!side.time) {
    time.unknown = kOfNoIteration;
  }
  return time;
}

std::vector<ComparedRow> compared_operators(const ProfiledResult& left, const ProfiledResult& right,
                                            const std::vector<ComparedOperator>& operators) {
  std::vector<ComparedRow> rows;
  rows.reserve(operators.size());
  for (const ComparedOperator& one : operators) {
    rows.push_back({name_of_kind(one.kind), one.name, operator_of_side(left, one.left),
                    operator_of_side(right, one.right), one.difference});
  }
  return rows;
}

}  // namespace

BackendComparison compare_profiles(const ProfiledResult& left, const ProfiledResult& right) {
  BackendComparison comparison;
  comparison.parts = compared_parts(left, right);
  if (!left.profile || !right.profile) return comparison;
  const auto operators = analysis::compare_operators(left.profiled(), right.profiled());
  comparison.operators = compared_operators(left, right, operators);
  using Where = FrameworkOperators::Where;
  const Where on_left = left.profile->operators.where, on_right = right.profile->operators.where;
  // Where one of them is not known, the side itself says so.
  if (on_left != on_right && on_left != Where::kNowhere && on_right != Where::kNowhere) {
    comparison.without_difference = kWhereDiffers;
  }
  return comparison;
}

}  // namespace benchhud::service
