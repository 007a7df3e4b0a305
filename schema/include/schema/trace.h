// A trace as read from a file: what happened when, on which thread or stream. Times are whole
// nanoseconds, as the file's decimal microseconds say them exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace benchhud::schema {

/// Texts that come again and again, each kept once.
class TextPool {
 public:
  /// The text's number; 0 is "".
  std::uint32_t put(std::string_view text);
  std::string_view operator[](std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_{std::string()};
  std::unordered_map<std::string_view, std::uint32_t> numbers_{{std::string_view(), 0}};
};

/// A thread of a process or a stream of a device, as the file names them.
struct TraceThread {
  std::string pid, tid;  ///< numbers or any text
  std::string process_name, name;
};

/// Something with a beginning and an end on a thread.
struct TraceSlice {
  std::int64_t start = 0;                ///< ns
  std::int64_t duration = 0;             ///< ns
  std::uint32_t name = 0, category = 0;  ///< numbers of Trace::texts
  std::uint32_t thread = 0;              ///< index in Trace::threads
  std::uint32_t args = 0;                ///< index in Trace::args; 0: none that matter

  std::int64_t end() const { return start + duration; }
};

/// What ties slices together. kAbsent where the file has none.
struct SliceArgs {
  static constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();
  std::int64_t correlation = kAbsent;  ///< of a launch and what it launched
  std::int64_t external_id = kAbsent;  ///< of the operator behind
  std::int64_t sequence = kAbsent;     ///< of autograd: forward and its backward
  std::uint32_t kernel_backend = 0;    ///< a number of Trace::texts
};

/// One end of an arrow.
struct TraceFlow {
  enum class Step : std::uint8_t { kStart, kStep, kEnd };
  std::int64_t time = 0;       ///< ns
  std::uint64_t key = 0;       ///< equal for the ends of one flow: of category and id
  std::uint32_t category = 0;  ///< a number of Trace::texts
  std::uint32_t thread = 0;
  Step step = Step::kStart;
};

/// What could not be taken as it is.
struct TraceProblem {
  std::int64_t offset = 0;  ///< in the decompressed file
  std::string reason;
};

struct Trace {
  TextPool texts;
  std::vector<TraceThread> threads;
  std::vector<TraceSlice> slices;  ///< in the file's order
  std::vector<SliceArgs> args{SliceArgs()};
  std::vector<TraceFlow> flows;
  std::int64_t events = 0;     ///< objects of the event list
  std::int64_t broken = 0;     ///< that could not be read; not among `events`
  std::int64_t unclosed = 0;   ///< begins without an end
  std::int64_t unmatched = 0;  ///< ends without a begin
  std::int64_t problem_count = 0;
  std::vector<TraceProblem> problems;  ///< the first kMostProblems
  static constexpr std::size_t kMostProblems = 100;
};

}  // namespace benchhud::schema
