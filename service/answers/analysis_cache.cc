#include "service/answers/analysis_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace benchhud::service {
namespace {

using schema::Expected;

std::string key_of(const Snapshot& snapshot, const RunEntry& entry) {
  return fmt::format("{:x}.{:x}", entry.history, snapshot.catalog_version);
}

/// The limit for judged runs: about a hundred nights of 800 results.
constexpr std::size_t kJudgedBytes = std::size_t{32} << 20;

/// And so much of what failed: some thousand nights of a thousand results.
constexpr std::size_t kFailuresBytes = std::size_t{24} << 20;

std::size_t size_of(const analysis::RunFailures& run) {
  return sizeof(run) + run.attempts.capacity() * sizeof(analysis::Attempt) +
         run.failures.capacity() * sizeof(analysis::Failure);
}

std::size_t size_of(const analysis::JudgedRun& run) {
  std::size_t size = sizeof(run) + run.results.capacity() * sizeof(analysis::ResultView);
  for (const auto& result : run.results) size += result.steady_samples.capacity() * sizeof(double);
  return size;
}

/// The limit for digests: about a million results, a year of nights of 2,500 results.
constexpr std::size_t kDigestBytes = std::size_t{64} << 20;

std::size_t size_of(const analysis::RunDigest& run) {
  std::size_t size = sizeof(run) + run.results.capacity() * sizeof(analysis::ResultDigest);
  for (const auto& code : run.codes) size += sizeof(code) + code.capacity();
  return size;
}

/// So much of speedups (the same results over two or three baselines) and of rollups is kept.
constexpr std::size_t kSpeedupBytes = std::size_t{16} << 20;
constexpr std::size_t kRollupBytes = std::size_t{16} << 20;

/// What a group takes with its names.
constexpr std::size_t kBytesOfRollup = sizeof(analysis::GroupRollup) + 64;

/// A failure without timings that is not a skip on purpose.
bool counts_as_failed(const schema::RunCounts::Failures& failures,
                      const analysis::ErrorTexts& errors) {
  schema::ResultFacts facts;
  facts.failure = schema::FailureFacts{schema::LineId{0}, failures.error, failures.code};
  return analysis::judge_result(facts, {}, errors).status == analysis::Status::kFailed;
}

bool still_so(const RunsOfIngest& kept, const Snapshot& snapshot) {
  return std::all_of(kept.begin(), kept.end(), [&](const auto& known) {
    const RunEntry* entry = snapshot.find(known.first);
    return entry != nullptr && entry->run.revision == known.second;
  });
}

}  // namespace

analysis::ErrorTexts error_texts(View view) {
  return analysis::ErrorTexts(
      [view](schema::TextId id) { return view.snapshot.error_texts->get(view.reader, id); },
      [view](std::span<const schema::TextId> ids) {
        return view.snapshot.error_texts->read_ahead(view.reader, ids);
      });
}

AnalysisCache::Kept<analysis::JudgedRun> AnalysisCache::run(View view, const RunEntry& entry) {
  return runs_.get(key_of(view.snapshot, entry), [&] {
    return analysis::judge_run(view.reader, entry.run, *view.snapshot.catalog, error_texts(view));
  });
}

AnalysisCache::AnalysisCache()
    : runs_(kJudgedBytes, [](const auto& run) { return size_of(run); }),
      digests_(kDigestBytes, [](const auto& run) { return size_of(run); }),
      speedups_(kSpeedupBytes,
                [](const auto& run) { return sizeof(run) + run.size() * sizeof(double); }),
      rollups_(kRollupBytes,
               [](const auto& run) { return sizeof(run) + run.size() * kBytesOfRollup; }),
      failures_(kFailuresBytes, [](const auto& run) { return size_of(run); }) {}

/// Not kept unless it was: a walk through a year of runs must not drive out those that people look
/// at.
AnalysisCache::Kept<analysis::JudgedRun> AnalysisCache::compute_uncached(View view,
                                                                         const RunEntry& entry) {
  auto judged = runs_.find(key_of(view.snapshot, entry));
  if (judged == nullptr) {
    BENCHHUD_ASSIGN(auto made, analysis::judge_run(view.reader, entry.run, *view.snapshot.catalog,
                                                   error_texts(view)));
    judged = std::make_shared<const analysis::JudgedRun>(std::move(made));
  }
  return judged;
}

AnalysisCache::Kept<analysis::RunDigest> AnalysisCache::digest(View view, const RunEntry& entry) {
  return digests_.get(key_of(view.snapshot, entry), [&]() -> Expected<analysis::RunDigest> {
    BENCHHUD_ASSIGN(const auto judged, compute_uncached(view, entry));
    return digest_run(*judged);
  });
}

AnalysisCache::Kept<std::vector<double>> AnalysisCache::speedups(View view, const RunEntry& entry,
                                                                 std::string_view baseline) {
  const std::string key = fmt::format("{}.{}", key_of(view.snapshot, entry), baseline);
  return speedups_.get(key, [&]() -> Expected<std::vector<double>> {
    BENCHHUD_ASSIGN(const auto digest, this->digest(view, entry));
    return analysis::digest_speedups(*digest, *view.snapshot.catalog, baseline);
  });
}

AnalysisCache::Kept<std::vector<analysis::GroupRollup>> AnalysisCache::rollup(
    View view, const RunEntry& entry, const analysis::SliceGroups& groups, std::string_view slice) {
  const std::string key = fmt::format("{}.{}", key_of(view.snapshot, entry), slice);
  return rollups_.get(key, [&]() -> Expected<std::vector<analysis::GroupRollup>> {
    BENCHHUD_ASSIGN(const auto digest, this->digest(view, entry));
    BENCHHUD_ASSIGN(const auto speedups, this->speedups(view, entry, groups.slice().baseline));
    return analysis::roll_up(*digest, *speedups, groups);
  });
}

AnalysisCache::Kept<analysis::RunSummary> AnalysisCache::summary(View view, const RunEntry& entry,
                                                                 std::string_view baseline) {
  const std::string run_key = key_of(view.snapshot, entry);
  const std::string key = fmt::format("{}.{}", run_key, baseline);
  return summaries_.get(key, [&]() -> Expected<analysis::RunSummary> {
    BENCHHUD_ASSIGN(const auto judged, compute_uncached(view, entry));
    // Who asks for a run's summary looks at runs over time, and will ask for its digest.
    if (digests_.find(run_key) == nullptr) {
      digests_.put(run_key, std::make_shared<const analysis::RunDigest>(digest_run(*judged)));
    }
    return summarize_run(*judged, *view.snapshot.catalog, baseline);
  });
}

std::string AnalysisCache::dependencies(const Snapshot& snapshot, const RunEntry& entry,
                                        const BaselineChoice& choice) {
  std::string text = key_of(snapshot, entry) + "." + choice.backend;
  switch (choice.mode) {
    case BaselineChoice::Mode::kSame:
      break;
    // The newest run's history covers all runs of the accelerator model.
    case BaselineChoice::Mode::kOldest:
    case BaselineChoice::Mode::kLatest:
      text += fmt::format(".{:x}", snapshot.newest_of(entry).history);
      break;
    case BaselineChoice::Mode::kNamed:
      text += fmt::format(".{:x}", choice.named->history);
      break;
  }
  return text;
}

AnalysisCache::Kept<analysis::Baseline> AnalysisCache::baseline(View view, const RunEntry& entry,
                                                                const BaselineChoice& choice,
                                                                analysis::Estimator estimator) {
  const RunEntry* source = &entry;
  if (choice.mode == BaselineChoice::Mode::kLatest) source = &view.snapshot.newest_of(entry);
  if (choice.mode == BaselineChoice::Mode::kNamed) source = choice.named;
  const bool oldest = choice.mode == BaselineChoice::Mode::kOldest;
  // One oldest baseline serves all runs of an accelerator model.
  const RunEntry& keyed = oldest ? view.snapshot.newest_of(entry) : *source;
  const std::string key = fmt::format("{}.{}.{}.{}", key_of(view.snapshot, keyed), choice.backend,
                                      oldest, static_cast<int>(estimator));
  return baselines_.get(key, [&]() -> Expected<analysis::Baseline> {
    const auto& catalog = *view.snapshot.catalog;
    if (oldest) {
      return analysis::oldest_baseline(view.reader, catalog, choice.backend,
                                       entry.run.accelerator_model, estimator);
    }
    BENCHHUD_ASSIGN(const auto judged, run(view, *source));
    return analysis::baseline_of_run(*judged, catalog, choice.backend, estimator);
  });
}

AnalysisCache::Kept<RunChanges> AnalysisCache::changes(View view, const RunEntry& since,
                                                       const RunEntry& entry) {
  const std::string key = fmt::format("{}.{:x}", key_of(view.snapshot, entry), since.history);
  return changes_.get(key, [&]() -> Expected<RunChanges> {
    BENCHHUD_ASSIGN(const auto before, run(view, since));
    BENCHHUD_ASSIGN(const auto after, run(view, entry));
    const auto started_at = [&](schema::RunId id) {
      const RunEntry* found = view.snapshot.find(id);
      return found == nullptr ? 0.0 : found->run.started_at;
    };
    RunChanges changes;
    changes.verification =
        analysis::verification_changes(*before, *after, *view.snapshot.catalog, started_at);
    changes.moves = analysis::largest_moves(*before, *after, kMostMoves);
    return changes;
  });
}

AnalysisCache::Kept<std::vector<analysis::GroupChange>> AnalysisCache::group_changes(
    View view, const RunEntry& since, const RunEntry& entry, std::string_view baseline) {
  const std::string key =
      fmt::format("{}.{:x}.{}", key_of(view.snapshot, entry), since.history, baseline);
  using Changes = std::vector<analysis::GroupChange>;
  return group_changes_.get(key, [&]() -> Expected<Changes> {
    BENCHHUD_ASSIGN(const auto before, run(view, since));
    BENCHHUD_ASSIGN(const auto after, run(view, entry));
    return analysis::group_changes(*before, *after, *view.snapshot.catalog, baseline);
  });
}

AnalysisCache::Kept<analysis::RunFailures> AnalysisCache::failures(View view,
                                                                   const RunEntry& entry) {
  // What earlier runs say does not matter: a stale verification fails of nothing.
  const std::string key = fmt::format("{}.{}", schema::to_int(entry.run.id), entry.run.revision);
  return failures_.get(key, [&]() -> Expected<analysis::RunFailures> {
    BENCHHUD_ASSIGN(const auto results, view.reader.results_without_samples(entry.run.id));
    const auto errors = error_texts(view);
    BENCHHUD_TRY(errors.read_ahead(results));
    auto failures = analysis::failures_of(results, errors);
    BENCHHUD_TRY(errors.status());
    return failures;
  });
}

AnalysisCache::Kept<SearchIndex> AnalysisCache::search_index(View view) {
  const Snapshot& snapshot = view.snapshot;
  return searches_.get(std::to_string(snapshot.revision), [&]() -> Expected<SearchIndex> {
    std::vector<KnownError> errors;
    for (const auto& [model, places] : snapshot.accelerators) {
      BENCHHUD_TRY(known_errors(view, places, &errors));
    }
    std::shared_ptr<const SearchIndex> before;
    {
      const std::scoped_lock lock(last_search_mutex_);
      before = last_search_;
    }
    auto made = SearchIndex::make(view.reader, snapshot, errors, before.get());
    if (made) {
      const std::scoped_lock lock(last_search_mutex_);
      last_search_ = std::make_shared<const SearchIndex>(*made);
    }
    return made;
  });
}

Expected<void> AnalysisCache::known_errors(View view, const std::vector<std::size_t>& places,
                                           std::vector<KnownError>* errors) {
  std::vector<std::shared_ptr<const analysis::RunFailures>> runs;
  std::vector<double> started_at;
  for (std::size_t i = std::min(places.size(), kSearchedRuns); i-- > 0;) {
    const RunEntry& entry = view.snapshot.runs[places[i]];
    BENCHHUD_ASSIGN(auto run, failures(view, entry));
    runs.push_back(std::move(run));
    started_at.push_back(entry.run.started_at);
  }
  for (const auto& trend : analysis::error_trends(runs, [](auto) { return true; })) {
    const auto& signature = trend.error->signature;
    const auto known = std::find_if(errors->begin(), errors->end(),
                                    [&](const auto& one) { return one.signature == signature; });
    KnownError& error = known == errors->end() ? errors->emplace_back() : *known;
    error.signature = signature;
    error.kind = trend.error->kind;
    error.experiments += trend.experiments.size();
    error.last_seen = std::max(error.last_seen, started_at[trend.last]);
  }
  return {};
}

AnalysisCache::Kept<RunCard> AnalysisCache::card(View view, const RunEntry& entry) {
  const std::string key = fmt::format("{}.{}", schema::to_int(entry.run.id), entry.run.revision);
  return cards_.get(key, [&]() -> Expected<RunCard> {
    RunCard card;
    BENCHHUD_ASSIGN(card.invocations, view.reader.invocations(entry.run.id));
    BENCHHUD_ASSIGN(const auto counts, view.reader.run_counts(entry.run.id));
    card.timed = counts.timed;
    const auto errors = error_texts(view);
    std::vector<schema::TextId> texts;
    for (const auto& failures : counts.untimed) {
      if (failures.error) texts.push_back(*failures.error);
    }
    BENCHHUD_TRY(errors.read_ahead(std::move(texts)));
    for (const auto& failures : counts.untimed) {
      if (counts_as_failed(failures, errors)) card.failed += failures.count;
    }
    BENCHHUD_TRY(errors.status());
    BENCHHUD_ASSIGN(const auto marks,
                    schema::night_marks(view.reader.connection(), entry.run.accelerator_model));
    card.marks = schema::marks_of(entry.run, marks);
    return card;
  });
}

AnalysisCache::Kept<RunsOfIngest> AnalysisCache::runs_of(View view,
                                                         const schema::IngestedFile& file) {
  const std::string key = std::to_string(schema::to_int(file.id));
  if (auto kept = runs_of_ingests_.find(key); kept && still_so(*kept, view.snapshot)) return kept;
  BENCHHUD_ASSIGN(const auto ids, view.reader.runs_of_ingest(file.id));
  auto made = std::make_shared<RunsOfIngest>();
  for (const auto id : ids) {
    const RunEntry* entry = view.snapshot.find(id);
    if (entry != nullptr) made->emplace_back(id, entry->run.revision);
  }
  std::shared_ptr<const RunsOfIngest> kept = std::move(made);
  // One without runs has nothing to tell by whether it is still so.
  if (!kept->empty()) runs_of_ingests_.put(key, kept);
  return kept;
}

}  // namespace benchhud::service
