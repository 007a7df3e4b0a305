#include "cli/options/stop_signal.h"

#include <pthread.h>

#include <ctime>

namespace benchhud::cli {

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

void hold_stop_signals() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool StopSignal::came_within(std::chrono::milliseconds time) {
  if (came_) return true;
  using std::chrono::nanoseconds;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec most = {seconds.count(), nanoseconds(time - seconds).count()};
  const sigset_t signals = stop_signals();
  // Another signal may end the wait too early; the loop that asked looks again then.
  came_ = sigtimedwait(&signals, nullptr, &most) > 0;
  return came_;
}

}  // namespace benchhud::cli
