// A thread that removes dropped traces whose time is over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace benchhud::server {

class Expiry {
 public:
  /// Starts the thread. It looks at once, which removes what expired while no server ran, and every
  /// half minute; where somebody else was writing, a second later. It does not wait for what else
  /// is made ready of the store. What cannot be removed is told once on standard error.
  explicit Expiry(std::string store_path);
  ~Expiry();
  Expiry(const Expiry&) = delete;
  Expiry& operator=(const Expiry&) = delete;

 private:
  void work();
  /// Gives when to look again.
  std::chrono::milliseconds look();
  void tell(const std::string& failure);
  bool is_stopping();

  const std::string store_path_;
  std::set<std::string> told_;  // of the thread alone
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace benchhud::server
