#include "ingest/results/hud_record.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "ingest/results/dynamo_csv.h"
#include "ingest/text/json_text.h"
#include "ingest/text/problem_list.h"
#include "ingest/text/python_json_parser.h"
#include "ingest/text/text_parts.h"
#include "schema/model/hud_terms.h"

namespace benchhud::ingest {
namespace {

using simdjson::dom::element;
using Fields = std::vector<JsonField>;
using Reason = std::optional<std::string>;

constexpr double kLastSecond = 253402300799.0;  // of the year 9999

/// Points into `fields`.
const element* find(const Fields& fields, std::string_view key) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const JsonField& field) { return field.key == key; });
  return found == fields.end() ? nullptr : &found->value;
}

const element* find(Fields&& fields, std::string_view key) = delete;

// What a name such as `pytorch/pytorch` is called for short.
std::string short_name(std::string_view repository) {
  return std::string(repository.substr(repository.find_last_of('/') + 1));
}

}  // namespace

class HudRecordParser::State {
 public:
  explicit State(const ImportContext& given) : given_(given) {}

  Reason parse(std::string_view text, HudRecord* record) {
    element document;
    if (auto reason = parser_.parse(text, &document)) return reason;
    if (!document.is_object()) return "the record is " + parser_.reader().describe(document);
    const Fields fields = fields_of(document);
    *record = HudRecord();
    facts_ = given_;
    if (const auto own = own_text(fields)) return read_own(fields, *own, record);
    return read_theirs(document, record);
  }

 private:
  Reason read_theirs(element document, HudRecord* record) const {
    const Fields fields = fields_of(document);
    if (auto reason = read_metric(fields, record)) return reason;
    if (auto reason = read_experiment(fields, record)) return reason;
    if (auto reason = read_time(fields, record)) return reason;
    read_origin(fields, record);
    write_context(fields, record);
    std::string canonical;
    append_json(document, parser_.reader().marked, JsonOrder::kCanonical, &canonical);
    record->hash = schema::content_hash(canonical);
    return {};
  }

  /// What benchhud wrote of the line that the record is from.
  std::optional<std::string> own_text(const Fields& fields) const {
    const Fields benchmark = fields_of(fields, "benchmark");
    const Fields about = fields_of(benchmark, "extra_info");
    const element* text = find(about, schema::kOwnKey);
    if (text == nullptr || !parser_.reader().is_string(*text)) return {};
    return std::string(parser_.reader().string(*text));
  }

  // A record that came from the HUD, as it was before it went back there. `about`: {"given",
  // "context"}.
  Reason read_kept(const Fields& about, const std::string& metric, HudRecord* record) {
    const element* context = find(about, schema::kOwnContext);
    if (context == nullptr || !context->is_object()) return in_own("context is missing");
    const Fields given = fields_of(about, schema::kOwnGiven);
    ImportContext facts;
    for (const auto& [key, fact] :
         {std::pair("suite", &facts.suite), std::pair("backend", &facts.backend),
          std::pair("test", &facts.test), std::pair("dtype", &facts.dtype),
          std::pair("accelerator", &facts.accelerator),
          std::pair("accelerator_model", &facts.accelerator_model)}) {
      if (std::string text = text_of(given, key); !text.empty()) *fact = std::move(text);
    }
    const std::optional<double> timestamp = number_of_field(given, "timestamp");
    std::string text = parser_.reader().json(*context);
    text.pop_back();
    text += text.size() > 1 ? ",\"metric\":" : "\"metric\":";
    text += metric + '}';

    element document;
    if (auto reason = parser_.parse(text, &document)) return in_own(*reason);
    *record = HudRecord();
    facts_ = facts.or_else(given_);
    record->given = facts.identity();
    record->given_timestamp = timestamp;
    return read_theirs(document, record);
  }

  // `own`: {"run", "labels", "is_verification", "hash", "line"}, the last a line of results.jsonl
  // without metrics.
  Reason read_own(const Fields& fields, const std::string& own, HudRecord* record) {
    // What the record's document stands in is used again below.
    const Fields metric = fields_of(fields, "metric");
    const std::string name = text_of(metric, "name");
    if (name.empty()) return "metric.name is missing";
    const Fields metric_about = fields_of(metric, "extra_info");
    const element* kept = find(metric_about, schema::kOwnKey);
    std::string whole_metric;
    append_json(*find(fields, "metric"), parser_.reader().marked, JsonOrder::kAsItStands,
                &whole_metric);
    std::string metrics;
    if (kept != nullptr && parser_.reader().is_string(*kept)) {
      metrics = parser_.reader().string(*kept);
      if (metrics == schema::kOwnDerived) metrics = "{}";
    } else {
      const element* values = find(metric, "benchmark_values");
      if (values == nullptr) return "metric.benchmark_values is missing";
      metrics = "{";
      append_json_string(name, &metrics);
      metrics += ':';
      append_json(*values, parser_.reader().marked, JsonOrder::kPython, &metrics);
      metrics += '}';
    }
    write_context(fields, record);

    element document;
    if (auto reason = parser_.parse(own, &document)) return in_own(*reason);
    if (!document.is_object()) return in_own("not an object");
    const Fields about = fields_of(document);
    if (find(about, schema::kOwnGiven) != nullptr) return read_kept(about, whole_metric, record);
    const element* line = find(about, "line");
    if (line == nullptr || !line->is_object()) return in_own("line is missing");
    schema::LineOrigin& origin = record->origin;
    if (const std::string run = text_of(about, "run"); !run.empty()) origin.run_name = run;
    for (const JsonField& label : fields_of(about, "labels")) {
      if (parser_.reader().is_string(label.value)) {
        origin.labels.emplace(label.key, parser_.reader().string(label.value));
      }
    }
    const element* is_verification = find(about, "is_verification");
    origin.is_verification = is_verification != nullptr && is_verification->is_bool() &&
                             value_of<bool>(*is_verification);
    const auto hash = schema::content_hash_of_hex(text_of(about, "hash"));
    record->hash = hash ? *hash : schema::content_hash(record->context);

    std::string text;
    append_json(*line, parser_.reader().marked, JsonOrder::kPython, &text);
    text.back() = ',';
    text += "\"metrics\":" + metrics + '}';
    record->own.emplace();
    if (const auto reason = line_parser_.parse(text, &*record->own)) return in_own(*reason);
    // The name is as the store had it, even where a reader of a line would take it for an alias.
    if (record->own->metrics.size() == 1 && !parser_.parse(metrics, &document)) {
      const Fields named = fields_of(document);
      if (named.size() == 1) record->own->metrics[0].metric = named[0].key;
    }
    record->experiment = record->own->experiment;
    record->timestamp = record->own->timestamp;
    return {};
  }

  static std::string in_own(const std::string& reason) {
    return "benchmark.extra_info." + std::string(schema::kOwnKey) + ": " + reason;
  }

  Fields fields_of(element object) const {
    Fields fields;
    collect_fields(value_of<simdjson::dom::object>(object), parser_.reader().marked, &fields);
    return fields;
  }

  /// Of a member that is an object; none where it is not.
  Fields fields_of(const Fields& fields, std::string_view key) const {
    const element* value = find(fields, key);
    return value != nullptr && value->is_object() ? fields_of(*value) : Fields();
  }

  /// A text or a number as text; "" for anything else.
  std::string text_of(const Fields& fields, std::string_view key) const {
    const element* value = find(fields, key);
    if (value == nullptr) return "";
    if (parser_.reader().is_string(*value)) return std::string(parser_.reader().string(*value));
    return parser_.reader().number(*value) ? parser_.reader().json(*value) : "";
  }

  /// Also of a number in quotes.
  std::optional<double> number_of_field(const Fields& fields, std::string_view key) const {
    const element* value = find(fields, key);
    if (value == nullptr) return {};
    if (parser_.reader().is_string(*value))
      return number_of<double>(trim(parser_.reader().string(*value)));
    return parser_.reader().number(*value);
  }

  Reason read_metric(const Fields& fields, HudRecord* record) const {
    const element* metric = find(fields, "metric");
    if (metric == nullptr) return "metric is missing";
    if (!metric->is_object())
      return "metric is " + parser_.reader().describe(*metric) + ", not an object";
    const Fields parts = fields_of(*metric);
    record->metric.metric = text_of(parts, "name");
    if (record->metric.metric.empty()) return "metric.name is missing";
    const bool is_accuracy = record->metric.metric == "accuracy";
    record->metric.metric = schema::metric_of_hud(record->metric.metric);
    if (const element* values = find(parts, "benchmark_values")) {
      if (auto reason = read_values(*values, record)) return reason;
    }
    // A status is no number, so it stands where texts may stand.
    const Fields extra = fields_of(parts, "extra_info");
    if (is_accuracy && !record->accuracy) {
      const element* status = find(extra, "benchmark_values");
      if (status != nullptr) record->accuracy = first_text(*status);
      if (!record->accuracy) return "the accuracy has no status in extra_info.benchmark_values";
    }
    write_metric_extra(parts, is_accuracy, record);
    return {};
  }

  Reason read_values(element values, HudRecord* record) const {
    std::vector<element> list;
    if (values.is_array()) {
      for (const element value : value_of<simdjson::dom::array>(values)) list.push_back(value);
    } else if (!values.is_null()) {
      list.push_back(values);
    }
    if (record->metric.metric == "accuracy" && !list.empty() &&
        parser_.reader().is_string(list[0])) {
      record->accuracy = std::string(parser_.reader().string(list[0]));
      return {};
    }
    for (const element value : list) {
      const auto sample = parser_.reader().sample(value);
      if (!sample) {
        return "metric.benchmark_values holds " + excerpt(parser_.reader().describe(value)) +
               ", not a number";
      }
      record->metric.samples.push_back(*sample);
    }
    return {};
  }

  /// The first text of a list of texts; also of one that is itself a text, as a map from strings to
  /// strings has it: `["pass"]`.
  std::optional<std::string> first_text(element value) const {
    if (value.is_array()) {
      for (const element one : value_of<simdjson::dom::array>(value)) return first_text(one);
      return {};
    }
    if (!parser_.reader().is_string(value)) return {};
    std::string_view text = trim(parser_.reader().string(value));
    if (text.starts_with("[") && text.ends_with("]")) {
      text = trim(text.substr(1, text.size() - 2));
      if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0]) {
        text = text.substr(1, text.size() - 2);
      }
    }
    if (text.empty()) return {};
    return std::string(text);
  }

  void write_metric_extra(const Fields& parts, bool is_accuracy, HudRecord* record) const {
    std::string& text = record->metric_extra;
    for (const JsonField& part : parts) {
      if (part.key == "name" || (part.key == "benchmark_values" && !is_accuracy)) continue;
      append_member(part, &text);
    }
    if (!text.empty()) text.push_back('}');
  }

  void append_member(const JsonField& field, std::string* text) const {
    text->push_back(text->empty() ? '{' : ',');
    append_json_string(field.key, text);
    text->push_back(':');
    append_json(field.value, parser_.reader().marked, JsonOrder::kCanonical, text);
  }

  Reason read_experiment(const Fields& fields, HudRecord* record) const {
    const Fields benchmark = fields_of(fields, "benchmark");
    const Fields about = fields_of(benchmark, "extra_info");
    const Fields model = fields_of(fields, "model");
    const Fields runner = first_runner(fields);
    schema::Experiment& experiment = record->experiment;
    experiment.model = text_of(model, "name");
    if (experiment.model.empty()) return "model.name is missing";
    const std::string name = text_of(benchmark, "name");
    record->is_compiler_benchmark = name == schema::kHudBenchmark;

    const ImportContext named = facts_in_name(text_of(about, "output"));
    const auto first = [](std::initializer_list<std::string> texts) {
      for (const std::string& text : texts) {
        if (!text.empty()) return text;
      }
      return std::string();
    };
    const auto or_empty = [](const std::optional<std::string>& text) { return text.value_or(""); };
    experiment.suite =
        first({first_origin(model), or_empty(named.suite), or_empty(facts_.suite), name});
    experiment.test =
        schema::test_of_mode(first({text_of(benchmark, "mode"), or_empty(facts_.test)}));
    experiment.accelerator = first(
        {text_of(runner, "name"), text_of(about, "device"), or_empty(facts_.accelerator), "cpu"});
    experiment.accelerator_model =
        first({text_of(runner, "type"), text_of(about, "arch"), text_of(runner, "gpu_info"),
               text_of(runner, "cpu_info"), or_empty(facts_.accelerator_model)});
    // The HUD takes the file's name before what the record itself says.
    schema::set_backend(first({or_empty(named.backend), text_of(model, "backend"),
                               or_empty(facts_.backend), "eager"}),
                        &experiment);
    experiment.flags = flags_of_dtype(first({text_of(benchmark, "dtype"), or_empty(facts_.dtype)}));
    const auto size = number_of_field(about, "batch_size");
    constexpr double kLargest = 9007199254740992.0;
    if (size && std::trunc(*size) == *size && *size > 0 && *size < kLargest) {
      experiment.batch_size = static_cast<std::int64_t>(*size);
    }
    return {};
  }

  std::string first_origin(const Fields& model) const {
    const element* origins = find(model, "origins");
    if (origins == nullptr || !origins->is_array()) return "";
    for (const element origin : value_of<simdjson::dom::array>(*origins)) {
      return parser_.reader().is_string(origin) ? std::string(parser_.reader().string(origin)) : "";
    }
    return "";
  }

  Fields first_runner(const Fields& fields) const {
    const element* runners = find(fields, "runners");
    if (runners == nullptr || !runners->is_array()) return {};
    for (const element runner : value_of<simdjson::dom::array>(*runners)) {
      return runner.is_object() ? fields_of(runner) : Fields();
    }
    return {};
  }

  Reason read_time(const Fields& fields, HudRecord* record) const {
    const element* value = find(fields, "timestamp");
    if (value == nullptr || value->is_null()) return {};
    const auto seconds = number_of_field(fields, "timestamp");
    if (!seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds > kLastSecond) {
      return "timestamp is " + excerpt(parser_.reader().describe(*value)) +
             ", not a number of seconds since 1970";
    }
    // The uploader's default where it knows no time.
    if (*seconds > 0) record->timestamp = seconds;
    return {};
  }

  void read_origin(const Fields& fields, HudRecord* record) const {
    schema::LineOrigin& origin = record->origin;
    const std::string workflow = text_of(fields, "workflow_id");
    const auto label = [&](const std::string& key, const std::string& value) {
      if (!key.empty() && !value.empty()) origin.labels.emplace(key, value);
    };
    if (!workflow.empty() && workflow != "0") {
      origin.run_name = "workflow " + workflow;
      label("workflow", workflow);
    }
    const std::string repository = short_name(text_of(fields, "repo"));
    label(repository.empty() ? "commit" : repository, text_of(fields, "head_sha"));
    std::string branch = text_of(fields, "head_branch");
    constexpr std::string_view kHeads = "refs/heads/";
    if (branch.starts_with(kHeads)) branch.erase(0, kHeads.size());
    label("branch", branch);
    for (const JsonField& dependency : fields_of(fields, "dependencies")) {
      if (!dependency.value.is_object()) continue;
      const Fields parts = fields_of(dependency.value);
      const std::string sha = text_of(parts, "sha");
      label(std::string(dependency.key), sha.empty() ? text_of(parts, "version") : sha);
    }
  }

  void write_context(const Fields& fields, HudRecord* record) const {
    Fields sorted = fields;
    std::sort(sorted.begin(), sorted.end(),
              [](const JsonField& a, const JsonField& b) { return a.key < b.key; });
    for (const JsonField& field : sorted) {
      if (field.key != "metric") append_member(field, &record->context);
    }
    record->context += record->context.empty() ? "{}" : "}";
  }

  const ImportContext given_;
  ImportContext facts_;  // of the record at hand
  PythonJsonParser parser_;
  ResultsLineParser line_parser_;
};

HudRecordParser::HudRecordParser(const ImportContext& given)
    : state_(std::make_unique<State>(given)) {}
HudRecordParser::~HudRecordParser() = default;

std::optional<std::string> HudRecordParser::parse(std::string_view text, HudRecord* record) {
  return state_->parse(text, record);
}

}  // namespace benchhud::ingest
