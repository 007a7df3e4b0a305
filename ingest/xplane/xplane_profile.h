// Collects what an XPlane profile says beyond its events (trace/xla_profile.h) while it is decoded,
// where times are still exact.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/xplane/xplane_executions.h"
#include "ingest/xplane/xplane_op_facts.h"
#include "ingest/xplane/xplane_tracks.h"
#include "ingest/xplane/xplane_wire.h"
#include "trace/trace.h"
#include "trace/xla_profile.h"

namespace benchhud::ingest {

/// What is kept of a kind of events for the next event of it.
struct XplaneKindFacts {
  XplaneOpFacts facts;
  std::optional<std::uint32_t> op;      ///< its operator, where the kind alone says which
  std::optional<std::uint32_t> module;  ///< its module, of events of `XLA Modules`
};

/// An event as it is placed in the trace.
struct PlacedXplaneEvent {
  const XplaneEvent* event = nullptr;
  const XplaneKind* kind = nullptr;
  std::string_view name;                                   ///< as it is shown
  std::unique_ptr<XplaneKindFacts>* kind_facts = nullptr;  ///< made for those that need them
  std::optional<std::int64_t> correlation;
  std::int64_t begin = 0, end = 0;  ///< ns
  /// From where the plane's first line with an event begins; none: beyond 64 bits.
  std::optional<std::int64_t> begin_ps;
  std::uint32_t thread = 0;
  bool is_memory = false;  ///< a copy, a set or an allocation of a GPU
};

/// Call it in the order of the file. Memory: 48 bytes for each operator's event of the current
/// plane and 8 of every plane, about 100 for each slice of a GPU, 24 for each run of a module and
/// 24 for each call that launched a kernel, besides what trace::XlaProfile's limits allow.
class XplaneProfileBuilder {
 public:
  /// Texts are put into `trace`, which must outlive the builder.
  explicit XplaneProfileBuilder(trace::Trace* trace) : trace_(*trace) {}

  void begin_plane(const XplanePlane& plane, XplaneFamily family, XplaneStatNames* names);
  /// Of a line of a device, or of the host; the event is the trace's last slice.
  void add(const XplaneTrack& track, const PlacedXplaneEvent& placed);
  /// `whose`: the allocator, or the device; "": the event does not say.
  void add_allocation(const PlacedXplaneEvent& placed, std::string_view whose, bool is_allocation);
  void add_dropped(std::int64_t events);
  void end_plane();
  /// To be called once, at last. Nothing was in the file that a profile is about: an empty one.
  trace::XlaProfile finish();

 private:
  struct OpKey {
    std::uint64_t program = 0;
    std::int64_t symbol = 0;
    std::uint32_t device = 0, name = 0, module = 0;
    bool operator==(const OpKey&) const = default;
  };
  struct OpKeyHash {
    std::size_t operator()(const OpKey& key) const;
  };
  /// An execution of an operator on a device or a thread where they nest.
  struct OpEvent {
    std::int64_t begin = 0, end = 0;                ///< ps, by the file
    std::int64_t device_begin = 0, device_end = 0;  ///< ps, by the device's clock
    std::uint32_t op = 0, thread = 0;               ///< kNoRow: there was no room for a row
    bool has_device_times = false;
  };
  static constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t text(std::string_view text);
  std::uint32_t text_of(const XplaneStat* stat);
  /// The current plane's, made where it is the first of its events that is asked for; none if there
  /// are too many.
  std::optional<std::uint32_t> device(trace::XlaDevice::Kind kind);
  XplaneKindFacts& kind_facts(const PlacedXplaneEvent& placed);
  XplaneOpFacts facts_of(const PlacedXplaneEvent& placed, bool* names_op);
  std::optional<std::uint32_t> op_of(const PlacedXplaneEvent& placed, const XplaneOpFacts& facts,
                                     std::uint32_t device, bool is_of_kind);
  std::optional<std::uint32_t> put_op(const OpKey& key, const XplaneOpFacts& facts,
                                      std::optional<std::uint64_t> program);
  std::optional<std::uint32_t> put_module(std::uint32_t device, std::uint32_t name,
                                          std::optional<std::uint64_t> program);
  std::optional<std::uint32_t> put_kernel(const PlacedXplaneEvent& placed,
                                          const XplaneOpFacts& facts, std::uint32_t device,
                                          std::uint32_t op);
  void put_slice(std::uint32_t op);
  void add_nested(const PlacedXplaneEvent& placed, trace::XlaDevice::Kind kind);
  void add_of_stream(const PlacedXplaneEvent& placed);
  void add_of_host(const PlacedXplaneEvent& placed);
  void add_module_run(const PlacedXplaneEvent& placed);
  void put_run(std::uint32_t module, std::int64_t begin, std::int64_t end, std::int64_t length_ps);
  void choose_clocks();
  void sum_nested();
  void put_executions();
  void name_modules();
  void keep_longest_runs();

  trace::Trace& trace_;
  trace::XlaProfile made_;
  std::size_t text_bytes_ = 0;
  std::unordered_map<OpKey, std::uint32_t, OpKeyHash> ops_;
  using KernelKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // name, details, op
  std::map<KernelKey, std::uint32_t> kernels_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> modules_;
  std::map<std::uint64_t, std::uint32_t> module_names_;  // by program
  std::map<std::uint32_t, std::uint32_t> allocators_;    // by name
  XplaneExecutions executions_;

  // Of the current plane.
  const XplanePlane* plane_ = nullptr;
  XplaneFamily family_ = XplaneFamily::kOther;
  XplaneStatNames* names_ = nullptr;
  std::optional<std::uint32_t> device_;
  bool has_no_room_ = false;
  std::vector<OpEvent> nested_;
  std::vector<std::pair<std::int64_t, std::int64_t>> busy_;  // ps: begin, end
};

}  // namespace benchhud::ingest
