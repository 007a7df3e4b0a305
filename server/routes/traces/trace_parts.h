// What the routes about stored traces have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/routes/route_parts.h"
#include "service/traces/trace_digest.h"
#include "service/traces/track_list.h"
#include "trace/dropped_trace.h"
#include "trace/pack/open_trace.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"

namespace benchhud::server {

/// The trace that a request is about. Times on its own clock are counted from its first slice:
/// nanoseconds since 1970 are beyond what a browser's numbers hold exactly.
struct AskedTrace {
  schema::TraceId id{};
  trace::OpenTrace data;  ///< where what is in it is read
  trace::TraceInfo info;
  /// Tells its content, and the program that reads it, from others: 16 hexadecimal digits.
  std::string key;
};

/// Who asks, as dropped_trace.h wants it.
trace::TokenId token_of(const RequestContext& context);
/// What is said of a trace that is not there, and of one that somebody else dropped.
schema::Error no_trace(schema::TraceId id);

/// An error of a trace that is kept outside the store, as who asks is told it: the address of the
/// place, the keys it is asked with and names of files are for who is signed in.
schema::Error as_told(RequestContext& context, schema::Error error);
/// What those are told who are not.
schema::Error without_place(schema::Error error);

/// The trace of the parameter `id`. Errors: kNotFound where there is none that who asks may see, or
/// where the parameter `key` is of another one: what an address with a key answers is kept for good
/// by who asked. Of a trace that somebody dropped nothing is kept: it sets `is_private`.
schema::Expected<AskedTrace> asked_trace(RequestContext& context);

/// What an answer hangs on that is made of the trace's index, its devices or its findings: they may
/// be derived after the trace was taken in, and again later.
schema::Expected<std::string> derived_key(const RequestContext& context, const AskedTrace& trace);

/// An answer that hangs on the trace alone, of which nothing ever changes. `body` refers to nothing
/// but `ask` and what is in the store.
ResponsePlan trace_plan(const RequestContext& context, const AskedTrace& trace,
                        std::variant<WriteJson, MakeText> body);

struct AskedWindow {
  std::int64_t begin = 0, end = 0;  ///< ns on the trace's own clock: [begin, end)
};

/// The window of the parameters `begin` and `end`, which are counted from the origin; without an
/// end it goes on to the end of time. Error: kInvalidArgument where it is empty.
schema::Expected<AskedWindow> asked_window(RequestContext& context, const AskedTrace& trace);

/// The digest of a dump's trace, or of one that who asks dropped; none where it is to be renewed.
/// Errors: kCorrupt, the store's.
schema::Expected<std::optional<service::TraceDigest>> digest_of_trace(RequestContext& context,
                                                                      const AskedTrace& trace);

/// The trace's index. Error: kBusy where it has none yet.
schema::Expected<trace::TraceIndex> asked_index(const AskedTrace& trace);

/// A slice as JSON: where it is and what it is called. `origin`: of the trace, ns.
schema::Expected<void> write_placed(schema::JsonWriter& json, trace::TraceQueries& lookup,
                                    const trace::PlacedSlice& placed, std::int64_t origin);
/// The members alone, for an object that has more.
void write_placed_fields(schema::JsonWriter& json, const trace::PlacedSlice& placed,
                         const trace::LabelText& label, std::int64_t origin);

/// A label as JSON; `sums` null: not known.
void write_label(schema::JsonWriter& json, std::uint32_t number, const trace::LabelText& text,
                 const trace::SliceSums* sums);

/// The tracks of the parameter `name`, with commas between: at least one, at most `limit`, and with
/// bands only where `bands`. Error: kInvalidArgument, and the parameter is wrong.
schema::Expected<std::vector<service::TrackBand>> asked_tracks(RequestContext& context,
                                                               std::string_view name,
                                                               std::size_t limit, bool bands);

/// At least one number, at most `limit`, with commas between, of the parameter `name`.
schema::Expected<std::vector<std::uint32_t>> asked_numbers(RequestContext& context,
                                                           std::string_view name,
                                                           std::size_t limit);

/// The tracks that a request is about.
class TrackFilter {
 public:
  /// All of them.
  TrackFilter() = default;
  explicit TrackFilter(std::vector<std::uint32_t> tracks) : tracks_(std::move(tracks)) {}
  bool is_all() const { return !tracks_; }
  bool matches(std::uint32_t track) const {
    return !tracks_ || std::find(tracks_->begin(), tracks_->end(), track) != tracks_->end();
  }

 private:
  std::optional<std::vector<std::uint32_t>> tracks_;
};

/// Those of the parameter `tracks`, or all.
schema::Expected<TrackFilter> asked_track_filter(RequestContext& context);

}  // namespace benchhud::server
