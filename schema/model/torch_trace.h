// What a log of TORCH_TRACE says: what torch.compile compiled in one process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/model/profile.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// A compilation: one occurrence of a compile id in a log. Its attempts (Dynamo restarts the
/// analysis of a frame, for instance at a graph break) are one compilation, and the compilation of
/// its backward graph, which comes later, belongs to it. What the log does not say is unset.
struct Compilation {
  std::string compile_id;       ///< "[!A/]F/C": compiled autograd, frame, recompilation of it
  std::int64_t occurrence = 1;  ///< counted from 1: a cleared Dynamo counts its frames from 0 again
  std::int64_t attempt = 0;     ///< the last one, counted from 0: how often it was restarted
  std::int64_t line = 0;        ///< of its first record, counted from 1
  std::string logged_at;        ///< of that record: "12-06 15:18:20.254", local time without a year
  std::optional<std::string> frame_name, frame_file;
  std::optional<std::int64_t> frame_line;
  /// The text [{"file", "line", "name", "code"}], outermost frame first: who called the frame.
  std::optional<TextId> stack;
  std::optional<double> seconds;  ///< of all attempts, without the backward graph
  /// Of them, of attempts that gave no code: those before the last one, or the one that failed.
  std::optional<double> seconds_before_restart;
  std::optional<std::int64_t> guard_count, shape_guard_count, op_count, node_count, input_count;
  std::optional<std::int64_t>
      cache_size;  ///< compiled versions of the frame that were there before
  std::optional<std::string> fail_type, fail_reason, fail_file;
  std::optional<std::int64_t> fail_line;
  // Arrays of JSON, as the contract's Compilation has them:
  std::string phases;        ///< [{"name", "source", "backward", "seconds", "count"}]
  std::string restarts;      ///< [reason]
  std::string graph_breaks;  ///< [reason]
  std::string recompiles;    ///< [reason]
  std::string caches;        ///< [{"cache", "outcome", "reason"}]
};

/// A graph, generated code, guards or anything else that a record carries.
struct CompilationOutput {
  std::optional<std::int64_t> compilation;  ///< place among the log's; none: of no compile id
  std::int64_t attempt = 0;
  std::int64_t line = 0;  ///< of its record
  std::string kind;       ///< the record's: "dynamo_output_graph"
  std::string name;       ///< an artifact's name, a file's name; "" where it has none
  std::string encoding;   ///< an artifact's: "json", "string"; "" where none is named
  std::int64_t byte_count = 0;
  std::optional<TextId> text;  ///< none where it is too long to be kept
};

/// A log without its compilations, as the store has it.
struct TorchTraceSummary {
  std::optional<std::int64_t> rank;
  std::int64_t record_count = 0, sound_payloads = 0, damaged_payloads = 0, unreadable_lines = 0;
  std::int64_t omitted = 0;
  std::string kinds;  ///< JSON: [{"name", "count"}]
  std::int64_t compilation_count = 0;
  std::vector<DumpProblem> problems;
};

/// A log: of one process, so of one rank.
struct TorchTraceLog {
  std::optional<std::int64_t> rank;
  std::int64_t record_count = 0;
  std::int64_t sound_payloads = 0;    ///< whose hash is the one that the record names
  std::int64_t damaged_payloads = 0;  ///< whose hash is another one
  std::int64_t unreadable_lines = 0;  ///< neither a record nor part of a payload
  std::vector<std::pair<std::string, std::int64_t>> kinds;  ///< records by kind, by name
  std::vector<Compilation> compilations;                    ///< in the log's order
  std::vector<CompilationOutput> outputs;                   ///< in the log's order
  std::int64_t omitted = 0;  ///< compilations and outputs beyond what is kept of one log
  std::vector<DumpProblem> problems;
};

}  // namespace benchhud::schema
