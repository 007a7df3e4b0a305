// The whole trace, out of the store.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace/queries.h"
#include "trace/trace_rows.h"
#include "trace/trace_store.h"
#include "trace/xla_profile.h"

namespace benchhud::trace {
namespace {

constexpr std::size_t kMostNumber = std::numeric_limits<std::uint32_t>::max();
// More than the numbers that one event's arguments take.
constexpr std::size_t kMostArgsSize = 64;

class TraceLoader {
 public:
  TraceLoader(schema::Connection& connection, schema::TraceId id, const TraceReadLimits& limits)
      : connection_(connection), id_(id), limits_(limits) {}

  schema::Expected<Trace> load() {
    BENCHHUD_TRY(get_row());
    BENCHHUD_TRY(get_problems());
    BENCHHUD_TRY(get_threads());
    BENCHHUD_TRY(for_each_block(connection_, id_, TraceBlockKind::kTexts,
                                [&](std::string_view bytes) { return get_texts(bytes); }));
    BENCHHUD_TRY(for_each_block(connection_, id_, TraceBlockKind::kLabels,
                                [&](std::string_view bytes) { return get_labels(bytes); }));
    for (std::uint32_t i = 0; i < trace_.threads.size(); ++i) BENCHHUD_TRY(get_slices(i));
    BENCHHUD_TRY(for_each_block(connection_, id_, TraceBlockKind::kPoints,
                                [&](std::string_view bytes) { return get_points(bytes); }));
    BENCHHUD_TRY(sum_memory());
    BENCHHUD_TRY(for_each_block(connection_, id_, TraceBlockKind::kFlows,
                                [&](std::string_view bytes) { return get_flows(bytes); }));
    BENCHHUD_TRY(for_each_block(connection_, id_, TraceBlockKind::kXlaProfile,
                                [&](std::string_view bytes) { return get_xla_profile(bytes); }));
    if (std::int64_t(trace_.slices.size()) != slice_count_ ||
        std::int64_t(trace_.points.size()) != point_count_ ||
        std::int64_t(trace_.flows.size()) != flow_count_) {
      return schema::corrupt_trace("part");
    }
    // An older program stored no roles. Labels keep their numbers, which findings refer to.
    const auto has_role = [](const TraceLabel& label) {
      return label.role != ThreadRole::kUnknown;
    };
    if (std::none_of(trace_.labels.begin(), trace_.labels.end(), has_role)) {
      trace_.assign_roles(false);
    }
    return std::move(trace_);
  }

 private:
  schema::Expected<void> get_row() {
    schema::Statement query = connection_.cached(sql::kTraceById);
    query.bind(1, id_);
    if (!query.step()) {
      BENCHHUD_TRY(query.status());
      return schema::Error{schema::ErrorCode::kNotFound,
                           fmt::format("there is no trace {}", to_int(id_))};
    }
    trace_.base_time = query.integer(3);
    slice_count_ = query.integer(4);
    point_count_ = query.integer(5);
    flow_count_ = query.integer(6);
    int column = 9;
    for (std::int64_t* count :
         {&trace_.events, &trace_.broken, &trace_.fillers, &trace_.refused, &trace_.pairs,
          &trace_.flow_events, &trace_.unclosed, &trace_.unmatched, &trace_.problem_count}) {
      *count = query.integer(column++);
    }
    trace_.cuda_driver = query.integer(20);
    std::uint64_t events = 0;
    for (const std::int64_t count : {slice_count_, point_count_, flow_count_}) {
      if (count < 0) return schema::corrupt_trace("row");
      events += static_cast<std::uint64_t>(count);
      if (events > limits_.events) {
        return schema::Error{schema::ErrorCode::kTooLarge,
                             fmt::format("the trace says that it has {} slices, {} points and {} "
                                         "ends of flows; {} are read at most",
                                         slice_count_, point_count_, flow_count_, limits_.events)};
      }
    }
    return {};
  }

  schema::Error too_many(std::string_view what, std::uint64_t most) const {
    return {schema::ErrorCode::kTooLarge,
            fmt::format("the trace has more than the {} {} that are read at most", most, what)};
  }

  schema::Expected<void> count_text(std::uint64_t bytes) {
    text_bytes_ += bytes;
    if (text_bytes_ <= limits_.text_bytes) return {};
    return schema::Error{
        schema::ErrorCode::kTooLarge,
        fmt::format("the trace's names have more than the {} bytes that are read at most",
                    limits_.text_bytes)};
  }

  schema::Expected<void> get_problems() {
    schema::Statement query = connection_.cached(sql::kProblemsOfTrace);
    query.bind(1, id_);
    while (query.step()) {
      if (trace_.problems.size() >= limits_.problems) return too_many("problems", limits_.problems);
      BENCHHUD_TRY(count_text(query.text(1).size()));
      trace_.problems.push_back({query.integer(0), std::string(query.text(1))});
    }
    return query.status();
  }

  schema::Expected<void> get_threads() {
    // Without what is derived.
    schema::Statement query = connection_.cached(sql::kThreadsOfTrace);
    query.bind(1, id_).bind(2, false);
    while (query.step()) {
      if (query.integer(0) != static_cast<std::int64_t>(trace_.threads.size())) {
        return schema::corrupt_trace("list of threads");
      }
      if (trace_.threads.size() >= limits_.threads) return too_many("threads", limits_.threads);
      BENCHHUD_TRY(count_text(text_bytes_of_thread(query)));
      trace_.threads.push_back(thread_of(query));
    }
    return query.status();
  }

  schema::Expected<void> get_texts(std::string_view block) {
    BENCHHUD_ASSIGN(const std::vector<std::string> texts, decode_texts(block));
    for (const std::string& text : texts) {
      BENCHHUD_TRY(count_text(text.size()));
      if (trace_.texts.put(text) != text_count_++) return schema::corrupt_trace("block of texts");
    }
    return {};
  }

  schema::Expected<void> get_labels(std::string_view block) {
    BENCHHUD_ASSIGN(const std::vector<TraceLabel> labels, decode_labels(block));
    for (const TraceLabel& label : labels) {
      if (!is_text(label.name) || !is_text(label.category))
        return schema::corrupt_trace("block of labels");
      if (label_count_ >= limits_.labels) return too_many("labels", limits_.labels);
      const std::size_t number = label_count_++;
      // Two of the same are not made by put_label(), but may have been stored.
      if (trace_.put_label(label) != number && number > 0) trace_.labels.push_back(label);
    }
    return {};
  }

  schema::Expected<void> get_slices(std::uint32_t thread) {
    schema::Statement query = connection_.cached(sql::kChunksOfThread);
    query.bind(1, id_).bind(2, std::int64_t{thread});
    while (query.step()) {
      BENCHHUD_ASSIGN(const std::vector<ChunkSlice> slices, decode_slices(query.blob(0)));
      BENCHHUD_ASSIGN(const std::vector<SliceExtra> extras, decode_extras(query.blob(1)));
      if (slices.size() != extras.size() || trace_.slices.size() > kMostNumber - slices.size() ||
          !has_room(trace_.slices, slices.size(), slice_count_)) {
        return schema::corrupt_trace("chunk of slices");
      }
      for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices[i].label >= trace_.labels.size())
          return schema::corrupt_trace("chunk of slices");
        BENCHHUD_ASSIGN(const std::uint32_t args, put_args(extras[i].args));
        if (extras[i].has_bandwidth) {
          trace_.bandwidths.push_back({static_cast<std::uint32_t>(trace_.slices.size()),
                                       extras[i].bytes, extras[i].gigabytes_per_second});
        }
        trace_.slices.push_back({.start = slices[i].begin,
                                 .duration = slices[i].duration,
                                 .label = slices[i].label,
                                 .thread = thread,
                                 .args = args});
      }
    }
    BENCHHUD_TRY(query.status());
    return {};
  }

  schema::Expected<void> get_points(std::string_view block) {
    BENCHHUD_ASSIGN(const std::vector<ChunkPoint> points, decode_points(block));
    if (!has_room(trace_.points, points.size(), point_count_)) {
      return schema::corrupt_trace("chunk of points");
    }
    for (const ChunkPoint& each : points) {
      TracePoint point = each.point;
      if (point.label >= trace_.labels.size() || point.thread >= trace_.threads.size() ||
          !is_text(point.id)) {
        return schema::corrupt_trace("chunk of points");
      }
      BENCHHUD_ASSIGN(point.args, put_args(each.args));
      trace_.points.push_back(point);
    }
    return {};
  }

  // Of the arguments, which hold all that the file said: what older versions stored has them, too.
  schema::Expected<void> sum_memory() {
    std::vector<std::pair<std::uint64_t, std::int64_t>> events;  // arguments and time
    for (const TracePoint& point : trace_.points) {
      if (!is_instant(point.phase) || trace_.name(point) != kMemoryEvent) continue;
      events.emplace_back(trace_.args_of(point).packed, point.time);
    }
    // So each block of arguments is read once, and arguments that several events share: a hostile
    // trace has millions that share a long text.
    std::ranges::sort(events);
    TraceQueries lookup(connection_, id_);
    MemorySums sums;
    for (auto same = events.begin(); same != events.end();) {
      const std::uint64_t packed = same->first;
      const std::int64_t time = same->second;
      const auto next = std::find_if(same, events.end(),
                                     [&](const auto& event) { return event.first != packed; });
      const std::int64_t count = next - same;
      same = next;
      std::string args;
      if (packed != TraceArgs::kNotKept) {
        auto stored = lookup.arguments(packed);
        // What is damaged costs the events that it is of: they are left out.
        const bool is_lost = !stored && (stored.error().code == schema::ErrorCode::kNotFound ||
                                         stored.error().code == schema::ErrorCode::kCorrupt);
        if (!stored && !is_lost) return stored.error();
        if (stored) args = *std::move(stored);
      }
      sums.add(time, args, count);  // what is wrong with them is among the trace's problems
    }
    trace_.memory = sums.sums();
    return {};
  }

  schema::Expected<void> get_flows(std::string_view block) {
    BENCHHUD_ASSIGN(const std::vector<ChunkFlow> flows, decode_flows(block));
    if (!has_room(trace_.flows, flows.size(), flow_count_)) {
      return schema::corrupt_trace("chunk of flows");
    }
    for (const ChunkFlow& flow : flows) {
      const std::size_t number = trace_.flows.size();
      if (!is_text(flow.category) || flow.thread >= trace_.threads.size() || flow.before > number) {
        return schema::corrupt_trace("chunk of flows");
      }
      const std::uint64_t key =
          flow.before == 0 ? next_key_++ : trace_.flows[number - flow.before].key;
      trace_.flows.push_back({.time = flow.time,
                              .key = key,
                              .category = flow.category,
                              .thread = flow.thread,
                              .step = flow.step});
    }
    return {};
  }

  schema::Expected<void> get_xla_profile(std::string_view block) {
    BENCHHUD_ASSIGN(XlaProfile profile, decode_xla_profile(block, trace_.texts.size()));
    trace_.xla = std::make_shared<const XlaProfile>(std::move(profile));
    return {};
  }

  // Whether there are no more of them than the trace says.
  template <class Events>
  static bool has_room(const Events& events, std::size_t more, std::int64_t said) {
    return more <= static_cast<std::uint64_t>(said) - std::uint64_t{events.size()};
  }

  bool is_text(std::uint32_t number) const { return number < trace_.texts.size(); }

  schema::Expected<std::uint32_t> put_args(const TraceArgs& args) {
    if (is_empty(args)) return std::uint32_t{0};
    if (!is_text(args.origin) || trace_.args.size() > kMostNumber - kMostArgsSize) {
      return schema::corrupt_trace("chunk of arguments");
    }
    return trace_.args.put(args);
  }

  schema::Connection& connection_;
  schema::TraceId id_;
  const TraceReadLimits limits_;
  Trace trace_;
  std::int64_t slice_count_ = 0, point_count_ = 0, flow_count_ = 0;
  std::size_t text_count_ = 0, label_count_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t next_key_ = 0;
};

}  // namespace

schema::Expected<Trace> read_trace(schema::Connection& connection, schema::TraceId id,
                                   const TraceReadLimits& limits) {
  return TraceLoader(connection, id, limits).load();
}

}  // namespace benchhud::trace
