#include "cli/output/xla_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/iterations/iteration_profile.h"
#include "analysis/text/quantity_text.h"
#include "cli/options/options.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::cli {

using nlohmann::ordered_json;

namespace {

constexpr double kPsPerNs = 1000;
constexpr std::size_t kShownRows = 20;

std::string ps_text(const ordered_json& ps) {
  return analysis::nanoseconds_text(ps.get<double>() / kPsPerNs);
}

std::string text_or(const ordered_json& text, std::string_view otherwise) {
  if (text.is_null()) return std::string(otherwise);
  return schema::beginning_of(printable(text.get_ref<const std::string&>()), 100);
}

std::string bytes_text_of(const ordered_json& bytes) {
  if (bytes.is_null()) return "unknown";
  return analysis::bytes_text(bytes.get<std::int64_t>());
}

// "12.3 TFLOP/s": of 10^9 and 10^12.
std::string rate_text(const ordered_json& rate, double unit, std::string_view name) {
  return rate.is_null() ? "–" : fmt::format("{:.3g} {}", rate.get<double>() / unit, name);
}

void print_rows(const ordered_json& device, std::string_view table, std::string_view name,
                std::string_view none) {
  const ordered_json& rows = device[std::string(table)];
  if (rows.empty()) return;
  std::string title(table);
  std::ranges::replace(title, '_', ' ');
  fmt::print(
      "  {}: self time, share of the span (idle time included), executions, FLOP/s, "
      "bytes/s, bound by\n",
      title);
  for (std::size_t i = 0; i < rows.size() && i < kShownRows; ++i) {
    const ordered_json& row = rows[i];
    const std::string bound =
        row["bound_by"].is_null()
            ? "–"
            : fmt::format("{} {}", row["bound_by"].get<std::string>(),
                          analysis::share_text(row["utilization"].get<double>()));
    fmt::print("    {:>12} {:>7} {:>8} {:>14} {:>11} {:>16}  {}\n", ps_text(row["self_ps"]),
               analysis::share_text(row["share_of_span"].get<double>()),
               row["occurrences"].is_null() ? "–" : row["occurrences"].dump() + "×",
               rate_text(row["flops_per_s"], 1e12, "TFLOP/s"),
               rate_text(row["bytes_per_s"], 1e9, "GB/s"), bound,
               text_or(row[std::string(name)], none));
  }
  const std::size_t shown = std::min(rows.size(), kShownRows);
  const auto more = static_cast<std::int64_t>(rows.size() - shown) +
                    device[std::string(table) + "_left_out"].get<std::int64_t>();
  if (more > 0) fmt::print("    … and {} more\n", more);
}

void print_kernels(const ordered_json& device) {
  const ordered_json& kernels = device["kernels"];
  if (kernels.empty()) return;
  fmt::print("  kernels: time, how many, mean, grid, block, registers, occupancy\n");
  const std::size_t shown = std::min(kernels.size(), kShownRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const ordered_json& row = kernels[i];
    const ordered_json& occupancy = row["occupancy_pct"];
    fmt::print("    {:>12} {:>8} {:>12} {:>12} {:>12} {:>5} {:>6}  {}\n", ps_text(row["total_ps"]),
               row["count"].dump() + "×",
               analysis::nanoseconds_text(row["total_ps"].get<double>() / kPsPerNs /
                                          std::max(row["count"].get<double>(), 1.0)),
               text_or(row["grid"], "–"), text_or(row["block"], "–"),
               row["registers"].is_null() ? "–" : row["registers"].dump(),
               occupancy.is_null() ? "–" : fmt::format("{:.3g} %", occupancy.get<double>()),
               text_or(row["name"], "without a name"));
  }
  const auto more = static_cast<std::int64_t>(kernels.size() - shown) +
                    device["kernels_left_out"].get<std::int64_t>();
  if (more > 0) fmt::print("    … and {} more\n", more);
}

void print_iterations(const ordered_json& found) {
  const std::string by = found["found_by"].get<std::string>();
  if (by == "nothing") {
    fmt::print("{:<20} {}\n", "iterations",
               "unknown: no annotated steps, no step marks of PyTorch/XLA, no runs of modules");
    return;
  }
  std::string mean;
  if (!found["mean_ns"].is_null()) {
    mean = fmt::format(", {} each", analysis::nanoseconds_text(found["mean_ns"].get<double>()));
    const ordered_json& busy = found["device_busy_ns"];
    mean += busy.is_null()
                ? ", how long a device was busy is unknown"
                : fmt::format(", the device busy for {} of it",
                              analysis::share_text(busy.get<double>() /
                                                   std::max(found["total_ns"].get<double>(), 1.0)));
  }
  const std::string name =
      found["name"].is_null() ? "" : fmt::format(" ({})", text_or(found["name"], ""));
  fmt::print("{:<20} {}, by {}{}{}\n", "iterations", found["count"].dump(),
             analysis::found_by_words(by), name, mean);
}

}  // namespace

void print_xla_report(const ordered_json& xla) {
  if (xla.is_null()) return;
  print_iterations(xla["iterations"]);
  for (const ordered_json& device : xla["devices"]) {
    fmt::print("{:<20} {} of {} busy\n", text_or(device["name"], ""), ps_text(device["busy_ps"]),
               ps_text(device["span_ps"]));
    if (!device.contains("operators")) continue;
    print_rows(device, "operators", "name", "no operator");
    print_rows(device, "categories", "category", "no category");
    print_rows(device, "framework_ops", "framework_op", "no framework operator");
    print_rows(device, "modules", "module", "no module");
    print_kernels(device);
  }
  for (const ordered_json& memory : xla["memory"]) {
    fmt::print(
        "{:<20} {} allocated and reserved at most, of {} in {}; {} in use at most since the "
        "program began\n",
        "memory", bytes_text_of(memory["peak_bytes"]), bytes_text_of(memory["capacity_bytes"]),
        text_or(memory["allocator"], "an allocator without a name"),
        bytes_text_of(memory["lifetime_peak_bytes"]));
  }
  const ordered_json& lost = xla["left_out"];
  if (lost["kernels"] != 0 || lost["module_runs"] != 0 || lost["steps"] != 0) {
    fmt::print("{:<20} {} kernels, {} runs of modules, {} annotated steps: beyond what is kept\n",
               "left out", lost["kernels"].dump(), lost["module_runs"].dump(),
               lost["steps"].dump());
  }
  const ordered_json& runs = xla["module_runs"];
  if (runs["linked"] != 0 || runs["without_launch"] != 0) {
    fmt::print("{:<20} {} linked to their launches, {} without; {} launches without a run\n",
               "module runs", runs["linked"].dump(), runs["without_launch"].dump(),
               runs["launches_without_run"].dump());
  }
}

}  // namespace benchhud::cli
