// A trace as read from a file: what happened when, on which thread or stream. Times are whole
// nanoseconds, as the file's decimal microseconds say them exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/segmented_vector.h"
#include "trace/memory/device_memory.h"
#include "trace/thread_role.h"
#include "trace/trace_args_table.h"

namespace benchhud::trace {

struct XlaProfile;

/// Texts that come again and again, each kept once.
class TextPool {
 public:
  TextPool() = default;
  // The numbers are found by views of the texts, which a copy would not have of its own.
  TextPool(TextPool&&) noexcept = default;
  TextPool& operator=(TextPool&&) noexcept = default;

  /// The text's number; 0 is "".
  std::uint32_t put(std::string_view text);
  std::string_view operator[](std::uint32_t number) const {
    return number == 0 ? std::string_view() : texts_[number - 1];
  }
  std::size_t size() const { return texts_.size() + 1; }

 private:
  /// Where the text's number stands in the table, or would stand.
  std::size_t place_of(std::string_view text) const;
  void grow_table();
  std::string_view keep(std::string_view text);

  schema::SegmentedVector<std::string_view> texts_;  // from number 1 on, parts of the blocks
  std::vector<std::unique_ptr<char[]>> blocks_;      // a long text has one to itself
  std::size_t left_ = 0;                             // bytes at the end of the last shared block
  char* free_ = nullptr;                             // where they begin
  std::vector<std::uint32_t> table_;                 // numbers by hash, open addressing; 0: no text
};

/// A thread of a process or a stream of a device, as the file names them.
struct TraceThread {
  std::string pid, tid;  ///< numbers or any text
  std::string process_name, name;
  std::string process_labels;  ///< what else the file says of the process, as "GPU 0"
  /// Where viewers show the process, and the thread among its own: in ascending order.
  std::optional<std::int64_t> process_sort_index, thread_sort_index;
};

/// What an event is called: numbers of Trace::texts; and on which kind of thread its slices are.
struct TraceLabel {
  std::uint32_t name = 0, category = 0;
  ThreadRole role = ThreadRole::kUnknown;
  bool operator==(const TraceLabel&) const = default;
};

/// Something with a beginning and an end on a thread.
struct TraceSlice {
  std::int64_t start = 0;     ///< ns
  std::int64_t duration = 0;  ///< ns
  std::uint32_t label = 0;    ///< index in Trace::labels
  std::uint32_t thread = 0;   ///< index in Trace::threads
  std::uint32_t args = 0;     ///< a number of Trace::args; 0: none

  std::int64_t end() const { return start + duration; }
};

/// An event that is neither a slice nor a flow: an instant, a counter's value, a step of something
/// asynchronous, a sample, metadata, a beginning that never ended.
struct TracePoint {
  std::int64_t time = 0;     ///< ns; 0 where it has none, as metadata
  std::uint32_t label = 0;   ///< index in Trace::labels
  std::uint32_t thread = 0;  ///< index in Trace::threads
  std::uint32_t id = 0;      ///< a number of Trace::texts: "id", as it stands; 0: none
  std::uint32_t args = 0;    ///< a number of Trace::args; 0: none
  char phase = '\0';         ///< "ph"
};

/// What a copy or set on a device says of its speed.
struct TraceBandwidth {
  std::uint32_t slice = 0;          ///< index in Trace::slices
  double bytes = 0;                 ///< moved; 0 where it does not say
  double gigabytes_per_second = 0;  ///< of 10^9 bytes, as the profiler says it
};

/// One end of an arrow.
struct TraceFlow {
  enum class Step : std::uint8_t { kStart, kStep, kEnd };
  std::int64_t time = 0;       ///< ns
  std::uint64_t key = 0;       ///< equal for the ends of one flow, and for no others
  std::uint32_t category = 0;  ///< a number of Trace::texts
  std::uint32_t thread = 0;
  Step step = Step::kStart;
};

/// What could not be taken as it is.
struct TraceProblem {
  std::int64_t offset = 0;  ///< in the decompressed file
  std::string reason;
};

/// Nothing is lost: events == slices + pairs + flow_events + points + fillers + refused.
struct Trace {
  TextPool texts;
  std::vector<TraceLabel> labels{TraceLabel()};
  std::vector<TraceThread> threads;
  schema::SegmentedVector<TraceSlice> slices;  ///< in the file's order
  TraceArgsTable args;
  schema::SegmentedVector<TraceFlow> flows;
  /// In the file's order; behind them begins that never ended, by thread.
  schema::SegmentedVector<TracePoint> points;
  schema::SegmentedVector<TraceBandwidth> bandwidths;  ///< by slice, at most one of each
  /// What its `[memory]` events add up to; none of an XPlane profile.
  MemoryByDevice memory;
  /// The wall clock's ns since 1970 at time 0, where the file says it (baseTimeNanoseconds).
  std::int64_t base_time = 0;
  /// The newest CUDA that the driver knows, as cuDriverGetVersion() says it: 12040 is 12.4; 0: the
  /// file does not say (cuda_driver_version).
  std::int64_t cuda_driver = 0;
  std::int64_t events = 0;       ///< objects of the event list
  std::int64_t broken = 0;       ///< that could not be read; not among `events`
  std::int64_t fillers = 0;      ///< `{}`, which closes the lists of some writers
  std::int64_t refused = 0;      ///< read, but not usable (no time, no phase), each a problem
  std::int64_t pairs = 0;        ///< slices made of a B and an E event
  std::int64_t flow_events = 0;  ///< s, t and f; `flows` may be more (bind_id)
  std::int64_t unclosed = 0;     ///< begins without an end
  std::int64_t unmatched = 0;    ///< ends without a begin
  std::int64_t problem_count = 0;
  std::vector<TraceProblem> problems;  ///< the first kMostProblems
  static constexpr std::size_t kMostProblems = 100;
  /// Counts a problem, and keeps it if it is among the first.
  void add_problem(std::int64_t offset, std::string_view reason);
  /// Of an XPlane profile; none of other traces, and of those that an older version stored.
  std::shared_ptr<const XlaProfile> xla;

  /// The label's index in `labels`.
  std::uint32_t put_label(TraceLabel label);
  /// Gives each label the role of the threads that its slices are on, once all threads are named.
  /// A label on threads of several roles becomes several where `may_split`, and has none else.
  /// Returns how many labels were added.
  std::size_t assign_roles(bool may_split);

  // What the numbers of slices and points stand for.
  template <class Event>
  std::string_view name(const Event& event) const {
    return texts[labels[event.label].name];
  }
  template <class Event>
  std::string_view category(const Event& event) const {
    return texts[labels[event.label].category];
  }
  template <class Event>
  TraceArgs args_of(const Event& event) const {
    return args[event.args];
  }

 private:
  std::vector<std::uint32_t> label_table_;  // numbers by hash, open addressing; 0: no label
};

}  // namespace benchhud::trace
