#include "server/routes/route_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_mute.h"
#include "schema/results/run_choice.h"

namespace benchhud::server {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

Error wrong_parameter(RequestContext& context, std::string_view name, std::string message) {
  context.wrong_parameter = name;
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

Expected<const service::RunEntry*> find_run(RequestContext& context, std::string_view text,
                                            std::string_view parameter,
                                            std::string_view accelerator_model) {
  std::optional<std::string_view> among;
  if (!accelerator_model.empty()) among = accelerator_model;
  std::vector<const schema::Run*> runs;
  runs.reserve(context.snapshot().runs.size());
  for (const service::RunEntry& entry : context.snapshot().runs) runs.push_back(&entry.run);
  auto run = schema::choose_run(runs, text, among);
  if (!run) {
    context.wrong_parameter = parameter;
    return std::move(run).error();
  }
  return context.snapshot().find((*run)->id);
}

Expected<const service::RunEntry*> asked_run(RequestContext& context) {
  return find_run(context, context.query.text("run"), "run",
                  context.query.text("accelerator_model"));
}

Expected<AskedResult> asked_result(RequestContext& context, std::string_view run_name,
                                   std::string_view experiment_name) {
  BENCHHUD_ASSIGN(const service::RunEntry* run,
                  find_run(context, context.query.text(run_name), run_name,
                           context.query.text("accelerator_model")));
  const schema::ExperimentId id{context.query.integer(experiment_name)};
  const analysis::CatalogEntry* entry = context.catalog().find(id);
  if (entry == nullptr) {
    context.wrong_parameter = experiment_name;
    return Error{ErrorCode::kNotFound, "There is no experiment with that id."};
  }
  auto facts = context.reader().result(run->run.id, id);
  if (!facts) {
    if (facts.error().code == ErrorCode::kNotFound) context.wrong_parameter = experiment_name;
    return std::move(facts).error();
  }
  return AskedResult{run, entry, *std::move(facts)};
}

Expected<void> refuse_other_sites(const RequestContext& context) {
  if (!context.is_other_site) return {};
  return schema::Error{schema::ErrorCode::kForbidden, "A page of another site asks for this."};
}

std::string revision_key(const RequestContext& context) {
  return std::to_string(context.snapshot().revision);
}

std::string alerts_key(const RequestContext& context) {
  return revision_key(context) + " " + schema::mute_day(context.now);
}

Expected<std::vector<analysis::VerificationChange>> last_verification_changes(
    RequestContext& context, const service::RunEntry& entry) {
  const service::Snapshot& snapshot = context.snapshot();
  std::vector<analysis::VerificationChange> found;
  const auto take = [&](const service::RunEntry& run, bool is_presence_wanted) -> Expected<void> {
    const service::RunEntry* before = snapshot.before(run);
    if (before == nullptr) return {};
    BENCHHUD_ASSIGN(const auto changes, context.analyses.changes(context.view, *before, run));
    for (const auto& change : changes->verification) {
      const bool is_presence = change.kind == analysis::Transition::kNew ||
                               change.kind == analysis::Transition::kDisappeared;
      if (is_presence == is_presence_wanted) found.push_back(change);
    }
    return {};
  };
  const service::RunEntry* verified = snapshot.verified_runs(entry).run;
  if (verified != nullptr) BENCHHUD_TRY(take(*verified, false));
  BENCHHUD_TRY(take(entry, true));
  return found;
}

namespace {

/// `wanted`: each `key:value`.
bool has_labels(const schema::Run& run, const std::vector<std::string>& wanted) {
  const auto matches = [&](const std::string& label) {
    const std::size_t colon = label.find(':');
    const auto found = run.labels.find(label.substr(0, colon));
    return found != run.labels.end() && found->second == label.substr(colon + 1);
  };
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& label) {
    const std::string_view key = std::string_view(label).substr(0, label.find(':') + 1);
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& other) {
      return other.starts_with(key) && matches(other);
    });
  });
}

}  // namespace

bool matches_run(const Query& query, const schema::Run& run) {
  return run.started_at >= query.time("since", -kForever) &&
         run.started_at < query.time("until", kForever) &&
         matches_any(query, "accelerator_model", run.accelerator_model) &&
         has_labels(run, query.texts("label"));
}

std::vector<const service::RunEntry*> asked_runs(const RequestContext& context,
                                                 const std::vector<std::size_t>& places) {
  std::vector<const service::RunEntry*> runs;
  for (const std::size_t place : places) {
    if (runs.size() == context.query.size("runs")) break;
    const service::RunEntry& entry = context.snapshot().runs[place];
    if (matches_run(context.query, entry.run)) runs.push_back(&entry);
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

schema::AlertRuns runs_of(RequestContext& context) {
  const service::Snapshot& snapshot = context.snapshot();
  return schema::AlertRuns(context.reader(), [&snapshot](schema::RunId id) -> const schema::Run* {
    const service::RunEntry* entry = snapshot.find(id);
    return entry != nullptr ? &entry->run : nullptr;
  });
}

Expected<std::int64_t> attention_count(const RequestContext& context,
                                       std::string_view accelerator_model) {
  return schema::open_alert_count(context.reader().connection(), accelerator_model, context.now);
}

Expected<service::BaselineChoice> asked_baseline(RequestContext& context,
                                                 const service::RunEntry& entry) {
  service::BaselineChoice choice;
  choice.backend = context.query.text("baseline");
  const auto& run = context.query.text("baseline_run");
  if (run.empty() || run == "same") {
    choice.mode = service::BaselineChoice::Mode::kSame;
  } else if (run == "oldest") {
    choice.mode = service::BaselineChoice::Mode::kOldest;
  } else if (run == "latest") {
    choice.mode = service::BaselineChoice::Mode::kLatest;
  } else {
    choice.mode = service::BaselineChoice::Mode::kNamed;
    BENCHHUD_ASSIGN(choice.named,
                    find_run(context, run, "baseline_run", entry.run.accelerator_model));
  }
  return choice;
}

analysis::Estimator asked_estimator(const Query& query) {
  return query.text("estimator") == "upstream" ? analysis::Estimator::kUpstream
                                               : analysis::Estimator::kSteady;
}

bool matches_any(const Query& query, std::string_view parameter, std::string_view value) {
  const auto& wanted = query.texts(parameter);
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool matches_workload(const Query& query, const analysis::CatalogEntry& entry) {
  const auto& e = entry.experiment();
  return matches_any(query, "suite", e.suite) && matches_any(query, "model", e.model) &&
         matches_any(query, "test", e.test);
}

bool ExperimentFilter::matches_but_for_backend(const analysis::CatalogEntry& entry) const {
  return matches_workload(query_, entry) &&
         matches_accelerator(entry.experiment().accelerator_model);
}

bool ExperimentFilter::matches(const analysis::CatalogEntry& entry) const {
  return matches_backend(entry.backend()) && matches_but_for_backend(entry);
}

bool ExperimentFilter::matches_backend(std::string_view backend) const {
  return matches_any(query_, "backend", backend);
}

bool ExperimentFilter::matches_accelerator(std::string_view accelerator_model) const {
  return matches_any(query_, "accelerator_model", accelerator_model);
}

bool ExperimentFilter::is_open() const {
  return !query_.has("suite") && !query_.has("model") && !query_.has("test") &&
         !query_.has("backend");
}

std::string cursor_scope(const RequestContext& context, int version) {
  // How many items an answer holds and in which form may change from page to page.
  std::string scope = context.operation.id + "?";
  Query query = context.query;
  query.forget("cursor");
  query.forget("limit");
  query.forget("format");
  scope += query.canonical();
  if (version > 1) scope += fmt::format("#{}", version);
  return scope;
}

Expected<std::optional<Cursor>> asked_cursor(RequestContext& context, std::size_t numbers,
                                             std::size_t texts, int version) {
  if (!context.query.has("cursor")) return std::optional<Cursor>();
  auto cursor =
      read_cursor(context.query.text("cursor"), cursor_scope(context, version), numbers, texts);
  if (!cursor) {
    return wrong_parameter(context, "cursor",
                           "The cursor is not one of this list with these filters.");
  }
  return cursor;
}

void write_columns(schema::JsonWriter& json, const TableColumns& columns) {
  json.key("columns");
  json.list(columns, [&](const auto& item) {
    const auto& [column, backend] = item;
    json.begin_object();
    json.field("key", column);
    json.field("backend", backend);
    json.end_object();
  });
}

void begin_page(schema::JsonWriter& json) {
  json.begin_object();
  json.key("items");
  json.begin_array();
}

void end_items(schema::JsonWriter& json, const std::optional<std::string>& next_cursor,
               std::optional<std::int64_t> total) {
  json.end_array();
  json.field("next_cursor", next_cursor);
  json.field("total", total);
}

void end_page(schema::JsonWriter& json, const std::optional<std::string>& next_cursor,
              std::int64_t total) {
  end_items(json, next_cursor, total);
  json.end_object();
}

void write_runs(schema::JsonWriter& json, std::string_view name,
                std::span<const service::RunEntry* const> runs) {
  json.key(name);
  json.list(runs, [&](const service::RunEntry* entry) { views::write_run_ref(json, entry); });
}

Expected<void> write_run_marks(schema::JsonWriter& json, RequestContext& context,
                               std::span<const service::RunEntry* const> runs) {
  std::vector<schema::NightMark> marks;
  if (!runs.empty()) {
    BENCHHUD_ASSIGN(marks, schema::night_marks(context.reader().connection(),
                                               runs.front()->run.accelerator_model));
  }
  json.list(runs, [&](const service::RunEntry* entry) {
    json.list(schema::marks_of(entry->run, marks),
              [&](const auto& mark) { views::write_mark(json, mark); });
  });
  return {};
}

}  // namespace benchhud::server
