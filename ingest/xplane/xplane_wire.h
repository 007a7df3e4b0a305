// Decodes XSpace, the protocol buffer that XLA's profiler writes (*.xplane.pb), as a sequence of
// calls. Field numbers are those of tsl/profiler/protobuf/xplane.proto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace benchhud::ingest {

/// XStat: a named value of an event, of a kind of events or of a plane. The name is that of
/// XplanePlane::stat_names.
struct XplaneStat {
  enum class Kind : std::uint8_t {
    kNone,
    kDouble,
    kUnsigned,
    kSigned,
    kText,
    kBytes,
    kName,
    kGzip
  };
  std::int64_t metadata_id = 0;
  Kind kind = Kind::kNone;
  double real = 0;           ///< kDouble
  std::uint64_t number = 0;  ///< kUnsigned; kSigned in two's complement; kName: a metadata id
  std::string_view bytes;    ///< kText, kBytes, kGzip (a compressed text)
};

/// Values of an event, a kind or a plane that are kept; a plane of call stacks has one for each.
inline constexpr std::size_t kMostXplaneValues = 10'000;

/// Its number, where its value is an integer.
std::optional<std::int64_t> xplane_integer(const XplaneStat& stat);

/// Of ids that a file is free to choose: another one in each process, so that no file is made of
/// ids that collide.
struct XplaneIdHash {
  std::size_t operator()(std::int64_t id) const;
};
template <class T>
using XplaneIds = std::unordered_map<std::int64_t, T, XplaneIdHash>;

/// XEventMetadata: what the events of one kind have in common.
struct XplaneKind {
  std::string_view name, display_name;
  std::size_t metadata_bytes = 0;
  std::vector<XplaneStat> stats;
  std::size_t values_left_out = 0;
};

/// XPlane without its lines.
struct XplanePlane {
  std::int64_t id = 0;
  std::string_view name;
  std::size_t lines = 0;
  /// The XEventMetadata messages by the ids that events have, for read_xplane_kind().
  XplaneIds<std::string_view> kinds;
  XplaneIds<std::string_view> stat_names;
  std::vector<XplaneStat> stats;
  std::size_t values_left_out = 0;
  std::int64_t place = 0;  ///< byte offset of its content in the file
};

/// XLine without its events.
struct XplaneLine {
  std::int64_t id = 0, timestamp_ns = 0;
  std::int64_t display_id = 0;  ///< 0: none
  std::string_view name, display_name;
};

/// XEvent.
struct XplaneEvent {
  std::int64_t metadata_id = 0;
  std::int64_t offset_ps = 0, duration_ps = 0;
  /// Set where the event stands for so many that were added up: it has no place in time then.
  std::optional<std::int64_t> occurrences;
  std::vector<XplaneStat> stats;
  std::size_t values_left_out = 0;
  std::int64_t place = 0;  ///< byte offset of its content in the file
};

/// Receives what a file holds. All texts live as long as the file's bytes, lines and events until
/// the call returns.
class XplaneVisitor {
 public:
  virtual ~XplaneVisitor() = default;
  /// Lives until on_plane_end(); its lines and their events come between the two.
  virtual void on_plane(const XplanePlane& plane) = 0;
  virtual void on_plane_end() = 0;
  virtual void on_line(const XplaneLine& line) = 0;
  virtual void on_event(const XplaneEvent& event) = 0;
  /// An event that cannot be decoded; those around it can.
  virtual void on_broken_event(std::int64_t place, std::string_view reason) = 0;
  /// The rest of a line or a plane, a plane, or the rest of the file cannot be decoded.
  virtual void on_broken(std::int64_t place, std::string_view reason) = 0;
  virtual void on_host_name(std::string_view name) = 0;
  /// What the profiler itself reports, as a warning or an error.
  virtual void on_message(std::int64_t place, std::string_view text) = 0;
};

/// Decodes a file's bytes in two passes over each plane: names stand behind the events that need
/// them. Damage is reported and costs what it is in, an event, else the rest of its line, else of
/// its plane; what is behind a length that runs out cannot be found. Memory holds one plane's names
/// and lines, 16 bytes of each line, and one event. Returns whether any plane could be decoded.
bool read_xspace(std::string_view bytes, XplaneVisitor* visitor);

/// Decodes an XEventMetadata as far as it can be.
XplaneKind read_xplane_kind(std::string_view message);

/// An entry of the value `memory_access_breakdown` (xprof's OpMetrics.MemoryAccessed): what one
/// execution of an operator reads or writes in one memory.
struct XplaneMemoryAccess {
  std::int64_t operation = 0;  ///< 1: it reads, 2: it writes
  std::int64_t memory = 0;     ///< 1 HBM, 2 CMEM, 3 VMEM
  std::int64_t bytes = 0;
};
/// As far as they can be decoded, the first hundred.
std::vector<XplaneMemoryAccess> read_memory_accesses(std::string_view message);

/// The planes of that name, without lines, as far as they can be decoded: one a host.
std::vector<XplanePlane> find_xplanes(std::string_view bytes, std::string_view name);

}  // namespace benchhud::ingest
