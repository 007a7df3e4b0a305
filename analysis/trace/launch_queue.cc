#include "analysis/trace/launch_queue.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/trace/time_totals.h"
#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::kNoSlice;

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
  const std::vector<DeviceSlice>& device = context.device();  // by stream
  const auto stream_of = [&](const DeviceSlice& each) { return context.slice(each.slice).thread; };
  for (auto first = device.begin(); first != device.end();) {
    const std::uint32_t stream = stream_of(*first);
    const auto end = std::find_if(
        first, device.end(), [&](const DeviceSlice& each) { return stream_of(each) != stream; });
    std::vector<Step> steps;
    steps.reserve(2 * static_cast<std::size_t>(end - first));
    for (; first != end; ++first) {
      if (first->launch == kNoSlice) continue;
      // A device's clock may be ahead of the host's.
      const std::int64_t begin = context.slice(first->slice).start;
      steps.push_back({std::min(context.slice(first->launch).start, begin), 1});
      steps.push_back({begin, -1});
    }
    if (steps.empty()) continue;
    queues.push_back(queue_of(std::move(steps)));
    queues.back().stream = stream;
  }
  std::stable_sort(queues.begin(), queues.end(), [](const LaunchQueue& a, const LaunchQueue& b) {
    return a.launched > b.launched;
  });
  *left_out = truncate_rows(&queues, most);
  return queues;
}

}  // namespace benchhud::analysis
