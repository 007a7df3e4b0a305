#include "analysis/trace/time_spans.h"

#include <algorithm>
#include <utility>

#include "analysis/trace/time_totals.h"
#include "trace/merge_runs.h"

namespace benchhud::analysis {

namespace {

// Whether a span makes the one before it longer, if at all; else it stands for itself.
bool extend(TimeSpan* last, const TimeSpan& span) {
  if (span.begin < last->begin || span.begin > last->end) return false;
  last->end = std::max(last->end, span.end);
  return true;
}

// Joins spans that follow one another and share a moment.
void join_neighbours(std::vector<TimeSpan>* spans) {
  std::size_t count = 0;
  for (const TimeSpan& span : *spans) {
    if (count == 0 || !extend(&(*spans)[count - 1], span)) (*spans)[count++] = span;
  }
  spans->resize(count);
}

}  // namespace

void add_span(std::vector<TimeSpan>* spans, const TimeSpan& span) {
  if (spans->empty() || !extend(&spans->back(), span)) spans->push_back(span);
}

std::vector<TimeSpan> merged(std::vector<TimeSpan> spans) {
  const auto is_before = [](const TimeSpan& a, const TimeSpan& b) { return a.begin < b.begin; };
  // What slices of one thread make is mostly in order, and few spans are left of it to be sorted.
  join_neighbours(&spans);
  if (std::is_sorted(spans.begin(), spans.end(), is_before)) return spans;
  trace::merge_runs(spans.begin(), spans.end(), is_before);
  join_neighbours(&spans);
  return spans;
}

std::int64_t total(const std::vector<TimeSpan>& spans) {
  std::int64_t sum = 0;
  for (const TimeSpan& span : spans) sum = sum_of(sum, difference_of(span.end, span.begin));
  return sum;
}

std::vector<TimeSpan> common_spans(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b) {
  std::vector<TimeSpan> both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const TimeSpan span = {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (span.begin < span.end) both.push_back(span);
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return both;
}

std::int64_t common(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b) {
  return total(common_spans(a, b));
}

std::vector<TimeSpan> without(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b) {
  std::vector<TimeSpan> rest;
  std::size_t j = 0;
  for (TimeSpan span : a) {
    while (j < b.size() && b[j].end <= span.begin) ++j;
    // A span of b may reach into the next one of a: it is looked at again.
    for (std::size_t k = j; k < b.size() && b[k].begin < span.end; ++k) {
      if (span.begin < b[k].begin) rest.push_back({span.begin, b[k].begin});
      span.begin = std::max(span.begin, b[k].end);
      j = k;
    }
    if (span.begin < span.end) rest.push_back(span);
  }
  return rest;
}

SpanIndex::SpanIndex(std::vector<TimeSpan> spans) : spans_(std::move(spans)) {
  sums_.reserve(spans_.size());
  std::int64_t sum = 0;
  for (const TimeSpan& span : spans_) {
    sums_.push_back(sum);
    sum = sum_of(sum, difference_of(span.end, span.begin));
  }
}

std::int64_t SpanIndex::before(std::int64_t time) const {
  const auto after = std::partition_point(
      spans_.begin(), spans_.end(), [time](const TimeSpan& span) { return span.begin < time; });
  if (after == spans_.begin()) return 0;
  const auto last = after - 1;
  const std::int64_t inside = difference_of(std::min(time, last->end), last->begin);
  return sum_of(sums_[static_cast<std::size_t>(last - spans_.begin())], inside);
}

std::int64_t SpanIndex::covered(std::int64_t begin, std::int64_t end) const {
  return begin < end ? difference_of(before(end), before(begin)) : 0;
}

}  // namespace benchhud::analysis
