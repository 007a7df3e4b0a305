// What XPlane's events and planes say of operators, kernels and devices, by the names of their
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/xplane/xplane_args.h"
#include "ingest/xplane/xplane_wire.h"
#include "trace/xla_profile.h"

namespace benchhud::ingest {

/// Of one event. Values are those of its kind where it has none itself: read both, the kind's
/// first. Pointers lead to the values that were read.
struct XplaneOpFacts {
  std::optional<std::int64_t> program, symbol;
  std::optional<std::int64_t> flops, bytes;  ///< of one execution, not below 0
  std::optional<std::int64_t> device_offset_ps, device_duration_ps;
  std::optional<double> occupancy_pct;
  const XplaneStat* op = nullptr;
  const XplaneStat* module = nullptr;
  const XplaneStat* category = nullptr;
  const XplaneStat* framework_op = nullptr;
  const XplaneStat* annotation = nullptr;
  const XplaneStat* source = nullptr;
  const XplaneStat* memory_access = nullptr;
  const XplaneStat* kernel_details = nullptr;
};
/// Whether any of the values says which operator it is (program, symbol, name, module).
bool read_op_facts(const std::vector<XplaneStat>& stats, XplaneStatNames* names,
                   XplaneOpFacts* facts);

/// The cost of one execution.
trace::XlaCost xplane_cost(const XplaneOpFacts& facts);

/// The last part of "a::b", which is how XLA writes where a GPU's operator is.
std::string_view last_part_of_op(std::string_view path);

/// "regs:12 static_shared:0 dynamic_shared:0 grid:3,1,1 block:128,1,1 occ_pct:100", in any order;
/// ROCm writes group_mem for shared memory. What it does not say is none, or "".
struct XplaneKernelDetails {
  std::optional<std::int64_t> registers, static_shared, dynamic_shared;
  std::optional<double> occupancy_pct;
  std::string_view grid, block;
};
XplaneKernelDetails read_kernel_details(std::string_view text);

/// What a device can do at most, as its plane's values say.
trace::XlaPeaks read_xplane_peaks(const XplanePlane& plane);

/// A module's name and program, of "jit_f(12190760917235803885)".
struct XplaneModuleName {
  std::string_view name;
  std::optional<std::uint64_t> program;
};
XplaneModuleName read_module_name(std::string_view text);

}  // namespace benchhud::ingest
