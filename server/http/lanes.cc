#include "server/http/lanes.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace benchhud::server {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// Few enough that the store's connections are not all theirs, and the memory of kDumps is bounded.
constexpr std::size_t kHeavyThreads = 2;
constexpr std::size_t kDumpsThreads = 2;
// The store has one writer at a time: more threads would only wait for each other.
constexpr std::size_t kChangeThreads = 2;
constexpr std::size_t kMostWaiting = 256;
constexpr Connection::Clock::duration kPatience = 5s;
constexpr auto kHoweverLong = Connection::Clock::duration::max();

/// Below the usual priority, so that what takes milliseconds goes before what takes seconds.
constexpr int kNiceness = 5;

bool is_heavy(Lane lane) { return lane == Lane::kHeavy || lane == Lane::kDumps; }

}  // namespace

Lanes::Lanes(std::size_t usual_threads, Answer answer) : answer_(std::move(answer)) {
  try {
    start(Lane::kHealth, 1, kUnlimited, kHoweverLong);
    start(Lane::kUsual, usual_threads, kUnlimited, kHoweverLong);
    start(Lane::kHeavy, kHeavyThreads, kMostWaiting, kPatience);
    start(Lane::kDumps, kDumpsThreads, kMostWaiting, kPatience);
    start(Lane::kChange, kChangeThreads, kMostWaiting, kPatience);
    start(Lane::kUpload, std::max<std::size_t>(1, usual_threads / 2), 0, kPatience);
  } catch (...) {
    // The system has no more threads: those that run must end before they are destroyed.
    close();
    throw;
  }
}

void Lanes::start(Lane lane, std::size_t threads, std::size_t most_waiting,
                  Clock::duration patience) {
  Queue& queue = queue_of(lane);
  queue.most_waiting = most_waiting;
  queue.patience = patience;
  queue.idle = threads;
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this, lane, &queue] {
      // Linux has a niceness for each thread. Without it, requests are answered all the same.
      if (is_heavy(lane)) ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
      work(queue);
    });
  }
}

bool Lanes::enter(Lane lane, std::unique_ptr<Connection>& connection) {
  Queue& queue = queue_of(lane);
  {
    const std::scoped_lock lock(mutex_);
    if (is_closed_) return false;
    const std::size_t waiting = queue.waiting.size();
    if (waiting >= queue.idle && waiting - queue.idle >= queue.most_waiting) return false;
    queue.waiting.push_back({Clock::now(), std::move(connection)});
  }
  queue.came.notify_one();
  return true;
}

void Lanes::work(Queue& queue) {
  std::unique_lock lock(mutex_);
  for (;;) {
    queue.came.wait(lock, [&] { return is_closed_ || !queue.waiting.empty(); });
    if (is_closed_) return;
    auto connection = std::move(queue.waiting.front().connection);
    queue.waiting.pop_front();
    --queue.idle;
    lock.unlock();
    try {
      answer_(std::move(connection));
    } catch (const std::exception&) {
      // Out of memory: this request loses its connection, the others go on.
    }
    lock.lock();
    ++queue.idle;
  }
}

std::vector<std::unique_ptr<Connection>> Lanes::overdue(bool is_stopping) {
  std::vector<std::unique_ptr<Connection>> found;
  const auto now = Clock::now();
  const std::scoped_lock lock(mutex_);
  for (Queue& queue : queues_) {
    const bool waits_too_long = is_stopping && queue.patience != kHoweverLong;
    while (!queue.waiting.empty() &&
           (waits_too_long || now - queue.waiting.front().since > queue.patience)) {
      found.push_back(std::move(queue.waiting.front().connection));
      queue.waiting.pop_front();
    }
  }
  return found;
}

void Lanes::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
    for (Queue& queue : queues_) queue.waiting.clear();
  }
  for (Queue& queue : queues_) queue.came.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace benchhud::server
