#include "analysis/upstream/hud_export.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/statistics/estimators.h"
#include "schema/model/hud_terms.h"
#include "schema/results/run_assignment.h"

namespace benchhud::analysis {
namespace {

using Json = nlohmann::ordered_json;
using schema::Experiment;
using schema::Measurement;
using schema::SampleShape;
using schema::StoredResultLine;

constexpr double kMillisecondsPerSecond = 1000;

// What a record without one is taken to have.
constexpr std::string_view kDefaultAccelerator = "cpu", kDefaultBackend = "eager";
constexpr std::string_view kNoDtype = "notset";

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json::object();
}

const Measurement* find(const StoredResultLine& line, std::string_view name) {
  const auto found = std::find_if(line.metrics.begin(), line.metrics.end(),
                                  [&](const Measurement& metric) { return metric.metric == name; });
  return found == line.metrics.end() ? nullptr : &*found;
}

std::optional<double> steady_of(const StoredResultLine& line) {
  const Measurement* time = find(line, "per_iter_time");
  if (time == nullptr || line.error) return {};
  const auto estimate = steady(time->samples);
  if (!estimate) return {};
  return estimate->value;
}

std::string dtype_of(const Experiment& experiment) {
  const Json flags = parsed(experiment.flags);
  const auto dtype = flags.find("dtype");
  return dtype != flags.end() && dtype->is_string() ? dtype->get<std::string>()
                                                    : std::string(kNoDtype);
}

bool is_commit(std::string_view text) {
  return text.size() >= 7 && text.size() <= 40 &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

Json finite_values(const Measurement& metric) {
  Json values = Json::array();
  if (!schema::has_samples(metric.shape)) return values;
  for (const double sample : metric.samples) {
    if (std::isfinite(sample)) values.push_back(sample);
  }
  return values;
}

/// Whether an array of numbers says all that the metric does.
bool is_plain_array(const Measurement& metric) {
  return metric.shape == SampleShape::kArray &&
         std::all_of(metric.samples.begin(), metric.samples.end(),
                     [](double sample) { return std::isfinite(sample); });
}

Json metric_record(const std::string& name, Json values) {
  return {{"name", name}, {"benchmark_values", std::move(values)}, {"target_value", 0}};
}

Json derived_metric(const std::string& name, Json values) {
  Json record = metric_record(name, std::move(values));
  record["extra_info"] = {{std::string(schema::kOwnKey), std::string(schema::kOwnDerived)}};
  return record;
}

Json accuracy_metric(const std::string& status) {
  Json record = metric_record("accuracy", Json::array());
  record["extra_info"] = {{"benchmark_values", Json::array({status})},
                          {std::string(schema::kOwnKey), std::string(schema::kOwnDerived)}};
  return record;
}

/// Whether a line is the verifier's and has something to say.
bool says_accuracy(const StoredResultLine& line) {
  if (!line.code || find(line, "total_time") != nullptr) return false;
  switch (line.invocation_kind) {
    case schema::InvocationKind::kTiming:
      return false;
    case schema::InvocationKind::kVerification:
      return *line.code != "VERIFIER_SKIPPED";
    case schema::InvocationKind::kMixed:
      return schema::is_verdict(*line.code);
  }
  return false;
}

void give_record(const Json& context, Json metric,
                 const std::function<void(const std::string&)>& give) {
  Json record = context;
  record["metric"] = std::move(metric);
  give(text_of(record));
}

// Whether the line was made of a record of the HUD: only such a line has its context, a record
// without its metric. The runner's own lines may have a key of that name as well.
bool is_theirs(const StoredResultLine& line, const Json& extra) {
  const auto context = extra.find("hud");
  if (context == extra.end() || !context->is_object()) return false;
  const auto model = context->find("model");
  if (model == context->end() || !model->is_object()) return false;
  const auto name = model->find("name");
  return name != model->end() &&
         (name->is_number() || (name->is_string() && *name == line.experiment->model));
}

// Whether an import worked the line out of such a record, which is there itself.
bool is_of_theirs(const Json& extra) {
  const auto derived = extra.find("derived");
  return derived != extra.end() && derived->is_object() && derived->size() == 2 &&
         derived->contains("from") && derived->contains("of_hud");
}

/// A text or a number that says something, as the reader takes it.
bool says(const Json& object, const char* key) {
  if (!object.is_object()) return false;
  const auto value = object.find(key);
  if (value == object.end()) return false;
  return value->is_string() ? !value->get_ref<const std::string&>().empty() : value->is_number();
}

bool says_time(const Json& context) {
  if (!says(context, "timestamp")) return false;
  const Json& time = context["timestamp"];
  return time.is_string()
             ? time.get_ref<const std::string&>().find_first_of("123456789") != std::string::npos
             : time.get<double>() != 0;
}

Json member(const Json& object, const char* key) {
  const auto value = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && value != object.end() ? *value : Json();
}

/// A record of the HUD that does not say everything by itself gets what was told when it was read:
/// where the HUD looks for it, and once more for benchhud, with the record as it came, so that it
/// is the same result when it is read again.
Json with_given_facts(const Json& context, const StoredResultLine& line) {
  const Json benchmark = member(context, "benchmark"), model = member(context, "model");
  const Json about = member(benchmark, "extra_info"), runners = member(context, "runners");
  const Json origins = member(model, "origins");
  const Json runner = runners.is_array() && !runners.empty() ? runners[0] : Json();
  const std::string output = says(about, "output") && about["output"].is_string()
                                 ? about["output"].get<std::string>()
                                 : "";
  const Experiment& e = *line.experiment;
  const bool has_machine = says(runner, "type") || says(about, "arch") ||
                           says(runner, "gpu_info") || says(runner, "cpu_info");
  const bool has_device =
      says(runner, "name") || says(about, "device") || e.accelerator == kDefaultAccelerator;
  const bool has_backend = says(model, "backend") || e.backend() == kDefaultBackend ||
                           output.starts_with(e.backend() + '_');
  const bool has_suite = (origins.is_array() && !origins.empty() && origins[0].is_string()) ||
                         member(benchmark, "name") == e.suite ||
                         output.find('_' + e.suite + '_') != output.npos;
  const bool has_test = says(benchmark, "mode") || e.test.empty();
  const bool has_dtype = says(benchmark, "dtype") || dtype_of(e) == kNoDtype;
  if (says_time(context) && has_machine && has_device && has_backend && has_suite && has_test &&
      has_dtype) {
    return context;
  }
  Json given = {{"timestamp", line.timestamp},  {"suite", e.suite},
                {"backend", e.backend()},       {"test", e.test},
                {"accelerator", e.accelerator}, {"accelerator_model", e.accelerator_model}};
  if (const std::string dtype = dtype_of(e); dtype != kNoDtype) given["dtype"] = dtype;
  Json record = context;
  if (!says_time(context)) {
    record["timestamp"] = static_cast<std::uint64_t>(std::max(line.timestamp, 0.0));
  }
  if (!has_machine || !has_device) {
    record["runners"] = Json::array({{{"name", e.accelerator}, {"type", e.accelerator_model}}});
  }
  if (!benchmark.is_object()) record["benchmark"] = Json::object();
  Json& info = record["benchmark"]["extra_info"];
  if (!info.is_object()) info = Json::object();
  info[std::string(schema::kOwnKey)] = text_of({{std::string(schema::kOwnGiven), std::move(given)},
                                                {std::string(schema::kOwnContext), context}});
  return record;
}

// What the HUD wrote goes back as it came.
void write_theirs(const StoredResultLine& line, const Json& extra,
                  const std::function<void(const std::string&)>& give) {
  const Json context = with_given_facts(extra["hud"], line);
  const Json kept = extra.contains("hud_metrics") && extra["hud_metrics"].is_object()
                        ? extra["hud_metrics"]
                        : Json::object();
  const auto add_kept = [&](const std::string& metric, Json record) {
    const auto more = kept.find(metric);
    if (more != kept.end() && more->is_object()) record.update(*more);
    return record;
  };
  if (kept.contains("accuracy")) {
    give_record(context, add_kept("accuracy", {{"name", "accuracy"}}), give);
    return;
  }
  if (line.error) {
    give_record(context,
                add_kept(std::string(schema::kHudSpeedup),
                         {{"name", "speedup"}, {"benchmark_values", Json::array({0.0})}}),
                give);
  }
  const bool has_latency = find(line, "abs_latency") != nullptr;
  for (const Measurement& metric : line.metrics) {
    const bool is_ours = metric.metric == "total_time" || metric.metric == "per_iter_time";
    if (is_ours && has_latency) continue;
    give_record(context,
                add_kept(metric.metric, {{"name", schema::hud_metric_name(metric.metric)},
                                         {"benchmark_values", finite_values(metric)}}),
                give);
  }
}

}  // namespace

HudExport::HudExport(schema::Run run, std::string repository, ResultsText text)
    : run_(std::move(run)), repository_(std::move(repository)), text_(std::move(text)) {}

HudExport::Workload HudExport::workload_of(const Experiment& e) {
  return {e.suite, e.model, e.test, e.flags, e.batch_size};
}

void HudExport::note(const StoredResultLine& line) {
  if (line.experiment->backend() != "eager") return;
  if (const auto time = steady_of(line)) eager_[workload_of(*line.experiment)] = *time;
}

std::string HudExport::head_sha() const {
  const std::string name = repository_.substr(repository_.find_last_of('/') + 1);
  for (const std::string& key : {name, std::string("commit")}) {
    const auto label = run_.labels.find(key);
    if (label != run_.labels.end()) return label->second;
  }
  return "";
}

std::string HudExport::own_text(const StoredResultLine& line) const {
  Json own;
  own["run"] = run_.name;
  own["labels"] = run_.labels;
  own["is_verification"] = line.invocation_kind == schema::InvocationKind::kVerification;
  own["hash"] = line.hash.hex();
  std::string text = text_of(own);
  text.back() = ',';
  return text + "\"line\":" + text_.line(line) + '}';
}

Json HudExport::own_metric(const Measurement& metric) const {
  std::string name = schema::hud_metric_name(metric.metric);
  // The HUD has no metric without a name.
  if (name.empty()) name = "unnamed";
  Json record = metric_record(name, finite_values(metric));
  if (is_plain_array(metric) && name == metric.metric) return record;
  const std::string kept = '{' + text_of(Json(metric.metric)) + ':' + text_.value(metric) + '}';
  record["extra_info"] = {{std::string(schema::kOwnKey), kept}};
  return record;
}

void HudExport::write(const StoredResultLine& line,
                      const std::function<void(const std::string&)>& give) {
  const Json extra = line.extra.empty() ? Json::object() : parsed(line.extra);
  if (is_theirs(line, extra)) return write_theirs(line, extra, give);
  if (is_of_theirs(extra)) return;

  const Experiment& e = *line.experiment;
  const bool is_verdict = says_accuracy(line);
  const std::string mode = schema::mode_of_test(e.test);
  const std::string dtype = dtype_of(e);
  const std::string backend = e.backend();
  const std::string output = backend + '_' + e.suite + '_' + dtype + '_' + mode + '_' +
                             e.accelerator + (is_verdict ? "_accuracy.csv" : "_performance.csv");
  const auto label = [&](const char* key) {
    const auto found = run_.labels.find(key);
    return found == run_.labels.end() ? std::string() : found->second;
  };
  std::uint64_t workflow = static_cast<std::uint64_t>(std::max(run_.started_at, 0.0));
  const std::string workflow_label = label("workflow");
  std::from_chars(workflow_label.data(), workflow_label.data() + workflow_label.size(), workflow);

  Json context;
  context["timestamp"] = static_cast<std::uint64_t>(std::max(line.timestamp, 0.0));
  context["schema_version"] = "v3";
  context["name"] = "benchhud";
  context["repo"] = repository_;
  context["head_branch"] = label("branch");
  context["head_sha"] = head_sha();
  context["workflow_id"] = workflow;
  context["run_attempt"] = 1;
  context["job_id"] = 0;
  context["runners"] = Json::array({{{"name", e.accelerator}, {"type", e.accelerator_model}}});
  context["benchmark"] = {{"name", std::string(schema::kHudBenchmark)},
                          {"mode", mode},
                          {"dtype", dtype},
                          {"extra_info",
                           {{"output", output},
                            {"device", e.accelerator},
                            {"arch", e.accelerator_model},
                            {std::string(schema::kOwnKey), own_text(line)}}}};
  if (e.batch_size) {
    context["benchmark"]["extra_info"]["batch_size"] = std::to_string(*e.batch_size);
  }
  context["model"] = {{"name", e.model},
                      {"type", "OSS model"},
                      {"backend", backend},
                      {"origins", Json::array({e.suite})}};
  Json dependencies = Json::object();
  for (const auto& [key, value] : run_.labels) {
    if (is_commit(value)) dependencies[key] = {{"repo", key}, {"sha", value}};
  }
  context["dependencies"] = std::move(dependencies);

  bool is_given = false;
  const auto give_metric = [&](Json metric) {
    is_given = true;
    give_record(context, std::move(metric), give);
  };
  for (const Measurement& metric : line.metrics) give_metric(own_metric(metric));
  if (line.error) {
    // Only a model that was to be timed and failed has a speedup of zero there.
    Json failed = is_verdict ? metric_record("error", Json::array())
                             : metric_record("speedup", Json::array({0.0}));
    const Json text = {{"error", *line.error}};
    failed["extra_info"] = {{std::string(schema::kOwnKey), text_of(text)}};
    give_metric(std::move(failed));
  }
  const auto give_derived = [&](const char* name, double value) {
    if (find(line, schema::metric_of_hud(name)) == nullptr && std::isfinite(value)) {
      give_metric(derived_metric(name, Json::array({value})));
    }
  };
  if (const auto time = steady_of(line)) {
    give_derived("abs_latency", *time * kMillisecondsPerSecond);
    const auto eager = eager_.find(workload_of(e));
    if (eager != eager_.end()) give_derived("speedup", eager->second / *time);
    const Measurement* total = find(line, "total_time");
    const auto compile = total ? upstream_compile(total->samples) : std::nullopt;
    if (compile && *compile > 0) give_derived("compilation_latency", *compile);
  }
  if (is_verdict) {
    if (const auto status = schema::accuracy_of_code(*line.code)) {
      give_metric(accuracy_metric(*status));
    }
  }
  // So that the line is there at all.
  if (!is_given) give_metric(derived_metric("benchhud", Json::array()));
}

}  // namespace benchhud::analysis
