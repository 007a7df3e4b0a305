// Finds the events in the bytes of a Chrome trace, without judging them. Takes what real files
// hold: the list alone or within an object, a list that never ends, commas too many, texts with
// quotes and control characters that JSON forbids, words where numbers belong.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// A value as it stands in the file.
struct TraceToken {
  enum class Kind : std::uint8_t { kAbsent, kBare, kString, kNested };
  Kind kind = Kind::kAbsent;
  /// kString: what is between the quotes, escapes and all; kNested: with its brackets.
  std::string_view text;

  explicit operator bool() const { return kind != Kind::kAbsent; }
};

/// An event's members. Of a member that comes twice the last counts.
struct RawTraceEvent {
  TraceToken phase, name, category, time, duration, process, thread, id, bind_id, flow_in, flow_out,
      args;
  std::int64_t offset = 0;  ///< of its '{' in the file
  bool is_empty = true;
};

/// Calls `on_field(key, value)` for the members of an object's text. Stops at what it cannot read.
void for_each_field(std::string_view object,
                    const std::function<void(std::string_view, TraceToken)>& on_field);

/// What finds events tells.
class TraceEvents {
 public:
  virtual ~TraceEvents() = default;
  /// Everything pointed to lives until the call returns.
  virtual void on_event(const RawTraceEvent& event) = 0;
  /// An event that cannot be read, or what stands where one is expected; the next one is looked
  /// for.
  virtual void on_broken(std::int64_t offset, std::string_view reason) = 0;
  /// The outermost object's baseTimeNanoseconds, as it stands, and the place of its key.
  virtual void on_base_time(std::int64_t offset, std::string_view nanoseconds) = 0;
};

/// Fed with the file's bytes from front to back. Memory: the longest event, at most kLongestEvent.
/// Time is linear in the bytes, whatever they are.
class TraceScanner {
 public:
  static constexpr std::size_t kLongestEvent = std::size_t{64} << 20;

  explicit TraceScanner(TraceEvents* events) : events_(events) {}

  void feed(std::string_view bytes);
  /// At the end of the file.
  void finish();
  /// Whether a list of events was found.
  bool has_list() const { return has_list_; }
  /// Bytes fed so far and done with.
  std::int64_t offset() const { return offset_ + static_cast<std::int64_t>(place_); }

 private:
  enum class Where : std::uint8_t { kStart, kMembers, kSkip, kList, kLost, kAfter };

  void scan(bool is_last);
  bool scan_start();
  bool scan_members(bool is_last);
  bool scan_skipped();
  bool scan_list(bool is_last);
  bool find_event(bool is_last);
  void lose();
  void report(std::size_t at, std::string_view reason);
  bool skip_space(std::string_view also = "");

  TraceEvents* events_;
  std::string buffer_;
  std::size_t place_ = 0;    // in buffer_; what is before it is done with
  std::int64_t offset_ = 0;  // of buffer_ in the file
  Where where_ = Where::kStart;
  bool is_object_ = false;  // the list is within an object
  bool has_list_ = false;
  char before_[2] = {};  // while the next event is looked for: what was passed last, but for space
  // While a member of that object is skipped:
  std::int64_t skip_depth_ = 0;
  bool skip_in_string_ = false, skip_escaped_ = false;
};

}  // namespace benchhud::ingest
