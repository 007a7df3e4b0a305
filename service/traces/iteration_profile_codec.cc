// The bytes of an IterationProfile (numbers as ColumnWriter writes them; a text is its length and
// its bytes; what may be none is 1 and itself, or 0):
//   found_by; count and length, signed
//   of each part: time or none, with_overlap or none, unknown
//   busy or none, busy_unknown
//   operators: where; number of rows, then of each, of `rest` and of `without_operator`: name, time
//     and count, signed; unknown; total, in_iterations and
//     device_count, signed; names_triton_kernels, 1 or 0
//   top_class; top_share, a double; compiling or none; peak_memory and peak_reserved, each or none;
//     peak_memory_of, 0: none, else one more than its number
//   memory: number of devices, then of each: type, number, allocations and deallocations, signed;
//     peak_allocated, peak_time and peak_reserved, each or none; events_left_out, signed
//   number of iterations, then of each: begin and duration, signed; each part or none; busy or none
#include "service/traces/iteration_profile_codec.h"

#include <cstdint>
#include <optional>

namespace benchhud::service {

using analysis::FrameworkOperator;
using analysis::FrameworkOperators;
using analysis::IterationProfile;
using analysis::IterationTimes;
using trace::DeviceMemory;
using trace::MemoryByDevice;

namespace {

void put_optional(schema::ColumnWriter& bytes, const std::optional<std::int64_t>& number) {
  bytes.put(number ? 1 : 0);
  if (number) bytes.put_signed(*number);
}

std::optional<std::int64_t> get_optional(schema::ColumnReader& bytes) {
  if (bytes.get() == 0) return std::nullopt;
  return bytes.get_signed();
}

void put_operator(schema::ColumnWriter& bytes, const FrameworkOperator& row) {
  put_text(bytes, row.name);
  bytes.put_signed(row.time);
  bytes.put_signed(row.count);
}

FrameworkOperator get_operator(schema::ColumnReader& bytes) {
  FrameworkOperator row;
  row.name = get_text(bytes);
  row.time = bytes.get_signed();
  row.count = bytes.get_signed();
  return row;
}

void put_operators(schema::ColumnWriter& bytes, const FrameworkOperators& operators) {
  bytes.put(static_cast<std::uint64_t>(operators.where));
  bytes.put(operators.rows.size());
  for (const FrameworkOperator& row : operators.rows) put_operator(bytes, row);
  put_operator(bytes, operators.rest);
  put_operator(bytes, operators.without_operator);
  put_text(bytes, operators.unknown);
  bytes.put_signed(operators.total);
  bytes.put_signed(operators.in_iterations);
  bytes.put_signed(operators.device_count);
  bytes.put(operators.names_triton_kernels ? 1 : 0);
}

FrameworkOperators get_operators(schema::ColumnReader& bytes) {
  FrameworkOperators operators;
  const std::uint64_t where = bytes.get();
  if (where > static_cast<std::uint64_t>(FrameworkOperators::Where::kHost)) {
    bytes.fail();
    return operators;
  }
  operators.where = static_cast<FrameworkOperators::Where>(where);
  const std::size_t count = bytes.get_count();
  for (std::size_t i = 0; i < count && bytes.is_ok(); ++i) {
    operators.rows.push_back(get_operator(bytes));
  }
  operators.rest = get_operator(bytes);
  operators.without_operator = get_operator(bytes);
  operators.unknown = get_text(bytes);
  operators.total = bytes.get_signed();
  operators.in_iterations = bytes.get_signed();
  operators.device_count = bytes.get_signed();
  operators.names_triton_kernels = bytes.get() != 0;
  return operators;
}

void put_memory(schema::ColumnWriter& bytes, const MemoryByDevice& memory) {
  bytes.put(memory.devices.size());
  for (const DeviceMemory& one : memory.devices) {
    for (const std::int64_t number : {one.type, one.number, one.allocations, one.deallocations}) {
      bytes.put_signed(number);
    }
    put_optional(bytes, one.peak_allocated);
    put_optional(bytes, one.peak_time);
    put_optional(bytes, one.peak_reserved);
  }
  bytes.put_signed(memory.events_left_out);
}

MemoryByDevice get_memory(schema::ColumnReader& bytes) {
  MemoryByDevice memory;
  const std::size_t count = bytes.get_count();
  if (count > MemoryByDevice::kMostDevices) bytes.fail();
  for (std::size_t i = 0; i < count && bytes.is_ok(); ++i) {
    DeviceMemory& one = memory.devices.emplace_back();
    for (std::int64_t* number : {&one.type, &one.number, &one.allocations, &one.deallocations}) {
      *number = bytes.get_signed();
    }
    one.peak_allocated = get_optional(bytes);
    one.peak_time = get_optional(bytes);
    one.peak_reserved = get_optional(bytes);
  }
  memory.events_left_out = bytes.get_signed();
  return memory;
}

}  // namespace

void put_text(schema::ColumnWriter& bytes, std::string_view text) {
  bytes.put(text.size());
  bytes.put_bytes(text);
}

std::string get_text(schema::ColumnReader& bytes) {
  const std::size_t size = bytes.get_count();
  return std::string(bytes.get_bytes(size));
}

void put_iteration_profile(schema::ColumnWriter& bytes, const IterationProfile& profile) {
  put_text(bytes, profile.found_by);
  bytes.put_signed(profile.count);
  bytes.put_signed(profile.length);
  for (const analysis::IterationPartTime& part : profile.parts) {
    put_optional(bytes, part.time);
    put_optional(bytes, part.with_overlap);
    put_text(bytes, part.unknown);
  }
  put_optional(bytes, profile.busy);
  put_text(bytes, profile.busy_unknown);
  put_operators(bytes, profile.operators);
  put_text(bytes, profile.top_class);
  bytes.put_double(profile.top_share);
  put_optional(bytes, profile.compiling);
  put_optional(bytes, profile.peak_memory);
  put_optional(bytes, profile.peak_reserved);
  bytes.put(profile.peak_memory_of ? static_cast<std::uint64_t>(*profile.peak_memory_of) + 1 : 0);
  put_memory(bytes, profile.memory);
  bytes.put(profile.iterations.size());
  for (const IterationTimes& one : profile.iterations) {
    bytes.put_signed(one.begin);
    bytes.put_signed(one.duration);
    for (const auto& part : one.parts) put_optional(bytes, part);
    put_optional(bytes, one.busy);
  }
}

IterationProfile get_iteration_profile(schema::ColumnReader& bytes) {
  IterationProfile profile;
  profile.found_by = get_text(bytes);
  profile.count = bytes.get_signed();
  profile.length = bytes.get_signed();
  for (analysis::IterationPartTime& part : profile.parts) {
    part.time = get_optional(bytes);
    part.with_overlap = get_optional(bytes);
    part.unknown = get_text(bytes);
  }
  profile.busy = get_optional(bytes);
  profile.busy_unknown = get_text(bytes);
  profile.operators = get_operators(bytes);
  profile.top_class = get_text(bytes);
  profile.top_share = bytes.get_double();
  profile.compiling = get_optional(bytes);
  profile.peak_memory = get_optional(bytes);
  profile.peak_reserved = get_optional(bytes);
  const std::uint64_t of = bytes.get();
  if (of > analysis::kPeakMemoryKinds) bytes.fail();
  if (of > 0 && bytes.is_ok()) {
    profile.peak_memory_of = static_cast<analysis::PeakMemoryOf>(of - 1);
  }
  profile.memory = get_memory(bytes);
  const std::size_t iterations = bytes.get_count();
  for (std::size_t i = 0; i < iterations && bytes.is_ok(); ++i) {
    IterationTimes& one = profile.iterations.emplace_back();
    one.begin = bytes.get_signed();
    one.duration = bytes.get_signed();
    for (auto& part : one.parts) part = get_optional(bytes);
    one.busy = get_optional(bytes);
  }
  return profile;
}

}  // namespace benchhud::service
