// What the JSON of a trace's summary and of its report have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/trace/device_activity.h"
#include "trace/trace.h"

namespace benchhud::analysis::trace_json {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// Null where the sentence says why a value is not known.
template <class Value>
nlohmann::ordered_json unless(const std::string& unknown, Value value) {
  return unknown.empty() ? nlohmann::ordered_json(std::move(value)) : nlohmann::ordered_json();
}

/// "device" and "launches": why they are not known, or null.
nlohmann::ordered_json unknowns(const analysis::TraceUnknowns& unknowns);
// Of these, members that are not known are null.
nlohmann::ordered_json device(const analysis::DeviceActivity& activity);
nlohmann::ordered_json kernel_classes(const analysis::DeviceActivity& activity);
nlohmann::ordered_json quantiles(const std::optional<analysis::Quantiles>& quantiles);
nlohmann::ordered_json idle(const analysis::DeviceActivity& activity);

/// "memory": a row of each device that PyTorch's profiler says memory of, null where it has no
/// events of memory; "memory_events_left_out": its events that are in no row.
void add_memory(nlohmann::ordered_json* json, const trace::MemoryByDevice& memory);

/// What could not be read: "unclosed", "broken", "problem_count", "problems".
void add_problems(nlohmann::ordered_json* json, const trace::Trace& trace);

/// How often each name came, the most frequent first and of equal ones by name.
struct NamedCounts {
  nlohmann::ordered_json by_name;
  std::int64_t left_out = 0;  ///< names that are not in it
};
/// At most `most` names, shortened.
NamedCounts named_counts(const std::map<std::string, std::int64_t>& counts, std::size_t most);

}  // namespace benchhud::analysis::trace_json
