#include "analysis/alerts/alert_rules.h"

namespace benchhud::analysis {

bool fits_pattern(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return true;
  // Where to go on if what follows the last star does not fit: one character further.
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

SeriesRules rules_of(std::span<const AlertRule> rules, const CatalogEntry& entry,
                     WatchedMetric metric) {
  SeriesRules made;
  made.changes.least_effect = watched_metric_info(metric).least_effect;
  const schema::ExperimentView experiment = entry.experiment();
  for (const AlertRule& rule : rules) {
    if (rule.metric && *rule.metric != metric) continue;
    if (!fits_pattern(rule.suite, experiment.suite) ||
        !fits_pattern(rule.model, experiment.model) || !fits_pattern(rule.test, experiment.test) ||
        !fits_pattern(rule.backend, entry.backend()) ||
        !fits_pattern(rule.accelerator_model, experiment.accelerator_model)) {
      continue;
    }
    if (rule.is_watched) made.is_watched = *rule.is_watched;
    if (rule.least_effect) made.changes.least_effect = *rule.least_effect;
    if (rule.fewest_nights) made.changes.fewest_nights = *rule.fewest_nights;
    if (rule.tell_worse) made.tell_worse = *rule.tell_worse;
    if (rule.tell_better) made.tell_better = *rule.tell_better;
  }
  return made;
}

}  // namespace benchhud::analysis
