#include "server/api/query_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "schema/base/json_writer.h"
#include "server/api/query_worker.h"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using Clock = std::chrono::steady_clock;

/// How often is asked whether the request is cancelled.
constexpr std::chrono::milliseconds kBetweenChecks{50};
/// Columns and ends beside the rows. Who writes more is no process of ours any more.
constexpr std::size_t kMostReceivedBytes = kMostReplyBytes + (std::size_t{1} << 20);

Error not_started(const char* what, int error) {
  return {ErrorCode::kBusy, fmt::format("The query's process cannot be started: {}: {}.", what,
                                        std::strerror(error))};
}

/// An open file.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

/// A process that goes, whatever it is doing, with this.
class Process {
 public:
  Process(pid_t id, Descriptor socket) : id_(id), socket_(std::move(socket)) {}
  Process(Process&& other) noexcept
      : id_(std::exchange(other.id_, 0)), socket_(std::move(other.socket_)) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (id_ > 0) end();
  }

  /// Starts the command with one end of a socket as its standard input.
  static Expected<Process> start(const std::vector<std::string>& command);

  int socket() const { return socket_.number(); }
  /// Ends it, if it has not ended yet; its status as of waitpid().
  int end() {
    ::kill(id_, SIGKILL);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

 private:
  pid_t id_;
  Descriptor socket_;
};

Expected<Process> Process::start(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return not_started("socketpair", errno);
  }
  Descriptor ours(ends[0]);
  const Descriptor its(ends[1]);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, its.number(), STDIN_FILENO);
  // Others' connections to the server among them, which would stay open as long as the query runs.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  // What the server holds back or does not want to hear of is to end this process.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigfillset(&usual);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t id = 0;
  const int error = ::posix_spawn(&id, words.front(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return not_started(words.front(), error);
  return Process(id, std::move(ours));
}

/// A reply as it comes, and the answer that is made of it.
class Reply {
 public:
  /// Takes the next bytes. False: no more are wanted.
  bool take(std::string_view bytes) {
    taken_ += bytes.size();
    while (!bytes.empty() && !error_) {
      const std::size_t end = bytes.find('\n');
      line_.append(bytes.substr(0, end));
      if (end == bytes.npos) break;
      take_line();
      bytes.remove_prefix(end + 1);
      line_.clear();
    }
    if (error_) error_->message.append(bytes);
    return taken_ <= kMostReceivedBytes;
  }

  /// What there is, once the process has ended. `why`: why it did so, if it was not by itself.
  Expected<std::string> finish(const Error& why) && {
    if (error_) return *std::move(error_);
    if (is_whole_) return std::move(body_);
    if (body_.empty()) return why;
    std::string end;
    schema::JsonWriter json(&end);
    json.begin_object();
    json.field("is_cut", true);
    json.field("error", why.message);
    json.null_field("slices_read");
    json.end_object();
    return body_ + "]," + end.substr(1);
  }

 private:
  void take_line() {
    if (line_.empty() || is_whole_) return;
    const std::string_view rest = std::string_view(line_).substr(1);
    if (body_.empty() != (line_.front() == 'C') && line_.front() != 'X') return;
    switch (line_.front()) {
      case 'C':
        body_.append("{\"columns\":").append(rest).append(",\"rows\":[");
        break;
      case 'R':
        if (body_.back() != '[') body_ += ',';
        body_ += rest;
        break;
      case 'E':
        body_.append("],").append(rest).append("}");
        is_whole_ = true;
        break;
      default: {
        int code = 0;
        std::from_chars(rest.data(), rest.data() + rest.size(), code);
        error_ = Error{static_cast<ErrorCode>(code), ""};
      }
    }
  }

  std::size_t taken_ = 0;
  std::string line_;  // that has not come to its end
  std::string body_;
  bool is_whole_ = false;
  std::optional<Error> error_;
};

/// Writes the request, which fits into what a socket holds, so that nobody is waited for.
bool send_request(int socket, std::string_view request) {
  while (!request.empty()) {
    const ssize_t count = ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    request.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::shutdown(socket, SHUT_WR) == 0;
}

enum class End { kByItself, kByTime, kCancelled };

/// Reads the reply until the process has closed its end, or for as long as it may take.
End read_reply(int socket, Clock::time_point latest, const IsCancelled& is_cancelled,
               Reply* reply) {
  std::array<char, 64 << 10> bytes;
  for (;;) {
    if (is_cancelled()) return End::kCancelled;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - Clock::now());
    if (left.count() <= 0) return End::kByTime;
    pollfd entry{socket, POLLIN, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min(left, kBetweenChecks).count()));
    if (ready <= 0) continue;
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return End::kByItself;
    if (!reply->take({bytes.data(), static_cast<std::size_t>(count)})) return End::kByItself;
  }
}

Error cancelled() {
  return {ErrorCode::kBusy, "The query was ended: the client has left, or the server is stopping."};
}

/// Why a process ended before its reply did.
Error why_ended(End end, int status) {
  const bool is_by_clock =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU);
  if (end == End::kByTime || is_by_clock) {
    return {ErrorCode::kBusy, "It took longer than the five seconds that a query may take."};
  }
  return {ErrorCode::kInternal,
          WIFSIGNALED(status)
              ? fmt::format("The query's process was ended by signal {}.", WTERMSIG(status))
              : fmt::format("The query's process failed with status {}.", WEXITSTATUS(status))};
}

}  // namespace

Expected<void> QueryProcesses::take_turn(const IsCancelled& is_cancelled) {
  const auto latest = Clock::now() + options_.patience;
  std::unique_lock lock(mutex_);
  const auto is_free = [this] { return running_ < options_.at_once; };
  if (!is_free()) {
    const Error busy{ErrorCode::kBusy, "Other queries are running. Try again in a few seconds."};
    if (waiting_ >= options_.at_once) return busy;
    ++waiting_;
    while (!is_free() && Clock::now() < latest && !is_cancelled()) {
      ended_.wait_for(lock, kBetweenChecks, is_free);
    }
    --waiting_;
    if (!is_free()) return busy;
  }
  ++running_;
  return {};
}

void QueryProcesses::end_turn() {
  {
    const std::scoped_lock lock(mutex_);
    --running_;
  }
  ended_.notify_one();
}

class QueryProcesses::Turn {
 public:
  explicit Turn(QueryProcesses* of) : of_(*of) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { of_.end_turn(); }

 private:
  QueryProcesses& of_;
};

Expected<std::string> QueryProcesses::answer(const trace::CheckedTrace& trace,
                                             const std::string& sql, std::size_t rows,
                                             const IsCancelled& is_cancelled) {
  if (options_.command.empty()) {
    return Error{ErrorCode::kBusy, "Queries are not answered here."};
  }
  BENCHHUD_TRY(take_turn(is_cancelled));
  const Turn turn(this);
  const auto latest = Clock::now() + kQueryMostTime;
  BENCHHUD_ASSIGN(Process process, Process::start(options_.command));
  Reply reply;
  End end = End::kByItself;
  if (send_request(process.socket(), request_text({store_path_, trace, rows, sql}))) {
    end = read_reply(process.socket(), latest, is_cancelled, &reply);
  }
  if (end == End::kCancelled) return cancelled();
  return std::move(reply).finish(why_ended(end, process.end()));
}

}  // namespace benchhud::server
