#include "service/alerts/night_reader.h"

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/results/timing_review.h"
#include "analysis/results/verification.h"
#include "schema/results/result_visit.h"

namespace benchhud::service {

using schema::Expected;

namespace {

std::optional<std::string> signature_of(const analysis::FailureView& failure) {
  if (failure.error->signature.empty()) return std::nullopt;
  return failure.error->signature;
}

}  // namespace

Expected<analysis::ExperimentObservation> read_result(schema::TimingMeasurements& measurements,
                                                      const analysis::CatalogEntry& entry,
                                                      const schema::ResultFacts& facts,
                                                      const analysis::ErrorTexts& errors) {
  analysis::ExperimentObservation result;
  result.experiment = facts.experiment;
  const analysis::ResultView view = analysis::judge_result(facts, {}, errors);
  result.status = view.status;
  if (view.failure) result.timing_error = signature_of(*view.failure);
  if (facts.verification && analysis::verification_info(facts.verification->code).is_verdict) {
    result.code = facts.verification->code;
    const auto& failure = view.verification->failure;
    if (failure) result.verification_error = signature_of(*failure);
  }
  if (facts.timing_line) {
    BENCHHUD_ASSIGN(const auto of_line, measurements.of(facts));
    const analysis::TimingCounts counts = analysis::timing_counts(of_line, entry, facts);
    analysis::observe_timing(counts.timing, counts.dynamo, counts.fallbacks, &result);
  }
  return result;
}

Expected<analysis::RunObservations> read_night(schema::Reader& reader, const schema::Run& run,
                                               const analysis::Catalog& catalog) {
  analysis::RunObservations night;
  night.run = run.id;
  night.started_at = run.started_at;
  BENCHHUD_ASSIGN(const analysis::ErrorTexts errors, analysis::error_texts_of(reader, run.id));
  auto measurements = schema::TimingMeasurements::of_run(reader.connection(), run.id);
  const auto add = [&](const schema::ResultFacts& facts) -> Expected<void> {
    const analysis::CatalogEntry* entry = catalog.find(facts.experiment);
    if (entry == nullptr) return {};
    BENCHHUD_ASSIGN(auto result, read_result(measurements, *entry, facts, errors));
    night.results.push_back(std::move(result));
    return {};
  };
  BENCHHUD_TRY(schema::visit_results(reader.connection(), run.id, add));
  BENCHHUD_TRY(errors.status());
  std::sort(night.results.begin(), night.results.end(),
            [](const auto& a, const auto& b) { return a.experiment < b.experiment; });
  return night;
}

}  // namespace benchhud::service
