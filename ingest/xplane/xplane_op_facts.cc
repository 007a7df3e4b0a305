#include "ingest/xplane/xplane_op_facts.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace benchhud::ingest {

using trace::XlaMemory;
using trace::XlaPeaks;
using Role = XplaneRole;
using StatKind = XplaneStat::Kind;

namespace {

using namespace std::string_view_literals;

// A number that is an integer, not below 0; writers differ in whether it is signed, or a double.
std::optional<std::int64_t> op_amount(const XplaneStat& stat) {
  constexpr double kMost = 9.2e18;  // below 2^63
  if (stat.kind == StatKind::kDouble) {
    if (!(stat.real >= 0 && stat.real <= kMost)) return std::nullopt;
    return static_cast<std::int64_t>(stat.real);
  }
  const auto number = xplane_integer(stat);
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<double> op_real(const XplaneStat& stat) {
  double number = 0;
  if (stat.kind == StatKind::kDouble) {
    number = stat.real;
  } else if (stat.kind == StatKind::kUnsigned) {
    number = static_cast<double>(stat.number);
  } else if (stat.kind == StatKind::kSigned) {
    number = static_cast<double>(static_cast<std::int64_t>(stat.number));
  } else {
    return std::nullopt;
  }
  return std::isfinite(number) && number >= 0 ? std::optional(number) : std::nullopt;
}

template <class Number>
std::optional<Number> op_parsed(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && behind == end ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> op_amount_within(std::string_view text, std::int64_t most) {
  const auto number = op_parsed<std::int64_t>(text);
  return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

void set_op_fact(std::optional<std::int64_t> value, std::optional<std::int64_t>* fact) {
  if (value) *fact = value;
}

}  // namespace

bool read_op_facts(const std::vector<XplaneStat>& stats, XplaneStatNames* names,
                   XplaneOpFacts* facts) {
  bool names_op = false;
  for (const XplaneStat& stat : stats) {
    switch (names->role(stat)) {
      case Role::kProgram:
        set_op_fact(xplane_integer(stat), &facts->program);
        names_op = true;
        break;
      case Role::kSymbol:
        set_op_fact(xplane_integer(stat), &facts->symbol);
        names_op = true;
        break;
      case Role::kHloOp:
        facts->op = &stat;
        names_op = true;
        break;
      case Role::kHloModule:
        facts->module = &stat;
        names_op = true;
        break;
      case Role::kHloCategory:
        facts->category = &stat;
        break;
      case Role::kFrameworkOp:
        facts->framework_op = &stat;
        break;
      case Role::kAnnotation:
        facts->annotation = &stat;
        break;
      case Role::kSource:
        facts->source = &stat;
        break;
      case Role::kFlops:
        set_op_fact(op_amount(stat), &facts->flops);
        break;
      case Role::kBytes:
        set_op_fact(op_amount(stat), &facts->bytes);
        break;
      case Role::kMemoryAccess:
        facts->memory_access = &stat;
        break;
      case Role::kDeviceOffset:
        set_op_fact(xplane_integer(stat), &facts->device_offset_ps);
        break;
      case Role::kDeviceDuration:
        set_op_fact(op_amount(stat), &facts->device_duration_ps);
        break;
      case Role::kKernelDetails:
        facts->kernel_details = &stat;
        break;
      case Role::kOccupancy:
        facts->occupancy_pct = trace::known_occupancy(op_real(stat));
        break;
      default:
        break;
    }
  }
  return names_op;
}

trace::XlaCost xplane_cost(const XplaneOpFacts& facts) {
  constexpr std::int64_t kWrite = 2;
  constexpr std::int64_t kHbm = 1, kCmem = 2, kVmem = 3;
  trace::XlaCost cost;
  const auto add = [&](XlaMemory memory, std::int64_t bytes) {
    std::int64_t& sum = cost.memory[static_cast<std::size_t>(memory)];
    if (bytes > 0) sum = trace::saturated_sum(sum, bytes);
  };
  if (facts.flops) {
    cost.flops = *facts.flops;
    cost.flops_stated = 1;
  }
  if (facts.bytes) {
    cost.bytes = *facts.bytes;
    cost.bytes_stated = 1;
  }
  if (facts.memory_access == nullptr) {
    add(XlaMemory::kHbm, cost.bytes);
    return cost;
  }
  for (const XplaneMemoryAccess& access : read_memory_accesses(facts.memory_access->bytes)) {
    const bool is_write = access.operation == kWrite;
    if (access.memory == kHbm) add(XlaMemory::kHbm, access.bytes);
    if (access.memory == kCmem) {
      add(is_write ? XlaMemory::kCmemWrite : XlaMemory::kCmemRead, access.bytes);
    }
    if (access.memory == kVmem) {
      add(is_write ? XlaMemory::kVmemWrite : XlaMemory::kVmemRead, access.bytes);
    }
  }
  return cost;
}

std::string_view last_part_of_op(std::string_view path) {
  const std::size_t at = path.rfind("::");
  return at == path.npos ? path : path.substr(at + 2);
}

XplaneKernelDetails read_kernel_details(std::string_view text) {
  constexpr std::int64_t kMostShared = std::numeric_limits<std::int64_t>::max();
  XplaneKernelDetails details;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == text.npos ? text.size() : space + 1);
    const std::size_t colon = word.find(':');
    if (colon == word.npos) continue;
    const std::string_view key = word.substr(0, colon), value = word.substr(colon + 1);
    if (key == "regs") {
      details.registers = op_amount_within(value, trace::XlaKernel::kMostRegisters);
    }
    if (key == "static_shared" || key == "group_mem") {
      details.static_shared = op_amount_within(value, kMostShared);
    }
    if (key == "dynamic_shared") details.dynamic_shared = op_amount_within(value, kMostShared);
    if (key == "occ_pct") details.occupancy_pct = trace::known_occupancy(op_parsed<double>(value));
    if (key == "grid") details.grid = value;
    if (key == "block") details.block = value;
  }
  return details;
}

XlaPeaks read_xplane_peaks(const XplanePlane& plane) {
  constexpr double kTera = 1e12, kGiga = 1e9;
  XlaPeaks peaks;
  const auto memory = [&](XlaMemory which) -> double* {
    return &peaks.bytes_per_s[static_cast<std::size_t>(which)];
  };
  struct Peak {
    std::string_view name;
    double* value;
    double factor;
  };
  const std::array known = {
      Peak{"peak_teraflops_per_second", &peaks.flops_per_s, kTera},
      Peak{"peak_hbm_bw_gigabytes_per_second", memory(XlaMemory::kHbm), kGiga},
      Peak{"memory_bandwidth", memory(XlaMemory::kHbm), 1},
      Peak{"peak_cmem_rd_bw_gigabytes_per_second", memory(XlaMemory::kCmemRead), kGiga},
      Peak{"peak_cmem_wr_bw_gigabytes_per_second", memory(XlaMemory::kCmemWrite), kGiga},
      Peak{"peak_vmem_rd_bw_gigabytes_per_second", memory(XlaMemory::kVmemRead), kGiga},
      Peak{"peak_vmem_wr_bw_gigabytes_per_second", memory(XlaMemory::kVmemWrite), kGiga},
  };
  for (const XplaneStat& stat : plane.stats) {
    const auto name = plane.stat_names.find(stat.metadata_id);
    if (name == plane.stat_names.end()) continue;
    for (const Peak& peak : known) {
      if (name->second != peak.name) continue;
      const double value = op_real(stat).value_or(0) * peak.factor;
      *peak.value = std::isfinite(value) ? value : 0;
    }
  }
  return peaks;
}

XplaneModuleName read_module_name(std::string_view text) {
  const std::size_t open = text.rfind('(');
  if (open == text.npos || !text.ends_with(')')) return {text, {}};
  const std::string_view number = text.substr(open + 1, text.size() - open - 2);
  if (const auto program = op_parsed<std::uint64_t>(number)) return {text.substr(0, open), program};
  // Some writers print the number as a signed one.
  const auto as_signed = op_parsed<std::int64_t>(number);
  if (!as_signed) return {text, {}};
  return {text.substr(0, open), static_cast<std::uint64_t>(*as_signed)};
}

}  // namespace benchhud::ingest
