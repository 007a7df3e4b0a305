// What the JSON of a trace's summary and of its report have in common.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "analysis/device_activity.h"
#include "schema/trace.h"

namespace benchhud::server::trace_json {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// "inductor_triton", …
std::string_view name_of(analysis::DeviceSlice::Kind kind);

nlohmann::ordered_json device(const analysis::DeviceActivity& activity);
nlohmann::ordered_json kernel_classes(const analysis::DeviceActivity& activity);
nlohmann::ordered_json launch_delay(const analysis::DeviceActivity& activity);
nlohmann::ordered_json idle(const analysis::DeviceActivity& activity);
nlohmann::ordered_json problems(const schema::Trace& trace);

}  // namespace benchhud::server::trace_json
