// Reads Chrome traces: what PyTorch's profiler (kineto and the older one), XProf and Chrome write.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ingest/text/source_file.h"
#include "schema/base/errors.h"
#include "trace/trace.h"

namespace benchhud::ingest {

/// Takes a file's bytes from front to back, decompressed.
///
/// Slices are X events and B/E pairs; flows are s, t and f events and the older bind_id form; all
/// others are points, and metadata name and order threads besides. What cannot be read costs
/// itself: it is counted, and the first of them are listed with their place. Not thread-safe; from
/// 4 MiB on other threads do the work, one of which calls the sink.
///
/// Memory: see TraceBuilder. A trace that exceeds the budget is refused as a whole, for what would
/// be left of it is another trace.
class TraceReader {
 public:
  /// `sink`, if there is one, gets the whole arguments of slices and points while the file is read;
  /// those of a B/E pair in one. Without one they are not kept.
  explicit TraceReader(trace::TraceArgsSink* sink = nullptr);
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;

  void feed(std::string_view bytes);
  /// `damage`: why the bytes ended before their time, if they did; a problem of the trace.
  trace::Trace finish(std::string_view damage = "");
  /// Whether a list of events was found; after finish().
  bool has_list() const;
  /// Why the trace was refused: it exceeds the memory budget, or there was no memory for it. "" if
  /// it was not; after finish().
  const std::string& refusal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a file from its beginning. Damaged compression is a problem of the trace, not an error.
/// `sink`: as above. Errors: kIo; kUnsupported where the file has no list of events; kTooLarge
/// where it was refused.
schema::Expected<trace::Trace> read_trace(SourceFile file, trace::TraceArgsSink* sink = nullptr);
/// The same of a file that is opened for it.
schema::Expected<trace::Trace> read_trace(const std::string& path,
                                          trace::TraceArgsSink* sink = nullptr);

}  // namespace benchhud::ingest
