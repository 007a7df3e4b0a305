#include "ingest/torch_trace/compilation_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "ingest/text/json_text.h"
#include "schema/base/json_writer.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::ingest {

using simdjson::dom::element;
using simdjson::dom::object;

namespace {

constexpr std::size_t kLongestName = 1 << 10;
constexpr std::size_t kLongestReason = 16 << 10;
// Of one compilation; a hostile log has as many as it likes.
constexpr std::size_t kMostListed = 100;
constexpr std::size_t kMostPhases = 500;
constexpr std::size_t kMostOpenEvents = 50;
constexpr std::size_t kLongestEventName = 100;
// What a text stands in takes about so many bytes.
constexpr std::size_t kBytesOfEntry = 64;

std::optional<double> number_member(object members, std::string_view key, const JsonReader& json) {
  const auto value = json_member(members, key);
  const auto number = value ? json.number(*value) : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// A duration, in a unit of so many seconds.
std::optional<double> seconds_member(object members, std::string_view key, double unit,
                                     const JsonReader& json) {
  const auto number = number_member(members, key, json);
  return number && *number >= 0 ? std::optional(*number * unit) : std::nullopt;
}

constexpr double kMicrosecond = 1e-6;

// The unit in a metric's name, in seconds; none if it is not a duration that was spent.
struct TimeName {
  std::string_view phase;
  double unit;
};

std::optional<TimeName> time_name(std::string_view key) {
  // Points in time, a limit, what was not spent, and what stands for itself.
  constexpr std::array<std::string_view, 7> kOthers = {"start_time_us",
                                                       "end_time_us",
                                                       "start_time",
                                                       "distributed_ephemeral_timeout_us",
                                                       "remote_cache_time_saved_s",
                                                       "dynamo_time_before_restart_s",
                                                       "dynamo_compile_time_before_restart_us"};
  if (std::find(kOthers.begin(), kOthers.end(), key) != kOthers.end()) return {};
  if (key.ends_with("_us")) return TimeName{key.substr(0, key.size() - 3), kMicrosecond};
  if (key.ends_with("_s")) return TimeName{key.substr(0, key.size() - 2), 1};
  return {};
}

// By which name PyTorch writes a duration in seconds again, in microseconds: both are in its
// metrics since it has the second.
std::string successor_of(std::string_view phase) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRenamed = {
      {{"entire_frame_compile_time", "dynamo_cumulative_compile_time"},
       {"backend_compile_time", "aot_autograd_cumulative_compile_time"},
       {"inductor_compile_time", "inductor_cumulative_compile_time"},
       {"code_gen_time", "inductor_code_gen_cumulative_compile_time"}}};
  for (const auto& [before, now] : kRenamed) {
    if (phase == before) return std::string(now) + "_us";
  }
  return std::string(phase) + "_us";
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string out;
  schema::JsonWriter json(&out);
  json.list(texts, [&](const std::string& text) { json.value(text); });
  return out;
}

}  // namespace

std::optional<element> json_member(object members, std::string_view key) {
  // Of a key that comes twice the last value counts, as in Python.
  std::optional<element> found;
  for (const auto member : members) {
    if (member.key == key) found = member.value;
  }
  return found;
}

std::optional<std::string_view> json_string(object members, std::string_view key,
                                            const JsonReader& json) {
  const auto value = json_member(members, key);
  if (!value || !json.is_string(*value)) return {};
  return json.string(*value);
}

std::optional<std::int64_t> json_integer(object members, std::string_view key) {
  const auto value = json_member(members, key);
  return value ? JsonReader::integer(*value) : std::nullopt;
}

std::string TextBudget::keep(std::string_view text, std::size_t most) {
  std::string kept = schema::beginning_of(text, std::min(most, left_));
  is_exceeded_ |= kept.size() + kBytesOfEntry > left_;
  left_ -= std::min(left_, kept.size() + kBytesOfEntry);
  return kept;
}

bool CompilationBuilder::is_followed_by(std::string_view kind, std::int64_t attempt,
                                        bool is_forward_metrics) const {
  if (kind == "dynamo_start" && has_start_) return true;
  // Where that record is lost: metrics end a compilation, and attempts count up.
  return metrics_attempt_ &&
         (attempt < *metrics_attempt_ || (is_forward_metrics && attempt == *metrics_attempt_));
}

void CompilationBuilder::begin_after(CompilationBuilder* before) {
  // An event that began before the metrics and did not end has lost its end.
  for (OpenEvent& event : before->open_events_) {
    if (before->metrics_attempt_ && !event.is_behind_metrics) continue;
    event.is_behind_metrics = false;
    open_events_.push_back(std::move(event));
  }
  before->open_events_.clear();
  if (open_events_.empty()) return;
  compilation.line = open_events_.front().line;
  compilation.logged_at = open_events_.front().logged_at;
}

void CompilationBuilder::take_record(std::string_view kind, std::int64_t attempt,
                                     bool is_forward_metrics) {
  has_start_ |= kind == "dynamo_start";
  if (is_forward_metrics) metrics_attempt_ = attempt;
  compilation.attempt = std::max(compilation.attempt, attempt);
}

void CompilationBuilder::take_metrics(object metrics, bool is_backward, const JsonReader& json,
                                      TextBudget* budget) {
  std::unordered_set<std::string_view> in_microseconds;
  for (const auto member : metrics) {
    if (!member.key.ends_with("_us")) continue;
    const auto number = json.number(member.value);
    if (number && std::isfinite(*number) && *number >= 0) in_microseconds.insert(member.key);
  }
  for (const auto member : metrics) {
    const auto name = time_name(member.key);
    if (!name) continue;
    if (name->unit == 1 && in_microseconds.contains(successor_of(name->phase))) continue;
    const auto number = json.number(member.value);
    if (!number || !std::isfinite(*number) || *number < 0) continue;
    add_phase(name->phase, false, is_backward, *number * name->unit, budget);
  }
  const auto set_text = [&](std::string_view key, std::size_t most,
                            std::optional<std::string>* to) {
    if (const auto text = json_string(metrics, key, json)) *to = budget->keep(*text, most);
  };
  set_text("fail_type", kLongestName, &compilation.fail_type);
  set_text("fail_reason", kLongestReason, &compilation.fail_reason);
  set_text("fail_user_frame_filename", kLongestName, &compilation.fail_file);
  const auto set_number = [&](std::string_view key, std::optional<std::int64_t>* to) {
    if (const auto number = json_integer(metrics, key)) *to = number;
  };
  set_number("fail_user_frame_lineno", &compilation.fail_line);
  if (is_backward) return;

  set_text("co_name", kLongestName, &compilation.frame_name);
  set_text("co_filename", kLongestName, &compilation.frame_file);
  set_number("co_firstlineno", &compilation.frame_line);
  set_number("guard_count", &compilation.guard_count);
  set_number("shape_env_guard_count", &compilation.shape_guard_count);
  set_number("graph_op_count", &compilation.op_count);
  set_number("graph_node_count", &compilation.node_count);
  set_number("graph_input_count", &compilation.input_count);
  set_number("cache_size", &compilation.cache_size);
  const auto set_seconds = [&](std::string_view key, double unit, std::optional<double>* to) {
    if (!*to) *to = seconds_member(metrics, key, unit, json);
  };
  // What PyTorch called the whole compilation, by its age.
  std::optional<double> seconds, before_restart;
  set_seconds("entire_frame_compile_time_s", 1, &seconds);
  set_seconds("dynamo_cumulative_compile_time_us", kMicrosecond, &seconds);
  set_seconds("duration_us", kMicrosecond, &seconds);
  if (seconds) compilation.seconds = seconds;
  set_seconds("dynamo_time_before_restart_s", 1, &before_restart);
  set_seconds("dynamo_compile_time_before_restart_us", kMicrosecond, &before_restart);
  if (before_restart) compilation.seconds_before_restart = before_restart;
  if (const auto reasons = json_member(metrics, "restart_reasons");
      reasons && reasons->is_array()) {
    for (const element reason : value_of<simdjson::dom::array>(*reasons)) {
      if (json.is_string(reason)) add_reason(json.string(reason), &restarts_, budget);
    }
  }
  if (const auto reason = json_string(metrics, "recompile_reason", json)) {
    add_recompile(*reason, budget);
  }
}

void CompilationBuilder::take_event(object event, std::int64_t line, std::string logged_at,
                                    const JsonReader& json, TextBudget* budget) {
  const auto name = json_string(event, "name", json);
  const auto phase = json_string(event, "ph", json);
  const auto at = number_member(event, "ts", json);
  if (!name || !phase || !at) return;
  if (*phase == "B") {
    has_more_ |= open_events_.size() >= kMostOpenEvents;
    if (open_events_.size() < kMostOpenEvents) {
      open_events_.push_back({std::string(name->substr(0, kLongestEventName)), *at,
                              metrics_attempt_.has_value(), line, std::move(logged_at)});
    }
    return;
  }
  if (*phase != "E") return;
  const auto open = std::find_if(
      open_events_.rbegin(), open_events_.rend(),
      [&](const OpenEvent& one) { return one.name == name->substr(0, kLongestEventName); });
  if (open == open_events_.rend()) return;
  const double seconds = (*at - open->at) * kMicrosecond;
  // What began later and did not end has lost its end.
  open_events_.erase(open.base() - 1, open_events_.end());
  if (seconds >= 0) add_phase(*name, true, false, seconds, budget);
}

void CompilationBuilder::add_phase(std::string_view name, bool is_event, bool is_backward,
                                   double seconds, TextBudget* budget) {
  // A sum that is not finite is of numbers that no clock gave.
  if (!std::isfinite(seconds)) return;
  for (Phase& phase : phases_) {
    if (phase.name != name || phase.is_event != is_event || phase.is_backward != is_backward) {
      continue;
    }
    if (!std::isfinite(phase.seconds + seconds)) return;
    phase.seconds += seconds;
    ++phase.count;
    return;
  }
  has_more_ |= phases_.size() == kMostPhases;
  if (phases_.size() == kMostPhases || budget->is_exceeded()) return;
  phases_.push_back({budget->keep(name, kLongestName), is_event, is_backward, seconds, 1});
}

void CompilationBuilder::add_reason(std::string_view reason, std::vector<std::string>* list,
                                    TextBudget* budget) {
  if (reason.empty() || budget->is_exceeded()) return;
  if (std::find(list->begin(), list->end(), reason) != list->end()) return;
  has_more_ |= list->size() == kMostListed;
  if (list->size() == kMostListed) return;
  list->push_back(budget->keep(reason, kLongestReason));
}

std::string_view CompilationBuilder::limits() {
  static const std::string words =
      fmt::format("{} reasons of a kind, {} uses of caches, {} phases and {} open events",
                  kMostListed, kMostListed, kMostPhases, kMostOpenEvents);
  return words;
}

void CompilationBuilder::add_graph_break(std::string_view reason, TextBudget* budget) {
  add_reason(reason, &graph_breaks_, budget);
}

void CompilationBuilder::add_recompile(std::string_view reason, TextBudget* budget) {
  add_reason(reason, &recompiles_, budget);
}

void CompilationBuilder::add_cache(std::string_view cache, std::string_view outcome,
                                   std::string_view reason, TextBudget* budget) {
  has_more_ |= caches_.size() == kMostListed;
  if (caches_.size() == kMostListed || budget->is_exceeded()) return;
  caches_.push_back({budget->keep(cache, kLongestName), std::string(outcome),
                     budget->keep(reason, kLongestReason)});
}

schema::Compilation CompilationBuilder::finish() {
  if (!compilation.guard_count) compilation.guard_count = guards_;
  schema::JsonWriter phases(&compilation.phases);
  phases.list(phases_, [&](const Phase& phase) {
    phases.begin_object();
    phases.field("name", phase.name);
    phases.field("source", std::string_view(phase.is_event ? "events" : "metrics"));
    phases.field("backward", bool{phase.is_backward});
    phases.field("seconds", phase.seconds);
    phases.key("count");
    if (phase.is_event) {
      phases.value(phase.count);
    } else {
      phases.null();  // metrics do not say of how many calls they are
    }
    phases.end_object();
  });
  compilation.restarts = json_list(restarts_);
  compilation.graph_breaks = json_list(graph_breaks_);
  compilation.recompiles = json_list(recompiles_);
  schema::JsonWriter caches(&compilation.caches);
  caches.list(caches_, [&](const CacheUse& use) {
    caches.begin_object();
    caches.field("cache", use.cache);
    caches.field("outcome", use.outcome);
    caches.field("reason", use.reason);
    caches.end_object();
  });
  return std::move(compilation);
}

}  // namespace benchhud::ingest
