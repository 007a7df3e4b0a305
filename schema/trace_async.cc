#include "trace_async.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rows.h"
#include "schema/column_codec.h"
#include "schema/queries.h"
#include "schema/text_excerpt.h"
#include "schema/trace_lookup.h"
#include "schema/trace_nesting.h"
#include "trace_rows.h"

namespace benchhud::schema {
namespace {

// A hostile file calls everything differently: what is beyond shares a track.
constexpr std::size_t kMostTracks = 1000;
// Begins that are looked at to find the one of an end.
constexpr std::size_t kMostLookedAt = 1000;
constexpr std::size_t kMostNameBytes = 200;

// A point that is a step of something asynchronous.
struct Step {
  ChunkPoint at;
  std::uint32_t name = 0, category = 0, id = 0;  // of the same text the same
};

// What began and has not ended.
struct Begun {
  const Step* step;
  std::uint32_t track;
};

bool is_begin(char phase) { return phase == 'b' || phase == 'S'; }
bool is_end(char phase) { return phase == 'e' || phase == 'F'; }
bool is_nested(char phase) { return phase == 'b' || phase == 'n' || phase == 'e'; }
bool is_async(char phase) {
  constexpr std::string_view kPhases = "bneSTpF";
  return kPhases.find(phase) != kPhases.npos;
}

class AsyncTracks {
 public:
  AsyncTracks(Connection& connection, TraceId trace)
      : connection_(connection), trace_(trace), lookup_(connection, trace) {}

  Expected<void> put() {
    BENCHHUD_TRY(read_steps());
    if (steps_.empty()) return {};
    BENCHHUD_ASSIGN(threads_, lookup_.threads());
    std::stable_sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      return a.at.point.time < b.at.point.time;
    });
    for (const Step& step : steps_) BENCHHUD_TRY(take(step));
    return write();
  }

 private:
  // Category, id, process and, of the older phases, name.
  using Key = std::tuple<bool, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

  Expected<void> read_steps() {
    // What is looked up below reads other blocks in between, by other statements.
    Statement blocks = connection_.cached(sql::kBlocksOfTrace);
    blocks.bind(1, trace_).bind(2, TraceBlockKind::kPoints);
    while (blocks.step()) {
      BENCHHUD_ASSIGN(const auto points, decode_points(blocks.blob(2)));
      for (const ChunkPoint& each : points) {
        if (is_async(each.point.phase)) steps_.push_back({.at = each});
      }
    }
    BENCHHUD_TRY(blocks.status());
    for (Step& step : steps_) {
      BENCHHUD_ASSIGN(std::tie(step.name, step.category), label_of(step.at.point.label));
      BENCHHUD_ASSIGN(step.id, id_of(step.at.point.id));
    }
    return {};
  }

  Expected<std::tuple<std::uint32_t, std::uint32_t>> label_of(std::uint32_t number) {
    const auto known = labels_.find(number);
    if (known != labels_.end()) return known->second;
    BENCHHUD_ASSIGN(const LabelText text, lookup_.label(number));
    const std::tuple label(texts_.put(text.name), texts_.put(text.category));
    labels_.emplace(number, label);
    return label;
  }

  Expected<std::uint32_t> id_of(std::uint32_t number) {
    const auto known = ids_.find(number);
    if (known != ids_.end()) return known->second;
    BENCHHUD_ASSIGN(const std::string text, lookup_.text(number));
    const std::uint32_t id = texts_.put(text);
    ids_.emplace(number, id);
    return id;
  }

  // Where begins wait for the ends that belong to them.
  std::vector<Begun>& open_of(const Step& step) {
    const bool is_nested_one = is_nested(step.at.point.phase);
    const bool is_local = texts_[step.id].find("\"local\"") != std::string_view::npos;
    const std::uint32_t process =
        is_local ? texts_.put(threads_[step.at.point.thread].thread.pid) : 0;
    return open_[{is_nested_one, step.category, step.id, process, is_nested_one ? 0 : step.name}];
  }

  std::uint32_t track_of(const Step& step) {
    const TraceThread& thread = threads_[step.at.point.thread].thread;
    const std::tuple key(texts_.put(thread.pid), step.category, step.name);
    const auto known = tracks_.find(key);
    if (known != tracks_.end()) return known->second;
    const bool is_last = made_.threads.size() == kMostTracks;
    if (made_.threads.size() > kMostTracks) return kMostTracks;
    TraceThread& track = made_.threads.emplace_back(thread);
    const std::string_view name = is_last ? "all others" : texts_[step.name];
    track.tid = fmt::format("async {}", beginning_of(texts_[step.category], kMostNameBytes));
    track.name = fmt::format("async: {}", beginning_of(name, kMostNameBytes));
    track.thread_sort_index.reset();
    const auto number = static_cast<std::uint32_t>(made_.threads.size() - 1);
    if (!is_last) tracks_.emplace(key, number);
    return number;
  }

  Expected<void> take(const Step& step) {
    if (step.at.point.thread >= threads_.size()) return corrupt_trace("chunk of points");
    std::vector<Begun>& open = open_of(step);
    const auto track = [&] { return open.empty() ? track_of(step) : open.front().track; };
    if (is_begin(step.at.point.phase)) {
      open.push_back({&step, track()});
    } else if (!is_end(step.at.point.phase)) {
      add(step, 0, track());
    } else {
      end(step, &open);
    }
    return {};
  }

  void end(const Step& step, std::vector<Begun>* open) {
    // An end need not say its name.
    const bool has_name = !texts_[step.name].empty();
    const std::size_t looked_at = std::min(open->size(), kMostLookedAt);
    const auto found =
        std::find_if(open->rbegin(), open->rbegin() + static_cast<std::ptrdiff_t>(looked_at),
                     [&](const Begun& each) { return !has_name || each.step->name == step.name; });
    if (found == open->rbegin() + static_cast<std::ptrdiff_t>(looked_at)) return;
    const std::uint64_t duration = distance(found->step->at.point.time, step.at.point.time);
    if (duration <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      add(*found->step, static_cast<std::int64_t>(duration), found->track);
    }
    open->erase(std::prev(found.base()));
  }

  void add(const Step& step, std::int64_t duration, std::uint32_t track) {
    made_.slices.push_back({.start = step.at.point.time,
                            .duration = duration,
                            .label = step.at.point.label,
                            .thread = track,
                            .args = 0});
    args_.push_back(&step.at.args);
  }

  Expected<void> write() {
    const TraceNesting nesting = nest(made_, NestingRows::kYes);
    std::vector<std::uint32_t> order = nesting.order;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(made_.slices[a].thread, nesting.row[a]) <
             std::pair(made_.slices[b].thread, nesting.row[b]);
    });
    const auto first = static_cast<std::uint32_t>(threads_.size());
    TraceSliceWriter writer(connection_, trace_);
    for (const std::uint32_t index : order) {
      const TraceSlice& slice = made_.slices[index];
      SliceExtra extra;
      extra.args = *args_[index];
      BENCHHUD_TRY(writer.add(first + slice.thread,
                              {slice.start, slice.duration, slice.label, nesting.row[index]},
                              extra));
    }
    BENCHHUD_TRY(writer.finish());
    for (std::uint32_t i = 0; i < made_.threads.size(); ++i) {
      BENCHHUD_TRY(insert_thread(connection_, trace_,
                                 {.number = first + i,
                                  .thread = &made_.threads[i],
                                  .extent = writer.extent(first + i),
                                  .stack_rows = nesting.stack_rows[i],
                                  .is_async = true}));
    }
    return {};
  }

  Connection& connection_;
  TraceId trace_;
  TraceLookup lookup_;
  std::vector<StoredThread> threads_;
  std::vector<Step> steps_;
  // Names, categories and ids, numbered anew: a text may be in the store twice.
  TextPool texts_;
  std::unordered_map<std::uint32_t, std::tuple<std::uint32_t, std::uint32_t>> labels_;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;
  std::map<Key, std::vector<Begun>> open_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> tracks_;
  Trace made_;  // threads and slices alone
  std::vector<const TraceArgs*> args_;
};

}  // namespace

Expected<void> put_async_tracks(Connection& connection, TraceId trace) {
  return AsyncTracks(connection, trace).put();
}

Expected<void> delete_async_tracks(Connection& connection, TraceId trace) {
  for (const std::string_view sql :
       {sql::kDeleteAsyncChunks, sql::kDeleteAsyncGroups, sql::kDeleteAsyncThreads}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  return {};
}

}  // namespace benchhud::schema
