// What a dump adds up, as sections of named amounts, so that two dumps of one kind can be compared
// whatever they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/profile_diff.h"
#include "analysis/trace/trace_report.h"
#include "schema/model/compile_times.h"
#include "schema/model/ir.h"
#include "schema/model/profile.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// What the amounts of a section are.
enum class ProfileUnit : std::uint8_t { kCount, kNs, kBytes };

/// "count", "ns", "bytes".
std::string_view unit_name(ProfileUnit unit);

/// Something that a dump adds up.
struct ProfileSection {
  std::string of;  ///< "self CPU time", "counters"
  ProfileUnit unit = ProfileUnit::kCount;
  std::vector<ProfileItem> items;
  std::optional<double> total;  ///< where the dump states one
  /// Items contain each other, or are unlike: they do not add up to the total where one is stated,
  /// leave no rest of it, and have no total where none is.
  bool overlaps = false;
  ProfileItem rest = {};  ///< without a name: the sum of what is not among the items
  /// Names of items whose amount the dump does not say: they are no zeros.
  std::vector<std::string> unknown = {};
};

/// The mean of the tables (a repetition each): self time on the CPU and, where there is one, on the
/// device, a section each, with calls; the totals are the tables' own. The CPU's is of operators.
/// The device's is of what ran on it (kernels, copies), whose time is in the rows of the operators
/// that launched it as well; of operators where a table has no rows for the former.
std::vector<ProfileSection> profile_sections(const std::vector<schema::OperatorTable>& tables);
/// Times of metrics with their samples, sizes of metrics, other metrics, counters. Metrics contain
/// each other (TensorToData waits for TransferToDeviceTime; ExecuteTime counts the wait of each
/// queued execution), so they have no total.
std::vector<ProfileSection> profile_sections(const schema::MetricsReport& report);
/// Each counter as "group: name".
std::vector<ProfileSection> profile_sections(const schema::DynamoCounters& counters);
/// What compiled_regions() and device_activity() count; self times by name, on the host and on the
/// device.
std::vector<ProfileSection> profile_sections(const trace::Trace& trace);
/// The same of a trace whose report is made, with the `most` longest self times.
std::vector<ProfileSection> profile_sections(const trace::Trace& trace,
                                             const trace::TraceNesting& nesting,
                                             const TraceReport& report, std::size_t most);
/// Each function's time with its calls. Functions contain each other: the total is that of the
/// outermost, dynamo's compilation of a frame and of its backward graph, else that of the longest.
std::vector<ProfileSection> profile_sections(const schema::CompileTimes& times);
/// Counts of modules, computations and instructions; modules by name, without the number at its end
/// that says no more than how large the graph is ("IrToHlo.129" is "IrToHlo"); operations, fusion
/// kinds, convolutions and dots by shape, and custom calls, summed over the modules; bytes of
/// parameters by module name.
std::vector<ProfileSection> profile_sections(const std::vector<schema::IrModule>& modules);

/// Adds what another dump of the same kind adds up, section by section.
void add_sections(std::vector<ProfileSection> more, std::vector<ProfileSection>* sum);

/// What differs between two sections of one name.
struct SectionDifference {
  std::string of;
  ProfileUnit unit = ProfileUnit::kCount;
  /// Without one the totals and the shares mean nothing: each change stands for itself.
  bool has_total = true;
  /// Only one of the two has the section, so that all its items appeared or went with it.
  bool is_one_sided = false;
  ProfileDifference difference;
};

/// Pairs the sections of two dumps of one kind by name, in the order of `before`, then of `after`.
/// One of the two may lack a section (a night without a device): all of the other's appeared or
/// went. Sections without items on either side are left out. Stated totals count where both sides
/// have one. An item that is unknown on one side is left out.
std::vector<SectionDifference> compare_sections(const std::vector<ProfileSection>& before,
                                                const std::vector<ProfileSection>& after);

}  // namespace benchhud::analysis
