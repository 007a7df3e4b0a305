#include "analysis/results/result_view.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/results/timing_review.h"
#include "analysis/timing/phases.h"
#include "schema/model/hud_terms.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kExcerptLimit = 600;

/// The end of a text: whole lines where one begins near enough, never the middle of a character.
std::string end_of(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  if (text.size() <= kExcerptLimit) return std::string(text);
  std::string_view tail = text.substr(text.size() - kExcerptLimit);
  const std::size_t line = tail.find('\n');
  if (line != std::string_view::npos && line < kExcerptLimit / 2)
    return std::string(tail.substr(line + 1));
  std::size_t start = 0;
  while (start < 4 && (static_cast<unsigned char>(tail[start]) & 0xC0) == 0x80) ++start;
  return std::string(tail.substr(start));
}

std::shared_ptr<const ErrorText> without_text(const std::optional<std::string>& code) {
  auto error = std::make_shared<ErrorText>();
  error->signature = code ? *code + " without an error text" : "no error text";
  return error;
}

std::shared_ptr<const ErrorText> error_of(const std::optional<schema::TextId>& id,
                                          const std::optional<std::string>& code,
                                          const ErrorTexts& errors) {
  if (id) {
    if (auto error = errors.get(*id)) return error;
  }
  return without_text(code);
}

/// torch's dynamo runner writes zeros, as for a failure, for what it leaves out on purpose; only
/// the accuracy check tells which it is.
bool is_skipped_on_purpose(const schema::ResultFacts& facts) {
  return !facts.timing_line && facts.verification &&
         facts.verification->code == schema::kSkippedOnPurpose;
}

std::shared_ptr<const ErrorText> skipped_on_purpose() {
  auto error = std::make_shared<ErrorText>();
  error->kind = ErrorKind::kSkipped;
  error->signature = schema::kSkippedOnPurpose;
  return error;
}

/// A line without timings and without an error, of a code that blames nobody, did not fail.
bool tells_of_failure(const schema::FailureFacts& failure) {
  if (failure.error) return true;
  return failure.code && *failure.code != "VERIFIER_SKIPPED" && *failure.code != "PASS";
}

using KnownTexts = std::unordered_map<schema::TextId, ErrorTexts::Text>;

/// How many texts are kept at most, of perhaps 1 KB each.
constexpr std::size_t kMostTexts = 4096;

/// The store's, of which some are known.
ErrorTexts texts_beyond(schema::Reader& reader, KnownTexts texts) {
  auto known = std::make_shared<KnownTexts>(std::move(texts));
  return ErrorTexts([&reader, known](schema::TextId id) -> schema::Expected<ErrorTexts::Text> {
    if (const auto found = known->find(id); found != known->end()) return found->second;
    BENCHHUD_ASSIGN(const std::string text, reader.text(id));
    if (known->size() >= kMostTexts) known->clear();
    return (*known)[id] = std::make_shared<const ErrorText>(read_error(text));
  });
}

/// Tells how long a result compiled, unless that takes its measurements: then its timing facts, for
/// settle_compile().
std::optional<TimingFacts> judge_compile(const CatalogEntry& entry,
                                         const schema::ResultFacts& facts, ResultView* view) {
  if (!facts.timing_line) return std::nullopt;
  TimingFacts timing = compile_facts(entry.experiment(), facts.total_time, facts.xla_compile_time);
  if (may_recompile(timing)) return timing;
  view->compile = compile_time(timing, {});
  return std::nullopt;
}

/// `measurements`: of the result's timing line.
void settle_compile(const TimingFacts& timing,
                    std::span<const schema::StoredMeasurement> measurements,
                    const CatalogEntry& entry, const schema::ResultFacts& facts, ResultView* view) {
  const TimingCounts counts = timing_counts(measurements, entry, facts);
  view->compile = compile_time(timing, counts.dynamo ? *counts.dynamo : DynamoReport());
}

/// `measure` reads what the result's timing line holds.
template <class Measure>
schema::Expected<ResultView> judge_with(const Measure& measure, const CatalogEntry& entry,
                                        const schema::ResultFacts& facts,
                                        const std::optional<schema::VerificationFacts>& last,
                                        const ErrorTexts& errors) {
  ResultView view = judge_result(facts, last, errors);
  if (const auto timing = judge_compile(entry, facts, &view)) {
    BENCHHUD_ASSIGN(const auto measurements, measure());
    settle_compile(*timing, measurements, entry, facts, &view);
  }
  return view;
}

}  // namespace

ErrorTexts::Text ErrorTexts::get(schema::TextId id) const {
  auto text = read_(id);
  if (text) return *std::move(text);
  if (!error_) error_ = std::move(text).error();
  return nullptr;
}

schema::Expected<void> ErrorTexts::read_ahead(std::vector<schema::TextId> ids) const {
  if (!read_ahead_ || ids.empty()) return {};
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return read_ahead_(ids);
}

schema::Expected<void> ErrorTexts::read_ahead(std::span<const schema::ResultFacts> results) const {
  std::vector<schema::TextId> ids;
  for (const schema::ResultFacts& facts : results) {
    if (facts.failure && facts.failure->error) ids.push_back(*facts.failure->error);
    if (facts.verification && facts.verification->error) ids.push_back(*facts.verification->error);
  }
  return read_ahead(std::move(ids));
}

schema::Expected<void> ErrorTexts::status() const {
  if (error_) return *error_;
  return {};
}

ErrorTexts error_texts_of(schema::Reader& reader) { return texts_beyond(reader, {}); }

schema::Expected<ErrorTexts> error_texts_of(schema::Reader& reader, schema::RunId run) {
  KnownTexts known;
  BENCHHUD_TRY(
      reader.visit_error_texts(run, kMostTexts, [&](schema::TextId id, std::string_view text) {
        known[id] = std::make_shared<const ErrorText>(read_error(text));
      }));
  return texts_beyond(reader, std::move(known));
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::kTimed:
      return "timed";
    case Status::kFailed:
      return "failed";
    case Status::kSkipped:
      return "skipped";
    case Status::kNotTimed:
      return "not_timed";
  }
  return "not_timed";
}

ErrorText read_error(std::string_view text) {
  ErrorSummary summary = summarize_error(text);
  return {summary.kind, std::move(summary.signature), end_of(text)};
}

VerificationView judge_verification(const schema::VerificationFacts& facts, bool stale,
                                    double run_started_at, const ErrorTexts& errors) {
  VerificationView view;
  view.code = facts.code;
  view.verification_outcome = verification_info(facts.code).verification_outcome;
  view.verified_at = facts.verified_at;
  view.run = facts.run;
  view.stale = stale;
  if (stale) view.age = std::max(0.0, run_started_at - facts.verified_at);
  view.shared = facts.shared;
  if (facts.error && facts.line) {
    view.failure = FailureView{error_of(facts.error, facts.code, errors), *facts.line, false};
  }
  return view;
}

ResultView judge_result(const schema::ResultFacts& facts,
                        const std::optional<schema::VerificationFacts>& last,
                        const ErrorTexts& errors) {
  ResultView view;
  view.experiment = facts.experiment;
  view.repeat = facts.repeat;
  view.iterations_per_run = facts.iterations_per_run;
  if (facts.failure && tells_of_failure(*facts.failure)) {
    view.failure = FailureView{is_skipped_on_purpose(facts)
                                   ? skipped_on_purpose()
                                   : error_of(facts.failure->error, facts.failure->code, errors),
                               facts.failure->line, facts.timing_line.has_value()};
  }
  view.is_only_profiled = facts.profiled_line.has_value();
  if (facts.timing_line) {
    view.status = Status::kTimed;
    view.steady_samples = steady_samples(facts.per_iter_time);
    view.steady = steady(facts.per_iter_time);
    view.upstream = upstream_exec(facts.total_time);
    view.compile_upstream = upstream_compile(facts.total_time);
    if (const auto compile = xla_compile(facts.xla_compile_time)) {
      view.compile_xla = compile->compile;
    }
  } else if (is_skipped_on_purpose(facts)) {
    view.status = Status::kSkipped;
  } else if (view.failure) {
    view.status =
        view.failure->error->kind == ErrorKind::kSkipped ? Status::kSkipped : Status::kFailed;
  }
  if (facts.verification) {
    view.verification = judge_verification(*facts.verification, false, facts.started_at, errors);
  } else if (last) {
    view.verification = judge_verification(*last, true, facts.started_at, errors);
  }
  return view;
}

schema::Expected<ResultView> judge_stored_result(
    schema::Reader& reader, const CatalogEntry& entry, const schema::ResultFacts& facts,
    const std::optional<schema::VerificationFacts>& last, const ErrorTexts& errors) {
  return judge_with([&] { return reader.measurements(*facts.timing_line); }, entry, facts, last,
                    errors);
}

schema::Expected<ResultView> judge_stored_result(
    schema::TimingMeasurements& measurements, const CatalogEntry& entry,
    const schema::ResultFacts& facts, const std::optional<schema::VerificationFacts>& last,
    const ErrorTexts& errors) {
  return judge_with([&] { return measurements.of(facts); }, entry, facts, last, errors);
}

const ResultView* JudgedRun::find(schema::ExperimentId experiment) const {
  const auto found =
      std::find_if(results.begin(), results.end(),
                   [experiment](const ResultView& view) { return view.experiment == experiment; });
  return found == results.end() ? nullptr : &*found;
}

void mark_verifiable(const Catalog& catalog, JudgedRun* run) {
  const auto key_of = [&](const ResultView& view) {
    const CatalogEntry* entry = catalog.find(view.experiment);
    return entry == nullptr
               ? std::pair(std::string_view(), std::size_t{0})
               : std::pair(std::string_view(entry->experiment().suite), entry->backend_group());
  };
  std::set<std::pair<std::string_view, std::size_t>> verified;
  for (const ResultView& view : run->results) {
    if (view.verification) verified.insert(key_of(view));
  }
  for (ResultView& view : run->results) view.is_verifiable = verified.contains(key_of(view));
}

schema::Expected<JudgedRun> judge_run(schema::Reader& reader, const schema::Run& run,
                                      const Catalog& catalog, const ErrorTexts& errors) {
  BENCHHUD_ASSIGN(const auto facts, reader.results(run.id));
  BENCHHUD_ASSIGN(const auto before, reader.last_verifications(run, facts));
  BENCHHUD_TRY(errors.read_ahead(facts));
  std::vector<std::pair<const CatalogEntry*, ResultView>> views;
  views.reserve(facts.size());
  // Results whose measurements are needed.
  struct Unsettled {
    std::size_t place;  // in views
    const schema::ResultFacts* facts;
    TimingFacts timing;
  };
  std::vector<Unsettled> unsettled;
  for (const auto& fact : facts) {
    const CatalogEntry* entry = catalog.find(fact.experiment);
    if (entry == nullptr) continue;
    std::optional<schema::VerificationFacts> last;
    if (!fact.verification) {
      const auto known = std::lower_bound(
          before.begin(), before.end(), fact.experiment,
          [](const auto& item, schema::ExperimentId id) { return item.first < id; });
      if (known != before.end() && known->first == fact.experiment) last = known->second;
    }
    ResultView view = judge_result(fact, last, errors);
    if (auto timing = judge_compile(*entry, fact, &view)) {
      unsettled.push_back({views.size(), &fact, *std::move(timing)});
    }
    views.emplace_back(entry, std::move(view));
  }
  BENCHHUD_TRY(errors.status());
  std::vector<schema::ExperimentId> experiments;
  for (const Unsettled& result : unsettled) experiments.push_back(result.facts->experiment);
  auto measurements =
      schema::TimingMeasurements::of_run(reader.connection(), run.id, std::move(experiments));
  for (const Unsettled& result : unsettled) {
    BENCHHUD_ASSIGN(const auto of_line, measurements.of(*result.facts));
    auto& [entry, view] = views[result.place];
    settle_compile(result.timing, of_line, *entry, *result.facts, &view);
  }
  std::sort(views.begin(), views.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  JudgedRun judged;
  judged.run = run;
  judged.results.reserve(views.size());
  for (auto& [entry, view] : views) judged.results.push_back(std::move(view));
  mark_verifiable(catalog, &judged);
  return judged;
}

}  // namespace benchhud::analysis
