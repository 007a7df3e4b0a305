#include "fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "line_text.h"

namespace benchhud::bench {
namespace {

// How often things happen, a night.
constexpr double kSeriesChanges = 1.0 / 2000;
constexpr double kModelChanges = 1.0 / 4000;
constexpr double kBackendChanges = 1.0 / 150;
constexpr double kBreaks = 1.0 / 3000;
constexpr double kRepairs = 1.0 / 20;
constexpr double kFlakes = 1.0 / 1000;  // fails one night
constexpr double kAnswerBreaks = 1.0 / 3000;
constexpr double kAnswerRepairs = 1.0 / 30;
// How many series are so from the first night on.
constexpr double kBroken = 0.03;
constexpr double kSkipped = 0.02;
constexpr double kWrong = 0.02;
constexpr double kNondeterministic = 0.02;

constexpr double kDay = 86400;

// Models of the TorchBench suite; a larger fleet has them again with a number.
constexpr std::array<std::string_view, 40> kModels = {"BERT_pytorch",
                                                      "Background_Matting",
                                                      "DALLE2_pytorch",
                                                      "alexnet",
                                                      "attention_is_all_you_need_pytorch",
                                                      "basic_gnn_gcn",
                                                      "basic_gnn_gin",
                                                      "basic_gnn_sage",
                                                      "cm3leon_generate",
                                                      "dcgan",
                                                      "densenet121",
                                                      "detectron2_fasterrcnn_r_50_fpn",
                                                      "detectron2_maskrcnn_r_101_c4",
                                                      "dlrm",
                                                      "doctr_det_predictor",
                                                      "drq",
                                                      "fastNLP_Bert",
                                                      "functorch_dp_cifar10",
                                                      "functorch_maml_omniglot",
                                                      "hf_Albert",
                                                      "hf_Bart",
                                                      "hf_Bert",
                                                      "hf_Bert_large",
                                                      "hf_GPT2",
                                                      "hf_GPT2_large",
                                                      "hf_T5",
                                                      "hf_T5_base",
                                                      "hf_T5_generate",
                                                      "hf_T5_large",
                                                      "llama",
                                                      "llama_v2_7b_16h",
                                                      "mnasnet1_0",
                                                      "mobilenet_v2",
                                                      "nvidia_deeprecommender",
                                                      "pytorch_unet",
                                                      "resnet50",
                                                      "resnext50_32x4d",
                                                      "squeezenet1_1",
                                                      "stable_diffusion_xl",
                                                      "vgg16"};

std::string model_name(int index) {
  const std::string name(kModels[static_cast<std::size_t>(index) % kModels.size()]);
  const std::size_t round = static_cast<std::size_t>(index) / kModels.size();
  return round == 0 ? name : fmt::format("{}_{}", name, round + 1);
}

// How many times as long as eager a backend takes, and how long it compiles.
struct BackendTraits {
  double slowness_low, slowness_high;
  double compile_low, compile_high;
};

BackendTraits traits(const std::string& backend) {
  if (backend == "inductor") return {0.5, 0.95, 5, 60};
  if (backend == "openxla+dynamo") return {0.6, 1.3, 8, 120};
  if (backend == "openxla+lazytensor") return {0.8, 2.5, 8, 150};
  return {1, 1, 0.05, 0.5};
}

// The configuration's part that makes the backend.
std::string backend_keys(const std::string& backend) {
  const auto keys = [](std::string_view xla, const std::string& dynamo) {
    return fmt::format(R"("xla": {}, "xla_flags": null, "dynamo": {}, "torch_xla2": null)", xla,
                       dynamo);
  };
  if (backend == "eager") return keys("null", "null");
  if (backend == "openxla+dynamo") return keys("\"PJRT\"", "\"openxla\"");
  if (backend == "openxla+lazytensor") return keys("\"PJRT\"", "null");
  return keys("null", fmt::format("\"{}\"", backend));
}

// The Gregorian date of a day since 1970 (Howard Hinnant's civil_from_days).
std::string date_of(double time) {
  const std::int64_t z = static_cast<std::int64_t>(std::floor(time / kDay)) + 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const std::int64_t month = mp < 10 ? mp + 3 : mp - 9;
  return fmt::format("{:04}-{:02}-{:02}", yoe + era * 400 + (month <= 2), month,
                     doy - (153 * mp + 2) / 5 + 1);
}

std::string_view verifier_code(const Series& series, int night) {
  if (series.is_nondeterministic) return "NONDETERMINISTIC_EAGER_RUN";
  return series.is_wrong_on(night) ? "FAIL" : "PASS";
}

void append_end(double timestamp, std::string_view code, std::string* out) {
  out->append("}, \"timestamp\": ");
  append_number(timestamp, out);
  fmt::format_to(std::back_inserter(*out), ", \"verification_code\": \"{}\"}}\n", code);
}

// Counters of the first repetition; the others find everything compiled.
void append_dynamo_counters(const Series& series, int repeat, std::string* out) {
  auto to = std::back_inserter(*out);
  fmt::format_to(
      to,
      R"(, "dynamo_counters": [{{"frames": {{"total": {0}, "ok": {0}}}, "inline_call": {{}}, )"
      R"("stats": {{"calls_captured": {1}, "unique_graphs": {0}}}, "inductor": {{)"
      R"("pattern_matcher_count": {2}, "pattern_matcher_nodes": {3}, "extern_calls": {4}}}, )"
      R"("aot_autograd": {{"total": {0}, "ok": {0}}})",
      series.graphs, 40 * series.graphs + series.batch_size, 3 * series.graphs, 7 * series.graphs,
      5 + series.graphs);
  if (series.graphs > 1) {
    fmt::format_to(to, R"x(, "graph_break": {{"call_function BuiltinVariable(print)": {}}})x",
                   series.graphs - 1);
  }
  out->push_back('}');
  for (int repetition = 1; repetition < repeat; ++repetition) out->append(", {}");
  out->push_back(']');
}

}  // namespace

const Failure* Series::failure_on(int night) const {
  if (failures.empty()) return nullptr;
  const Failure& last = failures.back();
  return night >= last.from && (!last.to || night < *last.to) ? &last : nullptr;
}

bool Series::is_wrong_on(int night) const {
  if (wrong_answers.empty()) return false;
  const WrongAnswer& last = wrong_answers.back();
  return night >= last.from && (!last.to || night < *last.to);
}

Fleet::Fleet(FleetOptions options) : options_(std::move(options)), random_(options_.seed, 0) {
  for (int model = 0; model < options_.models; ++model) {
    for (const std::string& test : options_.tests) {
      for (const std::string& backend : options_.backends) add_series(model, backend, test);
    }
  }
}

void Fleet::add_series(int model, const std::string& backend, const std::string& test) {
  // What backends of one model have in common is drawn from the model's own numbers.
  Random of_model(options_.seed, 1 + static_cast<std::uint64_t>(model));
  const double eager_level = std::exp(of_model.between(std::log(2e-3), std::log(0.5)));
  const int batch_size = 1 << of_model.below(9);
  const int graphs = 1 + static_cast<int>(of_model.below(4));
  const bool is_nondeterministic = of_model.chance(kNondeterministic);

  Series& series = series_.emplace_back();
  series.random = Random(options_.seed, (std::uint64_t{1} << 32) + series_.size());
  Random& random = series.random;
  series.model = model_name(model);
  series.backend = backend;
  series.test = test;
  series.batch_size = test == "train" ? std::max(1, batch_size / 2) : batch_size;
  series.uses_xla = backend.starts_with("openxla");
  series.uses_inductor = backend == "inductor";
  series.graphs = graphs;
  series.head = fmt::format(
      R"({{"model": {{"suite_name": "torchbench", "model_name": "{}"}}, "experiment": {{"accelerator": "{}", )"
      R"("accelerator_model": "{}", {}, "test": "{}", "keep_model_data_on_cuda": false, )"
      R"("enable_functionalization": false, "batch_size": )",
      series.model, options_.accelerator, options_.accelerator_model, backend_keys(backend), test);
  const BackendTraits trait = traits(backend);
  series.first_level = eager_level * (test == "train" ? 3.1 : 1) *
                       random.between(trait.slowness_low, trait.slowness_high);
  series.level = series.first_level;
  series.compile_time = random.between(trait.compile_low, trait.compile_high);
  series.noise = Noise::draw(&random);
  if (backend == "eager") return;
  series.is_skipped = random.chance(kSkipped);
  series.is_nondeterministic = is_nondeterministic;
  if (random.chance(kWrong)) series.wrong_answers.push_back({});
  if (random.chance(kBroken)) {
    series.failures.push_back({0, {}, static_cast<Cause>(random.below(kCauseCount))});
  }
}

void Fleet::change_levels(int night, double ratio, const std::string& model,
                          const std::string& backend) {
  for (Series& series : series_) {
    if (!model.empty() && series.model != model) continue;
    if (!backend.empty() && series.backend != backend) continue;
    series.level *= ratio;
    series.changes.push_back({night, ratio});
  }
}

void Fleet::draw_events(int night) {
  if (night == 0) return;
  const auto ratio = [](Random* random) {
    const double size = random->between(0.03, 0.4);
    return std::exp(random->chance(0.6) ? size : -size);
  };
  for (const std::string& backend : options_.backends) {
    if (random_.chance(kBackendChanges)) {
      change_levels(night, std::exp(random_.between(-0.08, 0.08)), "", backend);
    }
  }
  for (int model = 0; model < options_.models; ++model) {
    if (random_.chance(kModelChanges)) change_levels(night, ratio(&random_), model_name(model), "");
  }
  for (Series& series : series_) {
    Random& random = series.random;
    if (random.chance(kSeriesChanges)) {
      const double by = ratio(&random);
      series.level *= by;
      series.changes.push_back({night, by});
    }
    if (series.backend == "eager") continue;
    if (!series.failure_on(night)) {
      const bool is_flake = random.chance(kFlakes);
      if (is_flake || random.chance(kBreaks)) {
        const auto cause = static_cast<Cause>(random.below(kCauseCount));
        series.failures.push_back({night, {}, cause});
        if (is_flake) series.failures.back().to = night + 1;
      }
    } else if (series.failures.back().from > 0 && !series.failures.back().to &&
               random.chance(kRepairs)) {
      series.failures.back().to = night;
    }
    if (!series.is_wrong_on(night)) {
      if (random.chance(kAnswerBreaks)) series.wrong_answers.push_back({night, {}});
    } else if (random.chance(kAnswerRepairs)) {
      series.wrong_answers.back().to = night;
    }
  }
}

void Fleet::append_night(std::string* out) {
  const int night = static_cast<int>(nights_.size());
  Night entry;
  const double midnight = options_.first_night + night * kDay;
  entry.date = date_of(midnight);
  // Quarters of a second: a double holds the sum exactly, and so does its decimal text.
  entry.timestamp = midnight + 2 * 3600 + static_cast<double>(random_.below(1200)) + 0.25;
  if (options_.verify_every > 0 && night % options_.verify_every == 0) {
    entry.verified_at = entry.timestamp + 3600 + static_cast<double>(random_.below(3600)) + 0.5;
  }
  nights_.push_back(entry);
  draw_events(night);
  for (Series& series : series_) append_timing(night, &series, out);
  if (!entry.verified_at) return;
  for (Series& series : series_) {
    if (series.backend != "eager") append_verification(night, &series, out);
  }
}

void Fleet::append_beginning(const Series& series, bool knows_batch_size, std::string* out) const {
  out->append(series.head);
  if (knows_batch_size) {
    fmt::format_to(std::back_inserter(*out), "{}", series.batch_size);
  } else {
    out->append("null");
  }
  fmt::format_to(std::back_inserter(*out),
                 R"(}}, "repeat": {}, "iterations_per_run": 1, "metrics": {{)", options_.repeat);
}

void Fleet::append_timing(int night, Series* series, std::string* out) {
  const double timestamp = nights_.back().timestamp;
  // Drawn whatever happens, so that a failure moves no other number.
  const double level = series->level * series->noise.next_night(night, &series->random);
  if (series->is_skipped) {
    append_beginning(*series, false, out);
    out->append(R"("error": "SKIP")");
    return append_end(timestamp, "VERIFIER_SKIPPED", out);
  }
  if (const Failure* failure = series->failure_on(night)) {
    append_beginning(*series, false, out);
    out->append(R"("error": ")");
    append_error(failure->cause, series->model, &series->random, out);
    out->push_back('"');
    return append_end(timestamp, "VERIFIER_DIDNT_RUN", out);
  }
  append_beginning(*series, true, out);
  append_times(series, level, out);
  append_end(timestamp, "VERIFIER_SKIPPED", out);
}

void Fleet::append_times(Series* series, double level, std::string* out) {
  const std::size_t repeat = static_cast<std::size_t>(options_.repeat);
  Random& random = series->random;
  samples_.resize(repeat);
  for (std::size_t i = 0; i < repeat; ++i) {
    samples_[i] = level * series->noise.sample(&random);
    if (i == 0) samples_[i] += series->compile_time * random.between(0.9, 1.1);
    if (i == 1) samples_[i] *= random.between(1.2, 3);
    if (i == 2) samples_[i] *= random.between(1, 1.1);
  }
  append_metric("total_time", samples_, out);
  append_metric("per_iter_time", samples_, out);  // one iteration a run
  if (series->uses_inductor) append_dynamo_counters(*series, options_.repeat, out);
  if (!series->uses_xla) return;
  tracing_.resize(repeat);
  executing_.resize(repeat);
  compiling_.assign(repeat, 0);
  for (std::size_t i = 0; i < repeat; ++i) {
    tracing_[i] = samples_[i] * random.between(0.2, 0.7);
    executing_[i] = i == 0 ? level * random.between(1, 2) : samples_[i] * random.between(0.7, 0.98);
  }
  compiling_[0] = (samples_[0] - level) * random.between(0.6, 0.9);
  counts_.assign(repeat, 0);
  counts_[0] = series->graphs;
  append_metric("trace_total_time", tracing_, out);
  append_metric("trace_per_iter_time", tracing_, out);
  append_metric("xla_CompileTime_time_s", compiling_, out);
  append_metric("xla_CompileTime_number", counts_, out);
  counts_.assign(repeat, series->graphs);
  append_metric("xla_ExecuteTime_time_s", executing_, out);
  append_metric("xla_ExecuteTime_number", counts_, out);
}

void Fleet::append_verification(int night, Series* series, std::string* out) {
  append_beginning(*series, false, out);
  std::string_view code = verifier_code(*series, night);
  if (series->is_skipped) {
    out->append(R"("error": "SKIP")");
    code = "VERIFIER_SKIPPED";
  } else if (const Failure* failure = series->failure_on(night)) {
    out->append(R"("error": ")");
    append_error(failure->cause, series->model, &series->random, out);
    out->push_back('"');
    code = "VERIFIER_DIDNT_RUN";
  }
  append_end(*nights_.back().verified_at, code, out);
}

}  // namespace benchhud::bench
