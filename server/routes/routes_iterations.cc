// Where an iteration goes by the profiles of two results, beside each other, and the numbers of
// profiles over runs.
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "server/routes/series_scope.h"
#include "service/answers/profile_comparison.h"
#include "service/answers/profiled_result.h"
#include "views/profile_comparison_json.h"

namespace benchhud::server {
namespace {

using schema::Expected;
using service::ProfiledResult;

struct ProfilePair {
  AskedResult left, right;
};

Expected<void> write_comparison_of(RequestContext& context, schema::JsonWriter& json,
                                   const ProfilePair& asked) {
  const auto read = [&](const AskedResult& result) {
    return service::profile_of_result(context.reader(), {result.run->run.id, result.entry->id()});
  };
  BENCHHUD_ASSIGN(const ProfiledResult left, read(asked.left));
  BENCHHUD_ASSIGN(const ProfiledResult right, read(asked.right));
  const auto comparison = service::compare_profiles(left, right);
  if (context.is_csv()) {
    views::write_compared_rows(json, comparison);
    return {};
  }
  views::write_profile_comparison(json, {&asked.left.run->run, asked.left.entry, left},
                                  {&asked.right.run->run, asked.right.entry, right}, comparison,
                                  context.query.size("limit"));
  return {};
}

Expected<ResponsePlan> compare_profiles(RequestContext& context) {
  ProfilePair asked;
  BENCHHUD_ASSIGN(asked.left, asked_result(context, "left_run", "left_experiment"));
  BENCHHUD_ASSIGN(asked.right, asked_result(context, "right_run", "right_experiment"));
  ResponsePlan plan;
  plan.key = revision_key(context);
  plan.csv_rows = "";
  plan.body = [&context, asked = std::move(asked)](schema::JsonWriter& json) {
    return write_comparison_of(context, json, asked);
  };
  return plan;
}

void write_profile_point(schema::JsonWriter& json, const ProfiledResult& of) {
  json.begin_object();
  views::write_profile_dump(json, of);
  views::write_profile_missing(json, of);
  views::write_profile_numbers(json, of);
  json.end_object();
}

/// An experiment and its profile in each run; none where it has none.
struct ProfileSeries {
  const analysis::CatalogEntry* entry;
  std::vector<std::optional<ProfiledResult>> points;
};

/// Calls `take` with each experiment that has a profile in any of the runs.
Expected<void> read_profile_series(RequestContext& context, const SeriesScope& scope,
                                   const std::function<void(const ProfileSeries&)>& take) {
  if (scope.runs.empty()) return {};
  schema::Reader& reader = context.reader();
  for (const analysis::CatalogEntry* entry : scope.entries) {
    if (!matches_any(context.query, "backend", entry->backend())) continue;
    BENCHHUD_ASSIGN(const auto runs, reader.runs_with_artifacts(entry->id(), std::nullopt));
    if (runs.empty()) continue;
    ProfileSeries series{entry, std::vector<std::optional<ProfiledResult>>(scope.runs.size())};
    bool has_any = false;
    for (const schema::RunId run : runs) {
      const auto place = scope.places.find(run);
      if (place == scope.places.end()) continue;
      BENCHHUD_ASSIGN(auto profiled, service::profile_of_result(reader, {run, entry->id()}));
      if (!profiled.artifact) continue;
      if (profiled.profile) {  // what is many, and in no point
        profiled.profile->operators = {};
        profiled.profile->iterations = {};
      }
      series.points[place->second] = std::move(profiled);
      has_any = true;
    }
    if (has_any) take(series);
  }
  return {};
}

Expected<void> write_profile_series(RequestContext& context, schema::JsonWriter& json,
                                    const SeriesScope& scope) {
  json.begin_object();
  write_runs(json, "runs", scope.runs);
  json.key("series");
  json.begin_array();
  BENCHHUD_TRY(read_profile_series(context, scope, [&](const ProfileSeries& series) {
    json.begin_object();
    json.key("experiment");
    views::write_experiment(json, *series.entry);
    json.key("points");
    json.list(series.points,
              [&](const auto& point) { point ? write_profile_point(json, *point) : json.null(); });
    json.end_object();
  }));
  json.end_array();
  json.end_object();
  return {};
}

/// One row per profile.
Expected<void> write_profile_rows(RequestContext& context, schema::JsonWriter& json,
                                  const SeriesScope& scope) {
  json.begin_array();
  BENCHHUD_TRY(read_profile_series(context, scope, [&](const ProfileSeries& series) {
    for (std::size_t run = 0; run < scope.runs.size(); ++run) {
      if (!series.points[run]) continue;
      begin_point_row(json, scope.runs[run], *series.entry);
      json.key("point");
      write_profile_point(json, *series.points[run]);
      json.end_object();
    }
  }));
  json.end_array();
  return {};
}

Expected<ResponsePlan> get_profile_series(RequestContext& context) {
  BENCHHUD_ASSIGN(auto scope, asked_series(context));
  ResponsePlan plan;
  plan.key = revision_key(context);
  plan.csv_rows = "";
  plan.body = [&context, scope = std::move(scope)](schema::JsonWriter& json) {
    return context.is_csv() ? write_profile_rows(context, json, scope)
                            : write_profile_series(context, json, scope);
  };
  return plan;
}

}  // namespace

std::span<const NamedRoute> iteration_routes() {
  static constexpr std::array routes = {
      NamedRoute{"compareProfiles", compare_profiles, Lane::kDumps},
      NamedRoute{"getProfileSeries", get_profile_series, Lane::kDumps}};
  return routes;
}

}  // namespace benchhud::server
