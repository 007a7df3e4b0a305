#include "server/routes/result_list.h"

#include <fmt/format.h>

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

Expected<ResultList> ResultList::make(RequestContext& context) {
  ResultList list;
  list.since_ = context.query.time("since", -kForever);
  list.until_ = context.query.time("until", kForever);
  const ExperimentFilter filter(context.query);
  std::set<const service::RunEntry*> named;
  for (const auto& text : context.query.texts("run")) {
    const auto& models = context.query.texts("accelerator_model");
    BENCHHUD_ASSIGN(const service::RunEntry* entry,
                    find_run(context, text, "run", models.size() == 1 ? models.front() : ""));
    named.insert(entry);
  }
  list.named_runs_ = !named.empty();
  for (const service::RunEntry& entry : context.snapshot().runs) {
    if (list.named_runs_ && named.count(&entry) == 0) continue;
    if (entry.run.started_at < list.since_ || entry.run.started_at >= list.until_) continue;
    if (filter.matches_accelerator(entry.run.accelerator_model)) list.runs_.push_back(&entry);
  }
  list.all_experiments_ = filter.is_open();
  list.matches_.resize(context.catalog().entries().size());
  for (const CatalogEntry& entry : context.catalog().entries()) {
    if (!filter.matches(entry)) continue;
    list.matches_[context.catalog().place(entry)] = true;
    list.experiments_.push_back(&entry);
  }
  return list;
}

std::string ResultList::key(const RequestContext& context) const {
  if (!named_runs_) return std::to_string(context.snapshot().revision);
  std::string key = std::to_string(context.snapshot().catalog_version);
  for (const service::RunEntry* entry : runs_) key += fmt::format(".{}", entry->history);
  return key;
}

Expected<bool> ResultList::look_up(const RequestContext& context, const service::RunEntry& entry,
                                   std::size_t first_place, const Take& take) const {
  const auto errors = service::error_texts(context.view);
  for (const CatalogEntry* candidate : experiments_) {
    if (context.catalog().place(*candidate) < first_place) continue;
    if (candidate->experiment().accelerator_model != entry.run.accelerator_model) continue;
    const auto facts = context.reader().result(entry.run.id, candidate->id());
    if (!facts) {
      if (facts.error().code == schema::ErrorCode::kNotFound) continue;
      return facts.error();
    }
    std::optional<schema::VerificationFacts> last;
    if (!facts->verification) {
      BENCHHUD_ASSIGN(last,
                      context.reader().last_verification(candidate->id(), entry.run.started_at));
    }
    BENCHHUD_ASSIGN(const auto view, analysis::judge_stored_result(context.reader(), *candidate,
                                                                   *facts, last, errors));
    BENCHHUD_TRY(errors.status());
    if (!take(entry, *candidate, view)) return false;
  }
  return true;
}

Expected<bool> ResultList::walk_run(const RequestContext& context, const service::RunEntry& entry,
                                    std::size_t first_place, const Take& take) const {
  if (experiments_.size() <= kFewExperiments) return look_up(context, entry, first_place, take);
  BENCHHUD_ASSIGN(const auto judged, context.analyses.run(context.view, entry));
  for (const auto& view : judged->results) {
    const CatalogEntry* found = context.catalog().find(view.experiment);
    if (found == nullptr) continue;
    const std::size_t place = context.catalog().place(*found);
    if (place < first_place || !matches_[place]) continue;
    if (!take(entry, *found, view)) return false;
  }
  return true;
}

Expected<void> ResultList::walk(const RequestContext& context,
                                const std::optional<ResultPlace>& after, const Take& take) const {
  for (const service::RunEntry* entry : runs_) {
    std::size_t first_place = 0;
    if (after) {
      const auto key = std::pair(entry->run.started_at, entry->run.id);
      const auto last = std::pair(after->started_at, after->run);
      if (key > last) continue;
      if (key == last) {
        const CatalogEntry* found = context.catalog().find(after->experiment);
        first_place = found == nullptr ? kGone : context.catalog().place(*found) + 1;
      }
    }
    BENCHHUD_ASSIGN(const bool goes_on, walk_run(context, *entry, first_place, take));
    if (!goes_on) return {};
  }
  return {};
}

Expected<std::int64_t> ResultList::total(const RequestContext& context) const {
  std::int64_t total = 0;
  if (all_experiments_) {
    for (const service::RunEntry* entry : runs_) total += entry->run.result_count;
    return total;
  }
  if (!named_runs_) {
    for (const CatalogEntry* entry : experiments_) {
      BENCHHUD_ASSIGN(const std::int64_t count,
                      context.reader().count_results(entry->id(), since_, until_));
      total += count;
    }
    return total;
  }
  const auto count = [&](const service::RunEntry&, const CatalogEntry&,
                         const analysis::ResultView&) {
    ++total;
    return true;
  };
  BENCHHUD_TRY(walk(context, {}, count));
  return total;
}

}  // namespace benchhud::server
