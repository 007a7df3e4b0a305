// A run against a baseline: the table of models by columns, and the same result by result.
#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using analysis::CatalogEntry;
using schema::Expected;
using schema::to_int;

/// What a request compares.
struct Comparison {
  const service::RunEntry* run;
  service::BaselineChoice choice;
  analysis::SpeedupOptions options;
};

Expected<Comparison> asked_baseline_comparison(RequestContext& context) {
  Comparison comparison;
  BENCHHUD_ASSIGN(comparison.run, asked_run(context));
  BENCHHUD_ASSIGN(comparison.choice, asked_baseline(context, *comparison.run));
  comparison.options.estimator = asked_estimator(context.query);
  comparison.options.verified_only = context.query.boolean("verified_only");
  return comparison;
}

/// A run's results that the filters let through, each with its speedup.
struct Compared {
  std::shared_ptr<const analysis::JudgedRun> judged;
  std::vector<analysis::ResultView> filtered;  // where not all are wanted
  std::span<const analysis::ResultView> results;
  std::vector<analysis::JudgedSpeedup> speedups;
  std::vector<const CatalogEntry*> entries;
  std::shared_ptr<const analysis::Baseline> baseline;
};

Expected<Compared> compare(RequestContext& context, const Comparison& comparison) {
  Compared compared;
  BENCHHUD_ASSIGN(compared.judged, context.analyses.run(context.view, *comparison.run));
  BENCHHUD_ASSIGN(compared.baseline,
                  context.analyses.baseline(context.view, *comparison.run, comparison.choice,
                                            comparison.options.estimator));
  const auto& all = compared.judged->results;
  const bool all_fit =
      !context.query.has("suite") && !context.query.has("model") && !context.query.has("test");
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CatalogEntry* entry = context.catalog().find(all[i].experiment);
    // Of all backends, as speedups are against others; which are shown is decided later.
    if (entry == nullptr || !(all_fit || matches_workload(context.query, *entry))) continue;
    wanted.push_back(i);
    compared.entries.push_back(entry);
  }
  compared.results = all;
  if (wanted.size() < all.size()) {
    for (const std::size_t i : wanted) compared.filtered.push_back(all[i]);
    compared.results = compared.filtered;
  }
  compared.speedups =
      analysis::run_speedups(comparison.run->run.id, compared.results, context.catalog(),
                             *compared.baseline, comparison.options);
  return compared;
}

void write_heading(RequestContext& context, schema::JsonWriter& json, const Comparison& comparison,
                   const analysis::Baseline& baseline) {
  json.key("run");
  views::write_run_ref(json, comparison.run);
  json.key("baseline");
  json.begin_object();
  json.field("backend", comparison.choice.backend);
  json.field("run", context.query.text("baseline_run"));
  json.key("runs");
  std::vector<const service::RunEntry*> runs;
  for (const auto id : baseline.runs()) {
    if (const service::RunEntry* entry = context.snapshot().find(id)) runs.push_back(entry);
  }
  std::sort(runs.begin(), runs.end(), [](const service::RunEntry* a, const service::RunEntry* b) {
    return std::pair(a->run.started_at, a->run.id) < std::pair(b->run.started_at, b->run.id);
  });
  json.list(runs, [&](const service::RunEntry* entry) { views::write_run_ref(json, entry); });
  json.end_object();
  json.field("estimator", context.query.text("estimator"));
}

void write_geomeans(RequestContext& context, schema::JsonWriter& json, const Compared& compared) {
  const ExperimentFilter filter(context.query);
  json.key("geomeans");
  json.begin_array();
  for (const auto& row : analysis::geomeans(compared.results, context.catalog(), compared.speedups,
                                            analysis::GroupBy::kColumn)) {
    if (filter.matches_backend(row.backend)) views::write_column_geomean(json, row);
  }
  json.end_array();
}

void write_cell(schema::JsonWriter& json, const analysis::ResultView& view,
                const analysis::JudgedSpeedup& speedup, analysis::Estimator estimator) {
  json.begin_object();
  json.field("experiment_id", to_int(view.experiment));
  json.field("status", analysis::status_name(view.status));
  json.field("only_profiled", view.is_only_profiled);
  json.key("time");
  views::write_estimate(json, analysis::time_of(view, estimator));
  json.field("compile", view.compile);
  json.key("speedup");
  views::write_speedup(json, speedup.speedup);
  json.key("excluded");
  views::write_exclusion(json, speedup.excluded);
  json.key("verification");
  views::write_verification(json, view.verification);
  json.key("failure");
  views::write_failure(json, view.failure);
  json.end_object();
}

TableColumns columns_of(const Compared& compared, const ExperimentFilter& filter) {
  TableColumns columns;
  for (const CatalogEntry* entry : compared.entries) {
    if (filter.matches_backend(entry->backend()))
      columns.emplace(entry->column(), entry->backend());
  }
  return columns;
}

/// Places in `compared` of a row's cells.
using ModelRow = std::vector<std::size_t>;

schema::ExperimentView workload_of(const Compared& compared, const ModelRow& row) {
  return compared.entries[row.front()]->experiment();
}

/// One row for each suite, model, test and batch size, in that order.
std::vector<ModelRow> rows_by_batch_size(const Compared& compared, const ExperimentFilter& filter) {
  // A workload's number goes by suite, model and test.
  const auto row_key = [&](std::size_t i) {
    return std::pair(compared.entries[i]->workload(), compared.entries[i]->experiment().batch_size);
  };
  ModelRow order;
  for (std::size_t i = 0; i < compared.entries.size(); ++i) {
    if (filter.matches_backend(compared.entries[i]->backend())) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row_key(a) < row_key(b); });
  std::vector<ModelRow> rows;
  for (const std::size_t i : order) {
    if (rows.empty() || row_key(rows.back().front()) != row_key(i)) rows.emplace_back();
    rows.back().push_back(i);
  }
  return rows;
}

bool shares_a_column(const Compared& compared, const ModelRow& a, const ModelRow& b) {
  return std::any_of(a.begin(), a.end(), [&](std::size_t i) {
    return std::any_of(b.begin(), b.end(), [&](std::size_t j) {
      return compared.entries[i]->column() == compared.entries[j]->column();
    });
  });
}

/// What never ran does not know its batch size: where only one size is known, its cells belong into
/// that row. Rows of one workload stand together, the one without a size first.
std::vector<ModelRow> join_unsized(const Compared& compared, std::vector<ModelRow> rows) {
  const auto workload = [&](const ModelRow& row) {
    return compared.entries[row.front()]->workload();
  };
  std::vector<ModelRow> joined;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && workload(rows[end]) == workload(rows[i])) ++end;
    const bool one_size = end - i == 2 && !workload_of(compared, rows[i]).batch_size;
    if (one_size && !shares_a_column(compared, rows[i], rows[i + 1])) {
      // The sized cells first: the row is named after its first cell.
      rows[i + 1].insert(rows[i + 1].end(), rows[i].begin(), rows[i].end());
      ++i;
    }
    for (; i < end; ++i) joined.push_back(std::move(rows[i]));
  }
  return joined;
}

std::vector<ModelRow> table_rows(const Compared& compared, const ExperimentFilter& filter) {
  return join_unsized(compared, rows_by_batch_size(compared, filter));
}

void write_workload_fields(schema::JsonWriter& json, const schema::ExperimentView& e) {
  json.field("suite", e.suite);
  json.field("model", e.model);
  json.field("test", e.test);
  json.field("batch_size", e.batch_size);
}

void write_rows(schema::JsonWriter& json, const Compared& compared, const ExperimentFilter& filter,
                analysis::Estimator estimator) {
  json.key("rows");
  json.begin_array();
  for (const ModelRow& row : table_rows(compared, filter)) {
    json.begin_object();
    write_workload_fields(json, workload_of(compared, row));
    json.key("cells");
    json.begin_object();
    for (const std::size_t i : row) {
      json.key_text(compared.entries[i]->column());
      write_cell(json, compared.results[i], compared.speedups[i], estimator);
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
}

Expected<void> write_model_table(RequestContext& context, schema::JsonWriter& json,
                                 const Comparison& comparison) {
  BENCHHUD_ASSIGN(const auto compared, compare(context, comparison));
  const ExperimentFilter filter(context.query);
  json.begin_object();
  write_heading(context, json, comparison, *compared.baseline);
  write_columns(json, columns_of(compared, filter));
  write_rows(json, compared, filter, comparison.options.estimator);
  write_geomeans(context, json, compared);
  json.end_object();
  return {};
}

/// One row per cell of the table, ordered by row and column.
Expected<void> write_model_cells(RequestContext& context, schema::JsonWriter& json,
                                 const Comparison& comparison) {
  BENCHHUD_ASSIGN(const auto compared, compare(context, comparison));
  const ExperimentFilter filter(context.query);
  const TableColumns columns = columns_of(compared, filter);
  json.begin_array();
  for (const ModelRow& row : table_rows(compared, filter)) {
    for (const auto& [column, backend] : columns) {
      const auto cell = std::find_if(row.begin(), row.end(), [&](std::size_t i) {
        return compared.entries[i]->column() == column;
      });
      if (cell == row.end()) continue;
      json.begin_object();
      write_workload_fields(json, workload_of(compared, row));
      json.field("column", column);
      json.field("backend", backend);
      json.key("cell");
      write_cell(json, compared.results[*cell], compared.speedups[*cell],
                 comparison.options.estimator);
      json.end_object();
    }
  }
  json.end_array();
  return {};
}

Expected<ResponsePlan> get_table(RequestContext& context) {
  BENCHHUD_ASSIGN(auto comparison, asked_baseline_comparison(context));
  ResponsePlan plan;
  plan.key =
      service::AnalysisCache::dependencies(context.snapshot(), *comparison.run, comparison.choice);
  plan.csv_rows = "";
  plan.body = [&context, comparison](schema::JsonWriter& json) {
    return context.is_csv() ? write_model_cells(context, json, comparison)
                            : write_model_table(context, json, comparison);
  };
  return plan;
}

Expected<void> write_model_speedups(RequestContext& context, schema::JsonWriter& json,
                                    const Comparison& comparison) {
  BENCHHUD_ASSIGN(const auto compared, compare(context, comparison));
  const ExperimentFilter filter(context.query);
  const auto estimator = comparison.options.estimator;
  json.begin_object();
  write_heading(context, json, comparison, *compared.baseline);
  json.key("items");
  json.begin_array();
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const auto& view = compared.results[i];
    if (!filter.matches_backend(compared.entries[i]->backend())) continue;
    const auto* against = compared.baseline->find(*compared.entries[i]);
    json.begin_object();
    json.key("experiment");
    views::write_experiment(json, *compared.entries[i]);
    json.field("status", analysis::status_name(view.status));
    json.key("speedup");
    views::write_speedup(json, compared.speedups[i].speedup);
    json.key("excluded");
    views::write_exclusion(json, compared.speedups[i].excluded);
    json.key("own");
    views::write_estimate(json, analysis::time_of(view, estimator));
    json.key("baseline_time");
    views::write_estimate(json, against == nullptr ? std::nullopt : against->time);
    json.end_object();
  }
  json.end_array();
  write_geomeans(context, json, compared);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_speedups(RequestContext& context) {
  BENCHHUD_ASSIGN(auto comparison, asked_baseline_comparison(context));
  return ResponsePlan{
      service::AnalysisCache::dependencies(context.snapshot(), *comparison.run, comparison.choice),
      [&context, comparison](schema::JsonWriter& json) {
        return write_model_speedups(context, json, comparison);
      }};
}

}  // namespace

std::span<const NamedRoute> model_table_routes() {
  static constexpr std::array routes = {NamedRoute{"getModelTable", get_table},
                                        NamedRoute{"getSpeedups", get_speedups}};
  return routes;
}

}  // namespace benchhud::server
