#include "ingest/output/output_watch.h"

#include <algorithm>
#include <cmath>

namespace benchhud::ingest {

bool is_finished(const OutputDir& dir, const FinishRules& rules, double unchanged) {
  if (rules.needs_marker && !dir.has_marker) return false;
  return dir.is_complete || unchanged >= rules.settle;
}

bool OutputWatch::is_due(const OutputDir& dir, double now) {
  const auto [found, is_new] = known_.try_emplace(dir.path);
  Known& known = found->second;
  if (is_new || known.state != dir.state) known = Known{dir.state, now};
  if (known.is_taken || now < known.retry_at) return false;
  return dir.error || is_finished(dir, rules_, now - known.since);
}

void OutputWatch::took(const OutputDir& dir) {
  Known& known = known_[dir.path];
  known.is_taken = true;
  known.failures = 0;
}

double OutputWatch::failed(const OutputDir& dir, double now) {
  Known& known = known_[dir.path];
  const double pause = std::min(std::ldexp(kFirstRetry, std::min(known.failures, 30)), kLastRetry);
  ++known.failures;
  known.retry_at = now + pause;
  return pause;
}

void OutputWatch::keep_only(const std::set<std::string>& paths) {
  std::erase_if(known_, [&](const auto& entry) { return !paths.contains(entry.first); });
}

std::size_t OutputWatch::unfinished() const {
  return static_cast<std::size_t>(std::count_if(known_.begin(), known_.end(), [](const auto& e) {
    return !e.second.is_taken && e.second.failures == 0;
  }));
}

}  // namespace benchhud::ingest
