#include "cli/output/alert_history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/alerts/watched_metric.h"
#include "analysis/text/quantity_text.h"
#include "cli/options/options.h"
#include "schema/alerts/alert_history.h"
#include "schema/alerts/alert_run.h"
#include "schema/base/time.h"

namespace benchhud::cli {
namespace {

using schema::AlertEvent;
using schema::Expected;

std::string series_count(const AlertEvent& event) { return fmt::format("{} series", event.count); }

// ": alpha inference on inductor, steady time, and 4 more"; "" where none is named.
std::string series_text(const AlertEvent& event) {
  std::string text;
  for (const schema::AlertEventSeries& series : event.series) {
    const auto metric = analysis::watched_metric_of(series.metric);
    text += fmt::format("{}{} {} {} {}", text.empty() ? ": " : "; ", printable(series.model),
                        printable(series.test), printable(series.configuration),
                        metric ? analysis::watched_metric_info(*metric).title : series.metric);
  }
  const auto named = static_cast<std::int64_t>(event.series.size());
  if (named > 0 && event.count > named) text += fmt::format("; and {} more", event.count - named);
  return text;
}

// "#3, #4 and 2 more"
std::string alerts_text(const AlertEvent& event) {
  std::string text;
  for (const schema::AlertId alert : event.alerts) {
    text += fmt::format("{}#{}", text.empty() ? "" : ", ", to_int(alert));
  }
  const auto named = static_cast<std::int64_t>(event.alerts.size());
  const bool counts_alerts = event.kind == "took_in";
  if (counts_alerts && event.count > named)
    text += fmt::format(" and {} more", event.count - named);
  return text;
}

std::string words_of(const AlertEvent& event, const std::string& from, const std::string& to) {
  const std::string_view kind = event.kind;
  if (kind == "first_seen") return "first seen";
  if (kind == "confirmed") {
    return event.count > 0 ? "confirmed with " + series_count(event) : "confirmed";
  }
  if (kind == "joined") return series_count(event) + " joined" + series_text(event);
  if (kind == "left") {
    return series_count(event) + " left" + series_text(event);
  }
  if (kind == "moved") {
    return series_count(event) + " moved to alert " + alerts_text(event) + series_text(event);
  }
  if (kind == "onset_moved") return fmt::format("onset moved from {} to {}", from, to);
  if (kind == "reopened") {
    return event.alerts.empty() ? "opened again"
                                : "separated again from alert " + alerts_text(event);
  }
  if (kind == "took_in")
    return fmt::format("took in the changes of {} {}", event.count > 1 ? "alerts" : "alert",
                       alerts_text(event));
  if (kind == "taken_in") return "its changes were taken in by alert " + alerts_text(event);
  if (kind == "split") {
    return "split from alert " + alerts_text(event) + ", with " + series_count(event) +
           series_text(event);
  }
  return event.kind;
}

}  // namespace

Expected<std::string> alert_history_text(schema::Reader& reader, schema::AlertId alert) {
  schema::Connection& store = reader.connection();
  BENCHHUD_ASSIGN(const auto events, schema::alert_history(store, alert));
  BENCHHUD_ASSIGN(const auto actions, schema::alert_actions(store, alert));
  schema::AlertRuns runs(reader);
  const auto name = [&](std::optional<schema::RunId> id) -> Expected<std::string> {
    BENCHHUD_ASSIGN(const schema::Run* run, runs.find(id));
    return run != nullptr ? printable(run->name) : std::string("a run that is gone");
  };
  std::vector<std::pair<double, std::string>> lines;
  for (const AlertEvent& event : events) {
    BENCHHUD_ASSIGN(const schema::Run* run, runs.find(event.run));
    BENCHHUD_ASSIGN(const std::string from, name(event.from));
    BENCHHUD_ASSIGN(const std::string to, name(event.to));
    BENCHHUD_ASSIGN(const std::string last, name(event.last));
    const double at = run != nullptr ? run->started_at : 0;
    lines.emplace_back(at, fmt::format("{}  measurements  {}{}\n", schema::format_time(at),
                                       words_of(event, from, to),
                                       event.last ? fmt::format(" (until {})", last) : ""));
  }
  for (const schema::AlertAction& action : actions) {
    lines.emplace_back(
        action.at,
        fmt::format("{}  {}{}  {}: {}\n", schema::format_time(action.at),
                    action.who.empty() ? "somebody" : printable(action.who),
                    action.token ? fmt::format(" (token {})", printable(*action.token)) : "",
                    alert_action_kind_name(action.kind), printable(action.value)));
  }
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first; });
  std::string text;
  for (const auto& [at, line] : lines) text += line;
  return text;
}

std::string orphan_text(const schema::Alert& alert) {
  if (!alert.is_orphaned) return "";
  if (!alert.successor) return "not found any more; no other alert covers its changes";
  return fmt::format("not found any more; its changes are now covered by #{}",
                     to_int(*alert.successor));
}

}  // namespace benchhud::cli
