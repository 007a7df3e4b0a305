#include "cli/output/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "analysis/trace/time_totals.h"
#include "cli/output/replaced_file.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"
#include "service/traces/trace_export.h"
#include "service/traces/track_list.h"
#include "trace/pack/arriving_trace.h"
#include "trace/pack/open_trace.h"
#include "trace/trace_queries.h"

namespace benchhud::cli {
namespace {

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

Expected<schema::TraceId> asked_trace(Connection& store, const TraceExportRequest& request) {
  if (request.trace) {
    const auto number = schema::TraceId(*request.trace);
    BENCHHUD_ASSIGN(const bool is_partial, trace::is_coming_in(store, number));
    if (!is_partial) return number;
    return Error{ErrorCode::kNotFound, fmt::format("there is no trace {}", *request.trace)};
  }
  BENCHHUD_ASSIGN(const schema::Artifact artifact,
                  schema::Reader(store).artifact(schema::ArtifactId(*request.artifact)));
  if (artifact.trace) return *artifact.trace;
  return Error{ErrorCode::kUnsupported, fmt::format("dump {} is no trace", *request.artifact)};
}

Expected<service::ExportQuery> asked_window(const TraceExportRequest& request,
                                            std::int64_t origin) {
  service::ExportQuery query;
  query.begin = request.begin ? analysis::sum_of(origin, *request.begin)
                              : std::numeric_limits<std::int64_t>::min();
  query.end = request.end ? analysis::sum_of(origin, *request.end)
                          : std::numeric_limits<std::int64_t>::max();
  if (query.begin >= query.end) {
    return Error{ErrorCode::kInvalidArgument, "--end must be behind --begin"};
  }
  if (!request.tracks) return query;
  BENCHHUD_ASSIGN(const auto tracks, service::read_track_list(*request.tracks, "--tracks",
                                                              service::kMostTracksListed, false));
  query.is_wanted = [tracks](std::uint32_t thread) {
    return std::any_of(tracks.begin(), tracks.end(),
                       [&](const service::TrackBand& each) { return each.track == thread; });
  };
  return query;
}

Expected<void> write_to(std::FILE* file, const std::string& name, const trace::OpenTrace& data,
                        const service::ExportQuery& query) {
  bool is_written = true;
  const auto write = [&](std::string_view piece) {
    is_written = std::fwrite(piece.data(), 1, piece.size(), file) == piece.size();
    return is_written;
  };
  BENCHHUD_TRY(service::write_chrome_trace(data.database(), data.number(), query, write));
  if (!is_written || std::fflush(file) != 0) return cannot_write(name);
  return {};
}

}  // namespace

Expected<void> export_trace(const TraceExportRequest& request) {
  BENCHHUD_ASSIGN(Connection store, schema::open_store_for_reading(request.store));
  // One state of the store from the first piece to the last, whatever is ingested meanwhile.
  BENCHHUD_ASSIGN(const auto transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kRead));
  BENCHHUD_ASSIGN(const schema::TraceId trace, asked_trace(store, request));
  BENCHHUD_ASSIGN(const auto data, trace::OpenTrace::open(store, trace));
  BENCHHUD_ASSIGN(const trace::TraceInfo info,
                  trace::TraceQueries(data.database(), data.number()).info());
  BENCHHUD_ASSIGN(const service::ExportQuery query, asked_window(request, info.origin));
  if (request.out) {
    return replace_file(*request.out,
                        [&](std::FILE* file) { return write_to(file, *request.out, data, query); });
  }
  return write_to(stdout, "standard output", data, query);
}

}  // namespace benchhud::cli
