// What people say of nights: that they do not count, or that something else is different since.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schema/alerts/night_mark.h"
#include "schema/base/text_limits.h"
#include "schema/results/run_choice.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/alerts/alert_update.h"
#include "service/alerts/exclusion_preview.h"
#include "views/answers.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::Expected;
using schema::Run;

/// All runs, newest first. A reader of its own: the change sees the store as it is now.
Expected<std::vector<Run>> runs_now(ChangeContext& context) {
  schema::Reader reader(context.store);
  return reader.runs({});
}

/// The run among `runs` that a parameter or a field names.
Expected<Run> named_run(ChangeContext& context, std::span<const Run> runs, std::string_view text,
                        std::string_view parameter, std::string_view accelerator_model = {}) {
  std::vector<const Run*> all;
  all.reserve(runs.size());
  for (const Run& run : runs) all.push_back(&run);
  auto run = schema::choose_run(
      all, text, accelerator_model.empty() ? std::nullopt : std::optional(accelerator_model));
  if (!run) {
    context.wrong_parameter = parameter;
    return std::move(run).error();
  }
  return **run;
}

/// Which nights count decides what changed.
Expected<std::string> with_new_alerts(ChangeContext& context, std::string address) {
  BENCHHUD_TRY(service::update_alerts(context.store));
  return address;
}

Expected<schema::NightMarkKind> asked_kind(ChangeContext& context, std::string_view name) {
  if (const auto kind = schema::night_mark_kind_of(name)) return *kind;
  // The contract lets none through.
  context.wrong_parameter = "kind";
  return Error{schema::ErrorCode::kInvalidArgument, "There is no such mark."};
}

Expected<void> mark(ChangeContext& context, std::span<const Run> runs, schema::NightMarkKind kind) {
  const std::string& who = context.body.text("who");
  const auto marked = schema::mark_nights(context.store, runs,
                                          {kind, context.body.text("reason"), who, context.token});
  if (!marked && marked.error().code == schema::ErrorCode::kTooLarge) {
    context.wrong_parameter = who.size() > schema::kMostLineBytes ? "who" : "reason";
  }
  return marked;
}

Expected<void> unmark(ChangeContext& context, std::span<const Run> runs, schema::NightMarkKind kind,
                      std::string_view parameter) {
  const auto done = schema::unmark_nights(context.store, runs, kind);
  if (!done && done.error().code == schema::ErrorCode::kNotFound) {
    context.wrong_parameter = parameter;
  }
  return done;
}

Expected<std::string> mark_run(ChangeContext& context) {
  BENCHHUD_ASSIGN(const auto all, runs_now(context));
  BENCHHUD_ASSIGN(const Run run, named_run(context, all, context.query.text("run"), "run"));
  BENCHHUD_ASSIGN(const auto kind, asked_kind(context, context.body.text("kind")));
  BENCHHUD_TRY(mark(context, std::span(&run, 1), kind));
  return with_new_alerts(context, fmt::format("/runs/{}", to_int(run.id)));
}

Expected<std::string> unmark_run(ChangeContext& context) {
  BENCHHUD_ASSIGN(const auto all, runs_now(context));
  BENCHHUD_ASSIGN(const Run run, named_run(context, all, context.query.text("run"), "run"));
  BENCHHUD_ASSIGN(const auto kind, asked_kind(context, context.query.text("kind")));
  BENCHHUD_TRY(unmark(context, std::span(&run, 1), kind, "kind"));
  return with_new_alerts(context, fmt::format("/runs/{}", to_int(run.id)));
}

Expected<std::string> mark_nights(ChangeContext& context) {
  const std::string& model = context.body.text("accelerator_model");
  BENCHHUD_ASSIGN(const auto all, runs_now(context));
  BENCHHUD_ASSIGN(const Run first,
                  named_run(context, all, context.body.text("first"), "first", model));
  BENCHHUD_ASSIGN(const Run last,
                  named_run(context, all, context.body.text("last"), "last", model));
  BENCHHUD_ASSIGN(const auto kind, asked_kind(context, context.body.text("kind")));
  schema::Reader reader(context.store);
  auto runs = service::nights_between(reader, first, last);
  if (!runs) {
    context.wrong_parameter = "last";
    return std::move(runs).error();
  }
  // What was said of one of them before stays as it was said.
  BENCHHUD_ASSIGN(const auto unmarked,
                  schema::runs_without_mark(context.store, *std::move(runs), kind));
  BENCHHUD_TRY(mark(context, unmarked, kind));
  return with_new_alerts(context, "/marks");
}

Expected<std::string> unmark_nights(ChangeContext& context) {
  BENCHHUD_ASSIGN(const auto kind, asked_kind(context, context.query.text("kind")));
  BENCHHUD_ASSIGN(const auto all, runs_now(context));
  std::vector<Run> runs;
  for (const std::string& name : context.query.texts("run")) {
    BENCHHUD_ASSIGN(Run run, named_run(context, all, name, "run"));
    if (std::ranges::find(runs, run.id, &Run::id) == runs.end()) runs.push_back(std::move(run));
  }
  if (runs.empty()) {
    context.wrong_parameter = "run";
    return Error{schema::ErrorCode::kInvalidArgument, "Of which runs, run has to say."};
  }
  BENCHHUD_TRY(unmark(context, runs, kind, "run"));
  return with_new_alerts(context, "/marks");
}

Expected<void> write_marks(RequestContext& context, schema::JsonWriter& json) {
  BENCHHUD_ASSIGN(const auto marks, schema::night_marks(context.reader().connection()));
  const auto& runs = context.snapshot().runs;
  const auto shown = [&](const schema::NightMark& mark) {
    return matches_any(context.query, "accelerator_model", mark.accelerator_model);
  };
  begin_page(json);
  for (const schema::NightMark& mark : marks) {
    if (!shown(mark)) continue;
    const auto run = std::ranges::find_if(runs, [&](const service::RunEntry& entry) {
      return entry.run.name == mark.name && entry.run.accelerator_model == mark.accelerator_model;
    });
    json.begin_object();
    json.field("name", mark.name);
    json.field("accelerator_model", mark.accelerator_model);
    json.key("run");
    run == runs.end() ? json.null() : views::write_run_ref(json, run->run);
    json.key("mark");
    views::write_mark(json, mark);
    json.end_object();
  }
  end_page(json, {}, std::ranges::count_if(marks, shown));
  return {};
}

Expected<ResponsePlan> list_marks(RequestContext& context) {
  return ResponsePlan{revision_key(context),
                      [&context](schema::JsonWriter& json) { return write_marks(context, json); }};
}

void write_told(schema::JsonWriter& json, const std::optional<schema::Alert>& alert) {
  if (!alert) return json.null();
  json.begin_object();
  json.field("title", alert->title);
  json.field("direction", change_direction_name(alert->direction));
  json.field("detected", detected_state_name(alert->detected));
  json.end_object();
}

std::string_view name_of(const service::ExclusionPreview::Outcome& outcome) {
  if (!outcome.now) return "new";
  if (!outcome.then) return "gone";
  return outcome.is_same() ? "same" : "changed";
}

Expected<ResponsePlan> preview_exclusion(RequestContext& context) {
  BENCHHUD_TRY(refuse_other_sites(context));
  const std::string& model = context.query.text("accelerator_model");
  BENCHHUD_ASSIGN(const auto first, find_run(context, context.query.text("first"), "first", model));
  BENCHHUD_ASSIGN(const auto last, find_run(context, context.query.text("last"), "last", model));
  if (const auto nights = service::nights_between(context.reader(), first->run, last->run);
      !nights) {
    return wrong_parameter(context, "last", nights.error().message);
  }
  const auto write = [&context, first, last](schema::JsonWriter& json) -> Expected<void> {
    BENCHHUD_ASSIGN(
        const auto preview,
        service::preview_exclusion(context.reader(), first->run, last->run, context.is_cancelled));
    json.begin_object();
    json.key("nights");
    json.list(preview.nights, [&](const auto& night) {
      json.begin_object();
      json.key("run");
      views::write_run_ref(json, night.run);
      json.field("is_excluded", night.is_excluded);
      json.end_object();
    });
    json.key("alerts");
    json.list(preview.outcomes, [&](const auto& outcome) {
      json.begin_object();
      json.field("outcome", name_of(outcome));
      json.key("id");
      outcome.now ? json.value(to_int(outcome.now->id)) : json.null();
      json.key("now");
      write_told(json, outcome.now);
      json.key("then");
      write_told(json, outcome.then);
      json.end_object();
    });
    json.end_object();
    return {};
  };
  return ResponsePlan{revision_key(context), write};
}

}  // namespace

std::span<const NamedRoute> mark_routes() {
  static constexpr std::array routes = {
      NamedRoute{"listMarks", list_marks},
      NamedRoute{"previewExclusion", preview_exclusion, Lane::kHeavy}};
  return routes;
}

std::span<const NamedChange> mark_changes() {
  static constexpr std::array changes = {
      NamedChange{"markRun", mark_run}, NamedChange{"unmarkRun", unmark_run},
      NamedChange{"markNights", mark_nights}, NamedChange{"unmarkNights", unmark_nights}};
  return changes;
}

}  // namespace benchhud::server
