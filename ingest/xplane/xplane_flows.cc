#include "ingest/xplane/xplane_flows.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>

namespace benchhud::ingest {

using trace::TraceFlow;
using FlowKind = XplaneFlowEnd::Kind;

namespace {

// Of the side of a key that has fewer: pairs are not more than eight times the ends.
constexpr std::size_t kMostOfFewer = 4;

auto key_of(const XplaneFlowEnd& end) { return std::tuple(end.kind, end.type, end.id); }

// Whether a launch and a run have an arrow already, as a producer and its consumer.
bool is_linked(const XplaneFlowEnd& launch, const XplaneFlowEnd& run) {
  return launch.peer && launch.peer == run.peer && launch.peer_type == run.peer_type;
}

class FlowPairing {
 public:
  explicit FlowPairing(trace::Trace* trace) : trace_(trace) {
    // The first is what PyTorch's profiler calls it.
    constexpr std::array<std::string_view, 4> kCategories = {"ac2g", "producer_consumer", "flow",
                                                             "run"};
    for (std::size_t i = 0; i < kCategories.size(); ++i) {
      categories_[i] = trace->texts.put(kCategories[i]);
    }
  }

  // All ends of a key, starts first.
  void put(std::span<const XplaneFlowEnd> ends) {
    const bool is_run = ends.front().kind == FlowKind::kRun;
    counts_.keys += !is_run;
    const auto first_end = std::find_if(ends.begin(), ends.end(),
                                        [](const XplaneFlowEnd& end) { return !end.is_start; });
    const std::span<const XplaneFlowEnd> starts(ends.begin(), first_end);
    const std::span<const XplaneFlowEnd> targets(first_end, ends.end());
    if (starts.empty() || targets.empty()) {
      if (is_run) {
        counts_.runs_without_launch += std::ssize(targets);
        counts_.launches_without_run += std::ssize(starts);
      } else {
        ++(starts.empty() ? counts_.only_end : counts_.only_start);
      }
      return put_flow(ends);
    }
    if (is_run) counts_.linked_runs += std::ssize(targets);
    counts_.with_both += !is_run;
    if (std::min(starts.size(), targets.size()) > kMostOfFewer) {
      ++counts_.crowded;
      return put_flow(ends);
    }
    for (const XplaneFlowEnd& start : starts) {
      for (const XplaneFlowEnd& target : targets) {
        if (start.kind == FlowKind::kFlow && start.event == target.event) continue;
        if (is_run && is_linked(start, target)) continue;
        ++counts_.arrows;
        const std::array pair = {start, target};
        put_flow(pair);
      }
    }
  }

  const XplaneFlowCounts& counts() const { return counts_; }

 private:
  void put_flow(std::span<const XplaneFlowEnd> ends) {
    ++key_;
    for (const XplaneFlowEnd& end : ends) {
      TraceFlow flow;
      flow.time = end.time;
      flow.key = key_;
      flow.category = categories_[static_cast<std::size_t>(end.kind)];
      flow.thread = end.thread;
      flow.step = end.is_start ? TraceFlow::Step::kStart : TraceFlow::Step::kEnd;
      trace_->flows.push_back(flow);
    }
  }
  trace::Trace* const trace_;
  std::array<std::uint32_t, 4> categories_{};
  std::uint64_t key_ = 0;
  XplaneFlowCounts counts_;
};

}  // namespace

XplaneFlowCounts put_xplane_flows(std::vector<XplaneFlowEnd> ends, trace::Trace* trace) {
  if (ends.empty()) return {};
  std::sort(ends.begin(), ends.end(), [](const XplaneFlowEnd& a, const XplaneFlowEnd& b) {
    return std::tuple_cat(key_of(a), std::tuple(!a.is_start, a.time, a.event)) <
           std::tuple_cat(key_of(b), std::tuple(!b.is_start, b.time, b.event));
  });
  FlowPairing pairing(trace);
  for (auto first = ends.begin(); first != ends.end();) {
    const auto last = std::find_if(
        first, ends.end(), [&](const XplaneFlowEnd& end) { return key_of(end) != key_of(*first); });
    pairing.put({first, last});
    first = last;
  }
  return pairing.counts();
}

}  // namespace benchhud::ingest
