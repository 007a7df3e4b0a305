#include "schema/alerts/alert_run.h"

#include <utility>

#include "schema/queries.h"

namespace benchhud::schema {
namespace {

Expected<std::optional<Run>> read_run(Reader& reader, RunId id) {
  auto run = reader.run(id);
  if (run) return std::optional(*std::move(run));
  if (run.error().code != ErrorCode::kNotFound) return run.error();
  Statement query = reader.connection().cached(sql::kAlertRun);
  query.bind(1, id);
  std::optional<Run> kept;
  if (query.step()) {
    kept.emplace();
    kept->id = id;
    kept->name = query.text(0);
    kept->accelerator_model = query.text(1);
    kept->started_at = query.real(2);
  }
  BENCHHUD_TRY(query.status());
  return kept;
}

}  // namespace

Expected<const Run*> AlertRuns::find(std::optional<RunId> id) {
  if (!id) return nullptr;
  if (const Run* run = lookup_ ? lookup_(*id) : nullptr) return run;
  auto known = known_.find(*id);
  if (known == known_.end()) {
    BENCHHUD_ASSIGN(auto run, read_run(reader_, *id));
    known = known_.emplace(*id, std::move(run)).first;
  }
  return known->second ? &*known->second : nullptr;
}

}  // namespace benchhud::schema
