#include "trace/pack/pack_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "schema/db/text_store.h"
#include "trace/pack/pack_file.h"
#include "trace/queries.h"
#include "trace/trace_access.h"
#include "trace/trace_chunk.h"
#include "trace/trace_limits.h"
#include "trace/trace_queries.h"
#include "trace/trace_rows.h"
#include "trace/trace_store.h"
#include "trace/xla_profile.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Statement;

namespace {

bool none_negative(std::initializer_list<std::int64_t> numbers) {
  return std::ranges::all_of(numbers, [](std::int64_t number) { return number >= 0; });
}

// What the file may not say.
bool none_negative_if_known(std::initializer_list<std::optional<std::int64_t>> numbers) {
  return std::ranges::all_of(numbers, [](const auto& number) { return number.value_or(0) >= 0; });
}

bool is_sound(const XlaPeaks& peaks) {
  const auto is_peak = [](double peak) { return std::isfinite(peak) && peak >= 0; };
  return is_peak(peaks.flops_per_s) && std::ranges::all_of(peaks.bytes_per_s, is_peak);
}

// The shortest and the longest of some lengths, and their sum.
template <class Row>
bool has_sound_lengths(const Row& row) {
  return none_negative({row.min_ps, row.max_ps, row.total_ps}) && row.min_ps <= row.max_ps &&
         row.max_ps <= row.total_ps;
}

bool is_sound(const XlaDevice& device) {
  return is_sound(device.peaks) &&
         none_negative({device.span_ps, device.busy_ps, device.left_out, device.left_out_ps}) &&
         device.busy_ps <= device.span_ps;
}

bool is_sound(const XlaOperator& op) {
  const XlaCost& cost = op.cost;
  return none_negative({op.occurrences, op.kernels, op.time_ps, op.self_ps, cost.flops,
                        cost.flops_stated, cost.bytes, cost.bytes_stated}) &&
         std::ranges::none_of(cost.memory, [](std::int64_t bytes) { return bytes < 0; });
}

bool is_sound(const XlaKernel& kernel) {
  return kernel.count >= 0 && has_sound_lengths(kernel) &&
         none_negative_if_known({kernel.registers, kernel.static_shared, kernel.dynamic_shared}) &&
         kernel.registers.value_or(0) <= XlaKernel::kMostRegisters &&
         known_occupancy(kernel.occupancy_pct) == kernel.occupancy_pct;
}

bool is_sound(const XlaModule& module) { return module.runs >= 0 && has_sound_lengths(module); }

bool is_sound(const XlaAllocator& allocator) {
  return none_negative({allocator.allocations, allocator.deallocations}) &&
         none_negative_if_known(
             {allocator.peak_bytes, allocator.lifetime_peak_bytes, allocator.capacity_bytes}) &&
         allocator.peak_bytes.has_value() == allocator.peak_time.has_value();
}

// Whether an XLA profile's numbers are such as its reader makes: analysis counts on it.
bool is_sound(const XlaProfile& profile, std::size_t threads) {
  const auto all_sound = [](const auto& rows) {
    return std::ranges::all_of(rows, [](const auto& row) { return is_sound(row); });
  };
  const auto is_run = [](const XlaRun& run) { return run.begin <= run.end; };
  const auto is_step = [&](const XlaStep& step) {
    return step.begin <= step.end && step.thread < threads;
  };
  return all_sound(profile.devices) && all_sound(profile.operators) && all_sound(profile.kernels) &&
         all_sound(profile.modules) && all_sound(profile.allocators) &&
         std::ranges::all_of(profile.runs, is_run) && std::ranges::all_of(profile.steps, is_step) &&
         none_negative({profile.devices_left_out, profile.kernels_left_out,
                        profile.modules_left_out, profile.runs_left_out, profile.steps_left_out,
                        profile.allocators_left_out, profile.linked_runs,
                        profile.runs_without_launch, profile.launches_without_run,
                        profile.dropped_events});
}

}  // namespace

Expected<PackReader> PackReader::open(const std::filesystem::path& file, const PackLimits& limits) {
  BENCHHUD_ASSIGN(auto pack, check_pack(file));
  PackReader reader(std::move(pack), file.string(), limits);
  BENCHHUD_TRY(reader.read_content());
  return reader;
}

Error PackReader::named(Error error) const {
  // What a trace in a pack lacks is no question that the caller asked.
  if (error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument) {
    error.code = ErrorCode::kCorrupt;
  }
  error.message = fmt::format("{}: {}", name_, error.message);
  return error;
}

Error PackReader::corrupt(std::string_view what) const {
  return {ErrorCode::kCorrupt, fmt::format("{} is damaged: {}", name_, what)};
}

Expected<void> PackReader::read_content() {
  Statement query = pack_.prepare("SELECT content_hash, byte_count FROM trace");
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return corrupt("there is no row in its table trace");
  }
  const std::string_view hash = query.blob(0);
  byte_count_ = query.integer(1);
  if (hash.size() != content_.bytes.size() || byte_count_ < 0) {
    return corrupt("its table trace does not say of what content the trace is");
  }
  std::ranges::copy(hash, content_.bytes.begin());
  return {};
}

Expected<Trace> PackReader::trace(PackedArgs* args) {
  // First: to sum up memory the trace's reader looks arguments up, which takes as long as there
  // are.
  BENCHHUD_ASSIGN(const std::vector<std::uint32_t> args_sizes, read_args(args));
  auto trace = read_trace(pack_, kPackedTrace,
                          {.events = limits_.events,
                           .labels = limits_.labels,
                           .threads = limits_.threads,
                           .problems = limits_.problems,
                           .text_bytes = limits_.text_bytes});
  if (!trace) return named(std::move(trace).error());
  BENCHHUD_TRY(check(*trace, args_sizes));
  return trace;
}

Expected<std::vector<std::uint32_t>> PackReader::read_args(PackedArgs* args) {
  std::vector<std::uint32_t> sizes;
  std::uint64_t bytes = 0;
  Statement blocks = pack_.prepare(sql::kPlacedBlocksOfTrace);
  blocks.bind(1, kPackedTrace).bind(2, TraceBlockKind::kArgs);
  while (blocks.step()) {
    auto texts = decode_texts(blocks.blob(2));
    if (!texts) return named(std::move(texts).error());
    // By its place a block is found when they are looked up.
    if (std::cmp_not_equal(blocks.integer(0), sizes.size()) ||
        std::cmp_not_equal(blocks.integer(1), texts->size())) {
      return corrupt(
          fmt::format("a block of arguments in trace_block says that it begins with "
                      "number {} and has {}, and it begins with {} and has {}",
                      blocks.integer(0), blocks.integer(1), sizes.size(), texts->size()));
    }
    for (const std::string& text : *texts) {
      bytes += text.size();
      if (bytes > limits_.args_bytes || sizes.size() >= limits_.args) return too_long_args();
      // Events name them by number.
      if (args != nullptr && args->put(text) != sizes.size())
        return corrupt("a block of arguments in trace_block");
      sizes.push_back(static_cast<std::uint32_t>(text.size()));
    }
  }
  BENCHHUD_TRY(blocks.status());
  return sizes;
}

Error PackReader::too_long_args() const {
  return named({ErrorCode::kTooLarge,
                fmt::format("the arguments of the trace's events have more than the {} bytes that "
                            "are read at most, or are more than {}",
                            limits_.args_bytes, limits_.args)});
}

Expected<void> PackReader::check(const Trace& trace, const std::vector<std::uint32_t>& args) const {
  for (const std::int64_t count :
       {trace.events, trace.broken, trace.fillers, trace.refused, trace.pairs, trace.flow_events,
        trace.unclosed, trace.unmatched, trace.problem_count, trace.cuda_driver}) {
    if (count < 0) return corrupt("a count in its table trace is negative");
  }
  if (std::cmp_less(trace.problem_count, trace.problems.size())) {
    return corrupt("trace_problem has more rows than there are problems");
  }
  // In a trace's file each event has arguments of its own. Counting shared ones once for each event
  // bounds the time of whatever reads them event by event.
  std::uint64_t bytes = 0;
  const auto check_args = [&](const TraceArgs& of, std::string_view what) -> Expected<void> {
    if (of.packed == TraceArgs::kNotKept) return {};
    if (of.packed >= args.size()) {
      return corrupt(fmt::format("a {} has arguments that are not there", what));
    }
    bytes += args[of.packed];
    if (bytes > limits_.args_bytes) return too_long_args();
    return {};
  };
  for (const TraceSlice& slice : trace.slices) {
    BENCHHUD_TRY(check_args(trace.args_of(slice), "slice"));
  }
  for (const TracePoint& point : trace.points) {
    BENCHHUD_TRY(check_args(trace.args_of(point), "point"));
  }
  if (trace.xla && !is_sound(*trace.xla, trace.threads.size())) {
    return corrupt("its XLA profile has numbers that no profile has");
  }
  return {};
}

// What may be read yet, of all derived tracks together.
struct PackReader::DerivedLimits {
  std::uint64_t slices, text_bytes;
  std::uint64_t tracks;
};

Expected<std::optional<DerivedTracks>> PackReader::derived_tracks(const Trace& trace) {
  TraceQueries lookup(pack_, kPackedTrace);
  BENCHHUD_ASSIGN(const TraceInfo info, lookup.info());
  if (!trace.xla || info.lacks_derived_tracks) return std::optional<DerivedTracks>();
  DerivedTracks derived;
  derived.has_no_room = !info.has_derived_tracks;
  if (derived.has_no_room) return std::optional(std::move(derived));
  // Of the trace there are no more of either.
  DerivedLimits left{
      .slices = limits_.events - trace.slices.size() - trace.points.size() - trace.flows.size(),
      .text_bytes = limits_.text_bytes,
      .tracks = limits_.threads - trace.threads.size()};
  Statement threads = pack_.prepare(sql::kThreadsOfTrace);
  threads.bind(1, kPackedTrace).bind(2, true);
  while (threads.step()) {
    constexpr int kIsDerived = 13;
    if (threads.integer(kIsDerived) == 0) continue;
    const std::uint64_t bytes = text_bytes_of_thread(threads);
    if (left.tracks == 0 || bytes > left.text_bytes) {
      return corrupt("trace_thread has too many derived threads, or too long names of them");
    }
    --left.tracks;
    left.text_bytes -= bytes;
    const auto number = static_cast<std::uint32_t>(threads.integer(0));
    BENCHHUD_ASSIGN(auto track, derived_track(trace, number, &left, &derived.names));
    track.thread = thread_of(threads);
    derived.tracks.push_back(std::move(track));
  }
  BENCHHUD_TRY(threads.status());
  return std::optional(std::move(derived));
}

Expected<DerivedTrack> PackReader::derived_track(const Trace& trace, std::uint32_t number,
                                                 DerivedLimits* left, TextPool* names) {
  DerivedTrack track;
  Statement chunks = pack_.cached(sql::kChunksOfThread);
  chunks.bind(1, kPackedTrace).bind(2, std::int64_t{number});
  while (chunks.step()) {
    auto slices = decode_slices(chunks.blob(0));
    if (!slices) return named(std::move(slices).error());
    for (ChunkSlice& slice : *slices) {
      const std::vector<ChunkSlice>& before = track.slices;
      // Each row has slices, which is what bounds the rows.
      const bool is_behind = before.empty() ? slice.row == 0
                                            : slice.row == std::uint64_t{before.back().row} + 1 ||
                                                  (slice.row == before.back().row &&
                                                   slice.begin >= before.back().end());
      if (slice.label >= trace.labels.size() || !is_behind || left->slices == 0) {
        return corrupt(fmt::format("trace_chunk of the derived thread {}", number));
      }
      --left->slices;
      slice.label = names->put(trace.texts[trace.labels[slice.label].name]);
      track.slices.push_back(slice);
    }
  }
  BENCHHUD_TRY(chunks.status());
  const std::size_t most_rows = track.slices.empty() ? 0 : std::size_t{track.slices.back().row} + 1;
  auto rows = stack_rows_of(pack_, kPackedTrace, number, most_rows);
  if (!rows) return named(std::move(rows).error());
  const bool ascends =
      std::ranges::adjacent_find(*rows, std::ranges::greater_equal()) == rows->end();
  if (!ascends || (!rows->empty() && rows->back() >= most_rows)) {
    return corrupt(fmt::format("stack_rows of the derived thread {}", number));
  }
  track.stack_rows = *std::move(rows);
  return track;
}

Expected<std::optional<TraceHlo>> PackReader::put_hlo(const Trace& trace, Connection& to) {
  if (!trace.xla) return std::optional<TraceHlo>();
  auto held = trace_hlo(pack_, kPackedTrace, limits_.modules);
  if (!held) return named(std::move(held).error());
  if (!*held) return std::optional<TraceHlo>();
  TraceHlo hlo = **std::move(held);
  if (hlo.llo_bytes < 0 || hlo.unreadable < 0 || hlo.left_out < 0) {
    return corrupt("a count in trace_hlo is negative");
  }
  std::uint64_t bytes = 0;
  std::set<std::pair<std::int64_t, std::int64_t>> known;
  std::map<std::int64_t, std::int64_t> put;  // several programs may be of one module
  for (HloModuleUse& use : hlo.modules) {
    if (!known.emplace(use.module, use.program_id).second) {
      return corrupt("trace_hlo has a module twice");
    }
    auto found = put.find(use.module);
    if (found == put.end()) {
      // As a profile's file is read: the last one may go beyond.
      if (bytes > limits_.module_bytes) return corrupt("its HLO modules have too long texts");
      BENCHHUD_ASSIGN(const std::int64_t module, put_module(use.module, to, &bytes));
      found = put.emplace(use.module, module).first;
    }
    use.module = found->second;
  }
  return std::optional(std::move(hlo));
}

Expected<std::int64_t> PackReader::put_module(std::int64_t number, Connection& to,
                                              std::uint64_t* bytes) {
  auto module = hlo_module(pack_, number);
  if (!module) return named(std::move(module).error());
  auto packed = schema::packed_text(pack_, module->text);
  if (!packed) return named(std::move(packed).error());
  auto text = schema::unpack_text(packed->bytes, packed->is_zstd, packed->byte_count);
  if (!text) return named(std::move(text).error());
  if (schema::content_hash(*text) != packed->hash) {
    return corrupt(fmt::format("the text of the HLO module {} is not that of its hash", number));
  }
  *bytes += text->size();
  // So it is written where a profile is read. The name is that of the text in all profiles.
  constexpr std::string_view kHead = "HloModule ";
  std::string_view word =
      text->starts_with(kHead) ? std::string_view(*text).substr(kHead.size()) : "";
  word = word.substr(
      0, static_cast<std::size_t>(std::ranges::find_if_not(word, is_of_hlo_name) - word.begin()));
  if (word.size() != std::max<std::size_t>(module->name.size(), 1) ||
      word != hlo_name(module->name)) {
    return corrupt(
        fmt::format("the text of the HLO module {} does not begin with its name", number));
  }
  schema::TextWriter texts(to);
  BENCHHUD_ASSIGN(const schema::TextId put, texts.put(schema::pack_text(*text)));
  return put_hlo_module(to, module->name, put);
}

}  // namespace benchhud::trace
