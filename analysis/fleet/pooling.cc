#include "analysis/fleet/pooling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace benchhud::analysis {
namespace {

constexpr double kTuning = 1.5;      // standard deviations
constexpr double kMostForError = 9;  // squares are cut here
// For variances between series squares are cut at 4, so that a tenth of series that stand out
// hardly counts. The mean of such squares of normal deviations is 0.92.
constexpr double kMostForBetween = 4, kUsualForBetween = 0.92;
constexpr std::size_t kFewestHalves = 8;

struct WeighedValue {
  double value, weight;
};

// The least value that with all below it has the weight `left`, of some.
double least_with(double left, std::span<WeighedValue> values) {
  auto begin = values.begin(), end = values.end();
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [](const WeighedValue& one, const WeighedValue& other) {
      return one.value < other.value;
    });
    double below = 0;
    for (auto item = begin; item != middle; ++item) below += item->weight;
    if (below >= left) {
      end = middle;
    } else {
      left -= below;
      begin = middle;
    }
  }
  return begin->value;
}

// Two values that most probably lie on either side of the weighted median, from a sample.
std::pair<double, double> around_median(std::span<const double> values,
                                        std::span<const double> deviations) {
  constexpr std::size_t kSample = 128;
  constexpr double kEitherSide = 0.15;  // of the weight: more than three standard errors
  std::array<WeighedValue, kSample> sample;
  double all = 0;
  for (std::size_t k = 0; k < kSample; ++k) {
    const std::size_t place = k * values.size() / kSample;
    sample[k] = {values[place], 1 / deviations[place]};
    all += sample[k].weight;
  }
  std::ranges::sort(sample, {}, &WeighedValue::value);
  std::pair around{sample.front().value, sample.back().value};
  double below = 0;
  for (const auto& [value, weight] : sample) {
    if (below < (0.5 - kEitherSide) * all) around.first = value;
    below += weight;
    if (below < (0.5 + kEitherSide) * all) around.second = value;
  }
  return around;
}

// The least value that with all below it has half of the weight, which is one over the deviation.
double weighted_median(std::span<const double> values, std::span<const double> deviations) {
  constexpr std::size_t kMany = 1000;  // values, so that those around the median are worth finding
  thread_local std::vector<WeighedValue> items;
  items.resize(values.size());
  double half = 0;
  if (values.size() >= kMany) {
    const auto [low, high] = around_median(values, deviations);
    double below = 0, within = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double weight = 1 / deviations[i];
      const bool is_below = values[i] < low, is_within = !is_below && values[i] <= high;
      half += weight / 2;
      below += is_below ? weight : 0;
      within += is_within ? weight : 0;
      items[count] = {values[i], weight};
      count += is_within ? 1 : 0;
    }
    const double left = half - below;
    constexpr double kClearly = 1e-9;  // of the weight, whatever is rounded
    if (left > kClearly * half && within - left > kClearly * half) {
      return least_with(left, std::span(items).first(count));
    }
  }
  half = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    items[i] = {values[i], 1 / deviations[i]};
    half += items[i].weight / 2;
  }
  return least_with(half, items);
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Location location_of(std::span<const double> values, std::span<const double> variances,
                     std::vector<double>* weights) {
  if (weights != nullptr) weights->assign(values.size(), 0);
  if (values.empty()) return {};
  constexpr int kIterations = 8;
  // Some at a time, so that what does not depend on the sums is not waited for.
  constexpr std::size_t kSome = 32;
  std::array<double, kSome> own;
  thread_local std::vector<double> deviations;
  deviations.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) deviations[i] = std::sqrt(variances[i]);
  Location location{weighted_median(values, deviations), 0};
  const auto weigh = [&](std::size_t begin, std::size_t end, double* of) {
    const double centre = location.value;
    const double* const value = values.data();
    const double* const variance = variances.data();
    const double* const deviation = deviations.data();
    for (std::size_t i = begin; i < end; ++i) {
      const double off = std::abs(value[i] - centre) / deviation[i];
      of[i - begin] = std::min(1.0, kTuning / std::max(off, 1e-9)) / variance[i];
    }
  };
  for (int k = 0; k < kIterations; ++k) {
    double sum = 0, of_weights = 0;
    for (std::size_t begin = 0; begin < values.size(); begin += kSome) {
      const std::size_t end = std::min(begin + kSome, values.size());
      weigh(begin, end, own.data());
      for (std::size_t i = begin; i < end; ++i) {
        sum += own[i - begin] * values[i];
        of_weights += own[i - begin];
      }
    }
    location.value = sum / of_weights;
  }
  if (weights != nullptr) weigh(0, values.size(), weights->data());
  double squares = 0, information = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - location.value;
    squares += std::min(off * off / variances[i], kMostForError);
    information += 1 / variances[i];
  }
  const double excess = std::max(1.0, squares / static_cast<double>(values.size()));
  location.error = std::sqrt(excess / information);
  return location;
}

double between_variance(std::span<const double> deviations, std::span<const double> variances,
                        double most, double usual) {
  if (deviations.size() < 3) return 0;
  const auto excess = [&](double added) {
    double sum = 0;
    for (std::size_t i = 0; i < deviations.size(); ++i) {
      sum += std::min(deviations[i] * deviations[i] / (variances[i] + added), most);
    }
    return sum / static_cast<double>(deviations.size()) - usual;
  };
  if (excess(0) <= 0) return 0;
  double low = 0, high = 1e-8;
  while (excess(high) > 0) {
    low = high;
    high *= 4;
  }
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Disturbance disturbance_of(std::span<const double> deviations, std::span<const double> variances) {
  const auto alike = [&]() -> Disturbance {
    return {between_variance(deviations, variances, kMostForBetween, kUsualForBetween), 0};
  };
  if (deviations.size() < kFewestHalves) return alike();
  const double middle = median_of({variances.begin(), variances.end()});
  struct Half {
    std::vector<double> deviations, variances;
    double between = 0, mean = 0;
  } quiet, noisy;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    Half& half = variances[i] <= middle ? quiet : noisy;
    half.deviations.push_back(deviations[i]);
    half.variances.push_back(variances[i]);
  }
  if (noisy.deviations.empty()) return alike();
  for (Half* half : {&quiet, &noisy}) {
    half->between =
        between_variance(half->deviations, half->variances, kMostForBetween, kUsualForBetween);
    half->mean = std::accumulate(half->variances.begin(), half->variances.end(), 0.0) /
                 static_cast<double>(half->variances.size());
  }
  if (noisy.between <= quiet.between) return alike();
  const double share = std::min((noisy.between - quiet.between) / (noisy.mean - quiet.mean),
                                noisy.between / noisy.mean);
  return {std::max(quiet.between - share * quiet.mean, 0.0), share};
}

Effects shrunk_effects(std::span<const Shift> shifts, bool is_alike) {
  constexpr double kOut = 3, kFarOut = 4;  // standard deviations
  constexpr std::size_t kFewest = 6;
  std::vector<double> sizes, variances;
  for (const Shift& shift : shifts) {
    if (!std::isfinite(shift.variance)) continue;
    sizes.push_back(shift.size);
    variances.push_back(shift.variance);
  }
  Effects effects;
  const Location pooled = location_of(sizes, variances);
  const double error = std::isfinite(pooled.error) ? pooled.error * pooled.error : 0;
  effects.pooled = pooled.value;
  for (double& size : sizes) size -= effects.pooled;
  const double between =
      sizes.size() < 3 ? 1 : between_variance(sizes, variances, kMostForBetween, kUsualForBetween);
  struct OfModel {
    double sum = 0, variance = 0;
  };
  std::map<std::size_t, OfModel> models;
  for (const Shift& shift : shifts) {
    if (!std::isfinite(shift.variance)) continue;
    OfModel& model = models[shift.model];
    model.sum += shift.size - effects.pooled;
    model.variance += between + shift.variance;
  }
  // Between 1 and 0, where something stands out by so many standard deviations.
  const auto trust_at = [](double off) {
    return std::clamp((kFarOut - off) / (kFarOut - kOut), 0.0, 1.0);
  };
  for (const Shift& shift : shifts) {
    if (!std::isfinite(shift.variance)) {
      effects.effect.push_back(effects.pooled);
      effects.variance.push_back(between);
      continue;
    }
    const double own = shift.size - effects.pooled;
    double trust = between / (between + shift.variance);
    if (sizes.size() >= kFewest && is_alike) {
      trust *= trust_at(std::abs(own) / std::sqrt(between + shift.variance));
      if (std::abs(shift.change) >= kOut * std::sqrt(2 * shift.variance + between / 9)) trust = 0;
    } else if (sizes.size() >= kFewest) {
      const OfModel& model = models[shift.model];
      trust *= trust_at(std::abs(model.sum) / std::sqrt(model.variance));
    }
    effects.effect.push_back(effects.pooled + trust * own);
    effects.variance.push_back(trust * shift.variance + (1 - trust) * (1 - trust) * error);
  }
  return effects;
}

}  // namespace benchhud::analysis
