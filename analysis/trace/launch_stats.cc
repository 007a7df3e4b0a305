#include "analysis/trace/launch_stats.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::TraceSlice;

LaunchStats launch_stats(const TraceContext& context, std::size_t most) {
  LaunchStats stats;
  std::unordered_map<std::uint32_t, std::int64_t> launched;  // ns on devices, by call
  std::unordered_map<std::uint32_t, std::size_t> rows;       // by name
  std::vector<std::int64_t> device_times, delays, call_times;
  for (const DeviceSlice& device : context.device()) {
    if (device.launch == kNoSlice) {
      ++stats.without_call;
      continue;
    }
    const TraceSlice& slice = context.slice(device.slice);
    const TraceSlice& call = context.slice(device.launch);
    const std::int64_t delay = launch_delay(context.trace(), device);
    ++stats.launched;
    stats.long_delays += delay > kLongDelay;
    device_times.push_back(slice.duration);
    delays.push_back(delay);
    std::int64_t& sum = launched.try_emplace(device.launch, 0).first->second;
    sum = sum_of(sum, slice.duration);
    const auto [at, is_new] =
        rows.try_emplace(context.trace().labels[slice.label].name, stats.rows.size());
    if (is_new) stats.rows.emplace_back().name = context.trace().name(slice);
    LaunchRow& row = stats.rows[at->second];
    ++row.count;
    row.call.add(call.duration);
    row.device.add(slice.duration);
    row.delay.add(delay);
    row.long_delays += delay > kLongDelay;
  }
  stats.calls = static_cast<std::int64_t>(launched.size());
  for (const auto& [index, device_time] : launched) {
    const std::int64_t duration = context.slice(index).duration;
    stats.call_time.add(duration);
    call_times.push_back(duration);
    stats.long_calls += duration > kLongCall;
    stats.longer_than_launched += duration > device_time;
  }
  stats.call = quantiles_of(std::move(call_times));
  stats.device = quantiles_of(std::move(device_times));
  stats.delay = quantiles_of(std::move(delays));
  std::stable_sort(stats.rows.begin(), stats.rows.end(),
                   [](const LaunchRow& a, const LaunchRow& b) { return a.count > b.count; });
  stats.rows_left_out = truncate_rows(&stats.rows, most);
  return stats;
}

}  // namespace benchhud::analysis
