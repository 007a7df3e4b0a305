// All of it at once: lines as the runner wrote them, and the store itself.
#include <algorithm>
#include <array>

#include "ingest/results/results_line_text.h"
#include "schema/results/line_replay.h"
#include "schema/results/reader.h"
#include "server/api/downloads.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using schema::Expected;

constexpr std::size_t kLinesPieceBytes = 64 << 10;

/// What the parameters run, since, until, label and accelerator_model leave, oldest first.
Expected<std::vector<schema::RunId>> chosen_runs(RequestContext& context) {
  std::vector<schema::RunId> runs;
  if (context.query.has("run")) {
    BENCHHUD_ASSIGN(const service::RunEntry* entry,
                    find_run(context, context.query.text("run"), "run", ""));
    runs.push_back(entry->run.id);
    return runs;
  }
  for (const service::RunEntry& entry : context.snapshot().runs) {
    if (matches_run(context.query, entry.run)) runs.push_back(entry.run.id);
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

Expected<ResponsePlan> download_lines(RequestContext& context) {
  BENCHHUD_TRY(refuse_other_sites(context));
  BENCHHUD_ASSIGN(auto runs, chosen_runs(context));
  ResponsePlan plan{revision_key(context), {}};
  plan.content_type = "application/x-ndjson";
  plan.file_name = "results.jsonl";
  plan.stream = [runs = std::move(runs)](schema::Connection& connection,
                                         const schema::ByteSink& take) -> Expected<void> {
    std::string piece;
    const auto give = [&] {
      const bool is_taken = take(piece);
      piece.clear();
      return is_taken;
    };
    BENCHHUD_ASSIGN(
        const bool is_whole,
        schema::replay_lines_of_runs(connection, runs, [&](const schema::StoredResultLine& line) {
          ingest::append_results_line(ingest::results_line_of(line), &piece);
          piece += '\n';
          return piece.size() < kLinesPieceBytes || give();
        }));
    if (is_whole && !piece.empty()) give();
    return {};
  };
  return plan;
}

Expected<ResponsePlan> download_store(RequestContext& context) {
  BENCHHUD_TRY(refuse_other_sites(context));
  ResponsePlan plan{revision_key(context), {}};
  plan.content_type = "application/vnd.sqlite3";
  plan.file_name = "benchhud.db";
  BENCHHUD_ASSIGN(const auto copy, context.downloads.begin());
  plan.stream = [copy](schema::Connection& connection,
                       const schema::ByteSink& take) -> Expected<void> {
    return copy->send(connection, take);
  };
  return plan;
}

}  // namespace

std::span<const NamedRoute> download_routes() {
  static constexpr std::array routes = {NamedRoute{"downloadLines", download_lines},
                                        NamedRoute{"downloadStore", download_store}};
  return routes;
}

}  // namespace benchhud::server
