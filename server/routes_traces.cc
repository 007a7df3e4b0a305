// Stored traces: their threads, what there is to draw of a window, one slice.
#include <algorithm>
#include <array>
#include <map>

#include "analysis/time_totals.h"
#include "schema/trace_lookup.h"
#include "schema/trace_tiles.h"
#include "server/route_parts.h"

namespace benchhud::server {
namespace {

using analysis::difference_of;
using analysis::sum_of;
using schema::Expected;
using schema::SliceId;
using schema::TraceId;
using schema::TraceLookup;

// Of a stored trace nothing ever changes.
constexpr const char* kUnchanging = "stored";

// Times on the trace's own clock are counted from its first slice: nanoseconds since 1970 are
// beyond what a browser's numbers hold exactly.
struct Asked {
  TraceId id{};
  schema::TraceInfo info;
};

Expected<Asked> asked_trace(Ask& ask) {
  const TraceId id{ask.query.integer("id")};
  auto info = TraceLookup(ask.reader().connection(), id).info();
  if (!info) {
    ask.wrong_parameter = "id";
    return std::move(info).error();
  }
  return Asked{id, *info};
}

void write_thread(JsonWriter& json, const schema::StoredThread& thread, std::int64_t origin) {
  json.begin_object();
  json.field("thread", thread.number);
  json.field("pid", thread.thread.pid);
  json.field("tid", thread.thread.tid);
  json.field("process_name", thread.thread.process_name);
  json.field("name", thread.thread.name);
  json.field("process_sort_index", thread.thread.process_sort_index);
  json.field("thread_sort_index", thread.thread.thread_sort_index);
  json.field("slices", thread.slices);
  json.field("rows", thread.rows);
  const auto relative = [&](const std::optional<std::int64_t>& time) {
    return time ? std::optional(difference_of(*time, origin)) : std::nullopt;
  };
  json.field("begin", relative(thread.begin));
  json.field("end", relative(thread.end));
  json.end_object();
}

Expected<std::string> write_trace(Ask& ask, const Asked& asked) {
  const schema::TraceInfo& info = asked.info;
  BENCHHUD_ASSIGN(const auto threads, TraceLookup(ask.reader().connection(), asked.id).threads());
  std::string body;
  JsonWriter json(&body);
  json.begin_object();
  json.field("id", to_int(asked.id));
  json.field("byte_count", info.byte_count);
  json.field("origin", std::to_string(info.origin));
  json.field("base_time", info.base_time != 0 ? std::optional(std::to_string(info.base_time))
                                              : std::optional<std::string>());
  json.field("events", info.events);
  json.field("slices", info.slices);
  json.field("points", info.points);
  json.field("flows", info.flows);
  json.field("problem_count", info.problem_count);
  json.key("threads");
  json.list(threads,
            [&](const schema::StoredThread& thread) { write_thread(json, thread, info.origin); });
  json.end_object();
  return body;
}

Expected<Plan> get_trace(Ask& ask) {
  BENCHHUD_ASSIGN(const Asked asked, asked_trace(ask));
  return Plan{kUnchanging, [&ask, asked] { return write_trace(ask, asked); }};
}

void write_item(JsonWriter& json, const schema::TileItem& item, std::int64_t origin) {
  json.begin_array();
  json.value(difference_of(item.begin, origin));
  json.value(difference_of(item.end, origin));
  json.value(item.count);
  json.value(item.busy);
  json.value(item.label);
  json.value(item.reaches_in);
  json.value(item.slice.chunk);
  json.value(item.slice.index);
  json.end_array();
}

Expected<std::string> write_tile(Ask& ask, const Asked& asked, const schema::TileQuery& query) {
  BENCHHUD_ASSIGN(const schema::Tile tile,
                  schema::TileReader(ask.reader().connection(), asked.id).tile(query));
  TraceLookup lookup(ask.reader().connection(), asked.id);
  std::map<std::uint32_t, schema::LabelText> labels;
  std::string body;
  JsonWriter json(&body);
  json.begin_object();
  json.field("bucket", tile.bucket);
  json.field("count", tile.count);
  json.key("rows");
  json.begin_array();
  for (const schema::TileRow& row : tile.rows) {
    json.begin_object();
    json.field("row", row.row);
    json.key("items");
    json.begin_array();
    for (const schema::TileItem& item : row.items) {
      write_item(json, item, asked.info.origin);
      if (!labels.count(item.label)) {
        BENCHHUD_ASSIGN(labels[item.label], lookup.label(item.label));
      }
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("labels");
  json.list(labels, [&](const auto& item) {
    const auto& [number, label] = item;
    json.begin_object();
    json.field("label", number);
    json.field("name", label.name);
    json.field("category", label.category);
    json.end_object();
  });
  json.end_object();
  return body;
}

Expected<Plan> get_tile(Ask& ask) {
  BENCHHUD_ASSIGN(const Asked asked, asked_trace(ask));
  const Query& request = ask.query;
  schema::TileQuery query;
  query.thread = static_cast<std::uint32_t>(request.integer("thread"));
  query.begin = sum_of(asked.info.origin, request.integer("begin"));
  query.end = sum_of(asked.info.origin, request.integer("end"));
  query.buckets = static_cast<std::uint32_t>(request.integer("buckets"));
  if (query.end <= query.begin) {
    return wrong_parameter(ask, "end", "A window ends after it begins.");
  }
  return Plan{kUnchanging, [&ask, asked, query] { return write_tile(ask, asked, query); }};
}

void write_placed(JsonWriter& json, const schema::PlacedSlice& placed,
                  const schema::LabelText& label, std::int64_t origin) {
  json.field("name", label.name);
  json.field("category", label.category);
  json.field("thread", placed.id.thread);
  json.field("chunk", placed.id.chunk);
  json.field("index", placed.id.index);
  json.field("row", placed.slice.row);
  json.field("begin", difference_of(placed.slice.begin, origin));
  json.field("duration", placed.slice.duration);
}

Expected<std::string> write_slice(Ask& ask, const Asked& asked, SliceId id) {
  TraceLookup lookup(ask.reader().connection(), asked.id);
  auto details = lookup.details(id);
  if (!details) {
    ask.wrong_parameter = "index";
    return std::move(details).error();
  }
  BENCHHUD_ASSIGN(const auto parents, lookup.parents(id));
  const auto or_null = [](std::int64_t number) {
    return number == schema::TraceArgs::kAbsent ? std::nullopt : std::optional(number);
  };
  std::string body;
  JsonWriter json(&body);
  json.begin_object();
  write_placed(json, details->placed, details->label, asked.info.origin);
  json.field("correlation", or_null(details->extra.args.correlation));
  json.field("external_id", or_null(details->extra.args.external_id));
  json.field("sequence_number", or_null(details->extra.args.sequence));
  json.field("arguments", details->arguments);
  json.key("parents");
  json.begin_array();
  for (const schema::PlacedSlice& parent : parents) {
    BENCHHUD_ASSIGN(const schema::LabelText label, lookup.label(parent.slice.label));
    json.begin_object();
    write_placed(json, parent, label, asked.info.origin);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return body;
}

Expected<Plan> get_slice(Ask& ask) {
  BENCHHUD_ASSIGN(const Asked asked, asked_trace(ask));
  const SliceId id{static_cast<std::uint32_t>(ask.query.integer("thread")),
                   static_cast<std::uint64_t>(ask.query.integer("chunk")),
                   static_cast<std::uint32_t>(ask.query.integer("index"))};
  return Plan{kUnchanging, [&ask, asked, id] { return write_slice(ask, asked, id); }};
}

constexpr std::array kRoutes = {NamedRoute{"getTrace", get_trace},
                                NamedRoute{"getTraceTile", get_tile},
                                NamedRoute{"getTraceSlice", get_slice}};

}  // namespace

std::span<const NamedRoute> trace_routes() { return kRoutes; }

}  // namespace benchhud::server
