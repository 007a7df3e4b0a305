// Numbers side by side, as many as every processor calculates with at once. Compilers do not find
// by themselves that what depends on each needs no branch.
#pragma once

#include <cstddef>
#include <cstring>

namespace benchhud::analysis {

inline constexpr std::size_t kFloatLanes = 4, kDoubleLanes = 2;
typedef float FloatLanes __attribute__((vector_size(kFloatLanes * sizeof(float))));
typedef double DoubleLanes __attribute__((vector_size(kDoubleLanes * sizeof(double))));

/// As many values as there are lanes, from `values` on.
template <class Lanes, class T>
Lanes lanes_of(const T* values) {
  Lanes lanes;
  std::memcpy(&lanes, values, sizeof lanes);
  return lanes;
}

}  // namespace benchhud::analysis
