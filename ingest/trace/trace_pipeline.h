// Reads a large trace in two more threads: one looks for events, the other builds the trace.
#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "ingest/text/bounded_queue.h"
#include "ingest/trace/trace_build_thread.h"
#include "ingest/trace/trace_builder.h"
#include "ingest/trace/trace_scanner.h"

namespace benchhud::ingest {

/// Until it is destroyed nobody else may touch the scanner and the builder.
class TracePipeline {
 public:
  /// Throws std::system_error where there are no more threads to be had.
  TracePipeline(TraceScanner* scanner, TraceBuilder* builder);
  ~TracePipeline();

  void feed(std::string_view bytes);
  /// Waits until all that was fed is scanned, but for what the scanner keeps for more to come.
  /// Returns why scanning failed; "" if it did not. Everything is built once this is destroyed.
  std::string finish();

 private:
  void run();

  TraceScanner* scanner_;
  TraceBuildThread builder_;
  BoundedQueue<std::string> fed_;
  std::string failure_;  // written by the thread
  std::thread thread_;
};

}  // namespace benchhud::ingest
