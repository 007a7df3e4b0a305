#include "service/traces/trace_export.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/json_writer.h"
#include "trace/trace_visit.h"

namespace benchhud::service {
namespace {

using schema::Expected;
using trace::StoredThread;
using trace::TraceArgs;
using trace::TraceQueries;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
// Ends of a flow that are looked at: a hostile one has millions.
constexpr std::size_t kMostEnds = 1000;

/// Decimal microseconds.
std::string microseconds(std::int64_t ns) {
  constexpr std::int64_t kUnit = 1000;
  const bool is_negative = ns < 0;
  const std::int64_t whole = ns / kUnit, rest = ns % kUnit;
  return fmt::format(
      "{}{}.{:03}", is_negative ? "-" : "",
      is_negative ? 0 - static_cast<std::uint64_t>(whole) : static_cast<std::uint64_t>(whole),
      is_negative ? -rest : rest);
}

/// A pid or tid: a number where it is one to the letter, which some viewers insist on.
void write_number_or_text(schema::JsonWriter& json, std::string_view name,
                          const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
  const bool is_number = error == std::errc() && end == text.data() + text.size() &&
                         std::to_string(number) == text && number <= kMostExact &&
                         number >= -kMostExact;
  if (is_number) {
    json.field(name, number);
  } else {
    json.field(name, text);
  }
}

class Exporter {
 public:
  Exporter(schema::Connection& connection, schema::TraceId trace, const ExportQuery& query,
           const schema::ByteSink& take)
      : connection_(connection),
        trace_(trace),
        query_(query),
        take_(take),
        lookup_(connection, trace) {}

  Expected<void> write() {
    BENCHHUD_ASSIGN(const trace::TraceInfo info, lookup_.info());
    BENCHHUD_ASSIGN(threads_, lookup_.threads());
    piece_ = "{\"displayTimeUnit\": \"ns\",\n";
    if (info.base_time != 0) {
      piece_ += fmt::format("\"baseTimeNanoseconds\": {},\n", info.base_time);
    }
    piece_ += "\"traceEvents\": [";
    for (const StoredThread& thread : threads_) {
      if (is_wanted(thread.number)) write_names(thread);
    }
    for (const StoredThread& thread : threads_) {
      if (thread.slices > 0 && is_wanted(thread.number)) BENCHHUD_TRY(write_slices(thread));
    }
    BENCHHUD_TRY(write_points());
    BENCHHUD_TRY(write_flows());
    piece_ += "\n]}\n";
    flush();
    return {};
  }

 private:
  bool is_wanted(std::uint32_t thread) const {
    // What is derived from points and of other slices would be there twice.
    return thread < threads_.size() && !threads_[thread].is_async && !threads_[thread].is_derived &&
           (!query_.is_wanted || query_.is_wanted(thread));
  }
  trace::TraceSpan window() const { return {query_.begin, query_.end}; }

  void flush() {
    if (is_taken_) is_taken_ = take_(piece_);
    piece_.clear();
  }

  /// One event; `write(json)` writes what it has beside phase, pid and tid. Returns whether more is
  /// wanted.
  template <class Write>
  Expected<bool> write_event(char phase, const StoredThread& thread, Write write) {
    piece_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    schema::JsonWriter json(&piece_);
    json.begin_object();
    json.field("ph", std::string_view(&phase, 1));
    write_number_or_text(json, "pid", thread.thread.pid);
    write_number_or_text(json, "tid", thread.thread.tid);
    BENCHHUD_TRY(write(json));
    json.end_object();
    if (piece_.size() >= kPieceBytes) flush();
    return is_taken_;
  }

  template <class Value>
  void write_name(const StoredThread& thread, std::string_view event, std::string_view key,
                  const Value& value) {
    (void)write_event('M', thread, [&](schema::JsonWriter& json) -> Expected<void> {
      json.field("name", event);
      json.key("args");
      json.begin_object();
      json.field(key, value);
      json.end_object();
      return {};
    });
  }

  void write_names(const StoredThread& thread) {
    const trace::TraceThread& of = thread.thread;
    if (named_.insert(of.pid).second) {
      if (!of.process_name.empty()) write_name(thread, "process_name", "name", of.process_name);
      if (!of.process_labels.empty()) {
        write_name(thread, "process_labels", "labels", of.process_labels);
      }
      if (of.process_sort_index) {
        write_name(thread, "process_sort_index", "sort_index", *of.process_sort_index);
      }
    }
    if (!of.name.empty()) write_name(thread, "thread_name", "name", of.name);
    if (of.thread_sort_index) {
      write_name(thread, "thread_sort_index", "sort_index", *of.thread_sort_index);
    }
  }

  Expected<void> write_label(schema::JsonWriter& json, std::uint32_t number) {
    BENCHHUD_ASSIGN(const trace::LabelText label, lookup_.label(number));
    json.field("name", label.name);
    if (!label.category.empty()) json.field("cat", label.category);
    return {};
  }

  Expected<void> write_arguments(schema::JsonWriter& json, const TraceArgs& args) {
    if (args.packed == TraceArgs::kNotKept) return {};
    BENCHHUD_ASSIGN(const std::string text, lookup_.arguments(args.packed));
    json.key("args");
    simdjson::dom::element root;
    if (parser_.parse(text).get(root) == simdjson::SUCCESS && root.is_object()) {
      json.raw(text);
      return {};
    }
    json.begin_object();
    json.field("benchhud_raw", text);
    json.end_object();
    return {};
  }

  Expected<void> write_slices(const StoredThread& thread) {
    return trace::visit_slices(
        connection_, trace_, thread.number, window(),
        [&](const trace::PlacedSlice& placed, const trace::SliceExtra& extra) {
          return write_event('X', thread, [&](schema::JsonWriter& json) -> Expected<void> {
            json.key("ts");
            json.raw(microseconds(placed.slice.begin));
            json.key("dur");
            json.raw(microseconds(placed.slice.duration));
            BENCHHUD_TRY(write_label(json, placed.slice.label));
            return write_arguments(json, extra.args);
          });
        });
  }

  Expected<void> write_points() {
    return trace::visit_points(
        connection_, trace_, window(), {}, [&](const trace::PlacedPoint& placed) -> Expected<bool> {
          const trace::TracePoint& point = placed.point.point;
          // Names are written above; begins and ends without one another would find one here.
          constexpr std::string_view kLeftOut = "MBE";
          if (!is_wanted(point.thread) || kLeftOut.find(point.phase) != kLeftOut.npos) return true;
          return write_event(point.phase, threads_[point.thread],
                             [&](schema::JsonWriter& json) -> Expected<void> {
                               json.key("ts");
                               json.raw(microseconds(point.time));
                               BENCHHUD_TRY(write_label(json, point.label));
                               BENCHHUD_ASSIGN(const std::string id, lookup_.text(point.id));
                               if (!id.empty()) json.field("id", id);
                               return write_arguments(json, placed.point.args);
                             });
        });
  }

  /// All ends of the flow that begins with `first`; none where one is outside.
  Expected<std::vector<trace::PlacedFlow>> ends_inside(const trace::PlacedFlow& first) {
    std::vector<trace::PlacedFlow> ends;
    std::optional<trace::PlacedFlow> end = first;
    while (end) {
      const bool is_inside = end->flow.time >= query_.begin && end->flow.time < query_.end &&
                             is_wanted(end->flow.thread);
      if (!is_inside || ends.size() == kMostEnds) return std::vector<trace::PlacedFlow>();
      ends.push_back(*end);
      BENCHHUD_ASSIGN(end, lookup_.flow_after(*end));
    }
    return ends;
  }

  Expected<void> write_flows() {
    return trace::visit_flows(connection_, trace_, window(),
                              [&](const trace::PlacedFlow& first) -> Expected<bool> {
                                if (first.flow.before != 0) return true;
                                BENCHHUD_ASSIGN(const auto ends, ends_inside(first));
                                for (const trace::PlacedFlow& end : ends) {
                                  BENCHHUD_TRY(write_flow_end(end, first.number));
                                }
                                return is_taken_;
                              });
  }

  Expected<bool> write_flow_end(const trace::PlacedFlow& end, std::uint64_t id) {
    constexpr std::string_view kPhases = "stf";  // of Step, in its order
    const char phase = kPhases[static_cast<std::size_t>(end.flow.step)];
    BENCHHUD_ASSIGN(const std::string category, lookup_.text(end.flow.category));
    return write_event(phase, threads_[end.flow.thread],
                       [&](schema::JsonWriter& json) -> Expected<void> {
                         json.key("ts");
                         json.raw(microseconds(end.flow.time));
                         json.field("id", id);
                         json.field("name", category);
                         json.field("cat", category);
                         if (phase == 'f') json.field("bp", "e");
                         return {};
                       });
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  const ExportQuery& query_;
  const schema::ByteSink& take_;
  TraceQueries lookup_;
  std::vector<StoredThread> threads_;
  std::set<std::string> named_;  // processes
  simdjson::dom::parser parser_;
  std::string piece_;
  bool is_first_ = true;
  bool is_taken_ = true;
};

}  // namespace

Expected<void> write_chrome_trace(schema::Connection& connection, schema::TraceId trace,
                                  const ExportQuery& query, const schema::ByteSink& take) {
  return Exporter(connection, trace, query, take).write();
}

}  // namespace benchhud::service
