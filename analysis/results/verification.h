// The verifier's codes: what each means, how it counts, and what its change from one run to another
// is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace benchhud::analysis {

/// How a code counts in a pass rate, which is passing / (passing + failing).
enum class VerificationOutcome : std::uint8_t {
  kPassing,
  kFailing,  ///< The backend is to blame, or nobody knows better: it did not get through.
  kNeither,  ///< Nothing can be said of the backend: eager has no answer to compare with, or nobody
             ///< asked.
};

struct VerificationInfo {
  std::string_view code;     ///< As in the file.
  std::string_view meaning;  ///< A sentence.
  std::string_view action;   ///< A sentence: what a user does about it; empty where nothing.
  VerificationOutcome verification_outcome = VerificationOutcome::kNeither;
  /// The verifier had something to say. Not so for VERIFIER_SKIPPED, which counts as no code at
  /// all.
  bool is_verdict = true;
  bool known = true;
};

/// All known codes, in the order in which they are listed: the passing one, failing ones, the rest.
std::span<const VerificationInfo> verification_codes();

/// What is known of `code`. A code that is not in the table is kept as it is (the answer's `code`
/// is the argument, so it lives as long as that) and says that it is unknown; it stands for
/// neither.
VerificationInfo verification_info(std::string_view code);

enum class Transition {
  kUnchanged,     ///< The same code, or no verdict on either side.
  kNewlyFailing,  ///< PASS before, another known verdict now.
  kNewlyPassing,  ///< Another known verdict before, PASS now.
  kChanged,       ///< Two different verdicts, neither PASS or one of them unknown to us.
  kDisappeared,   ///< A verdict before, none now.
  kNew,           ///< No verdict before, one now.
};

/// From an earlier run's code to a later one's, for the same experiment; nullopt where a run has
/// none.
///
/// VERIFIER_SKIPPED is no verdict, so PASS to it has `disappeared` and nothing broke.
/// VERIFIER_DIDNT_RUN is one: the verifier was asked and crashed, timed out or raised, so PASS to
/// it is `newly failing`. So are EAGER_FAILED and NONDETERMINISTIC_EAGER_RUN: they count for
/// neither side in a pass rate, but a model that passed no longer does. Give it the codes of
/// verification lines only (those of a timing run say nothing about accuracy), and not a stale code
/// carried over from an earlier run.
Transition transition(std::optional<std::string_view> before,
                      std::optional<std::string_view> after);

/// "unchanged", "newly_failing", "newly_passing", "changed", "disappeared" or "new".
std::string_view transition_name(Transition transition);

}  // namespace benchhud::analysis
