#include "schema/alerts/alert_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schema/alerts/alert_mute.h"

namespace benchhud::schema {

AlertCondition::AlertCondition(const AlertFilter& filter) : bound_(1) {
  texts_.emplace_back(1, mute_day(filter.now));
  if (!filter.ids.empty()) among("id", filter.ids);
  in_state(filter.states);
  one_of("accelerator_model", filter.accelerator_models);
  one_of("direction", filter.directions);
  one_of("owner", filter.owners);
  if (std::isfinite(filter.since)) add("onset >= {}", filter.since);
  if (std::isfinite(filter.until)) add("onset < {}", filter.until);
  if (filter.series.is_open()) return;
  const AlertCondition member(filter.series, bound_);
  text_ +=
      fmt::format("{}id IN (SELECT m.alert_id FROM alert_member AS m{})", joint(), member.text_);
  texts_.insert(texts_.end(), member.texts_.begin(), member.texts_.end());
  bound_ = member.bound_;
}

AlertCondition::AlertCondition(const SeriesFilter& filter, int bound) : bound_(bound) {
  one_of("m.model", filter.models);
  one_of("m.suite", filter.suites);
  one_of("m.backend", filter.backends);
}

void AlertCondition::among(std::string_view column, std::span<const AlertId> ids) {
  std::vector<std::int64_t> numbers;
  for (const AlertId id : ids) numbers.push_back(to_int(id));
  text_ += fmt::format("{}{} IN ({})", joint(), column, fmt::join(numbers, ","));
}

void AlertCondition::behind(const AlertPlace& after, bool is_urgent_first) {
  text_ += joint();
  std::string columns, values;
  if (is_urgent_first) {
    columns = fmt::format("{}, -weight, ", kUrgencyNow);
    values = fmt::format("{}, {}, ", static_cast<int>(after.urgency), number(-after.weight));
  }
  text_ += fmt::format("({}-onset, -id) > ({}{}, {})", columns, values, number(-after.onset),
                       -to_int(after.id));
}

Statement AlertCondition::prepare(Connection& connection, const std::string& sql) const {
  Statement statement = connection.prepare(sql);
  for (const auto& [place, text] : texts_) statement.bind(place, text);
  for (const auto& [place, value] : numbers_) statement.bind(place, value);
  return statement;
}

std::string AlertCondition::number(double value) {
  numbers_.emplace_back(++bound_, value);
  return fmt::format("${}", bound_);
}

void AlertCondition::add(std::string_view condition, double value) {
  text_ += joint() + fmt::format(fmt::runtime(condition), number(value));
}

// The column `state` knows no day, and has an index: what is muted is taken out, or added.
void AlertCondition::in_state(const std::vector<std::string>& states) {
  if (states.empty()) return;
  constexpr std::string_view kMuted = "urgency < 6 AND muted_until > $1";
  constexpr std::string_view kOrphaned =
      "is_orphaned AND triage NOT IN ('fixed', 'wont_fix', 'invalid', 'infrastructure')";
  std::vector<std::string> stored = states;
  const std::string start = joint();
  const bool with_orphaned = std::erase(stored, "orphaned") > 0;
  if (with_orphaned && stored.empty()) {
    text_ += start + std::string(kOrphaned);
    return;
  }
  const bool with_muted = std::erase(stored, "muted") > 0;
  std::string condition;
  if (stored.empty()) {
    condition = kMuted;
  } else if (with_muted) {
    condition = fmt::format("(state IN ({}) OR {})", places(stored), kMuted);
  } else {
    condition = fmt::format("state IN ({}) AND NOT ({})", places(stored), kMuted);
  }
  if (with_orphaned) condition = fmt::format("({} OR {})", condition, kOrphaned);
  text_ += start + condition;
}

void AlertCondition::one_of(std::string_view column, const std::vector<std::string>& values) {
  if (values.empty()) return;
  text_ += fmt::format("{}{} IN ({})", joint(), column, places(values));
}

std::string AlertCondition::places(const std::vector<std::string>& values) {
  std::string places;
  for (const std::string& value : values) {
    texts_.emplace_back(++bound_, value);
    places += fmt::format("{}${}", places.empty() ? "" : ", ", bound_);
  }
  return places;
}

}  // namespace benchhud::schema
