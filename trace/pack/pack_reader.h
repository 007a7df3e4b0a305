// Reads from a pack, whoever made it, what a trace's file would say: what cannot be derived. The
// rest (which slice lies in which, sums, the index, findings, devices) is not read, because it
// might contradict the events; it is derived again from what is read here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "trace/trace.h"
#include "trace/trace_args.h"
#include "trace/trace_derived.h"
#include "trace/trace_hlo.h"
#include "trace/trace_limits.h"

namespace benchhud::trace {

/// What is read of a pack at most: a few compressed kilobytes may stand for gigabytes.
struct PackLimits {
  /// With the slices of derived tracks. So many has a trace's file of the largest size that is
  /// taken in, 8 GiB, at 40 bytes an event, which is little for one.
  std::uint64_t events = (std::uint64_t{8} << 30) / 40;
  /// No more have room in so many names.
  std::uint64_t labels = std::uint64_t{1} << 26;
  std::uint64_t text_bytes = std::uint64_t{1} << 30;  ///< of names
  /// Arguments, and bytes of them, unpacked, where each event has its own.
  std::uint64_t args = events, args_bytes = std::uint64_t{8} << 30;
  std::uint64_t threads = kMostTraceThreads, problems = Trace::kMostProblems;
  std::uint64_t modules = kMostHloModules, module_bytes = kMostHloTexts;  ///< of HLO
};

/// Reads a pack. Errors of all: kCorrupt, with the file's name, and where it is known the table or
/// the block; kTooLarge beyond what is read at most; kIo.
class PackReader {
 public:
  /// After check_pack(), whose errors it has.
  static schema::Expected<PackReader> open(const std::filesystem::path& file,
                                           const PackLimits& limits = {});

  /// The hash and the size of the file that the trace was made of, as the pack states them: without
  /// that file they cannot be checked.
  const schema::ContentHash& content() const { return content_; }
  std::int64_t byte_count() const { return byte_count_; }

  /// The whole trace; its arguments go to `args`, with the numbers that they have, unless it is
  /// null.
  schema::Expected<Trace> trace(PackedArgs* args);
  /// The tracks that repeat its slices, which only the profile's file tells; none where it is of no
  /// profile, or by other rules than this program's. `trace`: as trace() gave it.
  schema::Expected<std::optional<DerivedTracks>> derived_tracks(const Trace& trace);
  /// The modules that its profile holds, put into `to`, and by its numbers; none where it is no
  /// profile. `trace`: as trace() gave it. The caller holds the write transaction of `to`.
  schema::Expected<std::optional<TraceHlo>> put_hlo(const Trace& trace, schema::Connection& to);

 private:
  PackReader(schema::Connection pack, std::string name, const PackLimits& limits)
      : pack_(std::move(pack)), name_(std::move(name)), limits_(limits) {}
  schema::Expected<void> read_content();
  /// The bytes of each.
  schema::Expected<std::vector<std::uint32_t>> read_args(PackedArgs* args);
  schema::Expected<void> check(const Trace& trace, const std::vector<std::uint32_t>& args) const;
  struct DerivedLimits;
  schema::Expected<DerivedTrack> derived_track(const Trace& trace, std::uint32_t number,
                                               DerivedLimits* left, TextPool* names);
  /// A module by its number in the pack; gives that in `to`.
  schema::Expected<std::int64_t> put_module(std::int64_t number, schema::Connection& to,
                                            std::uint64_t* bytes);
  /// The same error, of the pack.
  schema::Error named(schema::Error error) const;
  schema::Error corrupt(std::string_view what) const;
  schema::Error too_long_args() const;

  schema::Connection pack_;
  std::string name_;
  PackLimits limits_;
  schema::ContentHash content_;
  std::int64_t byte_count_ = 0;
};

}  // namespace benchhud::trace
