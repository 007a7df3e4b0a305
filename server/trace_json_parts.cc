#include "trace_json_parts.h"

#include <string>

namespace benchhud::server::trace_json {

using Kind = analysis::DeviceSlice::Kind;
using nlohmann::ordered_json;

namespace {

constexpr std::array kKinds = {Kind::kInductorTriton, Kind::kUserTriton, Kind::kLibrary,
                               Kind::kCommunication,  Kind::kMemcpy,     Kind::kMemset};

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kInductorTriton:
      return "inductor_triton";
    case Kind::kUserTriton:
      return "user_triton";
    case Kind::kLibrary:
      return "library";
    case Kind::kCommunication:
      return "communication";
    case Kind::kMemcpy:
      return "memcpy";
    case Kind::kMemset:
      return "memset";
  }
  return "";
}

ordered_json device(const analysis::DeviceActivity& activity) {
  return {{"kernels", activity.kernels},
          {"busy_ns", activity.busy},
          {"span_ns", activity.span},
          {"utilization", or_null(activity.utilization)},
          {"utilization_of_steps", or_null(activity.utilization_of_steps)}};
}

ordered_json kernel_classes(const analysis::DeviceActivity& activity) {
  ordered_json json;
  for (const Kind kind : kKinds) {
    const auto found = activity.kinds.find(kind);
    json[std::string(name_of(kind))] = found == activity.kinds.end() ? 0 : found->second;
  }
  return json;
}

ordered_json launch_delay(const analysis::DeviceActivity& activity) {
  const auto& delay = activity.launch_delay;
  if (!delay) return nullptr;
  return {{"p50", delay->p50}, {"p90", delay->p90}, {"max", delay->max}};
}

ordered_json idle(const analysis::DeviceActivity& activity) {
  return {{"host_wait", activity.host_wait},
          {"kernel_wait", activity.kernel_wait},
          {"other", activity.other_wait}};
}

ordered_json problems(const schema::Trace& trace) {
  ordered_json json = ordered_json::array();
  for (const schema::TraceProblem& problem : trace.problems) {
    json.push_back({{"offset", problem.offset}, {"reason", problem.reason}});
  }
  return json;
}

}  // namespace benchhud::server::trace_json
