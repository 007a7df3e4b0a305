#include "analysis/changes/noise_class.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/statistics/summary.h"
#include "analysis/statistics/trend.h"
#include "analysis/statistics/unimodality.h"
#include "schema/base/name_table.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFewestNights = 8;
constexpr double kDriftSignificance = 1e-3;
constexpr double kSpikyShare = 0.02;

constexpr std::array kNames = {
    std::pair{NoiseClass::kBimodal, std::string_view("bimodal")},
    std::pair{NoiseClass::kSpiky, std::string_view("spiky")},
    std::pair{NoiseClass::kDrifting, std::string_view("drifting")},
    std::pair{NoiseClass::kHighDeviation, std::string_view("high_deviation")},
    std::pair{NoiseClass::kStable, std::string_view("stable")},
};

// What is left of each night without its level.
std::vector<double> residuals_of(std::span<const double> levels, const Changes& changes) {
  std::vector<double> residuals(levels.begin(), levels.end());
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= changes.found.size(); ++i) {
    const std::size_t end = i < changes.found.size() ? changes.found[i].at : residuals.size();
    const auto part = std::span(residuals).subspan(begin, end - begin);
    const double level = median(part);
    for (double& value : part) value -= level;
    begin = end;
  }
  return residuals;
}

bool is_bimodal(std::span<const double> residuals) {
  const auto critical = critical_dip(residuals.size());
  return critical && dip(residuals) > *critical;
}

bool is_spiky(std::span<const double> residuals) {
  const double deviation =
      std::max(kMadToDeviation * median_absolute_deviation(residuals), kLeastNoise);
  const auto spikes = std::count_if(residuals.begin(), residuals.end(), [&](double value) {
    return std::abs(value) > kSpike * deviation;
  });
  return spikes >= 2 &&
         static_cast<double>(spikes) >= kSpikyShare * static_cast<double>(residuals.size());
}

bool is_drifting(std::span<const double> levels, const Changes& changes) {
  const std::span level = levels.subspan(changes.found.empty() ? 0 : changes.found.back().at);
  if (level.size() < kFewestNights) return false;
  // A level that leans by so much has thirds that differ by two thirds of it; to see that they do
  // not is a hundred times faster than the trend.
  const std::size_t third = level.size() / 3;
  const double first = median(level.first(third));
  const double last = median(level.last(third));
  if (std::abs(last - first) < kLeastLean / 2) return false;
  const auto lean = trend(level);
  return lean && lean->p_value < kDriftSignificance &&
         std::abs(lean->slope) * static_cast<double>(level.size() - 1) >= kLeastLean;
}

}  // namespace

std::string_view noise_class_name(NoiseClass noise) { return schema::name_in(kNames, noise); }

std::optional<NoiseClass> noise_class_of(std::string_view name) {
  return schema::value_in(kNames, name);
}

std::string_view noise_class_meaning(NoiseClass noise) {
  switch (noise) {
    case NoiseClass::kBimodal:
      return "nights fall into two groups: a change of their mix is no change of either";
    case NoiseClass::kSpiky:
      return "single nights are far off: one of them says nothing";
    case NoiseClass::kDrifting:
      return "the level moves slowly all the time: see it against a pinned baseline";
    case NoiseClass::kHighDeviation:
      return "nights differ so much that small changes cannot be seen";
    case NoiseClass::kStable:
      return "nights repeat well";
  }
  return "";
}

NoiseClass noise_class(std::span<const Night> nights, const Changes& changes) {
  std::vector<double> levels;
  for (const Night& night : nights) levels.push_back(night.level);
  return noise_class_of_levels(levels, changes);
}

NoiseClass noise_class_of_levels(std::span<const double> levels, const Changes& changes) {
  if (levels.size() >= kFewestNights) {
    const std::vector<double> residuals = residuals_of(levels, changes);
    if (is_bimodal(residuals)) return NoiseClass::kBimodal;
    if (is_spiky(residuals)) return NoiseClass::kSpiky;
    if (is_drifting(levels, changes)) return NoiseClass::kDrifting;
  }
  return changes.noise.deviation > kHighDeviation ? NoiseClass::kHighDeviation
                                                  : NoiseClass::kStable;
}

}  // namespace benchhud::analysis
