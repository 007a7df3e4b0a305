// How single series are watched, where the defaults do not fit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/alert_detector.h"
#include "analysis/results/catalog.h"

namespace benchhud::analysis {

/// For every series that all of its patterns fit. In a pattern `*` stands for any characters, none
/// too; an empty one fits all.
struct AlertRule {
  std::optional<WatchedMetric> metric;
  std::string suite, model, test, backend, accelerator_model;

  std::optional<bool> is_watched;
  std::optional<double> least_effect;        ///< a share of the level before
  std::optional<std::size_t> fewest_nights;  ///< that confirm a change
  std::optional<bool> tell_worse, tell_better;
};

/// Whether a text fits a pattern.
bool fits_pattern(std::string_view pattern, std::string_view text);

/// The defaults of the metric, changed by each rule that fits, the last one winning.
SeriesRules rules_of(std::span<const AlertRule> rules, const CatalogEntry& entry,
                     WatchedMetric metric);

}  // namespace benchhud::analysis
