// Series without noise, watched night by night: counts, and what the verifier says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schema/model/metric.h"

namespace benchhud::analysis {

/// A value that became another.
struct WatchedEvent {
  std::string before, after;    ///< the count, the code
  std::size_t onset = 0;        ///< the night that has the new value
  std::size_t last_before = 0;  ///< the last night that had the old one: it came between the two
  std::optional<std::size_t> recovered;  ///< the night that has the old value again
  /// Of the last kFlakyNights values up to the event, how many differed from the one before.
  std::size_t flips = 0, of = 0;
  /// Of a failure: the signature of its error, or "", and how many experiments of its backend were
  /// tried that night.
  std::string signature;
  std::size_t tried = 0;
  /// It flips so often that one more time says little.
  bool is_flaky() const;
};
inline constexpr std::size_t kFlakyNights = 20;
inline constexpr std::size_t kFlakyFlips = 3;  ///< so often within them, it is_flaky()

/// Counts are exact: any change is a change. One that is back at what it was ends the event that
/// led away from there, and all since; it is an event of its own only if it is for the worse and
/// that event was kSettledNights ago (watched_metric.h). One that keeps changing is no property of
/// the model; from its third change within kFlakyNights nights on it is told no more until it is
/// quiet again.
class CounterChangeDetector {
 public:
  explicit CounterChangeDetector(schema::Direction better = schema::Direction::kNeither)
      : better_(better) {}

  /// Returns whether there is anything new.
  bool add(std::int64_t count, std::size_t number);
  std::span<const WatchedEvent> events() const { return events_; }

 private:
  friend struct StateFields;

  schema::Direction better_;
  std::vector<WatchedEvent> events_;
  std::vector<std::size_t> flips_;  // places of values that differed from the one before
  std::optional<std::int64_t> last_;
  std::size_t count_ = 0;
  std::size_t last_number_ = 0;
};

/// Codes, or states: from the good one to any other is an event, at once, however often it happens;
/// back to the good one is its recovery.
class VerdictChangeDetector {
 public:
  explicit VerdictChangeDetector(std::string good) : good_(std::move(good)) {}

  bool add(const std::string& verdict, std::size_t number);
  std::span<const WatchedEvent> events() const { return events_; }
  /// Says more of the event that the last add() began: WatchedEvent::signature and tried.
  void describe_last(std::string signature, std::size_t tried) {
    events_.back().signature = std::move(signature);
    events_.back().tried = tried;
  }

 private:
  friend struct StateFields;

  std::string good_;
  std::vector<WatchedEvent> events_;
  std::vector<std::size_t> flips_;
  std::string last_;
  std::size_t count_ = 0;
  std::optional<std::size_t> last_good_;  // night
};

}  // namespace benchhud::analysis
