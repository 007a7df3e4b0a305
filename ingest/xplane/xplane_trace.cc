#include "ingest/xplane/xplane_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "ingest/xplane/xplane_args.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_profile.h"
#include "ingest/xplane/xplane_tracks.h"
#include "ingest/xplane/xplane_wire.h"
#include "schema/base/caught_error.h"
#include "schema/base/column_codec.h"
#include "schema/base/text_excerpt.h"
#include "trace/trace_limits.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using trace::Trace;
using trace::TraceArgs;
using trace::TracePoint;
using trace::TraceSlice;
using Role = XplaneRole;

namespace {

// As TraceBuilder counts them: what the tables around a text, a label and a thread take.
constexpr std::size_t kMostNameBytes = std::size_t{64} << 20;
constexpr std::size_t kNameBytesAnEvent = 30;
constexpr std::size_t kAroundText = 32, kAroundLabel = 600, kAroundThread = 700;
constexpr std::size_t kAroundKind = 300, kAroundStatName = 150;

// What a kind of events says is written with each of its events, so that a small file can have
// arguments without end: beyond so many bytes it is left out.
constexpr std::size_t kMostArgsBytes = std::size_t{256} << 20;
constexpr std::size_t kArgsBytesAnEvent = 4096;

constexpr std::size_t kMostShownName = 100;  // bytes of a name in a message

// A timestamp that is greater, in ns, counts from 1970 and not from the profile's beginning.
constexpr std::int64_t kFirstWallClock = 1'000'000'000'000'000'000;

__extension__ typedef __int128 Picoseconds;  // an int64 of ns, times 1000

// The nearest ns; halves up.
std::optional<std::int64_t> nearest_ns(Picoseconds time) {
  constexpr Picoseconds kNs = 1000;
  Picoseconds ns = (time + kNs / 2) / kNs;
  if (ns * kNs > time + kNs / 2) --ns;  // division is towards zero
  if (ns < std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  if (ns > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(ns);
}

bool has_stat(const std::vector<XplaneStat>& stats, const XplaneStat& like) {
  return std::any_of(stats.begin(), stats.end(),
                     [&](const XplaneStat& stat) { return stat.metadata_id == like.metadata_id; });
}

// What a kind is called beside its label, and how much of it is kept for its length alone.
void write_names(const XplaneKind& kind, std::string* members) {
  if (!kind.display_name.empty() && kind.name != kind.display_name) {
    write_xplane_member("full_name", kind.name, members);
  }
  if (kind.metadata_bytes > 0) {
    write_xplane_member("metadata", fmt::format("<{} bytes>", kind.metadata_bytes), members);
  }
}

// When the profile began, ns since 1970, as its plane says; 0: it does not.
std::int64_t profile_start(std::string_view bytes) {
  const auto planes = find_xplanes(bytes, "Task Environment");
  if (planes.empty()) return 0;
  const XplanePlane& plane = planes.front();
  for (const XplaneStat& stat : plane.stats) {
    const auto name = plane.stat_names.find(stat.metadata_id);
    if (name != plane.stat_names.end() && name->second == "profile_start_time") {
      return xplane_integer(stat).value_or(0);
    }
  }
  return 0;
}

// What an event's values say, but for what is kept as arguments only.
struct EventFacts {
  std::optional<std::int64_t> correlation, producer, consumer, flow;
  std::optional<std::int64_t> run, queue, core_type, device;
  std::int64_t producer_type = 0, consumer_type = 0;
  bool is_async = false;
  const XplaneStat* memcpy = nullptr;
  bool is_memset = false, is_gpu_memory = false;
  std::uint32_t hlo_category = 0;  // a number of Trace::texts
  std::string memory;              // whose it is
};

// What events of one kind have in common.
struct EventKind {
  XplaneKind read;
  EventFacts facts;       // that an event has where it does not say otherwise
  std::string_view name;  // that is shown
  bool is_allocation = false;
  bool is_python = false;
  bool is_launch = false;  // of a module on a TPU
  // The label in that category; most kinds have one.
  std::uint32_t label = 0, category = 0;
  // A number of Trace::args for the events without values of their own; none yet.
  std::optional<std::uint32_t> args;
  std::optional<std::string> members;  // of the kind in the arguments of its events
  std::unique_ptr<XplaneKindFacts> profile;
};

// "kind_src:host size:4096 dest:0 async:1"
std::optional<std::int64_t> size_of_copy(std::string_view details) {
  constexpr std::string_view kSize = "size:";
  const std::size_t at = details.find(kSize);
  if (at == details.npos) return std::nullopt;
  std::int64_t size = 0;
  const char* const begin = details.data() + at + kSize.size();
  const auto [end, error] = std::from_chars(begin, details.data() + details.size(), size);
  if (error != std::errc() || size < 0) return std::nullopt;
  return size;
}

class XplaneTraceBuilder : public XplaneVisitor {
 public:
  explicit XplaneTraceBuilder(trace::TraceArgsSink* sink) : sink_(sink) {}

  /// ns since 1970; 0: not known.
  void set_start(std::int64_t start) { trace().base_time = start_ = start; }

  void on_plane(const XplanePlane& plane) override;
  void on_plane_end() override;
  void on_line(const XplaneLine& line) override;
  void on_event(const XplaneEvent& event) override;
  void on_broken_event(std::int64_t place, std::string_view reason) override;
  void on_broken(std::int64_t place, std::string_view reason) override;
  void on_host_name(std::string_view name) override;
  void on_message(std::int64_t place, std::string_view text) override;

  void problem(std::int64_t place, std::string_view reason);
  XplaneTrace finish();
  XplaneTrace give_up(std::string_view reason);

 private:
  Trace& trace() { return made_.trace; }
  bool is_given_up() const { return !made_.refusal.empty(); }
  void check_budget(std::int64_t place);
  void refuse(std::int64_t place, std::string_view reason);
  std::uint32_t text(std::string_view text);
  std::uint32_t label_of(EventKind* kind, std::string_view category);
  EventKind* kind_of(std::int64_t id);
  void forget_kinds();
  /// The current line's, made where it is the first event's of its timeline; nothing if there are
  /// too many.
  std::optional<std::uint32_t> thread_of_line();
  std::optional<std::uint32_t> add_thread(std::string_view tid);
  void read_facts(const std::vector<XplaneStat>& stats, std::int64_t place, EventFacts* facts);
  std::string_view category_of(const EventKind& kind, const EventFacts& facts) const;
  std::uint32_t keep_args(const XplaneEvent& event, const EventFacts& facts, EventKind* kind);
  std::string members_of(const XplaneKind& kind);
  bool has_room_for_members();
  void write_values(const XplaneEvent& event, EventKind* kind);
  std::uint32_t put_args(std::string_view json, const EventFacts& facts);
  void add_aggregated(const XplaneEvent& event, const EventFacts& facts, EventKind* kind,
                      std::uint32_t thread);
  void add_allocation(const XplaneEvent& event, const EventFacts& facts, EventKind* kind,
                      std::int64_t time, std::uint32_t thread);
  void add_slice(const XplaneEvent& event, const EventFacts& facts, EventKind* kind,
                 const TraceSlice& slice);
  void add_flows(const EventFacts& facts, bool is_launch, std::int64_t time, std::uint32_t thread);

  trace::TraceArgsSink* const sink_;
  std::int64_t start_ = 0;  // ns since 1970; 0: not known
  XplaneTrace made_;
  XplaneProfileBuilder profile_{&made_.trace};
  std::vector<XplaneFlowEnd> flow_ends_;
  std::string host_names_;
  std::size_t name_bytes_ = 0;
  std::size_t args_bytes_ = 0;
  bool has_full_args_ = false;
  std::set<std::int64_t> pids_;
  std::int64_t host_planes_ = 0;

  // Of the current plane.
  const XplanePlane* plane_ = nullptr;
  XplaneFamily family_ = XplaneFamily::kOther;
  XplanePlaneCounts counts_;
  std::optional<XplaneStatNames> names_;
  XplaneIds<EventKind> kinds_;
  // The same by their ids, where those are small, as profilers choose them: looked for with every
  // event.
  std::vector<EventKind*> small_kinds_;
  XplaneIds<std::uint32_t> threads_;  // by the line's id
  std::optional<std::int64_t> pid_;   // none: it has no thread yet
  std::optional<std::uint32_t> first_thread_;
  std::uint32_t plane_args_ = 0;
  std::int64_t plane_device_ = 0;           // its ordinal
  std::optional<Picoseconds> plane_begin_;  // of its first line with an event

  // Of the current line.
  XplaneLine line_;
  XplaneTrack track_;
  Picoseconds line_begin_ = 0;
  std::optional<std::uint32_t> thread_;

  std::string json_;  // of the arguments that are being written
};

void XplaneTraceBuilder::problem(std::int64_t place, std::string_view reason) {
  trace().add_problem(place, reason);
}

void XplaneTraceBuilder::refuse(std::int64_t place, std::string_view reason) {
  ++counts_.refused;
  ++trace().refused;
  problem(place, reason);
}

void XplaneTraceBuilder::on_broken(std::int64_t place, std::string_view reason) {
  if (is_given_up()) return;
  ++trace().broken;
  problem(place, reason);
}

void XplaneTraceBuilder::on_broken_event(std::int64_t place, std::string_view reason) {
  if (is_given_up()) return;
  ++trace().events;
  ++counts_.events;
  refuse(place, reason);
}

void XplaneTraceBuilder::on_host_name(std::string_view name) {
  constexpr std::size_t kMost = 1000;
  if (is_given_up() || host_names_.size() + name.size() > kMost) return;
  if (!host_names_.empty()) host_names_ += ", ";
  host_names_ += name;
}

void XplaneTraceBuilder::on_message(std::int64_t place, std::string_view text) {
  constexpr std::size_t kMost = 500;
  if (is_given_up()) return;
  problem(place, fmt::format("the profiler reports: {}", schema::beginning_of(text, kMost)));
}

XplaneTrace XplaneTraceBuilder::give_up(std::string_view reason) {
  made_ = {};
  flow_ends_ = {};
  forget_kinds();
  made_.refusal = reason;  // last: there may have been no memory for it before
  return std::move(made_);
}

void XplaneTraceBuilder::check_budget(std::int64_t place) {
  const auto events = static_cast<std::size_t>(trace().events);
  const std::size_t of_plane =
      kAroundKind * kinds_.size() + kAroundStatName * (names_ ? names_->count() : 0);
  if (name_bytes_ + of_plane <= kMostNameBytes + kNameBytesAnEvent * events) return;
  made_ = give_up(
      fmt::format("its names take more memory than traces may have ({} MiB, and {} bytes for each "
                  "event) at byte {}",
                  kMostNameBytes >> 20, kNameBytesAnEvent, place));
}

std::uint32_t XplaneTraceBuilder::text(std::string_view text) {
  const std::size_t known = trace().texts.size();
  const std::uint32_t number = trace().texts.put(text);
  if (trace().texts.size() > known) name_bytes_ += text.size() + kAroundText;
  return number;
}

std::uint32_t XplaneTraceBuilder::label_of(EventKind* kind, std::string_view category) {
  const std::uint32_t number = text(category);
  if (kind->label != 0 && kind->category == number) return kind->label;
  const std::size_t known = trace().labels.size();
  kind->label = trace().put_label({text(kind->name), number});
  kind->category = number;
  if (trace().labels.size() > known) name_bytes_ += kAroundLabel;
  return kind->label;
}

void XplaneTraceBuilder::forget_kinds() {
  kinds_ = XplaneIds<EventKind>();
  small_kinds_.clear();
}

EventKind* XplaneTraceBuilder::kind_of(std::int64_t id) {
  constexpr std::int64_t kMostSmall = 1 << 16;
  const bool is_small = id >= 0 && id < kMostSmall;
  const auto place = is_small ? static_cast<std::size_t>(id) : 0;
  if (is_small && place < small_kinds_.size() && small_kinds_[place] != nullptr) {
    return small_kinds_[place];
  }
  const auto [found, is_new] = kinds_.try_emplace(id);
  EventKind& kind = found->second;
  if (is_small) {
    if (place >= small_kinds_.size()) small_kinds_.resize(place + 1);
    small_kinds_[place] = &kind;
  }
  if (!is_new) return &kind;
  const auto message = plane_->kinds.find(id);
  if (message != plane_->kinds.end()) kind.read = read_xplane_kind(message->second);
  kind.name = kind.read.display_name.empty() ? kind.read.name : kind.read.display_name;
  // As TSL's exporter of Chrome traces calls them.
  if (kind.name.empty()) kind.name = "<UNKNOWN>";
  kind.is_allocation = family_ == XplaneFamily::kHost &&
                       (kind.name == "MemoryAllocation" || kind.name == "MemoryDeallocation");
  kind.is_launch = family_ == XplaneFamily::kHost &&
                   (kind.name == "DoEnqueueProgram" || kind.name == "DoEnqueueContinuationProgram");
  kind.is_python = family_ == XplaneFamily::kHost && kind.name.starts_with('$');
  read_facts(kind.read.stats, plane_->place, &kind.facts);
  return &kind;
}

void XplaneTraceBuilder::on_plane_end() {
  if (is_given_up()) return;
  profile_.end_plane();
  if (plane_args_ != 0) {
    const auto thread = first_thread_ ? first_thread_ : add_thread("");
    if (thread) {
      TracePoint point;
      point.phase = 'M';
      point.thread = *thread;
      point.label = trace().put_label({text("plane"), text("plane")});
      point.args = plane_args_;
      trace().points.push_back(point);
    }
  }
  if (made_.planes.size() < XplaneTrace::kMostPlanes) made_.planes.push_back(std::move(counts_));
  check_budget(plane_->place);
}

void XplaneTraceBuilder::on_plane(const XplanePlane& plane) {
  if (is_given_up()) return;
  plane_ = &plane;
  family_ = xplane_family(plane.name);
  counts_ = {};
  counts_.name = plane.name;
  counts_.lines = static_cast<std::int64_t>(plane.lines);
  names_.emplace(plane);
  profile_.begin_plane(plane, family_, &*names_);
  // Cleared, they would keep the places of the fullest plane, and clearing those takes long.
  forget_kinds();
  threads_ = {};
  pid_.reset();
  first_thread_.reset();
  plane_args_ = 0;
  plane_device_ = xplane_ordinal(plane.name);
  plane_begin_.reset();
  if (plane.stats.empty()) return;
  json_.clear();
  for (const XplaneStat& stat : plane.stats) names_->write(stat, &json_);
  EventFacts of_plane;
  read_facts(plane.stats, plane.place, &of_plane);
  names_->write_left_out(plane.values_left_out, &json_);
  finish_xplane_object(&json_);
  plane_args_ = put_args(json_, {});
}

void XplaneTraceBuilder::on_line(const XplaneLine& line) {
  if (is_given_up()) return;
  line_ = line;
  track_ = xplane_track(family_, line);
  std::int64_t begin = line.timestamp_ns;
  if (begin >= kFirstWallClock && start_ > 0) begin -= start_;
  line_begin_ = Picoseconds{begin} * 1000;
  const auto known = threads_.find(line.id);
  thread_ = known == threads_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<std::uint32_t> XplaneTraceBuilder::add_thread(std::string_view tid) {
  if (trace().threads.size() >= trace::kMostTraceThreads) return std::nullopt;
  // As XProf numbers processes.
  constexpr std::int64_t kDevices = 1, kCustom = 501, kHosts = 701, kOthers = 901;
  constexpr std::int64_t kMostDevices = kCustom - kDevices;
  if (!pid_) {
    const bool has_number = 0 <= plane_->id && plane_->id < kMostDevices;
    pid_ = kOthers;
    if (family_ == XplaneFamily::kHost) {
      pid_ = kHosts + host_planes_++;
    } else if (family_ == XplaneFamily::kCustom && has_number) {
      pid_ = kCustom + plane_->id;
    } else if (family_ != XplaneFamily::kOther && has_number) {
      pid_ = kDevices + plane_->id;
    }
    if (pids_.contains(*pid_)) pid_ = std::max(*pids_.rbegin() + 1, kOthers);
    pids_.insert(*pid_);
  }
  trace::TraceThread& thread = trace().threads.emplace_back();
  thread.pid = fmt::to_string(*pid_);
  thread.tid = tid;
  thread.process_name = plane_->name;
  thread.process_sort_index = pid_;
  name_bytes_ += plane_->name.size() + kAroundThread;
  const auto number = static_cast<std::uint32_t>(trace().threads.size() - 1);
  if (!first_thread_) first_thread_ = number;
  return number;
}

std::optional<std::uint32_t> XplaneTraceBuilder::thread_of_line() {
  if (thread_) return thread_;
  thread_ = add_thread(fmt::to_string(line_.id));
  if (!thread_) return std::nullopt;
  threads_.emplace(line_.id, *thread_);
  trace::TraceThread& thread = trace().threads[*thread_];
  thread.name = line_.display_name.empty() ? line_.name : line_.display_name;
  name_bytes_ += thread.name.size();
  // The ids of threads are no order.
  if (line_.display_id != 0) {
    thread.thread_sort_index = line_.display_id;
  } else if (family_ != XplaneFamily::kHost && family_ != XplaneFamily::kOther) {
    thread.thread_sort_index = line_.id;
  }
  return thread_;
}

// Numbers that are no integers say nothing.
void XplaneTraceBuilder::read_facts(const std::vector<XplaneStat>& stats, std::int64_t place,
                                    EventFacts* read) {
  EventFacts& facts = *read;
  for (const XplaneStat& stat : stats) {
    const auto integer = xplane_integer(stat);
    const std::int64_t number = integer.value_or(0);
    const Role role = names_->role(stat);
    const bool is_number = role != Role::kMemcpy && role != Role::kMemset &&
                           role != Role::kGpuMemory && role != Role::kAllocator &&
                           role != Role::kHloCategory;
    if (is_number && !integer) continue;
    switch (role) {
      case Role::kCorrelation:
        facts.correlation = number;
        break;
      case Role::kProducerType:
        facts.producer_type = number;
        break;
      case Role::kProducerId:
        facts.producer = number;
        break;
      case Role::kConsumerType:
        facts.consumer_type = number;
        break;
      case Role::kConsumerId:
        facts.consumer = number;
        break;
      case Role::kFlow:
        facts.flow = number;
        break;
      case Role::kAsync:
        facts.is_async = number != 0;
        break;
      case Role::kMemcpy:
        facts.memcpy = &stat;
        break;
      case Role::kMemset:
        facts.is_memset = true;
        break;
      case Role::kGpuMemory:
        facts.is_gpu_memory = true;
        break;
      case Role::kDropped:
        profile_.add_dropped(number);
        if (number != 0) {
          problem(place,
                  fmt::format("the profiler dropped {} events of {}", xplane_number_text(stat),
                              schema::beginning_of(plane_->name, kMostShownName)));
        }
        break;
      case Role::kHloCategory:
        facts.hlo_category = text(names_->text(stat));
        break;
      case Role::kAllocator:
        facts.memory = names_->text(stat);
        break;
      case Role::kDevice:
        if (facts.memory.empty()) facts.memory = fmt::format("device {}", number);
        facts.device = number;
        break;
      case Role::kRunId:
        facts.run = number;
        break;
      case Role::kQueueId:
        facts.queue = number;
        break;
      case Role::kCoreType:
        facts.core_type = number;
        break;
      default:
        break;
    }
  }
}

std::string_view XplaneTraceBuilder::category_of(const EventKind& kind,
                                                 const EventFacts& facts) const {
  if (track_.is_stream) {
    if (facts.memcpy != nullptr) return "gpu_memcpy";
    if (facts.is_memset) return "gpu_memset";
    if (facts.is_gpu_memory) return "gpu_memory";
    return track_.category;
  }
  if (family_ != XplaneFamily::kHost) return track_.category;
  if (facts.correlation) return "cuda_runtime";
  return kind.is_python ? "python_function" : track_.category;
}

std::uint32_t XplaneTraceBuilder::put_args(std::string_view json, const EventFacts& facts) {
  if (trace().args.size() >= trace::kMostTraceArgsWords) {
    problem(plane_->place, "arguments are dropped: the trace has more than can be kept");
    return 0;
  }
  TraceArgs args;
  if (facts.correlation) args.correlation = *facts.correlation;
  args.origin = facts.hlo_category;
  if (sink_ != nullptr && !json.empty()) {
    args_bytes_ += json.size();
    args.packed = sink_->put(json);
  }
  if (args.correlation == TraceArgs::kAbsent && args.packed == TraceArgs::kNotKept &&
      args.origin == 0) {
    return 0;
  }
  return trace().args.put(args);
}

std::string XplaneTraceBuilder::members_of(const XplaneKind& kind) {
  std::string members;
  for (const XplaneStat& stat : kind.stats) names_->write(stat, &members);
  names_->write_left_out(kind.values_left_out, &members);
  write_names(kind, &members);
  return members;
}

bool XplaneTraceBuilder::has_room_for_members() {
  const auto events = static_cast<std::size_t>(trace().events);
  if (args_bytes_ <= kMostArgsBytes + kArgsBytesAnEvent * events) return true;
  if (!std::exchange(has_full_args_, true)) {
    problem(plane_->place,
            fmt::format("values of kinds of events are left out: with its events they take more "
                        "than {} MiB and {} bytes for each event",
                        kMostArgsBytes >> 20, kArgsBytesAnEvent));
  }
  return false;
}

// Appends the event's values, then those of its kind that it does not have itself.
void XplaneTraceBuilder::write_values(const XplaneEvent& event, EventKind* kind) {
  const bool has_room = has_room_for_members();
  // Of a few values alone it is asked which both have.
  constexpr std::size_t kFew = 64;
  bool is_of_both = false;
  for (const XplaneStat& stat : event.stats) {
    names_->write(stat, &json_);
    const bool may_be = has_room && event.stats.size() <= kFew && kind->read.stats.size() <= kFew;
    is_of_both = is_of_both || (may_be && has_stat(kind->read.stats, stat));
  }
  names_->write_left_out(event.values_left_out, &json_);
  if (!has_room) return;
  if (!is_of_both) {
    if (!kind->members) kind->members = members_of(kind->read);
    json_ += *kind->members;
    return;
  }
  for (const XplaneStat& stat : kind->read.stats) {
    if (!has_stat(event.stats, stat)) names_->write(stat, &json_);
  }
  names_->write_left_out(kind->read.values_left_out, &json_);
  write_names(kind->read, &json_);
}

std::uint32_t XplaneTraceBuilder::keep_args(const XplaneEvent& event, const EventFacts& facts,
                                            EventKind* kind) {
  if (event.stats.empty() && kind->args) return *kind->args;
  if (sink_ == nullptr) {
    if (facts.correlation) return put_args("", facts);
    if (facts.hlo_category == 0) return 0;
    if (facts.hlo_category != kind->facts.hlo_category) return put_args("", facts);
    if (!kind->args) kind->args = put_args("", facts);
    return *kind->args;
  }
  json_.clear();
  write_values(event, kind);
  finish_xplane_object(&json_);
  const std::uint32_t args = put_args(json_, facts);
  if (event.stats.empty()) kind->args = args;
  return args;
}

void XplaneTraceBuilder::add_aggregated(const XplaneEvent& event, const EventFacts& facts,
                                        EventKind* kind, std::uint32_t thread) {
  ++counts_.aggregated;
  json_ = fmt::format("\"num_occurrences\":{},", *event.occurrences);
  write_xplane_member("duration_ps", fmt::to_string(event.duration_ps), &json_);
  write_values(event, kind);
  finish_xplane_object(&json_);
  TracePoint point;
  point.phase = 'M';
  point.thread = thread;
  point.label = label_of(kind, "aggregated");
  point.args = put_args(json_, facts);
  trace().points.push_back(point);
}

// Numbers of counters are lanes: those that are levels, while the others are texts.
void XplaneTraceBuilder::add_allocation(const XplaneEvent& event, const EventFacts& facts,
                                        EventKind* kind, std::int64_t time, std::uint32_t thread) {
  ++counts_.allocations;
  EventKind memory;
  memory.name = facts.memory.empty() ? "memory" : std::string_view(facts.memory);
  json_.clear();
  write_xplane_member("event", kind->name, &json_);
  const auto write = [&](const XplaneStat& stat) {
    if (names_->role(stat) == Role::kMemoryLevel) {
      names_->write(stat, &json_);
    } else {
      names_->write_as_text(stat, &json_);
    }
  };
  std::ranges::for_each(event.stats, write);
  if (has_room_for_members()) {
    for (const XplaneStat& stat : kind->read.stats) {
      if (!has_stat(event.stats, stat)) write(stat);
    }
  }
  names_->write_left_out(event.values_left_out + kind->read.values_left_out, &json_);
  finish_xplane_object(&json_);
  TracePoint point;
  point.phase = 'C';
  point.time = time;
  point.thread = thread;
  point.label = label_of(&memory, "memory");
  point.args = put_args(json_, facts);
  trace().points.push_back(point);
}

void XplaneTraceBuilder::add_slice(const XplaneEvent& event, const EventFacts& facts,
                                   EventKind* kind, const TraceSlice& slice) {
  ++(facts.is_async || track_.is_async ? counts_.async : counts_.slices);
  const std::string_view category = category_of(*kind, facts);
  if (category == "gpu_memcpy") {
    const auto size = size_of_copy(names_->text(*facts.memcpy));
    if (size && event.duration_ps > 0) {
      // Bytes by ns are gigabytes by second.
      const auto bytes = static_cast<double>(*size);
      const auto length = static_cast<double>(event.duration_ps);
      trace().bandwidths.push_back(
          {static_cast<std::uint32_t>(trace().slices.size()), bytes, bytes * 1000 / length});
    }
  }
  TraceSlice& added = trace().slices.emplace_back(slice);
  added.label = label_of(kind, category);
  added.args = keep_args(event, facts, kind);
}

void XplaneTraceBuilder::add_flows(const EventFacts& facts, bool is_launch, std::int64_t time,
                                   std::uint32_t thread) {
  XplaneFlowEnd end;
  end.time = time;
  end.event = trace().events;
  end.thread = thread;
  const auto add = [&](XplaneFlowEnd::Kind kind, std::int64_t type, std::int64_t id,
                       bool is_start) {
    end.kind = kind;
    end.type = type;
    end.id = id;
    end.is_start = is_start;
    flow_ends_.push_back(end);
  };
  using Kind = XplaneFlowEnd::Kind;
  if (facts.correlation && (track_.is_stream || family_ == XplaneFamily::kHost)) {
    add(Kind::kLaunch, 0, *facts.correlation, family_ == XplaneFamily::kHost);
  }
  if (facts.producer) add(Kind::kProducerConsumer, facts.producer_type, *facts.producer, true);
  if (facts.consumer) add(Kind::kProducerConsumer, facts.consumer_type, *facts.consumer, false);
  if (facts.flow) {
    // Two bits of direction, in and out, and 56 of the id.
    constexpr std::uint64_t kIn = 1, kOut = 2, kIdMask = (std::uint64_t{1} << 56) - 1;
    const auto flow = static_cast<std::uint64_t>(*facts.flow);
    const auto id = static_cast<std::int64_t>((flow >> 2U) & kIdMask);
    if ((flow & kOut) != 0) add(Kind::kFlow, 0, id, true);
    if ((flow & kIn) != 0) add(Kind::kFlow, 0, id, false);
  }
  const bool is_run = family_ == XplaneFamily::kTpu && track_.category == "xla_module";
  if (!facts.run || (!is_launch && !is_run)) return;
  // XLA hands only so many bits of the number on to the device.
  constexpr std::int64_t kRunBits = (1 << 27) - 1;
  constexpr std::uint64_t kQueueBits = 27;
  const auto queue = static_cast<std::uint64_t>(facts.queue.value_or(0));
  const std::int64_t device = is_launch ? facts.device.value_or(0) : plane_device_;
  const auto core = static_cast<std::uint64_t>(facts.core_type.value_or(0));
  const auto end_of_device = static_cast<std::uint64_t>(device) << 8U ^ core;
  const auto of_queue = static_cast<std::uint64_t>(*facts.run & kRunBits) | queue << kQueueBits;
  const auto& same = is_launch ? facts.producer : facts.consumer;
  end.peer_type = is_launch ? facts.producer_type : facts.consumer_type;
  end.peer = same;
  add(Kind::kRun, static_cast<std::int64_t>(end_of_device), static_cast<std::int64_t>(of_queue),
      is_launch);
}

void XplaneTraceBuilder::on_event(const XplaneEvent& event) {
  if (is_given_up()) return;
  ++trace().events;
  ++counts_.events;
  const auto thread = thread_of_line();
  if (!thread || trace().slices.size() >= trace::kMostTraceSlices) {
    return refuse(event.place, "the trace has more threads or slices than can be kept");
  }
  EventKind* const kind = kind_of(event.metadata_id);
  EventFacts facts = kind->facts;
  read_facts(event.stats, event.place, &facts);
  if (event.occurrences) {
    add_aggregated(event, facts, kind, *thread);
    return check_budget(event.place);
  }
  const Picoseconds begin = line_begin_ + event.offset_ps;
  const auto start = nearest_ns(begin), end = nearest_ns(begin + event.duration_ps);
  if (!start || !end || event.duration_ps < 0 || !schema::ends_in_time(*start, *end - *start)) {
    return refuse(event.place, event.duration_ps < 0
                                   ? "an event with a length below 0"
                                   : "an event whose times are beyond 64 bits of nanoseconds");
  }
  PlacedXplaneEvent placed{.event = &event,
                           .kind = &kind->read,
                           .name = kind->name,
                           .kind_facts = &kind->profile,
                           .correlation = facts.correlation,
                           .begin = *start,
                           .end = *end,
                           .begin_ps = std::nullopt,
                           .thread = *thread};
  const std::string_view category = category_of(*kind, facts);
  placed.is_memory = track_.is_stream && category != track_.category;
  // Picoseconds since 1970 are beyond 64 bits.
  if (!plane_begin_) plane_begin_ = line_begin_;
  const Picoseconds in_plane = begin - *plane_begin_;
  if (in_plane >= std::numeric_limits<std::int64_t>::min() &&
      in_plane <= std::numeric_limits<std::int64_t>::max()) {
    placed.begin_ps = static_cast<std::int64_t>(in_plane);
  }
  if (kind->is_allocation) {
    add_allocation(event, facts, kind, *start, *thread);
    profile_.add_allocation(placed, facts.memory, kind->name == "MemoryAllocation");
  } else if (track_.is_counter) {
    ++counts_.counters;
    TracePoint point;
    point.phase = 'C';
    point.time = *start;
    point.thread = *thread;
    point.label = label_of(kind, "counter");
    point.args = keep_args(event, facts, kind);
    trace().points.push_back(point);
  } else {
    TraceSlice slice;
    slice.start = *start;
    slice.duration = *end - *start;
    slice.thread = *thread;
    add_slice(event, facts, kind, slice);
    profile_.add(track_, placed);
  }
  add_flows(facts, kind->is_launch, *start, *thread);
  check_budget(event.place);
}

XplaneTrace XplaneTraceBuilder::finish() {
  if (is_given_up()) return std::move(made_);
  forget_kinds();
  trace::XlaProfile profile = profile_.finish();
  made_.flows = put_xplane_flows(std::move(flow_ends_), &trace());
  profile.linked_runs = made_.flows.linked_runs;
  profile.runs_without_launch = made_.flows.runs_without_launch;
  profile.launches_without_run = made_.flows.launches_without_run;
  trace().xla = std::make_shared<const trace::XlaProfile>(std::move(profile));
  for (trace::TraceThread& thread : trace().threads) {
    name_bytes_ += host_names_.size();
    thread.process_labels = host_names_;
  }
  name_bytes_ += trace().assign_roles(true) * kAroundLabel;
  check_budget(0);
  return std::move(made_);
}

}  // namespace

XplaneTrace read_xplane(std::string_view bytes, trace::TraceArgsSink* sink,
                        std::string_view damage) {
  if (bytes.empty()) {
    XplaneTrace none;
    none.unreadable = "it is empty: the profiler could not write more than 2 GB";
    return none;
  }
  XplaneTraceBuilder builder(sink);
  try {
    builder.set_start(profile_start(bytes));
    const bool has_plane = read_xspace(bytes, &builder);
    if (!damage.empty()) builder.problem(static_cast<std::int64_t>(bytes.size()), damage);
    XplaneTrace made = builder.finish();
    if (!has_plane && made.refusal.empty()) {
      made.unreadable = "no XPlane profile";
      if (!made.trace.problems.empty()) {
        const trace::TraceProblem& first = made.trace.problems.front();
        made.unreadable += fmt::format(": {} (byte {})", first.reason, first.offset);
      }
    }
    return made;
  } catch (const std::bad_alloc&) {
    return builder.give_up(schema::kNoMemory);
  }
}

Expected<Trace> read_xplane_file(const std::string& path, trace::TraceArgsSink* sink) {
  BENCHHUD_ASSIGN(const XplaneFile file, XplaneFile::open(path));
  XplaneTrace made = read_xplane(file.bytes(), sink, file.damage());
  if (!made.refusal.empty()) {
    return Error{ErrorCode::kTooLarge, fmt::format("{}: {}", path, made.refusal)};
  }
  if (!made.unreadable.empty()) {
    return Error{ErrorCode::kUnsupported, fmt::format("{}: {}", path, made.unreadable)};
  }
  return std::move(made.trace);
}

}  // namespace benchhud::ingest
