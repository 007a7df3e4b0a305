#include "analysis/timing/nested_metrics.h"

#include <simdjson.h>

#include <cmath>
#include <limits>
#include <string>

namespace benchhud::analysis {
namespace {

namespace dom = simdjson::dom;

/// A number as a counter has it; none for what is no number.
std::optional<std::int64_t> count_of(const dom::element& value) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  std::int64_t whole = 0;
  if (value.get(whole) == simdjson::SUCCESS) return whole;
  std::uint64_t large = 0;
  if (value.get(large) == simdjson::SUCCESS) return kLargest;
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS || !std::isfinite(number)) return std::nullopt;
  if (number >= static_cast<double>(kLargest)) return kLargest;
  return number <= -static_cast<double>(kLargest) ? -kLargest : std::llround(number);
}

double number_of(const dom::object& object, std::string_view name) {
  double number = 0;
  return object[name].get(number) == simdjson::SUCCESS ? number : 0;
}

schema::DynamoCounters counters_of(const dom::object& groups) {
  schema::DynamoCounters counters;
  for (const auto& [group, members] : groups) {
    dom::object object;
    if (members.get(object) != simdjson::SUCCESS) continue;
    auto& read = counters.groups.emplace_back();
    read.name = group;
    for (const auto& [counter, value] : object) {
      if (const auto count = count_of(value)) read.counters.emplace_back(counter, *count);
    }
  }
  return counters;
}

std::vector<OperationTimes> operations_of(const dom::object& operations) {
  std::vector<OperationTimes> read;
  for (const auto& [name, times] : operations) {
    dom::object object;
    if (times.get(object) != simdjson::SUCCESS) continue;
    read.push_back({std::string(name), number_of(object, "num_of_calls"),
                    number_of(object, "self_cpu_time_s"), number_of(object, "total_cpu_time_s"),
                    number_of(object, "self_cuda_time_s"), number_of(object, "total_cuda_time_s")});
  }
  return read;
}

/// Counters have thousands of bytes; a tree takes many times the text of what is no counters.
constexpr std::size_t kMostBytes = std::size_t{4} << 20;

/// Reads an array's members, one per repetition, by `read`. None of a text of more than kMostBytes.
template <class T, class Read>
std::optional<std::vector<T>> read_repetitions(std::string_view json, const Read& read) {
  if (json.size() > kMostBytes) return std::nullopt;
  dom::parser parser;
  dom::element document;
  if (parser.parse(json.data(), json.size()).get(document) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  std::vector<T> repetitions;
  const auto add = [&](const dom::element& member) {
    dom::object object;
    repetitions.push_back(member.get(object) == simdjson::SUCCESS ? read(object) : T());
  };
  dom::array array;
  if (document.get(array) == simdjson::SUCCESS) {
    for (const dom::element member : array) add(member);
  } else if (document.is_object()) {
    add(document);
  } else {
    return std::nullopt;
  }
  return repetitions;
}

}  // namespace

std::optional<std::vector<schema::DynamoCounters>> read_dynamo_counters(std::string_view json) {
  return read_repetitions<schema::DynamoCounters>(json, counters_of);
}

std::optional<std::vector<std::vector<OperationTimes>>> read_operation_times(
    std::string_view json) {
  return read_repetitions<std::vector<OperationTimes>>(json, operations_of);
}

}  // namespace benchhud::analysis
