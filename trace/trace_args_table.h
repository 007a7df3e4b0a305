// The arguments of a trace's events: those that tie events together, and where all of them are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "schema/base/segmented_vector.h"

namespace benchhud::trace {

/// An event's arguments: where all of them are kept, and those that tie events together.
struct TraceArgs {
  static constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();
  static constexpr std::uint64_t kNotKept = std::numeric_limits<std::uint64_t>::max();
  std::int64_t correlation = kAbsent;  ///< of a launch and what it launched
  std::int64_t external_id = kAbsent;  ///< of the operator behind
  std::int64_t sequence = kAbsent;     ///< of autograd: forward and its backward
  /// Their number among the packed arguments, which are kept only if asked for.
  std::uint64_t packed = kNotKept;
  /// Where an event comes from, a number of Trace::texts: of a kernel Inductor's `kernel_backend`
  /// or XLA's `hlo_category`, of a phase of compiling Dynamo's `compile_id`.
  std::uint32_t origin = 0;
};

/// Arguments of many events. Most have one or two small numbers: those take 8 or 12 bytes of
/// memory.
class TraceArgsTable {
 public:
  TraceArgsTable() { put({}); }
  /// The number under which they are found; 0 is none. Numbers grow, but not by one.
  std::uint32_t put(const TraceArgs& args);
  TraceArgs operator[](std::uint32_t number) const;
  /// All numbers are below this, and the next one is this.
  std::size_t size() const { return words_.size(); }

 private:
  // Each begins with a word that says what follows and how wide it is.
  schema::SegmentedVector<std::uint32_t> words_;
};

/// Where a reader puts the arguments of events, whole, while it reads.
class TraceArgsSink {
 public:
  virtual ~TraceArgsSink() = default;
  /// `json`: as it stands in the file, an object's text, not always what a strict parser reads.
  /// Returns what TraceArgs::packed keeps.
  virtual std::uint64_t put(std::string_view json) = 0;
};

}  // namespace benchhud::trace
