// A window of a trace as a Chrome trace.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "schema/base/time.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "service/traces/trace_export.h"

namespace benchhud::server {
namespace {

using schema::Expected;

// What of a dump's name a header may hold, and every file system.
std::string file_name_part(std::string_view text) {
  constexpr std::size_t kMostBytes = 150;
  constexpr std::string_view kKept = "._-+";
  std::string part;
  for (const char each : text.substr(0, kMostBytes)) {
    const bool is_kept = (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
                         (each >= 'A' && each <= 'Z') || kKept.find(each) != kKept.npos;
    part += is_kept ? each : '_';
  }
  return part;
}

// As the dump is called, with the day of its run: the same file comes every night.
Expected<std::string> export_name(RequestContext& context, const AskedTrace& asked) {
  const bool is_part =
      context.query.has("begin") || context.query.has("end") || context.query.has("tracks");
  const std::string_view end = is_part ? "-part.json" : ".json";
  BENCHHUD_ASSIGN(const auto artifact,
                  trace::dump_of_trace(context.reader().connection(), asked.id));
  if (!artifact) return fmt::format("trace-{}{}", asked.key, end);
  BENCHHUD_ASSIGN(const schema::Artifact dump, context.reader().artifact(*artifact));
  std::string_view name = dump.name;
  name.remove_prefix(name.rfind('/') + 1);
  for (const std::string_view extension : {".gz", ".zst", ".json"}) {
    if (name.ends_with(extension)) name.remove_suffix(extension.size());
  }
  std::string day;
  const service::RunEntry* run =
      dump.results.empty() ? nullptr : context.snapshot().find(dump.results[0].run);
  constexpr std::size_t kDayChars = 10;  // 2026-01-31
  if (run != nullptr) {
    day = fmt::format("-{:.{}}", schema::format_time(run->run.started_at), kDayChars);
  }
  return file_name_part(name).append(day).append(end);
}

Expected<ResponsePlan> export_trace(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const TrackFilter tracks, asked_track_filter(context));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(context, asked));
  BENCHHUD_TRY(refuse_other_sites(context));
  ResponsePlan plan{asked.key, {}};
  plan.is_immutable = context.query.has("key");
  BENCHHUD_ASSIGN(plan.file_name, export_name(context, asked));
  // A pack stays open for it, though its file may go from the cache before the end.
  plan.stream = [asked, tracks, window](schema::Connection& connection,
                                        const schema::ByteSink& take) -> Expected<void> {
    service::ExportQuery query;
    query.begin = window.begin;
    query.end = window.end;
    query.is_wanted = [&](std::uint32_t thread) { return tracks.matches(thread); };
    BENCHHUD_ASSIGN(const auto data, asked.data.is_pack()
                                         ? Expected<trace::OpenTrace>(asked.data)
                                         : trace::OpenTrace::open(connection, asked.id));
    return write_chrome_trace(data.database(), data.number(), query, take);
  };
  return plan;
}

}  // namespace

std::span<const NamedRoute> trace_export_routes() {
  static constexpr std::array routes = {NamedRoute{"exportTrace", export_trace}};
  return routes;
}

}  // namespace benchhud::server
