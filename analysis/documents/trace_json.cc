#include "analysis/documents/trace_json.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/documents/trace_json_parts.h"
#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/device_activity.h"
#include "analysis/trace/trace_context.h"
#include "analysis/trace/trace_flows.h"

namespace benchhud::analysis {

using nlohmann::ordered_json;
using trace::Trace;

namespace {

// Far more than a trace of PyTorch has; a hostile one has a million.
constexpr std::size_t kMostEntries = 1000;

std::int64_t count_tracks(const Trace& trace) {
  std::vector<bool> has_slice(trace.threads.size());
  for (const trace::TraceSlice& slice : trace.slices) has_slice[slice.thread] = true;
  return std::count(has_slice.begin(), has_slice.end(), true);
}

ordered_json regions_json(const analysis::CompiledRegions& regions) {
  ordered_json by_depth = ordered_json::object();
  std::int64_t depths_left_out = 0;
  for (const auto& [depth, count] : regions.by_depth) {
    if (by_depth.size() < kMostEntries) {
      by_depth[std::to_string(depth)] = count;
    } else {
      ++depths_left_out;
    }
  }
  trace_json::NamedCounts frames = trace_json::named_counts(regions.by_frame, kMostEntries);
  return {{"count", regions.count},
          {"by_depth", std::move(by_depth)},
          {"depths_left_out", depths_left_out},
          {"by_frame", regions.recompiles ? std::move(frames.by_name) : ordered_json()},
          {"frames_left_out", frames.left_out}};
}

}  // namespace

ordered_json summary_json(const Trace& trace, const trace::TraceNesting& nesting) {
  const auto activity = analysis::device_activity(analysis::TraceContext(trace, nesting));
  const auto regions = analysis::compiled_regions(trace, nesting);
  const auto functions = analysis::compiled_functions(trace);
  const auto flows = analysis::count_flows(trace);

  ordered_json json;
  json["events"] = trace.events;
  json["slices"] = trace.slices.size();
  json["points"] = trace.points.size();
  json["refused"] = trace.refused;
  json["set_aside"] = activity.set_aside;
  json["tracks"] = count_tracks(trace);
  json["max_depth"] = nesting.max_depth;
  json["overlaps"] = nesting.overlaps;
  json["cannot_tell"] = trace_json::unknowns(activity.unknowns);
  json["device"] = trace_json::device(activity);
  json["kernel_classes"] = trace_json::kernel_classes(activity);
  trace_json::NamedCounts launches = trace_json::named_counts(activity.launches, kMostEntries);
  const std::string& unknown = activity.unknowns.launches;
  json["launches"] = {{"by_name", trace_json::unless(unknown, std::move(launches.by_name))},
                      {"names_left_out", trace_json::unless(unknown, launches.left_out)}};
  json["launch_delay_ns"] = trace_json::quantiles(activity.launch_delay);
  json["idle_ns"] = trace_json::idle(activity);
  trace_json::add_memory(&json, trace.memory);
  json["flows"] = {{"bound", flows.bound}, {"dangling", flows.dangling}};
  json["compiled_regions"] = regions_json(regions);
  json["graph_breaks"] = regions.graph_breaks;
  json["graph_breaks_distinct"] = trace_json::or_null(regions.graph_breaks_distinct);
  json["recompiles"] = trace_json::or_null(regions.recompiles);
  json["compiled_functions"] = {{"forward", functions.forward},
                                {"backward", functions.backward},
                                {"paired", functions.paired}};
  trace_json::add_problems(&json, trace);
  return json;
}

}  // namespace benchhud::analysis
