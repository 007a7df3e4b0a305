#include "export_hud.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "analysis/hud_export.h"
#include "schema/line_replay.h"
#include "schema/reader.h"

namespace benchhud::cli {

using schema::Expected;

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
    analysis::HudExport exported(std::move(one), repository);
    BENCHHUD_TRY(schema::replay_lines_of_runs(store, ids, [&](const schema::WholeLine& line) {
      exported.note(line);
      return true;
    }));
    BENCHHUD_TRY(schema::replay_lines_of_runs(store, ids, [&](const schema::WholeLine& line) {
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
