#include "analysis/iterations/iteration_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {

namespace {

using Kind = ComparedOperator::Kind;
using Side = ComparedOperator::Side;

Side side_of_row(const ProfiledIterations& of, std::int64_t time) {
  return {of.operator_per_iteration(time), share_of(time, of.profile->operators.total), false};
}

// Of an operator that a profile does not list: it may be in what has no name or no row.
Side side_without_row(const ProfiledIterations& of, std::string_view name) {
  const FrameworkOperators& all = of.profile->operators;
  if (all.where == FrameworkOperators::Where::kNowhere) return Side{{}, {}, true};
  const bool names_itself = all.names_triton_kernels && is_triton_name(name);
  const std::int64_t nameless = names_itself ? 0 : all.without_operator.time;
  const std::int64_t hidden = sum_of(nameless, all.rest.time);
  if (hidden == 0) return side_of_row(of, 0);
  return Side{{}, {}, true, of.operator_per_iteration(hidden)};
}

}  // namespace

std::optional<double> ProfiledIterations::per_iteration(std::int64_t ns) const {
  if (!count || *count <= 0) return std::nullopt;
  return static_cast<double>(ns) / static_cast<double>(*count);
}

std::optional<double> ProfiledIterations::operator_per_iteration(std::int64_t ns) const {
  const FrameworkOperators& operators = profile->operators;
  const auto all = per_iteration(operators.in_iterations);
  if (!all) return std::nullopt;
  const auto devices = static_cast<double>(std::max<std::int64_t>(1, operators.device_count));
  return *all / devices * share_of(ns, operators.total);
}

std::vector<ComparedOperator> compare_operators(const ProfiledIterations& left,
                                                const ProfiledIterations& right) {
  struct Times {
    std::optional<std::int64_t> left, right;
  };
  std::map<std::pair<Kind, std::string>, Times> by_name;
  const auto add = [&](const FrameworkOperators& operators, auto Times::* side) {
    for (const FrameworkOperator& row : operators.rows) {
      by_name[{Kind::kOperator, row.name}].*side = row.time;
    }
    if (operators.without_operator.time > 0) {
      by_name[{Kind::kWithoutOperator, ""}].*side = operators.without_operator.time;
    }
    if (operators.rest.time > 0) by_name[{Kind::kRest, ""}].*side = operators.rest.time;
  };
  add(left.profile->operators, &Times::left);
  add(right.profile->operators, &Times::right);
  const bool compares = left.profile->operators.where == right.profile->operators.where;
  std::vector<ComparedOperator> rows;
  for (const auto& [key, times] : by_name) {
    ComparedOperator& row = rows.emplace_back();
    row.kind = key.first;
    row.name = key.second;
    const auto side = [&](const ProfiledIterations& of, const std::optional<std::int64_t>& time) {
      // Of what belongs to no row, nothing is something.
      if (!time && row.kind == Kind::kOperator) return side_without_row(of, row.name);
      const bool is_known =
          time || of.profile->operators.where != FrameworkOperators::Where::kNowhere;
      return is_known ? side_of_row(of, time.value_or(0)) : Side{{}, {}, true};
    };
    row.left = side(left, times.left);
    row.right = side(right, times.right);
    if (compares && row.left.time && row.right.time)
      row.difference = *row.right.time - *row.left.time;
  }
  const auto order = [](const ComparedOperator& row) {
    const double alone = std::max(row.left.time.value_or(0), row.right.time.value_or(0));
    const double share = std::max(row.left.share.value_or(0), row.right.share.value_or(0));
    return std::tuple(!row.difference, -(row.difference ? std::abs(*row.difference) : alone),
                      -share);
  };
  std::ranges::stable_sort(rows, [&](const ComparedOperator& a, const ComparedOperator& b) {
    return order(a) < order(b);
  });
  return rows;
}

}  // namespace benchhud::analysis
