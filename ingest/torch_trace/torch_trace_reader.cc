#include "ingest/torch_trace/torch_trace_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/text/json_text.h"
#include "ingest/text/problem_list.h"
#include "ingest/text/text_parts.h"
#include "ingest/torch_trace/compilation_builder.h"
#include "ingest/torch_trace/log_records.h"
#include "schema/base/json_writer.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::ingest {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

namespace {

constexpr std::string_view kLogName = "dedicated_log_torch_trace_";
constexpr std::size_t kLongestKind = 200;
constexpr std::size_t kLongestOutputName = 1 << 10;
constexpr std::size_t kMostKinds = 1000;
constexpr std::size_t kMostStackFrames = 1000;
// Of its text. Names that come once in a log are in it once a frame.
constexpr std::size_t kLongestStack = std::size_t{64} << 10;
constexpr std::string_view kOtherKinds = "(other kinds)";

// Members that records of every kind have.
constexpr std::array<std::string_view, 12> kCommonMembers = {"frame_id",    "frame_compile_id",
                                                             "attempt",     "compiled_autograd_id",
                                                             "rank",        "stack",
                                                             "has_payload", "process",
                                                             "thread",      "pathname",
                                                             "lineno",      "timestamp"};

// Records of which no text is kept: what they say is read, or is of use to other records only.
bool is_read_in_full(std::string_view kind) {
  return kind == "chromium_event" || kind == "dynamo_start" || kind == "stack" ||
         kind.starts_with("describe_");
}

bool is_metrics(std::string_view kind) {
  return kind == "compilation_metrics" || kind == "bwd_compilation_metrics" ||
         kind == "aot_autograd_backward_compilation_metrics";
}

// "1206 15:20:13.926000" as "12-06 15:20:13.926".
std::string shown_time(std::string_view time) {
  constexpr std::size_t kMonth = 2, kRest = 15;
  return std::string(time.substr(0, kMonth)) + '-' + std::string(time.substr(kMonth, kRest));
}

// Dynamo's own frames at a stack's end are not the user's.
bool is_of_dynamo(std::string_view file) {
  return file.ends_with("/torch/_dynamo/convert_frame.py") ||
         file.ends_with("/torch/_dynamo/eval_frame.py");
}

}  // namespace

bool is_torch_trace(std::string_view beginning) {
  LogRecord record;
  return read_log_line(beginning.substr(0, beginning.find('\n')), &record);
}

bool is_torch_trace_name(std::string_view name) {
  return name.starts_with(kLogName) && name.ends_with(".log");
}

std::optional<std::int64_t> rank_in_name(std::string_view name) {
  constexpr std::string_view kRank = "rank_";
  if (!is_torch_trace_name(name)) return {};
  name.remove_prefix(kLogName.size());
  if (!name.starts_with(kRank)) return {};
  name.remove_prefix(kRank.size());
  return number_of<std::int64_t>(name.substr(0, name.find('_')));
}

class TorchTraceReader::State {
 public:
  explicit State(TorchTraceOptions options)
      : options_(std::move(options)),
        records_([this](const LogRecord& record) { take_line(record); }) {}

  void feed(std::string_view bytes) { records_.feed(bytes); }

  schema::TorchTraceLog finish(std::string_view damage) {
    records_.finish();
    if (!damage.empty()) add_problem(std::string(damage));
    if (budget_.is_exceeded()) {
      add_problem(fmt::format("names and reasons beyond {} MiB are cut off",
                              TextBudget::kMostBytes >> 20U));
    }
    if (log_.omitted > 0) {
      add_problem(
          fmt::format("{} records are left out: of one log {} compilations and {} texts "
                      "are kept",
                      log_.omitted, kMostCompilations, kMostOutputs));
    }
    for (CompilationBuilder& builder : builders_) {
      if (builder.has_more()) {
        problems_.add(builder.compilation.line,
                      fmt::format("the compilation that begins here has more than is kept: {}",
                                  CompilationBuilder::limits()));
      }
      log_.compilations.push_back(builder.finish());
    }
    for (auto& [kind, count] : kinds_) log_.kinds.emplace_back(kind, count);
    log_.problems = problems_.take();
    return std::move(log_);
  }

 private:
  /// What a record says beside what is of its kind.
  struct Place {
    std::string compile_id;  // "" where it has none
    std::int64_t attempt = 0;
    std::optional<std::size_t> compilation;
  };

  /// What a record of metrics says.
  struct Metrics {
    object members;
    const JsonReader* json;  // of the members
    bool is_backward;
  };

  /// In `latest_`, of an id whose last compilation is beyond those that are kept.
  static constexpr std::size_t kLeftOut = std::string::npos;

  void add_problem(std::string reason) { problems_.add(line_, std::move(reason)); }

  void take_line(const LogRecord& record) {
    line_ = record.line;
    if (!record.fault.empty()) {
      ++log_.unreadable_lines;
      return add_problem(std::string(record.fault));
    }
    if (record.rank) log_.rank = record.rank;
    element document;
    if (const auto reason = parser_.parse(record.json, &document)) {
      ++log_.unreadable_lines;
      return add_problem(*reason);
    }
    take_record(record, value_of<object>(document));
  }

  void take_record(const LogRecord& record, object members) {
    // The kind is the name of the first member that says what the record is about.
    std::string_view kind;
    element value;
    for (const auto member : members) {
      const bool is_common = std::find(kCommonMembers.begin(), kCommonMembers.end(), member.key) !=
                             kCommonMembers.end();
      if (is_common && member.key != "stack") continue;
      // A stack is a record of its own only where nothing else is there.
      if (!kind.empty() && is_common) continue;
      if (!kind.empty() && kind != "stack") continue;
      kind = member.key;
      value = member.value;
    }
    if (kind.empty()) {
      return add_problem("no member says of which kind the record is");
    }
    ++log_.record_count;
    count_kind(kind);
    if (const auto rank = json_integer(members, "rank")) log_.rank = rank;
    Place place = place_of(members);
    if (options_.on_record) options_.on_record(place.compile_id, place.attempt, kind);
    if (!has_sound_payload(record, members)) return;
    // Stacks of any compilation name these strings.
    if (kind == "str") return take_string(value);
    const std::optional<Metrics> metrics =
        place.compile_id.empty() ? std::nullopt : metrics_of(kind, value, record);
    if (!find_compilation(kind, record, metrics && !metrics->is_backward, &place)) {
      ++log_.omitted;
      return;
    }
    CompilationBuilder* const builder = builder_of(place);
    if (metrics) {
      builder->take_metrics(metrics->members, metrics->is_backward, *metrics->json, &budget_);
    }
    take_kind(kind, value, record, place, builder);
  }

  void count_kind(std::string_view kind) {
    std::string name(kind.substr(0, kLongestKind));
    if (kinds_.size() >= kMostKinds && !kinds_.contains(name)) name = kOtherKinds;
    ++kinds_[std::move(name)];
  }

  // "[!A/]F/C"; a compiled backward graph that no frame has begun is "!A".
  Place place_of(object members) const {
    Place place;
    const auto autograd = json_integer(members, "compiled_autograd_id");
    const auto frame = json_integer(members, "frame_id");
    const auto recompilation = json_integer(members, "frame_compile_id");
    if (autograd) place.compile_id = fmt::format("!{}", *autograd);
    if (frame && recompilation) {
      place.compile_id += fmt::format("{}{}/{}", autograd ? "/" : "", *frame, *recompilation);
    }
    place.attempt = std::max<std::int64_t>(json_integer(members, "attempt").value_or(0), 0);
    return place;
  }

  /// Whether a payload is there if one is announced, and is the announced one.
  bool has_sound_payload(const LogRecord& record, object members) {
    const auto announced = json_member(members, "has_payload");
    if (!announced || announced->is_null()) {
      if (!record.has_payload) return true;
      add_problem("a payload follows a record that announces none");
      return true;
    }
    const JsonReader& json = parser_.reader();
    if (json.is_string(*announced) && json.string(*announced) == record.payload_md5) {
      ++log_.sound_payloads;
      return true;
    }
    ++log_.damaged_payloads;
    add_problem(
        fmt::format("the record's payload of {} bytes is damaged: its MD5 is {}, and {} "
                    "was announced",
                    record.payload_bytes, record.payload_md5, excerpt(json.json(*announced))));
    return false;
  }

  /// False if the record's compilation is beyond those that are kept.
  bool find_compilation(std::string_view kind, const LogRecord& record, bool is_forward_metrics,
                        Place* place) {
    if (place->compile_id.empty()) return true;
    const auto known = latest_.find(place->compile_id);
    if (known != latest_.end() && known->second == kLeftOut) return false;
    // An id that begins again is another compilation: Dynamo was reset in between.
    CompilationBuilder* const before = known == latest_.end() ? nullptr : &builders_[known->second];
    if (before == nullptr || before->is_followed_by(kind, place->attempt, is_forward_metrics)) {
      if (builders_.size() == kMostCompilations) {
        // What comes of the id now is not of the compilation before.
        if (before != nullptr) known->second = kLeftOut;
        return false;
      }
      CompilationBuilder builder;
      builder.compilation.compile_id = place->compile_id;
      builder.compilation.line = record.line;
      builder.compilation.logged_at = shown_time(record.time);
      if (before != nullptr) {
        builder.compilation.occurrence = before->compilation.occurrence + 1;
        builder.begin_after(before);
      }
      latest_[place->compile_id] = builders_.size();
      builders_.push_back(std::move(builder));
    }
    place->compilation = latest_[place->compile_id];
    builders_[*place->compilation].take_record(kind, place->attempt, is_forward_metrics);
    return true;
  }

  CompilationBuilder* builder_of(const Place& place) {
    return place.compilation ? &builders_[*place.compilation] : nullptr;
  }

  void take_kind(std::string_view kind, element value, const LogRecord& record, const Place& place,
                 CompilationBuilder* builder) {
    if (kind == "dynamo_start") return take_start(value, builder);
    if (kind == "chromium_event") return take_event(record, builder);
    if (kind == "dynamo_guards") take_guards(record, builder);
    if (is_read_in_full(kind)) return;
    schema::CompilationOutput output;
    if (value.is_object()) {
      const auto about = value_of<object>(value);
      const JsonReader& json = parser_.reader();
      std::string_view name = json_string(about, "name", json).value_or("");
      if (name.empty()) name = json_string(about, "filename", json).value_or("");
      if (!name.empty()) output.name = budget_.keep(name, kLongestOutputName);
      if (kind == "artifact") {
        if (const auto encoding = json_string(about, "encoding", json)) {
          output.encoding = budget_.keep(*encoding, kLongestOutputName);
        }
        if (builder != nullptr) take_artifact(name, record, builder);
      }
    }
    keep_output(kind, value, record, place, std::move(output));
  }

  void take_string(element value) {
    if (value.is_array()) {
      const auto pair = value_of<array>(value);
      element text, index;
      const JsonReader& json = parser_.reader();
      if (pair.at(0).get(text) == simdjson::SUCCESS && json.is_string(text) &&
          pair.at(1).get(index) == simdjson::SUCCESS && JsonReader::integer(index)) {
        const std::int64_t place = *JsonReader::integer(index);
        strings_.erase(place);
        if (budget_.is_exceeded()) return;
        std::string kept = budget_.keep(json.string(text), kLongestOutputName);
        if (!budget_.is_exceeded()) strings_.emplace(place, std::move(kept));
        return;
      }
    }
    add_problem("the record of a string is not [text, index]");
  }

  std::string file_of(object frame) const {
    const auto file = json_member(frame, "filename");
    if (!file) return "";
    if (const auto index = JsonReader::integer(*file)) {
      const auto found = strings_.find(*index);
      if (found != strings_.end()) return found->second;
      return budget_.is_exceeded() ? "(not kept)"
                                   : fmt::format("(string {} is not in the log)", *index);
    }
    return parser_.reader().is_string(*file) ? std::string(parser_.reader().string(*file)) : "";
  }

  void take_start(element value, CompilationBuilder* builder) {
    const auto stack = value.is_object() ? json_member(value_of<object>(value), "stack")
                                         : std::optional<element>();
    if (builder == nullptr || !stack || !stack->is_array()) return;
    std::vector<object> frames;
    for (const element frame : value_of<array>(*stack)) {
      if (frame.is_object()) frames.push_back(value_of<object>(frame));
    }
    while (!frames.empty() && is_of_dynamo(file_of(frames.back()))) frames.pop_back();
    if (frames.empty()) return;
    // The innermost frames tell most.
    std::vector<std::string> texts;
    std::size_t bytes = 0;
    while (texts.size() < std::min(frames.size(), kMostStackFrames)) {
      std::string text = frame_json(frames[frames.size() - 1 - texts.size()]);
      bytes += text.size() + 1;
      if (bytes > kLongestStack) break;
      texts.push_back(std::move(text));
    }
    if (texts.size() < frames.size()) {
      add_problem(fmt::format("{} of the stack's {} frames, the outermost ones, are left out",
                              frames.size() - texts.size(), frames.size()));
    }
    std::reverse(texts.begin(), texts.end());
    builder->compilation.stack = options_.keep_text(fmt::format("[{}]", fmt::join(texts, ",")));
  }

  std::string frame_json(object frame) const {
    const JsonReader& json = parser_.reader();
    const auto text = [&](std::string_view key) -> std::optional<std::string> {
      const auto found = json_string(frame, key, json);
      if (!found) return {};
      return schema::beginning_of(*found, kLongestOutputName);
    };
    std::string written;
    schema::JsonWriter out(&written);
    out.begin_object();
    out.field("file", schema::beginning_of(file_of(frame), kLongestOutputName));
    out.field("line", json_integer(frame, "line"));
    out.field("name", text("name"));
    out.field("code", text("loc"));
    out.end_object();
    return written;
  }

  /// A payload as an object of JSON; none, and a problem, if it is not one.
  std::optional<element> payload_json(const LogRecord& record) {
    if (record.payload_bytes > static_cast<std::int64_t>(record.payload.size())) {
      add_problem(fmt::format("the record's payload of {} bytes is too long to be read",
                              record.payload_bytes));
      return {};
    }
    element document;
    if (const auto reason = payload_parser_.parse(record.payload, &document)) {
      add_problem("the record's payload is " + *reason);
      return {};
    }
    return document;
  }

  void take_event(const LogRecord& record, CompilationBuilder* builder) {
    if (builder == nullptr || !record.has_payload) return;
    const auto event = payload_json(record);
    if (event && event->is_object()) {
      builder->take_event(value_of<object>(*event), record.line, shown_time(record.time),
                          payload_parser_.reader(), &budget_);
    }
  }

  std::optional<Metrics> metrics_of(std::string_view kind, element value, const LogRecord& record) {
    if (!is_metrics(kind)) return {};
    const JsonReader* json = &parser_.reader();
    std::optional<element> metrics = value;
    if (record.has_payload) {
      metrics = payload_json(record);
      json = &payload_parser_.reader();
    }
    if (!metrics || !metrics->is_object()) return {};
    const auto members = value_of<object>(*metrics);
    const auto is_forward = json_member(members, "is_forward");
    const bool is_backward = kind != "compilation_metrics" ||
                             (is_forward && is_forward->is_bool() && !value_of<bool>(*is_forward));
    return Metrics{members, json, is_backward};
  }

  void take_guards(const LogRecord& record, CompilationBuilder* builder) {
    if (builder == nullptr || !record.has_payload) return;
    const auto guards = payload_json(record);
    if (guards && guards->is_array()) {
      builder->set_guards(static_cast<std::int64_t>(value_of<array>(*guards).size()));
    }
  }

  void take_artifact(std::string_view name, const LogRecord& record, CompilationBuilder* builder) {
    if (name == "dynamo_graph_break_reason") {
      return builder->add_graph_break(record.payload, &budget_);
    }
    if (name == "recompile_reasons") return take_recompiles(record, builder);
    // "fx_graph_cache_miss"; where it is called "fx_graph_cache_hash" the payload has the outcome.
    constexpr std::string_view kCache = "_cache_";
    const std::size_t end = name.rfind(kCache);
    if (end == std::string_view::npos) return;
    constexpr std::array<std::string_view, 3> kOutcomes = {"hit", "miss", "bypass"};
    const auto is_outcome = [&](std::string_view word) {
      return std::find(kOutcomes.begin(), kOutcomes.end(), word) != kOutcomes.end();
    };
    std::string_view outcome = name.substr(end + kCache.size()), reason;
    if (outcome == "hash" || outcome == "bypass") {
      const auto about = payload_json(record);
      const JsonReader& json = payload_parser_.reader();
      const auto member = [&](std::string_view key) {
        return about && about->is_object() ? json_string(value_of<object>(*about), key, json)
                                           : std::nullopt;
      };
      if (outcome == "hash") outcome = member("cache_state").value_or("");
      if (outcome == "bypass") reason = member("cache_bypass_reason").value_or("");
    }
    if (is_outcome(outcome)) builder->add_cache(name.substr(0, end), outcome, reason, &budget_);
  }

  void take_recompiles(const LogRecord& record, CompilationBuilder* builder) {
    const auto reasons = payload_json(record);
    if (!reasons) return;
    const JsonReader& json = payload_parser_.reader();
    if (json.is_string(*reasons)) return builder->add_recompile(json.string(*reasons), &budget_);
    if (!reasons->is_array()) return;
    for (const element reason : value_of<array>(*reasons)) {
      if (json.is_string(reason)) builder->add_recompile(json.string(reason), &budget_);
    }
  }

  void keep_output(std::string_view kind, element value, const LogRecord& record,
                   const Place& place, schema::CompilationOutput output) {
    if (log_.outputs.size() == kMostOutputs) {
      ++log_.omitted;
      return;
    }
    if (place.compilation) output.compilation = static_cast<std::int64_t>(*place.compilation);
    output.attempt = place.attempt;
    output.line = record.line;
    output.kind = kind.substr(0, kLongestKind);
    output.byte_count = record.payload_bytes;
    if (record.payload_bytes > static_cast<std::int64_t>(record.payload.size())) {
      add_problem(fmt::format("a text of {} bytes is not kept; the longest that is kept has {}",
                              record.payload_bytes, LogRecords::kLongestPayload));
    } else if (record.has_payload) {
      output.text = options_.keep_text(record.payload);
    } else {
      // A record of an unknown kind may say all in its own line.
      std::string text;
      append_json(value, parser_.reader().marked, JsonOrder::kPython, &text);
      output.byte_count = static_cast<std::int64_t>(text.size());
      output.text = options_.keep_text(text);
    }
    log_.outputs.push_back(std::move(output));
  }

  const TorchTraceOptions options_;
  LogRecords records_;
  PythonJsonParser parser_, payload_parser_;
  TextBudget budget_;
  ProblemList problems_;
  std::int64_t line_ = 0;  // of the record at hand
  std::map<std::string, std::int64_t> kinds_;
  std::unordered_map<std::int64_t, std::string> strings_;  // interned, by index
  std::unordered_map<std::string, std::size_t> latest_;    // compilations, by compile id
  std::vector<CompilationBuilder> builders_;               // in the log's order
  schema::TorchTraceLog log_;
};

TorchTraceReader::TorchTraceReader(TorchTraceOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
TorchTraceReader::~TorchTraceReader() = default;

void TorchTraceReader::feed(std::string_view bytes) { state_->feed(bytes); }

schema::TorchTraceLog TorchTraceReader::finish(std::string_view damage) {
  return state_->finish(damage);
}

}  // namespace benchhud::ingest
