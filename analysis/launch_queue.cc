#include "analysis/launch_queue.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/keep_first.h"
#include "analysis/time_totals.h"

namespace benchhud::analysis {

using schema::kNoSlice;

namespace {

struct Step {
  std::int64_t time = 0;
  std::int64_t change = 0;
};

// `steps`: of one stream, in any order.
LaunchQueue queue_of(std::vector<Step> steps) {
  // Of what happens at once the launches first: nothing begins that was not launched.
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return a.time != b.time ? a.time < b.time : a.change > b.change;
  });
  LaunchQueue queue;
  queue.launched = static_cast<std::int64_t>(steps.size() / 2);
  queue.begin = steps.front().time;
  queue.span = difference_of(steps.back().time, steps.front().time);
  const double bucket = static_cast<double>(queue.span) / LaunchQueue::kBuckets;
  if (queue.span > 0) queue.buckets.assign(LaunchQueue::kBuckets, 0);
  const auto place_of = [&](std::int64_t time) {
    return static_cast<double>(difference_of(time, queue.begin)) / bucket;
  };
  double sum = 0;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    length += steps[i].change;
    if (i + 1 == steps.size() || steps[i + 1].time == steps[i].time) continue;
    const std::int64_t lasted = difference_of(steps[i + 1].time, steps[i].time);
    queue.longest = std::max(queue.longest, length);
    sum += static_cast<double>(length) * static_cast<double>(lasted);
    if (length >= kFullQueue) queue.time_full = sum_of(queue.time_full, lasted);
    if (length == 0) continue;  // what the buckets say already
    // The end is not in it: a bucket that begins there has nothing of this.
    const auto end = std::min(static_cast<std::size_t>(std::ceil(place_of(steps[i + 1].time))),
                              LaunchQueue::kBuckets);
    for (auto b = static_cast<std::size_t>(place_of(steps[i].time)); b < end; ++b) {
      queue.buckets[b] = std::max(queue.buckets[b], length);
    }
  }
  if (queue.span > 0) queue.mean = sum / static_cast<double>(queue.span);
  return queue;
}

}  // namespace

std::vector<LaunchQueue> launch_queues(const TraceContext& context, std::size_t most,
                                       std::int64_t* left_out) {
  std::vector<LaunchQueue> queues;
  std::vector<Step> steps;
  const std::vector<DeviceSlice>& device = context.device();  // by stream
  for (std::size_t i = 0; i < device.size(); ++i) {
    const schema::TraceSlice& slice = context.slice(device[i].slice);
    if (device[i].launch != kNoSlice) {
      // A device's clock may be ahead of the host's.
      steps.push_back({std::min(context.slice(device[i].launch).start, slice.start), 1});
      steps.push_back({slice.start, -1});
    }
    const bool is_last =
        i + 1 == device.size() || context.slice(device[i + 1].slice).thread != slice.thread;
    if (!is_last || steps.empty()) continue;
    queues.push_back(queue_of(std::exchange(steps, {})));
    queues.back().stream = slice.thread;
  }
  std::stable_sort(queues.begin(), queues.end(), [](const LaunchQueue& a, const LaunchQueue& b) {
    return a.launched > b.launched;
  });
  *left_out = keep_first(&queues, most);
  return queues;
}

}  // namespace benchhud::analysis
