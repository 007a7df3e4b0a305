// Makes a trace's flows of the ends that its events are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/trace/trace_event.h"
#include "trace/trace.h"

namespace benchhud::ingest {

/// Category and id together, to the letter, identify a flow; an id in `id2.local` is one of its
/// process. Not thread-safe.
class TraceFlowBuilder {
 public:
  /// One end, before its flow is known.
  struct End {
    std::int64_t time = 0;  ///< ns
    trace::TraceFlow::Step step = trace::TraceFlow::Step::kStart;
    std::uint32_t category = 0;  ///< a number of Trace::texts
    std::uint32_t thread = 0;    ///< index in Trace::threads
  };

  explicit TraceFlowBuilder(trace::Trace* trace) : trace_(trace) {}

  /// An end of the flow that `id` names, at the slice that begins then.
  void add(const End& end, const RawTraceEvent& event, const TraceToken& id);
  /// An s, t or f event. It belongs to the slice around it, but an `f` without `"bp": "e"` belongs
  /// to the next slice of its thread.
  void add_event(const End& end, const RawTraceEvent& event);
  /// That thread has a device record whose times were lost: ends of flows at time 0 are its own.
  void note_lost_record(std::uint32_t thread);
  /// Bytes of the texts by which flows are known: what their ids take, which may be of any length.
  std::size_t key_bytes() const { return key_bytes_; }
  /// Gives back what all keys take; nothing is to be added any more.
  void give_up();
  /// After the last event. `refuse` gets the offset of each event that is not used, and why.
  void finish(const std::function<void(std::int64_t, std::string_view)>& refuse);

 private:
  struct Held {
    trace::TraceFlow flow;
    std::int64_t offset = 0;  // of its event
    bool binds_to_next = false;
  };

  trace::TraceFlow flow_of(const End& end, const RawTraceEvent& event, const TraceToken& id);
  void keep(const trace::TraceFlow& flow, bool binds_to_next);
  void bind_to_next_slices();

  trace::Trace* const trace_;
  trace::TextPool keys_;  // of category, id and process; a key is its number
  std::string key_;       // that is looked for
  std::size_t key_bytes_ = 0;
  std::vector<std::uint32_t> bound_to_next_;  // places in Trace::flows
  std::vector<bool> has_lost_record_;         // by thread
  std::vector<Held> at_zero_;                 // ends that may be those of lost records
};

}  // namespace benchhud::ingest
