// Builds a trace in a thread of its own, while the next events are looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ingest/text/bounded_queue.h"
#include "ingest/trace/trace_builder.h"
#include "ingest/trace/trace_scanner.h"

namespace benchhud::ingest {

/// Passes on to a builder what a scanner finds, in batches. Until it is destroyed nobody else may
/// touch the builder.
class TraceBuildThread : public TraceEvents {
 public:
  /// Throws std::system_error where there are no more threads to be had.
  explicit TraceBuildThread(TraceBuilder* builder);
  /// Waits until everything is built.
  ~TraceBuildThread() override;

  RawTraceEvent* begin_event() override;
  void end_event(bool is_whole) override;
  void on_broken(std::int64_t offset, std::string_view reason) override;
  void on_number(TraceNumber number, std::int64_t offset, std::string_view text) override;

  /// Hands over what was found, with the scanner's bytes. To be called after each of its feed().
  void hand_over(TraceScanner* scanner);

 private:
  // What is not an event, and how many events of its batch come before it.
  struct Note {
    std::optional<TraceNumber> number;  // none: something is broken
    std::size_t place = 0;
    std::int64_t offset = 0;
    std::string text;
  };
  struct Batch {
    std::vector<char> bytes;  // that the events point into
    std::vector<RawTraceEvent> events;
    std::vector<Note> notes;

    void clear();
  };

  void run();
  static void build(const Batch& batch, TraceBuilder* builder);

  TraceBuilder* builder_;
  Batch batch_;
  BoundedQueue<Batch> found_, built_;  // batches go round
  std::thread thread_;
};

}  // namespace benchhud::ingest
