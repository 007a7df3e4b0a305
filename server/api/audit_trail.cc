#include "server/api/audit_trail.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "schema/base/caught_error.h"
#include "schema/base/time.h"

namespace benchhud::server {
namespace {

using schema::ErrorCode;
using schema::Expected;

/// How soon a busy store is tried again; lines that come meanwhile share a transaction.
constexpr std::chrono::seconds kBetweenTries{1};

}  // namespace

AuditTrail::AuditTrail(StoreWriter& writer, const AuditLimits& limits)
    : writer_(writer), limits_(limits), thread_([this] { work(); }) {}

AuditTrail::~AuditTrail() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  came_.notify_all();
  thread_.join();
}

void AuditTrail::note(std::string action, std::string detail) {
  {
    const std::scoped_lock lock(mutex_);
    put(std::move(action), std::move(detail));
  }
  came_.notify_one();
}

void AuditTrail::note_of_anybody(std::string action, std::string detail) {
  {
    const std::scoped_lock lock(mutex_);
    end_period_if_over();
    // The thread is woken also for what is only counted: it has to see when the period ends.
    if (++counts_[action] <= limits_.each) put(std::move(action), std::move(detail));
  }
  came_.notify_one();
}

void AuditTrail::put(std::string action, std::string detail) {
  if (pending_.size() >= limits_.pending) {
    ++dropped_;
  } else {
    pending_.push_back({schema::now(), std::move(action), std::move(detail)});
  }
}

bool AuditTrail::is_counting() const {
  return std::ranges::any_of(counts_,
                             [this](const auto& entry) { return entry.second > limits_.each; });
}

void AuditTrail::end_period_if_over() {
  if (!is_over_ && Clock::now() - period_began_ < limits_.period) return;
  // Each is forgotten once it is put, so that none is put twice where memory is lacking for the
  // next.
  while (!counts_.empty()) {
    const auto& [action, count] = *counts_.begin();
    if (count > limits_.each) put(action, fmt::format("{} more like these", count - limits_.each));
    counts_.erase(counts_.begin());
  }
  period_began_ = Clock::now();
}

void AuditTrail::write_pending(std::unique_lock<std::mutex>& lock) {
  const std::vector<schema::AuditEvent> events(pending_.begin(), pending_.end());
  lock.unlock();
  const auto written = schema::caught([&] {
    return writer_.write([&](schema::Connection& store) -> Expected<std::string> {
      BENCHHUD_TRY(schema::note_events(store, events));
      return std::string();
    });
  });
  lock.lock();
  const auto code = written ? std::nullopt : std::optional(written.error().code);
  if (code == ErrorCode::kBusy || code == ErrorCode::kNoMemory) return;
  // What cannot be written now (to a store that may only be read, say) cannot be written later.
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(events.size()));
  if (written && dropped_ > 0) {
    put("audit",
        fmt::format("{} lines were dropped while the store was busy", std::exchange(dropped_, 0)));
  }
}

void AuditTrail::work() {
  const auto has_work = [this] { return is_over_ || !pending_.empty(); };
  std::unique_lock lock(mutex_);
  for (;;) {
    // With nothing to be written, nothing happens until there is.
    came_.wait(lock, [&] { return has_work() || is_counting(); });
    came_.wait_until(lock, period_began_ + limits_.period, has_work);
    const bool is_last = is_over_;
    try {
      end_period_if_over();
      if (!pending_.empty()) write_pending(lock);
    } catch (const std::exception&) {
      // Out of memory: it is tried again.
    }
    if (is_last) return;
    came_.wait_for(lock, kBetweenTries, [this] { return is_over_; });
  }
}

}  // namespace benchhud::server
