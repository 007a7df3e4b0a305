// A thread that looks for changes of the store and makes ready what pages will ask for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "server/api/app.h"

namespace benchhud::server {

class CachePrefetcher {
 public:
  /// Starts the thread. It warms `app` at once and whenever another process has committed to the
  /// store; and makes the indexes of traces that have none, once, if the store may be written.
  CachePrefetcher(App& app, std::string store_path);
  ~CachePrefetcher();
  CachePrefetcher(const CachePrefetcher&) = delete;
  CachePrefetcher& operator=(const CachePrefetcher&) = delete;

 private:
  void work();
  /// False where somebody else was writing: it is to be tried again.
  bool index_traces();
  bool sleep();

  App& app_;
  const std::string store_path_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace benchhud::server
