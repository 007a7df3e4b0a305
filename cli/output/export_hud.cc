#include "cli/output/export_hud.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "analysis/upstream/hud_export.h"
#include "ingest/results/results_line_text.h"
#include "schema/results/line_replay.h"
#include "schema/results/reader.h"

namespace benchhud::cli {

using schema::Expected;

namespace {

analysis::ResultsText results_text() {
  analysis::ResultsText text;
  text.line = [](const schema::StoredResultLine& stored) {
    ingest::ResultsLine line = ingest::results_line_of(stored);
    line.metrics.clear();
    line.error.reset();
    line.origin.reset();
    std::string written;
    ingest::append_results_line(line, &written);
    return written;
  };
  text.value = [](const schema::Measurement& metric) {
    std::string written;
    ingest::append_metric(metric, &written);
    return written;
  };
  return text;
}

}  // namespace

Expected<void> export_hud(schema::Connection& store, const std::optional<std::string>& run,
                          const std::string& repository) {
  schema::Reader reader(store);
  std::vector<schema::Run> runs;
  if (run) {
    BENCHHUD_ASSIGN(schema::Run found, reader.find_run(*run));
    runs.push_back(std::move(found));
  } else {
    BENCHHUD_ASSIGN(runs, reader.runs({}));
    std::reverse(runs.begin(), runs.end());
  }
  for (schema::Run& one : runs) {
    const std::array ids = {one.id};
    analysis::HudExport exported(std::move(one), repository, results_text());
    BENCHHUD_TRY(
        schema::replay_lines_of_runs(store, ids, [&](const schema::StoredResultLine& line) {
          exported.note(line);
          return true;
        }));
    BENCHHUD_TRY(
        schema::replay_lines_of_runs(store, ids, [&](const schema::StoredResultLine& line) {
          exported.write(line, [](const std::string& record) {
            std::fwrite(record.data(), 1, record.size(), stdout);
            std::fputc('\n', stdout);
          });
          return true;
        }));
  }
  return {};
}

}  // namespace benchhud::cli
