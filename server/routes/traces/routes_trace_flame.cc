// A trace's stacks put together by their names.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "analysis/trace/flame_graph.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "trace/answers/trace_stacks.h"
#include "trace/short_name.h"

namespace benchhud::server {
namespace {

using analysis::FlameGraph;
using schema::Expected;
using trace::StackSlice;

// 32 MB of them.
constexpr std::size_t kMostSlices = 2'000'000;

Expected<std::vector<StackSlice>> stacks(const AskedTrace& asked, const TrackFilter& tracks,
                                         const AskedWindow& window) {
  schema::Connection& connection = asked.data.database();
  BENCHHUD_ASSIGN(const auto threads,
                  trace::TraceQueries(connection, asked.data.number()).threads());
  // What is asynchronous is in no stack: it has one of its own where it is asked for. What is
  // derived repeats others, and counts where nothing but that is asked for.
  const bool counts_derived =
      !tracks.is_all() && std::ranges::none_of(threads, [&](const trace::StoredThread& thread) {
        return !thread.is_derived && tracks.matches(thread.number);
      });
  std::vector<StackSlice> slices;
  for (const trace::StoredThread& thread : threads) {
    if (thread.is_async && tracks.is_all()) continue;
    if (thread.is_derived && !counts_derived) continue;
    if (thread.slices == 0 || !tracks.matches(thread.number)) continue;
    BENCHHUD_TRY(trace::add_stacks(connection, asked.data.number(), thread.number, window.begin,
                                   window.end, kMostSlices, &slices));
  }
  return slices;
}

void write_graph(schema::JsonWriter& json, std::string_view name, const FlameGraph& graph) {
  json.key(name);
  json.begin_object();
  json.key("rows");
  json.list(graph.rows, [&](const analysis::FlameRow& row) {
    json.begin_array();
    json.value(row.label);
    json.value(row.depth);
    json.value(row.parent);
    json.value(row.count);
    json.value(row.total);
    json.value(row.self);
    json.end_array();
  });
  json.field("left_out", graph.left_out);
  json.end_object();
}

Expected<void> write_flame(RequestContext& context, schema::JsonWriter& json,
                           const AskedTrace& asked, const TrackFilter& tracks,
                           const AskedWindow& window) {
  const std::size_t limit = context.query.size("limit");
  const auto label = static_cast<std::uint32_t>(context.query.integer("label"));
  BENCHHUD_ASSIGN(const auto slices, stacks(asked, tracks, window));
  json.begin_object();
  json.field("slices", slices.size());
  if (context.query.text("view") == "heavy") {
    write_graph(json, "stacks", analysis::heavy_stacks(slices, limit));
    json.null_field("callers");
    json.null_field("callees");
  } else {
    json.null_field("stacks");
    write_graph(json, "callers", analysis::callers_of(slices, label, limit));
    write_graph(json, "callees", analysis::callees_of(slices, label, limit));
  }
  json.end_object();
  return {};
}

// As a table: a row as it is drawn, with its name; where there are more, a last row says so.
Expected<void> write_flame_rows(RequestContext& context, schema::JsonWriter& json,
                                const AskedTrace& asked, const TrackFilter& tracks,
                                const AskedWindow& window) {
  const std::size_t limit = context.query.size("limit");
  const auto label = static_cast<std::uint32_t>(context.query.integer("label"));
  trace::TraceQueries lookup(asked.data.database(), asked.data.number());
  BENCHHUD_ASSIGN(const auto slices, stacks(asked, tracks, window));
  json.begin_array();
  const auto write = [&](std::string_view part, const FlameGraph& graph) -> Expected<void> {
    std::size_t place = 0;
    for (const analysis::FlameRow& row : graph.rows) {
      BENCHHUD_ASSIGN(const trace::LabelText text, lookup.label(row.label));
      json.begin_object();
      json.field("part", part);
      json.field("row", place++);
      json.field("parent", row.parent);
      json.field("depth", row.depth);
      json.field("name", trace::short_name(text.name));
      json.field("count", row.count);
      json.field("total_ns", row.total);
      json.field("self_ns", row.self);
      json.end_object();
    }
    if (graph.left_out == 0) return {};
    json.begin_object();
    json.field("part", part);
    json.field("name", fmt::format("({} rows; {} more are left out)", place, graph.left_out));
    json.end_object();
    return {};
  };
  if (context.query.text("view") == "heavy") {
    BENCHHUD_TRY(write("stacks", analysis::heavy_stacks(slices, limit)));
  } else {
    BENCHHUD_TRY(write("callers", analysis::callers_of(slices, label, limit)));
    BENCHHUD_TRY(write("callees", analysis::callees_of(slices, label, limit)));
  }
  json.end_array();
  return {};
}

Expected<ResponsePlan> get_flame(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const TrackFilter tracks, asked_track_filter(context));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(context, asked));
  if (context.query.text("view") == "sandwich" && !context.query.has("label")) {
    return wrong_parameter(context, "label", "The sandwich view is of a label.");
  }
  BENCHHUD_TRY(refuse_other_sites(context));
  ResponsePlan plan =
      trace_plan(context, asked, [&context, asked, tracks, window](schema::JsonWriter& json) {
        return context.is_csv() ? write_flame_rows(context, json, asked, tracks, window)
                                : write_flame(context, json, asked, tracks, window);
      });
  plan.csv_rows = "";
  return plan;
}

}  // namespace

std::span<const NamedRoute> trace_flame_routes() {
  static constexpr std::array routes = {NamedRoute{"getTraceFlame", get_flame}};
  return routes;
}

}  // namespace benchhud::server
