// Where every accelerator stands: the newest run, what changed since the one before, the history.
#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using schema::Expected;

Expected<void> write_changes(RequestContext& context, schema::JsonWriter& json,
                             const service::RunEntry& newest) {
  const auto verified = context.snapshot().verified_runs(newest);
  json.key("verified_run");
  views::write_run_ref(json, verified.run);
  json.key("verified_before");
  views::write_run_ref(json, verified.before);
  BENCHHUD_ASSIGN(const auto transitions, last_verification_changes(context, newest));
  json.key("transitions");
  json.begin_array();
  for (const auto& change : transitions) {
    const auto* entry = context.catalog().find(change.experiment);
    if (entry != nullptr) views::write_transition(json, *entry, change);
  }
  json.end_array();
  json.key("moves");
  json.begin_array();
  if (const service::RunEntry* before = context.snapshot().before(newest)) {
    BENCHHUD_ASSIGN(const auto changes, context.analyses.changes(context.view, *before, newest));
    for (const auto& move : changes->moves) {
      const auto* entry = context.catalog().find(move.experiment);
      if (entry != nullptr) views::write_move(json, *entry, move);
    }
  }
  json.end_array();
  return {};
}

Expected<void> write_accelerator(RequestContext& context, schema::JsonWriter& json,
                                 const std::string& model, std::span<const std::size_t> places) {
  const auto& runs = context.snapshot().runs;
  const auto& baseline = context.query.text("baseline");
  const service::RunEntry& newest = runs[places.front()];
  const service::RunEntry* previous = context.snapshot().before(newest);
  json.begin_object();
  json.field("accelerator_model", model);
  json.key("run");
  views::write_run_ref(json, &newest);
  json.key("previous_run");
  views::write_run_ref(json, previous);
  BENCHHUD_ASSIGN(const auto summary, context.analyses.summary(context.view, newest, baseline));
  json.key("groups");
  views::write_groups(json, summary->groups);
  json.key("previous_groups");
  if (previous != nullptr) {
    BENCHHUD_ASSIGN(const auto before, context.analyses.summary(context.view, *previous, baseline));
    views::write_groups(json, before->groups);
  } else {
    views::write_groups(json, {});
  }
  json.key("changes");
  json.begin_array();
  if (previous != nullptr) {
    BENCHHUD_ASSIGN(const auto changes,
                    context.analyses.group_changes(context.view, *previous, newest, baseline));
    for (const auto& change : *changes) views::write_group_change(json, context.catalog(), change);
  }
  json.end_array();
  json.key("history");
  json.begin_array();
  for (std::size_t i = std::min(places.size(), context.query.size("runs")); i-- > 0;) {
    const service::RunEntry& entry = runs[places[i]];
    BENCHHUD_ASSIGN(const auto past, context.analyses.summary(context.view, entry, baseline));
    json.begin_object();
    json.key("run");
    views::write_run_ref(json, &entry);
    json.key("groups");
    views::write_groups(json, past->groups);
    json.end_object();
  }
  json.end_array();
  BENCHHUD_TRY(write_changes(context, json, newest));
  json.end_object();
  return {};
}

/// Those of an accelerator's runs that started before the parameter `until`, newest first.
std::span<const std::size_t> runs_until(RequestContext& context,
                                        const std::vector<std::size_t>& places) {
  const double until = context.query.time("until", std::numeric_limits<double>::infinity());
  const auto first = std::find_if(places.begin(), places.end(), [&](const std::size_t place) {
    return context.snapshot().runs[place].run.started_at < until;
  });
  return std::span(places).subspan(static_cast<std::size_t>(first - places.begin()));
}

Expected<void> write_overview(RequestContext& context, schema::JsonWriter& json) {
  const service::Snapshot& snapshot = context.snapshot();
  BENCHHUD_ASSIGN(const std::int64_t rejected, context.reader().rejected_count({}));
  json.begin_object();
  json.key("store");
  json.begin_object();
  json.field("revision", snapshot.revision);
  json.field("version", context.version);
  json.field("run_count", snapshot.runs.size());
  json.field("result_count", snapshot.result_count);
  json.field("rejected_count", rejected);
  json.end_object();
  json.field("baseline", context.query.text("baseline"));
  json.key("accelerators");
  json.begin_array();
  for (const auto& [model, places] : snapshot.accelerators) {
    const auto shown = runs_until(context, places);
    if (!shown.empty()) BENCHHUD_TRY(write_accelerator(context, json, model, shown));
  }
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_overview(RequestContext& context) {
  return ResponsePlan{
      std::to_string(context.snapshot().revision),
      [&context](schema::JsonWriter& json) { return write_overview(context, json); }};
}

}  // namespace

std::span<const NamedRoute> overview_routes() {
  static constexpr std::array routes = {NamedRoute{"getOverview", get_overview}};
  return routes;
}

}  // namespace benchhud::server
