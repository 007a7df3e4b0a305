// Many results over many runs: groups run by run, single results run by run, and what changed from
// one span of runs to another.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <unordered_map>

#include "analysis/results/rollup.h"
#include "analysis/statistics/estimators.h"
#include "schema/model/metric.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using analysis::CatalogEntry;
using analysis::ResultDigest;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::to_int;

using Runs = std::vector<const service::RunEntry*>;  // oldest first

bool fits_shown(const Query& query, const CatalogEntry& entry) {
  return matches_any(query, "backend", entry.backend()) &&
         matches_any(query, "column", entry.column());
}

/// The slice of an accelerator model that a request asks for, and a text that says all of it.
struct AskedSlice {
  analysis::RollupSlice slice;
  std::string text;
};

Expected<analysis::Grouping> asked_grouping(RequestContext& context) {
  const auto& parts = context.query.texts("group_by");
  analysis::Grouping grouping;
  if (parts.empty()) {
    grouping.test = grouping.backend = true;
    return grouping;
  }
  for (const std::string& part : parts) {
    if (part == "none" && parts.size() > 1) {
      return wrong_parameter(context, "group_by", "none goes together with no other.");
    }
    grouping.suite |= part == "suite";
    grouping.test |= part == "test";
    grouping.backend |= part == "backend";
    grouping.column |= part == "column";
  }
  return grouping;
}

Expected<AskedSlice> asked_slice(RequestContext& context, const std::string& accelerator_model) {
  AskedSlice asked;
  BENCHHUD_ASSIGN(asked.slice.grouping, asked_grouping(context));
  asked.slice.baseline = context.query.text("baseline");
  const Query& query = context.query;
  asked.slice.is_compared = [&query, accelerator_model](const CatalogEntry& entry) {
    return entry.experiment().accelerator_model == accelerator_model &&
           matches_workload(query, entry);
  };
  asked.slice.is_shown = [&query](const CatalogEntry& entry) { return fits_shown(query, entry); };
  Query text = context.query;
  for (const char* other : {"accelerator_model", "group_by", "runs", "since", "until", "format"}) {
    text.forget(other);
  }
  const auto& grouping = asked.slice.grouping;
  asked.text = fmt::format("{:d}{:d}{:d}{:d}?{}", grouping.suite, grouping.test, grouping.backend,
                           grouping.column, text.canonical());
  return asked;
}

void write_key(schema::JsonWriter& json, const analysis::GroupKey& key) {
  json.field("suite", key.suite);
  json.field("test", key.test);
  json.field("backend", key.backend);
  json.field("column", key.column);
}

void write_rollup(schema::JsonWriter& json, const analysis::GroupRollup& group,
                  const std::optional<double>& steady) {
  json.begin_object();
  views::write_result_counts(json, group);
  json.key("outcomes");
  json.begin_object();
  for (std::size_t i = 0; i < group.outcomes.size(); ++i) {
    const auto outcome = static_cast<analysis::Outcome>(i);
    if (outcome == analysis::Outcome::kNotRun) continue;
    json.field(analysis::outcome_name(outcome), group.outcomes[i]);
  }
  json.end_object();
  json.key("geomean");
  views::write_geomeans(json, group.geomean ? &group.geomean->all : nullptr,
                        group.geomean ? &group.geomean->matched : nullptr);
  json.key("compile");
  views::write_compile(json, group.compile);
  json.field("steady", steady);
  json.end_object();
}

/// A run's groups, by key.
using Rollup = std::shared_ptr<const std::vector<analysis::GroupRollup>>;

const analysis::GroupRollup* find_group(const Rollup& rollup, const analysis::GroupKey& key) {
  const auto found =
      std::lower_bound(rollup->begin(), rollup->end(), key,
                       [](const auto& group, const auto& k) { return group.key < k; });
  return found == rollup->end() || found->key != key ? nullptr : &*found;
}

/// The groups of one accelerator model over its runs.
struct AcceleratorHistory {
  Runs runs;
  std::vector<Rollup> rollups;           // one a run
  std::vector<analysis::GroupKey> keys;  // of the groups that any run has
  std::vector<analysis::SteadyLevels> levels;

  const analysis::SteadyLevels* levels_of(const analysis::GroupKey& key) const {
    const auto found =
        std::find_if(levels.begin(), levels.end(), [&](const auto& one) { return one.key == key; });
    return found == levels.end() ? nullptr : &*found;
  }
};

Expected<AcceleratorHistory> read_history(RequestContext& context,
                                          const std::string& accelerator_model,
                                          const std::vector<std::size_t>& places) {
  AcceleratorHistory history;
  history.runs = asked_runs(context, places);
  BENCHHUD_ASSIGN(auto asked, asked_slice(context, accelerator_model));
  const analysis::SliceGroups groups(context.catalog(), std::move(asked.slice));
  std::vector<std::shared_ptr<const analysis::RunDigest>> digests;
  std::vector<const analysis::RunDigest*> digest_pointers;
  for (const service::RunEntry* entry : history.runs) {
    BENCHHUD_ASSIGN(auto rollup, context.analyses.rollup(context.view, *entry, groups, asked.text));
    history.rollups.push_back(std::move(rollup));
    BENCHHUD_ASSIGN(auto digest, context.analyses.digest(context.view, *entry));
    digest_pointers.push_back(digest.get());
    digests.push_back(std::move(digest));
  }
  history.levels = analysis::steady_levels(digest_pointers, groups);
  for (const auto& key : groups.keys()) {
    if (std::any_of(history.rollups.begin(), history.rollups.end(),
                    [&](const Rollup& rollup) { return find_group(rollup, key) != nullptr; })) {
      history.keys.push_back(key);
    }
  }
  return history;
}

void write_steady_set(schema::JsonWriter& json, const analysis::SteadyLevels* levels) {
  json.key("steady_set");
  json.begin_object();
  json.field("n", levels == nullptr ? 0 : levels->n);
  json.field("of", levels == nullptr ? 0 : levels->of);
  json.end_object();
}

void write_history_groups(schema::JsonWriter& json, const AcceleratorHistory& history) {
  json.key("groups");
  json.list(history.keys, [&](const analysis::GroupKey& key) {
    const analysis::SteadyLevels* levels = history.levels_of(key);
    json.begin_object();
    write_key(json, key);
    write_steady_set(json, levels);
    json.key("points");
    json.begin_array();
    for (std::size_t run = 0; run < history.runs.size(); ++run) {
      const auto* group = find_group(history.rollups[run], key);
      group == nullptr ? json.null()
                       : write_rollup(json, *group, levels ? levels->levels[run] : std::nullopt);
    }
    json.end_array();
    json.end_object();
  });
}

/// Calls `take` with each requested accelerator model and its history.
Expected<void> for_each_history(
    RequestContext& context,
    const std::function<Expected<void>(const std::string&, const AcceleratorHistory&)>& take) {
  for (const auto& [accelerator_model, places] : context.snapshot().accelerators) {
    if (!matches_any(context.query, "accelerator_model", accelerator_model)) continue;
    BENCHHUD_ASSIGN(const auto history, read_history(context, accelerator_model, places));
    BENCHHUD_TRY(take(accelerator_model, history));
  }
  return {};
}

Expected<void> write_history(RequestContext& context, schema::JsonWriter& json) {
  const auto write_one = [&](const std::string& accelerator_model,
                             const AcceleratorHistory& history) -> Expected<void> {
    json.begin_object();
    json.field("accelerator_model", accelerator_model);
    write_runs(json, "runs", history.runs);
    json.key("marks");
    BENCHHUD_TRY(write_run_marks(json, context, history.runs));
    write_history_groups(json, history);
    json.end_object();
    return {};
  };
  json.begin_object();
  json.field("baseline", context.query.text("baseline"));
  json.key("accelerators");
  json.begin_array();
  BENCHHUD_TRY(for_each_history(context, write_one));
  json.end_array();
  json.end_object();
  return {};
}

/// One row per point of each group.
Expected<void> write_history_rows(RequestContext& context, schema::JsonWriter& json) {
  const auto write_one = [&](const std::string&,
                             const AcceleratorHistory& history) -> Expected<void> {
    for (const auto& key : history.keys) {
      const analysis::SteadyLevels* levels = history.levels_of(key);
      for (std::size_t run = 0; run < history.runs.size(); ++run) {
        const auto* group = find_group(history.rollups[run], key);
        if (group == nullptr) continue;
        json.begin_object();
        json.key("run");
        views::write_run_ref(json, history.runs[run]);
        json.key("group");
        json.begin_object();
        write_key(json, key);
        write_steady_set(json, levels);
        json.end_object();
        json.key("point");
        write_rollup(json, *group, levels ? levels->levels[run] : std::nullopt);
        json.end_object();
      }
    }
    return {};
  };
  json.begin_array();
  BENCHHUD_TRY(for_each_history(context, write_one));
  json.end_array();
  return {};
}

Expected<ResponsePlan> get_history(RequestContext& context) {
  BENCHHUD_TRY(asked_grouping(context));
  ResponsePlan plan;
  // Marks show in it too, and they change no run.
  plan.key = revision_key(context);
  plan.csv_rows = "";
  plan.body = [&context](schema::JsonWriter& json) {
    return context.is_csv() ? write_history_rows(context, json) : write_history(context, json);
  };
  return plan;
}

/// What is asked of single results over runs of one accelerator model.
struct ResultScope {
  std::string accelerator_model;
  Runs runs;
  std::vector<const CatalogEntry*> entries;  ///< in the catalog's order
};

Expected<ResultScope> asked_results(RequestContext& context) {
  const service::Snapshot& snapshot = context.snapshot();
  ResultScope scope;
  if (context.query.has("accelerator_model") || snapshot.accelerators.empty()) {
    scope.accelerator_model = context.query.text("accelerator_model");
  } else {
    scope.accelerator_model = snapshot.accelerators.front().first;
  }
  const auto* places = snapshot.runs_of(scope.accelerator_model);
  if (places == nullptr) {
    context.wrong_parameter = "accelerator_model";
    return Error{ErrorCode::kNotFound, "There is no run on that accelerator model."};
  }
  scope.runs = asked_runs(context, *places);
  for (const CatalogEntry& entry : context.catalog().entries()) {
    if (entry.experiment().accelerator_model == scope.accelerator_model &&
        matches_workload(context.query, entry) && fits_shown(context.query, entry)) {
      scope.entries.push_back(&entry);
    }
  }
  return scope;
}

enum class Metric { kSteady, kSpeedup, kCompile, kOfRunner };

Metric asked_metric(const RequestContext& context) {
  const std::string& metric = context.query.text("metric");
  if (metric == "steady") return Metric::kSteady;
  if (metric == "speedup") return Metric::kSpeedup;
  return metric == "compile" ? Metric::kCompile : Metric::kOfRunner;
}

/// Whether values come with their samples' number and interval.
bool has_intervals(Metric metric) {
  return metric == Metric::kSteady || metric == Metric::kOfRunner;
}

/// One experiment in one run.
struct HistoryPoint {
  double value = ResultDigest::kNone;
  double low = ResultDigest::kNone;   ///< where the metric has intervals
  double high = ResultDigest::kNone;  ///< likewise
  std::int32_t n = 0;                 ///< likewise: its samples
  analysis::Outcome outcome = analysis::Outcome::kNotRun;
};

/// First by the place in scope.entries, then by run.
using PointTable = std::vector<std::vector<HistoryPoint>>;

/// Adds what the runner wrote of a metric, in those of the runs that lie side by side: places
/// [from, to).
Expected<void> add_runner_metric(RequestContext& context, const ResultScope& scope,
                                 std::size_t from, std::size_t to, PointTable* points) {
  if (from == to) return {};
  const std::string name = schema::canonical_metric_name(context.query.text("metric"));
  std::unordered_map<schema::RunId, std::size_t> places;
  for (std::size_t run = from; run < to; ++run) places.emplace(scope.runs[run]->run.id, run);
  const double since = scope.runs[from]->run.started_at;
  const double until = scope.runs[to - 1]->run.started_at;
  for (std::size_t row = 0; row < scope.entries.size(); ++row) {
    BENCHHUD_ASSIGN(const auto series, context.reader().series_of_metric(scope.entries[row]->id(),
                                                                         name, since, until));
    for (const auto& [run, samples] : series) {
      const auto place = places.find(run);
      const auto median = analysis::metric_median(samples);
      if (place == places.end() || !median) continue;
      HistoryPoint& point = (*points)[row][place->second];
      point.value = median->value;
      point.n = static_cast<std::int32_t>(median->n);
      if (!median->interval) continue;
      point.low = median->interval->low;
      point.high = median->interval->high;
    }
  }
  return {};
}

/// Every asked experiment in every asked run. `gap`: the place of a run before which others were
/// left out of the runs; 0 where none were.
Expected<PointTable> read_points(RequestContext& context, const ResultScope& scope,
                                 std::size_t gap = 0) {
  const Metric metric = asked_metric(context);
  std::unordered_map<schema::ExperimentId, std::size_t> rows;
  for (std::size_t i = 0; i < scope.entries.size(); ++i) rows.emplace(scope.entries[i]->id(), i);
  PointTable points(scope.entries.size(), std::vector<HistoryPoint>(scope.runs.size()));
  for (std::size_t run = 0; run < scope.runs.size(); ++run) {
    BENCHHUD_ASSIGN(const auto digest, context.analyses.digest(context.view, *scope.runs[run]));
    std::shared_ptr<const std::vector<double>> speedups;
    if (metric == Metric::kSpeedup) {
      BENCHHUD_ASSIGN(speedups, context.analyses.speedups(context.view, *scope.runs[run],
                                                          context.query.text("baseline")));
    }
    for (std::size_t i = 0; i < digest->results.size(); ++i) {
      const ResultDigest& result = digest->results[i];
      const auto row = rows.find(result.experiment);
      if (row == rows.end()) continue;
      HistoryPoint& point = points[row->second][run];
      point.outcome = result.outcome;
      switch (metric) {
        case Metric::kSteady:
          point.value = result.steady;
          point.low = result.low;
          point.high = result.high;
          point.n = result.n;
          break;
        case Metric::kSpeedup:
          point.value = (*speedups)[i];
          break;
        case Metric::kCompile:
          point.value = result.compile;
          break;
        case Metric::kOfRunner:
          break;
      }
    }
  }
  if (metric == Metric::kOfRunner) {
    BENCHHUD_TRY(add_runner_metric(context, scope, 0, gap, &points));
    BENCHHUD_TRY(add_runner_metric(context, scope, gap, scope.runs.size(), &points));
  }
  return points;
}

void write_result_heading(RequestContext& context, schema::JsonWriter& json,
                          const ResultScope& scope) {
  const Metric metric = asked_metric(context);
  const std::string& name = context.query.text("metric");
  json.field("metric", name);
  if (metric == Metric::kOfRunner) {
    const auto& info = schema::metric_info(name);
    json.field("unit", info.unit);
    json.field("better", views::direction_name(info.direction));
  } else {
    json.field("unit", metric == Metric::kSpeedup ? "" : "s");
    json.field("better", metric == Metric::kSpeedup ? "higher" : "lower");
  }
  json.field("baseline", context.query.text("baseline"));
  json.field("accelerator_model", scope.accelerator_model);
}

void write_experiment_ref(schema::JsonWriter& json, const CatalogEntry& entry) {
  const auto& e = entry.experiment();
  json.begin_object();
  json.field("id", to_int(entry.id()));
  json.field("suite", e.suite);
  json.field("model", e.model);
  json.field("test", e.test);
  json.field("backend", entry.backend());
  json.field("column", entry.column());
  json.field("batch_size", e.batch_size);
  json.end_object();
}

bool is_seen(const std::vector<HistoryPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const HistoryPoint& point) {
    return point.outcome != analysis::Outcome::kNotRun;
  });
}

/// NaN is null.
template <class Pick>
void write_numbers(schema::JsonWriter& json, std::string_view name,
                   const std::vector<HistoryPoint>& points, Pick pick) {
  json.key(name);
  json.list(points, [&](const HistoryPoint& point) { json.value(double{pick(point)}); });
}

Expected<void> write_model_history(RequestContext& context, schema::JsonWriter& json,
                                   const ResultScope& scope) {
  BENCHHUD_ASSIGN(const auto points, read_points(context, scope));
  json.begin_object();
  write_result_heading(context, json, scope);
  write_runs(json, "runs", scope.runs);
  json.key("series");
  json.begin_array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_seen(points[i])) continue;
    json.begin_object();
    json.key("experiment");
    write_experiment_ref(json, *scope.entries[i]);
    write_numbers(json, "values", points[i], [](const HistoryPoint& point) { return point.value; });
    if (context.query.boolean("intervals") && has_intervals(asked_metric(context))) {
      write_numbers(json, "low", points[i], [](const HistoryPoint& point) { return point.low; });
      write_numbers(json, "high", points[i], [](const HistoryPoint& point) { return point.high; });
      json.key("n");
      json.list(points[i], [&](const HistoryPoint& point) { json.value(point.n); });
    } else {
      json.null_field("low");
      json.null_field("high");
      json.null_field("n");
    }
    json.key("outcomes");
    json.list(points[i], [&](const HistoryPoint& point) {
      json.value(analysis::outcome_name(point.outcome));
    });
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return {};
}

/// One row per experiment and run.
Expected<void> write_model_history_rows(RequestContext& context, schema::JsonWriter& json,
                                        const ResultScope& scope) {
  BENCHHUD_ASSIGN(const auto points, read_points(context, scope));
  json.begin_array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_seen(points[i])) continue;
    for (std::size_t run = 0; run < scope.runs.size(); ++run) {
      json.begin_object();
      json.key("run");
      views::write_run_ref(json, scope.runs[run]);
      json.key("experiment");
      write_experiment_ref(json, *scope.entries[i]);
      json.field("value", points[i][run].value);
      json.field("outcome", analysis::outcome_name(points[i][run].outcome));
      json.end_object();
    }
  }
  json.end_array();
  return {};
}

/// All that answers about these runs hang on: the newest run's history holds the others'.
std::string key_of(const RequestContext& context, const ResultScope& scope) {
  return scope.runs.empty() ? revision_key(context)
                            : fmt::format("{:x}.{:x}.{}", scope.runs.back()->history,
                                          context.snapshot().catalog_version, scope.runs.size());
}

Expected<ResponsePlan> get_model_history(RequestContext& context) {
  BENCHHUD_ASSIGN(auto scope, asked_results(context));
  ResponsePlan plan;
  plan.key = key_of(context, scope);
  plan.csv_rows = "";
  plan.body = [&context, scope = std::move(scope)](schema::JsonWriter& json) {
    return context.is_csv() ? write_model_history_rows(context, json, scope)
                            : write_model_history(context, json, scope);
  };
  return plan;
}

void write_span_value(schema::JsonWriter& json, std::string_view name,
                      const analysis::SpanValue& value) {
  json.key(name);
  if (value.n == 0) return json.null();
  json.begin_object();
  json.field("value", value.value);
  json.field("n", value.n);
  json.end_object();
}

std::vector<double> values_of(std::span<const HistoryPoint> points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const HistoryPoint& point : points) values.push_back(point.value);
  return values;
}

Expected<void> write_history_changes(RequestContext& context, schema::JsonWriter& json,
                                     const ResultScope& scope) {
  // Only the runs at both ends are needed.
  const std::size_t span = std::min(context.query.size("span"), scope.runs.size() / 2);
  ResultScope ends = scope;
  ends.runs.erase(ends.runs.begin() + static_cast<std::ptrdiff_t>(span),
                  ends.runs.end() - static_cast<std::ptrdiff_t>(span));
  BENCHHUD_ASSIGN(const auto points, read_points(context, ends, span));
  json.begin_object();
  write_result_heading(context, json, scope);
  const std::span<const service::RunEntry* const> runs(ends.runs);
  write_runs(json, "before", runs.first(span));
  write_runs(json, "after", runs.last(span));
  json.key("items");
  json.begin_array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_seen(points[i])) continue;
    const std::span<const HistoryPoint> all(points[i]);
    const auto change =
        analysis::span_change(values_of(all.first(span)), values_of(all.last(span)));
    json.begin_object();
    json.key("experiment");
    write_experiment_ref(json, *scope.entries[i]);
    write_span_value(json, "before", change.before);
    write_span_value(json, "after", change.after);
    json.field("ratio", change.ratio);
    json.key("interval");
    views::write_interval(json, change.interval);
    json.field("outcome", analysis::outcome_name(all.back().outcome));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_history_changes(RequestContext& context) {
  BENCHHUD_ASSIGN(auto scope, asked_results(context));
  ResponsePlan plan;
  plan.key = key_of(context, scope);
  plan.body = [&context, scope = std::move(scope)](schema::JsonWriter& json) {
    return write_history_changes(context, json, scope);
  };
  return plan;
}

}  // namespace

std::span<const NamedRoute> history_routes() {
  static constexpr std::array routes = {
      NamedRoute{"getHistory", get_history, Lane::kHeavy},
      NamedRoute{"getModelHistory", get_model_history, Lane::kHeavy},
      NamedRoute{"getHistoryChanges", get_history_changes, Lane::kHeavy}};
  return routes;
}

}  // namespace benchhud::server
