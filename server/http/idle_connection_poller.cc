#include "server/http/idle_connection_poller.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace benchhud::server {
namespace {

constexpr std::uint64_t kBell = 0;
/// A request that has not come in this time has lost its right to a place that others want.
constexpr std::chrono::seconds kPromptly{1};
/// What every connection holds.
constexpr std::size_t kFewBytes = 1024;

/// Whether nobody loses anything if it is closed.
bool can_be_spared(const Connection& one) { return one.is_ending() || one.is_idle(); }

}  // namespace

schema::Expected<std::unique_ptr<IdleConnectionPoller>> IdleConnectionPoller::make(
    const HttpOptions& options) {
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  const int bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{EPOLLIN, {.u64 = kBell}};
  if (poll >= 0 && bell >= 0 && ::epoll_ctl(poll, EPOLL_CTL_ADD, bell, &event) == 0) {
    return std::unique_ptr<IdleConnectionPoller>(new IdleConnectionPoller(options, poll, bell));
  }
  const int error = errno;
  if (poll >= 0) ::close(poll);
  if (bell >= 0) ::close(bell);
  return schema::Error{schema::ErrorCode::kIo,
                       fmt::format("cannot wait for connections: {}", std::strerror(error))};
}

IdleConnectionPoller::IdleConnectionPoller(const HttpOptions& options, int poll, int bell)
    : options_(options), poll_(poll), bell_(bell) {}

IdleConnectionPoller::~IdleConnectionPoller() {
  ::close(bell_);
  ::close(poll_);
}

void IdleConnectionPoller::enter(std::unique_ptr<Connection> connection) {
  const std::scoped_lock lock(mutex_);
  const bool is_new = connection->number() == 0;
  if (is_new) connection->set_number(++last_number_);
  const std::uint64_t number = connection->number();
  // One report, to one thread, and none before it waits again.
  const std::uint32_t direction = connection->waits_to_write() ? EPOLLOUT : EPOLLIN;
  epoll_event event{direction | EPOLLONESHOT, {.u64 = number}};
  const int socket = connection->socket();
  held_bytes_ += connection->held_bytes();
  const Place place = waiting_.emplace(number, std::move(connection)).first;
  if (::epoll_ctl(poll_, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) != 0) {
    take(place);  // the system has no memory for it; to close it is all that can be done
    return;
  }
  if (held_bytes_ > options_.waiting_bytes) save_memory();
}

std::unique_ptr<Connection> IdleConnectionPoller::next() {
  for (;;) {
    epoll_event event{};
    const int count = ::epoll_wait(poll_, &event, 1, -1);
    if (count < 0 && errno != EINTR) return nullptr;
    if (count <= 0) continue;
    // A copy: find() takes a reference, and the event is packed, so that its number is not where
    // one may point.
    const std::uint64_t number = event.data.u64;
    if (number == kBell) return nullptr;
    const std::scoped_lock lock(mutex_);
    // It may have been overdue in between.
    const auto place = waiting_.find(number);
    if (place != waiting_.end()) return take(place);
  }
}

std::unique_ptr<Connection> IdleConnectionPoller::take(Place place) {
  auto connection = std::move(place->second);
  held_bytes_ -= connection->held_bytes();
  waiting_.erase(place);
  return connection;
}

std::vector<std::unique_ptr<Connection>> IdleConnectionPoller::overdue() {
  std::vector<std::unique_ptr<Connection>> found;
  const std::scoped_lock lock(mutex_);
  const auto now = Connection::Clock::now();
  for (auto place = waiting_.begin(); place != waiting_.end();) {
    const auto next = std::next(place);
    const Connection& one = *place->second;
    // What has come is a thread's to look at: if none has yet, that is nobody's delay but ours.
    if (one.deadline() < now && (one.is_ending() || one.has_unsent() || one.is_all_looked_at())) {
      found.push_back(take(place));
    }
    place = next;
  }
  return found;
}

bool IdleConnectionPoller::make_place() {
  const std::scoped_lock lock(mutex_);
  const auto now = Connection::Clock::now();
  std::vector<Place> places;
  for (auto place = waiting_.begin(); place != waiting_.end(); ++place) {
    const Connection& one = *place->second;
    if (can_be_spared(one) || (one.is_begun() && now - one.since() > kPromptly)) {
      places.push_back(place);
    }
  }
  std::ranges::sort(places, {}, [](const Place& place) {
    return std::pair(!can_be_spared(*place->second), place->second->since());
  });
  // A request that nobody has looked at yet shall be answered.
  const auto best = std::ranges::find_if(places, [](const Place& place) {
    return place->second->is_ending() || place->second->is_quiet();
  });
  if (best == places.end()) return false;
  close_one(*best);
  return true;
}

void IdleConnectionPoller::save_memory() {
  std::vector<Place> places;
  for (auto place = waiting_.begin(); place != waiting_.end(); ++place) {
    if (place->second->held_bytes() > kFewBytes) places.push_back(place);
  }
  std::ranges::sort(places, {}, [](const Place& place) { return place->second->since(); });
  // Not for every connection anew.
  const std::size_t enough = options_.waiting_bytes - options_.waiting_bytes / 8;
  for (const Place& place : places) {
    if (held_bytes_ <= enough) break;
    close_one(place);
  }
}

void IdleConnectionPoller::close_one(Place place) {
  ++options_.counters->crowded_out;
  take(place);
}

void IdleConnectionPoller::clear() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(waiting_, [this](const auto& entry) {
    const bool goes = !entry.second->has_unsent();
    if (goes) held_bytes_ -= entry.second->held_bytes();
    return goes;
  });
}

void IdleConnectionPoller::close() {
  const std::uint64_t one = 1;
  // A full counter rings as well.
  [[maybe_unused]] const auto written = ::write(bell_, &one, sizeof one);
}

}  // namespace benchhud::server
