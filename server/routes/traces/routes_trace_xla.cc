// Operators and kernels of XLA in a stored XPlane profile, and the memory of allocators: of XLA's
// by that profile, of PyTorch's by the digest of a Chrome trace.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/trace/time_totals.h"
#include "analysis/trace/xla_tables.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "trace/xla_profile_store.h"

namespace benchhud::server {
namespace {

using analysis::XlaTableRow;
using schema::Expected;
using trace::XlaProfile;

struct AskedProfile {
  AskedTrace trace;
  std::shared_ptr<const XlaProfile> profile;  // null: the trace has none
  std::optional<std::uint32_t> device;
  std::size_t first = 0;
};

Expected<AskedProfile> asked_profile(RequestContext& context) {
  AskedProfile asked;
  BENCHHUD_ASSIGN(asked.trace, asked_trace(context));
  BENCHHUD_ASSIGN(const auto cursor, asked_cursor(context, 1));
  if (cursor && cursor->numbers[0] < 0) {
    return wrong_parameter(context, "cursor", "It is no cursor.");
  }
  if (cursor) asked.first = static_cast<std::size_t>(cursor->numbers[0]);
  BENCHHUD_ASSIGN(auto profile,
                  trace::read_xla_profile(asked.trace.data.database(), asked.trace.data.number()));
  if (!profile) return asked;
  asked.profile = std::make_shared<const XlaProfile>(*std::move(profile));
  return asked;
}

// The same, of the device that the parameter `device` names.
Expected<AskedProfile> asked_device(RequestContext& context) {
  BENCHHUD_ASSIGN(AskedProfile asked, asked_profile(context));
  if (!asked.profile || !context.query.has("device")) return asked;
  const std::string name = context.query.text("device");
  const auto& devices = asked.profile->devices;
  const auto found =
      std::find_if(devices.begin(), devices.end(),
                   [&](const trace::XlaDevice& device) { return device.name == name; });
  if (found == devices.end()) {
    return wrong_parameter(context, "device", "The profile has no operators of this device.");
  }
  asked.device = static_cast<std::uint32_t>(found - devices.begin());
  return asked;
}

// What an allocator did, of XLA or of PyTorch on a device: bytes, ns.
struct MemoryRow {
  std::optional<std::string> name = {};
  std::int64_t allocations = 0, deallocations = 0;
  std::optional<std::int64_t> peak = {}, peak_time = {};
  std::optional<std::int64_t> lifetime_peak = {}, capacity = {}, peak_reserved = {};
};

void write_memory_row(schema::JsonWriter& json, const MemoryRow& row, std::int64_t origin) {
  json.begin_object();
  json.field("allocator", row.name);
  json.field("allocations", row.allocations);
  json.field("deallocations", row.deallocations);
  json.field("peak_bytes", row.peak);
  std::optional<std::int64_t> peak_time;
  if (row.peak_time) peak_time = analysis::difference_of(*row.peak_time, origin);
  json.field("peak_ns", peak_time);
  json.field("lifetime_peak_bytes", row.lifetime_peak);
  json.field("capacity_bytes", row.capacity);
  json.field("peak_reserved_bytes", row.peak_reserved);
  json.end_object();
}

// Writes rows of a profile, whose texts are the trace's.
class ProfileRows {
 public:
  ProfileRows(const AskedProfile& asked, schema::JsonWriter& json)
      : profile_(*asked.profile),
        origin_(asked.trace.info.origin),
        lookup_(asked.trace.data.database(), asked.trace.data.number()),
        json_(json) {}

  Expected<void> write_operator(const XlaTableRow& row) {
    const trace::XlaOperator& sums = row.sums;
    json_.begin_object();
    json_.field("device", profile_.devices[sums.device].name);
    BENCHHUD_TRY(text("name", sums.name));
    BENCHHUD_TRY(text("category", sums.category));
    BENCHHUD_TRY(text("framework_op", sums.framework_op));
    BENCHHUD_TRY(text("module", sums.module));
    // Beyond what readers of JSON hold exactly.
    json_.field("program",
                sums.program ? std::optional(fmt::to_string(*sums.program)) : std::nullopt);
    BENCHHUD_TRY(text("source", sums.source));
    json_.field("operators", row.operators);
    json_.field("occurrences",
                row.without_occurrences == 0 ? std::optional(sums.occurrences) : std::nullopt);
    json_.field("kernels", sums.kernels);
    json_.field("runs", row.runs);
    json_.field("run_ps", row.run_ps);
    json_.field("time_ps", sums.time_ps);
    json_.field("self_ps", sums.self_ps);
    json_.field("share_of_span", row.share_of_span);
    json_.field("share_of_self", row.share_of_self);
    json_.field("flops", row.flops());
    json_.field("bytes", row.bytes());
    json_.field("flops_per_s", row.flops_per_s());
    json_.field("bytes_per_s", row.bytes_per_s());
    json_.field("flops_per_byte", row.intensity());
    json_.field("bound_by", row.bound ? std::optional(row.bound->resource) : std::nullopt);
    json_.field("utilization", row.bound ? std::optional(row.bound->utilization) : std::nullopt);
    json_.end_object();
    return {};
  }

  Expected<void> write_kernel(const trace::XlaKernel& kernel) {
    json_.begin_object();
    json_.field("device", profile_.devices[kernel.device].name);
    BENCHHUD_TRY(text("name", kernel.name));
    BENCHHUD_TRY(text("operator", kernel.op));
    BENCHHUD_TRY(text("module", kernel.module));
    BENCHHUD_TRY(text("grid", kernel.grid));
    BENCHHUD_TRY(text("block", kernel.block));
    json_.field("registers", kernel.registers);
    json_.field("static_shared_bytes", kernel.static_shared);
    json_.field("dynamic_shared_bytes", kernel.dynamic_shared);
    json_.field("occupancy_pct", kernel.occupancy_pct);
    json_.field("count", kernel.count);
    json_.field("total_ps", kernel.total_ps);
    json_.field("mean_ps",
                static_cast<double>(kernel.total_ps) / static_cast<double>(kernel.count));
    json_.field("min_ps", kernel.min_ps);
    json_.field("max_ps", kernel.max_ps);
    json_.end_object();
    return {};
  }

  Expected<void> write_allocator(const trace::XlaAllocator& allocator) {
    MemoryRow row{.allocations = allocator.allocations,
                  .deallocations = allocator.deallocations,
                  .peak = allocator.peak_bytes,
                  .peak_time = allocator.peak_time,
                  .lifetime_peak = allocator.lifetime_peak_bytes,
                  .capacity = allocator.capacity_bytes};
    if (allocator.name != 0) {
      BENCHHUD_ASSIGN(row.name, lookup_.text(allocator.name));
    }
    write_memory_row(json_, row, origin_);
    return {};
  }

 private:
  Expected<void> text(std::string_view name, std::uint32_t number) {
    json_.key(name);
    if (number == 0) {
      json_.null();
      return {};
    }
    BENCHHUD_ASSIGN(const std::string text, lookup_.text(number));
    json_.value(text);
    return {};
  }

  const XlaProfile& profile_;
  std::int64_t origin_;
  trace::TraceQueries lookup_;
  schema::JsonWriter& json_;
};

void write_devices(schema::JsonWriter& json, const XlaProfile& profile) {
  const std::vector<std::int64_t> self_times = analysis::xla_self_times(profile);
  for (std::size_t i = 0; i < profile.devices.size(); ++i) {
    const trace::XlaDevice& device = profile.devices[i];
    json.begin_object();
    json.field("name", device.name);
    json.field("kind", analysis::name_of(device.kind));
    json.field("span_ps", device.span_ps);
    json.field("busy_ps", device.busy_ps);
    json.field("self_ps", self_times[i]);
    json.field("events_left_out", device.left_out);
    json.end_object();
  }
}

constexpr std::string_view kNoProfile =
    "The trace is no XPlane profile, or an older version stored it.";
constexpr std::string_view kNoMemory =
    "The trace has no records of memory, which PyTorch's profiler writes with profile_memory=True; "
    "or it is an XPlane profile that an older version stored.";
constexpr std::string_view kNoDeviceOfMemory =
    "The trace has records of memory (left_out), and of none it is known of which device it is.";
constexpr std::string_view kOlderDigest =
    "An older version stored the trace: what it says of memory is not known.";
constexpr std::string_view kNoAllocations = "The profile has no records of memory allocations.";

// A page of rows without the last bracket.
template <class MakeRows, class WriteRow>
Expected<void> write_rows(RequestContext& context, schema::JsonWriter& json,
                          const AskedProfile& asked, MakeRows make_rows, WriteRow write_row) {
  begin_page(json);
  std::optional<std::string> next;
  std::int64_t total = 0;
  if (asked.profile) {
    const auto& rows = make_rows(*asked.profile);
    total = static_cast<std::int64_t>(rows.size());
    const std::size_t end = std::min(rows.size(), asked.first + context.query.size("limit"));
    ProfileRows writer(asked, json);
    for (std::size_t i = asked.first; i < end; ++i) BENCHHUD_TRY(write_row(writer, rows[i]));
    if (end < rows.size()) {
      next = make_cursor(cursor_scope(context), {static_cast<std::int64_t>(end)});
    }
  }
  end_items(json, next, total);
  return {};
}

// A page of rows, and the devices that they are of.
template <class MakeRows, class WriteRow>
Expected<void> write_rows_of_devices(RequestContext& context, schema::JsonWriter& json,
                                     const AskedProfile& asked, MakeRows make_rows,
                                     WriteRow write_row) {
  BENCHHUD_TRY(write_rows(context, json, asked, make_rows, write_row));
  json.key("devices");
  json.begin_array();
  if (asked.profile) write_devices(json, *asked.profile);
  json.end_array();
  json.field("cannot_tell", asked.profile ? std::nullopt : std::optional(kNoProfile));
  json.end_object();
  return {};
}

void end_memory(schema::JsonWriter& json, std::int64_t left_out,
                const std::optional<std::string_view>& cannot_tell) {
  json.field("left_out", left_out);
  json.field("cannot_tell", cannot_tell);
  json.end_object();
}

Expected<void> write_memory(RequestContext& context, schema::JsonWriter& json,
                            const AskedProfile& asked) {
  BENCHHUD_TRY(write_rows(
      context, json, asked,
      [](const XlaProfile& profile) -> const auto& { return profile.allocators; },
      [](ProfileRows& writer, const trace::XlaAllocator& allocator) {
        return writer.write_allocator(allocator);
      }));
  const bool is_empty = asked.profile->allocators.empty();
  end_memory(json, asked.profile->allocators_left_out,
             is_empty ? std::optional(kNoAllocations) : std::nullopt);
  return {};
}

// The same of a trace that is no XPlane profile.
Expected<void> write_memory_of_devices(RequestContext& context, schema::JsonWriter& json,
                                       const AskedProfile& asked) {
  BENCHHUD_ASSIGN(const auto digest, digest_of_trace(context, asked.trace));
  const trace::MemoryByDevice memory = digest ? digest->iterations.memory : trace::MemoryByDevice();
  const auto& devices = memory.devices;
  const std::size_t end = std::min(devices.size(), asked.first + context.query.size("limit"));
  begin_page(json);
  for (std::size_t i = asked.first; i < end; ++i) {
    const trace::DeviceMemory& of = devices[i];
    write_memory_row(json,
                     {.name = name_of_device(of),
                      .allocations = of.allocations,
                      .deallocations = of.deallocations,
                      .peak = of.peak_allocated,
                      .peak_time = of.peak_time,
                      .peak_reserved = of.peak_reserved},
                     asked.trace.info.origin);
  }
  std::optional<std::string> next;
  if (end < devices.size()) {
    next = make_cursor(cursor_scope(context), {static_cast<std::int64_t>(end)});
  }
  end_items(json, next, static_cast<std::int64_t>(devices.size()));
  std::optional<std::string_view> cannot_tell;
  if (devices.empty()) {
    cannot_tell = !digest ? kOlderDigest : memory.is_empty() ? kNoMemory : kNoDeviceOfMemory;
  }
  end_memory(json, memory.events_left_out, cannot_tell);
  return {};
}

Expected<ResponsePlan> list_operators(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedProfile asked, asked_device(context));
  const std::string by = context.query.text("by");
  const auto found = std::find(analysis::kXlaGroupings.begin(), analysis::kXlaGroupings.end(), by);
  const auto grouping = static_cast<analysis::XlaGrouping>(found - analysis::kXlaGroupings.begin());
  return trace_plan(context, asked.trace, [&context, asked, grouping](schema::JsonWriter& json) {
    return write_rows_of_devices(
        context, json, asked,
        [&](const XlaProfile& profile) {
          return analysis::xla_table(profile, grouping, asked.device);
        },
        [](ProfileRows& writer, const XlaTableRow& row) { return writer.write_operator(row); });
  });
}

Expected<ResponsePlan> list_kernels(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedProfile asked, asked_device(context));
  return trace_plan(context, asked.trace, [&context, asked](schema::JsonWriter& json) {
    return write_rows_of_devices(
        context, json, asked,
        [&](const XlaProfile& profile) { return analysis::xla_kernels(profile, asked.device); },
        [](ProfileRows& writer, const trace::XlaKernel& kernel) {
          return writer.write_kernel(kernel);
        });
  });
}

Expected<ResponsePlan> list_memory(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedProfile asked, asked_profile(context));
  if (asked.profile) {
    return trace_plan(context, asked.trace, [&context, asked](schema::JsonWriter& json) {
      return write_memory(context, json, asked);
    });
  }
  // A digest is renewed while its trace stays.
  return ResponsePlan{revision_key(context) + asked.trace.key,
                      [&context, asked](schema::JsonWriter& json) {
                        return write_memory_of_devices(context, json, asked);
                      }};
}

}  // namespace

std::span<const NamedRoute> trace_xla_routes() {
  static constexpr std::array routes = {NamedRoute{"listTraceOperators", list_operators},
                                        NamedRoute{"listTraceKernels", list_kernels},
                                        NamedRoute{"listTraceMemory", list_memory}};
  return routes;
}

}  // namespace benchhud::server
