#include "scores.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/changes/night_series.h"

namespace benchhud::eval {
namespace {

using analysis::nights_apart;

double ratio(int part, int whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

double harmonic(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

// How many of the true changes are hit, each by a change that hits no other.
int hits_of(const std::set<std::size_t>& truth, std::set<std::size_t> found, std::size_t margin) {
  int hits = 0;
  for (const std::size_t at : truth) {
    const auto nearest = std::min_element(
        found.begin(), found.end(),
        [&](std::size_t a, std::size_t b) { return nights_apart(a, at) < nights_apart(b, at); });
    if (nearest == found.end() || nights_apart(*nearest, at) > margin) continue;
    found.erase(nearest);
    ++hits;
  }
  return hits;
}

using Segments = std::vector<std::pair<std::size_t, std::size_t>>;

Segments segments_of(const std::set<std::size_t>& changes, std::size_t length) {
  Segments segments;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    const auto next = std::next(at);
    segments.emplace_back(*at, next == changes.end() ? length : *next);
  }
  return segments;
}

double cover_of(const Segments& truth, const Segments& found, std::size_t length) {
  double cover = 0;
  for (const auto& [begin, end] : truth) {
    double best = 0;
    for (const auto& [other_begin, other_end] : found) {
      const std::size_t low = std::max(begin, other_begin), high = std::min(end, other_end);
      if (low >= high) continue;
      const std::size_t whole = std::max(end, other_end) - std::min(begin, other_begin);
      best = std::max(best, static_cast<double>(high - low) / static_cast<double>(whole));
    }
    cover += best * static_cast<double>(end - begin) / static_cast<double>(length);
  }
  return cover;
}

}  // namespace

double EventScore::precision() const { return ratio(hits, hits + others); }
double EventScore::recall() const { return ratio(hits, hits + misses); }
double EventScore::f1() const { return harmonic(precision(), recall()); }

AnnotatedScore annotated_score(const std::vector<std::vector<std::size_t>>& annotations,
                               const std::vector<std::size_t>& found, std::size_t length,
                               std::size_t margin) {
  std::set<std::size_t> ours(found.begin(), found.end()), anybodys{0};
  ours.insert(0);
  double recall = 0;
  AnnotatedScore score;
  for (const auto& changes : annotations) {
    std::set<std::size_t> theirs(changes.begin(), changes.end());
    theirs.insert(0);
    anybodys.insert(theirs.begin(), theirs.end());
    recall += ratio(hits_of(theirs, ours, margin), static_cast<int>(theirs.size()));
    score.cover += cover_of(segments_of(theirs, length), segments_of(ours, length), length);
  }
  const auto people = static_cast<double>(annotations.size());
  const double precision = ratio(hits_of(anybodys, ours, margin), static_cast<int>(ours.size()));
  score.f1 = harmonic(precision, recall / people);
  score.cover /= people;
  return score;
}

}  // namespace benchhud::eval
