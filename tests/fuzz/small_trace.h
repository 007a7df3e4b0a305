// A stored trace that has something of everything, for targets that ask about one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "schema/base/content_hash.h"
#include "schema/db/database.h"
#include "trace/trace.h"
#include "trace/trace_args.h"
#include "trace/trace_nesting.h"
#include "trace/trace_store.h"

namespace benchhud::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Slices within slices on two threads, arrows, a counter, something asynchronous, arguments, some
/// of which are no JSON.
inline void put_small_trace(schema::Connection& connection) {
  trace::Trace trace;
  trace::PackedArgs packed;
  const auto label = [&](const std::string& name, const std::string& category) {
    return trace.put_label({trace.texts.put(name), trace.texts.put(category)});
  };
  const auto args = [&](const std::string& text, std::int64_t correlation) {
    trace::TraceArgs of;
    of.packed = packed.put(text);
    of.correlation = correlation;
    return trace.args.put(of);
  };
  for (const char* tid : {"1", "stream 7"}) {
    trace.threads.emplace_back().pid = "1";
    trace.threads.back().tid = tid;
    trace.threads.back().process_name = "python";
  }
  for (std::int64_t i = 0; i < 300; ++i) {
    const std::int64_t time = 1'000'000 + i * 100;
    const std::string number = std::to_string(i);
    const bool is_text = i % 50 == 0;
    const auto of = args(is_text ? "{broken" : "{\"i\": " + number + ", \"s\": \"x\"}", i);
    trace.slices.push_back({time, 90, label("aten::op" + std::to_string(i % 7), "cpu_op"), 0, of});
    trace.slices.push_back({time + 10, 30, label("cudaLaunchKernel", "cuda_runtime"), 0, of});
    trace.slices.push_back({time + 50, 40, label("kernel \"é\"", "kernel"), 1, of});
    const auto category = trace.texts.put("ac2g");
    using Step = trace::TraceFlow::Step;
    const auto key = static_cast<std::uint64_t>(i);
    trace.flows.push_back({time + 10, key, category, 0, Step::kStart});
    trace.flows.push_back({time + 50, key, category, 1, Step::kEnd});
    const auto used = args("{\"used\": " + number + "}", i);
    trace.points.push_back({time, label("memory", ""), 0, 0, used, 'C'});
    const auto id = trace.texts.put(std::to_string(i % 3));
    trace.points.push_back({time, label("request", "net"), 0, id, 0, i % 2 ? 'e' : 'b'});
    trace.points.push_back({time, label("mark", ""), 1, 0, 0, 'i'});
  }
  const auto nesting = trace::nest(trace, trace::NestingRows::kYes);
  require(trace::put_trace(connection, trace, nesting, &packed, schema::content_hash("small"), 1)
              .has_value());
}

}  // namespace benchhud::fuzz
