// What the audit has beside changes: refused attempts, sign-ins, downloads of the store. Whoever
// causes a line does not wait until it is written, and a flood of what anybody can cause writes few
// lines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "schema/db/audit_event.h"
#include "server/api/store_writer.h"

namespace benchhud::server {

struct AuditLimits {
  /// Lines that an action of anybody gets per period; the others of a period are counted in one.
  std::size_t each = 20;
  std::chrono::milliseconds period = std::chrono::hours(1);
  std::size_t pending = 1000;  ///< lines that wait to be written; one more is dropped and counted
};

/// Threads may share it. `writer` outlives it.
class AuditTrail {
 public:
  explicit AuditTrail(StoreWriter& writer, const AuditLimits& limits = {});
  AuditTrail(const AuditTrail&) = delete;
  AuditTrail& operator=(const AuditTrail&) = delete;
  /// Writes what is pending, as far as the store can be written to.
  ~AuditTrail();

  /// What takes a valid token: it has a line each time.
  void note(std::string action, std::string detail);
  /// What anybody can cause: it is bounded by AuditLimits::each.
  void note_of_anybody(std::string action, std::string detail);

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  void put(std::string action, std::string detail);
  /// Puts the lines that count, if the period is over or this ends.
  void end_period_if_over();
  bool is_counting() const;  // what the end of the period puts a line of
  /// As far as the store is not busy.
  void write_pending(std::unique_lock<std::mutex>& lock);

  StoreWriter& writer_;
  const AuditLimits limits_;
  std::mutex mutex_;
  std::condition_variable came_;
  bool is_over_ = false;
  std::deque<schema::AuditEvent> pending_;
  Clock::time_point period_began_ = Clock::now();
  std::map<std::string, std::size_t> counts_;  // of anybody's actions in this period
  std::size_t dropped_ = 0;
  std::thread thread_;
};

}  // namespace benchhud::server
