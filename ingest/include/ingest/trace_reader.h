// Reads Chrome traces: what PyTorch's profiler (kineto and the older one), XProf and Chrome write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schema/errors.h"
#include "schema/trace.h"

namespace benchhud::ingest {

/// A decimal number of microseconds ("1700000000000000.123", "1.5e3") as nanoseconds, exactly:
/// never by way of a double, which has no place for the nanoseconds of today's epoch. What is finer
/// than a nanosecond is rounded to the nearest. Nothing if it is no number or beyond 64 bits.
std::optional<std::int64_t> microseconds_to_ns(std::string_view decimal);

/// Takes a file's bytes from front to back, decompressed.
///
/// Slices are X events and B/E pairs; metadata name threads; flows are s, t and f events and the
/// older bind_id form. Events of other phases are counted only. What cannot be read costs itself:
/// it is counted, and the first of them are listed with their place. Not thread-safe.
class TraceReader {
 public:
  TraceReader();
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;

  void feed(std::string_view bytes);
  /// `damage`: why the bytes ended before their time, if they did; a problem of the trace.
  schema::Trace finish(std::string_view damage = "");
  /// Whether a list of events was found.
  bool has_list() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a file, gzip of one or several members or plain. Damaged compression is a problem of the
/// trace, not an error. Errors: kIo; kUnsupported where the file has no list of events.
schema::Expected<schema::Trace> read_trace(const std::string& path);

}  // namespace benchhud::ingest
