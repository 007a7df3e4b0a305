// What is where in a trace: finding names, going from hit to hit, sums over windows.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/trace/label_class.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/truncate_rows.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "service/traces/label_query.h"
#include "trace/answers/trace_next.h"
#include "trace/answers/trace_window_sums.h"
#include "trace/short_name.h"
#include "trace/trace_index.h"

namespace benchhud::server {
namespace {

using analysis::sum_of;
using schema::Expected;
using trace::SliceSums;
using trace::TraceIndex;
using trace::TraceQueries;

// Of what is looked for: a name as answers show it, and words beside it.
constexpr std::size_t kMostBytes = 2000;

// The labels that fit what was typed, with their sums.
struct FoundLabel {
  std::uint32_t label = 0;
  SliceSums sums;
};

// `visit(label, totals)` of each that fits and has slices, in the order of their numbers.
template <class Visit>
Expected<void> for_each_match(TraceQueries& lookup, const TraceIndex& index,
                              const service::LabelQuery& query, Visit visit) {
  const auto look = [&](std::uint32_t number, const trace::LabelTotals& totals) -> Expected<void> {
    BENCHHUD_ASSIGN(const trace::LabelText text, lookup.label(number));
    if (query.fits(text)) visit(number, totals);
    return {};
  };
  return trace::for_each_used_label(index, look);
}

Expected<service::LabelQuery> asked_labels(RequestContext& context) {
  const std::string& text = context.query.text("q");
  if (text.size() > kMostBytes) {
    return wrong_parameter(context, "q", "q must be of 2000 bytes at most.");
  }
  return service::LabelQuery(text);
}

Expected<void> write_found(RequestContext& context, schema::JsonWriter& json,
                           const AskedTrace& asked, const TraceIndex& index,
                           const service::LabelQuery& query) {
  TraceQueries lookup(asked.data.database(), asked.data.number());
  std::vector<FoundLabel> found;
  std::array<std::uint64_t, trace::kTraceBins> bins{};
  SliceSums all;
  BENCHHUD_TRY(for_each_match(lookup, index, query,
                              [&](std::uint32_t label, const trace::LabelTotals& totals) {
                                found.push_back({label, totals.sums});
                                all.add(totals.sums);
                                for (const trace::BinCount& bin : totals.bins)
                                  bins[bin.bin] += bin.count;
                              }));
  const std::size_t names = found.size();
  std::stable_sort(found.begin(), found.end(), [](const FoundLabel& a, const FoundLabel& b) {
    return a.sums.total > b.sums.total;
  });
  const std::int64_t left_out = analysis::truncate_rows(&found, context.query.size("limit"));
  json.begin_object();
  json.field("names", names);
  json.field("slices", all.count);
  json.field("total_ns", all.total);
  json.key("bins");
  json.list(bins, [&](std::uint64_t count) { json.value(count); });
  json.key("labels");
  json.begin_array();
  for (const FoundLabel& each : found) {
    BENCHHUD_ASSIGN(const trace::LabelText text, lookup.label(each.label));
    write_label(json, each.label, text, &each.sums);
  }
  json.end_array();
  json.field("left_out", left_out);
  json.end_object();
  return {};
}

Expected<ResponsePlan> find(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const TraceIndex index, asked_index(asked));
  BENCHHUD_ASSIGN(const service::LabelQuery query, asked_labels(context));
  ResponsePlan plan =
      trace_plan(context, asked, [&context, asked, index, query](schema::JsonWriter& json) {
        return write_found(context, json, asked, index, query);
      });
  plan.csv_rows = "labels";
  return plan;
}

// The labels whose slices are gone through.
Expected<std::vector<bool>> wanted_labels(RequestContext& context, const AskedTrace& asked,
                                          const TraceIndex& index) {
  constexpr std::size_t kMostLabels = 1000;
  std::vector<bool> wanted(static_cast<std::size_t>(asked.info.labels));
  if (context.query.has("labels")) {
    BENCHHUD_ASSIGN(const auto labels, asked_numbers(context, "labels", kMostLabels));
    for (const std::uint32_t label : labels) {
      if (label < wanted.size()) wanted[label] = true;
    }
    return wanted;
  }
  BENCHHUD_ASSIGN(const service::LabelQuery query, asked_labels(context));
  TraceQueries lookup(asked.data.database(), asked.data.number());
  BENCHHUD_TRY(for_each_match(
      lookup, index, query,
      [&](std::uint32_t label, const trace::LabelTotals&) { wanted[label] = true; }));
  return wanted;
}

Expected<void> write_next(RequestContext& context, schema::JsonWriter& json,
                          const AskedTrace& asked, const TraceIndex& index,
                          const TrackFilter& tracks) {
  const Query& request = context.query;
  trace::NextQuery query;
  BENCHHUD_ASSIGN(query.labels, wanted_labels(context, asked, index));
  query.is_wanted = [&](std::uint32_t thread) { return tracks.matches(thread); };
  query.forward = request.text("direction") == "next";
  query.from = sum_of(asked.info.origin, request.integer("from"));
  if (request.has("thread")) {
    query.slice = trace::SliceId{static_cast<std::uint32_t>(request.integer("thread")),
                                 static_cast<std::uint64_t>(request.integer("chunk")),
                                 static_cast<std::uint32_t>(request.integer("index"))};
  }
  schema::Connection& connection = asked.data.database();
  BENCHHUD_ASSIGN(const auto found,
                  trace::next_slice(connection, asked.data.number(), index, query));
  TraceQueries lookup(connection, asked.data.number());
  json.begin_object();
  json.key("slice");
  if (found) {
    BENCHHUD_TRY(write_placed(json, lookup, *found, asked.info.origin));
  } else {
    json.null();
  }
  json.end_object();
  return {};
}

Expected<ResponsePlan> next(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const TraceIndex index, asked_index(asked));
  BENCHHUD_ASSIGN(const TrackFilter tracks, asked_track_filter(context));
  if (context.query.has("labels") == context.query.has("q")) {
    return wrong_parameter(context, "q", "Give either labels or q.");
  }
  const bool has_all = context.query.has("chunk") && context.query.has("index");
  if (context.query.has("thread") ? !has_all
                                  : context.query.has("chunk") || context.query.has("index")) {
    return wrong_parameter(context, "thread", "A slice is named by thread, chunk and index.");
  }
  return trace_plan(context, asked, [&context, asked, index, tracks](schema::JsonWriter& json) {
    return write_next(context, json, asked, index, tracks);
  });
}

// Sums of a window by whatever is asked for.
class SumsByKey {
 public:
  struct Sums {
    SliceSums slices;
    std::int64_t work = 0;  // ns: the self time of those that do not only contain other slices
  };
  struct Row {
    std::string key;
    std::optional<std::uint32_t> label, thread;
    trace::LabelText text;
    Sums sums;
  };

  SumsByKey(TraceQueries* lookup, std::string_view by) : lookup_(*lookup), by_(by) {}

  Expected<void> add(std::uint32_t thread, const std::vector<trace::LabelSums>& sums) {
    for (const trace::LabelSums& each : sums) {
      BENCHHUD_ASSIGN(const bool is_work, is_work_of(each.label));
      add(each.sums, is_work, &all_);
      add(each.sums, is_work, by_ == "track" ? &of_threads_[thread] : &of_labels_[each.label]);
    }
    return {};
  }

  // What a thread is called where it is a row.
  void name_thread(std::uint32_t thread, const trace::TraceThread& of) {
    if (by_ == "track") names_[thread] = of.name.empty() ? of.tid : of.name;
  }

  // By total time, the longest first.
  Expected<std::vector<Row>> rows() {
    std::vector<Row> rows;
    rows.reserve(of_threads_.size() + of_labels_.size());
    for (const auto& [thread, sums] : of_threads_) {
      rows.push_back({std::to_string(thread), {}, thread, {names_[thread], ""}, sums});
    }
    std::map<std::string, std::size_t> places;
    for (const auto& [label, sums] : of_labels_) {
      BENCHHUD_ASSIGN(trace::LabelText text, lookup_.label(label));
      if (by_ == "name") {
        std::string name = trace::short_name(text.name);
        rows.push_back({std::move(name), label, {}, std::move(text), sums});
        continue;
      }
      const std::string key = by_ == "category" ? trace::short_name(text.category)
                                                : std::string(analysis::label_class(text).name);
      const auto [place, is_new] = places.emplace(key, rows.size());
      if (is_new) rows.push_back({key, {}, {}, {}, {}});
      Sums& row = rows[place->second].sums;
      row.slices.add(sums.slices);
      row.work = sum_of(row.work, sums.work);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.sums.slices.total > b.sums.slices.total;
    });
    return rows;
  }

  const Sums& all() const { return all_; }

 private:
  static void add(const SliceSums& sums, bool is_work, Sums* to) {
    to->slices.add(sums);
    if (is_work) to->work = sum_of(to->work, sums.self);
  }

  Expected<bool> is_work_of(std::uint32_t label) {
    const auto known = is_work_.find(label);
    if (known != is_work_.end()) return known->second;
    BENCHHUD_ASSIGN(const trace::LabelText text, lookup_.label(label));
    return is_work_[label] = analysis::is_work(analysis::label_class(text));
  }

  TraceQueries& lookup_;
  const std::string_view by_;
  Sums all_;
  std::map<std::uint32_t, Sums> of_labels_, of_threads_;
  std::map<std::uint32_t, bool> is_work_;       // by label
  std::map<std::uint32_t, std::string> names_;  // of threads
};

void write_sums(schema::JsonWriter& json, const SumsByKey::Sums& sums) {
  json.field("count", sums.slices.count);
  json.field("total_ns", sums.slices.total);
  json.field("self_ns", sums.slices.self);
  json.field("work_ns", sums.work);
  json.field("min_ns", sums.slices.min);
  json.field("max_ns", sums.slices.max);
}

void write_sums_row(schema::JsonWriter& json, const SumsByKey::Row& row) {
  const auto of_label = [&](std::string_view text) {
    return row.label ? std::optional(text) : std::nullopt;
  };
  json.begin_object();
  json.field("key", row.key);
  json.field("label", row.label);
  json.field("category", of_label(row.text.category));
  json.field("class", of_label(analysis::label_class(row.text).name));
  json.field("thread", row.thread);
  json.field("track", row.thread ? std::optional(trace::short_name(row.text.name)) : std::nullopt);
  write_sums(json, row.sums);
  json.end_object();
}

constexpr std::string_view kOnlyDerived =
    "These tracks are derived: sums count the tracks that they are derived from.";

// Whether the tracks that are asked for are derived ones and no others.
bool has_only_derived(const std::vector<trace::StoredThread>& threads, const TrackFilter& tracks) {
  if (tracks.is_all()) return false;
  bool has_derived = false;
  for (const trace::StoredThread& thread : threads) {
    if (!tracks.matches(thread.number)) continue;
    if (!thread.is_derived) return false;
    has_derived = true;
  }
  return has_derived;
}

Expected<void> write_window(RequestContext& context, schema::JsonWriter& json,
                            const AskedTrace& asked, const TraceIndex& index,
                            const TrackFilter& tracks, const AskedWindow& window) {
  schema::Connection& connection = asked.data.database();
  TraceQueries lookup(connection, asked.data.number());
  SumsByKey by_key(&lookup, context.query.text("by"));
  BENCHHUD_ASSIGN(const auto threads, lookup.threads());
  for (const trace::StoredThread& thread : threads) {
    if (thread.slices == 0 || thread.is_derived || !tracks.matches(thread.number)) continue;
    if (!thread.begin || *thread.begin >= window.end || *thread.end < window.begin) continue;
    BENCHHUD_ASSIGN(const auto sums,
                    trace::sums_in_window(connection, asked.data.number(), index, thread.number,
                                          window.begin, window.end));
    BENCHHUD_TRY(by_key.add(thread.number, sums));
    by_key.name_thread(thread.number, thread.thread);
  }
  BENCHHUD_ASSIGN(auto rows, by_key.rows());
  const std::int64_t left_out = analysis::truncate_rows(&rows, context.query.size("limit"));
  json.begin_object();
  // That these tracks are not counted does not mean that nothing happens on them.
  const bool only_derived = has_only_derived(threads, tracks);
  json.key("all");
  if (only_derived) {
    json.null();
  } else {
    json.begin_object();
    write_sums(json, by_key.all());
    json.end_object();
  }
  json.key("rows");
  json.list(rows, [&](const SumsByKey::Row& row) { write_sums_row(json, row); });
  json.field("left_out", left_out);
  json.field("cannot_tell", only_derived ? std::optional(kOnlyDerived) : std::nullopt);
  json.end_object();
  return {};
}

Expected<ResponsePlan> sums(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const TraceIndex index, asked_index(asked));
  BENCHHUD_ASSIGN(const TrackFilter tracks, asked_track_filter(context));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(context, asked));
  ResponsePlan plan = trace_plan(
      context, asked, [&context, asked, index, tracks, window](schema::JsonWriter& json) {
        return write_window(context, json, asked, index, tracks, window);
      });
  plan.csv_rows = "rows";
  return plan;
}

}  // namespace

std::span<const NamedRoute> trace_find_routes() {
  static constexpr std::array routes = {NamedRoute{"findInTrace", find},
                                        NamedRoute{"nextInTrace", next},
                                        NamedRoute{"getTraceSums", sums}};
  return routes;
}

}  // namespace benchhud::server
