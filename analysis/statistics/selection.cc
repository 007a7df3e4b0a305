#include "analysis/statistics/selection.h"

#include <algorithm>
#include <bit>

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFewValues = 12;  // values that the library selects from as fast

template <class T>
T middle_of(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Puts those from `begin` on that are `wanted` first; returns the end of them. Lomuto's partition,
// each value being moved whether it is or not.
template <class T, class Predicate>
std::size_t put_first(std::span<T> values, std::size_t begin, Predicate wanted) {
  std::size_t end = begin;
  for (std::size_t i = begin; i < values.size(); ++i) {
    const T value = values[i];
    values[i] = values[end];
    values[end] = value;
    end += wanted(value) ? 1 : 0;
  }
  return end;
}

template <class T>
T select_any(std::span<T> values, std::size_t rank) {
  // Quickselect (Hoare, Algorithm 65: Find, Communications of the ACM 4, 1961). Pivots from within:
  // the ends of what rises and falls again are its extremes. Where they are bad all the same, the
  // library's selection, which bounds its time, goes on.
  std::size_t rounds = 2 * std::bit_width(values.size());
  while (values.size() > kFewValues && rounds-- > 0) {
    const std::size_t quarter = values.size() / 4;
    const T pivot = middle_of(values[quarter], values[2 * quarter], values[3 * quarter]);
    const std::size_t equal = put_first(values, 0, [=](T value) { return value < pivot; });
    if (rank < equal) {
      values = values.first(equal);
      continue;
    }
    const std::size_t above = put_first(values, equal, [=](T value) { return value == pivot; });
    if (rank < above) return pivot;
    values = values.subspan(above);
    rank -= above;
  }
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

double select(std::span<double> values, std::size_t rank) { return select_any(values, rank); }
float select(std::span<float> values, std::size_t rank) { return select_any(values, rank); }

}  // namespace benchhud::analysis
