// A thread that looks for changes of the store and makes ready what pages will ask for, and that
// removes what is there only for a while.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "schema/db/database.h"
#include "server/api/app.h"

namespace benchhud::server {

class CachePrefetcher {
 public:
  /// Starts the thread. It warms `app` at once and whenever another process has committed to the
  /// store; and makes the indexes of traces that have none, once, if the store may be written. Of
  /// dropped traces it removes those whose time is over, at once and every half minute.
  CachePrefetcher(App& app, std::string store_path);
  ~CachePrefetcher();
  CachePrefetcher(const CachePrefetcher&) = delete;
  CachePrefetcher& operator=(const CachePrefetcher&) = delete;

 private:
  void work();
  /// False where somebody else was writing: it is to be tried again.
  bool index_traces();
  /// `reading`: a connection to the store.
  void remove_expired(schema::Connection& reading);
  bool sleep();

  App& app_;
  const std::string store_path_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::optional<std::chrono::steady_clock::time_point> expired_looked_at_;  // of the thread alone
  std::thread thread_;
};

}  // namespace benchhud::server
