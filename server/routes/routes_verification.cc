// Verification: models by backends, codes over runs, transitions; and what failed, by cause.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "analysis/results/failure_groups.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using analysis::CatalogEntry;
using analysis::ResultView;
using analysis::VerificationOutcome;
using schema::Expected;
using schema::to_int;

/// A result that the filters let through.
struct Found {
  const CatalogEntry* entry;
  const ResultView* view;
};

/// The filters but for accelerator_model, which on these addresses says where to look for the run.
bool matches(const Query& query, const CatalogEntry& entry) {
  return matches_workload(query, entry) && matches_any(query, "backend", entry.backend());
}

std::vector<Found> filtered(RequestContext& context, const analysis::JudgedRun& judged) {
  std::vector<Found> found;
  for (const auto& view : judged.results) {
    const CatalogEntry* entry = context.catalog().find(view.experiment);
    if (entry != nullptr && matches(context.query, *entry)) found.push_back({entry, &view});
  }
  return found;
}

void write_codes(schema::JsonWriter& json, const std::vector<Found>& results) {
  std::vector<analysis::VerificationInfo> codes;
  std::set<std::string_view> listed;
  for (const auto& info : analysis::verification_codes()) {
    codes.push_back(info);
    listed.insert(info.code);
  }
  for (const auto& result : results) {
    const auto& verification = result.view->verification;
    if (verification && listed.insert(verification->code).second) {
      codes.push_back(analysis::verification_info(verification->code));
    }
  }
  json.key("codes");
  json.list(codes, [&](const auto& info) {
    json.begin_object();
    json.field("code", info.code);
    json.field("outcome", views::outcome_name(info.verification_outcome));
    json.field("meaning", info.meaning);
    json.field("advice", info.action);
    json.end_object();
  });
}

void write_counts(schema::JsonWriter& json, const std::vector<Found>& results) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Key, std::pair<std::int64_t, std::int64_t>> counts;
  for (const auto& result : results) {
    const auto& verification = result.view->verification;
    if (!verification) continue;
    auto& [count, stale] =
        counts[{result.entry->experiment().test, result.entry->backend(), verification->code}];
    ++count;
    stale += verification->stale;
  }
  json.key("counts");
  json.list(counts, [&](const auto& item) {
    const auto& [key, count] = item;
    json.begin_object();
    json.field("test", std::get<0>(key));
    json.field("backend", std::get<1>(key));
    json.field("code", std::get<2>(key));
    json.field("count", count.first);
    json.field("stale", count.second);
    json.end_object();
  });
}

void write_backends(schema::JsonWriter& json, const std::vector<Found>& results) {
  std::map<std::string_view, analysis::ResultCounts> backends;
  for (const auto& result : results) backends[result.entry->backend()].add(*result.view);
  json.key("backends");
  json.list(backends, [&](const auto& item) {
    json.begin_object();
    json.field("backend", item.first);
    views::write_result_counts(json, item.second);
    json.end_object();
  });
}

/// How much a result wants to be seen where one cell stands for several.
int seriousness(const ResultView& view) {
  if (!view.verification) return 0;
  switch (view.verification->verification_outcome) {
    case VerificationOutcome::kFailing:
      return 3;
    case VerificationOutcome::kNeither:
      return 2;
    case VerificationOutcome::kPassing:
      return 1;
  }
  return 0;
}

void write_verification_cell(schema::JsonWriter& json, const ResultView& view) {
  if (!view.verification) return json.null();
  json.begin_object();
  views::write_verification_fields(json, *view.verification);
  json.field("experiment_id", to_int(view.experiment));
  json.key("failure");
  views::write_failure(json,
                       view.verification->failure ? view.verification->failure : view.failure);
  json.end_object();
}

/// The table's rows (suite, model and test), each with one result per column.
using Row = std::tuple<std::string_view, std::string_view, std::string_view>;
using Rows = std::map<Row, std::map<std::string_view, const ResultView*>>;

Rows rows_of(const std::vector<Found>& results) {
  Rows rows;
  for (const auto& result : results) {
    const auto& e = result.entry->experiment();
    const ResultView*& cell = rows[{e.suite, e.model, e.test}][result.entry->column()];
    if (cell == nullptr || seriousness(*result.view) > seriousness(*cell)) cell = result.view;
  }
  return rows;
}

void write_row_fields(schema::JsonWriter& json, const Row& row) {
  json.field("suite", std::get<0>(row));
  json.field("model", std::get<1>(row));
  json.field("test", std::get<2>(row));
}

void write_rows(schema::JsonWriter& json, const std::vector<Found>& results) {
  json.key("rows");
  json.list(rows_of(results), [&](const auto& item) {
    json.begin_object();
    write_row_fields(json, item.first);
    json.key("cells");
    json.begin_object();
    for (const auto& [column, view] : item.second) {
      json.key_text(column);
      write_verification_cell(json, *view);
    }
    json.end_object();
    json.end_object();
  });
}

/// One row per cell of the table, ordered by row and column.
Expected<void> write_cells(RequestContext& context, schema::JsonWriter& json,
                           const service::RunEntry& run) {
  BENCHHUD_ASSIGN(const auto judged, context.analyses.run(context.view, run));
  json.begin_array();
  for (const auto& [row, cells] : rows_of(filtered(context, *judged))) {
    for (const auto& [column, view] : cells) {
      json.begin_object();
      write_row_fields(json, row);
      json.field("column", column);
      json.key("cell");
      write_verification_cell(json, *view);
      json.end_object();
    }
  }
  json.end_array();
  return {};
}

Expected<void> write_table(RequestContext& context, schema::JsonWriter& json,
                           const service::RunEntry& run) {
  BENCHHUD_ASSIGN(const auto judged, context.analyses.run(context.view, run));
  const auto results = filtered(context, *judged);
  TableColumns columns;
  for (const auto& result : results)
    columns.emplace(result.entry->column(), result.entry->backend());
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, &run);
  write_codes(json, results);
  write_counts(json, results);
  write_backends(json, results);
  write_rows(json, results);
  write_columns(json, columns);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_verification(RequestContext& context) {
  BENCHHUD_ASSIGN(const service::RunEntry* run, asked_run(context));
  ResponsePlan plan;
  plan.key = service::AnalysisCache::dependencies(context.snapshot(), *run, {});
  plan.csv_rows = "";
  plan.body = [&context, run](schema::JsonWriter& json) {
    return context.is_csv() ? write_cells(context, json, *run) : write_table(context, json, *run);
  };
  return plan;
}

Expected<void> write_history(RequestContext& context, schema::JsonWriter& json,
                             const std::vector<std::size_t>& places) {
  const auto& runs = context.snapshot().runs;
  std::vector<std::shared_ptr<const analysis::RunSummary>> summaries;
  std::vector<const service::RunEntry*> entries;
  for (std::size_t i = std::min(places.size(), context.query.size("runs")); i-- > 0;) {
    entries.push_back(&runs[places[i]]);
    // The summaries that the overview wants too: codes do not hang on the baseline.
    BENCHHUD_ASSIGN(auto summary,
                    context.analyses.summary(context.view, *entries.back(), kUsualBaseline));
    summaries.push_back(std::move(summary));
  }
  json.begin_object();
  write_runs(json, "runs", entries);
  json.key("counts");
  json.begin_array();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const auto& group : summaries[i]->groups) {
      if (!matches_any(context.query, "test", group.test)) continue;
      if (!matches_any(context.query, "backend", group.backend)) continue;
      for (const auto& code : group.codes) {
        json.begin_object();
        json.field("run_id", to_int(entries[i]->run.id));
        json.field("test", group.test);
        json.field("backend", group.backend);
        json.field("code", code.code);
        json.field("count", code.count);
        json.end_object();
      }
    }
  }
  json.end_array();
  json.key("verified");
  json.list(summaries, [&](const auto& summary) { json.value(bool{summary->verified}); });
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_verification_history(RequestContext& context) {
  const service::Snapshot& snapshot = context.snapshot();
  const auto& model = context.query.text("accelerator_model");
  const std::vector<std::size_t>* places = nullptr;
  if (context.query.has("accelerator_model")) {
    places = snapshot.runs_of(model);
  } else if (!snapshot.accelerators.empty()) {
    places = &snapshot.accelerators.front().second;
  }
  if (places == nullptr) {
    context.wrong_parameter = "accelerator_model";
    return schema::Error{
        schema::ErrorCode::kNotFound,
        model.empty() ? "There are no runs yet." : "There are no runs on that accelerator model."};
  }
  ResponsePlan plan;
  plan.key = service::AnalysisCache::dependencies(snapshot, snapshot.runs[places->front()], {});
  plan.body = [&context, places](schema::JsonWriter& json) {
    return write_history(context, json, *places);
  };
  plan.csv_rows = "counts";
  return plan;
}

/// `since` null: what verification last said that it had not said before.
Expected<void> write_transitions(RequestContext& context, schema::JsonWriter& json,
                                 const service::RunEntry& run, const service::RunEntry* since) {
  const auto verified = context.snapshot().verified_runs(run);
  std::vector<analysis::VerificationChange> changes;
  if (since != nullptr) {
    BENCHHUD_ASSIGN(const auto all, context.analyses.changes(context.view, *since, run));
    changes = all->verification;
  } else {
    BENCHHUD_ASSIGN(changes, last_verification_changes(context, run));
  }
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, &run);
  json.key("verified_run");
  views::write_run_ref(json, verified.run);
  json.key("since");
  views::write_run_ref(json, since != nullptr ? since : verified.before);
  json.key("items");
  json.begin_array();
  for (const auto& change : changes) {
    const CatalogEntry* entry = context.catalog().find(change.experiment);
    if (entry != nullptr && matches(context.query, *entry))
      views::write_transition(json, *entry, change);
  }
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_transitions(RequestContext& context) {
  BENCHHUD_ASSIGN(const service::RunEntry* run, asked_run(context));
  const auto& wanted = context.query.text("since");
  const service::RunEntry* since = nullptr;
  if (wanted != "previous") {
    BENCHHUD_ASSIGN(since, find_run(context, wanted, "since", run->run.accelerator_model));
    if (std::pair(since->run.started_at, since->run.id) >=
            std::pair(run->run.started_at, run->run.id) ||
        since->run.accelerator_model != run->run.accelerator_model) {
      return wrong_parameter(context, "since",
                             "since must be an earlier run on the same accelerator.");
    }
  }
  std::string key = service::AnalysisCache::dependencies(context.snapshot(), *run, {});
  if (since != nullptr) key += fmt::format(".{}", since->history);
  return ResponsePlan{std::move(key), [&context, run, since](schema::JsonWriter& json) {
                        return write_transitions(context, json, *run, since);
                      }};
}

Expected<void> write_failures(RequestContext& context, schema::JsonWriter& json,
                              const service::RunEntry& run) {
  BENCHHUD_ASSIGN(const auto judged, context.analyses.run(context.view, run));
  std::vector<ResultView> results;
  for (const auto& result : filtered(context, *judged)) {
    const auto& view = *result.view;
    if (view.failure || (view.verification && view.verification->failure)) results.push_back(view);
  }
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, &run);
  json.key("items");
  json.list(analysis::group_failures(results), [&](const auto& group) {
    json.begin_object();
    json.field("signature", group.error->signature);
    json.field("kind", analysis::error_kind_name(group.error->kind));
    json.field("count", group.experiments.size());
    json.key("experiments");
    json.list(group.experiments,
              [&](const auto id) { views::write_experiment(json, *context.catalog().find(id)); });
    json.field("line_id", to_int(group.line));
    json.field("excerpt", group.error->excerpt);
    json.end_object();
  });
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_failures(RequestContext& context) {
  BENCHHUD_ASSIGN(const service::RunEntry* run, asked_run(context));
  return ResponsePlan{
      service::AnalysisCache::dependencies(context.snapshot(), *run, {}),
      [&context, run](schema::JsonWriter& json) { return write_failures(context, json, *run); }};
}

}  // namespace

std::span<const NamedRoute> verification_routes() {
  static constexpr std::array routes = {
      NamedRoute{"getVerification", get_verification},
      NamedRoute{"getVerificationHistory", get_verification_history},
      NamedRoute{"getTransitions", get_transitions}, NamedRoute{"listFailures", list_failures}};
  return routes;
}

}  // namespace benchhud::server
