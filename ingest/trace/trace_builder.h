// Makes a trace of the events that a scanner finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/trace/trace_event.h"
#include "ingest/trace/trace_flow_builder.h"
#include "trace/memory/device_memory.h"
#include "trace/trace.h"
#include "trace/trace_limits.h"

namespace simdjson::dom {
class parser;
}

namespace benchhud::ingest {

/// Every event becomes a slice, half of one, a flow's end or a point; or it is counted with its
/// reason (schema::Trace). Not thread-safe.
///
/// Memory, from here to the store: at most 150 bytes for each event and 64 MB of names, which are
/// all texts, labels, threads and ids of flows. Beyond that the trace is given up.
class TraceBuilder : public TraceEvents {
 public:
  static constexpr std::size_t kMostNameBytes = std::size_t{64} << 20;

  /// `sink`, if there is one, gets the whole arguments of slices and points.
  /// Events of more than `most_threads` threads are refused, those beyond.
  explicit TraceBuilder(trace::TraceArgsSink* sink,
                        std::size_t most_threads = trace::kMostTraceThreads);
  ~TraceBuilder() override;

  RawTraceEvent* begin_event() override;
  void end_event(bool is_whole) override;
  void on_broken(std::int64_t offset, std::string_view reason) override;
  void on_number(TraceNumber number, std::int64_t offset, std::string_view text) override;

  /// An event that was put together elsewhere.
  void add(const RawTraceEvent& event);
  void problem(std::int64_t offset, std::string_view reason);
  /// Lets go of everything; what comes from now on is passed over.
  void give_up(std::string_view reason);
  /// Why it was given up; "" if it was not.
  const std::string& refusal() const { return refusal_; }
  /// After the last event. Empty if it was given up.
  trace::Trace finish();

 private:
  // What is read of an event's arguments at once.
  struct ReadArgs {
    trace::TraceArgs args;
    bool has_any = false;  // of args
    double bytes = 0;
    std::optional<double> bandwidth;  // GB/s
  };
  // Arguments of a begun slice, until its end tells its own.
  struct HeldArgs {
    ReadArgs read;
    std::string json;            // empty where they are in the sink already
    std::size_t held_bytes = 0;  // of this and the JSON; 0 where it does not wait
  };
  struct OpenSlice {
    trace::TraceSlice slice;
    std::unique_ptr<HeldArgs> args;
  };
  struct Process {
    std::string name, labels;
    std::optional<std::int64_t> sort_index;
  };

  void count_names(std::size_t bytes) { name_bytes_ += bytes; }
  bool is_in_budget(std::int64_t offset);
  void add_event(const RawTraceEvent& event);
  void refuse(const RawTraceEvent& event, std::string_view reason);
  std::optional<std::int64_t> time_of(const RawTraceEvent& event);
  std::int64_t duration_of(const RawTraceEvent& event, std::int64_t start);
  bool is_work_of_device(const RawTraceEvent& event);
  /// Whether the trace has room for an event of its thread.
  bool has_room_for(const RawTraceEvent& event) const;
  std::uint32_t text(const TraceToken& token);
  std::uint32_t thread_of(const RawTraceEvent& event);
  std::uint32_t label_of(const RawTraceEvent& event);
  ReadArgs read_args(const RawTraceEvent& event);
  std::uint32_t keep_args(ReadArgs* read, std::string_view json);
  std::uint32_t keep_args(const RawTraceEvent& event);
  void add_slice(const trace::TraceSlice& slice, const ReadArgs& read);
  void add_complete(const RawTraceEvent& event);
  void begin(const RawTraceEvent& event);
  void end(const RawTraceEvent& event);
  void add_point(const RawTraceEvent& event, std::int64_t time);
  void add_timed_point(const RawTraceEvent& event);
  void read_metadata(const RawTraceEvent& event);
  void add_flow_event(const RawTraceEvent& event, trace::TraceFlow::Step step);
  void add_bound_flow(const RawTraceEvent& event, std::int64_t time);

  RawTraceEvent event_;  // of begin_event()
  trace::Trace trace_;
  trace::TraceArgsSink* sink_;
  const std::size_t most_threads_;
  std::unique_ptr<simdjson::dom::parser> parser_;
  std::unordered_map<std::string, std::uint32_t> escaped_;  // texts with escapes, as they stand
  std::unordered_map<std::string, std::uint32_t> threads_;  // by pid, NUL, tid
  std::string last_thread_key_;
  std::uint32_t last_thread_ = 0;
  // Labels by what they look like in the file: most are found here.
  std::vector<std::uint32_t> recent_labels_ = std::vector<std::uint32_t>(1 << 12);
  std::vector<std::vector<OpenSlice>> open_;  // begun, by thread
  std::size_t held_bytes_ = 0;                // of arguments that wait
  std::unordered_map<std::string, Process> processes_;
  TraceFlowBuilder flows_{&trace_};
  trace::MemorySums memory_;
  std::size_t name_bytes_ = 0;  // of texts, labels and threads, with what stands around them
  std::string refusal_;
};

}  // namespace benchhud::ingest
