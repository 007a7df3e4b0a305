// Stored traces: their threads, what there is to draw of a window, one slice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/trace/label_class.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/truncate_rows.h"
#include "schema/base/column_codec.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "service/imports/dropped_trace_import.h"
#include "service/traces/launch_origin.h"
#include "service/traces/trace_digest.h"
#include "trace/dropped_trace.h"
#include "trace/short_name.h"
#include "trace/trace_counters.h"
#include "trace/trace_device.h"
#include "trace/trace_finding.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"
#include "trace/trace_tiles.h"
#include "views/answers.h"
#include "views/trace_tile_bytes.h"

namespace benchhud::server {
namespace {

using analysis::difference_of;
using analysis::sum_of;
using schema::Expected;
using trace::SliceId;
using trace::TraceQueries;

// Threads that an answer lists. A hostile file has hundreds of thousands.
constexpr std::size_t kMostTracks = 10'000;
// Of so many it is found out on which side they ran, where that was not noted before.
constexpr std::size_t kMostTracksLookedAt = 1000;

// Where slices of these labels ran.
template <class Labels, class LabelOf>
Expected<analysis::TrackSide> side_of(TraceQueries* lookup, const Labels& labels,
                                      LabelOf label_of) {
  analysis::TrackSide side = analysis::TrackSide::kOther;
  for (const auto& each : labels) {
    BENCHHUD_ASSIGN(const trace::LabelText label, lookup->label(label_of(each)));
    side = std::max(side, analysis::label_class(label).side);
    if (side == analysis::TrackSide::kDevice) break;
  }
  return side;
}

// What there is to say of a thread beside what is stored with it.
struct TrackFacts {
  analysis::TrackSide side = analysis::TrackSide::kOther;
  std::optional<std::int64_t> points, busy;
};

// By the labels that stand out when all of a thread is looked at from afar.
Expected<TrackFacts> facts_without_index(trace::TileReader* tiles, TraceQueries* lookup,
                                         const trace::StoredThread& thread) {
  TrackFacts facts;
  if (!thread.begin) return facts;
  constexpr std::uint32_t kParts = 64;
  BENCHHUD_ASSIGN(const trace::Tile tile, tiles->tile({.thread = thread.number,
                                                       .begin = *thread.begin,
                                                       .end = sum_of(*thread.end, 1),
                                                       .buckets = kParts,
                                                       .last_row = trace::kRowsABand - 1}));
  std::set<std::uint32_t> labels;
  for (const trace::TileRow& row : tile.rows) {
    for (const trace::TileItem& item : row.items) labels.insert(item.label);
  }
  BENCHHUD_ASSIGN(facts.side, side_of(lookup, labels, [](std::uint32_t label) { return label; }));
  return facts;
}

using FactsOfTracks = std::map<std::uint32_t, TrackFacts>;

Expected<FactsOfTracks> indexed_facts(TraceQueries* lookup, const trace::TraceIndex& index) {
  FactsOfTracks facts;
  BENCHHUD_ASSIGN(const auto tracks, index.tracks());
  for (const trace::IndexedTrack& track : tracks) {
    TrackFacts& of_track = facts[track.thread];
    of_track.points = track.points;
    of_track.busy = track.busy;
    BENCHHUD_ASSIGN(of_track.side, side_of(lookup, track.sums, [](const trace::LabelSums& each) {
                      return each.label;
                    }));
  }
  return facts;
}

void write_thread(schema::JsonWriter& json, const trace::StoredThread& thread,
                  const TrackFacts& facts, std::int64_t origin) {
  json.begin_object();
  json.field("thread", thread.number);
  json.field("pid", thread.thread.pid);
  json.field("tid", thread.thread.tid);
  json.field("process_name", thread.thread.process_name);
  json.field("process_labels", thread.thread.process_labels);
  json.field("name", thread.thread.name);
  json.field("process_sort_index", thread.thread.process_sort_index);
  json.field("thread_sort_index", thread.thread.thread_sort_index);
  json.field("is_async", thread.is_async);
  json.field("is_derived", thread.is_derived);
  json.field("side", analysis::track_side_name(facts.side));
  json.field("slices", thread.slices);
  json.field("points", facts.points);
  json.field("rows", thread.rows);
  json.field("busy", facts.busy);
  const auto relative = [&](const std::optional<std::int64_t>& time) {
    return time ? std::optional(difference_of(*time, origin)) : std::nullopt;
  };
  json.field("begin", relative(thread.begin));
  json.field("end", relative(thread.end));
  json.end_object();
}

// Keeps those with the most slices, in their order; before all others those that stand for devices.
// Returns how many were left out.
std::int64_t keep_fullest(std::vector<trace::StoredThread>* threads, std::size_t most,
                          const std::optional<std::vector<trace::TraceDevice>>& devices) {
  std::set<std::uint32_t> of_devices;
  if (devices) {
    for (const trace::TraceDevice& device : *devices) of_devices.insert(device.thread);
  }
  const auto rank = [&](const trace::StoredThread& thread) {
    return std::tuple(of_devices.count(thread.number), !thread.is_derived, thread.slices);
  };
  std::stable_sort(threads->begin(), threads->end(),
                   [&](const auto& a, const auto& b) { return rank(a) > rank(b); });
  const std::int64_t left_out = analysis::truncate_rows(threads, most);
  std::sort(threads->begin(), threads->end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return left_out;
}

Expected<void> write_flow_kinds(schema::JsonWriter& json, const trace::TraceIndex* index) {
  std::vector<trace::FlowKindCount> kinds;
  if (index != nullptr) {
    BENCHHUD_ASSIGN(kinds, index->flow_kinds());
  }
  json.key("flow_kinds");
  json.list(kinds, [&](const trace::FlowKindCount& kind) {
    json.begin_object();
    json.field("category", trace::short_name(kind.category));
    json.field("kind", analysis::flow_kind(kind.category));
    json.field("ends", kind.ends);
    json.end_object();
  });
  return {};
}

Expected<void> write_counters(schema::JsonWriter& json, const AskedTrace& asked) {
  BENCHHUD_ASSIGN(const auto counters,
                  trace::trace_counters(asked.data.database(), asked.data.number()));
  json.key("counters");
  json.list(counters, [&](const trace::TraceCounter& counter) {
    json.begin_object();
    json.field("number", counter.number);
    json.field("thread", counter.thread);
    json.field("name", trace::short_name(counter.name));
    json.field("key", trace::short_name(counter.key));
    json.field("min", counter.min);
    json.field("max", counter.max);
    json.field("count", counter.count);
    json.end_object();
  });
  return {};
}

// Of so many devices it is told how busy they were. A hostile file has as many as it has slices.
constexpr std::size_t kMostDevices = 1000;

Expected<void> write_devices(schema::JsonWriter& json, const AskedTrace& asked) {
  BENCHHUD_ASSIGN(auto devices, trace::trace_devices(asked.data.database(), asked.data.number()));
  const std::int64_t left_out =
      devices ? analysis::truncate_rows(&*devices, kMostDevices) : std::int64_t{0};
  json.key("devices");
  if (!devices) {
    json.null();
  } else {
    json.list(*devices, [&](const trace::TraceDevice& device) {
      json.begin_object();
      json.field("device", device.number);
      json.field("thread", device.thread);
      json.field("begin", difference_of(device.begin, asked.info.origin));
      json.field("end", difference_of(device.end, asked.info.origin));
      json.field("busy", device.busy);
      json.field("gaps", device.gaps);
      json.key("idle");
      json.begin_object();
      for (std::size_t i = 0; i < device.idle.size(); ++i) {
        json.field(trace::idle_cause_name(static_cast<trace::IdleCause>(i)), device.idle[i]);
      }
      json.end_object();
      json.end_object();
    });
  }
  json.field("devices_left_out", left_out);
  return {};
}

Expected<void> write_threads(schema::JsonWriter& json, const AskedTrace& asked,
                             const std::vector<trace::StoredThread>& threads,
                             const trace::TraceIndex* index) {
  TraceQueries lookup(asked.data.database(), asked.data.number());
  trace::TileReader tiles(asked.data.database(), asked.data.number());
  FactsOfTracks facts;
  if (index != nullptr) {
    BENCHHUD_ASSIGN(facts, indexed_facts(&lookup, *index));
  }
  // Of each process; derived tracks are behind the others.
  std::map<std::string_view, analysis::TrackSide> sides_of;
  json.key("threads");
  json.begin_array();
  for (std::size_t i = 0; i < threads.size(); ++i) {
    TrackFacts of_thread;
    if (index != nullptr) {
      of_thread = {.points = 0, .busy = 0};
      if (const auto found = facts.find(threads[i].number); found != facts.end()) {
        of_thread = found->second;
      }
    }
    if (threads[i].is_derived) {
      // They are no part of the index, and are of the process whose slices they repeat.
      of_thread = {.side = sides_of[threads[i].thread.pid], .points = 0, .busy = std::nullopt};
    } else if (index == nullptr && i < kMostTracksLookedAt) {
      BENCHHUD_ASSIGN(of_thread, facts_without_index(&tiles, &lookup, threads[i]));
    }
    analysis::TrackSide& of_process = sides_of[threads[i].thread.pid];
    of_process = std::max(of_process, of_thread.side);
    write_thread(json, threads[i], of_thread, asked.info.origin);
  }
  json.end_array();
  return {};
}

// Until when who asks has dropped the trace; none where they have not, or a dump is of it.
Expected<std::optional<double>> dropped_until(RequestContext& context, const AskedTrace& asked) {
  std::optional<double> until;
  if (!context.who.token) return until;
  schema::Connection& connection = context.reader().connection();
  BENCHHUD_ASSIGN(const auto dropped,
                  trace::dropped_traces(connection, context.who.token->id, context.now));
  for (const trace::DroppedTrace& each : dropped) {
    if (each.trace == asked.id) until = each.until;
  }
  if (!until) return until;
  BENCHHUD_ASSIGN(const auto artifact, trace::dump_of_trace(connection, asked.id));
  if (artifact) until.reset();
  return until;
}

Expected<void> write_trace(RequestContext& context, schema::JsonWriter& json,
                           const AskedTrace& asked, const std::optional<trace::TraceIndex>& index,
                           std::optional<double> until) {
  const trace::TraceInfo& info = asked.info;
  const trace::TraceIndex* indexed = index ? &*index : nullptr;
  TraceQueries lookup(asked.data.database(), asked.data.number());
  BENCHHUD_ASSIGN(auto threads, lookup.threads());
  // What older rules derived is not shown.
  const auto is_derived = std::mem_fn(&trace::StoredThread::is_derived);
  std::optional<std::int64_t> derived_tracks;
  if (info.has_derived_tracks) {
    derived_tracks = std::count_if(threads.begin(), threads.end(), is_derived);
  } else {
    std::erase_if(threads, is_derived);
  }
  BENCHHUD_ASSIGN(const auto artifact,
                  trace::dump_of_trace(context.reader().connection(), asked.id));
  std::int64_t end = 0;
  for (const trace::StoredThread& thread : threads) {
    if (thread.end) end = std::max(end, difference_of(*thread.end, info.origin));
  }
  BENCHHUD_ASSIGN(const auto devices,
                  trace::trace_devices(asked.data.database(), asked.data.number()));
  const std::int64_t left_out = keep_fullest(&threads, kMostTracks, devices);
  json.begin_object();
  json.field("id", to_int(asked.id));
  json.field("key", asked.key);
  json.field("artifact",
             artifact ? std::optional(to_int(*artifact)) : std::optional<std::int64_t>());
  json.key("dropped_until");
  if (until) {
    views::write_time(json, *until);
  } else {
    json.null();
  }
  json.field("byte_count", info.byte_count);
  json.field("origin", std::to_string(info.origin));
  json.field("base_time", info.base_time != 0 ? std::optional(std::to_string(info.base_time))
                                              : std::optional<std::string>());
  json.field("end", end);
  json.field("events", info.events);
  json.field("slices", info.slices);
  json.field("points", info.points);
  json.field("flows", info.flows);
  json.field("labels", info.labels);
  json.field("problem_count", info.problem_count);
  json.field("has_index", index.has_value());
  BENCHHUD_ASSIGN(const auto findings,
                  trace::trace_finding_kinds(asked.data.database(), asked.data.number()));
  json.field("findings", std::accumulate(findings.begin(), findings.end(), std::int64_t{0},
                                         [](std::int64_t sum, const trace::FindingKind& each) {
                                           return analysis::sum_of(sum, each.count);
                                         }));
  BENCHHUD_TRY(write_flow_kinds(json, indexed));
  BENCHHUD_TRY(write_counters(json, asked));
  json.field("counters_left_out",
             indexed != nullptr ? indexed->counters_left_out() : std::optional<std::int64_t>());
  json.field("tracks_left_out", left_out);
  json.field("derived_tracks", derived_tracks);
  BENCHHUD_TRY(write_devices(json, asked));
  BENCHHUD_TRY(write_threads(json, asked, threads, indexed));
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_trace(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const auto index,
                  trace::TraceIndex::open(asked.data.database(), asked.data.number()));
  // Which dump it belongs to may change, and what was noted about it.
  std::string key = revision_key(context) + asked.key;
  if (index) key += fmt::format("indexed {}", index->counters_left_out().value_or(-1));
  BENCHHUD_ASSIGN(const auto until, dropped_until(context, asked));
  if (until) key += fmt::format(" until {}", *until);
  return ResponsePlan{std::move(key), [&context, asked, index, until](schema::JsonWriter& json) {
                        return write_trace(context, json, asked, index, until);
                      }};
}

Expected<ResponsePlan> get_trace_report(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  return ResponsePlan{revision_key(context) + asked.key,
                      [&context, asked](schema::JsonWriter& json) -> Expected<void> {
                        BENCHHUD_ASSIGN(const auto digest, digest_of_trace(context, asked));
                        json.begin_object();
                        json.key("trace");
                        if (digest) {
                          json.raw(digest->report);
                        } else {
                          json.null();
                        }
                        json.end_object();
                        return {};
                      }};
}

Expected<void> write_labels(RequestContext& context, schema::JsonWriter& json,
                            const AskedTrace& asked,
                            const std::optional<trace::TraceIndex>& index) {
  const auto block = static_cast<std::uint64_t>(context.query.integer("block"));
  const std::uint64_t first = block * trace::kLabelsASumsBlock;
  const std::uint64_t end =
      std::min(first + trace::kLabelsASumsBlock, static_cast<std::uint64_t>(asked.info.labels));
  TraceQueries lookup(asked.data.database(), asked.data.number());
  std::vector<trace::LabelTotals> totals;
  if (index) {
    BENCHHUD_ASSIGN(totals, index->labels(block));
  }
  json.begin_object();
  json.key("items");
  json.begin_array();
  for (std::uint64_t i = first; i < end; ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    BENCHHUD_ASSIGN(const trace::LabelText label, lookup.label(number));
    write_label(json, number, label, i - first < totals.size() ? &totals[i - first].sums : nullptr);
  }
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_labels(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const auto index,
                  trace::TraceIndex::open(asked.data.database(), asked.data.number()));
  ResponsePlan plan =
      trace_plan(context, asked, [&context, asked, index](schema::JsonWriter& json) {
        return write_labels(context, json, asked, index);
      });
  // Sums are still to come.
  if (!index) plan.key += " not indexed";
  plan.is_immutable &= index.has_value();
  return plan;
}

void write_item(schema::JsonWriter& json, const trace::TileItem& item, std::int64_t origin) {
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

Expected<void> write_tile(schema::JsonWriter& json, const AskedTrace& asked,
                          const trace::TileQuery& query) {
  BENCHHUD_ASSIGN(const trace::Tile tile,
                  trace::TileReader(asked.data.database(), asked.data.number()).tile(query));
  TraceQueries lookup(asked.data.database(), asked.data.number());
  std::map<std::uint32_t, trace::LabelText> labels;
  json.begin_object();
  json.field("bucket", tile.bucket);
  json.field("count", tile.count);
  json.key("rows");
  json.begin_array();
  for (const trace::TileRow& row : tile.rows) {
    json.begin_object();
    json.field("row", row.row);
    json.key("items");
    json.begin_array();
    for (const trace::TileItem& item : row.items) {
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
  return {};
}

Expected<ResponsePlan> get_tile(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  const Query& request = context.query;
  trace::TileQuery query;
  query.thread = static_cast<std::uint32_t>(request.integer("thread"));
  query.begin = sum_of(asked.info.origin, request.integer("begin"));
  query.end = sum_of(asked.info.origin, request.integer("end"));
  query.buckets = static_cast<std::uint32_t>(request.integer("buckets"));
  if (query.end <= query.begin) {
    return wrong_parameter(context, "end", "A window ends after it begins.");
  }
  return trace_plan(context, asked, [asked, query](schema::JsonWriter& json) {
    return write_tile(json, asked, query);
  });
}

// The window of a level's tiles: parts of 2^level ns, so many of them.
constexpr int kPartsShift = 10;

// The tile's window on the trace's own clock; nothing where no time is that late.
std::optional<trace::TileQuery> window_of(std::int64_t origin, int level, std::uint64_t index) {
  constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();
  const int shift = level + kPartsShift;
  const std::uint64_t most = schema::distance(origin, kLatest);
  if (index > most >> shift) return {};
  trace::TileQuery query;
  query.begin = schema::wrapping_sum(origin, static_cast<std::int64_t>(index << shift));
  const std::uint64_t width =
      std::min(std::uint64_t{1} << shift, schema::distance(query.begin, kLatest));
  query.end = schema::wrapping_sum(query.begin, static_cast<std::int64_t>(width));
  query.buckets = 1U << kPartsShift;
  if (width == 0) return {};
  return query;
}

Expected<std::string> write_tiles(RequestContext& context, const AskedTrace& asked,
                                  const std::vector<service::TrackBand>& tracks) {
  const std::optional<trace::TileQuery> window =
      window_of(asked.info.origin, static_cast<int>(context.query.integer("level")),
                static_cast<std::uint64_t>(context.query.integer("index")));
  trace::TileReader reader(asked.data.database(), asked.data.number());
  views::TileBytes bytes(tracks.size());
  for (const service::TrackBand& each : tracks) {
    trace::Tile tile;
    if (window) {
      trace::TileQuery query = *window;
      query.thread = each.track;
      query.first_row = each.band * trace::kRowsABand;
      query.last_row = query.first_row + trace::kRowsABand - 1;
      BENCHHUD_ASSIGN(tile, reader.tile(query));
    }
    bytes.put(each.track, each.band, window ? window->begin : 0, tile);
  }
  return bytes.bytes();
}

Expected<ResponsePlan> get_tiles(RequestContext& context) {
  constexpr std::size_t kMostTiles = 16;
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const auto tracks, asked_tracks(context, "tracks", kMostTiles, true));
  ResponsePlan plan = trace_plan(
      context, asked, [&context, asked, tracks] { return write_tiles(context, asked, tracks); });
  plan.content_type = "application/octet-stream";
  // The browser keeps them. Here, an hour's looking at one trace would push all else out.
  plan.is_worth_keeping = false;
  return plan;
}

Expected<void> write_flow_end(schema::JsonWriter& json, TraceQueries& lookup,
                              const trace::PlacedFlow& end, std::string_view direction,
                              std::int64_t origin) {
  BENCHHUD_ASSIGN(const std::string category, lookup.text(end.flow.category));
  BENCHHUD_ASSIGN(const auto slice, lookup.innermost_at(end.flow.thread, end.flow.time));
  json.begin_object();
  json.field("direction", direction);
  json.field("kind", analysis::flow_kind(category));
  json.field("category", trace::short_name(category));
  json.field("number", end.number);
  json.field("thread", end.flow.thread);
  json.field("time", difference_of(end.flow.time, origin));
  json.key("slice");
  if (slice) {
    BENCHHUD_TRY(write_placed(json, lookup, *slice, origin));
  } else {
    json.null();
  }
  json.end_object();
  return {};
}

// Where the arrows lead that end on a slice, and where they come from.
Expected<void> write_flows(schema::JsonWriter& json, TraceQueries& lookup, const SliceId& id,
                           std::int64_t origin) {
  constexpr std::size_t kMostEnds = 100;
  BENCHHUD_ASSIGN(const auto ends, lookup.flows_on(id, kMostEnds));
  json.key("flows");
  json.begin_array();
  for (const trace::PlacedFlow& end : ends.events) {
    BENCHHUD_ASSIGN(const auto before, lookup.flow_before(end));
    if (before) BENCHHUD_TRY(write_flow_end(json, lookup, *before, "back", origin));
    BENCHHUD_ASSIGN(const auto after, lookup.flow_after(end));
    if (after) BENCHHUD_TRY(write_flow_end(json, lookup, *after, "forward", origin));
  }
  json.end_array();
  json.field("flows_are_cut", ends.is_cut);
  return {};
}

Expected<void> write_placed_or_null(schema::JsonWriter& json, std::string_view key,
                                    TraceQueries& lookup,
                                    const std::optional<trace::PlacedSlice>& slice,
                                    std::int64_t origin) {
  json.key(key);
  if (slice) return write_placed(json, lookup, *slice, origin);
  json.null();
  return {};
}

// What launched a slice of a device, and what for.
Expected<void> write_origin(schema::JsonWriter& json, const AskedTrace& asked, TraceQueries& lookup,
                            const trace::SliceDetails& slice) {
  json.key("launched_by");
  if (!service::has_launch_origin(slice.label)) {
    json.null();
    return {};
  }
  BENCHHUD_ASSIGN(const auto origin,
                  service::launch_origin(asked.data.database(), asked.data.number(), slice));
  json.begin_object();
  for (const auto& [key, placed] :
       {std::pair("call", &origin.call), std::pair("operator", &origin.launching_operator),
        std::pair("module", &origin.module), std::pair("line", &origin.line)}) {
    BENCHHUD_TRY(write_placed_or_null(json, key, lookup, *placed, asked.info.origin));
  }
  json.field("is_of_forward", origin.is_of_forward);
  const auto name_of = [](const std::optional<service::NotSearched>& why) {
    return why ? std::optional(service::not_searched_name(*why)) : std::nullopt;
  };
  json.field("call_not_searched", name_of(origin.why_no_call));
  json.field("step_not_searched", name_of(origin.why_no_step));
  json.key("step");
  if (origin.step) {
    json.begin_object();
    json.field("name", origin.step->name);
    json.field("thread", origin.step->thread);
    json.field("begin", difference_of(origin.step->begin, asked.info.origin));
    json.field("end", difference_of(origin.step->end, asked.info.origin));
    json.end_object();
  } else {
    json.null();
  }
  json.end_object();
  return {};
}

Expected<void> write_slice(RequestContext& context, schema::JsonWriter& json,
                           const AskedTrace& asked, SliceId id) {
  TraceQueries lookup(asked.data.database(), asked.data.number());
  auto details = lookup.details(id);
  if (!details) {
    context.wrong_parameter = "index";
    return std::move(details).error();
  }
  BENCHHUD_ASSIGN(const auto parents, lookup.parents(id));
  BENCHHUD_ASSIGN(const std::int64_t self, lookup.self_time(details->placed));
  const auto or_null = [](std::int64_t number) {
    return number == trace::TraceArgs::kAbsent ? std::nullopt : std::optional(number);
  };
  const std::int64_t origin = asked.info.origin;
  json.begin_object();
  write_placed_fields(json, details->placed, details->label, origin);
  json.field("end", difference_of(details->placed.slice.end(), origin));
  json.field("self", self);
  json.field("class", analysis::label_class(details->label).name);
  json.field("correlation", or_null(details->extra.args.correlation));
  json.field("external_id", or_null(details->extra.args.external_id));
  json.field("sequence_number", or_null(details->extra.args.sequence));
  json.field("arguments", details->arguments);
  BENCHHUD_TRY(write_origin(json, asked, lookup, *details));
  json.key("parents");
  json.begin_array();
  for (const trace::PlacedSlice& parent : parents) {
    BENCHHUD_TRY(write_placed(json, lookup, parent, origin));
  }
  json.end_array();
  BENCHHUD_TRY(write_flows(json, lookup, id, origin));
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_slice(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  const SliceId id{static_cast<std::uint32_t>(context.query.integer("thread")),
                   static_cast<std::uint64_t>(context.query.integer("chunk")),
                   static_cast<std::uint32_t>(context.query.integer("index"))};
  BENCHHUD_ASSIGN(std::string key, derived_key(context, asked));
  return ResponsePlan{std::move(key), [&context, asked, id](schema::JsonWriter& json) {
                        return write_slice(context, json, asked, id);
                      }};
}

}  // namespace

std::span<const NamedRoute> trace_routes() {
  static constexpr std::array routes = {
      NamedRoute{"getTrace", get_trace},      NamedRoute{"getTraceTile", get_tile},
      NamedRoute{"getTraceTiles", get_tiles}, NamedRoute{"getTraceLabels", get_labels},
      NamedRoute{"getTraceSlice", get_slice}, NamedRoute{"getTraceReport", get_trace_report}};
  return routes;
}

}  // namespace benchhud::server
