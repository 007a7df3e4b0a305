#include "analysis/trace/device_breakdown.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {

namespace {

// The number of its bit.
std::size_t type_of(DeviceSlice::Kind kind) {
  if (kind == DeviceSlice::Kind::kCommunication) return 1;
  return kind == DeviceSlice::Kind::kMemcpy || kind == DeviceSlice::Kind::kMemset ? 2 : 0;
}

// Goes along spans that merged() gave. A list of all beginnings and ends would take three times
// their memory.
class Sweep {
 public:
  explicit Sweep(std::vector<TimeSpan> spans) : spans_(std::move(spans)) {}

  bool is_done() const { return at_ == spans_.size(); }
  // When something begins or ends next; the last moment of all where nothing does.
  std::int64_t next() const {
    if (is_done()) return std::numeric_limits<std::int64_t>::max();
    return is_within_ ? spans_[at_].end : spans_[at_].begin;
  }
  // Whether that moment, which is at most next(), is in a span.
  bool is_within_at(std::int64_t time) {
    if (is_done() || next() != time) return is_within_;
    if (is_within_) ++at_;
    is_within_ = !is_within_;
    return is_within_;
  }

 private:
  std::vector<TimeSpan> spans_;
  std::size_t at_ = 0;  // the span that is next, or at hand
  bool is_within_ = false;
};

}  // namespace

std::int64_t DeviceBreakdown::busy(Type type) const {
  std::int64_t sum = 0;
  for (std::size_t set = 0; set < exclusive.size(); ++set) {
    if (set & type) sum = sum_of(sum, exclusive[set]);
  }
  return sum;
}

std::optional<double> DeviceBreakdown::overlap_of_communication() const {
  const std::int64_t communication = busy(kCommunication);
  if (communication == 0) return std::nullopt;
  const std::int64_t both =
      sum_of(exclusive[kCommunication | kCompute], exclusive[kCommunication | kCompute | kMemory]);
  return share_of(both, communication);
}

DeviceBreakdown device_breakdown(const TraceContext& context) {
  std::array<std::vector<TimeSpan>, 3> spans;  // by type
  std::array<std::size_t, 3> counts = {};
  for (const DeviceSlice& device : context.device()) ++counts[type_of(device.kind)];
  for (std::size_t type = 0; type < spans.size(); ++type) spans[type].reserve(counts[type]);
  visit_own_spans(context.trace(), context.device(), context.sides(),
                  [&](std::size_t i, const TimeSpan& span) {
                    add_span(&spans[type_of(context.device()[i].kind)], span);
                  });
  std::array<Sweep, 3> sweeps{{Sweep(merged(std::move(spans[0]))),
                               Sweep(merged(std::move(spans[1]))),
                               Sweep(merged(std::move(spans[2])))}};
  const auto next = [&] {
    return std::min({sweeps[0].next(), sweeps[1].next(), sweeps[2].next()});
  };
  const auto is_done = [&] {
    return std::all_of(sweeps.begin(), sweeps.end(), [](const Sweep& of) { return of.is_done(); });
  };
  DeviceBreakdown breakdown;
  if (is_done()) return breakdown;
  std::int64_t now = next();
  const std::int64_t begin = now;
  while (true) {
    std::size_t set = 0;
    for (std::size_t type = 0; type < sweeps.size(); ++type) {
      if (sweeps[type].is_within_at(now)) set |= std::size_t{1} << type;
    }
    if (is_done()) break;
    const std::int64_t then = next();
    std::int64_t& time = breakdown.exclusive[set];
    time = sum_of(time, difference_of(then, now));
    now = then;
  }
  breakdown.span = difference_of(now, begin);
  return breakdown;
}

}  // namespace benchhud::analysis
