// Finds the events in the bytes of a Chrome trace, without judging them. Takes what real files
// hold: the list alone or within an object, a list that never ends, commas too many, texts with
// quotes and control characters that JSON forbids, words where numbers belong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/trace/trace_event.h"
#include "ingest/trace/trace_syntax.h"

namespace benchhud::ingest {

/// Fed with the file's bytes from front to back. Memory: the longest event, at most kLongestEvent.
/// Time is linear in the bytes, whatever they are.
class TraceScanner {
 public:
  static constexpr std::size_t kLongestEvent = std::size_t{8} << 20;

  explicit TraceScanner(TraceEvents* events) : events_(events) {}

  /// From now on someone else is told.
  void tell(TraceEvents* events) { events_ = events; }

  void feed(std::string_view bytes);
  /// At the end of the file.
  void finish();
  /// Whether a list of events was found.
  bool has_list() const { return has_list_; }
  /// Leaves the bytes that the events of the last feed() point into in `*bytes`, where they do not
  /// move, and takes those that were there as room for what comes. Otherwise they are gone with the
  /// next feed().
  void exchange_bytes(std::vector<char>* bytes);
  /// Bytes fed so far and done with.
  std::int64_t offset() const { return offset_ + static_cast<std::int64_t>(place_); }

 private:
  enum class Where : std::uint8_t { kStart, kMembers, kSkip, kList, kLost, kAfter };

  void scan(bool is_last);
  bool scan_start();
  bool scan_members(bool is_last);
  bool scan_skipped(bool is_last);
  bool skip_text(bool is_last);
  bool scan_list(bool is_last);
  bool find_event(bool is_last);
  TraceSyntax syntax(bool is_last);
  bool wait();
  void lose();
  void report(std::size_t at, std::string_view reason);
  bool skip_space(std::string_view also = "");

  TraceEvents* events_;
  std::vector<char> buffer_;
  std::size_t place_ = 0;    // in buffer_; what is before it is done with
  std::int64_t offset_ = 0;  // of buffer_ in the file
  std::size_t wanted_ = 0;   // bytes behind place_; with fewer, scanning is no use
  TextGap gap_;              // in buffer_
  // In the file: what was read up to there belonged to an event that was broken. Events before it
  // are read for the second time, and none of them may take as much again in vain.
  std::int64_t suspect_until_ = 0;
  Where where_ = Where::kStart;
  bool is_object_ = false;  // the list is within an object
  bool has_list_ = false;
  // What cannot be read began where an event of the list should, and no event was read since.
  bool is_between_events_ = false;
  char before_[2] = {};  // while the next event is looked for: what was passed last, but for space
  // While a member of that object is skipped:
  std::int64_t skip_depth_ = 0;
  bool skip_in_text_ = false, skip_escaped_ = false;  // in one that is longer than any event
};

}  // namespace benchhud::ingest
