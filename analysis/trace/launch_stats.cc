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
  const std::vector<DeviceSlice>& device = context.device();
  std::unordered_map<std::uint32_t, std::size_t> rows;  // by name
  std::vector<std::uint32_t> launched;                  // places in `device`
  launched.reserve(device.size());
  for (std::uint32_t i = 0; i < device.size(); ++i) {
    if (device[i].launch == kNoSlice) {
      ++stats.without_call;
      continue;
    }
    launched.push_back(i);
    const TraceSlice& slice = context.slice(device[i].slice);
    const std::int64_t delay = launch_delay(context.trace(), device[i]);
    stats.long_delays += delay > kLongDelay;
    const auto [at, is_new] =
        rows.try_emplace(context.trace().labels[slice.label].name, stats.rows.size());
    if (is_new) stats.rows.emplace_back().name = context.trace().name(slice);
    LaunchRow& row = stats.rows[at->second];
    ++row.count;
    row.call.add(context.slice(device[i].launch).duration);
    row.device.add(slice.duration);
    row.delay.add(delay);
    row.long_delays += delay > kLongDelay;
  }
  stats.launched = static_cast<std::int64_t>(launched.size());
  // One list after another: there are as many as kernels.
  const auto quantiles_by_slice = [&](const auto& time_of) {
    std::vector<std::int64_t> times;
    times.reserve(launched.size());
    for (const std::uint32_t i : launched) times.push_back(time_of(device[i]));
    return quantiles_of(std::move(times));
  };
  stats.device =
      quantiles_by_slice([&](const DeviceSlice& of) { return context.slice(of.slice).duration; });
  stats.delay =
      quantiles_by_slice([&](const DeviceSlice& of) { return launch_delay(context.trace(), of); });
  std::sort(launched.begin(), launched.end(),
            [&](std::uint32_t a, std::uint32_t b) { return device[a].launch < device[b].launch; });
  std::vector<std::int64_t> call_times;
  for (std::size_t begin = 0, end = 0; begin < launched.size(); begin = end) {
    const std::uint32_t call = device[launched[begin]].launch;
    std::int64_t on_device = 0;  // ns of all that it launched
    for (; end < launched.size() && device[launched[end]].launch == call; ++end) {
      on_device = sum_of(on_device, context.slice(device[launched[end]].slice).duration);
    }
    const std::int64_t duration = context.slice(call).duration;
    ++stats.calls;
    stats.call_time.add(duration);
    call_times.push_back(duration);
    stats.long_calls += duration > kLongCall;
    stats.longer_than_launched += duration > on_device;
  }
  stats.call = quantiles_of(std::move(call_times));
  std::stable_sort(stats.rows.begin(), stats.rows.end(),
                   [](const LaunchRow& a, const LaunchRow& b) { return a.count > b.count; });
  stats.rows_left_out = truncate_rows(&stats.rows, most);
  return stats;
}

}  // namespace benchhud::analysis
