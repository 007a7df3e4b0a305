// Sorting of what is in order already but for a few seams.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace benchhud::trace {

/// Sorts by merging the runs that are in order already, of which profilers write a few: a linear
/// pass where there is one, n log(runs) comparisons otherwise. Equal elements keep their order.
template <class Iterator, class Before>
void merge_runs(Iterator begin, Iterator end, const Before& before) {
  std::vector<Iterator> runs{begin};  // where each begins, and the end
  while (runs.back() != end) runs.push_back(std::is_sorted_until(runs.back(), end, before));
  while (runs.size() > 2) {
    std::size_t kept = 1;
    for (std::size_t i = 2; i < runs.size(); i += 2) {
      std::inplace_merge(runs[i - 2], runs[i - 1], runs[i], before);
      runs[kept++] = runs[i];
    }
    if (runs.size() % 2 == 0) runs[kept++] = end;
    runs.resize(kept);
  }
}

}  // namespace benchhud::trace
