// Adding up lengths of time. Traces come from anywhere: lengths that are absurd must not overflow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace benchhud::analysis {

/// a + b, a number of 64 bits at most and at least.
constexpr std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

/// a − b, a number of 64 bits at most and at least.
constexpr std::int64_t difference_of(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

/// part / whole, 0 of nothing.
constexpr double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// How many lengths of time (ns) there were, and what they make.
struct TimeTotals {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::int64_t least = 0, most = 0;  ///< 0 where there were none

  void add(std::int64_t ns) { add({1, ns, ns, ns}); }
  void add(const TimeTotals& other) {
    if (other.count == 0) return;
    least = count == 0 ? other.least : std::min(least, other.least);
    most = count == 0 ? other.most : std::max(most, other.most);
    count += other.count;
    total = sum_of(total, other.total);
  }
  double mean() const {
    return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
  }
};

}  // namespace benchhud::analysis
