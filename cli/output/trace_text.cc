#include "cli/output/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/text/quantity_text.h"
#include "cli/options/options.h"
#include "schema/base/count_text.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::cli {

using nlohmann::ordered_json;

namespace {

// Rows of a table in a summary; the report has all.
constexpr std::size_t kShown = 5;
constexpr std::size_t kShownOfTree = 20;
constexpr std::size_t kAll = static_cast<std::size_t>(-1);

std::string time_text(std::int64_t ns) { return analysis::nanoseconds_text(ns); }

std::string time_text(const ordered_json& ns) {
  return ns.is_null() ? "–" : analysis::nanoseconds_text(ns.get<double>());
}

std::string percent_text(double share) { return analysis::share_text(share); }

std::string percent_text(const ordered_json& share) {
  return share.is_null() ? "–" : percent_text(share.get<double>());
}

// Names of kernels are templates as long as pages.
std::string name_text(std::string_view name) { return printable(schema::beginning_of(name, 100)); }

void print_more(std::size_t count) {
  if (count > 0) fmt::print("    … and {} more\n", count);
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
    if (!count.is_null() && count != 0)
      sorted.emplace_back(-count.get<std::int64_t>(), printable(name));
  }
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& [count, name] : sorted) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, -count);
  }
  return text;
}

// "cannot tell: 3 slices on …".
std::string cannot_tell(const ordered_json& reason) {
  return "cannot tell: " + printable(reason.get<std::string>());
}

void print_device(const ordered_json& json) {
  const ordered_json& device = json["device"];
  const ordered_json& unknown = json["cannot_tell"];
  if (!unknown["device"].is_null()) return print_row("device", cannot_tell(unknown["device"]));
  if (device["span_ns"] == 0 && device["kernels"] == 0) {
    return print_row("device", "nothing ran on one");
  }
  print_row("device busy",
            fmt::format("{} of {}: {}", time_text(device["busy_ns"]), time_text(device["span_ns"]),
                        percent_text(device["utilization"])));
  if (device["devices"] > 1) {
    print_row("  of each device",
              fmt::format("{} to {}, of {} devices", time_text(device["least_busy_ns"]),
                          time_text(device["most_busy_ns"]), device["devices"].dump()));
  }
  if (!device["utilization_of_steps"].is_null()) {
    print_row("  of profiled steps", percent_text(device["utilization_of_steps"]));
  }
  if (json["set_aside"] != 0) {
    print_row("  set aside", schema::count_text(json["set_aside"].get<std::int64_t>(), "slice") +
                                 " whose times are impossible");
  }
  print_row("  by kind", counts_text(json["kernel_classes"]));
  const bool knows_launches = unknown["launches"].is_null();
  print_row("  launched by", knows_launches ? counts_text(json["launches"]["by_name"])
                                            : cannot_tell(unknown["launches"]));
  if (const ordered_json& delay = json["launch_delay_ns"]; !delay.is_null()) {
    print_row("  launch delay",
              fmt::format("median {}, 90 % {}, longest {}", time_text(delay["p50"]),
                          time_text(delay["p90"]), time_text(delay["max"])));
  }
  const ordered_json& idle = json["idle_ns"];
  const std::string unknown_wait =
      fmt::format("{} for what cannot be told", time_text(idle["unknown"]));
  if (!knows_launches) return print_row("  streams waited", unknown_wait);
  print_row("  streams waited",
            fmt::format("{} for the host, {} between kernels, {} otherwise{}",
                        time_text(idle["host_wait"]), time_text(idle["kernel_wait"]),
                        time_text(idle["other"]), idle["unknown"] == 0 ? "" : ", " + unknown_wait));
}

void print_memory(const trace::MemoryByDevice& memory) {
  for (const trace::DeviceMemory& one : memory.devices) {
    print_row("memory", fmt::format("{}: peak allocated {}, peak reserved {}", name_of_device(one),
                                    analysis::bytes_text(one.peak_allocated),
                                    analysis::bytes_text(one.peak_reserved)));
  }
  if (memory.events_left_out > 0) {
    print_row("memory", schema::count_text(memory.events_left_out, "event") +
                            " of no known device, or of one beyond the " +
                            fmt::format("{} that are kept", memory.kMostDevices));
  }
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

void print_verdict(const analysis::CompileVerdict& verdict) {
  using Applied = analysis::CompileVerdict::Applied;
  const char* applied = "cannot tell";
  if (verdict.applied == Applied::kYes) applied = "yes";
  if (verdict.applied == Applied::kNo) applied = "no";
  if (verdict.applied == Applied::kPartly) applied = "partly";
  print_row("torch.compile", fmt::format("applied: {}", applied));
  for (const std::string& sentence : verdict.evidence) fmt::print("  {}\n", printable(sentence));
  const std::size_t shown = std::min(verdict.handed_back.size(), kShown);
  if (shown > 0) fmt::print("  called in compiled graphs instead of generated:\n");
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::HandedBackRow& row = verdict.handed_back[i];
    fmt::print("    {:>10} {:>7}×  {}\n", time_text(row.time.total), row.time.count,
               printable(row.name));
  }
  print_more(verdict.handed_back.size() - shown +
             static_cast<std::size_t>(verdict.handed_back_left_out));
}

// A chain of graph breaks goes to the right.
void print_graph_breaks(const analysis::GraphBreakTree& tree, std::size_t most) {
  if (tree.broken_chains == 0) return;
  fmt::print("graph breaks as a tree: executions, time, of that without nested regions\n");
  const std::size_t shown = std::min(tree.nodes.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::NameTreeRow& row = tree.nodes[i].row;
    const analysis::TimeTotals& eager = tree.nodes[i].eager;
    fmt::print("  {:>{}}{}  {}×, {}, {}{}\n", "", row.depth * 2,
               row.name.empty() ? "region" : printable(row.name), row.time.count,
               time_text(row.time.total), time_text(row.self),
               eager.count == 0 ? ""
                                : fmt::format(", eager operators {} ({}×)", time_text(eager.total),
                                              eager.count));
  }
  print_more(tree.nodes.size() - shown);
}

void print_kernels(const analysis::KernelTable& table, std::size_t most) {
  if (table.rows.empty()) return;
  fmt::print("on devices: time, share, how often, mean\n");
  const std::size_t shown = std::min(table.rows.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::KernelRow& row = table.rows[i];
    fmt::print("  {:>12} {:>7} {:>8}× {:>12}  {}\n", time_text(row.time.total),
               percent_text(row.share), row.time.count, analysis::nanoseconds_text(row.time.mean()),
               name_text(row.name));
  }
  print_more(table.rows.size() - shown + static_cast<std::size_t>(table.rows_left_out));
}

void print_advice(const std::vector<analysis::Advice>& advice) {
  if (advice.empty()) return;
  fmt::print("advice\n");
  for (const analysis::Advice& one : advice) {
    fmt::print("  {:<8} {}\n", name_of(one.severity), printable(one.sentence));
  }
}

void print_problems(const ordered_json& json) {
  if (json["problem_count"] == 0) return;
  print_row("problems", fmt::format("{}, {} of them events that could not be read",
                                    json["problem_count"].dump(), json["broken"].dump()));
  for (const ordered_json& problem : json["problems"]) {
    fmt::print("  byte {}: {}\n", problem["offset"].get<std::int64_t>() + 1,
               printable(problem["reason"].get<std::string>()));
  }
}

}  // namespace

void print_trace_summary(const ordered_json& json, const analysis::TraceReport& report,
                         const trace::MemoryByDevice& memory) {
  print_row("events", json["events"].dump());
  print_row("slices",
            fmt::format("{} on {} tracks, at most {} deep, {} overlap", json["slices"].dump(),
                        json["tracks"].dump(), json["max_depth"].dump(), json["overlaps"].dump()));
  print_row("points", json["points"].dump());
  print_row("flows", fmt::format("{} bound, {} without a start", json["flows"]["bound"].dump(),
                                 json["flows"]["dangling"].dump()));
  print_device(json);
  print_memory(memory);
  print_regions(json);
  if (json["unclosed"] != 0) print_row("begun, not ended", json["unclosed"].dump());
  print_problems(json);
  print_verdict(report.verdict);
  print_graph_breaks(report.graph_breaks, kShownOfTree);
  print_kernels(report.kernels, kShown);
  print_advice(report.advice);
}

namespace {

void print_operators(const analysis::OperatorTable& table,
                     const analysis::TraceUnknowns& unknowns) {
  if (table.rows.empty()) return;
  fmt::print("{}: self time, share, how often, time in all, on devices\n",
             unknowns.device.empty() ? "on the host" : "by name");
  for (const analysis::OperatorRow& row : table.rows) {
    fmt::print("  {:>12} {:>7} {:>8}× {:>12} {:>12}  {}\n", time_text(row.self),
               row.share ? percent_text(*row.share) : "–", row.count, time_text(row.total),
               unknowns.launches.empty() ? time_text(row.device) : "–", name_text(row.name));
  }
  print_more(static_cast<std::size_t>(table.rows_left_out));
}

void print_frames(const analysis::CompiledFrames& frames) {
  if (frames.frames.empty()) return;
  fmt::print("compiled frames: executions, their time, compilations in the trace\n");
  for (const analysis::CompiledFrame& frame : frames.frames) {
    for (const analysis::CompiledVersion& version : frame.versions) {
      fmt::print("  {:<8} {:>6}× {:>12}  {}\n", printable(version.id), version.executed.count,
                 time_text(version.executed.total),
                 version.compiled.count == 0
                     ? ""
                     : fmt::format("compiled in {}", time_text(version.compiled.total)));
    }
    print_more(static_cast<std::size_t>(frame.versions_left_out));
  }
}

void print_compile_time(const analysis::TraceCompileTime& time) {
  if (time.phases.empty()) return;
  fmt::print("compilation: time, of that without phases within, how often\n");
  for (const analysis::NameTreeRow& row : time.phases) {
    fmt::print("  {:>12} {:>12} {:>5}×  {:>{}}{}\n", time_text(row.time.total), time_text(row.self),
               row.time.count, "", row.depth * 2, name_text(row.name));
  }
  fmt::print("compilation by what the program annotated\n");
  for (const analysis::AnnotatedCompilation& row : time.annotations) {
    fmt::print("  {:>12}  {}\n", time_text(row.compiled.total),
               row.annotation.empty() ? "outside of annotations" : name_text(row.annotation));
  }
  if (!time.ids.empty()) fmt::print("compilation by compile id\n");
  for (const analysis::CompiledId& row : time.ids) {
    fmt::print("  {:>12}  {}\n", time_text(row.compiled.total), name_text(row.id));
    for (const analysis::CompiledId::Phase& phase : row.phases) {
      fmt::print("  {:>12}    {}\n", time_text(phase.time.total), name_text(phase.name));
    }
  }
  print_more(static_cast<std::size_t>(time.ids_left_out));
  if (time.is_profiled) {
    fmt::print(
        "  A profiler recorded these phases, which slows down compiling more than running; "
        "compile_times() is not affected.\n");
  }
}

void print_breakdown(const analysis::DeviceBreakdown& breakdown) {
  if (breakdown.span == 0) return;
  using Type = analysis::DeviceBreakdown::Type;
  const auto part = [&](std::int64_t ns) {
    return fmt::format("{} ({})", time_text(ns),
                       percent_text(analysis::share_of(ns, breakdown.span)));
  };
  print_row(
      "device's span",
      fmt::format("compute {}, communication {}, memory {}, idle {}",
                  part(breakdown.busy(Type::kCompute)), part(breakdown.busy(Type::kCommunication)),
                  part(breakdown.busy(Type::kMemory)), part(breakdown.idle())));
  if (const auto overlap = breakdown.overlap_of_communication()) {
    print_row("  hidden", fmt::format("{} of communication", percent_text(*overlap)));
  }
}

void print_launches(const analysis::TraceReport& report) {
  const analysis::LaunchStats& launches = report.launches;
  if (const std::string& unknown = report.activity.unknowns.launches; !unknown.empty()) {
    return print_row("launches", cannot_tell(unknown));
  }
  if (launches.calls == 0) return;
  print_row("launches",
            fmt::format("{} calls, {} of them over {}, {} longer than what they launch; "
                        "{} waits over {}",
                        launches.calls, launches.long_calls, time_text(analysis::kLongCall),
                        launches.longer_than_launched, launches.long_delays,
                        time_text(analysis::kLongDelay)));
  for (const analysis::LaunchQueue& queue : report.queues) {
    print_row("  queue", fmt::format("{} launched, at most {} waiting, {:.1f} in the mean",
                                     queue.launched, queue.longest, queue.mean));
  }
  for (const analysis::CopyRow& row : report.copies) {
    const auto bandwidth = row.mean_bandwidth();
    print_row("copies", fmt::format("{}×, {}{}  {}", row.time.count, time_text(row.time.total),
                                    bandwidth ? fmt::format(", {:.1f} GB/s", *bandwidth) : "",
                                    name_text(row.name)));
  }
}

void print_steps(const analysis::StepBreakdown& steps, const analysis::TraceUnknowns& unknowns) {
  if (steps.count == 0) return;
  if (!unknowns.device.empty()) {
    return print_row("steps", fmt::format("{}, {} each; where their time went cannot be told",
                                          steps.count, time_text(steps.duration / steps.count)));
  }
  std::string parts;
  for (std::size_t i = 0; i < steps.parts.size(); ++i) {
    if (steps.parts[i] == 0) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ",
                         name_of(static_cast<analysis::StepPart>(i)),
                         percent_text(analysis::share_of(steps.parts[i], steps.duration)));
  }
  print_row("steps", fmt::format("{}, {} each: {}", steps.count,
                                 time_text(steps.duration / steps.count), parts));
}

}  // namespace

void print_trace_report(const analysis::TraceReport& report) {
  print_breakdown(report.breakdown);
  print_steps(report.steps, report.activity.unknowns);
  print_launches(report);
  if (report.kernels.rows.size() > kShown) print_kernels(report.kernels, kAll);
  print_operators(report.operators, report.activity.unknowns);
  print_frames(report.frames);
  if (report.graph_breaks.nodes.size() > kShownOfTree)
    print_graph_breaks(report.graph_breaks, kAll);
  print_compile_time(report.compile_time);
}

}  // namespace benchhud::cli
