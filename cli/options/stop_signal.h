// SIGINT and SIGTERM, taken when the program is ready for them.
#pragma once

#include <chrono>
#include <csignal>

namespace benchhud::cli {

/// SIGINT and SIGTERM.
sigset_t stop_signals();

/// From here on SIGINT and SIGTERM wait for who takes them. To be called before any thread starts.
void hold_stop_signals();

/// Whether one of them came, for a loop that ends then. After hold_stop_signals().
class StopSignal {
 public:
  bool came() { return came_within(std::chrono::milliseconds(0)); }
  /// Waits for one, at most so long.
  bool came_within(std::chrono::milliseconds time);

 private:
  bool came_ = false;
};

}  // namespace benchhud::cli
