// Packs that somebody changed who knows how they are made: rows by SQL, blobs within their frames,
// bytes of pages, with the head and all checksums made right afterwards.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/db/database.h"
#include "schema/db/text_store.h"
#include "trace/pack/pack_reader.h"
#include "trace/trace_derived.h"
#include "trace/trace_device.h"
#include "trace/trace_hlo.h"
#include "trace/trace_index.h"
#include "trace/trace_nesting.h"
#include "trace/trace_store.h"
#include "trace/xla_profile.h"

namespace benchhud::trace {

inline constexpr std::size_t kPackPage = 1024, kPackHead = 100;

inline std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// As schema/db/page_checksums.cc says: so that a change is not seen by its page.
inline void make_checksums_right(std::string* bytes) {
  for (std::size_t at = 0; at + kPackPage <= bytes->size(); at += kPackPage) {
    const std::string_view page = std::string_view(*bytes).substr(at, kPackPage - 8);
    std::uint64_t sum = 0;
    if (at == 0) {
      std::string head(page.substr(0, kPackHead));
      for (const auto& [begin, size] : {std::pair(18, 2), {24, 8}, {40, 4}, {92, 8}}) {
        head.replace(static_cast<std::size_t>(begin), static_cast<std::size_t>(size),
                     static_cast<std::size_t>(size), '\0');
      }
      const std::string_view rest = page.substr(kPackHead);
      sum = XXH3_64bits_withSeed(rest.data(), rest.size(),
                                 XXH3_64bits_withSeed(head.data(), head.size(), 1));
    } else {
      sum = XXH3_64bits_withSeed(page.data(), page.size(), at / kPackPage + 1);
    }
    if (sum == 0) sum = 1;
    for (std::size_t i = 0; i < 8; ++i) {
      (*bytes)[at + kPackPage - 8 + i] = static_cast<char>(sum >> 8 * i);
    }
  }
}

/// The head of a pack that has so many bytes; `like` is one.
inline void make_head_right(std::string* bytes, std::string_view like) {
  if (bytes->size() < kPackHead) return;
  const std::size_t pages = bytes->size() / kPackPage;
  bytes->replace(0, kPackHead, like.substr(0, kPackHead));
  for (std::size_t i = 0; i < 4; ++i) (*bytes)[28 + i] = static_cast<char>(pages >> 8 * (3 - i));
}

/// Runs `apply` on a pack as a database, and makes it look as benchhud makes packs. False where
/// `apply` gives that.
template <class Change>
bool change_pack(const std::filesystem::path& file, const Change& apply) {
  const std::string whole = bytes_of_file(file);
  {
    auto pack = schema::Connection::create_unchanging(file.string(), static_cast<int>(kPackPage));
    if (!pack) std::abort();
    if (!apply(*pack)) return false;
    // Pages that nothing is on any more would tell.
    if (!pack->execute("VACUUM")) std::abort();
  }
  std::string bytes = bytes_of_file(file);
  make_head_right(&bytes, whole);
  make_checksums_right(&bytes);
  write_file(file, bytes);
  return true;
}

/// Makes a pack say that it was made of a file of that content.
inline void claim_content(const std::filesystem::path& file, const schema::ContentHash& content) {
  const bool is_changed = change_pack(file, [&](schema::Connection& pack) {
    schema::Statement update = pack.prepare("UPDATE trace SET content_hash = $1");
    return bool(update.bind_blob(1, content.view()).run());
  });
  if (!is_changed) std::abort();
}

/// Puts a small trace with everything in it that a pack may hold into a store.
inline schema::TraceId put_trace_with_everything(schema::Connection& store, Trace trace) {
  XlaProfile profile;
  profile.devices.resize(2);
  XlaOperator& op = profile.operators.emplace_back();
  op.name = trace.texts.put("fusion");
  op.self_ps = op.time_ps = 7;
  profile.kernels.emplace_back().name = op.name;
  profile.modules.emplace_back().name = op.name;
  profile.runs.push_back({.module = 0, .begin = 3, .end = 90});
  profile.steps.push_back({.name = op.name, .thread = 1, .number = 4, .begin = 3, .end = 90});
  profile.allocators.emplace_back().name = op.name;
  trace.xla = std::make_shared<const XlaProfile>(std::move(profile));
  PackedArgs args;
  for (int i = 0; i < 1000; ++i) args.put("{\"i\": " + std::to_string(i) + "}");
  const auto id = put_trace(store, trace, nest(trace, NestingRows::kYes), &args,
                            schema::content_hash("everything"), 12345);
  if (!id) std::abort();
  DerivedTracks derived;
  DerivedTrack& track = derived.tracks.emplace_back();
  track.thread.name = "XLA Ops";
  track.stack_rows = {0};
  const std::uint32_t name = derived.names.put("derived fusion");
  for (std::int64_t i = 0; i < 50; ++i) track.slices.push_back({10 * i, 10, name, 0});
  TraceHlo hlo;
  schema::TextWriter texts(store);
  const auto text = texts.put(schema::pack_text("HloModule m\n" + std::string(2000, 'x')));
  const auto module = text ? put_hlo_module(store, "m", *text) : schema::Expected<std::int64_t>(0);
  hlo.modules = {{module ? *module : 0, 15}, {module ? *module : 0, 16}};
  const std::vector<BusySpan> spans = {{3, 50}, {60, 90}};
  const bool is_put =
      text && module && put_derived_tracks(store, *id, derived) && index_trace(store, *id) &&
      put_trace_hlo(store, *id, hlo) &&
      put_trace_devices(store, *id, std::vector<PackedDevice>{{TraceDevice(), pack_busy(spans)}});
  if (!is_put) std::abort();
  return *id;
}

/// All events of a trace, sorted, with what a store keeps of each.
inline std::vector<std::vector<std::int64_t>> events_of(const Trace& trace) {
  std::vector<std::vector<std::int64_t>> events;
  const auto add = [&](std::vector<std::int64_t> event, const TraceArgs* args) {
    if (args != nullptr) {
      event.insert(event.end(), {args->correlation, args->external_id, args->sequence,
                                 static_cast<std::int64_t>(args->packed), args->origin});
    }
    events.push_back(std::move(event));
  };
  for (const TraceSlice& each : trace.slices) {
    const TraceArgs args = trace.args_of(each);
    add({0, each.thread, each.start, each.duration, each.label}, &args);
  }
  for (const TracePoint& each : trace.points) {
    const TraceArgs args = trace.args_of(each);
    add({1, each.thread, each.time, each.label, each.id, each.phase}, &args);
  }
  for (const TraceFlow& each : trace.flows) {
    add({2, each.thread, each.time, each.category, static_cast<std::int64_t>(each.step)}, nullptr);
  }
  std::sort(events.begin(), events.end());
  return events;
}

/// Takes a pack in as an ingest does, and looks at all that came of it. Gives the error that
/// stopped it; what is taken in and is then found not to hold together ends the program.
inline schema::Expected<void> take_in(const std::filesystem::path& file, schema::Connection& to,
                                      const PackLimits& limits = {}) {
  BENCHHUD_ASSIGN(auto reader, PackReader::open(file, limits));
  PackedArgs args;
  BENCHHUD_ASSIGN(const Trace trace, reader.trace(&args));
  BENCHHUD_ASSIGN(const auto tracks, reader.derived_tracks(trace));
  BENCHHUD_ASSIGN(const auto hlo, reader.put_hlo(trace, to));
  const auto id = put_trace(to, trace, nest(trace, NestingRows::kYes), &args, reader.content(),
                            reader.byte_count());
  if (!id) std::abort();
  if (tracks && (!put_derived_tracks(to, *id, *tracks) || !index_trace(to, *id))) std::abort();
  if (hlo && !put_trace_hlo(to, *id, *hlo)) std::abort();
  // The store has nothing now that it would not take for its own.
  const auto stored = read_trace(to, *id);
  if (!stored || events_of(*stored) != events_of(trace)) std::abort();
  if (stored->threads.size() != trace.threads.size() ||
      stored->problems.size() != trace.problems.size()) {
    std::abort();
  }
  return {};
}

}  // namespace benchhud::trace
