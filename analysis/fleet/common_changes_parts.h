// What the parts of CommonChangeDetector share: common_changes.cc has how a night is added, and
// each common_changes_….cc what its name says.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "analysis/fleet/common_changes.h"

namespace benchhud::analysis {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr double square(double value) { return value * value; }

// Adds what an event does to each of its members; `values`: by series.
template <class T>
void add_to_members(std::span<const std::size_t> members, std::span<const double> effects,
                    std::vector<T>* values) {
  for (std::size_t m = 0; m < members.size(); ++m) {
    (*values)[members[m]] += static_cast<T>(effects[m]);
  }
}

// The same of a state, to those series that it is known of: some may have come later.
template <class T>
void add_to_first(std::span<const double> effects, std::vector<T>* values) {
  for (std::size_t i = 0; i < effects.size(); ++i) (*values)[i] += static_cast<T>(effects[i]);
}

}  // namespace benchhud::analysis
