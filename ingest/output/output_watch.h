// Which output directories are to be taken in now: those that are finished and have changed since
// they were last taken in. Knows no clock and no disk: both are told.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "ingest/output/output_scan.h"

namespace benchhud::ingest {

/// What makes a directory finished. All times in seconds.
struct FinishRules {
  bool needs_marker = false;  ///< only what the runner says is done
  double settle = 0;          ///< for so long nothing has changed
};

/// Whether a directory is finished: its marker is there and newer than all else, or, nothing having
/// changed for `unchanged` seconds, it has settled (and, where one is needed, has a marker).
bool is_finished(const OutputDir& dir, const FinishRules& rules, double unchanged);

/// What is known of the directories that are watched, from one look at them to the next.
class OutputWatch {
 public:
  explicit OutputWatch(FinishRules rules) : rules_(rules) {}

  /// Whether a directory, seen like this at `now` on a clock that never goes back, is to be taken
  /// in. How long nothing has changed is counted from when it was first seen so, on this clock, as
  /// the file system's may be another machine's and wrong.
  bool is_due(const OutputDir& dir, double now);

  /// It was taken in as it was seen.
  void took(const OutputDir& dir);

  /// It could not be taken in. Until it is tried again, twice as long passes as the last time, from
  /// kFirstRetry to kLastRetry, unless it changes before. Returns how long.
  double failed(const OutputDir& dir, double now);

  /// Forgets directories that are not among `paths`, which are all that there are.
  void keep_only(const std::set<std::string>& paths);

  /// Everything is to be looked at anew: the store is another one.
  void forget_all() { known_.clear(); }

  /// How many are neither taken in as they are nor have failed: they are being written.
  std::size_t unfinished() const;

  static constexpr double kFirstRetry = 5;
  static constexpr double kLastRetry = 3600;

 private:
  struct Known {
    schema::ContentHash state;
    double since = 0;  // it has been like this
    bool is_taken = false;
    int failures = 0;
    double retry_at = 0;
  };

  FinishRules rules_;
  std::map<std::string, Known> known_;  // by path
};

}  // namespace benchhud::ingest
