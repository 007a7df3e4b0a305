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

  /// Whether a record of this kind and attempt is of another compilation of the same id.
  bool is_followed_by(std::string_view kind, std::int64_t attempt, bool is_forward_metrics) const;
  /// Takes over what belongs to this compilation, but was logged before it was known that the id
  /// had begun again: PyTorch writes the event of the begin before the record of it.
  void begin_after(CompilationBuilder* before);
  /// Notes a record that belongs to it.
  void take_record(std::string_view kind, std::int64_t attempt, bool is_forward_metrics);

  /// The members of `compilation_metrics`, which `json` reads. `is_backward`: of the backward
  /// graph.
  void take_metrics(simdjson::dom::object metrics, bool is_backward, const JsonReader& json,
                    TextBudget* budget);
  /// A begin or end of `chromium_event`, by which a phase's time is known. `line` and `logged_at`:
  /// of its record.
  void take_event(simdjson::dom::object event, std::int64_t line, std::string logged_at,
                  const JsonReader& json, TextBudget* budget);
  void add_graph_break(std::string_view reason, TextBudget* budget);
  void add_recompile(std::string_view reason, TextBudget* budget);
  void add_cache(std::string_view cache, std::string_view outcome, std::string_view reason,
                 TextBudget* budget);
  /// The number of guards, where no metrics say it.
  void set_guards(std::int64_t count) { guards_ = count; }

  /// Whether more reasons, caches, phases or events came than are kept of one compilation.
  bool has_more() const { return has_more_; }
  /// Those limits, in words.
  static std::string_view limits();

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
    bool is_behind_metrics = false;
    std::int64_t line = 0;
    std::string logged_at;
  };

  void add_reason(std::string_view reason, std::vector<std::string>* list, TextBudget* budget);
  void add_phase(std::string_view name, bool is_event, bool is_backward, double seconds,
                 TextBudget* budget);

  bool has_start_ = false, has_more_ = false;
  std::optional<std::int64_t> metrics_attempt_;  // of the forward metrics
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
