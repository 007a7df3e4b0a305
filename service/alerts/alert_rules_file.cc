#include "service/alerts/alert_rules_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/alerts/alert_rules.h"
#include "schema/alerts/alert.h"

namespace benchhud::service {
namespace {

using analysis::AlertRule;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using Json = nlohmann::json;

Error wrong_rule(const std::string& place, std::string_view allowed) {
  return {ErrorCode::kInvalidArgument, fmt::format("alert rules: {} is {}", place, allowed)};
}

Expected<void> read_text(const Json& rule, const char* key, const std::string& place,
                         std::string* out) {
  const auto found = rule.find(key);
  if (found == rule.end()) return {};
  if (!found->is_string())
    return wrong_rule(place + "." + key, "a text in which * stands for anything");
  *out = found->get<std::string>();
  return {};
}

Expected<void> read_share(const Json& object, const char* key, const std::string& place,
                          std::optional<double>* out) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const double value = found->is_number() ? found->get<double>() : -1;
  if (!(value >= 0 && value < 1))
    return wrong_rule(place + key, "a share: a number from 0 to below 1");
  *out = value;
  return {};
}

// A key that nobody reads is a mistyped one.
Expected<void> know_all_keys(const Json& object, const std::vector<std::string>& known,
                             const std::string& place) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return wrong_rule(place + key,
                        "not known; known are " + fmt::format("{}", fmt::join(known, ", ")));
    }
  }
  return {};
}

Expected<AlertRule> read_rule(const Json& json, const std::string& place) {
  if (!json.is_object()) return wrong_rule(place, "an object");
  BENCHHUD_TRY(know_all_keys(json,
                             {"metric", "suite", "model", "test", "backend", "accelerator_model",
                              "watch", "least_effect", "fewest_nights", "tell"},
                             place + "."));
  AlertRule rule;
  std::string metric;
  BENCHHUD_TRY(read_text(json, "metric", place, &metric));
  if (!metric.empty() && metric != "*") {
    rule.metric = analysis::watched_metric_of(metric);
    if (!rule.metric) {
      std::vector<std::string_view> names;
      for (const auto& info : analysis::watched_metrics()) names.push_back(info.name);
      return wrong_rule(place + ".metric", fmt::format("one of {}", fmt::join(names, ", ")));
    }
  }
  BENCHHUD_TRY(read_text(json, "suite", place, &rule.suite));
  BENCHHUD_TRY(read_text(json, "model", place, &rule.model));
  BENCHHUD_TRY(read_text(json, "test", place, &rule.test));
  BENCHHUD_TRY(read_text(json, "backend", place, &rule.backend));
  BENCHHUD_TRY(read_text(json, "accelerator_model", place, &rule.accelerator_model));
  if (const auto watch = json.find("watch"); watch != json.end()) {
    if (!watch->is_boolean()) return wrong_rule(place + ".watch", "true or false");
    rule.is_watched = watch->get<bool>();
  }
  BENCHHUD_TRY(read_share(json, "least_effect", place + ".", &rule.least_effect));
  if (const auto nights = json.find("fewest_nights"); nights != json.end()) {
    const bool fits = nights->is_number_integer() && *nights >= 2 && *nights <= 50;
    if (!fits) return wrong_rule(place + ".fewest_nights", "a number of nights from 2 to 50");
    rule.fewest_nights = nights->get<std::size_t>();
  }
  std::string tell;
  BENCHHUD_TRY(read_text(json, "tell", place, &tell));
  if (!tell.empty()) {
    if (tell != "worse" && tell != "better" && tell != "both") {
      return wrong_rule(place + ".tell", "worse, better or both");
    }
    rule.tell_worse = tell != "better";
    rule.tell_better = tell != "worse";
  }
  return rule;
}

}  // namespace

Expected<analysis::FleetRules> read_alert_rules(std::string_view text) {
  if (text.size() > kMostRulesBytes) return wrong_rule("the file", "at most 1 MiB");
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("alert rules: {}", error.what())};
  }
  if (!json.is_object()) return wrong_rule("the whole", "an object");
  BENCHHUD_TRY(know_all_keys(json, {"baseline", "false_discovery_rate", "series"}, ""));
  analysis::FleetRules rules;
  if (const auto baseline = json.find("baseline"); baseline != json.end()) {
    if (!baseline->is_string()) return wrong_rule("baseline", "a backend's name");
    rules.baseline = baseline->get<std::string>();
  }
  std::optional<double> rate;
  BENCHHUD_TRY(read_share(json, "false_discovery_rate", "", &rate));
  if (rate == 0) return wrong_rule("false_discovery_rate", "above 0");
  rules.false_discovery_rate = rate.value_or(rules.false_discovery_rate);
  // The function outlives this one and is copied along with the rules.
  const auto series = std::make_shared<std::vector<AlertRule>>();
  if (const auto list = json.find("series"); list != json.end()) {
    if (!list->is_array()) return wrong_rule("series", "a list of rules");
    for (std::size_t i = 0; i < list->size(); ++i) {
      BENCHHUD_ASSIGN(AlertRule rule, read_rule((*list)[i], fmt::format("series[{}]", i)));
      series->push_back(std::move(rule));
    }
  }
  rules.series = [series](const analysis::CatalogEntry& entry, analysis::WatchedMetric metric) {
    return analysis::rules_of(*series, entry, metric);
  };
  return rules;
}

Expected<std::string> stored_alert_rules(schema::Connection& store) {
  BENCHHUD_ASSIGN(const auto stored, schema::alert_rules(store));
  return stored.value_or("{}");
}

Expected<void> keep_alert_rules(schema::Connection& store, std::string_view json) {
  BENCHHUD_TRY(read_alert_rules(json));
  return schema::set_alert_rules(store, json);
}

}  // namespace benchhud::service
