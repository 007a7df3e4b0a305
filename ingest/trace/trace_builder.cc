#include "ingest/trace/trace_builder.h"

#include <fmt/format.h>
#include <simdjson.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ingest/text/byte_search.h"
#include "ingest/text/text_parts.h"
#include "ingest/trace/trace_time.h"
#include "schema/base/ascii.h"
#include "schema/base/utf8.h"
#include "trace/thread_role.h"

namespace benchhud::ingest {

using trace::Trace;
using trace::TraceArgs;
using trace::TraceFlow;
using trace::TracePoint;
using trace::TraceSlice;

namespace {

using Kind = TraceToken::Kind;

// Of arguments that wait for their slice's end; those beyond do not wait.
constexpr std::size_t kMostHeldBytes = std::size_t{4} << 20;

// What the tables around a text, a label and a thread take, measured. Of labels, sums are made for
// the trace's report and its index; of a label that may have a row of its own in the report
// (kernels, launches, compiled regions) there are more.
constexpr std::size_t kAroundText = 32, kAroundLabel = 280, kAroundRowLabel = 600,
                      kAroundThread = 700;
// Of the 150 bytes for an event some 110 are for what it is, through nesting and storing it; the
// rest may be names.
constexpr std::size_t kNameBytesAnEvent = 30;

// Categories are few: their length and last letter tell most apart.
std::uint64_t quick(std::string_view text) {
  return text.empty() ? 0 : text.size() * 256 + static_cast<unsigned char>(text.back());
}

// Of a value that cannot be, for a message.
std::string_view beginning_of(std::string_view value) {
  constexpr std::size_t kMostShown = 40;
  return schema::whole_characters(value, 0, kMostShown);
}

bool is_true(const TraceToken& token) { return token.text() == "true" || token.text() == "1"; }

// What stands between a string's quotes. What no strict parser reads is taken as it stands.
std::string unescaped(std::string_view raw, simdjson::dom::parser* parser) {
  std::string quoted;
  quoted.reserve(raw.size() + 2 + simdjson::SIMDJSON_PADDING);
  quoted += '"';
  quoted += raw;
  quoted += '"';
  std::string_view text;
  if (parser->parse(quoted).get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  return std::string(raw);
}

// What instants, counters, samples, objects and the like are called: all phases of the format but
// for those of slices, flows and metadata.
bool is_point_phase(char phase) {
  return std::string_view("iIRCPbneSTFpNODVvc()=").find(phase) != std::string_view::npos;
}

// Copies and sets on a device, as profilers call them: `gpu_memcpy`, `Memset`, `GCU_MEMCPY`.
bool is_transfer(std::string_view category) {
  constexpr std::size_t kSize = std::string_view("memcpy").size();
  if (category.size() < kSize) return false;
  category.remove_prefix(category.size() - kSize);
  return schema::equal_ignoring_case(category, "memcpy") ||
         schema::equal_ignoring_case(category, "memset");
}

// What the device did, where the category says it. What it is for the analysis, with the names of
// threads, is decided when all is read.
bool is_work(std::string_view category) {
  return category == "kernel" || category == "Kernel" || category == "mtia_ccp_events" ||
         is_transfer(category);
}

bool is_work(trace::ThreadRole role) {
  using enum trace::ThreadRole;
  return role == kDevice || role == kDeviceOperators || role == kDeviceCommunication ||
         role == kDeviceComputation;
}

bool is_device_record(const RawTraceEvent& event) {
  return event.arg.correlation || is_work(event.category.text());
}

// Whether the report may have a row for what is called so.
bool has_row(std::string_view name, std::string_view category) {
  const bool is_plain = category == "cpu_op" || category == "python_function" ||
                        category == "user_annotation" || category.empty();
  return !is_plain || name.starts_with("Torch-Compiled Region");
}

// "" where there is no object, or nothing in it.
std::string_view object_text(const TraceToken& token) {
  if (token.kind != Kind::kNested || !token.text().starts_with('{')) return {};
  const char* const last = token.begin + token.size - 1;
  return skip_blanks(token.begin + 1, last) == last ? std::string_view() : token.text();
}

// The members of two objects in one.
std::string merged(std::string_view first, std::string_view second) {
  std::string both(first.substr(0, first.size() - 1));
  both += ',';
  both += second.substr(1);
  return both;
}

void fill_absent(const TraceArgs& from, TraceArgs* to) {
  const auto fill = [](std::int64_t value, std::int64_t* field) {
    if (*field == TraceArgs::kAbsent) *field = value;
  };
  fill(from.correlation, &to->correlation);
  fill(from.external_id, &to->external_id);
  fill(from.sequence, &to->sequence);
  if (to->origin == 0) to->origin = from.origin;
}

// What a builder finds a thread by.
void put_thread_key(const RawTraceEvent& event, std::string* key) {
  key->assign(event.process.text());
  *key += '\0';
  *key += event.thread.text();
}

}  // namespace

TraceBuilder::TraceBuilder(trace::TraceArgsSink* sink, std::size_t most_threads)
    : sink_(sink),
      most_threads_(most_threads),
      parser_(std::make_unique<simdjson::dom::parser>()) {}
TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::problem(std::int64_t offset, std::string_view reason) {
  trace_.add_problem(offset, reason);
}

void TraceBuilder::on_broken(std::int64_t offset, std::string_view reason) {
  ++trace_.broken;
  problem(offset, reason);
}

void TraceBuilder::on_number(TraceNumber number, std::int64_t offset, std::string_view text) {
  const bool is_base_time = number == TraceNumber::kBaseTime;
  const auto read = number_of<std::int64_t>(text);
  if (!read) {
    return problem(offset, fmt::format("{} is {}, not a whole number",
                                       is_base_time ? "baseTimeNanoseconds" : "cuda_driver_version",
                                       beginning_of(text)));
  }
  (is_base_time ? trace_.base_time : trace_.cuda_driver) = *read;
}

void TraceBuilder::refuse(const RawTraceEvent& event, std::string_view reason) {
  ++trace_.refused;
  problem(event.offset, reason);
}

void TraceBuilder::give_up(std::string_view reason) {
  trace_ = trace::Trace();
  escaped_.clear();
  threads_.clear();
  open_.clear();
  processes_.clear();
  flows_.give_up();
  refusal_ = reason;  // last: there may have been no memory for it before
}

bool TraceBuilder::is_in_budget(std::int64_t offset) {
  const auto events = static_cast<std::size_t>(trace_.events);
  const std::size_t bytes = name_bytes_ + flows_.key_bytes();
  if (bytes <= kMostNameBytes + kNameBytesAnEvent * events) return true;
  give_up(
      fmt::format("its names take more memory than traces may have ({} MiB, and {} bytes for "
                  "each event) at event {}, byte {}",
                  kMostNameBytes >> 20, kNameBytesAnEvent, events, offset));
  return false;
}

std::uint32_t TraceBuilder::text(const TraceToken& token) {
  const auto put = [&](std::string_view text) {
    const std::size_t count = trace_.texts.size();
    const std::uint32_t number = trace_.texts.put(text);
    if (trace_.texts.size() > count) count_names(text.size() + kAroundText);
    return number;
  };
  if (!token.has_escapes) return put(token.text());
  const auto [found, is_new] = escaped_.try_emplace(std::string(token.text()), 0);
  if (is_new) {
    count_names(token.size + kAroundText);
    found->second = put(unescaped(token.text(), parser_.get()));
  }
  return found->second;
}

bool TraceBuilder::has_room_for(const RawTraceEvent& event) const {
  if (trace_.slices.size() >= trace::kMostTraceSlices) return false;
  if (trace_.threads.size() < most_threads_) return true;
  std::string key;
  put_thread_key(event, &key);
  return threads_.contains(key);
}

std::uint32_t TraceBuilder::thread_of(const RawTraceEvent& event) {
  const std::string_view pid = event.process.text(), tid = event.thread.text();
  // Events come in runs of one thread.
  const std::string_view last = last_thread_key_;
  if (last.size() == pid.size() + 1 + tid.size() && last.starts_with(pid) && last.ends_with(tid) &&
      last[pid.size()] == '\0' && !trace_.threads.empty()) {
    return last_thread_;
  }
  put_thread_key(event, &last_thread_key_);
  const auto [found, is_new] =
      threads_.try_emplace(last_thread_key_, static_cast<std::uint32_t>(trace_.threads.size()));
  if (is_new) {
    trace::TraceThread& thread = trace_.threads.emplace_back();
    thread.pid = trace_.texts[text(event.process)];
    thread.tid = trace_.texts[text(event.thread)];
    open_.emplace_back();
    count_names(2 * last_thread_key_.size() + kAroundThread);
  }
  last_thread_ = found->second;
  return last_thread_;
}

std::uint32_t TraceBuilder::label_of(const RawTraceEvent& event) {
  const TraceToken &name = event.name, &category = event.category;
  const auto put = [&] {
    const std::size_t count = trace_.labels.size();
    const std::uint32_t label = trace_.put_label({text(name), text(category)});
    if (trace_.labels.size() > count) {
      count_names(has_row(name.text(), category.text()) ? kAroundRowLabel : kAroundLabel);
    }
    return label;
  };
  if (name.has_escapes || category.has_escapes) return put();
  const std::uint64_t hash = XXH3_64bits(name.begin, name.size) + 31 * quick(category.text());
  std::uint32_t& label = recent_labels_[hash % recent_labels_.size()];
  const trace::TraceLabel known = trace_.labels[label];
  if (trace_.texts[known.name] != name.text() || trace_.texts[known.category] != category.text()) {
    label = put();
  }
  return label;
}

TraceBuilder::ReadArgs TraceBuilder::read_args(const RawTraceEvent& event) {
  const RawTraceArgs& arg = event.arg;
  ReadArgs read;
  const auto take = [&](const TraceToken& token, std::int64_t* field) {
    if (!token) return;
    if (const auto number = number_of<std::int64_t>(token.text())) {
      *field = *number;
      read.has_any = true;
    }
  };
  take(arg.correlation, &read.args.correlation);
  take(arg.external_id, &read.args.external_id);
  take(arg.sequence, &read.args.sequence);
  if (arg.origin) {
    read.args.origin = text(arg.origin);
    read.has_any = true;
  } else if (arg.compile_id && arg.compile_id.text() != "null" && arg.compile_id.text() != "None") {
    // Dynamo's, which writes so where it does not know it.
    read.args.origin = text(arg.compile_id);
    read.has_any = true;
  }
  const auto positive = [](const TraceToken& token) -> std::optional<double> {
    const auto number = number_of<double>(token.text());
    return number && std::isfinite(*number) && *number >= 0 ? number : std::nullopt;
  };
  if (arg.bytes) read.bytes = positive(arg.bytes).value_or(0);
  if (arg.bandwidth) read.bandwidth = positive(arg.bandwidth);
  return read;
}

// The arguments' number.
std::uint32_t TraceBuilder::keep_args(ReadArgs* read, std::string_view json) {
  if (trace_.args.size() >= trace::kMostTraceArgsWords) {
    problem(0, "arguments are dropped: the trace has more than can be kept");
    return 0;
  }
  if (sink_ != nullptr && !json.empty()) {
    read->args.packed = sink_->put(json);
    read->has_any = true;
  }
  if (!read->has_any) return 0;
  return trace_.args.put(read->args);
}

// Of an event that nothing else is read of.
std::uint32_t TraceBuilder::keep_args(const RawTraceEvent& event) {
  ReadArgs read = read_args(event);
  return keep_args(&read, object_text(event.args));
}

std::optional<std::int64_t> TraceBuilder::time_of(const RawTraceEvent& event) {
  const auto time = microseconds_to_ns(event.time.text());
  if (!time) {
    refuse(event, event.time ? fmt::format("ts is {}, not a time", beginning_of(event.time.text()))
                             : "an event without ts");
  }
  return time;
}

// 0 where the file says nothing usable.
std::int64_t TraceBuilder::duration_of(const RawTraceEvent& event, std::int64_t start) {
  if (!event.duration) {
    problem(event.offset, "an X event without dur: its length is taken as 0");
    return 0;
  }
  const auto duration = microseconds_to_ns(event.duration.text());
  if (!duration || *duration < 0) {
    problem(event.offset, fmt::format("dur is {}, not a length of time: taken as 0",
                                      beginning_of(event.duration.text())));
    return 0;
  }
  if (*duration > std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(start, 0)) {
    problem(event.offset, "ts and dur together are beyond 64 bits of nanoseconds: dur taken as 0");
    return 0;
  }
  return *duration;
}

void TraceBuilder::add_slice(const TraceSlice& slice, const ReadArgs& read) {
  if (read.bandwidth && is_transfer(trace_.category(slice))) {
    trace_.bandwidths.push_back(
        {static_cast<std::uint32_t>(trace_.slices.size()), read.bytes, *read.bandwidth});
  }
  trace_.slices.push_back(slice);
}

// As far as what was read until here tells: names may come later.
bool TraceBuilder::is_work_of_device(const RawTraceEvent& event) {
  if (is_work(event.category.text())) return true;
  if (!event.category.text().empty()) return false;
  trace::TraceThread thread = trace_.threads[thread_of(event)];
  if (const auto found = processes_.find(thread.pid); found != processes_.end()) {
    thread.process_name = found->second.name;
    thread.process_labels = found->second.labels;
  }
  return is_work(trace::roles_of_threads({thread}).front());
}

void TraceBuilder::add_complete(const RawTraceEvent& event) {
  const auto start = time_of(event);
  if (!start) return;
  if (event.duration.text().starts_with('-') && is_work_of_device(event)) {
    return refuse(event, fmt::format("a device record of {} µs: its times are impossible",
                                     beginning_of(event.duration.text())));
  }
  const std::int64_t duration = duration_of(event, *start);
  // A profiler that lost a record's times writes zeros for them.
  if (*start == 0 && duration == 0 && event.duration && is_device_record(event)) {
    flows_.note_lost_record(thread_of(event));
    return refuse(event, "a device record at time 0 without a length: its times were lost");
  }
  ReadArgs read = read_args(event);
  TraceSlice slice;
  slice.start = *start;
  slice.duration = duration;
  slice.label = label_of(event);
  slice.thread = thread_of(event);
  slice.args = keep_args(&read, object_text(event.args));
  add_slice(slice, read);
  add_bound_flow(event, *start);
}

void TraceBuilder::begin(const RawTraceEvent& event) {
  const auto start = time_of(event);
  if (!start) return;
  OpenSlice open;
  open.slice.start = *start;
  open.slice.label = label_of(event);
  open.slice.thread = thread_of(event);
  if (const std::string_view json = object_text(event.args); !json.empty()) {
    ReadArgs read = read_args(event);
    const std::size_t held = sizeof(HeldArgs) + json.size();
    const bool waits = held_bytes_ + held <= kMostHeldBytes;
    if (!waits) open.slice.args = keep_args(&read, json);
    if (waits || read.bytes > 0 || read.bandwidth) {
      open.args = std::make_unique<HeldArgs>(HeldArgs{std::move(read), {}});
    }
    if (waits) {
      if (sink_ != nullptr) open.args->json = json;
      open.args->held_bytes = held;
      held_bytes_ += held;
    }
  }
  open_[open.slice.thread].push_back(std::move(open));
  add_bound_flow(event, *start);
}

void TraceBuilder::end(const RawTraceEvent& event) {
  const auto time = time_of(event);
  if (!time) return;
  std::vector<OpenSlice>& stack = open_[thread_of(event)];
  if (stack.empty()) {
    ++trace_.unmatched;
    problem(event.offset, "an end without a beginning");
    return add_point(event, *time);
  }
  const OpenSlice open = std::move(stack.back());
  stack.pop_back();
  TraceSlice slice = open.slice;
  if (*time < slice.start) {
    problem(event.offset, "an end before its beginning: the length is taken as 0");
  } else if (__builtin_sub_overflow(*time, slice.start, &slice.duration)) {
    slice.duration = 0;
    problem(event.offset, "beyond 64 bits of nanoseconds: the length is taken as 0");
  }
  ReadArgs read = read_args(event);
  const std::string_view json = object_text(event.args);
  ++trace_.pairs;
  if (slice.args != 0) {
    if (!json.empty()) {
      problem(event.offset, "the end's arguments are dropped: too many slices were begun");
    }
    return add_slice(slice, open.args ? open.args->read : ReadArgs());
  }
  if (!open.args) {
    slice.args = keep_args(&read, json);
    return add_slice(slice, read);
  }
  held_bytes_ -= open.args->held_bytes;
  const ReadArgs& begun = open.args->read;
  fill_absent(begun.args, &read.args);
  read.has_any |= begun.has_any;
  if (read.bytes == 0) read.bytes = begun.bytes;
  if (!read.bandwidth) read.bandwidth = begun.bandwidth;
  const std::string& begun_json = open.args->json;
  slice.args = json.empty() || begun_json.empty()
                   ? keep_args(&read, json.empty() ? std::string_view(begun_json) : json)
                   : keep_args(&read, merged(begun_json, json));
  add_slice(slice, read);
}

void TraceBuilder::add_point(const RawTraceEvent& event, std::int64_t time) {
  TracePoint point;
  point.time = time;
  point.label = label_of(event);
  point.thread = thread_of(event);
  point.id = text(event.id);
  point.args = keep_args(event);
  point.phase = event.phase.text().front();
  trace_.points.push_back(point);
  if (event.name.text() == trace::kMemoryEvent && trace::is_instant(point.phase)) {
    const std::string unusable = memory_.add(time, object_text(event.args));
    if (!unusable.empty()) problem(event.offset, unusable);
  }
}

void TraceBuilder::add_timed_point(const RawTraceEvent& event) {
  if (const auto time = time_of(event)) add_point(event, *time);
}

// Names and places of processes and threads.
void TraceBuilder::read_metadata(const RawTraceEvent& event) {
  const std::string_view what = event.name.text();
  const bool is_process = what.starts_with("process_");
  if (!is_process && !what.starts_with("thread_")) return;
  const std::string_view attribute = what.substr(what.find('_') + 1);
  const RawTraceArgs& arg = event.arg;
  const bool is_name = attribute == "name", is_place = attribute == "sort_index";
  if (!is_name && !is_place && attribute != "labels") return;
  const std::string_view value = trace_.texts[text(is_name    ? arg.name
                                                   : is_place ? arg.sort_index
                                                              : arg.labels)];
  trace::TraceThread& thread = trace_.threads[thread_of(event)];
  Process& process = processes_[thread.pid];
  if (is_place) {
    (is_process ? process.sort_index : thread.thread_sort_index) = number_of<std::int64_t>(value);
  } else if (is_name) {
    (is_process ? process.name : thread.name) = value;
    count_names(value.size());
  } else if (is_process) {
    process.labels = value;
    count_names(value.size());
  }
}

// The older form: a slice's flows are named in its own event. A slice with both directions is a
// step: what comes in goes on.
void TraceBuilder::add_bound_flow(const RawTraceEvent& event, std::int64_t time) {
  const bool is_in = is_true(event.flow_in), is_out = is_true(event.flow_out);
  if (!event.bind_id || (!is_in && !is_out)) return;
  const auto step = !is_in    ? TraceFlow::Step::kStart
                    : !is_out ? TraceFlow::Step::kEnd
                              : TraceFlow::Step::kStep;
  flows_.add({time, step, trace_.labels[label_of(event)].category, thread_of(event)}, event,
             event.bind_id);
}

void TraceBuilder::add_flow_event(const RawTraceEvent& event, TraceFlow::Step step) {
  const auto time = time_of(event);
  if (!time) return;
  flows_.add_event({*time, step, trace_.labels[label_of(event)].category, thread_of(event)}, event);
}

RawTraceEvent* TraceBuilder::begin_event() {
  event_ = {};
  return &event_;
}

void TraceBuilder::end_event(bool is_whole) {
  if (is_whole) add(event_);
}

void TraceBuilder::add(const RawTraceEvent& event) {
  if (!refusal_.empty()) return;
  ++trace_.events;
  add_event(event);
  is_in_budget(event.offset);
}

void TraceBuilder::add_event(const RawTraceEvent& event) {
  // `{}` closes the lists of writers that end every event with a comma.
  if (event.is_empty) {
    ++trace_.fillers;
    return;
  }
  if (event.phase.text().size() != 1) {
    return refuse(event, event.phase ? "an event of an unknown phase" : "an event without ph");
  }
  if (!has_room_for(event)) {
    return refuse(event, "the trace has more threads or slices than can be kept");
  }
  const char phase = event.phase.text().front();
  switch (phase) {
    case 'X':
      return add_complete(event);
    case 'B':
      return begin(event);
    case 'E':
      return end(event);
    case 's':
      return add_flow_event(event, TraceFlow::Step::kStart);
    case 't':
      return add_flow_event(event, TraceFlow::Step::kStep);
    case 'f':
      return add_flow_event(event, TraceFlow::Step::kEnd);
    case 'M':
      read_metadata(event);
      return add_point(event, microseconds_to_ns(event.time.text()).value_or(0));
    default:
      if (is_point_phase(phase)) return add_timed_point(event);
      problem(event.offset, "an event of an unknown phase");
      return add_point(event, microseconds_to_ns(event.time.text()).value_or(0));
  }
}

Trace TraceBuilder::finish() {
  if (!refusal_.empty()) return {};
  for (const std::vector<OpenSlice>& stack : open_) {
    trace_.unclosed += static_cast<std::int64_t>(stack.size());
    for (const OpenSlice& open : stack) {
      TracePoint point;
      point.time = open.slice.start;
      point.label = open.slice.label;
      point.thread = open.slice.thread;
      point.args = open.slice.args;
      if (point.args == 0 && open.args) {
        point.args = keep_args(&open.args->read, open.args->json);
      }
      point.phase = 'B';
      trace_.points.push_back(point);
    }
  }
  open_.clear();
  trace_.memory = memory_.sums();
  flows_.finish([this](std::int64_t offset, std::string_view reason) {
    ++trace_.refused;
    problem(offset, reason);
  });
  for (trace::TraceThread& thread : trace_.threads) {
    const auto found = processes_.find(thread.pid);
    if (found == processes_.end()) continue;
    const Process& process = found->second;
    count_names(process.name.size() + process.labels.size());
    if (!is_in_budget(0)) return {};
    thread.process_name = process.name;
    thread.process_labels = process.labels;
    thread.process_sort_index = process.sort_index;
  }
  count_names(trace_.assign_roles(true) * kAroundRowLabel);
  if (!is_in_budget(0)) return {};
  return std::move(trace_);
}

}  // namespace benchhud::ingest
