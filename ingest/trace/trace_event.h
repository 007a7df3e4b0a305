// An event as it stands in a trace's file.
#pragma once

#include <cstdint>
#include <string_view>

namespace benchhud::ingest {

/// A value as it stands in the file.
struct TraceToken {
  enum class Kind : std::uint8_t { kAbsent, kBare, kString, kNested };
  const char* begin = nullptr;
  std::uint32_t size = 0;
  Kind kind = Kind::kAbsent;
  bool has_escapes = false;  ///< of a kString: a backslash

  explicit operator bool() const { return kind != Kind::kAbsent; }
  /// kString: what is between the quotes, escapes and all; kNested: with its brackets.
  std::string_view text() const { return {begin, size}; }
};

/// The members of an event's arguments that mean something to a reader.
struct RawTraceArgs {
  TraceToken correlation, external_id, sequence, origin, compile_id, bytes, bandwidth, name, labels,
      sort_index;
};

/// An event's members. Of a member that comes twice the last counts.
struct RawTraceEvent {
  TraceToken phase, name, category, time, duration, process, thread, id, bind_id, bind_point,
      flow_in, flow_out, args;
  RawTraceArgs arg;
  std::int64_t offset = 0;  ///< of its '{' in the file
  bool is_empty = true;
};

/// Numbers that the outermost object says of the trace.
enum class TraceNumber : std::uint8_t { kBaseTime, kCudaDriver };

/// What finds events tells.
class TraceEvents {
 public:
  virtual ~TraceEvents() = default;
  /// An empty event, to be filled where it stays. end_event() follows before anything else does.
  virtual RawTraceEvent* begin_event() = 0;
  /// The event counts if it is whole. Everything that it points to lives until the call returns.
  virtual void end_event(bool is_whole) = 0;
  /// An event that cannot be read, or what stands where one is expected; the next one is looked
  /// for.
  virtual void on_broken(std::int64_t offset, std::string_view reason) = 0;
  /// A number that the outermost object says of the trace, as it stands, and the place of its key.
  virtual void on_number(TraceNumber number, std::int64_t offset, std::string_view text) = 0;
};

}  // namespace benchhud::ingest
