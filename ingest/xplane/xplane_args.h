// Values of XPlane's events as the JSON that benchhud keeps arguments in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/xplane/xplane_wire.h"

namespace benchhud::ingest {

/// What a value means to a reader of traces; its name says it.
enum class XplaneRole : std::uint8_t {
  kNone,
  kCorrelation,  ///< correlation_id: of a launch and what it launched
  kProducerType,
  kProducerId,  ///< _pt, _p
  kConsumerType,
  kConsumerId,  ///< _ct, _c
  kFlow,        ///< flow: direction, id and category in one number
  kAsync,       ///< _a
  kMemcpy,
  kMemset,
  kGpuMemory,  ///< details of what a GPU did that is no kernel
  kDropped,    ///< dropped_traces
  kAllocator,
  kHloCategory,  ///< hlo_category: what XLA says that an operator does
  kDevice,       ///< whose memory
  kMemoryLevel,  ///< bytes_allocated, bytes_reserved
  kMemoryFree,   ///< bytes_available
  kMemoryPeak,   ///< peak_bytes_in_use
  kProgram,      ///< program_id
  kSymbol,       ///< symbol_id: of an operator within its program
  kHloOp,
  kHloModule,
  kFrameworkOp,   ///< tf_op
  kAnnotation,    ///< name: of what the program annotated a GPU's kernel with
  kSource,        ///< source: file and line
  kFlops,         ///< flops: of one execution
  kBytes,         ///< bytes_accessed: of one execution
  kMemoryAccess,  ///< memory_access_breakdown: these bytes by memory
  kDeviceOffset,
  kDeviceDuration,  ///< device_offset_ps, device_duration_ps: by the device's own clock
  kKernelDetails,
  kOccupancy,  ///< theoretical_occupancy_pct
  kRunId,      ///< run_id: of a module's run and its launch
  kQueueId,
  kCoreType,
  kStepNumber,  ///< step_num
  kRoot,        ///< _r: of a step that the program annotated
};

/// The names of one plane's values.
class XplaneStatNames {
 public:
  explicit XplaneStatNames(const XplanePlane& plane) : plane_(plane) {}

  XplaneRole role(const XplaneStat& stat) { return entry(stat).role; }
  /// "stat 8" where the plane does not name it.
  std::string_view name(const XplaneStat& stat) { return entry(stat).name; }
  /// The text of a kText or kName; "" of others.
  std::string_view text(const XplaneStat& stat) const;
  /// Appends name and value as a member of an object, with a comma behind. Integers beyond 2^53,
  /// which many readers of JSON would round, become texts; of bytes there is only the length, as of
  /// a compressed text that is damaged or longer than 1 MiB or 64 times what it is compressed to; a
  /// name that is missing is null. Where there is 1 MiB of members already, none is appended.
  void write(const XplaneStat& stat, std::string* members);
  /// The same with a number as a text.
  void write_as_text(const XplaneStat& stat, std::string* members);
  /// Appends how many values are not among the members, these and those that were not appended
  /// since the last call.
  void write_left_out(std::size_t others, std::string* members);
  /// Names that were asked for.
  std::size_t count() const { return entries_.size(); }

 private:
  static constexpr std::size_t kMostMembers = std::size_t{1} << 20;  // bytes

  struct Entry {
    std::string name;
    std::string key;  // in quotes, with its colon
    XplaneRole role = XplaneRole::kNone;
  };
  const Entry& entry(const XplaneStat& stat);

  const XplanePlane& plane_;
  std::size_t left_out_ = 0;
  XplaneIds<Entry> entries_;  // those that were asked for
};

/// Appends a member as XplaneStatNames::write() does; `name` is plain ASCII.
void write_xplane_member(std::string_view name, std::string_view text, std::string* members);
/// The object of such members; "" if there are none.
void finish_xplane_object(std::string* members);

/// An integer's bits as they are written: as a signed number or not.
std::string xplane_number_text(const XplaneStat& stat);

}  // namespace benchhud::ingest
