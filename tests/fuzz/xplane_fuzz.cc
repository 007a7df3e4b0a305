// The reader of XPlane profiles: never crashes, loses no event, and makes traces that can be
// stored.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/xplane/xplane_trace.h"
#include "schema/base/column_codec.h"
#include "trace/trace_nesting.h"
#include "trace/xla_profile.h"

namespace {

using benchhud::ingest::read_xplane;
using benchhud::ingest::XplanePlaneCounts;
using benchhud::ingest::XplaneTrace;
using benchhud::trace::Trace;

void require(bool condition) {
  if (!condition) std::abort();
}

// Counts objects.
class ArgsCounter : public benchhud::trace::TraceArgsSink {
 public:
  std::uint64_t put(std::string_view json) override {
    require(json.size() > 2 && json.front() == '{' && json.back() == '}');
    return count++;
  }
  std::uint64_t count = 0;
};

template <class Event>
void require_event(const Trace& trace, const Event& event, const ArgsCounter& args) {
  require(event.thread < trace.threads.size() && event.label < trace.labels.size());
  require(event.args < trace.args.size());
  const std::uint64_t packed = trace.args_of(event).packed;
  require(packed == benchhud::trace::TraceArgs::kNotKept || packed < args.count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte says how much of the rest is left where it is cut.
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ArgsCounter args;
  const XplaneTrace whole = read_xplane(bytes, &args);
  if (!whole.refusal.empty()) return 0;
  const Trace& trace = whole.trace;
  std::int64_t events = 0, slices = 0;
  for (const XplanePlaneCounts& plane : whole.planes) {
    const std::int64_t made_slices = plane.slices + plane.async;
    require(plane.events ==
            made_slices + plane.counters + plane.aggregated + plane.allocations + plane.refused);
    events += plane.events;
    slices += made_slices;
  }
  if (whole.planes.size() < XplaneTrace::kMostPlanes) {
    require(events == trace.events);
    require(slices == static_cast<std::int64_t>(trace.slices.size()));
  }
  for (const auto& slice : trace.slices) {
    require(benchhud::schema::ends_in_time(slice.start, slice.duration));
    require_event(trace, slice, args);
  }
  for (const auto& point : trace.points) require_event(trace, point, args);
  for (const auto& flow : trace.flows) require(flow.thread < trace.threads.size());
  if (trace.xla) {
    const std::string profile = benchhud::trace::encode_xla_profile(*trace.xla);
    const auto again = benchhud::trace::decode_xla_profile(profile, trace.texts.size());
    require(again.has_value() && benchhud::trace::encode_xla_profile(*again) == profile);
    for (const auto& op : trace.xla->operators) {
      require(op.self_ps >= 0 && op.self_ps <= op.time_ps && op.occurrences >= 0);
    }
  }
  (void)benchhud::trace::nest(trace, benchhud::trace::NestingRows::kYes);
  const XplaneTrace cut = read_xplane(bytes.substr(0, bytes.size() * data[0] / 256));
  require(cut.trace.events <= trace.events);
  return 0;
}
