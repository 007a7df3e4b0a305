#include "server/routes/traces/trace_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <limits>
#include <utility>

#include "analysis/kernels/kernel_rules.h"
#include "analysis/trace/label_class.h"
#include "analysis/trace/time_totals.h"
#include "schema/base/content_hash.h"
#include "service/imports/dropped_trace_import.h"
#include "trace/dropped_trace.h"
#include "trace/short_name.h"
#include "trace/trace_derived.h"
#include "trace/trace_device.h"
#include "trace/trace_finding.h"

namespace benchhud::server {

using schema::Expected;

trace::TokenId token_of(const RequestContext& context) {
  return context.who.token ? trace::TokenId(context.who.token->id) : std::nullopt;
}

schema::Error no_trace(schema::TraceId id) {
  return {schema::ErrorCode::kNotFound, fmt::format("there is no trace {}", to_int(id))};
}

schema::Error without_place(schema::Error error) {
  error.message =
      "The place where the trace is kept cannot be used now. Who is signed in is told why, and so "
      "is who runs `benchhud doctor`.";
  return error;
}

schema::Error as_told(RequestContext& context, schema::Error error) {
  if (context.who.token) return error;
  const auto place = trace::trace_place(context.reader().connection());
  const bool names_the_place =
      place && *place && error.message.find((*place)->address) != std::string::npos;
  if (error.code == schema::ErrorCode::kCorrupt) {
    // It is of this trace's pack alone, which it names.
    if (names_the_place) boost::replace_all(error.message, (*place)->address, "the place");
    return error;
  }
  const bool names_a_file =
      error.code == schema::ErrorCode::kIo || error.code == schema::ErrorCode::kFull;
  if (names_a_file || names_the_place) return without_place(std::move(error));
  return error;
}

Expected<AskedTrace> asked_trace(RequestContext& context) {
  AskedTrace trace;
  trace.id = schema::TraceId{context.query.integer("id")};
  auto opened =
      trace::OpenTrace::open(context.reader().connection(), trace.id, trace::PackWait::kShort);
  if (!opened) return as_told(context, std::move(opened).error());
  trace.data = *std::move(opened);
  auto info = trace::TraceQueries(trace.data.database(), trace.data.number()).info();
  if (!info) {
    context.wrong_parameter = "id";
    return std::move(info).error();
  }
  BENCHHUD_ASSIGN(const bool may_see, trace::may_see_trace(context.reader().connection(), trace.id,
                                                           token_of(context), context.now));
  if (!may_see) {
    context.wrong_parameter = "id";
    return no_trace(trace.id);
  }
  BENCHHUD_ASSIGN(context.is_private,
                  trace::is_only_dropped(context.reader().connection(), trace.id));
  trace.info = *std::move(info);
  constexpr std::size_t kKeyDigits = 16;
  // What is answered of a trace hangs on our rules as well, and on the team's: classes of names,
  // kinds of flows. Where tracks were derived since, the origin may be another one.
  std::string tracks = trace.info.has_async_tracks ? " async" : "";
  if (trace.info.has_derived_tracks)
    tracks += fmt::format(" derived {}", trace::kDerivedTracksVersion);
  trace.key = schema::content_hash(trace.info.content.hex()
                                       .append(context.version)
                                       .append(tracks)
                                       .append(analysis::kernel_rules().own_text()))
                  .hex()
                  .substr(0, kKeyDigits);
  if (context.query.has("key") && context.query.text("key") != trace.key) {
    context.wrong_parameter = "key";
    return schema::Error{schema::ErrorCode::kNotFound,
                         "The key is stale: another trace has this id now."};
  }
  return trace;
}

Expected<std::string> derived_key(const RequestContext& context, const AskedTrace& trace) {
  schema::Connection& database = trace.data.database();
  const schema::TraceId number = trace.data.number();
  BENCHHUD_ASSIGN(const auto index, trace::TraceIndex::open(database, number));
  BENCHHUD_ASSIGN(const auto devices, trace::trace_devices(database, number));
  BENCHHUD_ASSIGN(const auto kinds, trace::trace_finding_kinds(database, number));
  std::string key = revision_key(context) + trace.key;
  if (index) key += " indexed";
  if (devices) key += fmt::format(" {} devices", devices->size());
  for (const trace::FindingKind& kind : kinds) key += fmt::format(" {} {}", kind.count, kind.kind);
  return key;
}

ResponsePlan trace_plan(const RequestContext& context, const AskedTrace& trace,
                        std::variant<WriteJson, MakeText> body) {
  ResponsePlan plan{trace.key, std::move(body)};
  plan.is_immutable = context.query.has("key");
  return plan;
}

Expected<AskedWindow> asked_window(RequestContext& context, const AskedTrace& trace) {
  AskedWindow window;
  window.begin = context.query.has("begin")
                     ? analysis::sum_of(trace.info.origin, context.query.integer("begin"))
                     : std::numeric_limits<std::int64_t>::min();
  window.end = context.query.has("end")
                   ? analysis::sum_of(trace.info.origin, context.query.integer("end"))
                   : std::numeric_limits<std::int64_t>::max();
  if (window.begin < window.end) return window;
  return wrong_parameter(context, "end", "A window ends after it begins.");
}

Expected<std::optional<service::TraceDigest>> digest_of_trace(RequestContext& context,
                                                              const AskedTrace& trace) {
  schema::Connection& connection = context.reader().connection();
  BENCHHUD_ASSIGN(const auto artifact, trace::dump_of_trace(connection, trace.id));
  if (!artifact) {
    if (!context.who.token) return std::optional<service::TraceDigest>();
    return service::digest_of_dropped(connection, trace.id, context.who.token->id, context.now);
  }
  BENCHHUD_ASSIGN(const schema::Artifact dump, context.reader().artifact(*artifact));
  return service::digest_of(context.reader(), dump);
}

Expected<trace::TraceIndex> asked_index(const AskedTrace& trace) {
  BENCHHUD_ASSIGN(const auto index,
                  trace::TraceIndex::open(trace.data.database(), trace.data.number()));
  if (index) return *index;
  return schema::Error{schema::ErrorCode::kBusy,
                       "The trace is not indexed yet. A server that may write to the store does it "
                       "soon after it starts; "
                       "`benchhud rebuild` does it at once."};
}

Expected<void> write_placed(schema::JsonWriter& json, trace::TraceQueries& lookup,
                            const trace::PlacedSlice& placed, std::int64_t origin) {
  BENCHHUD_ASSIGN(const trace::LabelText label, lookup.label(placed.slice.label));
  json.begin_object();
  write_placed_fields(json, placed, label, origin);
  json.end_object();
  return {};
}

void write_placed_fields(schema::JsonWriter& json, const trace::PlacedSlice& placed,
                         const trace::LabelText& label, std::int64_t origin) {
  json.field("name", label.name);
  json.field("category", label.category);
  json.field("thread", placed.id.thread);
  json.field("chunk", placed.id.chunk);
  json.field("index", placed.id.index);
  json.field("row", placed.slice.row);
  json.field("begin", analysis::difference_of(placed.slice.begin, origin));
  json.field("duration", placed.slice.duration);
}

void write_label(schema::JsonWriter& json, std::uint32_t number, const trace::LabelText& text,
                 const trace::SliceSums* sums) {
  json.begin_object();
  json.field("label", number);
  json.field("name", trace::short_name(text.name));
  json.field("category", trace::short_name(text.category));
  json.field("class", analysis::label_class(text).name);
  json.field("count", sums ? std::optional(sums->count) : std::nullopt);
  json.field("total_ns", sums ? std::optional(sums->total) : std::nullopt);
  json.end_object();
}

Expected<std::vector<service::TrackBand>> asked_tracks(RequestContext& context,
                                                       std::string_view name, std::size_t limit,
                                                       bool bands) {
  auto tracks = service::read_track_list(context.query.text(name), name, limit, bands);
  if (!tracks) return wrong_parameter(context, name, tracks.error().message);
  return tracks;
}

Expected<std::vector<std::uint32_t>> asked_numbers(RequestContext& context, std::string_view name,
                                                   std::size_t limit) {
  BENCHHUD_ASSIGN(const auto tracks, asked_tracks(context, name, limit, false));
  std::vector<std::uint32_t> numbers;
  for (const service::TrackBand& each : tracks) numbers.push_back(each.track);
  return numbers;
}

Expected<TrackFilter> asked_track_filter(RequestContext& context) {
  if (!context.query.has("tracks")) return TrackFilter();
  BENCHHUD_ASSIGN(auto tracks, asked_numbers(context, "tracks", service::kMostTracksListed));
  return TrackFilter(std::move(tracks));
}

}  // namespace benchhud::server
