// The bytes of a profile: a version, the lists of XlaProfile in its order, each as its length and
// its rows, then its numbers. Before a number that the file may not say is 1, or 0 alone; texts are
// numbers of the trace's.
#include "trace/xla_profile.h"

#include <limits>

#include "schema/base/column_codec.h"

namespace benchhud::trace {

using schema::ColumnReader;
using schema::ColumnWriter;

namespace {

constexpr std::uint64_t kVersion = 1;
// Its lists are bounded: this is more than all of them take.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Writing and reading are one description of the rows: `Bytes` is either.
class ProfileWriter {
 public:
  void number(const std::int64_t& value) { bytes_.put_signed(value); }
  void number(const std::uint32_t& value) { bytes_.put(value); }
  void text(const std::uint32_t& value) { bytes_.put(value); }
  void text(const std::string& value) {
    bytes_.put(value.size());
    bytes_.put_bytes(value);
  }
  void real(const double& value) { bytes_.put_double(value); }
  void is_there(const bool& value) { bytes_.put(value ? 1 : 0); }
  template <class Rows, class OfRow>
  void rows(const Rows& rows, std::size_t /*most*/, const OfRow& of_row) {
    bytes_.put(rows.size());
    for (const auto& row : rows) of_row(*this, row);
  }
  const std::string& bytes() const { return bytes_.bytes(); }

 private:
  ColumnWriter bytes_;
};

class ProfileReader {
 public:
  ProfileReader(std::string_view bytes, std::size_t texts) : bytes_(bytes), texts_(texts) {}

  void number(std::int64_t& value) { value = bytes_.get_signed(); }
  void number(std::uint32_t& value) { value = bytes_.get_small(); }
  void text(std::uint32_t& value) {
    value = bytes_.get_small();
    if (value >= texts_) bytes_.fail();
  }
  void text(std::string& value) { value = bytes_.get_bytes(bytes_.get_count()); }
  void real(double& value) { value = bytes_.get_double(); }
  void is_there(bool& value) { value = bytes_.get() != 0; }
  template <class Rows, class OfRow>
  void rows(Rows& rows, std::size_t most, const OfRow& of_row) {
    const std::size_t count = bytes_.get_count();
    if (count > most) return bytes_.fail();
    rows.resize(count);
    for (auto& row : rows) {
      if (bytes_.is_ok()) of_row(*this, row);
    }
  }
  ColumnReader& bytes() { return bytes_; }

 private:
  ColumnReader bytes_;
  const std::size_t texts_;
};

template <class Bytes, class Number>
void optional(Bytes& bytes, Number& value) {
  bool has_value = value.has_value();
  bytes.is_there(has_value);
  if (!has_value) return;
  if constexpr (std::is_const_v<Number>) {
    if constexpr (std::is_same_v<Number, const std::optional<double>>) {
      bytes.real(*value);
    } else {
      bytes.number(static_cast<std::int64_t>(*value));
    }
  } else if constexpr (std::is_same_v<Number, std::optional<double>>) {
    bytes.real(value.emplace());
  } else {
    std::int64_t number = 0;
    bytes.number(number);
    value = static_cast<typename Number::value_type>(number);
  }
}

template <class Bytes, class Cost>
void put_cost(Bytes& bytes, Cost& cost) {
  for (auto* number : {&cost.flops, &cost.flops_stated, &cost.bytes, &cost.bytes_stated}) {
    bytes.number(*number);
  }
  for (auto& memory : cost.memory) bytes.number(memory);
}

template <class Bytes, class Device>
void put_device(Bytes& bytes, Device& device) {
  bytes.text(device.name);
  if constexpr (std::is_const_v<Device>) {
    bytes.number(static_cast<std::uint32_t>(device.kind));
  } else {
    std::uint32_t kind = 0;
    bytes.number(kind);
    if (kind > static_cast<std::uint32_t>(XlaDevice::Kind::kCpu)) bytes.bytes().fail();
    device.kind = static_cast<XlaDevice::Kind>(kind);
  }
  bytes.real(device.peaks.flops_per_s);
  for (auto& peak : device.peaks.bytes_per_s) bytes.real(peak);
  for (auto* number : {&device.span_ps, &device.busy_ps, &device.left_out, &device.left_out_ps}) {
    bytes.number(*number);
  }
}

template <class Bytes, class Profile>
void put_lists(Bytes& bytes, Profile& profile) {
  bytes.rows(profile.devices, XlaProfile::kMostDevices,
             [](auto& to, auto& row) { put_device(to, row); });
  bytes.rows(profile.operators, XlaProfile::kMostOperators, [](auto& to, auto& row) {
    to.number(row.device);
    for (auto* text : {&row.name, &row.category, &row.framework_op, &row.module, &row.source}) {
      to.text(*text);
    }
    optional(to, row.program);
    for (auto* number : {&row.occurrences, &row.kernels, &row.time_ps, &row.self_ps}) {
      to.number(*number);
    }
    put_cost(to, row.cost);
  });
  bytes.rows(profile.kernels, XlaProfile::kMostKernels, [](auto& to, auto& row) {
    to.number(row.device);
    for (auto* text : {&row.name, &row.op, &row.module, &row.grid, &row.block}) to.text(*text);
    for (auto* number : {&row.registers, &row.static_shared, &row.dynamic_shared}) {
      optional(to, *number);
    }
    optional(to, row.occupancy_pct);
    for (auto* number : {&row.count, &row.total_ps, &row.min_ps, &row.max_ps}) to.number(*number);
  });
  bytes.rows(profile.modules, XlaProfile::kMostModules, [](auto& to, auto& row) {
    to.number(row.device);
    to.text(row.name);
    optional(to, row.program);
    for (auto* number : {&row.runs, &row.total_ps, &row.min_ps, &row.max_ps}) to.number(*number);
  });
  bytes.rows(profile.runs, XlaProfile::kMostRuns, [](auto& to, auto& row) {
    to.number(row.module);
    to.number(row.begin);
    to.number(row.end);
  });
  bytes.rows(profile.steps, XlaProfile::kMostSteps, [](auto& to, auto& row) {
    to.text(row.name);
    to.number(row.thread);
    optional(to, row.number);
    to.number(row.begin);
    to.number(row.end);
  });
  bytes.rows(profile.allocators, XlaProfile::kMostAllocators, [](auto& to, auto& row) {
    to.text(row.name);
    to.number(row.allocations);
    to.number(row.deallocations);
    for (auto* number :
         {&row.peak_bytes, &row.peak_time, &row.lifetime_peak_bytes, &row.capacity_bytes}) {
      optional(to, *number);
    }
  });
  for (auto* number :
       {&profile.devices_left_out, &profile.kernels_left_out, &profile.modules_left_out,
        &profile.runs_left_out, &profile.steps_left_out, &profile.allocators_left_out,
        &profile.linked_runs, &profile.runs_without_launch, &profile.launches_without_run,
        &profile.dropped_events}) {
    bytes.number(*number);
  }
}

// Whether every row belongs to a device, and every run to a module, that is there.
bool is_whole(const XlaProfile& profile) {
  const auto has_device = [&](const auto& rows) {
    for (const auto& row : rows) {
      if (row.device >= profile.devices.size()) return false;
    }
    return true;
  };
  for (const XlaRun& run : profile.runs) {
    if (run.module >= profile.modules.size()) return false;
  }
  return has_device(profile.operators) && has_device(profile.kernels) &&
         has_device(profile.modules);
}

}  // namespace

void XlaCost::add(const XlaCost& other) {
  flops = saturated_sum(flops, other.flops);
  flops_stated = saturated_sum(flops_stated, other.flops_stated);
  bytes = saturated_sum(bytes, other.bytes);
  bytes_stated = saturated_sum(bytes_stated, other.bytes_stated);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = saturated_sum(memory[i], other.memory[i]);
  }
}

std::optional<double> known_occupancy(std::optional<double> percent) {
  constexpr double kAll = 100;
  return percent && *percent > 0 && *percent <= kAll ? percent : std::nullopt;
}

std::string encode_xla_profile(const XlaProfile& profile) {
  ProfileWriter writer;
  writer.number(std::int64_t{kVersion});
  put_lists(writer, profile);
  return schema::compress(writer.bytes());
}

schema::Expected<XlaProfile> decode_xla_profile(std::string_view frame, std::size_t texts) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(frame, kMostBytes));
  ProfileReader reader(bytes, texts);
  std::int64_t version = 0;
  reader.number(version);
  XlaProfile profile;
  put_lists(reader, profile);
  if (version != std::int64_t{kVersion} || !reader.bytes().is_done() || !is_whole(profile)) {
    return schema::corrupt_trace("XLA profile");
  }
  return profile;
}

}  // namespace benchhud::trace
