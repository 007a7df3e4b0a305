// A compilation while its records come in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/text/python_json_parser.h"
#include "schema/model/torch_trace.h"

namespace benchhud::ingest {

/// How much of texts is kept in memory: of one log together. What is beyond is cut off.
class TextBudget {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  /// The text, cut where it is longer than `most` bytes or than what is left of the budget. What
  /// it stands in counts, too.
  std::string keep(std::string_view text, std::size_t most);
  bool is_exceeded() const { return is_exceeded_; }

 private:
  std::size_t left_ = kMostBytes;
  bool is_exceeded_ = false;
};

/// Gathers what the records of one compilation say.
class CompilationBuilder {
 public:
  schema::Compilation compilation;
  bool has_start = false;

  /// The members of `compilation_metrics`, which `json` reads. `is_backward`: of the backward
  /// graph.
  void take_metrics(simdjson::dom::object metrics, bool is_backward, const JsonReader& json,
                    TextBudget* budget);
  /// A begin or end of `chromium_event`, by which a phase's time is known.
  void take_event(simdjson::dom::object event, const JsonReader& json, TextBudget* budget);
  void add_graph_break(std::string_view reason, TextBudget* budget);
  void add_recompile(std::string_view reason, TextBudget* budget);
  void add_cache(std::string_view cache, std::string_view outcome, std::string_view reason,
                 TextBudget* budget);
  /// The number of guards, where no metrics say it.
  void set_guards(std::int64_t count) { guards_ = count; }

  /// The compilation with all that was gathered.
  schema::Compilation finish();

 private:
  struct Phase {
    std::string name;
    bool is_event = false;
    bool is_backward = false;
    double seconds = 0;
    std::int64_t count = 0;
  };
  struct CacheUse {
    std::string cache, outcome, reason;
  };
  struct OpenEvent {
    std::string name;
    double at = 0;  // us
  };

  void add_phase(std::string_view name, bool is_event, bool is_backward, double seconds,
                 TextBudget* budget);

  std::vector<Phase> phases_;
  std::vector<std::string> restarts_, graph_breaks_, recompiles_;
  std::vector<CacheUse> caches_;
  std::vector<OpenEvent> open_events_;
  std::optional<std::int64_t> guards_;
};

/// A member of an object, if it is there.
std::optional<simdjson::dom::element> json_member(simdjson::dom::object object,
                                                  std::string_view key);

/// A member that is a string.
std::optional<std::string_view> json_string(simdjson::dom::object object, std::string_view key,
                                            const JsonReader& json);

/// A member that is a whole number.
std::optional<std::int64_t> json_integer(simdjson::dom::object object, std::string_view key);

}  // namespace benchhud::ingest
