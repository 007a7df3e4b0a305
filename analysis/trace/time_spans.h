// Sets of moments as spans: unions, overlaps, differences. All take linear time, but for sorting.
#pragma once

#include <cstdint>
#include <vector>

namespace benchhud::analysis {

/// ns; `end` is not in it.
struct TimeSpan {
  std::int64_t begin = 0, end = 0;
  bool operator==(const TimeSpan&) const = default;
};

/// Adds a span to others in any order. One that begins in the last of them, or where that ends,
/// makes it longer: what a stream did without a pause takes the memory of one.
void add_span(std::vector<TimeSpan>* spans, const TimeSpan& span);

/// The union of spans in any order, as the functions below want their arguments: sorted, and
/// apart from each other.
std::vector<TimeSpan> merged(std::vector<TimeSpan> spans);

/// The length of all together.
std::int64_t total(const std::vector<TimeSpan>& spans);

/// What is in both.
std::vector<TimeSpan> common_spans(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b);
/// The length of that.
std::int64_t common(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b);

/// What is in `a` and not in `b`.
std::vector<TimeSpan> without(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b);

/// Answers how much of a window some spans cover, each question in logarithmic time.
class SpanIndex {
 public:
  explicit SpanIndex(std::vector<TimeSpan> spans);
  std::int64_t covered(std::int64_t begin, std::int64_t end) const;

 private:
  /// Covered before that moment.
  std::int64_t before(std::int64_t time) const;

  std::vector<TimeSpan> spans_;
  std::vector<std::int64_t> sums_;  // of the lengths of all spans before
};

}  // namespace benchhud::analysis
