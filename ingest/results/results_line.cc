#include "ingest/results/results_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <unordered_set>

#include "ingest/text/json_reader.h"
#include "ingest/text/json_text.h"
#include "ingest/text/number_text.h"
#include "ingest/text/python_json.h"
#include "ingest/text/text_parts.h"
#include "schema/model/metric.h"

namespace benchhud::ingest {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using Reason = std::optional<std::string>;

// The times that a calendar has: years 1 to 9999, as Python's.
constexpr double kFirstTime = -62135596800.0;
constexpr double kLastTime = 253402300799.0;

using Reader = JsonReader;

// The text of a value that was kept from the parser.
std::optional<std::string_view> lifted_text(const Reader& reader, const LiftedValues& lifted,
                                            element value) {
  const auto place = lifted_value(reader.literal(value));
  if (!place) return std::nullopt;
  return lifted.values[*place];
}

void append_value(const Reader& reader, const LiftedValues& lifted, element value,
                  std::string* out) {
  if (const auto text = lifted_text(reader, lifted, value)) return append_lifted(*text, out);
  append_json(value, reader.marked, JsonOrder::kAsItStands, out);
}

bool is_absent(element value) {
  return value.is_null() || (value.is_bool() && !value_of<bool>(value));
}

// The members that are kept for themselves, as the text of a JSON object.
struct KeptFields {
  std::string text;

  void add(const Reader& reader, const LiftedValues& lifted, const JsonField& field) {
    open(field.key);
    append_value(reader, lifted, field.value, &text);
  }

  void add(std::string_view key, const KeptFields& fields) {
    if (fields.text.empty()) return;
    open(key);
    text += fields.text;
    text.push_back('}');
  }

 private:
  void open(std::string_view key) {
    text.push_back(text.empty() ? '{' : ',');
    append_json_string(key, &text);
    text.push_back(':');
  }
};

Reason wrong_type(const Reader& reader, std::string_view name, element value,
                  std::string_view wanted) {
  std::string reason(name);
  reason += " is ";
  reason += reader.describe(value);
  reason += ", not ";
  reason += wanted;
  return reason;
}

// A text that a line may leave out: "" where absent.
Reason read_text(const Reader& reader, std::string_view name, element value, std::string* text) {
  if (is_absent(value)) return {};
  if (!reader.is_string(value)) return wrong_type(reader, name, value, "a string");
  text->assign(reader.string(value));
  return {};
}

// A key of the configuration that is null, false or a text; a value of another type is its JSON.
void read_option(const Reader& reader, element value, std::optional<std::string>* text) {
  if (is_absent(value)) return;
  if (!reader.is_string(value)) {
    *text = reader.json(value);
  } else if (*text) {
    (*text)->assign(reader.string(value));
  } else {
    text->emplace(reader.string(value));
  }
}

Reason read_batch_size(const Reader& reader, element value, std::optional<std::int64_t>* size) {
  if (is_absent(value)) return {};
  *size = reader.integer(value);
  if (*size) return {};
  return wrong_type(reader, "experiment.batch_size", value,
                    reader.number(value) ? "an integer of 64 bits" : "an integer");
}

Reason read_timestamp(const Reader& reader, element value, std::optional<double>* timestamp) {
  if (value.is_null()) return {};
  const std::optional<double> seconds = reader.number(value);
  if (!seconds) return wrong_type(reader, "timestamp", value, "a number");
  if (std::isnan(*seconds)) return {};
  if (*seconds < kFirstTime || *seconds > kLastTime) {
    return wrong_type(reader, "timestamp", value, "a time of the years 1 to 9999");
  }
  *timestamp = seconds;
  return {};
}

// `VerificationCode.PASS` and `<VerificationCode.PASS: 'PASS'>` are how Python prints the enum.
std::string_view plain_code(std::string_view code) {
  constexpr std::string_view kEnum = "VerificationCode.";
  const bool is_repr = code.starts_with('<') && code.ends_with('>');
  std::string_view name = is_repr ? code.substr(1, code.size() - 2) : code;
  if (!name.starts_with(kEnum)) return code;
  name.remove_prefix(kEnum.size());
  return is_repr ? name.substr(0, name.find(':')) : name;
}

Reason json_reason(const JsonFault& fault) {
  return "not JSON: " + fault.what + " at byte " + std::to_string(fault.offset + 1) +
         " of the line";
}

constexpr const char* kTooDeep = "not read: nested more than 1024 deep";

Reason budget_reason(std::string_view what) {
  return "the line exceeds its memory budget: " + std::string(what);
}

Reason simdjson_reason(simdjson::error_code error) {
  if (error == simdjson::DEPTH_ERROR) return kTooDeep;
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  return std::string("not read: ") + simdjson::error_message(error);
}

void clear(ResultsLine* line) {
  schema::Experiment& experiment = line->experiment;
  for (std::string* text : {&experiment.suite, &experiment.model, &experiment.accelerator,
                            &experiment.accelerator_model, &experiment.test, &line->extra}) {
    text->clear();
  }
  experiment.xla.reset();
  experiment.xla_flags.reset();
  experiment.dynamo.reset();
  experiment.torch_xla2.reset();
  experiment.batch_size.reset();
  experiment.flags = "{}";
  line->timestamp.reset();
  line->repeat.reset();
  line->iterations_per_run.reset();
  line->verification_code.reset();
  line->verification_mean_rel_error.reset();
  line->error.reset();
  line->origin.reset();
}

}  // namespace

struct ResultsLineParser::State {
  explicit State(std::size_t large) : large_line(large) {}

  const std::size_t large_line;
  simdjson::dom::parser parser;
  std::vector<char> padded;  // the text that `parser` reads, with its padding
  std::string rewritten;
  LiftedValues lifted;          // out of `rewritten`
  bool was_large = false;       // the line before this one was
  bool exceeds_budget = false;  // the last line
  Reader reader;
  std::vector<JsonField> fields, model_fields, experiment_fields, metric_fields, flags;
  std::vector<std::string> model_keys;  // "model.<key>" of the flags

  Reason read_document(std::string_view text, element* document);
  Reason read_line(element document, ResultsLine* line);
  Reason read_field(const JsonField& field, ResultsLine* line, KeptFields* extra);
  Reason read_model(element model, schema::Experiment* experiment);
  Reason read_experiment(element configuration, schema::Experiment* experiment, KeptFields* extra);
  Reason read_metrics(element metrics, ResultsLine* line);
  void read_error(element value, ResultsLine* line);
  void read_metric(element value, schema::Measurement* measurement);
  void write_flags(std::string* text);
  simdjson::error_code load(std::string_view text, element* document);
  simdjson::error_code load_rewritten(element* document);
};

simdjson::error_code ResultsLineParser::State::load(std::string_view text, element* document) {
  const std::size_t size = text.size() + simdjson::SIMDJSON_PADDING;
  if (padded.size() < size) padded.resize(std::max(size, padded.size() * 2));
  std::memcpy(padded.data(), text.data(), text.size());
  std::memset(padded.data() + text.size(), ' ', simdjson::SIMDJSON_PADDING);
  return parser.parse(padded.data(), text.size(), false).get(*document);
}

// Where it stands: a copy of a large text counts.
simdjson::error_code ResultsLineParser::State::load_rewritten(element* document) {
  const std::size_t size = rewritten.size();
  rewritten.resize(size + simdjson::SIMDJSON_PADDING, ' ');
  return parser.parse(rewritten.data(), size, false).get(*document);
}

Reason ResultsLineParser::State::read_document(std::string_view text, element* document) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find_first_not_of(" \t\r\n") == text.npos) return "the line is empty";
  lifted = {};
  exceeds_budget = false;
  const bool is_large = text.size() > large_line;
  if (!is_large) {
    reader.marked = false;
    if (load(text, document) == simdjson::SUCCESS) return {};
  }
  // What Python writes and JSON lacks is rare: only now is it worth a look. Of a large line long
  // values are kept from the parser, which would make many times their size of them.
  lifted.most_metrics = kMostMetrics;
  lifted.most_samples = most_samples(text.size());
  lifted.most_rewritten = kMostBesideValues;
  const auto fault = rewrite_python_json(text, &rewritten, is_large ? &lifted : nullptr);
  exceeds_budget = lifted.exceeds_budget;
  if (exceeds_budget) return budget_reason(fault->what);
  if (fault) return json_reason(*fault);
  // The parser does not see how deep it is in what is kept from it.
  if (lifted.deepest >= simdjson::DEFAULT_MAX_DEPTH) return kTooDeep;
  reader.marked = true;
  const simdjson::error_code error = load_rewritten(document);
  if (error == simdjson::SUCCESS) return {};
  return simdjson_reason(error);
}

Reason ResultsLineParser::State::read_line(element document, ResultsLine* line) {
  if (!document.is_object()) {
    return wrong_type(reader, "the line", document, "an object");
  }
  collect_fields(value_of<simdjson::dom::object>(document), reader.marked, &fields);
  clear(line);
  flags.clear();
  model_keys.clear();
  const JsonField* model = nullptr;
  const JsonField* experiment = nullptr;
  const JsonField* metrics = nullptr;
  KeptFields extra;
  for (const JsonField& field : fields) {
    if (field.key == "model") {
      model = &field;
    } else if (field.key == "experiment") {
      experiment = &field;
    } else if (field.key == "metrics") {
      metrics = &field;
    } else if (auto reason = read_field(field, line, &extra)) {
      return reason;
    }
  }
  if (model == nullptr) return "model is missing";
  if (auto reason = read_model(model->value, &line->experiment)) return reason;
  if (experiment == nullptr) return "experiment is missing";
  KeptFields kept;
  if (auto reason = read_experiment(experiment->value, &line->experiment, &kept)) return reason;
  extra.add("experiment", kept);
  if (!flags.empty()) write_flags(&line->experiment.flags);
  if (!extra.text.empty()) {
    line->extra = std::move(extra.text);
    line->extra.push_back('}');
  }
  if (metrics == nullptr || metrics->value.is_null()) {
    line->metrics.clear();
    return {};
  }
  return read_metrics(metrics->value, line);
}

Reason ResultsLineParser::State::read_field(const JsonField& field, ResultsLine* line,
                                            KeptFields* extra) {
  const std::string_view key = field.key;
  const element value = field.value;
  if (key == "timestamp") return read_timestamp(reader, value, &line->timestamp);
  if (key == "verification_code") {
    read_option(reader, value, &line->verification_code);
    if (line->verification_code) {
      line->verification_code = std::string(plain_code(*line->verification_code));
      if (line->verification_code->empty()) line->verification_code.reset();
    }
    return {};
  }
  // What follows counts for nothing; a value of another type is just kept.
  bool is_kept = false;
  if (key == "repeat") {
    line->repeat = reader.integer(value);
    is_kept = !line->repeat && !value.is_null();
  } else if (key == "iterations_per_run") {
    line->iterations_per_run = reader.integer(value);
    is_kept = !line->iterations_per_run && !value.is_null();
  } else if (key == "verification_mean_rel_error") {
    line->verification_mean_rel_error = reader.number(value);
    is_kept = !line->verification_mean_rel_error && !value.is_null();
  } else if (key == "benchhud_line") {
    // This program's own key: what is no hash under it says nothing.
    if (!reader.is_string(value)) return {};
    line->origin = schema::content_hash_of_hex(reader.string(value));
  } else {
    is_kept = true;
  }
  if (is_kept) extra->add(reader, lifted, field);
  return {};
}

Reason ResultsLineParser::State::read_model(element model, schema::Experiment* experiment) {
  if (!model.is_object()) return wrong_type(reader, "model", model, "an object");
  collect_fields(value_of<simdjson::dom::object>(model), reader.marked, &model_fields);
  for (const JsonField& field : model_fields) {
    Reason reason;
    if (field.key == "model_name") {
      reason = read_text(reader, "model.model_name", field.value, &experiment->model);
    } else if (field.key == "suite_name") {
      reason = read_text(reader, "model.suite_name", field.value, &experiment->suite);
    } else if (!is_absent(field.value)) {
      model_keys.push_back("model." + std::string(field.key));
      flags.push_back({{}, field.value});  // named when no more keys are added
    }
    if (reason) return reason;
  }
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i].key = model_keys[i];
  if (experiment->model.empty()) return "model.model_name is missing";
  return {};
}

Reason ResultsLineParser::State::read_experiment(element configuration,
                                                 schema::Experiment* experiment,
                                                 KeptFields* extra) {
  if (!configuration.is_object()) {
    return wrong_type(reader, "experiment", configuration, "an object");
  }
  collect_fields(value_of<simdjson::dom::object>(configuration), reader.marked, &experiment_fields);
  for (const JsonField& field : experiment_fields) {
    const std::string_view key = field.key;
    Reason reason;
    if (key == "accelerator") {
      reason = read_text(reader, "experiment.accelerator", field.value, &experiment->accelerator);
    } else if (key == "accelerator_model") {
      reason = read_text(reader, "experiment.accelerator_model", field.value,
                         &experiment->accelerator_model);
    } else if (key == "test") {
      reason = read_text(reader, "experiment.test", field.value, &experiment->test);
    } else if (key == "batch_size") {
      reason = read_batch_size(reader, field.value, &experiment->batch_size);
    } else if (key == "xla") {
      read_option(reader, field.value, &experiment->xla);
    } else if (key == "xla_flags") {
      read_option(reader, field.value, &experiment->xla_flags);
    } else if (key == "dynamo") {
      read_option(reader, field.value, &experiment->dynamo);
    } else if (key == "torch_xla2") {
      read_option(reader, field.value, &experiment->torch_xla2);
    } else if (key == "experiment_name" || key == "process_env" || key == "outputs_file") {
      extra->add(reader, lifted, field);
    } else if (!is_absent(field.value)) {
      flags.push_back(field);
    }
    if (reason) return reason;
  }
  return {};
}

void ResultsLineParser::State::write_flags(std::string* text) {
  std::stable_sort(flags.begin(), flags.end(),
                   [](const JsonField& a, const JsonField& b) { return a.key < b.key; });
  text->clear();
  for (const JsonField& flag : flags) {
    text->push_back(text->empty() ? '{' : ',');
    append_json_string(flag.key, text);
    text->push_back(':');
    append_json(flag.value, reader.marked, JsonOrder::kCanonical, text);
  }
  text->push_back('}');
}

Reason ResultsLineParser::State::read_metrics(element metrics, ResultsLine* line) {
  if (!metrics.is_object()) return wrong_type(reader, "metrics", metrics, "an object");
  collect_fields(value_of<simdjson::dom::object>(metrics), reader.marked, &metric_fields);
  std::unordered_set<std::string_view> names;
  const auto has = [&](std::string_view name) {
    if (names.empty()) {
      for (const JsonField& field : metric_fields) names.insert(field.key);
    }
    return names.contains(name);
  };
  if (metric_fields.size() > kMostMetrics) {
    exceeds_budget = true;
    return budget_reason("more than " + std::to_string(kMostMetrics) + " metrics");
  }
  std::size_t count = 0;
  for (const JsonField& field : metric_fields) {
    if (field.key == "error") {
      read_error(field.value, line);
      continue;
    }
    if (count == line->metrics.size()) line->metrics.emplace_back();
    schema::Measurement& measurement = line->metrics[count++];
    measurement.metric.assign(field.key);
    if (field.key.starts_with("xla_ExecutionTime_")) {
      // Where a line has the metric under both names, each keeps its own.
      std::string canonical = schema::canonical_metric_name(field.key);
      if (!has(canonical)) measurement.metric = std::move(canonical);
    }
    read_metric(field.value, &measurement);
  }
  line->metrics.resize(count);
  return {};
}

void ResultsLineParser::State::read_error(element value, ResultsLine* line) {
  const auto text = lifted_text(reader, lifted, value);
  if (text && text->starts_with('"')) {
    line->error = lifted_string(*text);
  } else if (reader.is_string(value)) {
    line->error.emplace(reader.string(value));
  } else if (!value.is_null()) {
    append_value(reader, lifted, value, &line->error.emplace());
  }
}

void ResultsLineParser::State::read_metric(element value, schema::Measurement* measurement) {
  measurement->samples.clear();
  measurement->json.clear();
  if (const auto text = lifted_text(reader, lifted, value)) {
    if (text->starts_with('[') && sample_array_size(*text) > 0) {
      measurement->shape = schema::SampleShape::kArray;
      append_samples(*text, &measurement->samples);
    } else {
      measurement->shape = schema::SampleShape::kNested;
      append_lifted(*text, &measurement->json);
    }
    return;
  }
  if (value.is_array()) {
    measurement->shape = schema::SampleShape::kArray;
    const auto array = value_of<simdjson::dom::array>(value);
    measurement->samples.reserve(array.size());
    bool all_samples = true;
    for (const element member : array) {
      const std::optional<double> sample = reader.sample(member);
      all_samples = sample.has_value();
      if (!all_samples) break;
      measurement->samples.push_back(*sample);
    }
    if (all_samples) return;
    measurement->samples.clear();
  } else if (value.is_null()) {
    measurement->shape = schema::SampleShape::kNull;
    return;
  } else if (const std::optional<double> sample = reader.sample(value)) {
    measurement->shape = schema::SampleShape::kScalar;
    measurement->samples.push_back(*sample);
    return;
  }
  measurement->shape = schema::SampleShape::kNested;
  append_json(value, reader.marked, JsonOrder::kAsItStands, &measurement->json);
}

bool ResultsLine::has_timing() const {
  const schema::Measurement* total = find_metric("total_time");
  return total != nullptr && std::any_of(total->samples.begin(), total->samples.end(),
                                         [](double sample) { return !std::isnan(sample); });
}

const schema::Measurement* ResultsLine::find_metric(std::string_view canonical_name) const {
  for (const schema::Measurement& measurement : metrics) {
    if (measurement.metric == canonical_name) return &measurement;
  }
  return nullptr;
}

ResultsLineParser::ResultsLineParser(std::size_t large_line)
    : state_(std::make_unique<State>(large_line)) {}
ResultsLineParser::~ResultsLineParser() = default;
ResultsLineParser::ResultsLineParser(ResultsLineParser&&) noexcept = default;
ResultsLineParser& ResultsLineParser::operator=(ResultsLineParser&&) noexcept = default;

std::optional<std::string> ResultsLineParser::parse(std::string_view text, ResultsLine* line) {
  if (state_->was_large) *line = ResultsLine();
  element document;
  Reason reason = state_->read_document(text, &document);
  if (!reason) reason = state_->read_line(document, line);
  const bool is_large = text.size() > state_->large_line;
  const bool exceeds_budget = state_->exceeds_budget;
  if (is_large) state_ = std::make_unique<State>(state_->large_line);
  state_->was_large = is_large;
  state_->exceeds_budget = exceeds_budget;
  return reason;
}

bool ResultsLineParser::exceeds_budget() const { return state_->exceeds_budget; }

std::size_t ResultsLineParser::most_samples(std::size_t line_bytes) {
  constexpr std::size_t kAlways = 1'000'000, kBytesEach = 10;
  return std::max(kAlways, line_bytes / kBytesEach);
}

}  // namespace benchhud::ingest
