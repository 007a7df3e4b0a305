// A window of a trace as a Chrome trace.
#include <array>

#include "server/trace_export.h"
#include "server/trace_parts.h"
#include "server/trace_routes.h"

namespace benchhud::server {
namespace {

using schema::Expected;

Expected<Plan> export_trace(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_ASSIGN(const TrackFilter tracks, asked_track_filter(ask));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(ask, asked));
  BENCHHUD_TRY(refuse_other_sites(ask));
  Plan plan{asked.key, nullptr};
  plan.is_immutable = ask.query.has("key");
  plan.file_name = "trace-" + asked.key + ".json";
  plan.stream = [trace = asked.id, tracks, window](schema::Connection& connection,
                                                   const TakePiece& take) {
    ExportQuery query;
    query.begin = window.begin;
    query.end = window.end;
    query.is_wanted = [&](std::uint32_t thread) { return tracks.fits(thread); };
    return write_chrome_trace(connection, trace, query, take);
  };
  return plan;
}

constexpr std::array kRoutes = {NamedRoute{"exportTrace", export_trace}};

}  // namespace

std::span<const NamedRoute> trace_export_routes() { return kRoutes; }

}  // namespace benchhud::server
