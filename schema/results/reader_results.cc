// Reader: results and what they are made of, lines and measurements.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "schema/db/key_lookup.h"
#include "schema/db/rows.h"
#include "schema/db/text_store.h"
#include "schema/queries.h"
#include "schema/results/line_measurements.h"
#include "schema/results/reader.h"
#include "schema/results/result_visit.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

ResultFacts read_result(const Statement& row) {
  ResultFacts facts;
  facts.run = RunId(row.integer(0));
  facts.experiment = ExperimentId(row.integer(1));
  facts.started_at = row.real(2);
  facts.timing_line = optional_id<LineId>(row, 3);
  facts.timing_shared = row.integer(4) != 0;
  facts.repeat = row.optional_integer(5);
  facts.iterations_per_run = row.optional_integer(6);
  facts.per_iter_time = to_samples(row.blob(7));
  facts.total_time = to_samples(row.blob(8));
  facts.xla_compile_time = to_samples(row.blob(9));
  if (const auto line = optional_id<LineId>(row, 10)) {
    facts.failure = FailureFacts{*line, optional_id<TextId>(row, 11), row.optional_text(12)};
  }
  if (const auto line = optional_id<LineId>(row, 13)) {
    VerificationFacts verification;
    verification.line = line;
    verification.verified_at = row.real(14);
    verification.code = row.text(15);
    verification.shared = row.integer(16) != 0;
    verification.error = optional_id<TextId>(row, 17);
    verification.run = facts.run;
    facts.verification = std::move(verification);
  }
  facts.profiled_line = optional_id<LineId>(row, 18);
  return facts;
}

using Verifications = std::vector<std::pair<ExperimentId, VerificationFacts>>;

Verifications::value_type read_verification(const Statement& row) {
  VerificationFacts facts;
  facts.run = RunId(row.integer(1));
  facts.verified_at = row.real(2);
  facts.code = row.text(3);
  return {ExperimentId(row.integer(0)), std::move(facts)};
}

LineFacts read_line(const Statement& row) {
  LineFacts line;
  line.id = LineId(row.integer(0));
  line.invocation = InvocationId(row.integer(1));
  line.experiment = ExperimentId(row.integer(2));
  line.invocation_kind = invocation_kind(row.integer(3) != 0, row.integer(4) != 0);
  line.timestamp = row.real(5);
  line.file = row.text(6);
  line.line_number = row.integer(7);
  line.byte_offset = row.integer(8);
  line.timed = row.integer(9) != 0;
  line.code = row.optional_text(10);
  line.mean_rel_error = row.optional_real(11);
  line.error = optional_id<TextId>(row, 12);
  line.extra = row.text(13);
  return line;
}

}  // namespace

Expected<std::int64_t> Reader::count_results(ExperimentId experiment, double since, double until) {
  Statement query = connection_.cached(sql::kCountResults);
  query.bind(1, experiment).bind(2, since).bind(3, until);
  return one(query, [](const Statement& row) { return row.integer(0); }, "count");
}

Expected<std::vector<ResultFacts>> Reader::results(RunId run) {
  Statement query = connection_.cached(sql::kResultsOfRun);
  query.bind(1, run);
  return collect(query, read_result);
}

Expected<void> visit_results(Connection& connection, RunId run,
                             const std::function<Expected<void>(const ResultFacts&)>& visit) {
  Statement query = connection.cached(sql::kResultsOfRun);
  query.bind(1, run);
  while (query.step()) BENCHHUD_TRY(visit(read_result(query)));
  return query.status();
}

Expected<std::vector<ResultFacts>> Reader::results_without_samples(RunId run) {
  Statement query = connection_.cached(sql::kResultsOfRunWithoutSamples);
  query.bind(1, run);
  return collect(query, read_result);
}

Expected<ResultFacts> Reader::result(RunId run, ExperimentId experiment) {
  Statement query = connection_.cached(sql::kResultById);
  query.bind(1, run).bind(2, experiment);
  return one(query, read_result,
             fmt::format("result of experiment {} in run {}", to_int(experiment), to_int(run)));
}

Expected<std::vector<ResultFacts>> Reader::series(ExperimentId experiment, double since,
                                                  double until) {
  return series(std::span(&experiment, 1), since, until, true);
}

Expected<std::vector<ResultFacts>> Reader::series(std::span<const ExperimentId> experiments,
                                                  double since, double until, bool with_samples) {
  std::vector<ExperimentId> ids(experiments.begin(), experiments.end());
  std::sort(ids.begin(), ids.end());
  std::vector<ResultFacts> found;
  const std::string_view sql =
      with_samples ? sql::kResultsOfExperiments : sql::kResultsOfExperimentsWithoutSamples;
  BENCHHUD_TRY(look_up(
      connection_, sql, std::span<const ExperimentId>(ids),
      [&](Statement& query, int parameter, ExperimentId id) {
        query.bind(1, since).bind(2, until).bind(parameter, id);
      },
      [&](const Statement& row) -> Expected<void> {
        found.push_back(read_result(row));
        return {};
      }));
  return found;
}

Expected<std::vector<ResultFacts>> Reader::series_without_samples(ExperimentId experiment,
                                                                  double since, double until) {
  return series(std::span(&experiment, 1), since, until, false);
}

Expected<std::vector<std::pair<RunId, std::vector<double>>>> Reader::series_of_metric(
    ExperimentId experiment, std::string_view metric, double since, double until) {
  Statement query = connection_.cached(sql::kSamplesOfExperiment);
  query.bind(1, experiment).bind(2, since).bind(3, until).bind(4, metric);
  return collect(query, [](const Statement& row) {
    return std::pair(RunId(row.integer(0)), to_samples(row.blob(1)));
  });
}

Expected<std::optional<VerificationFacts>> Reader::last_verification(ExperimentId experiment,
                                                                     double before) {
  Statement query = connection_.cached(sql::kLastVerification);
  query.bind(1, experiment).bind(2, before);
  std::optional<VerificationFacts> found;
  if (query.step()) {
    found.emplace();
    found->run = RunId(query.integer(0));
    found->verified_at = query.real(1);
    found->code = query.text(2);
  }
  BENCHHUD_TRY(query.status());
  return found;
}

Expected<Verifications> Reader::last_verifications(std::span<const ExperimentId> experiments,
                                                   double before) {
  Verifications found;
  BENCHHUD_TRY(look_up(
      connection_, sql::kLastVerifications, experiments,
      [before](Statement& query, int parameter, ExperimentId id) {
        query.bind(1, before).bind(parameter, id);
      },
      [&](const Statement& row) -> Expected<void> {
        found.push_back(read_verification(row));
        return {};
      }));
  std::ranges::sort(found, {}, &Verifications::value_type::first);
  return found;
}

Expected<Verifications> Reader::last_verifications(const Run& run,
                                                   std::span<const ResultFacts> results) {
  // Nearly always the last run that verified anything verified them all.
  Statement query = connection_.cached(sql::kVerificationsBefore);
  query.bind(1, run.accelerator_model).bind(2, run.started_at);
  BENCHHUD_ASSIGN(Verifications found, collect(query, read_verification));
  const auto is_known = [&](const ResultFacts& result) {
    return result.verification || std::ranges::binary_search(found, result.experiment, {},
                                                             &Verifications::value_type::first);
  };
  if (std::ranges::all_of(results, is_known)) return found;
  Statement rest = connection_.cached(sql::kLastVerificationsOfRun);
  rest.bind(1, run.id).bind(2, run.started_at);
  found.empty() ? rest.bind_null(3) : rest.bind(3, found.front().second.run);
  while (rest.step()) found.push_back(read_verification(rest));
  BENCHHUD_TRY(rest.status());
  std::ranges::sort(found, {}, &Verifications::value_type::first);
  return found;
}

Expected<std::vector<LineFacts>> Reader::lines(RunId run, ExperimentId experiment) {
  // A line without a batch size stands under an experiment of the same family.
  Statement query = connection_.cached(sql::kLinesOfResult);
  query.bind(1, run).bind(2, experiment);
  return collect(query, read_line);
}

Expected<LineFacts> Reader::line(LineId id) {
  Statement query = connection_.cached(sql::kLineById);
  query.bind(1, id);
  return one(query, read_line, fmt::format("line {}", to_int(id)));
}

Expected<std::vector<StoredMeasurement>> Reader::measurements(LineId line) {
  Statement query = connection_.cached(sql::kSamplesOfLine);
  query.bind(1, line);
  BENCHHUD_ASSIGN(OwnSamples own,
                  one(query, read_own_samples, fmt::format("line {}", to_int(line))));
  BENCHHUD_ASSIGN(auto measurements, measurements_of_line(connection_, line, std::move(own)));
  sort_by_name(&measurements);
  return measurements;
}

Expected<void> Reader::replay(const std::function<void(const SourceOrderedLine&)>& visit) {
  std::unordered_map<ExperimentId, StoredExperiment> experiments;
  BENCHHUD_ASSIGN(std::vector<StoredExperiment> all, experiments_after(ExperimentId(0)));
  for (StoredExperiment& experiment : all) {
    const ExperimentId id = experiment.id;
    experiments.emplace(id, std::move(experiment));
  }
  Statement query = connection_.cached(sql::kReplay);
  std::vector<double> samples;
  while (query.step()) {
    SourceOrderedLine line;
    line.timestamp = query.real(0);
    line.experiment = &experiments[ExperimentId(query.integer(1))];
    samples = to_samples(query.blob(2));
    line.total_time = samples;
    visit(line);
  }
  BENCHHUD_TRY(query.status());
  return {};
}

}  // namespace benchhud::schema
