#include "server/http/connection.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;

using Clock = Connection::Clock;

constexpr std::size_t kReadAtOnce = std::size_t{16} * 1024;
/// Above this, memory is given back between two requests.
constexpr std::size_t kKeptBytes = std::size_t{16} * 1024;
/// As many are not copied if it can be helped.
constexpr std::size_t kManyBytes = std::size_t{8} * 1024;
/// Who is refused may be sending still, and learns why only when that has come to an end.
constexpr double kEndSeconds = 1;

/// How often is looked whether a peer keeps up, and whether the connection is cut off.
constexpr std::chrono::seconds kBetweenLooks{1};
constexpr long long kLongestPoll = 200;  // milliseconds
/// A peer that reads little by little may let its system acknowledge nothing before this much room
/// is free again: Linux, a sixteenth of its buffer, which is at most 6 MB unless told otherwise.
constexpr std::size_t kLargestStep = std::size_t{512} << 10;

constexpr std::size_t kMostDrained = std::size_t{16} << 20;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

bool is_nothing_yet(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

Error too_slow() { return {ErrorCode::kInvalidArgument, "The body took too long to come."}; }
Error cut() { return {ErrorCode::kInvalidArgument, "The body ended before its time."}; }

void give_back(std::string* bytes) {
  if (bytes->capacity() > kKeptBytes) bytes->shrink_to_fit();
}

}  // namespace

Connection::Connection(int socket, const HttpOptions& options, const std::atomic<bool>& is_cut_off)
    : socket_(socket), options_(options), is_cut_off_(is_cut_off) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ++options_.counters->connections;
  ++options_.counters->open;
}

Connection::~Connection() {
  ::close(socket_);
  --options_.counters->open;
}

/// Waits until the socket is ready for `events`, the time is up or the connection is cut off.
bool Connection::wait_for(short events, Clock::time_point until) const {
  while (!is_cut_off_) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{socket_, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min<long long>(left, kLongestPoll)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

Connection::Arrival Connection::receive() {
  wants_turn_ = false;
  for (;;) {
    const Arrival here = look();
    if (here != Arrival::kNotYet) return here;
    std::array<char, kReadAtOnce> bytes;
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count == 0 || (count < 0 && !is_nothing_yet(errno))) return Arrival::kGone;
    if (count < 0) return Arrival::kNotYet;
    if (buffer_.empty()) since_ = Clock::now();
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

Connection::Arrival Connection::look() {
  if (head_size_ == 0) {
    const Arrival head = look_at_head();
    if (head != Arrival::kWhole) return head;
  }
  if (is_file_) return Arrival::kWhole;
  return buffer_.size() < head_size_ + body_size_ ? Arrival::kNotYet : Arrival::kWhole;
}

Connection::Arrival Connection::look_at_head() {
  const std::size_t end = buffer_.find("\r\n\r\n", searched_);
  if (end != std::string::npos) {
    head_size_ = end + 4;
  } else if (buffer_.find("\n\n", searched_) != std::string::npos) {
    // A head whose lines end otherwise never ends as it should; the guard says why.
    head_size_ = buffer_.size();
  } else if (buffer_.size() <= options_.limits.bytes) {
    searched_ = buffer_.size() < 3 ? 0 : buffer_.size() - 3;
    return Arrival::kNotYet;
  } else {
    head_size_ = buffer_.size();  // too large, the guard says
  }
  error_ = check_head(head(), options_.limits);
  if (error_) return Arrival::kRefused;
  is_file_ = is_upload(head(), options_.limits);
  if (is_file_) {
    begin_file();
  } else {
    body_size_ = server::body_size(head());
    since_ = Clock::now();
  }
  return Arrival::kWhole;
}

void Connection::use_up() {
  ++used_up_;
  buffer_.erase(0, head_size_ + body_size_);
  give_back(&buffer_);
  head_size_ = body_size_ = searched_ = 0;
  wants_turn_ = !buffer_.empty();
  since_ = Clock::now();
}

void Connection::begin_file() {
  file_size_ = file_left_ = server::body_size(head());
  waits_for_word_ = waits_for_word(head());
  // What came with the head goes first.
  body_size_ = std::min(file_size_, buffer_.size() - head_size_);
  since_ = Clock::now();
}

schema::Expected<std::size_t> Connection::read_file(char* bytes, std::size_t size) {
  if (std::exchange(waits_for_word_, false) && body_size_ == 0) {
    append("HTTP/1.1 100 Continue\r\n\r\n");
    if (!send_all()) return cut();
  }
  const auto here = body().substr(file_given_);
  std::size_t count = std::min({size, file_left_, here.size()});
  if (count > 0) {
    std::memcpy(bytes, here.data(), count);
    file_given_ += count;
    file_left_ -= count;
    return count;
  }
  if (file_left_ == 0) return std::size_t{0};
  const double took = std::chrono::duration<double>(Clock::now() - since_).count();
  const double least = (took - options_.upload_still_seconds) * options_.upload_rate;
  if (static_cast<double>(file_size_ - file_left_) < least) return too_slow();
  const auto until = Clock::now() + seconds(options_.upload_still_seconds);
  for (;;) {
    const ssize_t got = ::recv(socket_, bytes, std::min(size, file_left_), 0);
    if (got > 0) {
      file_left_ -= static_cast<std::size_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (got == 0 || !is_nothing_yet(errno)) return cut();
    if (!wait_for(POLLIN, until)) return too_slow();
  }
}

void Connection::begin_answer() {
  since_ = looked_at_ = Clock::now();
  taken_ = acknowledged_ = 0;
  waited_ = progressed_ = {};
}

void Connection::append(std::string_view bytes) {
  if (bytes.size() >= kManyBytes) {
    std::array<iovec, 2> parts = {{{unsent_.data() + sent_, unsent_.size() - sent_},
                                   {const_cast<char*>(bytes.data()), bytes.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    // What went wrong is seen when the rest is sent.
    const ssize_t count = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (count > 0) {
      const auto taken = static_cast<std::size_t>(count);
      taken_ += taken;
      const std::size_t of_before = std::min(taken, unsent_.size() - sent_);
      sent_ += of_before;
      bytes.remove_prefix(taken - of_before);
    }
  }
  unsent_.append(bytes);
}

bool Connection::send_some() {
  while (has_unsent()) {
    const ssize_t count =
        ::send(socket_, unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL);
    if (count > 0) {
      sent_ += static_cast<std::size_t>(count);
      taken_ += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return is_nothing_yet(errno);
    }
  }
  unsent_.clear();
  give_back(&unsent_);
  sent_ = 0;
  return true;
}

bool Connection::send_all() {
  for (;;) {
    if (!send_some()) return false;
    if (!has_unsent()) return true;
    if (is_cut_off_) return false;
    looked_at_ = Clock::now();
    wait_for(POLLOUT, looked_at_ + kBetweenLooks);
    if (!keeps_up()) return false;
  }
}

bool Connection::keeps_up() {
  const auto now = Clock::now();
  waited_ += now - looked_at_;
  looked_at_ = now;
  int on_the_way = 0;
  ::ioctl(socket_, SIOCOUTQ, &on_the_way);
  const std::size_t acknowledged = taken_ - std::min(taken_, static_cast<std::size_t>(on_the_way));
  if (acknowledged > acknowledged_) {
    acknowledged_ = acknowledged;
    progressed_ = waited_;
  }
  const auto patience = [this](std::size_t bytes) {
    return seconds(options_.write_seconds + static_cast<double>(bytes) / options_.answer_rate);
  };
  return waited_ <= patience(acknowledged_) && waited_ - progressed_ <= patience(kLargestStep);
}

void Connection::abort() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void Connection::begin_to_end() {
  ::shutdown(socket_, SHUT_WR);
  is_ending_ = true;
  wants_turn_ = false;
  buffer_.clear();
  give_back(&buffer_);
  since_ = Clock::now();
}

bool Connection::drain() {
  std::array<char, kReadAtOnce> bytes;
  while (drained_ < kMostDrained) {
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count == 0) return false;
    if (count < 0) return is_nothing_yet(errno);
    drained_ += static_cast<std::size_t>(count);
  }
  return false;
}

Clock::time_point Connection::deadline() const {
  if (is_ending_) return since_ + seconds(kEndSeconds);
  // Whether it has waited too long, keeps_up() says.
  if (has_unsent()) return looked_at_ + kBetweenLooks;
  if (buffer_.empty()) return since_ + seconds(options_.idle_seconds);
  return since_ + seconds(head_size_ == 0 ? options_.head_seconds : options_.body_seconds);
}

bool Connection::is_quiet() const {
  char byte = 0;
  return ::recv(socket_, &byte, 1, MSG_PEEK) < 0 && is_nothing_yet(errno);
}

bool Connection::has_left() const {
  // Not by peeking: a request that came behind this one would hide the end behind it.
  pollfd entry{socket_, POLLRDHUP, 0};
  return ::poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace benchhud::server
