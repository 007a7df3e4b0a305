// The threads that answer requests, in lanes apart from each other: however many requests of one
// kind compute, wait for a lock or hold memory, they take no thread from those of another kind.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/http/connection.h"
#include "server/http/lane.h"

namespace benchhud::server {

/// Threads may share it.
class Lanes {
 public:
  using Answer = std::function<void(std::unique_ptr<Connection>)>;

  /// `usual_threads`: how many requests of kUsual are answered at once; those of the other lanes
  /// have fewer threads. Each request is answered by a call of `answer` on a thread of its lane.
  Lanes(std::size_t usual_threads, Answer answer);
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes() { close(); }

  /// Lets a request wait for a thread of its lane, first come, first served. False: so many wait
  /// already that it has no chance to be answered soon; the connection stays the caller's.
  bool enter(Lane lane, std::unique_ptr<Connection>& connection);

  /// Takes out the requests that have waited for a thread for longer than their lane lets them. A
  /// server that stops has no time for any that wait where each may take seconds.
  std::vector<std::unique_ptr<Connection>> overdue(bool is_stopping);

  /// Closes the connections of those that still wait, and ends each thread once it has answered the
  /// request that it is at.
  void close();

 private:
  using Clock = Connection::Clock;

  struct Waiting {
    Clock::time_point since;
    std::unique_ptr<Connection> connection;
  };
  struct Queue {
    std::size_t most_waiting = 0;  ///< beside those for whom a thread is idle
    Clock::duration patience{};
    std::size_t idle = 0;  ///< threads
    std::deque<Waiting> waiting;
    std::condition_variable came;
  };

  void start(Lane lane, std::size_t threads, std::size_t most_waiting, Clock::duration patience);
  void work(Queue& queue);
  Queue& queue_of(Lane lane) { return queues_[static_cast<std::size_t>(lane)]; }

  const Answer answer_;
  std::mutex mutex_;
  bool is_closed_ = false;
  std::array<Queue, kLanes> queues_;
  std::vector<std::thread> threads_;
};

}  // namespace benchhud::server
