// benchhud trace: what a trace file says, without a store.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compiled_regions.h"
#include "analysis/device_activity.h"
#include "analysis/trace_flows.h"
#include "commands.h"
#include "ingest/trace_reader.h"
#include "options.h"
#include "schema/trace_nesting.h"

namespace benchhud::cli {
namespace {

using analysis::DeviceSlice;
using nlohmann::ordered_json;
using schema::ErrorCode;
using schema::Expected;
using schema::Trace;

CommandLine command_line() {
  CommandLine command;
  command.usage = "benchhud trace summary FILE [option…]";
  command.about =
      "Says what a Chrome trace holds (PyTorch's profiler, XProf and Chrome write such; gzip or\n"
      "plain): how busy the device was and why it waited, kernels by kind, launches, compiled\n"
      "regions, graph breaks and recompilations. Needs no store.";
  add_format_option(&command.options, "text or json (keys and meanings: docs/traces.md)");
  add_words(&command);
  return command;
}

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

constexpr std::array kKinds = {
    std::pair{DeviceSlice::Kind::kInductorTriton, "inductor_triton"},
    std::pair{DeviceSlice::Kind::kUserTriton, "user_triton"},
    std::pair{DeviceSlice::Kind::kLibrary, "library"},
    std::pair{DeviceSlice::Kind::kCommunication, "communication"},
    std::pair{DeviceSlice::Kind::kMemcpy, "memcpy"},
    std::pair{DeviceSlice::Kind::kMemset, "memset"},
};

std::int64_t count_tracks(const Trace& trace) {
  std::vector<bool> has_slice(trace.threads.size());
  for (const schema::TraceSlice& slice : trace.slices) has_slice[slice.thread] = true;
  return std::count(has_slice.begin(), has_slice.end(), true);
}

ordered_json device_json(const analysis::DeviceActivity& activity) {
  return {{"kernels", activity.kernels},
          {"busy_ns", activity.busy},
          {"span_ns", activity.span},
          {"utilization", or_null(activity.utilization)},
          {"utilization_of_steps", or_null(activity.utilization_of_steps)}};
}

ordered_json regions_json(const analysis::CompiledRegions& regions) {
  ordered_json by_depth = ordered_json::object(), by_frame = ordered_json::object();
  for (const auto& [depth, count] : regions.by_depth) by_depth[std::to_string(depth)] = count;
  for (const auto& [frame, count] : regions.by_frame) by_frame[frame] = count;
  return {{"count", regions.count},
          {"by_depth", std::move(by_depth)},
          {"by_frame", regions.recompiles ? std::move(by_frame) : ordered_json()}};
}

// As docs/traces.md says.
ordered_json summary_json(const Trace& trace) {
  const schema::TraceNesting nesting = schema::nest(trace);
  const auto device = analysis::device_slices(trace, nesting);
  const auto activity = analysis::device_activity(trace, device);
  const auto regions = analysis::compiled_regions(trace, nesting);
  const auto functions = analysis::compiled_functions(trace);
  const auto flows = analysis::count_flows(trace);

  ordered_json json;
  json["events"] = trace.events;
  json["slices"] = trace.slices.size();
  json["points"] = trace.points.size();
  json["refused"] = trace.refused;
  json["tracks"] = count_tracks(trace);
  json["max_depth"] = nesting.max_depth;
  json["overlaps"] = nesting.overlaps;
  json["device"] = device_json(activity);
  ordered_json& kinds = json["kernel_classes"];
  for (const auto& [kind, name] : kKinds) {
    const auto found = activity.kinds.find(kind);
    kinds[name] = found == activity.kinds.end() ? 0 : found->second;
  }
  json["launches"]["by_name"] = activity.launches;
  if (const auto& delay = activity.launch_delay) {
    json["launch_delay_ns"] = {{"p50", delay->p50}, {"p90", delay->p90}, {"max", delay->max}};
  } else {
    json["launch_delay_ns"] = nullptr;
  }
  json["idle_ns"] = {{"host_wait", activity.host_wait},
                     {"kernel_wait", activity.kernel_wait},
                     {"other", activity.other_wait}};
  json["flows"] = {{"bound", flows.bound}, {"dangling", flows.dangling}};
  json["compiled_regions"] = regions_json(regions);
  json["graph_breaks"] = regions.graph_breaks;
  json["graph_breaks_distinct"] = or_null(regions.graph_breaks_distinct);
  json["recompiles"] = or_null(regions.recompiles);
  json["compiled_functions"] = {{"forward", functions.forward},
                                {"backward", functions.backward},
                                {"paired", functions.paired}};
  json["unclosed"] = trace.unclosed;
  json["broken"] = trace.broken;
  json["problem_count"] = trace.problem_count;
  ordered_json& problems = json["problems"] = ordered_json::array();
  for (const schema::TraceProblem& problem : trace.problems) {
    problems.push_back({{"offset", problem.offset}, {"reason", problem.reason}});
  }
  return json;
}

std::string time_text(const ordered_json& ns) {
  return ns.is_null() ? "–" : duration_text(ns.get<double>());
}

std::string percent_text(const ordered_json& share) {
  return share.is_null() ? "–" : fmt::format("{:.1f} %", share.get<double>() * 100);
}

std::string number_text(const ordered_json& number) {
  return number.is_null() ? "unknown: the regions bear no ids" : number.dump();
}

void print_row(std::string_view what, const std::string& value) {
  fmt::print("{:<20} {}\n", what, value);
}

// "a 3, b 1", the greatest first.
std::string counts_text(const ordered_json& counts) {
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  for (const auto& [name, count] : counts.items()) {
    if (count != 0) sorted.emplace_back(-count.get<std::int64_t>(), printable(name));
  }
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& [count, name] : sorted) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, -count);
  }
  return text;
}

void print_device(const ordered_json& json) {
  const ordered_json& device = json["device"];
  if (device["span_ns"] == 0 && device["kernels"] == 0) {
    return print_row("device", "nothing ran on one");
  }
  print_row("device busy",
            fmt::format("{} of {}: {}", time_text(device["busy_ns"]), time_text(device["span_ns"]),
                        percent_text(device["utilization"])));
  if (!device["utilization_of_steps"].is_null()) {
    print_row("  of profiled steps", percent_text(device["utilization_of_steps"]));
  }
  print_row("  by kind", counts_text(json["kernel_classes"]));
  print_row("  launched by", counts_text(json["launches"]["by_name"]));
  if (const ordered_json& delay = json["launch_delay_ns"]; !delay.is_null()) {
    print_row("  launch delay",
              fmt::format("median {}, 90 % {}, longest {}", time_text(delay["p50"]),
                          time_text(delay["p90"]), time_text(delay["max"])));
  }
  const ordered_json& idle = json["idle_ns"];
  print_row(
      "  streams waited",
      fmt::format("{} for the host, {} between kernels, {} otherwise", time_text(idle["host_wait"]),
                  time_text(idle["kernel_wait"]), time_text(idle["other"])));
}

void print_regions(const ordered_json& json) {
  const ordered_json& regions = json["compiled_regions"];
  if (regions["count"] == 0) return print_row("compiled regions", "none");
  print_row("compiled regions", regions["count"].dump());
  if (!regions["by_frame"].is_null()) print_row("  by frame", counts_text(regions["by_frame"]));
  print_row("graph breaks", fmt::format("{} executions, distinct: {}", json["graph_breaks"].dump(),
                                        number_text(json["graph_breaks_distinct"])));
  print_row("recompilations", number_text(json["recompiles"]));
  const ordered_json& functions = json["compiled_functions"];
  print_row("compiled functions",
            fmt::format("{} forward, {} backward, {} of them pairs", functions["forward"].dump(),
                        functions["backward"].dump(), functions["paired"].dump()));
}

void print_text(const ordered_json& json) {
  print_row("events", json["events"].dump());
  print_row("slices",
            fmt::format("{} on {} tracks, at most {} deep, {} overlap", json["slices"].dump(),
                        json["tracks"].dump(), json["max_depth"].dump(), json["overlaps"].dump()));
  print_row("points", json["points"].dump());
  print_row("flows", fmt::format("{} bound, {} without a start", json["flows"]["bound"].dump(),
                                 json["flows"]["dangling"].dump()));
  print_device(json);
  print_regions(json);
  if (json["unclosed"] != 0) print_row("begun, not ended", json["unclosed"].dump());
  if (json["problem_count"] == 0) return;
  print_row("problems", fmt::format("{}, {} of them events that could not be read",
                                    json["problem_count"].dump(), json["broken"].dump()));
  for (const ordered_json& problem : json["problems"]) {
    fmt::print("  byte {}: {}\n", problem["offset"].get<std::int64_t>() + 1,
               printable(problem["reason"].get<std::string>()));
  }
}

}  // namespace

int run_trace(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Arguments words = words_of(parsed.values);
  if (words.empty() || words[0] != "summary") {
    return fail({ErrorCode::kInvalidArgument,
                 words.empty() ? "`benchhud trace` needs to be told what to do: `summary FILE`"
                               : fmt::format("there is no `benchhud trace {}`", words[0])});
  }
  if (words.size() != 2) {
    return fail({ErrorCode::kInvalidArgument, "`benchhud trace summary` takes one file"});
  }
  const Expected<bool> as_json = wants_json(parsed.values);
  if (!as_json) return fail(as_json.error());
  const auto trace = ingest::read_trace(words[1]);
  if (!trace) return fail(trace.error());
  const ordered_json json = summary_json(*trace);
  if (*as_json) {
    fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    print_text(json);
  }
  return kDone;
}

}  // namespace benchhud::cli
