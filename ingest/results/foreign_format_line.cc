#include "ingest/results/foreign_format_line.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schema/model/hud_terms.h"

namespace benchhud::ingest {
namespace {

using schema::Measurement;
using schema::SampleShape;

constexpr double kMillisecondsPerSecond = 1000;

/// What the HUD's records leave in `extra` begins so.
constexpr std::string_view kHudExtra = R"({"hud":)";

const Measurement* find(const std::vector<Measurement>& metrics, std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Measurement& metric) { return metric.metric == name; });
  return found == metrics.end() ? nullptr : &*found;
}

/// The one sample of a metric that has one.
std::optional<double> only_sample(const std::vector<Measurement>& metrics, std::string_view name) {
  const Measurement* metric = find(metrics, name);
  if (metric == nullptr || metric->samples.size() != 1) return {};
  return metric->samples.front();
}

bool is_positive(std::optional<double> value) {
  return value && std::isfinite(*value) && *value > 0;
}

// Where a model failed, the runner writes zeros for all that it would have measured.
bool is_failure(const ForeignResult& result) {
  const auto is_zero = [&](std::string_view name) {
    return only_sample(result.metrics, name) == 0.0;
  };
  const bool has_latency = find(result.metrics, "abs_latency") != nullptr;
  return is_zero(schema::kHudSpeedup) && (!has_latency || is_zero("abs_latency"));
}

void add_times(const std::vector<double>& seconds, ResultsLine* record) {
  for (const char* name : {"total_time", "per_iter_time"}) {
    Measurement& time = record->metrics.emplace_back();
    time.metric = name;
    time.samples = seconds;
  }
}

void fill_timing(const ForeignResult& result, ResultsLine* record) {
  record->experiment = result.experiment;
  record->extra = result.extra;
  if (result.has_latency_in_ms && is_failure(result)) {
    record->error =
        "no time: speedup and abs_latency are 0, as torch's dynamo runner writes where a model "
        "failed; why is in its log";
    return;
  }
  record->metrics = result.metrics;
  const Measurement* latency = find(result.metrics, "abs_latency");
  const bool is_timed = find(result.metrics, "total_time") != nullptr;
  if (!result.has_latency_in_ms || latency == nullptr || is_timed) return;
  std::vector<double> seconds = latency->samples;
  for (double& value : seconds) value /= kMillisecondsPerSecond;
  add_times(seconds, record);
}

// Their speedup is eager's median time by the compiled one's, and abs_latency is the latter.
std::optional<double> eager_seconds(const ForeignResult& result) {
  if (!result.has_latency_in_ms || result.experiment.backend() == "eager") return {};
  const auto speedup = only_sample(result.metrics, schema::kHudSpeedup);
  const auto latency = only_sample(result.metrics, "abs_latency");
  if (!is_positive(speedup) || !is_positive(latency)) return {};
  return *speedup * *latency / kMillisecondsPerSecond;
}

void fill_eager(const ForeignResult& result, double seconds, ResultsLine* record) {
  record->experiment = result.experiment;
  schema::set_backend("eager", &record->experiment);
  add_times({seconds}, record);
  const char* const of = result.extra.starts_with(kHudExtra) ? "of_hud" : "of";
  const nlohmann::ordered_json extra = {
      {"derived", {{"from", "speedup * abs_latency"}, {of, result.experiment.backend()}}}};
  record->extra = extra.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The accuracy check runs with a batch size of its own, which is not that of the timing.
void fill_verification(const ForeignResult& result, ResultsLine* record) {
  record->experiment = result.experiment;
  record->experiment.batch_size.reset();
  record->verification_code = schema::code_of_accuracy(*result.accuracy);
  if (schema::is_accuracy_error(*result.accuracy)) record->error = result.accuracy;
  record->extra = result.accuracy_extra;
}

schema::ContentHash hash_of(const ForeignResult& result, std::string_view part) {
  if (part.empty()) return result.hash;
  std::string text(result.hash.view());
  text += part;
  return schema::content_hash(text);
}

/// A line with its place, and its record empty.
ParsedLine& begin_line(const ForeignResult& result, std::string_view part, ParsedChunk* parsed) {
  ParsedLine& line = next_line(parsed);
  line.record = ResultsLine();
  line.own_text = result.text;
  line.line_number = result.line_number;
  line.byte_offset = result.byte_offset;
  line.byte_count = static_cast<std::int64_t>(result.text.size());
  line.hash = hash_of(result, part);
  line.origin = result.origin;
  return line;
}

void set_time(const ForeignResult& result, std::optional<double> fallback_timestamp,
              ParsedLine* line) {
  line->record.timestamp = result.timestamp;
  if (result.timestamp) return;
  line->lacks_timestamp = true;
  line->record.timestamp = fallback_timestamp;
  line->hash = hash_with(line->hash, *fallback_timestamp);
}

}  // namespace

std::string ImportContext::identity() const {
  std::string text;
  for (const auto* fact : {&suite, &backend, &test, &dtype, &accelerator, &accelerator_model}) {
    if (*fact) {
      text += std::to_string((*fact)->size()) + ':' + **fact;
    } else {
      text += '-';
    }
  }
  return text == "------" ? "" : text;
}

ImportContext ImportContext::or_else(const ImportContext& others) const {
  ImportContext facts = *this;
  const auto fill = [](std::optional<std::string>* fact, const std::optional<std::string>& other) {
    if (!*fact) *fact = other;
  };
  fill(&facts.suite, others.suite);
  fill(&facts.backend, others.backend);
  fill(&facts.test, others.test);
  fill(&facts.dtype, others.dtype);
  fill(&facts.accelerator, others.accelerator);
  fill(&facts.accelerator_model, others.accelerator_model);
  return facts;
}

std::string flags_of_dtype(std::string_view dtype) {
  if (dtype.empty() || dtype == "notset" || dtype == "None") return "{}";
  const nlohmann::json flags = {{"dtype", dtype}};
  return flags.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_lines(const ForeignResult& result, std::optional<double> fallback_timestamp,
                  ParsedChunk* parsed) {
  if (!result.timestamp && !fallback_timestamp) {
    append_rejection(result.text, result.line_number, result.byte_offset,
                     "no timestamp, and none in the names of file and folder; give --timestamp",
                     true, parsed);
    parsed->lines[parsed->line_count - 1].lacks_timestamp = true;
    return;
  }
  if (result.own) {
    ParsedLine& line = begin_line(result, "", parsed);
    line.record = *result.own;
    line.record.origin = result.hash;
    line.record.metrics = result.metrics;
    set_time(result, fallback_timestamp, &line);
    return;
  }
  if (!result.metrics.empty()) {
    ParsedLine& line = begin_line(result, "", parsed);
    fill_timing(result, &line.record);
    set_time(result, fallback_timestamp, &line);
  }
  if (const auto seconds = eager_seconds(result)) {
    ParsedLine& line = begin_line(result, "eager", parsed);
    fill_eager(result, *seconds, &line.record);
    set_time(result, fallback_timestamp, &line);
  }
  if (result.accuracy) {
    ParsedLine& line = begin_line(result, "accuracy", parsed);
    fill_verification(result, &line.record);
    set_time(result, fallback_timestamp, &line);
    line.origin->is_verification = true;
  }
}

void append_rejection(std::string_view text, std::int64_t line_number, std::int64_t byte_offset,
                      std::string reason, bool is_retriable, ParsedChunk* parsed) {
  ParsedLine& line = next_line(parsed);
  // No more of it is kept anyway.
  line.own_text = text.substr(0, schema::kMostKeptBytes);
  line.line_number = line_number;
  line.byte_offset = byte_offset;
  line.byte_count = static_cast<std::int64_t>(text.size());
  line.hash = schema::content_hash(text);
  line.is_unfinished = is_retriable;
  line.rejection = std::move(reason);
}

}  // namespace benchhud::ingest
