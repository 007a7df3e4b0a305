// What differs between two TORCH_TRACE logs: what was compiled, why again, where graphs broke, what
// code came of it and how long it took.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/compiled_frame_pairs.h"
#include "analysis/profiles/profile_diff.h"
#include "analysis/profiles/profile_sections.h"
#include "schema/base/errors.h"

namespace benchhud::analysis {

/// A log as a comparison reads it.
struct CompilationLog {
  std::int64_t damaged_payloads = 0, unreadable_lines = 0;
  std::int64_t omitted = 0;  ///< compilations and outputs beyond what is kept of one log
  std::vector<LoggedCompilation> compilations;
};

/// The text that an output names.
using ReadText = std::function<schema::Expected<std::string>(schema::TextId)>;

/// A frame is compiled once a night, so that no scatter of its phases is known. One is said to have
/// changed where it did by this share of what it took before and by so many seconds: bounds that
/// were set, not measured.
inline constexpr double kSlowerShare = 0.25;
inline constexpr double kSlowerSeconds = 0.05;

/// So much text of outputs is read for one comparison, both logs together; what is beyond is left
/// out and said.
inline constexpr std::int64_t kMostTextOfLogs = std::int64_t{64} << 20;

/// A text that a compilation put out, by its place in its log.
struct OutputPlace {
  std::int64_t ordinal = 0;
  std::int64_t byte_count = 0;
};

struct CompilationChange {
  /// The gravest first.
  enum class Kind : std::uint8_t {
    kFailure,        ///< a compilation that fails, with its exception
    kGraphBreak,     ///< with its reason, or by the frame that goes on behind it
    kRecompilation,  ///< with its reason
    kFrame,          ///< a frame that only one log has
    kGraph,          ///< another graph came out
    kCode,           ///< other generated code
    kCache,          ///< another outcome of a cache
    kRestart,        ///< with its reason
    kTime,           ///< a phase that takes longer or shorter
  };
  Kind kind{};
  ProfileChange::Kind change = ProfileChange::Kind::kChanged;
  /// As a log has it; of the later log, or of the earlier one if only that has the frame.
  std::optional<std::string> frame_name, frame_file;
  std::optional<std::int64_t> frame_line;
  std::string compile_id_before, compile_id_after;  ///< of a compilation; "" where there is none
  std::optional<std::int64_t> ordinal_before, ordinal_after;  ///< its place in its log
  /// A reason; kinds of outputs; a cache with its outcomes; a phase. "" where the log has no
  /// reason.
  std::string what;
  /// kTime, kFrame: seconds; kGraph: operations; none where a log does not say them. kCode, kCache:
  /// none. Other kinds: compilations of the frame of which it is true.
  std::optional<double> before, after;
  /// kGraph, kCode: the first output that differs.
  std::optional<OutputPlace> output_before, output_after;
};

/// "failure", "graph_break", "recompilation", "frame", "graph", "code", "cache", "restart", "time".
std::string_view compilation_change_name(CompilationChange::Kind kind);

/// What one log adds up.
struct CompilationCounts {
  std::int64_t compilations = 0, frames = 0, recompilations = 0, restarts = 0, failures = 0;
  std::int64_t resumed_frames = 0;        ///< that go on behind graph breaks
  std::int64_t graph_breaks = 0;          ///< that have a reason
  std::optional<double> seconds;          ///< of the compilations that say it; none if none does
  std::int64_t compilations_untimed = 0;  ///< of which it is not known

  /// Whether `graph_breaks` is their number: of a PyTorch that gives reasons of graph breaks, or
  /// without breaks. Where it is not, how many there are is unknown.
  bool tells_breaks() const { return graph_breaks > 0 || resumed_frames == 0; }
};

CompilationCounts count_compilations(const CompilationLog& log);

/// What a log adds up, as other dumps do: counts, and time by phase, of events where a compilation
/// has some, else of metrics. Phases contain each other: the total is that of the compilations, and
/// there is none where the log does not say the time of each.
std::vector<ProfileSection> profile_sections(const CompilationLog& log);
/// Sentences: what the sections do not say since the log does not, and why.
std::vector<std::string> profile_problems(const CompilationLog& log);

struct CompilationDiff {
  CompilationCounts before, after;
  /// By kind, then in the order of the later log.
  std::vector<CompilationChange> changes;
  std::vector<std::string> unknown;  ///< sentences: what could not be compared, and why
};

/// Compares two logs frame by frame (pair_frames()), and the compilations of a frame in their
/// order. Reasons are equal if comparable_reason() is, code if comparable_code() is. Where one of
/// the logs is of a PyTorch that gives no reasons of graph breaks, breaks are told by the frames
/// that go on behind them. Of phases, begin and end events are compared where both compilations
/// have some, else metrics.
schema::Expected<CompilationDiff> compare_compilations(const CompilationLog& before,
                                                       const CompilationLog& after,
                                                       const ReadText& read_text,
                                                       std::int64_t most_text = kMostTextOfLogs);

/// What changed, as parts of a sentence, the gravest first: what fails, breaks and is compiled
/// again, frames, graphs, code, caches, and the time. Empty where there is no change.
std::vector<std::string> compilation_parts(const CompilationDiff& diff);

/// A frame as a person reads it: "forward (model.py:38)", "forward, resumed at line 43 (model.py)".
std::string frame_text(const CompilationChange& change);

/// A change as a line: "graph break is new in forward (model.py:38): call to print".
std::string change_text(const CompilationChange& change);

}  // namespace benchhud::analysis
