// Traces made by hand, for tests.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/trace/trace_context.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

class TraceBuilder {
 public:
  static constexpr std::uint32_t kThreads = 8;

  TraceBuilder() { trace_.threads.resize(kThreads); }

  /// Returns the slice's index. `correlation` is its sequence number, too.
  std::uint32_t add(std::string_view category, std::string_view name, std::uint32_t thread,
                    std::int64_t start, std::int64_t end, std::int64_t correlation = -1) {
    trace::TraceSlice slice;
    slice.start = start;
    slice.duration = end - start;
    slice.label = trace_.put_label({trace_.texts.put(name), trace_.texts.put(category)});
    slice.thread = thread;
    if (correlation >= 0) {
      trace::TraceArgs args;
      args.correlation = correlation;
      args.sequence = correlation;
      slice.args = trace_.args.put(args);
    }
    trace_.slices.push_back(slice);
    return static_cast<std::uint32_t>(trace_.slices.size() - 1);
  }
  std::uint32_t op(std::string_view name, std::int64_t start, std::int64_t end) {
    return add("cpu_op", name, 0, start, end);
  }

  void set_external_id(std::uint32_t slice, std::int64_t id) {
    trace::TraceArgs args = trace_.args_of(trace_.slices[slice]);
    args.external_id = id;
    trace_.slices[slice].args = trace_.args.put(args);
  }

  void set_origin(std::uint32_t slice, std::string_view origin) {
    trace::TraceArgs args = trace_.args_of(trace_.slices[slice]);
    args.origin = trace_.texts.put(origin);
    trace_.slices[slice].args = trace_.args.put(args);
  }
  void flow(trace::TraceFlow::Step step, std::uint64_t key, std::string_view category = "",
            std::uint32_t thread = 0, std::int64_t time = 0) {
    trace::TraceFlow flow;
    flow.step = step;
    flow.key = key;
    flow.category = trace_.texts.put(category);
    flow.thread = thread;
    flow.time = time;
    trace_.flows.push_back(flow);
  }

  void bandwidth(std::uint32_t slice, double bytes, double gigabytes_per_second) {
    trace_.bandwidths.push_back({slice, bytes, gigabytes_per_second});
  }

  trace::Trace& trace() { return trace_; }
  const trace::Trace& trace() const { return trace_; }

 private:
  trace::Trace trace_;
};

/// A builder's trace with its nesting, for analyses.
struct NestedTrace {
  explicit NestedTrace(const TraceBuilder& builder)
      : nesting(trace::nest(builder.trace())), context(builder.trace(), nesting) {}

  trace::TraceNesting nesting;
  TraceContext context;
};

}  // namespace benchhud::analysis
