#include "analysis/statistics/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

namespace benchhud::analysis {
namespace {

// What is less likely than this is left out of a median's support.
constexpr double kNegligible = 1e-10;

// The probability that a resample's two middle values are the samples of these ranks (from 0).
// The two are the same rank where n is odd.
struct MiddlePair {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  double probability = 0;
};
using MiddlePairs = std::vector<MiddlePair>;

// log C(n, k), by adding logarithms (std::lgamma writes to a global).
double log_choose(std::size_t n, std::size_t k) {
  double total = 0;
  for (std::size_t i = 1; i <= k; ++i) {
    total += std::log(static_cast<double>(n - k + i) / static_cast<double>(i));
  }
  return total;
}

// P(B >= least) for B binomial(n, p) with 0 < p < 1 and log C(n, least) given.
double upper_tail(std::size_t n, double p, std::size_t least, double log_choose_least) {
  const double odds = p / (1 - p);
  double term = std::exp(log_choose_least + static_cast<double>(least) * std::log(p) +
                         static_cast<double>(n - least) * std::log1p(-p));
  // Below its peak the tail's terms first rise, so summing stops only on a fall to nothing.
  double total = 0;
  for (std::size_t k = least; k <= n; ++k) {
    total += term;
    const double factor = odds * static_cast<double>(n - k) / static_cast<double>(k + 1);
    term *= factor;
    if (factor < 1 && term < total * 1e-17) break;
  }
  return std::min(total, 1.0);
}

// P(the `order`-th smallest of n draws has a rank of at most i), for i = 0 … n, ranks from 1.
std::vector<double> rank_distribution(std::size_t n, std::size_t order) {
  std::vector<double> at_most(n + 1, 0.0);
  at_most[n] = 1;
  const double choose = log_choose(n, order);
  // Far from the middle the answer is 0 or 1 to the last digit: Hoeffding's bound at 9 sigma.
  const double reach = 4.5 * std::sqrt(static_cast<double>(n)) + 1;
  for (std::size_t i = 1; i < n; ++i) {
    const double off = static_cast<double>(i) - static_cast<double>(order);
    if (off < -reach) continue;
    at_most[i] =
        off > reach ? 1
                    : upper_tail(n, static_cast<double>(i) / static_cast<double>(n), order, choose);
  }
  return at_most;
}

MiddlePairs odd_pairs(std::size_t n) {
  const std::vector<double> at_most = rank_distribution(n, n / 2 + 1);
  MiddlePairs pairs;
  for (std::size_t i = 1; i <= n; ++i) {
    const double probability = at_most[i] - at_most[i - 1];
    if (probability < kNegligible) continue;
    const auto rank = static_cast<std::uint32_t>(i - 1);
    pairs.push_back({rank, rank, probability});
  }
  return pairs;
}

// With n = 2m: ranks i < j are the middle two when exactly m draws are at most i, one of them i,
// and the other m at least j, one of them j:  C(n,m) (P_i^m - P_{i-1}^m) (R_j^m - R_{j+1}^m), where
// P_i = i/n and R_j = (n-j+1)/n. Both are i with what is left of P(lower middle = i).
MiddlePairs even_pairs(std::size_t n) {
  const std::size_t m = n / 2;
  const double choose = log_choose(n, m);
  // log P_i^m, and how much of it is not P_{i-1}^m; logarithms, as C(n,m) alone overflows.
  std::vector<double> log_power(n + 1, -std::numeric_limits<double>::infinity());
  std::vector<double> new_part(n + 1, 0.0);
  for (std::size_t i = 1; i <= n; ++i) {
    log_power[i] =
        static_cast<double>(m) * std::log(static_cast<double>(i) / static_cast<double>(n));
    new_part[i] = -std::expm1(log_power[i - 1] - log_power[i]);
  }
  const std::vector<double> at_most = rank_distribution(n, m);
  MiddlePairs pairs;
  for (std::size_t i = 1; i <= n; ++i) {
    const double lower_is_i = at_most[i] - at_most[i - 1];
    if (lower_is_i < kNegligible) continue;
    const auto low = static_cast<std::uint32_t>(i - 1);
    const double log_low = choose + log_power[i];
    const double both = lower_is_i - std::exp(log_low + log_power[n - i]) * new_part[i];
    if (both >= kNegligible) pairs.push_back({low, low, both});
    for (std::size_t j = i + 1; j <= n; ++j) {
      const double probability =
          std::exp(log_low + log_power[n - j + 1]) * new_part[i] * new_part[n - j + 1];
      if (probability < kNegligible) break;
      pairs.push_back({low, static_cast<std::uint32_t>(j - 1), probability});
    }
  }
  return pairs;
}

MiddlePairs make_pairs(std::size_t n) {
  if (n == 0) return {};
  if (n == 1) return {{0, 0, 1.0}};
  MiddlePairs pairs = n % 2 == 1 ? odd_pairs(n) : even_pairs(n);
  const double total =
      std::accumulate(pairs.begin(), pairs.end(), 0.0,
                      [](double sum, const auto& p) { return sum + p.probability; });
  for (MiddlePair& pair : pairs) pair.probability /= total;
  return pairs;
}

// A constant table for the lengths that runs have; made once, some hundred kilobytes.
constexpr std::size_t kTabled = 64;
using Table = std::array<MiddlePairs, kTabled + 1>;

const MiddlePairs& tabled_pairs(std::size_t n) {
  static const Table table = [] {
    Table made;
    for (std::size_t length = 0; length <= kTabled; ++length) made[length] = make_pairs(length);
    return made;
  }();
  return table[n];
}

void fill_support(std::span<const double> samples, const MiddlePairs& pairs,
                  std::vector<Mass>& support) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  support.reserve(pairs.size());
  for (const MiddlePair& pair : pairs) {
    support.push_back({std::midpoint(sorted[pair.low], sorted[pair.high]), pair.probability});
  }
  // Odd lengths come out sorted.
  if (samples.size() % 2 == 0) {
    std::sort(support.begin(), support.end(),
              [](const Mass& a, const Mass& b) { return a.value < b.value; });
  }
}

bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return v > 0 && std::isfinite(v); });
}

bool is_level(double confidence) { return confidence > 0 && confidence < 1; }

// The distribution of a / b for independent a and b, looked at from one ratio.
struct RatioView {
  double at_most = 0;  // P(a / b <= t)
  double floor = 0;    // the largest ratio <= t, 0 if none
  double above = 0;    // the smallest ratio > t, infinity if none
};

// So few ratios are sorted outright.
constexpr std::size_t kFewRatios = 128;

class RatioDistribution {
 public:
  RatioDistribution(std::vector<Mass> numerator, std::vector<Mass> denominator)
      : numerator_(std::move(numerator)), denominator_(std::move(denominator)) {}

  double smallest() const { return numerator_.front().value / denominator_.back().value; }
  double largest() const { return numerator_.back().value / denominator_.front().value; }

  // Two pointers: as a grows, fewer b are large enough for a / b <= t. O(na + nb).
  RatioView view(double t) const {
    RatioView view{0, 0, std::numeric_limits<double>::infinity()};
    std::size_t first = 0;  // the first b with a / b <= t
    double rest = 1;        // P(b >= that)
    for (const Mass& a : numerator_) {
      while (first < denominator_.size() && a.value / denominator_[first].value > t) {
        rest -= denominator_[first].probability;
        ++first;
      }
      if (first > 0) view.above = std::min(view.above, a.value / denominator_[first - 1].value);
      if (first == denominator_.size()) continue;
      view.floor = std::max(view.floor, a.value / denominator_[first].value);
      view.at_most += a.probability * rest;
    }
    return view;
  }

  // The smallest ratios t with P(a / b <= t) >= low_level and >= high_level.
  std::pair<double, double> quantiles(double low_level, double high_level) const {
    const std::size_t count = numerator_.size() * denominator_.size();
    if (count > kFewRatios) return {quantile(low_level), quantile(high_level)};
    std::array<Mass, kFewRatios> ratios;
    std::size_t next = 0;
    for (const Mass& a : numerator_) {
      for (const Mass& b : denominator_) {
        ratios[next++] = {a.value / b.value, a.probability * b.probability};
      }
    }
    std::sort(ratios.begin(), ratios.begin() + count,
              [](const Mass& a, const Mass& b) { return a.value < b.value; });
    const auto smallest = [&](double level) {
      double at_most = 0;
      for (std::size_t i = 0; i < count; ++i) {
        at_most += ratios[i].probability;
        if (at_most >= level) return ratios[i].value;
      }
      return ratios[count - 1].value;
    };
    return {smallest(low_level), smallest(high_level)};
  }

 private:
  // The same for many ratios: bisection, each step of which moves its bounds to ratios that occur,
  // so it ends on one.
  double quantile(double level) const {
    double low = smallest();
    double high = largest();
    while (low < high) {
      // The geometric middle, so that ratios of any magnitude are found in as few steps.
      const double middle = std::clamp(std::sqrt(low) * std::sqrt(high), low, high);
      const RatioView seen = view(middle);
      if (seen.at_most >= level) {
        if (seen.floor >= high) return high_or_low(low, level, high);
        high = seen.floor;
      } else {
        low = seen.above;
      }
    }
    return high;
  }

  // The middle rounded up to `high`: only `low` can still be smaller.
  double high_or_low(double low, double level, double high) const {
    return view(low).at_most >= level ? low : high;
  }

  std::vector<Mass> numerator_;
  std::vector<Mass> denominator_;
};

// Steele, Lea & Flood (2014): small, fast and good enough to draw indices.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

constexpr std::uint64_t kGeomeanSeed = 20251101;

// 32 random bits to an index below n by the high half of a product; biased by n / 2^32 at most.
std::size_t index_below(std::uint32_t bits, std::uint32_t n) {
  return static_cast<std::size_t>((static_cast<std::uint64_t>(bits) * n) >> 32U);
}

// Calls draw(index) n times for a resample of n values.
template <class Draw>
void draw_resample(std::uint32_t n, SplitMix64& random, Draw draw) {
  for (std::uint32_t i = 0; i + 1 < n; i += 2) {
    const std::uint64_t bits = random.next();
    draw(index_below(static_cast<std::uint32_t>(bits), n));
    draw(index_below(static_cast<std::uint32_t>(bits >> 32U), n));
  }
  if (n % 2 == 1) draw(index_below(static_cast<std::uint32_t>(random.next()), n));
}

// How often each resample holds each of n values: kGeomeanResamples numbers for the first value,
// then as many for the second, and so on.
using Counts = std::vector<std::uint8_t>;

// For more values than that their sums are drawn each time: the counts would take too much memory.
constexpr std::size_t kMostCounted = 1024;

// A count does not reach 256: of n draws that many of one value have a chance of 1 / 256!.
std::shared_ptr<const Counts> make_counts(std::size_t n) {
  auto counts = std::make_shared<Counts>(n * kGeomeanResamples);
  SplitMix64 random(kGeomeanSeed);
  for (std::size_t resample = 0; resample < kGeomeanResamples; ++resample) {
    draw_resample(static_cast<std::uint32_t>(n), random,
                  [&](std::size_t index) { ++(*counts)[index * kGeomeanResamples + resample]; });
  }
  return counts;
}

// Every geomean of n values is resampled alike, so the draws are made once for each n that is in
// use. A fleet's geomeans are of some dozens of different n below 100: 2 kB for each value.
class CountsMemo {
 public:
  std::shared_ptr<const Counts> of(std::size_t n) {
    {
      const std::scoped_lock lock(mutex_);
      if (const auto found = kept_.find(n); found != kept_.end()) return found->second;
    }
    auto counts = make_counts(n);
    const std::scoped_lock lock(mutex_);
    if (bytes_ + counts->size() > kMostBytes) {
      kept_.clear();
      bytes_ = 0;
    }
    if (kept_.emplace(n, counts).second) bytes_ += counts->size();
    return counts;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  std::mutex mutex_;
  std::map<std::size_t, std::shared_ptr<const Counts>> kept_;
  std::size_t bytes_ = 0;
};

std::shared_ptr<const Counts> counts_for(std::size_t n) {
  static CountsMemo memo;
  return memo.of(n);
}

// sums[r] += value * times[r] for every resample. The two never overlap: told so, the compiler does
// several at a time.
void add_multiples(double value, const std::uint8_t* __restrict times, double* __restrict sums) {
  for (std::size_t resample = 0; resample < kGeomeanResamples; ++resample) {
    sums[resample] += value * static_cast<double>(static_cast<std::int32_t>(times[resample]));
  }
}

// The sum of every resample of `values`.
std::vector<double> resampled_sums(const std::vector<double>& values) {
  std::vector<double> sums(kGeomeanResamples, 0.0);
  if (values.size() > kMostCounted) {
    SplitMix64 random(kGeomeanSeed);
    for (double& sum : sums) {
      draw_resample(static_cast<std::uint32_t>(values.size()), random,
                    [&](std::size_t index) { sum += values[index]; });
    }
    return sums;
  }
  const auto counts = counts_for(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    add_multiples(values[i], counts->data() + i * kGeomeanResamples, sums.data());
  }
  return sums;
}

}  // namespace

std::vector<Mass> bootstrap_median(std::span<const double> samples) {
  std::vector<Mass> support;
  const std::size_t n = samples.size();
  if (n <= kTabled) {
    fill_support(samples, tabled_pairs(n), support);
  } else {
    fill_support(samples, make_pairs(n), support);
  }
  return support;
}

std::optional<Interval> ratio_of_medians_interval(std::span<const double> numerator,
                                                  std::span<const double> denominator,
                                                  double confidence) {
  // A single value does not tell how far another would be off.
  if (numerator.size() < 2 || denominator.size() < 2) return std::nullopt;
  if (!all_positive(numerator) || !all_positive(denominator) || !is_level(confidence)) {
    return std::nullopt;
  }
  const RatioDistribution ratio(bootstrap_median(numerator), bootstrap_median(denominator));
  if (!(ratio.smallest() > 0) || !std::isfinite(ratio.largest())) return std::nullopt;
  const double tail = (1 - confidence) / 2;
  const auto [low, high] = ratio.quantiles(tail, 1 - tail);
  return Interval{low, high, confidence};
}

std::optional<Interval> geomean_interval(std::span<const double> ratios, double confidence) {
  if (ratios.size() < 2 || !all_positive(ratios) || !is_level(confidence)) return std::nullopt;
  std::vector<double> logs(ratios.size());
  std::transform(ratios.begin(), ratios.end(), logs.begin(), [](double r) { return std::log(r); });
  std::sort(logs.begin(), logs.end());
  const std::vector<double> sums = resampled_sums(logs);
  const double tail = (1 - confidence) / 2;
  const auto n = static_cast<double>(logs.size());
  return Interval{std::exp(quantile(sums, tail) / n), std::exp(quantile(sums, 1 - tail) / n),
                  confidence};
}

}  // namespace benchhud::analysis
