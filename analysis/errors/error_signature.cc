#include "analysis/errors/error_signature.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

#include "analysis/errors/error_text.h"
#include "analysis/errors/text_parts.h"
#include "schema/base/ascii.h"

namespace benchhud::analysis {
namespace {

// One signature for all that took too long: what it was and for how long differs from model to
// model.
constexpr std::string_view kTimedOut = "TimeoutExpired: timed out";

using Views = std::initializer_list<std::string_view>;

// Messages are read this far; reduced, they are cut at 200 bytes anyway.
constexpr std::size_t kMessageLimit = 32 * 1024;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains_any(std::string_view text, Views parts) {
  return std::any_of(parts.begin(), parts.end(), [&](auto part) { return contains(text, part); });
}

std::string_view trimmed(std::string_view text) { return schema::trim(text, " \t\r\n\v\f"); }

bool is_name_start(char c) { return is_letter(c) || c == '_'; }

// A class, as a traceback's last line begins with it, and the message behind it.
struct Raised {
  std::string_view name;  // without its module
  std::string_view message;
};

// `torch._dynamo.exc.Unsupported: message`, or the class alone.
std::optional<Raised> parse_raised(std::string_view line) {
  constexpr std::string_view kDevice = "Exception in device=";
  if (line.starts_with(kDevice)) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) return std::nullopt;
    return Raised{"Exception", line.substr(colon + 2)};
  }
  if (line.empty() || !is_name_start(line[0])) return std::nullopt;
  std::size_t end = 0;
  std::size_t last = 0;  // where the last component begins
  while (end < line.size() &&
         (is_name_start(line[end]) || is_digit(line[end]) || line[end] == '.')) {
    if (line[end] == '.') last = end + 1;
    ++end;
  }
  if (last >= end) return std::nullopt;
  const std::string_view name = line.substr(last, end - last);
  if (end == line.size()) return Raised{name, {}};
  if (line[end] != ':') return std::nullopt;
  return Raised{name, trimmed(line.substr(end + 1))};
}

// Whether a line outside any traceback is an exception's all the same.
bool is_exception_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kEndings = {
      "Error",          "Exception", "Interrupt",  "Unsupported",
      "CompilerFailed", "Expired",   "SystemExit", "StopIteration"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [name](auto ending) { return name.ends_with(ending); });
}

// A line of a log, in the form of glog (`E0120 12:29:19…`), of TensorFlow (`2022-04-04 00:27:49…:
// `) or of Python's logging (`WARNING:`).
bool is_log_line(std::string_view line) {
  const auto digits = [line](std::size_t from, std::size_t count) {
    return line.size() > from + count &&
           std::all_of(line.begin() + static_cast<std::ptrdiff_t>(from),
                       line.begin() + static_cast<std::ptrdiff_t>(from + count), is_digit);
  };
  if (line.size() > 5 && contains("IWEF", line.substr(0, 1)) && digits(1, 4) && line[5] == ' ') {
    return true;
  }
  if (digits(0, 4) && line[4] == '-' && digits(5, 2) && line[7] == '-') return true;
  return starts_with_any(line, {"DEBUG:", "INFO:", "WARNING:", "ERROR:", "CRITICAL:"});
}

// What PyTorch and XLA print behind a message: advice, stacks, logs.
bool ends_message(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.empty() || is_log_line(line) ||
         starts_with_any(text, {"The above exception was",
                                "During handling of the above",
                                "Traceback (most",
                                "from user code",
                                "Set TORCH_LOGS",
                                "Set TORCHDYNAMO_VERBOSE",
                                "You can suppress",
                                "CUDA kernel errors might",
                                "For debugging consider",
                                "Compile with `TORCH_USE",
                                "Device-side assertions were",
                                "Exception raised from",
                                "frame #",
                                "*** Begin stack trace",
                                "*** Check failure stack",
                                "https://symbolize.",
                                "While executing",
                                "Original traceback",
                                "*** SIG",
                                "terminate called",
                                "Exception ignored in",
                                "Hint: If you want to see",
                                "C++ CapturedTraceback"});
}

// torchrun's `[rank0]: ` before every line.
std::string_view without_rank(std::string_view line) {
  constexpr std::string_view kRank = "[rank";
  if (!line.starts_with(kRank)) return line;
  std::size_t at = kRank.size();
  while (at < line.size() && is_digit(line[at])) ++at;
  if (line.substr(at, 2) != "]:") return line;
  line.remove_prefix(at + 2);
  if (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

// The rest of a line that the process's log wrote at level F before it aborted, in glog's form
// (`F0120 12:29:19.847869 34285 x.cc:301] Check failed: …`) or TensorFlow's
// (`2023-04-08 11:22:09.153327: F x.cc:33] …`): from the file's name on.
std::optional<std::string_view> fatal_log(std::string_view line) {
  const bool glog = line.size() > 5 && line[0] == 'F' && is_digit(line[1]) && is_digit(line[2]) &&
                    is_digit(line[3]) && is_digit(line[4]) && line[5] == ' ';
  const bool tensorflow = line.size() > 30 && is_digit(line[0]) && line[4] == '-' &&
                          contains(line.substr(0, 32), ": F ");
  if (!glog && !tensorflow) return std::nullopt;
  const auto bracket = line.substr(0, 300).find("] ");
  if (bracket == std::string_view::npos) return std::nullopt;
  const auto before = line.substr(0, bracket).find_last_of(' ');
  return line.substr(before == std::string_view::npos ? 0 : before + 1);
}

// A line that tells of the process's end without an exception.
std::optional<std::string_view> crash(std::string_view line) {
  if (const auto fatal = fatal_log(line)) return fatal;
  if (starts_with_any(
          line,
          {"Fatal Python error: ", "terminate called", "LLVM ERROR: ", "double free or corruption",
           "free(): ", "malloc(): ", "munmap_chunk(): ", "corrupted size vs. prev_size",
           "*** stack smashing detected ***", "Segmentation fault", "Aborted", "Killed",
           "Bus error", "Floating point exception", "Illegal instruction", "MLIR ERROR: "})) {
    return line;
  }
  // `*** SIGSEGV (@0x0) received by PID 160 (TID 3418) …`: the signal is what counts.
  if (line.starts_with("*** SIG") && contains(line, " received by PID")) {
    return line.substr(4, line.find(' ', 4) - 4);
  }
  if (line.starts_with("*** Received signal ")) return line;
  if (contains(line, "Assertion `") && contains(line, "failed.")) return line;
  if (contains(line, "Attempt to free invalid pointer")) return line;
  return std::nullopt;
}

// How well a crash's line explains it: the message of a check says more than the signal that
// follows.
int crash_rank(std::string_view line) {
  if (starts_with_any(
          line, {"SIG", "*** Received", "Aborted", "Killed", "Segmentation fault", "Bus error"})) {
    return 1;
  }
  return starts_with_any(line, {"Fatal Python error: ", "terminate called"}) ? 2 : 3;
}

// The last `, in NAME` of a traceback's frames.
std::string_view frame_function(std::string_view line) {
  if (!line.starts_with("  File \"")) return {};
  const auto in = line.rfind(", in ");
  return in == std::string_view::npos ? std::string_view{} : line.substr(in + 5);
}

struct Found {
  std::optional<Raised> raised;   // the exception that counts
  std::string_view function;      // where it was raised
  std::optional<Raised> outside;  // the last line that looks like one, outside tracebacks
  std::string_view crash;
  std::string_view last_line;
};

// Reads a text once, line by line.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Found scan() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, end - at);
      at = end + 1;
      if (line.ends_with('\r')) line.remove_suffix(1);
      read(without_rank(line));
    }
    finish_message();
    return found_;
  }

 private:
  enum class State { kOutside, kTraceback, kMessage };

  void read(std::string_view line) {
    if (state_ == State::kMessage) {
      if (!ends_message(line)) {
        extend_message(line);
        return;
      }
      finish_message();
    }
    if (contains(line.substr(0, 200), "Traceback (most recent call last):"))
      return begin_traceback(line);
    if (state_ == State::kTraceback) return in_traceback(line);
    outside(line);
  }

  void begin_traceback(std::string_view line) {
    // Behind a log's prefix it is one that the program survived.
    const std::string_view before = trimmed(line.substr(0, line.find("Traceback (most")));
    state_ = before.empty() || before == "+ Exception Group" ? State::kTraceback : State::kOutside;
    function_ = {};
  }

  void in_traceback(std::string_view line) {
    if (line.empty() || line[0] == ' ' || line[0] == '\t') {
      const std::string_view function = frame_function(line);
      if (!function.empty()) function_ = function;
      return;
    }
    state_ = State::kOutside;
    const auto raised = parse_raised(line);
    if (!raised) return outside(line);
    state_ = State::kMessage;
    pending_ = *raised;
    // Up to the end of the text; cut where the message ends.
    if (pending_.message.empty()) pending_.message = line.substr(line.size());
  }

  // Lines of one text lie one after the other, so a message of several lines is one view.
  void extend_message(std::string_view line) {
    const char* begin = pending_.message.data();
    const auto length = static_cast<std::size_t>(line.data() + line.size() - begin);
    if (length <= kMessageLimit) pending_.message = {begin, length};
  }

  void finish_message() {
    if (state_ != State::kMessage) return;
    state_ = State::kOutside;
    if (std::exchange(ignore_next_, false)) return;
    // It says only that there is a cause, which Python printed before.
    if (pending_.name == "VerificationException" && found_.raised) return;
    found_.raised = pending_;
    found_.function = function_;
  }

  void outside(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.empty()) return;
    if (starts_with_any(text, {"Exception ignored in", "--- Logging error ---",
                               "Error in sys.excepthook", "Error in atexit"})) {
      ignore_next_ = true;
    }
    found_.last_line = text;
    if (const auto end = crash(line)) {
      if (found_.crash.empty() || crash_rank(*end) > crash_rank(found_.crash)) found_.crash = *end;
      what_follows_ = line.starts_with("terminate called");
      return;
    }
    if (what_follows_ && text.starts_with("what():")) found_.crash = text;
    if (const auto raised = parse_raised(line); raised && is_exception_name(raised->name)) {
      found_.outside = raised;
    }
  }

  std::string_view text_;
  State state_ = State::kOutside;
  Raised pending_;
  std::string_view function_;
  bool ignore_next_ = false;   // the next traceback is of Python's cleaning up
  bool what_follows_ = false;  // the next line may be a C++ exception's message
  Found found_;
};

bool is_out_of_memory(std::string_view text) {
  const std::string_view head = text.substr(0, kMessageLimit);
  return contains_any(head,
                      {"RESOURCE_EXHAUSTED", "OutOfMemoryError", "MemoryError", "std::bad_alloc",
                       "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"}) ||
         schema::contains_ignoring_case(head, "out of memory") ||
         schema::contains_ignoring_case(head, "ran out of memory") ||
         schema::contains_ignoring_case(head, "cannot allocate memory") ||
         schema::contains_ignoring_case(head, "can't allocate memory");
}

// Amounts and advice behind the first sentence differ from run to run.
std::string_view first_sentence(std::string_view message) {
  const auto end = message.find(". ");
  const auto line = message.find('\n');
  std::string_view sentence = trimmed(message.substr(0, std::min({end, line, message.size()})));
  while (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

std::string join(std::string_view name, std::string_view message, std::string_view function) {
  std::string text(name.substr(0, kSignatureLimit));
  if (!message.empty()) return text.append(": ").append(message);
  if (!function.empty()) text.append(" in ").append(function.substr(0, kSignatureLimit));
  return text;
}

std::string reduced(std::string_view text) { return reduce_message(text, kSignatureLimit); }

ErrorSummary summarize_raised(const Raised& raised, std::string_view function) {
  const bool memory = raised.name == "OutOfMemoryError" || raised.name == "MemoryError" ||
                      is_out_of_memory(raised.message);
  if (raised.name == "TimeoutExpired") return {ErrorKind::kTimedOut, std::string(kTimedOut)};
  const std::string_view message = memory ? first_sentence(raised.message) : raised.message;
  return {memory ? ErrorKind::kOutOfMemory : ErrorKind::kException,
          reduced(join(raised.name, message, function))};
}

// Python's subprocess module: a command's repr, which differs from model to model, and what became
// of it. None for other texts.
std::optional<ErrorSummary> summarize_command(std::string_view text) {
  if (!text.starts_with("Command ")) return std::nullopt;
  const auto tail_of = [text](std::string_view part) {
    const auto at = text.rfind(part);
    return at == std::string_view::npos ? std::string_view{} : text.substr(at);
  };
  if (!tail_of(" timed out after ").empty()) {
    return ErrorSummary{ErrorKind::kTimedOut, std::string(kTimedOut)};
  }
  if (const auto died = tail_of("died with "); !died.empty()) {
    const auto name = died.find("SIG");
    const auto end = died.find(':', name == std::string_view::npos ? 0 : name);
    const auto signal = name == std::string_view::npos ? died : died.substr(name, end - name);
    const std::string message = std::string("died with ").append(signal.substr(0, 60));
    return ErrorSummary{ErrorKind::kCrashed, reduced(join("CalledProcessError", message, {}))};
  }
  if (const auto status = tail_of("returned non-zero exit status "); !status.empty()) {
    std::string plain(trimmed(status.substr(0, 60)));
    while (plain.ends_with('.')) plain.pop_back();
    return ErrorSummary{ErrorKind::kOther, reduced(join("CalledProcessError", plain, {}))};
  }
  return std::nullopt;
}

bool is_timeout_word(std::string_view text) {
  return text.size() <= 10 && (schema::contains_ignoring_case(text, "timeout") ||
                               schema::contains_ignoring_case(text, "timed out"));
}

// "… timed out after 1800 seconds", whoever says so and of what.
bool says_timed_out(std::string_view line) {
  constexpr std::string_view kWords = "timed out after ";
  const auto at = line.find(kWords);
  if (at == std::string_view::npos) return false;
  std::string_view rest = line.substr(at + kWords.size());
  const auto number = std::min(rest.find_first_not_of("0123456789."), rest.size());
  rest = rest.substr(number);
  return number > 0 && (rest.starts_with('s') || rest.starts_with(" s"));
}

// The last line that speaks of an error; empty if none does.
std::string_view last_error_line(std::string_view text) {
  while (!text.empty()) {
    const auto newline = text.rfind('\n');
    const std::string_view line =
        trimmed(newline == std::string_view::npos ? text : text.substr(newline + 1));
    if (schema::contains_ignoring_case(line.substr(0, 1000), "error")) return line;
    text = newline == std::string_view::npos ? std::string_view{} : text.substr(0, newline);
  }
  return {};
}

ErrorSummary summarize_found(const Found& found, std::string_view text) {
  if (found.raised) return summarize_raised(*found.raised, found.function);
  if (!found.crash.empty()) {
    const bool memory = is_out_of_memory(found.crash);
    return {memory ? ErrorKind::kOutOfMemory : ErrorKind::kCrashed,
            reduced(memory ? first_sentence(found.crash) : found.crash)};
  }
  if (found.outside) return summarize_raised(*found.outside, {});
  const std::string_view error_line = last_error_line(text);
  const std::string_view line = error_line.empty() ? found.last_line : error_line;
  if (says_timed_out(line)) return {ErrorKind::kTimedOut, std::string(kTimedOut)};
  const bool memory = is_out_of_memory(line);
  return {memory ? ErrorKind::kOutOfMemory : ErrorKind::kOther,
          reduced(memory ? first_sentence(line) : line)};
}

}  // namespace

std::string_view error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kSkipped:
      return "skipped";
    case ErrorKind::kTimedOut:
      return "timed_out";
    case ErrorKind::kOutOfMemory:
      return "out_of_memory";
    case ErrorKind::kCrashed:
      return "crashed";
    case ErrorKind::kException:
      return "exception";
    case ErrorKind::kOther:
      break;
  }
  return "other";
}

ErrorSummary summarize_error(std::string_view text) {
  const std::string_view whole = trimmed(text);
  if (whole == "SKIP") return {ErrorKind::kSkipped, "SKIP"};
  if (is_timeout_word(whole)) return {ErrorKind::kTimedOut, std::string(kTimedOut)};
  if (auto command = summarize_command(whole)) return *std::move(command);
  ErrorSummary summary = summarize_found(Scanner(whole).scan(), whole);
  if (summary.signature.empty()) summary.signature = "(no message)";
  return summary;
}

}  // namespace benchhud::analysis
