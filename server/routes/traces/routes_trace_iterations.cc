// Iterations of a stored profile, of whatever form, one by one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/iterations/iteration_profile.h"
#include "analysis/trace/time_totals.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"

namespace benchhud::server {
namespace {

using analysis::IterationPart;
using analysis::IterationProfile;
using analysis::IterationTimes;
using schema::Expected;

constexpr std::string_view kNothingMarks =
    "Nothing in the profile shows where an iteration begins or ends.";
constexpr std::string_view kOlder =
    "An older version stored the profile: its iterations are not known.";

IterationPart part_at(std::size_t place) { return static_cast<IterationPart>(place); }

void write_iteration(schema::JsonWriter& json, std::size_t number, const IterationTimes& one,
                     std::int64_t origin) {
  json.begin_object();
  json.field("number", number);
  json.field("start_ns", analysis::difference_of(one.begin, origin));
  json.field("duration_ns", one.duration);
  json.field("device_busy_ns", one.busy);
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    json.field(fmt::format("{}_ns", name_of(part_at(i))), one.parts[i]);
  }
  json.end_object();
}

void write_parts(schema::JsonWriter& json, const IterationProfile* profile) {
  json.begin_array();
  for (std::size_t i = 0; i < analysis::kIterationParts; ++i) {
    std::optional<std::string_view> unknown;
    if (!profile) {
      unknown = kOlder;
    } else if (!profile->parts[i].unknown.empty()) {
      unknown = profile->parts[i].unknown;
    }
    json.begin_object();
    json.field("name", name_of(part_at(i)));
    json.field("meaning", iteration_part_definition(part_at(i)));
    json.field("unknown", unknown);
    json.end_object();
  }
  json.end_array();
}

Expected<void> write_iterations(RequestContext& context, schema::JsonWriter& json,
                                const AskedTrace& asked, std::size_t first) {
  BENCHHUD_ASSIGN(const auto digest, digest_of_trace(context, asked));
  const IterationProfile profile = digest ? digest->iterations : IterationProfile();
  const auto& iterations = profile.iterations;
  const std::size_t end = std::min(iterations.size(), first + context.query.size("limit"));
  begin_page(json);
  for (std::size_t i = first; i < end; ++i) {
    write_iteration(json, i + 1, iterations[i], asked.info.origin);
  }
  std::optional<std::string> next;
  if (end < iterations.size()) {
    next = make_cursor(cursor_scope(context), {static_cast<std::int64_t>(end)});
  }
  // Where nothing marks iterations, how many there were is unknown: that is no 0.
  const bool is_marked = profile.count > 0;
  end_items(json, next, is_marked ? std::optional(profile.count) : std::nullopt);
  json.field("kept", is_marked ? std::optional(iterations.size()) : std::nullopt);
  json.field("found_by", is_marked ? std::optional(profile.found_by) : std::nullopt);
  json.field("busy_unknown",
             is_marked && !profile.busy ? std::optional(profile.busy_unknown) : std::nullopt);
  json.key("parts");
  write_parts(json, digest ? &profile : nullptr);
  std::optional<std::string_view> cannot_tell;
  if (!is_marked) cannot_tell = digest ? kNothingMarks : kOlder;
  json.field("cannot_tell", cannot_tell);
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_iterations(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const auto cursor, asked_cursor(context, 1));
  if (cursor && cursor->numbers[0] < 0) {
    return wrong_parameter(context, "cursor", "It is no cursor.");
  }
  const std::size_t first = cursor ? static_cast<std::size_t>(cursor->numbers[0]) : 0;
  return ResponsePlan{revision_key(context) + asked.key,
                      [&context, asked, first](schema::JsonWriter& json) {
                        return write_iterations(context, json, asked, first);
                      }};
}

}  // namespace

std::span<const NamedRoute> trace_iteration_routes() {
  static constexpr std::array routes = {NamedRoute{"listTraceIterations", list_iterations}};
  return routes;
}

}  // namespace benchhud::server
