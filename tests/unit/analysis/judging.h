// Made-up results for tests of what judges them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/result_view.h"

namespace benchhud::analysis {

/// Steady samples around `seconds` behind three warm-up samples, the first with compilation.
inline std::vector<double> samples(double seconds) {
  return {seconds + 2,    seconds * 1.5, seconds * 1.4,  seconds * 0.98,
          seconds * 0.99, seconds,       seconds * 1.01, seconds * 1.02};
}

/// A store of experiments and results in the making.
class Fleet {
 public:
  schema::ExperimentId add(const std::string& model, const std::string& backend,
                           std::optional<std::int64_t> batch_size = 8,
                           const std::string& flags = "{}", const std::string& test = "eval") {
    schema::StoredExperiment stored;
    stored.id = schema::ExperimentId{++last_};
    auto& e = stored.experiment;
    e.suite = "suite";
    e.model = model;
    e.test = test;
    e.accelerator = "cuda";
    e.accelerator_model = "A100";
    if (backend == "openxla+dynamo") {
      e.xla = "PJRT";
      e.dynamo = "openxla";
    } else if (backend != "eager") {
      e.dynamo = backend;
    }
    e.batch_size = batch_size;
    e.flags = flags;
    stored_.push_back(stored);
    return stored.id;
  }
  Catalog catalog() const { return Catalog(stored_); }

 private:
  std::int64_t last_ = 0;
  std::vector<schema::StoredExperiment> stored_;
};

inline schema::ResultFacts facts_of(schema::ExperimentId experiment,
                                    std::optional<double> seconds) {
  schema::ResultFacts facts;
  facts.run = schema::RunId{1};
  facts.experiment = experiment;
  facts.started_at = 1000;
  if (seconds) {
    facts.timing_line = schema::LineId{10};
    facts.per_iter_time = facts.total_time = samples(*seconds);
  }
  return facts;
}

/// Texts are known by their id: 1 is a skip, 2 an exception, 3 another one, and others cannot be
/// read.
inline ErrorTexts made_up_texts() {
  return ErrorTexts([](schema::TextId id) -> schema::Expected<ErrorTexts::Text> {
    if (id == schema::TextId{1}) return std::make_shared<const ErrorText>(read_error("SKIP"));
    if (id == schema::TextId{2}) {
      return std::make_shared<const ErrorText>(read_error("ValueError: shapes (3, 4) do not fit"));
    }
    if (id == schema::TextId{3})
      return std::make_shared<const ErrorText>(read_error("KeyError: 'x'"));
    return schema::Error{schema::ErrorCode::kCorrupt, "damaged"};
  });
}

inline ResultView timed(schema::ExperimentId experiment, double seconds) {
  ResultView view = judge_result(facts_of(experiment, seconds), {}, made_up_texts());
  view.compile = view.compile_upstream;  // of facts there is no more to know it from
  return view;
}

inline ResultView failed(schema::ExperimentId experiment, int text = 2) {
  auto facts = facts_of(experiment, {});
  facts.failure =
      schema::FailureFacts{schema::LineId{20}, schema::TextId{text}, "VERIFIER_DIDNT_RUN"};
  return judge_result(facts, {}, made_up_texts());
}

inline ResultView with_code(ResultView view, const std::string& code, bool stale = false,
                            std::int64_t run = 1) {
  schema::VerificationFacts facts;
  facts.code = code;
  facts.verified_at = stale ? 400 : 1100;
  facts.run = schema::RunId{run};
  facts.line = schema::LineId{30};
  view.verification = judge_verification(facts, stale, 1000, made_up_texts());
  return view;
}

inline JudgedRun run_of(std::vector<ResultView> results, std::int64_t id = 1,
                        double started_at = 1000) {
  JudgedRun run;
  run.run.id = schema::RunId{id};
  run.run.accelerator_model = "A100";
  run.run.started_at = started_at;
  run.results = std::move(results);
  return run;
}

}  // namespace benchhud::analysis
