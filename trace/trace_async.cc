#include "trace/trace_async.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "schema/base/column_codec.h"
#include "schema/base/text_excerpt.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_args.h"
#include "trace/trace_chunk.h"
#include "trace/trace_nesting.h"
#include "trace/trace_queries.h"
#include "trace/trace_rows.h"

namespace benchhud::trace {
namespace {

// A hostile file calls everything differently: what is beyond shares a track.
constexpr std::size_t kMostTracks = 1000;
// Begins that are looked at to find the one of an end.
constexpr std::size_t kMostLookedAt = 1000;
constexpr std::size_t kMostNameBytes = 200;

// A point that is a step of something asynchronous.
struct Step {
  std::int64_t time = 0;
  std::uint32_t label = 0, thread = 0, id = 0;
  std::uint32_t args = 0;  // a number of the table of arguments
  char phase = '\0';
};

// What began and has not ended, by the numbers of steps.
struct Begun {
  std::uint32_t step, root;
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
  AsyncTracks(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace), lookup_(connection, trace) {}

  schema::Expected<void> put() {
    BENCHHUD_ASSIGN(threads_, lookup_.threads());
    BENCHHUD_TRY(read_steps());
    if (steps_.empty()) return {};
    BENCHHUD_TRY(read_labels());
    BENCHHUD_TRY(read_texts());
    number_processes();
    BENCHHUD_TRY(make_slices());
    BENCHHUD_TRY(make_tracks());
    steps_ = {};
    return write();
  }

 private:
  // What belongs together: of the older phases or not, category, id, process and, of the older
  // phases, name.
  using Key = std::tuple<bool, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

  schema::Expected<void> read_steps() {
    return for_each_block(
        connection_, trace_, TraceBlockKind::kPoints,
        [&](std::string_view block) -> schema::Expected<void> {
          BENCHHUD_ASSIGN(const auto points, decode_points(block));
          for (const auto& [point, args] : points) {
            if (!is_async(point.phase)) continue;
            if (point.thread >= threads_.size()) return schema::corrupt_trace("chunk of points");
            const std::uint32_t kept = is_empty(args) ? 0 : made_.args.put(args);
            steps_.push_back({point.time, point.label, point.thread, point.id, kept, point.phase});
          }
          return {};
        });
  }

  schema::Expected<void> read_labels() {
    BENCHHUD_TRY(for_each_block(connection_, trace_, TraceBlockKind::kLabels,
                                [&](std::string_view block) -> schema::Expected<void> {
                                  BENCHHUD_ASSIGN(const auto labels, decode_labels(block));
                                  labels_.insert(labels_.end(), labels.begin(), labels.end());
                                  return {};
                                }));
    for (const Step& step : steps_) {
      if (step.label >= labels_.size()) return schema::corrupt_trace("chunk of points");
    }
    return {};
  }

  schema::Expected<void> read_texts() {
    BENCHHUD_TRY(for_each_block(connection_, trace_, TraceBlockKind::kTexts,
                                [&](std::string_view block) -> schema::Expected<void> {
                                  BENCHHUD_ASSIGN(const auto texts, decode_texts(block));
                                  for (const std::string& text : texts) {
                                    is_local_.push_back(text.find("\"local\"") != text.npos);
                                  }
                                  return {};
                                }));
    for (const Step& step : steps_) {
      if (step.id >= is_local_.size()) return schema::corrupt_trace("chunk of points");
    }
    return {};
  }

  void number_processes() {
    TextPool pids;
    for (const StoredThread& each : threads_) processes_.push_back(pids.put(each.thread.pid));
  }

  TraceLabel label_of(const Step& step) const { return labels_[step.label]; }

  Key key_of(const Step& step) const {
    const bool is_nested_one = is_nested(step.phase);
    return {is_nested_one, label_of(step).category, step.id,
            is_local_[step.id] ? processes_[step.thread] : 0,
            is_nested_one ? 0 : label_of(step).name};
  }

  // Slices whose thread is the step that their track is called after, for now.
  schema::Expected<void> make_slices() {
    std::vector<std::uint32_t> order(steps_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Key x = key_of(steps_[a]), y = key_of(steps_[b]);
      if (x != y) return x < y;
      return std::pair(steps_[a].time, a) < std::pair(steps_[b].time, b);
    });
    std::vector<Begun> open;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Step& step = steps_[order[i]];
      if (i > 0 && key_of(steps_[order[i - 1]]) != key_of(step)) open.clear();
      const std::uint32_t root = open.empty() ? order[i] : open.front().root;
      if (is_begin(step.phase)) {
        open.push_back({order[i], root});
      } else if (is_end(step.phase)) {
        end(step, &open);
      } else {
        add(step, 0, root);
      }
    }
    return {};
  }

  void end(const Step& step, std::vector<Begun>* open) {
    // An end need not say its name.
    const std::uint32_t name = label_of(step).name;
    const std::size_t looked_at = std::min(open->size(), kMostLookedAt);
    const auto found = std::find_if(
        open->rbegin(), open->rbegin() + static_cast<std::ptrdiff_t>(looked_at),
        [&](const Begun& each) { return name == 0 || label_of(steps_[each.step]).name == name; });
    if (found == open->rbegin() + static_cast<std::ptrdiff_t>(looked_at)) return;
    const Step& begun = steps_[found->step];
    const std::uint64_t duration = schema::distance(begun.time, step.time);
    if (duration <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      add(begun, static_cast<std::int64_t>(duration), found->root);
    }
    open->erase(std::prev(found.base()));
  }

  void add(const Step& step, std::int64_t duration, std::uint32_t root) {
    made_.slices.push_back({.start = step.time,
                            .duration = duration,
                            .label = step.label,
                            .thread = root,
                            .args = step.args});
  }

  // Tracks in the order in which they begin.
  schema::Expected<void> make_tracks() {
    std::vector<bool> is_root(steps_.size());
    for (const TraceSlice& slice : made_.slices) is_root[slice.thread] = true;
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < is_root.size(); ++i) {
      if (is_root[i]) roots.push_back(i);
    }
    std::sort(roots.begin(), roots.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(steps_[a].time, a) < std::pair(steps_[b].time, b);
    });
    std::vector<std::uint16_t> tracks(steps_.size());
    static_assert(kMostTracks < std::numeric_limits<std::uint16_t>::max());
    for (const std::uint32_t root : roots) {
      BENCHHUD_ASSIGN(const std::uint32_t track, track_of(steps_[root]));
      tracks[root] = static_cast<std::uint16_t>(track);
    }
    for (TraceSlice& slice : made_.slices) slice.thread = tracks[slice.thread];
    return {};
  }

  schema::Expected<std::uint32_t> track_of(const Step& step) {
    const TraceLabel label = label_of(step);
    const std::tuple key(processes_[step.thread], label.category, label.name);
    const auto known = tracks_.find(key);
    if (known != tracks_.end()) return known->second;
    const bool is_last = made_.threads.size() == kMostTracks;
    if (made_.threads.size() > kMostTracks) return kMostTracks;
    BENCHHUD_ASSIGN(const std::string name, lookup_.text(label.name));
    BENCHHUD_ASSIGN(const std::string category, lookup_.text(label.category));
    TraceThread& track = made_.threads.emplace_back(threads_[step.thread].thread);
    track.tid = fmt::format("async {}", schema::beginning_of(category, kMostNameBytes));
    track.name = fmt::format("async: {}",
                             schema::beginning_of(is_last ? "all others" : name, kMostNameBytes));
    track.thread_sort_index.reset();
    const auto number = static_cast<std::uint32_t>(made_.threads.size() - 1);
    if (!is_last) tracks_.emplace(key, number);
    return number;
  }

  schema::Expected<void> write() {
    TraceNesting nesting = nest(made_, NestingRows::kYes);
    std::vector<std::uint32_t> order = std::move(nesting.order);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(made_.slices[a].thread, nesting.row[a]) <
             std::pair(made_.slices[b].thread, nesting.row[b]);
    });
    const auto first = static_cast<std::uint32_t>(threads_.size());
    TraceSliceWriter writer(connection_, trace_);
    for (const std::uint32_t index : order) {
      const TraceSlice& slice = made_.slices[index];
      SliceExtra extra;
      extra.args = made_.args_of(slice);
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

  schema::Connection& connection_;
  schema::TraceId trace_;
  TraceQueries lookup_;
  std::vector<StoredThread> threads_;
  schema::SegmentedVector<Step> steps_;
  std::vector<TraceLabel> labels_;
  std::vector<bool> is_local_;            // by text
  std::vector<std::uint32_t> processes_;  // by thread; the same of the same process
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> tracks_;
  Trace made_;  // threads, slices and their arguments alone
};

}  // namespace

schema::Expected<void> put_async_tracks(schema::Connection& connection, schema::TraceId trace) {
  return AsyncTracks(connection, trace).put();
}

schema::Expected<void> delete_async_tracks(schema::Connection& connection, schema::TraceId trace) {
  for (const std::string_view sql :
       {sql::kDeleteAsyncChunks, sql::kDeleteAsyncGroups, sql::kDeleteAsyncThreads}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  return {};
}

}  // namespace benchhud::trace
