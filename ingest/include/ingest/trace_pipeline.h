// Reads a large trace in two more threads: one looks for events, the other builds the trace.
#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "ingest/bounded_queue.h"
#include "ingest/trace_build_thread.h"
#include "ingest/trace_builder.h"
#include "ingest/trace_scanner.h"

namespace benchhud::ingest {

/// Until it is destroyed nobody else may touch the scanner and the builder.
class TracePipeline {
 public:
  /// Throws std::system_error where there are no more threads to be had.
  TracePipeline(TraceScanner* scanner, TraceBuilder* builder);
  /// Waits until all that was fed is scanned and built, but for what the scanner keeps for more to
  /// come.
  ~TracePipeline();

  void feed(std::string_view bytes);

 private:
  void run();

  TraceScanner* scanner_;
  TraceBuildThread builder_;
  BoundedQueue<std::string> fed_;
  std::thread thread_;
};

}  // namespace benchhud::ingest
