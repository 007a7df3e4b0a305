#include "ingest/trace/trace_flow_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace benchhud::ingest {

using trace::TraceFlow;
using trace::TraceSlice;
using Step = TraceFlow::Step;

TraceFlow TraceFlowBuilder::flow_of(const End& end, const RawTraceEvent& event,
                                    const TraceToken& id) {
  key_.assign(reinterpret_cast<const char*>(&end.category), sizeof(end.category));
  key_ += id.text();
  const bool is_local =
      id.kind == TraceToken::Kind::kNested && id.text().find("\"local\"") != id.text().npos;
  if (is_local) {
    key_ += '\0';
    key_ += event.process.text();
  }
  TraceFlow flow;
  flow.time = end.time;
  const std::size_t known = keys_.size();
  flow.key = keys_.put(key_);
  if (keys_.size() > known) key_bytes_ += key_.size();
  flow.category = end.category;
  flow.thread = end.thread;
  flow.step = end.step;
  return flow;
}

void TraceFlowBuilder::add(const End& end, const RawTraceEvent& event, const TraceToken& id) {
  trace_->flows.push_back(flow_of(end, event, id));
}

void TraceFlowBuilder::add_event(const End& end, const RawTraceEvent& event) {
  const TraceFlow flow = flow_of(end, event, event.id);
  const bool is_end = end.step == Step::kEnd;
  const bool binds_to_next = is_end && event.bind_point.text() != "e";
  if (is_end && end.time == 0) {
    at_zero_.push_back({flow, event.offset, binds_to_next});
  } else {
    keep(flow, binds_to_next);
  }
}

void TraceFlowBuilder::give_up() {
  keys_ = {};
  key_ = {};
  at_zero_ = {};
  bound_to_next_ = {};
}

void TraceFlowBuilder::note_lost_record(std::uint32_t thread) {
  if (has_lost_record_.size() <= thread) has_lost_record_.resize(thread + 1);
  has_lost_record_[thread] = true;
}

void TraceFlowBuilder::keep(const TraceFlow& flow, bool binds_to_next) {
  ++trace_->flow_events;
  if (binds_to_next) bound_to_next_.push_back(static_cast<std::uint32_t>(trace_->flows.size()));
  trace_->flows.push_back(flow);
}

void TraceFlowBuilder::finish(const std::function<void(std::int64_t, std::string_view)>& refuse) {
  for (const Held& held : at_zero_) {
    const std::uint32_t thread = held.flow.thread;
    if (thread < has_lost_record_.size() && has_lost_record_[thread]) {
      refuse(held.offset, "the end of a flow at a device record whose times were lost");
    } else {
      keep(held.flow, held.binds_to_next);
    }
  }
  at_zero_.clear();
  bind_to_next_slices();
}

// Moves ends to the beginning of the first slice of their thread that begins then or later. One
// that has none stays where it is.
void TraceFlowBuilder::bind_to_next_slices() {
  if (bound_to_next_.empty()) return;
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  auto& flows = trace_->flows;
  using Place = std::pair<std::uint32_t, std::int64_t>;  // thread, time
  const auto place_of = [&](std::uint32_t at) { return Place(flows[at].thread, flows[at].time); };
  std::sort(bound_to_next_.begin(), bound_to_next_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place_of(a) < place_of(b); });
  // Of each end, the earliest slice that begins before the thread's next end: what follows that one
  // is looked at below.
  std::vector<std::int64_t> next(bound_to_next_.size(), kNone);
  for (const TraceSlice& slice : trace_->slices) {
    const auto after = std::partition_point(
        bound_to_next_.begin(), bound_to_next_.end(),
        [&](std::uint32_t at) { return place_of(at) <= Place(slice.thread, slice.start); });
    if (after == bound_to_next_.begin()) continue;
    if (flows[*(after - 1)].thread != slice.thread) continue;
    std::int64_t& earliest = next[static_cast<std::size_t>(after - bound_to_next_.begin()) - 1];
    earliest = std::min(earliest, slice.start);
  }
  for (std::size_t i = next.size() - 1; i-- > 0;) {
    if (flows[bound_to_next_[i]].thread != flows[bound_to_next_[i + 1]].thread) continue;
    next[i] = std::min(next[i], next[i + 1]);
  }
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i] != kNone) flows[bound_to_next_[i]].time = next[i];
  }
  bound_to_next_.clear();
}

}  // namespace benchhud::ingest
