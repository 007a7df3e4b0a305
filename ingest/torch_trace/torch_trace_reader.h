// Reads a TORCH_TRACE log: which compilations it records, and what it says of each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schema/model/torch_trace.h"

namespace benchhud::ingest {

/// Whether a text begins as a TORCH_TRACE log does: with a record's line.
bool is_torch_trace(std::string_view beginning);

/// The rank in the name of a log, `dedicated_log_torch_trace_rank_3_abcd.log`; none if it has none.
std::optional<std::int64_t> rank_in_name(std::string_view name);

/// Whether a file is called as a log of TORCH_TRACE: `dedicated_log_torch_trace_[rank_N_]XXXX.log`.
bool is_torch_trace_name(std::string_view name);

struct TorchTraceOptions {
  /// Keeps a text (a graph, code, a stack) and says by what it is found again; nothing where it
  /// could not be kept.
  std::function<std::optional<schema::TextId>(std::string_view)> keep_text;
  /// Called for each record with its compile id, "" where it has none, its attempt and its kind.
  std::function<void(std::string_view, std::int64_t, std::string_view)> on_record;
};

/// Reads a log in pieces. Texts leave it as they come, so that the memory it takes depends on the
/// longest record and on the number of compilations, both of which are bounded. A record that
/// cannot be read, or whose payload is not the one that it announces, costs that record.
class TorchTraceReader {
 public:
  static constexpr std::size_t kMostCompilations = 20'000;
  static constexpr std::size_t kMostOutputs = 200'000;

  explicit TorchTraceReader(TorchTraceOptions options);
  ~TorchTraceReader();

  void feed(std::string_view bytes);
  /// The log, once all of it was fed. Its rank is the one that its records name. `damage`: why the
  /// file ended before its time, "" if it did not.
  schema::TorchTraceLog finish(std::string_view damage = {});

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::ingest
