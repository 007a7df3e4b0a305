// What kind of error a result's text tells of, and a signature under which equal causes are
// counted.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::analysis {

enum class ErrorKind {
  kSkipped,      ///< The runner knew the combination not to work and did not try.
  kTimedOut,     ///< The runner's time limit was reached.
  kOutOfMemory,  ///< Of the device's or the host's memory.
  kCrashed,      ///< A signal, an abort or a failed check ended the process, without an exception.
  kException,    ///< A Python exception.
  kOther,        ///< None of these could be told from the text.
};

/// "skipped", "timed_out", "out_of_memory", "crashed", "exception" or "other".
std::string_view error_kind_name(ErrorKind kind);

struct ErrorSummary {
  ErrorKind kind = ErrorKind::kOther;
  std::string signature;
};

/// The longest signature, in bytes.
inline constexpr std::size_t kSignatureLimit = 200;

/// Reads an error as the runner stores it: a traceback, a subprocess's whole standard error
/// (megabytes happen), `SKIP`, the text of subprocess.TimeoutExpired, or anything else.
///
/// The signature is the exception's class without its module and its message as `reduce_message`
/// leaves it. Where several tracebacks follow each other the last one is meant (it is what ended
/// the process), except one that says only that verification failed (then the one before it: its
/// cause) and those that Python prints while it cleans up. A class without a message gets the
/// function that raised it (`AssertionError in forward`). Advice that PyTorch appends is left out,
/// and for lack of memory all but the first sentence. Without an exception, a crash's message (a
/// failed check, a fatal Python error, a signal); without that, the last line that speaks of an
/// error, or the last line.
///
/// Always valid UTF-8, one line, at most `kSignatureLimit` bytes, never empty. Time is linear in
/// the text.
ErrorSummary summarize_error(std::string_view text);

}  // namespace benchhud::analysis
