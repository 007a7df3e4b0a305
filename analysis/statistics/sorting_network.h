// Sorting of few values without a branch that depends on them.
#pragma once

#include <bit>
#include <cstddef>

namespace benchhud::analysis {

/// Puts values in ascending order, by Batcher's network (Knuth, The Art of Computer Programming 3,
/// 5.2.2, algorithm M): faster than what compares as needed for less than a hundred values. `T`: a
/// floating-point number, none of them NaN; or several, side by side, each sorted for itself.
template <class T>
void sort_by_network(T* values, std::size_t count) {
  const std::size_t half = std::bit_ceil(count) / 2;
  for (std::size_t p = half; p > 0; p /= 2) {
    std::size_t q = half, r = 0, d = p;
    while (true) {
      for (std::size_t begin = r; begin + d < count; begin += 2 * p) {
        for (std::size_t i = begin; i < begin + p && i + d < count; ++i) {
          const T a = values[i], b = values[i + d];
          // In two comparisons: processors have an instruction for each.
          values[i] = a < b ? a : b;
          values[i + d] = b < a ? a : b;
        }
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

}  // namespace benchhud::analysis
