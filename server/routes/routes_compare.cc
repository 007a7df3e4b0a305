// Two runs side by side: what of it is worse, better or missing, and how sure that is.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "analysis/results/comparison_groups.h"
#include "analysis/results/run_comparison.h"
#include "analysis/results/run_pairs.h"
#include "schema/alerts/night_mark.h"
#include "schema/results/run_lookup.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/answers/past_nights.h"
#include "views/comparison_json.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

struct AskedSide {
  const service::RunEntry* run = nullptr;
  std::string backend;  ///< or a column; "": all
  service::BaselineChoice baseline;
};

struct AskedComparison {
  AskedSide left, right;
};

/// The run before `entry` on its accelerator model, or the newest one of another.
Expected<const service::RunEntry*> run_before(RequestContext& context,
                                              const service::RunEntry& entry,
                                              const std::string& accelerator_model) {
  const service::Snapshot& snapshot = context.snapshot();
  if (!accelerator_model.empty() && accelerator_model != entry.run.accelerator_model) {
    return find_run(context, "latest", "left", accelerator_model);
  }
  if (!entry.previous) {
    context.wrong_parameter = "left";
    return Error{ErrorCode::kNotFound, "There is no run before " + entry.run.name + " on " +
                                           entry.run.accelerator_model + "."};
  }
  return &snapshot.runs[*entry.previous];
}

Expected<const service::RunEntry*> asked_left(RequestContext& context,
                                              const service::RunEntry& right) {
  const auto& text = context.query.text("left");
  const auto& model = context.query.text("left_accelerator_model");
  if (text == "previous") return run_before(context, right, model);
  if (!model.empty()) return find_run(context, text, "left", model);
  // Names are looked for beside the right one first: nearly always both are of one accelerator.
  auto near = find_run(context, text, "left", right.run.accelerator_model);
  if (near || near.error().code != ErrorCode::kNotFound) return near;
  return find_run(context, text, "left", "");
}

Expected<AskedComparison> asked_comparison(RequestContext& context) {
  AskedComparison asked;
  BENCHHUD_ASSIGN(asked.right.run, find_run(context, context.query.text("right"), "right",
                                            context.query.text("right_accelerator_model")));
  BENCHHUD_ASSIGN(asked.left.run, asked_left(context, *asked.right.run));
  asked.left.backend = context.query.text("left_backend");
  asked.right.backend = context.query.text("right_backend");
  // One of them alone: the same on both sides.
  if (asked.left.backend.empty()) asked.left.backend = asked.right.backend;
  if (asked.right.backend.empty()) asked.right.backend = asked.left.backend;
  BENCHHUD_ASSIGN(asked.left.baseline, asked_baseline(context, *asked.left.run));
  BENCHHUD_ASSIGN(asked.right.baseline, asked_baseline(context, *asked.right.run));
  return asked;
}

/// What both runs' timing lines say of memory.
Expected<std::vector<analysis::SideMetric>> memory_metrics(RequestContext& context,
                                                           const AskedComparison& asked) {
  schema::Connection& store = context.reader().connection();
  BENCHHUD_ASSIGN(const auto names, schema::metrics_named(store, "mem"));
  std::vector<analysis::SideMetric> metrics;
  for (const auto& name : names) {
    analysis::SideMetric metric{name, {}, {}};
    BENCHHUD_ASSIGN(const auto left, schema::medians_of_run(store, asked.left.run->run.id, name));
    BENCHHUD_ASSIGN(const auto right, schema::medians_of_run(store, asked.right.run->run.id, name));
    metric.left.insert(left.begin(), left.end());
    metric.right.insert(right.begin(), right.end());
    if (!left.empty() && !right.empty()) metrics.push_back(std::move(metric));
  }
  return metrics;
}

Expected<std::unordered_map<schema::ExperimentId, bool>> dumped(RequestContext& context,
                                                                const AskedSide& side) {
  BENCHHUD_ASSIGN(const auto found, schema::experiments_with_artifacts(
                                        context.reader().connection(), side.run->run.id));
  std::unordered_map<schema::ExperimentId, bool> has_profile;
  for (const auto& one : found) has_profile[one.experiment] = one.has_profile;
  return has_profile;
}

Expected<void> write_side(RequestContext& context, schema::JsonWriter& json, std::string_view name,
                          const AskedSide& side) {
  json.key(name);
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, side.run);
  json.key("backend");
  side.backend.empty() ? json.null() : json.value(side.backend);
  BENCHHUD_ASSIGN(const auto marks, schema::night_marks(context.reader().connection(),
                                                        side.run->run.accelerator_model));
  json.key("marks");
  json.list(schema::marks_of(side.run->run, marks),
            [&](const auto& mark) { views::write_mark(json, mark); });
  json.end_object();
  return {};
}

/// The rows that the filters let through, in their order.
std::vector<analysis::ComparisonRow> filtered(const Query& query,
                                              std::vector<analysis::ComparisonRow> rows) {
  std::erase_if(rows, [&](const auto& row) { return !matches_workload(query, row.pair.entry()); });
  return rows;
}

Expected<void> write_comparison(RequestContext& context, schema::JsonWriter& json,
                                const AskedComparison& asked) {
  const auto& [left, right] = asked;
  BENCHHUD_ASSIGN(const auto left_judged, context.analyses.run(context.view, *left.run));
  BENCHHUD_ASSIGN(const auto right_judged, context.analyses.run(context.view, *right.run));
  constexpr auto kSteady = analysis::Estimator::kSteady;
  BENCHHUD_ASSIGN(const auto left_baseline,
                  context.analyses.baseline(context.view, *left.run, left.baseline, kSteady));
  BENCHHUD_ASSIGN(const auto right_baseline,
                  context.analyses.baseline(context.view, *right.run, right.baseline, kSteady));
  BENCHHUD_ASSIGN(const auto nights, service::PastNightsOfRuns::read(context.view, context.analyses,
                                                                     *left.run, *right.run));
  const analysis::FindPastNights past = [&](const analysis::PairedSide& side) {
    return nights.find(side.entry->id());
  };
  const analysis::ComparisonOptions options{nights.apart()};
  const auto pairs = analysis::pair_results({*left_judged, left.backend},
                                            {*right_judged, right.backend}, context.catalog());
  // A q-value is of all rows: the filters come after it.
  const auto rows =
      filtered(context.query,
               analysis::compare_pairs(pairs, left.run->run.id, *left_baseline, right.run->run.id,
                                       *right_baseline, context.catalog(), past, options));
  BENCHHUD_ASSIGN(const auto metrics, memory_metrics(context, asked));
  views::DumpedExperiments dumps;
  BENCHHUD_ASSIGN(dumps.left, dumped(context, left));
  BENCHHUD_ASSIGN(dumps.right, dumped(context, right));

  json.begin_object();
  BENCHHUD_TRY(write_side(context, json, "left", left));
  BENCHHUD_TRY(write_side(context, json, "right", right));
  json.field("baseline", left.baseline.backend);
  json.field("baseline_run", context.query.text("baseline_run"));
  json.field("nights_apart", left.run->run.accelerator_model == right.run->run.accelerator_model
                                 ? std::optional(nights.apart())
                                 : std::nullopt);
  json.key("rule");
  views::write_comparison_rule(json);
  json.key("groups");
  json.list(analysis::comparison_groups(rows, past, options, metrics),
            [&](const auto& group) { views::write_comparison_group(json, group, metrics); });
  json.key("rows");
  json.list(rows, [&](const auto& row) { views::write_comparison_row(json, row, dumps); });
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_comparison(RequestContext& context) {
  BENCHHUD_ASSIGN(auto asked, asked_comparison(context));
  // The runs that both look back on are in their histories; dumps change no run.
  BENCHHUD_ASSIGN(const std::int64_t dumps, context.reader().artifact_count({}));
  ResponsePlan plan;
  plan.key = std::to_string(dumps) + "-" +
             service::AnalysisCache::dependencies(context.snapshot(), *asked.left.run,
                                                  asked.left.baseline) +
             "-" +
             service::AnalysisCache::dependencies(context.snapshot(), *asked.right.run,
                                                  asked.right.baseline);
  plan.body = [&context, asked = std::move(asked)](schema::JsonWriter& json) {
    return write_comparison(context, json, asked);
  };
  plan.csv_rows = "rows";
  return plan;
}

}  // namespace

std::span<const NamedRoute> compare_routes() {
  static constexpr std::array routes = {NamedRoute{"getComparison", get_comparison}};
  return routes;
}

}  // namespace benchhud::server
