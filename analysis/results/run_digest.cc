#include "analysis/results/run_digest.h"

#include <algorithm>
#include <unordered_map>

namespace benchhud::analysis {
namespace {

/// The runner's code for a result that differs from eager's.
constexpr std::string_view kWrongResult = "FAIL";

Outcome outcome_of_failure(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kSkipped:
      return Outcome::kSkipped;
    case ErrorKind::kTimedOut:
      return Outcome::kTimedOut;
    case ErrorKind::kOutOfMemory:
      return Outcome::kOutOfMemory;
    case ErrorKind::kCrashed:
      return Outcome::kCrashed;
    case ErrorKind::kException:
    case ErrorKind::kOther:
      return Outcome::kRaised;
  }
  return Outcome::kRaised;
}

/// Places of codes by name: they come from files, so there may be one on every line.
using Places = std::unordered_map<std::string_view, std::int32_t>;

/// `code` must outlive `places`.
std::int32_t place_of(std::string_view code, Places& places, std::vector<std::string>& codes) {
  const auto [found, is_new] = places.emplace(code, static_cast<std::int32_t>(codes.size()));
  if (is_new) codes.emplace_back(code);
  return found->second;
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kTimed:
      return "timed";
    case Outcome::kWrong:
      return "wrong";
    case Outcome::kCrashed:
      return "crashed";
    case Outcome::kTimedOut:
      return "timed_out";
    case Outcome::kOutOfMemory:
      return "out_of_memory";
    case Outcome::kRaised:
      return "raised";
    case Outcome::kSkipped:
      return "skipped";
    case Outcome::kNotTimed:
      return "not_timed";
    case Outcome::kNotRun:
      return "not_run";
  }
  return "not_run";
}

Outcome outcome_of(const ResultView& view) {
  const bool is_wrong = view.verification && view.verification->code == kWrongResult;
  switch (view.status) {
    case Status::kFailed:
      return outcome_of_failure(view.failure->error->kind);
    case Status::kSkipped:
      return Outcome::kSkipped;
    case Status::kTimed:
      return is_wrong ? Outcome::kWrong : Outcome::kTimed;
    case Status::kNotTimed:
      return is_wrong ? Outcome::kWrong : Outcome::kNotTimed;
  }
  return Outcome::kNotTimed;
}

std::string_view RunDigest::code_of(const ResultDigest& result) const {
  return result.code < 0 ? std::string_view{} : codes[static_cast<std::size_t>(result.code)];
}

RunDigest digest_run(const JudgedRun& run) {
  RunDigest digest;
  Places places;
  digest.results.reserve(run.results.size());
  for (const auto& view : run.results) {
    ResultDigest result;
    result.experiment = view.experiment;
    result.status = view.status;
    result.outcome = outcome_of(view);
    result.is_verifiable = view.is_verifiable;
    if (view.steady) {
      result.steady = view.steady->value;
      result.n = static_cast<std::int32_t>(view.steady->n);
      if (const auto& interval = view.steady->interval) {
        result.low = interval->low;
        result.high = interval->high;
      }
    }
    if (view.compile) result.compile = *view.compile;
    if (view.failure) result.error_kind = static_cast<std::int8_t>(view.failure->error->kind);
    if (view.verification) {
      result.code = place_of(view.verification->code, places, digest.codes);
      result.verification_outcome = view.verification->verification_outcome;
      result.stale = view.verification->stale;
    }
    digest.results.push_back(result);
  }
  return digest;
}

}  // namespace benchhud::analysis
