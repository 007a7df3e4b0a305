#include "analysis/selection.h"

#include <algorithm>

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFew = 12;  // values that are sorted as fast

double middle_of(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Puts those from `begin` on that are `wanted` first; returns the end of them. Lomuto's partition,
// each value being moved whether it is or not.
template <typename Predicate>
std::size_t put_first(std::span<double> values, std::size_t begin, Predicate wanted) {
  std::size_t end = begin;
  for (std::size_t i = begin; i < values.size(); ++i) {
    const double value = values[i];
    values[i] = values[end];
    values[end] = value;
    end += wanted(value) ? 1 : 0;
  }
  return end;
}

}  // namespace

double select(std::span<double> values, std::size_t rank) {
  // Quickselect (Hoare, Algorithm 65: Find, Communications of the ACM 4, 1961).
  while (values.size() > kFew) {
    const double pivot = middle_of(values.front(), values[values.size() / 2], values.back());
    const std::size_t equal = put_first(values, 0, [=](double value) { return value < pivot; });
    if (rank < equal) {
      values = values.first(equal);
      continue;
    }
    const std::size_t above =
        put_first(values, equal, [=](double value) { return value == pivot; });
    if (rank < above) return pivot;
    if (above == 0) break;  // the pivot is no number
    values = values.subspan(above);
    rank -= above;
  }
  std::sort(values.begin(), values.end());
  return values[rank];
}

}  // namespace benchhud::analysis
