#include "schema/alerts/alert_chart.h"

#include <string>

#include "schema/base/json_writer.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {

Expected<std::vector<AlertChartNight>> alert_chart(Connection& connection, AlertId id) {
  Statement query = connection.cached(sql::kChartOfAlert);
  query.bind(1, id);
  return collect(query, [](const Statement& row) {
    AlertChartNight night;
    night.run = RunId(row.integer(0));
    night.value = row.real(1);
    night.low = row.optional_real(2);
    night.high = row.optional_real(3);
    night.count = row.integer(4);
    return night;
  });
}

Expected<std::vector<AlertId>> alerts_with_chart(Connection& connection) {
  return collect(connection.cached(sql::kAlertsWithChart),
                 [](const Statement& row) { return AlertId(row.integer(0)); });
}

std::string chart_text(const std::vector<AlertChartNight>& nights) {
  std::string text;
  JsonWriter json(&text);
  json.list(nights, [&](const AlertChartNight& night) {
    json.begin_array();
    json.value(to_int(night.run));
    json.value(night.value);
    for (const auto& bound : {night.low, night.high}) bound ? json.value(*bound) : json.null();
    json.value(night.count);
    json.end_array();
  });
  return text;
}

}  // namespace benchhud::schema
