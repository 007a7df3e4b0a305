#include "analysis/results/verification.h"

#include <algorithm>
#include <array>

#include "schema/model/hud_terms.h"

namespace benchhud::analysis {
namespace {

constexpr std::string_view kPass = "PASS";

constexpr std::array<VerificationInfo, 8> kCodes = {{
    {kPass, "The backend's result agrees with eager's within the tolerance.", "",
     VerificationOutcome::kPassing},
    {"FAIL", "The backend's result differs from eager's beyond the tolerance.",
     "If neither the model nor the tolerance was changed on purpose, this is a correctness bug in "
     "the backend: bisect from the last run that passed.",
     VerificationOutcome::kFailing},
    {"EXCEPTION_RAISED",
     "An exception was raised while the backend's result was computed or compared.",
     "Read the error; reproduce with --verify on this model alone to tell the backend's exception "
     "from one of the verifier.",
     VerificationOutcome::kFailing},
    {"VERIFIER_DIDNT_RUN",
     "No verdict was reached: the verifier timed out, crashed, ran out of memory or raised an "
     "exception.",
     "Read the error: raise the time limit if it timed out, else fix the crash first.",
     VerificationOutcome::kFailing},
    {"EAGER_FAILED", "The model fails in eager mode, without any compiler.",
     "This benchmark should not be running here: repair the model or take it off the list.",
     VerificationOutcome::kNeither},
    {"NONDETERMINISTIC_EAGER_RUN", "Two eager runs of the model disagree with each other.",
     "The result cannot be judged: make the model deterministic, or do without its verdict.",
     VerificationOutcome::kNeither},
    {"VERIFIER_SKIPPED",
     "Verification was not asked for: a timing run, or a combination known not to work.", "",
     VerificationOutcome::kNeither, /*is_verdict=*/false},
    {schema::kSkippedOnPurpose,
     "torch's dynamo runner leaves this model out on purpose: it was neither timed nor compared.",
     "", VerificationOutcome::kNeither, /*is_verdict=*/false},
}};

std::optional<VerificationInfo> verdict(std::optional<std::string_view> code) {
  if (!code) return std::nullopt;
  const VerificationInfo info = verification_info(*code);
  if (!info.is_verdict) return std::nullopt;
  return info;
}

}  // namespace

std::span<const VerificationInfo> verification_codes() { return kCodes; }

VerificationInfo verification_info(std::string_view code) {
  const auto* found =
      std::find_if(kCodes.begin(), kCodes.end(),
                   [code](const VerificationInfo& info) { return info.code == code; });
  if (found != kCodes.end()) return *found;
  return {code,
          "This program does not know the code; it is counted under its own name.",
          "Look it up in the runner that wrote it.",
          VerificationOutcome::kNeither,
          /*is_verdict=*/!code.empty(),
          /*known=*/false};
}

Transition transition(std::optional<std::string_view> before,
                      std::optional<std::string_view> after) {
  const auto was = verdict(before);
  const auto is = verdict(after);
  if (!was && !is) return Transition::kUnchanged;
  if (!was) return Transition::kNew;
  if (!is) return Transition::kDisappeared;
  if (was->code == is->code) return Transition::kUnchanged;
  if (!was->known || !is->known) return Transition::kChanged;
  if (was->verification_outcome == VerificationOutcome::kPassing) return Transition::kNewlyFailing;
  if (is->verification_outcome == VerificationOutcome::kPassing) return Transition::kNewlyPassing;
  return Transition::kChanged;
}

std::string_view transition_name(Transition transition) {
  switch (transition) {
    case Transition::kUnchanged:
      return "unchanged";
    case Transition::kNewlyFailing:
      return "newly_failing";
    case Transition::kNewlyPassing:
      return "newly_passing";
    case Transition::kChanged:
      return "changed";
    case Transition::kDisappeared:
      return "disappeared";
    case Transition::kNew:
      break;
  }
  return "new";
}

}  // namespace benchhud::analysis
