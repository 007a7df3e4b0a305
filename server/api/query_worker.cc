#include "server/api/query_worker.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "analysis/kernels/kernel_rules.h"
#include "analysis/trace/label_class.h"
#include "schema/base/json_writer.h"
#include "schema/db/buffered_reading.h"
#include "schema/store/store.h"
#include "trace/answers/trace_sql.h"
#include "trace/pack/open_trace.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using trace::TraceSql;
using Clock = std::chrono::steady_clock;

constexpr int kSocket = STDIN_FILENO;
constexpr std::size_t kFlushBytes = std::size_t{64} << 10;
/// More than the time by the clock, so of use only where that fails.
constexpr rlim_t kMostProcessorSeconds = 6;

Error system_error(const char* what) {
  return {ErrorCode::kBusy,
          fmt::format("The limits of a query cannot be set: {}: {}.", what, std::strerror(errno))};
}

/// Sends lines to the server, many at once. Sticks at the first failure: nobody reads them then.
class Lines {
 public:
  bool put(char letter, std::string_view rest) {
    text_.append(1, letter).append(rest).append(1, '\n');
    return text_.size() < kFlushBytes || flush();
  }
  void put_error(const Error& error) {
    put('X', std::to_string(static_cast<int>(error.code)));
    text_ += error.message;
  }
  bool flush() {
    for (std::string_view left = text_; !left.empty() && !is_lost_;) {
      const ssize_t count = ::send(kSocket, left.data(), left.size(), MSG_NOSIGNAL);
      is_lost_ = count <= 0 && errno != EINTR;
      if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
    }
    text_.clear();
    return !is_lost_;
  }

 private:
  std::string text_;
  bool is_lost_ = false;
};

template <class Kind>
Expected<void> set_limit(Kind kind, rlim_t most, const char* what) {
  rlimit limit{};
  if (::getrlimit(kind, &limit) != 0) return system_error(what);
  // One that is stricter already can only be kept.
  limit.rlim_cur = limit.rlim_max = std::min(limit.rlim_max, most);
  if (::setrlimit(kind, &limit) != 0) return system_error(what);
  return {};
}

/// Memory of its own, as pages that are no file's; and all that is mapped.
struct MappedBytes {
  std::size_t own = 0, all = 0;
};
Expected<MappedBytes> mapped_bytes() {
  std::size_t all = 0, resident = 0, shared = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return system_error("/proc/self/statm");
  const int read = std::fscanf(file, "%zu %zu %zu", &all, &resident, &shared);
  std::fclose(file);
  constexpr int kNumbers = 3;
  if (read != kNumbers || shared > resident) return system_error("/proc/self/statm");
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return MappedBytes{(resident - shared) * page, all * page};
}

/// Where one of them cannot be set, no query is answered: without it, a query could take all that
/// the machine has.
Expected<void> set_limits() {
  BENCHHUD_ASSIGN(const MappedBytes mapped, mapped_bytes());
  const std::size_t left = kQueryMemoryBytes - std::min(mapped.own, kQueryMemoryBytes);
  BENCHHUD_TRY(set_limit(RLIMIT_AS, mapped.all + left, "memory"));
  BENCHHUD_TRY(set_limit(RLIMIT_CPU, kMostProcessorSeconds, "processor time"));
  BENCHHUD_TRY(set_limit(RLIMIT_FSIZE, trace::kMostTemporaryBytes, "the size of files"));
  BENCHHUD_TRY(set_limit(RLIMIT_CORE, 0, "core files"));
  std::signal(SIGXFSZ, SIG_IGN);  // an error of the file, not the end
  const std::chrono::microseconds most = kQueryMostTime;
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(most / std::chrono::seconds(1));
  timer.it_value.tv_usec = static_cast<suseconds_t>((most % std::chrono::seconds(1)).count());
  if (::setitimer(ITIMER_REAL, &timer, nullptr) != 0) return system_error("time");
  return {};
}

/// The lowest priority, and no life of its own. Neither is needed for a right answer.
void become_subordinate(pid_t parent) {
  constexpr int kLowest = 19;
  ::setpriority(PRIO_PROCESS, 0, kLowest);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before that was said.
  if (::getppid() != parent) std::_Exit(1);
}

struct WorkerRequest {
  QueryRequest query;
  pid_t parent = 0;
};

Expected<WorkerRequest> read_request() {
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t count = 1; count != 0;) {
    count = ::recv(kSocket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  WorkerRequest request;
  std::int64_t trace = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](auto* value) {
    const auto read = std::from_chars(at, end, *value);
    at = read.ptr == end ? end : read.ptr + 1;
    return read.ec == std::errc();
  };
  const bool is_read = number(&trace) && number(&request.query.rows) && number(&request.parent);
  std::string_view rest(at, static_cast<std::size_t>(end - at));
  const Error no_request{ErrorCode::kInternal, "this command is for `benchhud serve` alone"};
  if (!is_read) return no_request;
  request.query.trace.trace = schema::TraceId(trace);
  std::string rules_text;
  for (std::string* const each : {&request.query.store_path, &request.query.trace.pack_key,
                                  &request.query.trace.pack_file, &rules_text}) {
    const std::size_t end_of_text = rest.find('\0');
    if (end_of_text == rest.npos) return no_request;
    *each = rest.substr(0, end_of_text);
    rest.remove_prefix(end_of_text + 1);
  }
  BENCHHUD_ASSIGN(auto rules, analysis::KernelRules::parse(rules_text, "rules"));
  analysis::set_kernel_rules(std::move(rules));
  request.query.sql = rest;
  return request;
}

std::string_view class_of(const trace::LabelText& label) {
  return analysis::label_class(label).name;
}

void write_value(schema::JsonWriter& json, const trace::SqlValue& value) {
  std::visit(
      [&](const auto& of) {
        if constexpr (std::is_same_v<std::decay_t<decltype(of)>, std::monostate>) {
          json.null();
        } else {
          json.value(of);
        }
      },
      value);
}

/// Answers the query, whose time began at `began`. An error: nothing has been sent.
Expected<void> answer(const QueryRequest& request, Clock::time_point began, Lines* lines) {
  BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(request.store_path));
  BENCHHUD_TRY(schema::read_with_small_buffer(store));
  BENCHHUD_ASSIGN(const auto transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kRead));
  BENCHHUD_ASSIGN(const auto data, trace::OpenTrace::open(store, request.trace));
  BENCHHUD_ASSIGN(TraceSql query,
                  TraceSql::prepare(data.database(), data.number(), request.sql, class_of));
  std::string text;
  const auto line = [&](char letter, const auto& write) {
    text.clear();
    schema::JsonWriter json(&text);
    write(json);
    return lines->put(letter, text);
  };
  line('C', [&](schema::JsonWriter& json) {
    json.list(query.columns(), [&](const std::string& name) { json.value(name); });
  });
  lines->flush();
  trace::SqlLimits limits;
  limits.rows = request.rows;
  limits.time = std::chrono::ceil<std::chrono::milliseconds>(kQueryTime - (Clock::now() - began));
  std::size_t sent = 0;
  bool is_full = false;
  const trace::SqlOutcome outcome = query.run(limits, [&](const std::vector<trace::SqlValue>& row) {
    const bool is_taken = line('R', [&](schema::JsonWriter& json) {
      json.list(row, [&](const trace::SqlValue& value) { write_value(json, value); });
    });
    sent += text.size();
    is_full = sent >= kMostReplyBytes;
    return is_taken && !is_full;
  });
  if (outcome.error && !data.database().is_sound()) {
    // Its pack was not read whole by this process. Where it is a copy whose bytes have changed, it
    // is fetched again for the next query.
    [[maybe_unused]] const auto again = trace::OpenTrace::open(store, request.trace.trace);
  }
  text.clear();
  schema::JsonWriter json(&text);
  json.begin_object();
  json.field("is_cut", outcome.is_cut || is_full);
  json.field("error", outcome.error);
  json.field("slices_read", outcome.slices_read);
  json.end_object();
  lines->put('E', std::string_view(text).substr(1, text.size() - 2));
  lines->flush();
  return {};
}

Expected<void> answer_request(Clock::time_point began, Lines* lines) {
  try {
    BENCHHUD_ASSIGN(const WorkerRequest request, read_request());
    become_subordinate(request.parent);
    BENCHHUD_TRY(set_limits());
    return answer(request.query, began, lines);
  } catch (const std::bad_alloc&) {
    return TraceSql::out_of_memory();
  }
}

}  // namespace

std::string request_text(const QueryRequest& request) {
  std::string text = fmt::format("{} {} {}\n{}", to_int(request.trace.trace), request.rows,
                                 ::getpid(), request.store_path);
  text += '\0';
  for (const std::string& each : {request.trace.pack_key, request.trace.pack_file}) {
    text += each;
    text += '\0';
  }
  // Classes are by the server's rules, wherever they are asked for.
  text += analysis::kernel_rules().own_text();
  text += '\0';
  return text += request.sql;
}

int run_query_worker() {
  const auto began = Clock::now();
  Lines lines;
  const auto answered = answer_request(began, &lines);
  if (answered) return 0;
  lines.put_error(answered.error());
  if (!lines.flush()) fmt::print(stderr, "benchhud: {}\n", answered.error().message);
  return 1;
}

}  // namespace benchhud::server
