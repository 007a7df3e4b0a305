// A trace's stacks put together by their names.
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "analysis/trace/flame_graph.h"
#include "server/routes/route_tables.h"
#include "server/routes/trace_parts.h"
#include "trace/trace_stacks.h"

namespace benchhud::server {
namespace {

using analysis::FlameGraph;
using schema::Expected;
using trace::StackSlice;

// 32 MB of them.
constexpr std::size_t kMostSlices = 2'000'000;

Expected<std::vector<StackSlice>> stacks(Ask& ask, const AskedTrace& asked,
                                         const TrackFilter& tracks, const AskedWindow& window) {
  schema::Connection& connection = ask.reader().connection();
  BENCHHUD_ASSIGN(const auto threads, trace::TraceLookup(connection, asked.id).threads());
  std::vector<StackSlice> slices;
  for (const trace::StoredThread& thread : threads) {
    // What is asynchronous is in no stack, and has one of its own where it is asked for.
    if (thread.is_async && tracks.is_all()) continue;
    if (thread.slices == 0 || !tracks.fits(thread.number)) continue;
    BENCHHUD_TRY(trace::add_stacks(connection, asked.id, thread.number, window.begin, window.end,
                                    kMostSlices, &slices));
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

Expected<std::string> write_flame(Ask& ask, const AskedTrace& asked, const TrackFilter& tracks,
                                  const AskedWindow& window) {
  const std::size_t limit = ask.query.size("limit");
  const auto label = static_cast<std::uint32_t>(ask.query.integer("label"));
  BENCHHUD_ASSIGN(const auto slices, stacks(ask, asked, tracks, window));
  std::string body;
  schema::JsonWriter json(&body);
  json.begin_object();
  json.field("slices", slices.size());
  if (ask.query.text("view") == "heavy") {
    write_graph(json, "stacks", analysis::heavy_stacks(slices, limit));
    json.null_field("callers");
    json.null_field("callees");
  } else {
    json.null_field("stacks");
    write_graph(json, "callers", analysis::callers_of(slices, label, limit));
    write_graph(json, "callees", analysis::callees_of(slices, label, limit));
  }
  json.end_object();
  return body;
}

Expected<Plan> get_flame(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_ASSIGN(const TrackFilter tracks, asked_track_filter(ask));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(ask, asked));
  if (ask.query.text("view") == "sandwich" && !ask.query.has("label")) {
    return wrong_parameter(ask, "label", "The sandwich view is of a label.");
  }
  BENCHHUD_TRY(refuse_other_sites(ask));
  return trace_plan(ask, asked, [&ask, asked, tracks, window] {
    return write_flame(ask, asked, tracks, window);
  });
}

constexpr std::array kRoutes = {NamedRoute{"getTraceFlame", get_flame}};

}  // namespace

std::span<const NamedRoute> trace_flame_routes() { return kRoutes; }

}  // namespace benchhud::server
