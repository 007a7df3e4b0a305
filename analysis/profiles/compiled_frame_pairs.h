// Which frames of two TORCH_TRACE logs are the same, though numbers, lines and folders moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/results/torch_trace_store.h"

namespace benchhud::analysis {

/// Where a frame goes on behind a graph break.
struct ResumedFunction {
  std::string function;
  std::int64_t line = 0;
};
/// Of a name as "torch_dynamo_resume_in_forward_at_43"; none of any other.
std::optional<ResumedFunction> resumed_function(std::string_view name);

/// A compilation with what it put out, in the log's order.
struct LoggedCompilation {
  schema::StoredCompilation stored;
  std::vector<schema::StoredOutput> outputs;
};

/// A frame that was compiled, with all its compilations.
struct LoggedFrame {
  std::string file;  ///< "" where the log does not say it
  /// The function's; of a frame that goes on behind a graph break, of the function that it goes on
  /// with. Of a frame that the log does not name, the frame's part of the compile id.
  std::string name;
  std::int64_t line = 0;  ///< the function's first line, or that at which it goes on
  bool is_resumed = false;
  bool is_named = false;
  std::vector<const LoggedCompilation*> compilations;  ///< in the log's order
};

/// Frames in the order of their first compilations.
std::vector<LoggedFrame> frames_of(const std::vector<LoggedCompilation>& compilations);

/// The same frame in two logs; null where the other log has none.
struct FramePair {
  const LoggedFrame* before = nullptr;
  const LoggedFrame* after = nullptr;
};

/// So many lines one of several functions of one name may move between two nights to be taken for
/// the same: a bound that was set, not measured. It is beyond what is edited in a day, and within
/// the length of a class.
inline constexpr int kMostLineDrift = 100;

/// Frames are the same if file and function are, whatever their number in the log. A file that is
/// not there any more is the one of the same name with the longest common end of its path.
/// A function that a file has once on either side is the same wherever it stands. Of several of one
/// name (`forward` of several classes), and of frames that go on behind graph breaks, those at
/// equal lines are the same; of the rest those that keep their order and move least, none by more
/// than kMostLineDrift. A frame that one log does not name is the one of the same number that is
/// left. In the order of `after`, then what is only in `before`.
std::vector<FramePair> pair_frames(const std::vector<LoggedFrame>& before,
                                   const std::vector<LoggedFrame>& after);

/// Whether a compilation is one of a frame that had been compiled before.
bool is_recompilation(const schema::Compilation& compilation);

}  // namespace benchhud::analysis
