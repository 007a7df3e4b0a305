#include "schema/model/hud_terms.h"

#include <algorithm>
#include <array>

#include "schema/model/line_metrics.h"

namespace benchhud::schema {
namespace {

struct AccuracyTerm {
  std::string_view status, code;
  bool is_error = false;
};

// Of several statuses with one code the first is the one that is written.
constexpr std::array kAccuracyTerms = {
    AccuracyTerm{"pass", "PASS"},
    AccuracyTerm{"fail_accuracy", "FAIL"},
    AccuracyTerm{"fail", "FAIL"},
    AccuracyTerm{"eager_two_runs_differ", "NONDETERMINISTIC_EAGER_RUN"},
    AccuracyTerm{"eager_variation", "NONDETERMINISTIC_EAGER_RUN"},
    AccuracyTerm{"eager_fail_to_run", "EAGER_FAILED", true},
    AccuracyTerm{"eager_1st_run_fail", "EAGER_FAILED", true},
    AccuracyTerm{"eager_1st_run_OOM", "EAGER_FAILED", true},
    AccuracyTerm{"eager_2nd_run_fail", "EAGER_FAILED", true},
    AccuracyTerm{"eager_2nd_run_OOM", "EAGER_FAILED", true},
    AccuracyTerm{"fp64_OOM", "EAGER_FAILED", true},
    AccuracyTerm{"fail_to_run", "EXCEPTION_RAISED", true},
    AccuracyTerm{"OOM", "EXCEPTION_RAISED", true},
    AccuracyTerm{"infra_error", "VERIFIER_DIDNT_RUN", true},
    AccuracyTerm{"timeout", "VERIFIER_DIDNT_RUN", true},
    AccuracyTerm{"model_fail_to_load", "VERIFIER_DIDNT_RUN", true},
};

constexpr std::string_view kPrefix = "hud:";
// What the API works out, by its names there.
constexpr std::array<std::string_view, 5> kWorkedOut = {"steady", "upstream", "compile",
                                                        "xla_compile", "speedup"};

}  // namespace

std::string metric_of_hud(std::string_view name) {
  const bool is_ours = line_metric(name) ||
                       std::find(kWorkedOut.begin(), kWorkedOut.end(), name) != kWorkedOut.end();
  return is_ours ? std::string(kPrefix).append(name) : std::string(name);
}

std::string hud_metric_name(std::string_view metric) {
  if (metric.starts_with(kPrefix)) metric.remove_prefix(kPrefix.size());
  return std::string(metric);
}

std::string test_of_mode(std::string_view mode) {
  if (mode == "inference") return "eval";
  if (mode == "training") return "train";
  return std::string(mode);
}

std::string mode_of_test(std::string_view test) { return std::string(test_name(test)); }

std::string code_of_accuracy(std::string_view status) {
  for (const AccuracyTerm& term : kAccuracyTerms) {
    if (term.status == status) return std::string(term.code);
  }
  return std::string(status);
}

bool is_accuracy_error(std::string_view status) {
  for (const AccuracyTerm& term : kAccuracyTerms) {
    if (term.status == status) return term.is_error;
  }
  return status != kSkippedOnPurpose;
}

std::optional<std::string> accuracy_of_code(std::string_view code) {
  if (code == "VERIFIER_SKIPPED") return {};
  for (const AccuracyTerm& term : kAccuracyTerms) {
    if (term.code == code) return std::string(term.status);
  }
  return std::string(code);
}

void set_backend(std::string_view name, Experiment* experiment) {
  constexpr std::string_view kTorchXla2 = "torch_xla2:";
  experiment->xla.reset();
  experiment->dynamo.reset();
  experiment->torch_xla2.reset();
  if (name == "eager") return;
  if (name == "openxla+dynamo" || name == "openxla+lazytensor") {
    experiment->xla = "PJRT";
    if (name == "openxla+dynamo") experiment->dynamo = "openxla";
  } else if (name.starts_with(kTorchXla2)) {
    experiment->torch_xla2 = std::string(name.substr(kTorchXla2.size()));
  } else {
    experiment->dynamo = std::string(name);
  }
}

}  // namespace benchhud::schema
