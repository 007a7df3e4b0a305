// A queue between two threads that holds no more than it is told to.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace benchhud::ingest {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t most,
                        std::size_t most_bytes = std::numeric_limits<std::size_t>::max())
      : most_(most), most_bytes_(most_bytes), items_(most) {}

  /// Waits for room: an item of more bytes than all may have is alone. False, and `item` is
  /// dropped, once the queue is closed.
  bool push(T item, std::size_t bytes = 0) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      const bool has_bytes = items_.empty() || bytes <= most_bytes_ - std::min(bytes_, most_bytes_);
      return closed_ || (items_.size() < most_ && has_bytes);
    });
    if (closed_) return false;
    bytes_ += bytes;
    items_.push_back({std::move(item), bytes});
    changed_.notify_all();
    return true;
  }

  /// Waits for an item. Nothing once the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    T item = std::move(items_.front().first);
    bytes_ -= items_.front().second;
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  /// No more items come, or none are wanted.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t most_, most_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Each with its bytes. It has its memory from the beginning: pushing throws nothing, so that
  // threads which must not end by an exception can push.
  boost::circular_buffer<std::pair<T, std::size_t>> items_;
  std::size_t bytes_ = 0;  // of all
  bool closed_ = false;
};

}  // namespace benchhud::ingest
