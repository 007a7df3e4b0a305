#include "server/routes/result_list.h"

#include <algorithm>
#include <limits>
#include <set>

#include "server/routes/route_parts.h"

namespace benchhud::server {

using analysis::CatalogEntry;
using schema::Expected;

namespace {

/// So few experiments of a run are looked up one by one; for more the whole run is read.
constexpr std::size_t kFewExperiments = 64;

/// The experiment of a result that is gone can no longer tell where the list goes on.
constexpr std::size_t kGone = std::numeric_limits<std::size_t>::max();

}  // namespace

Expected<ResultList> ResultList::make(Ask& ask) {
  ResultList list;
  list.since_ = ask.query.time("since", -kForever);
  list.until_ = ask.query.time("until", kForever);
  const ExperimentFilter filter(ask.query);
  std::set<const service::RunEntry*> named;
  for (const auto& text : ask.query.texts("run")) {
    const auto& models = ask.query.texts("accelerator_model");
    BENCHHUD_ASSIGN(const service::RunEntry* entry,
                    find_run(ask, text, "run", models.size() == 1 ? models.front() : ""));
    named.insert(entry);
  }
  list.named_runs_ = !named.empty();
  for (const service::RunEntry& entry : ask.snapshot().runs) {
    if (list.named_runs_ && named.count(&entry) == 0) continue;
    if (entry.run.started_at < list.since_ || entry.run.started_at >= list.until_) continue;
    if (filter.fits_accelerator(entry.run.accelerator_model)) list.runs_.push_back(&entry);
  }
  list.all_experiments_ = filter.is_open();
  list.fits_.resize(ask.catalog().entries().size());
  for (const CatalogEntry& entry : ask.catalog().entries()) {
    if (!filter.fits(entry)) continue;
    list.fits_[ask.catalog().place(entry)] = true;
    list.experiments_.push_back(&entry);
  }
  return list;
}

std::string ResultList::key(const Ask& ask) const {
  if (!named_runs_) return std::to_string(ask.snapshot().revision);
  std::string key = std::to_string(ask.snapshot().catalog_version);
  for (const service::RunEntry* entry : runs_) key += "." + std::to_string(entry->history);
  return key;
}

Expected<bool> ResultList::look_up(const Ask& ask, const service::RunEntry& entry, std::size_t first_place,
                                   const Take& take) const {
  const auto errors = service::error_texts(ask.view);
  for (const CatalogEntry* candidate : experiments_) {
    if (ask.catalog().place(*candidate) < first_place) continue;
    if (candidate->experiment().accelerator_model != entry.run.accelerator_model) continue;
    const auto facts = ask.reader().result(entry.run.id, candidate->id());
    if (!facts) {
      if (facts.error().code == schema::ErrorCode::kNotFound) continue;
      return facts.error();
    }
    std::optional<schema::VerificationFacts> last;
    if (!facts->verification) {
      BENCHHUD_ASSIGN(last, ask.reader().last_verification(candidate->id(), entry.run.started_at));
    }
    BENCHHUD_ASSIGN(const auto view,
                    analysis::judge_stored_result(ask.reader(), *candidate, *facts, last, errors));
    BENCHHUD_TRY(errors.status());
    if (!take(entry, *candidate, view)) return false;
  }
  return true;
}

Expected<bool> ResultList::walk_run(const Ask& ask, const service::RunEntry& entry, std::size_t first_place,
                                    const Take& take) const {
  if (experiments_.size() <= kFewExperiments) return look_up(ask, entry, first_place, take);
  BENCHHUD_ASSIGN(const auto judged, ask.judge.run(ask.view, entry));
  for (const auto& view : judged->results) {
    const CatalogEntry* found = ask.catalog().find(view.experiment);
    if (found == nullptr) continue;
    const std::size_t place = ask.catalog().place(*found);
    if (place < first_place || !fits_[place]) continue;
    if (!take(entry, *found, view)) return false;
  }
  return true;
}

Expected<void> ResultList::walk(const Ask& ask, const std::optional<ResultPlace>& after,
                                const Take& take) const {
  for (const service::RunEntry* entry : runs_) {
    std::size_t first_place = 0;
    if (after) {
      const auto key = std::pair(entry->run.started_at, entry->run.id);
      const auto last = std::pair(after->started_at, after->run);
      if (key > last) continue;
      if (key == last) {
        const CatalogEntry* found = ask.catalog().find(after->experiment);
        first_place = found == nullptr ? kGone : ask.catalog().place(*found) + 1;
      }
    }
    BENCHHUD_ASSIGN(const bool goes_on, walk_run(ask, *entry, first_place, take));
    if (!goes_on) return {};
  }
  return {};
}

Expected<std::int64_t> ResultList::total(const Ask& ask) const {
  std::int64_t total = 0;
  if (all_experiments_) {
    for (const service::RunEntry* entry : runs_) total += entry->run.result_count;
    return total;
  }
  if (!named_runs_) {
    for (const CatalogEntry* entry : experiments_) {
      BENCHHUD_ASSIGN(const std::int64_t count,
                      ask.reader().count_results(entry->id(), since_, until_));
      total += count;
    }
    return total;
  }
  const auto count = [&](const service::RunEntry&, const CatalogEntry&, const analysis::ResultView&) {
    ++total;
    return true;
  };
  BENCHHUD_TRY(walk(ask, {}, count));
  return total;
}

}  // namespace benchhud::server
