// What should have run and did not.
#include <array>
#include <map>
#include <tuple>

#include "analysis/results/coverage.h"
#include "schema/results/manifest.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using analysis::CoverageItem;
using analysis::Outcome;
using schema::Expected;
using schema::to_int;

/// The runs before `run` on its accelerator model, the last one first, at most `most`.
std::vector<const service::RunEntry*> runs_before(const service::Snapshot& snapshot,
                                                  const service::RunEntry& run, std::size_t most) {
  std::vector<const service::RunEntry*> runs;
  for (auto place = run.previous; place && runs.size() < most;) {
    runs.push_back(&snapshot.runs[*place]);
    place = runs.back()->previous;
  }
  return runs;
}

/// What an item is called, whether it is of the catalog or of a manifest alone.
struct Names {
  std::string_view suite, model, test, backend;
};

Names names_of(const CoverageItem& item) {
  if (item.entry == nullptr) {
    const auto& e = *item.expected;
    return {e.suite, e.model, e.test, e.backend};
  }
  const auto& e = item.entry->experiment();
  return {e.suite, e.model, e.test, item.entry->backend()};
}

bool matches(const Query& query, const Names& names) {
  return matches_any(query, "suite", names.suite) && matches_any(query, "model", names.model) &&
         matches_any(query, "test", names.test) && matches_any(query, "backend", names.backend);
}

void write_counts(schema::JsonWriter& json, const analysis::CoverageCounts& counts) {
  json.field("expected", counts.expected);
  json.field("timed", counts.timed);
  json.field("extra", counts.extra);
  json.field("extra_timed", counts.extra_timed);
  json.field("lost", counts.lost);
  json.key("outcomes");
  json.begin_object();
  for (std::size_t i = 0; i < analysis::kOutcomes; ++i) {
    json.field(analysis::outcome_name(static_cast<Outcome>(i)), counts.outcomes[i]);
  }
  json.end_object();
}

void write_item(schema::JsonWriter& json, const CoverageItem& item,
                const analysis::JudgedRun& judged, const service::RunEntry& run,
                const std::vector<const service::RunEntry*>& before) {
  const Names names = names_of(item);
  json.begin_object();
  json.field("suite", names.suite);
  json.field("model", names.model);
  json.field("test", names.test);
  json.field("backend", names.backend);
  const analysis::ResultView* view = nullptr;
  if (item.entry == nullptr) {
    json.null_field("column");
    json.null_field("batch_size");
    json.null_field("experiment_id");
  } else {
    json.field("column", item.entry->column());
    json.field("batch_size", item.entry->experiment().batch_size);
    json.field("experiment_id", to_int(item.entry->id()));
    view = judged.find(item.entry->id());
  }
  json.field("outcome", analysis::outcome_name(item.outcome));
  json.field("expected", item.is_expected);
  json.field("lost", analysis::is_lost(item));
  json.field("outcome_before",
             item.before ? std::optional(analysis::outcome_name(*item.before)) : std::nullopt);
  json.key("last_timed_run");
  const auto& ago = item.timed_runs_ago;
  views::write_run_ref(json, !ago ? nullptr : *ago == 0 ? &run : before[*ago - 1]);
  json.key("failure");
  views::write_failure(json, view == nullptr ? std::nullopt : view->failure);
  json.end_object();
}

void write_items(RequestContext& context, schema::JsonWriter& json,
                 const std::vector<CoverageItem>& items, const analysis::JudgedRun& judged,
                 const service::RunEntry& run,
                 const std::vector<const service::RunEntry*>& before) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Key, analysis::CoverageCounts> groups;
  std::vector<const CoverageItem*> shown;
  for (const CoverageItem& item : items) {
    const Names names = names_of(item);
    if (!matches(context.query, names)) continue;
    count(item, &groups[{names.suite, names.test, names.backend}]);
    if (item.outcome != Outcome::kTimed || !item.is_expected) shown.push_back(&item);
  }
  json.key("groups");
  json.list(groups, [&](const auto& group) {
    json.begin_object();
    json.field("suite", std::get<0>(group.first));
    json.field("test", std::get<1>(group.first));
    json.field("backend", std::get<2>(group.first));
    write_counts(json, group.second);
    json.end_object();
  });
  json.key("items");
  json.list(shown, [&](const CoverageItem* item) { write_item(json, *item, judged, run, before); });
}

Expected<void> write_coverage(RequestContext& context, schema::JsonWriter& json,
                              const service::RunEntry& run) {
  BENCHHUD_ASSIGN(const auto manifest,
                  schema::manifest_of(context.reader().connection(), run.run.accelerator_model));
  const auto before = runs_before(context.snapshot(), run, context.query.size("expect_runs"));
  std::vector<std::shared_ptr<const analysis::RunDigest>> kept;
  std::vector<const analysis::RunDigest*> digests;
  for (const service::RunEntry* entry : before) {
    BENCHHUD_ASSIGN(auto digest, context.analyses.digest(context.view, *entry));
    digests.push_back(digest.get());
    kept.push_back(std::move(digest));
  }
  BENCHHUD_ASSIGN(const auto digest, context.analyses.digest(context.view, run));
  BENCHHUD_ASSIGN(const auto judged, context.analyses.run(context.view, run));
  const auto items = analysis::coverage(context.catalog(), *digest, digests, manifest);
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, &run);
  json.key("basis");
  json.begin_object();
  json.field("kind", manifest.empty() ? "runs" : "manifest");
  json.field("run_count", before.size());
  json.key("first_run");
  views::write_run_ref(json, before.empty() ? nullptr : before.back());
  json.end_object();
  write_items(context, json, items, *judged, run, before);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_coverage(RequestContext& context) {
  BENCHHUD_ASSIGN(const service::RunEntry* run, asked_run(context));
  // A manifest changes no run.
  return ResponsePlan{revision_key(context), [&context, run](schema::JsonWriter& json) {
                        return write_coverage(context, json, *run);
                      }};
}

}  // namespace

std::span<const NamedRoute> coverage_routes() {
  static constexpr std::array routes = {NamedRoute{"getCoverage", get_coverage}};
  return routes;
}

}  // namespace benchhud::server
