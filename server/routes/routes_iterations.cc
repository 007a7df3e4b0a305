// Where an iteration goes by the profiles of two results, beside each other, and the numbers of
// profiles over runs.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/iteration_comparison.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "server/routes/series_scope.h"
#include "service/answers/profiled_result.h"

namespace benchhud::server {
namespace {

using analysis::ComparedOperator;
using analysis::FrameworkOperators;
using analysis::IterationPart;
using analysis::IterationProfile;
using analysis::ProfiledIterations;
using schema::Expected;
using schema::to_int;
using service::ProfiledResult;

constexpr std::string_view kOfNoIteration =
    "Nothing says how many iterations of the model the profile has.";
constexpr std::string_view kMayHaveRun =
    "The profile does not list it, and has time of which it names no operator: it may have run.";
constexpr std::string_view kWhereDiffers =
    "One side's times are of operators on a device, the other's are not: they do not compare.";

std::optional<std::string_view> text_or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// A part of the iterations, or an operator's part of all operators' time, on one side.
struct TimeOfSide {
  std::optional<double> ns = {};  // an iteration
  std::optional<double> share = {};
  std::optional<double> overlapped_ns = {};  // with what went on behind other parts, an iteration
  std::string_view unknown = {};
};

struct ComparedRow {
  std::string_view kind, name;
  TimeOfSide left, right;
  std::optional<double> difference;
};

void write_time(schema::JsonWriter& json, std::string_view key, const TimeOfSide& time) {
  json.key(key);
  json.begin_object();
  json.field("ns", time.ns);
  json.field("share", time.share);
  json.field("overlapped_ns", time.overlapped_ns);
  json.field("unknown", text_or_null(time.unknown));
  json.end_object();
}

void write_row(schema::JsonWriter& json, const ComparedRow& row) {
  json.begin_object();
  json.field("kind", row.kind);
  json.field("name", row.name);
  write_time(json, "left", row.left);
  write_time(json, "right", row.right);
  json.field("difference_ns", row.difference);
  json.end_object();
}

TimeOfSide part_of_side(const ProfiledResult& side, IterationPart part) {
  if (!side.profile) return {.unknown = side.missing()};
  const ProfiledIterations profiled = side.profiled();
  const analysis::IterationPartTime& of = side.profile->of(part);
  TimeOfSide time;
  if (of.with_overlap) time.overlapped_ns = profiled.per_iteration(*of.with_overlap);
  time.unknown = of.unknown;
  if (!of.time) return time;
  time.ns = profiled.per_iteration(*of.time);
  if (side.profile->length > 0) {
    time.share = static_cast<double>(*of.time) / static_cast<double>(side.profile->length);
  }
  if (!time.ns) time.unknown = kOfNoIteration;
  return time;
}

// The order in which an iteration goes through its parts, and what is left behind them.
constexpr std::array kOrderOfParts = {IterationPart::kTracing,      IterationPart::kCompiling,
                                      IterationPart::kTransferring, IterationPart::kExecuting,
                                      IterationPart::kWaiting,      IterationPart::kUnknown};

std::vector<ComparedRow> compared_parts(const ProfiledResult& left, const ProfiledResult& right) {
  std::vector<ComparedRow> rows;
  bool knows_same = true;
  for (const IterationPart part : kOrderOfParts) {
    ComparedRow row{"part", name_of(part), part_of_side(left, part), part_of_side(right, part), {}};
    knows_same = knows_same && row.left.share.has_value() == row.right.share.has_value();
    // What one side cannot tell is in its unknown time, and not in the other's.
    const bool compares = part != IterationPart::kUnknown || knows_same;
    if (compares && row.left.ns && row.right.ns) row.difference = *row.right.ns - *row.left.ns;
    rows.push_back(row);
  }
  return rows;
}

std::string_view name_of_kind(ComparedOperator::Kind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"operator", "without_operator", "rest"};
  return kNames[static_cast<std::size_t>(kind)];
}

TimeOfSide operator_of_side(const ProfiledResult& of, const ComparedOperator::Side& side) {
  TimeOfSide time{.ns = side.time, .share = side.share};
  if (side.is_unknown) {
    const bool is_nothing_known =
        of.profile->operators.where == FrameworkOperators::Where::kNowhere;
    time.unknown = is_nothing_known ? std::string_view(of.profile->operators.unknown) : kMayHaveRun;
    if (time.unknown.empty()) time.unknown = kMayHaveRun;
  } else if (!side.time) {
    time.unknown = kOfNoIteration;
  }
  return time;
}

std::vector<ComparedRow> compared_operators(const ProfiledResult& left, const ProfiledResult& right,
                                            const std::vector<ComparedOperator>& operators) {
  std::vector<ComparedRow> rows;
  rows.reserve(operators.size());
  for (const ComparedOperator& one : operators) {
    rows.push_back({name_of_kind(one.kind), one.name, operator_of_side(left, one.left),
                    operator_of_side(right, one.right), one.difference});
  }
  return rows;
}

void write_numbers(schema::JsonWriter& json, const ProfiledResult& of) {
  const IterationProfile* const profile = of.profile ? &*of.profile : nullptr;
  std::optional<double> busy_share, idle, length;
  if (profile != nullptr) {
    length = of.profiled().per_iteration(profile->length);
    if (profile->busy) idle = of.profiled().per_iteration(profile->length - *profile->busy);
    if (profile->busy && profile->length > 0) {
      busy_share = static_cast<double>(*profile->busy) / static_cast<double>(profile->length);
    }
  }
  json.field("iteration_ns", length);
  json.field("busy_share", busy_share);
  json.field("idle_ns", idle);
  const bool has_class = profile != nullptr && !profile->top_class.empty();
  json.field("top_class", has_class ? text_or_null(profile->top_class) : std::nullopt);
  json.field("top_share", has_class ? std::optional(profile->top_share) : std::nullopt);
  json.field("compiling_ns", profile != nullptr ? profile->compiling : std::nullopt);
  json.field("peak_memory_bytes", profile != nullptr ? profile->peak_memory : std::nullopt);
}

void write_dump(schema::JsonWriter& json, const ProfiledResult& of) {
  json.key("artifact_id");
  of.artifact ? json.value(to_int(of.artifact->id)) : json.null();
  json.key("trace_id");
  of.artifact ? json.value(to_int(*of.artifact->trace)) : json.null();
}

void write_side(schema::JsonWriter& json, std::string_view key, const AskedResult& result,
                const ProfiledResult& of) {
  json.key(key);
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, result.run->run);
  json.key("experiment");
  views::write_experiment(json, *result.entry);
  write_dump(json, of);
  json.field("dump",
             of.artifact ? std::optional<std::string_view>(of.artifact->name) : std::nullopt);
  json.field("missing", text_or_null(of.missing()));
  const IterationProfile* const profile = of.profile ? &*of.profile : nullptr;
  json.field("found_by", profile != nullptr ? text_or_null(profile->found_by) : std::nullopt);
  json.field("iterations", of.iterations);
  json.field("counted_by", name_of(of.counted_by));
  json.field("length_ns", profile != nullptr ? std::optional(profile->length) : std::nullopt);
  write_numbers(json, of);
  json.field(
      "busy_unknown",
      text_or_null(profile != nullptr ? std::string_view(profile->busy_unknown) : of.missing()));
  json.field("operators_on", profile != nullptr ? name_of(profile->operators.where)
                                                : name_of(FrameworkOperators::Where::kNowhere));
  const bool is_on_device =
      profile != nullptr && profile->operators.where == FrameworkOperators::Where::kDevice;
  json.field("operator_devices",
             is_on_device ? std::optional(profile->operators.device_count) : std::nullopt);
  json.field("operators_unknown",
             text_or_null(profile != nullptr ? std::string_view(profile->operators.unknown)
                                             : of.missing()));
  json.end_object();
}

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
  const std::vector<ComparedRow> parts = compared_parts(left, right);
  std::vector<ComparedOperator> operators;
  if (left.profile && right.profile) {
    operators = analysis::compare_operators(left.profiled(), right.profiled());
  }
  const std::vector<ComparedRow> rows = compared_operators(left, right, operators);
  const auto write = [&](const ComparedRow& row) { write_row(json, row); };
  if (context.is_csv()) {
    json.begin_array();
    std::ranges::for_each(parts, write);
    std::ranges::for_each(rows, write);
    json.end_array();
    return {};
  }
  json.begin_object();
  write_side(json, "left", asked.left, left);
  write_side(json, "right", asked.right, right);
  json.key("parts");
  json.list(parts, write);
  json.key("operators");
  json.list(schema::first_of(rows, context.query.size("limit")), write);
  json.field("operator_count", rows.size());
  const bool differs = left.profile && right.profile &&
                       left.profile->operators.where != right.profile->operators.where;
  json.field("without_difference", differs ? std::optional(kWhereDiffers) : std::nullopt);
  json.key("definitions");
  json.list(kOrderOfParts, [&](IterationPart part) {
    json.begin_object();
    json.field("name", name_of(part));
    json.field("meaning", iteration_part_definition(part));
    json.end_object();
  });
  json.end_object();
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
  write_dump(json, of);
  json.field("missing", text_or_null(of.missing()));
  write_numbers(json, of);
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

constexpr std::array kRoutes = {NamedRoute{"compareProfiles", compare_profiles, Lane::kDumps},
                                NamedRoute{"getProfileSeries", get_profile_series, Lane::kDumps}};

}  // namespace

std::span<const NamedRoute> iteration_routes() { return kRoutes; }

}  // namespace benchhud::server
