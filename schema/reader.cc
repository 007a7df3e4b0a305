#include "schema/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "schema/queries.h"
#include "schema/results.h"
#include "schema/text_store.h"

namespace benchhud::schema {
namespace {

std::vector<double> to_samples(std::string_view bytes) {
  std::vector<double> samples(bytes.size() / sizeof(double));
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(double));
  return samples;
}

template <class Id>
std::optional<Id> optional_id(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return Id(row.integer(column));
}

// Where the SQL of a query lists the columns of a thing, these read them, from `first` on.

StoredExperiment read_experiment(const Statement& row, int first) {
  StoredExperiment stored;
  stored.id = ExperimentId(row.integer(first));
  Experiment& experiment = stored.experiment;
  experiment.suite = row.text(first + 1);
  experiment.model = row.text(first + 2);
  experiment.test = row.text(first + 3);
  experiment.accelerator = row.text(first + 4);
  experiment.accelerator_model = row.text(first + 5);
  experiment.batch_size = row.optional_integer(first + 6);
  experiment.xla = row.optional_text(first + 7);
  experiment.xla_flags = row.optional_text(first + 8);
  experiment.dynamo = row.optional_text(first + 9);
  experiment.torch_xla2 = row.optional_text(first + 10);
  experiment.flags = row.text(first + 11);
  stored.timed = row.integer(first + 12) != 0;
  return stored;
}

Run read_run(const Statement& row) {
  Run run;
  run.id = RunId(row.integer(0));
  run.accelerator_model = row.text(1);
  run.name = row.text(2);
  run.started_at = row.real(3);
  run.verified_at = row.optional_real(4);
  run.result_count = row.integer(5);
  run.revision = row.integer(6);
  return run;
}

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
  return facts;
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

IngestedFile read_ingest(const Statement& row) {
  IngestedFile file;
  file.id = FileId(row.integer(0));
  file.path = row.text(1);
  ContentHash hash;
  const std::string_view bytes = row.blob(2);
  std::memcpy(hash.bytes.data(), bytes.data(), std::min(bytes.size(), hash.bytes.size()));
  file.content_hash = hash.hex();
  file.byte_count = row.integer(3);
  file.line_count = row.integer(4);
  file.accepted = row.integer(5);
  file.duplicate = row.integer(6);
  file.rejected = row.integer(7);
  file.ingested_at = row.real(8);
  return file;
}

// Collects every row of a query that has its parameters.
template <class Read>
auto collect(Statement& query, Read read) -> Expected<std::vector<decltype(read(query))>> {
  std::vector<decltype(read(query))> rows;
  while (query.step()) rows.push_back(read(query));
  BENCHHUD_TRY(query.status());
  query.reset();
  return rows;
}

// The only row of a query, or kNotFound with `what`.
template <class Read>
auto one(Statement& query, Read read, std::string what) -> Expected<decltype(read(query))> {
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return Error{ErrorCode::kNotFound, "there is no " + std::move(what)};
  }
  auto row = read(query);
  query.reset();
  return row;
}

Expected<void> read_labels(Connection& connection, Run* run) {
  // Labels of invocations first, then those given to the run, which win.
  for (const std::string_view sql : {sql::kLabelsOfInvocations, sql::kLabelsOfRun}) {
    Statement& query = connection.cached(sql);
    query.bind(1, run->id);
    while (query.step()) run->labels[std::string(query.text(0))] = query.text(1);
    BENCHHUD_TRY(query.status());
  }
  // An empty value is a label that a command removed.
  std::erase_if(run->labels, [](const auto& label) { return label.second.empty(); });
  return {};
}

bool has_labels(const Run& run, const std::vector<std::pair<std::string, std::string>>& wanted) {
  for (const auto& [key, value] : wanted) {
    const auto found = run.labels.find(key);
    if (found == run.labels.end() || found->second != value) return false;
  }
  return true;
}

}  // namespace

Expected<StoreInfo> Reader::info() {
  StoreInfo info;
  Statement& query = connection_.cached(sql::kStoreInfo);
  if (query.step()) {
    info.revision = query.integer(0);
    info.run_count = query.integer(1);
    info.result_count = query.integer(2);
    info.rejected_count = query.integer(3);
    info.newest_run_at = query.optional_real(4);
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return info;
}

Expected<std::int64_t> Reader::revision() {
  Statement& query = connection_.cached(sql::kRevision);
  const std::int64_t revision = query.step() ? query.integer(0) : 0;
  BENCHHUD_TRY(query.status());
  query.reset();
  return revision;
}

Expected<std::vector<Run>> Reader::runs(const RunFilter& filter) {
  Statement& query = connection_.cached(sql::kRunsByTime);
  const double last_time = filter.after ? filter.after->first : filter.until;
  const std::int64_t last_id =
      filter.after ? to_int(filter.after->second) : std::numeric_limits<std::int64_t>::min();
  query.bind(1, filter.since).bind(2, std::min(last_time, filter.until)).bind(3, last_id);
  std::vector<Run> runs;
  while (runs.size() < filter.limit && query.step()) {
    Run run = read_run(query);
    const auto& models = filter.accelerator_models;
    if (!models.empty() &&
        std::find(models.begin(), models.end(), run.accelerator_model) == models.end()) {
      continue;
    }
    if (filter.with_labels || !filter.labels.empty()) BENCHHUD_TRY(read_labels(connection_, &run));
    if (has_labels(run, filter.labels)) runs.push_back(std::move(run));
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return runs;
}

Expected<Run> Reader::run(RunId id) {
  Statement& query = connection_.cached(sql::kRunById);
  query.bind(1, id);
  BENCHHUD_ASSIGN(Run run, one(query, read_run, fmt::format("run {}", to_int(id))));
  BENCHHUD_TRY(read_labels(connection_, &run));
  return run;
}

Expected<Run> Reader::find_run(std::string_view text,
                               std::optional<std::string_view> accelerator_model) {
  RunFilter filter;
  if (accelerator_model) filter.accelerator_models.emplace_back(*accelerator_model);
  if (text == "latest") {
    filter.limit = 1;
    BENCHHUD_ASSIGN(std::vector<Run> newest, runs(filter));
    if (newest.empty()) return Error{ErrorCode::kNotFound, "there are no runs yet"};
    return std::move(newest.front());
  }
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool is_number = error == std::errc() && end == text.data() + text.size();

  Statement& query = connection_.cached(sql::kRunsByName);
  query.bind(1, text).bind(2, static_cast<std::int64_t>(text.size()));
  BENCHHUD_ASSIGN(std::vector<Run> found, collect(query, read_run));
  if (accelerator_model) {
    std::erase_if(found,
                  [&](const Run& run) { return run.accelerator_model != *accelerator_model; });
  }
  std::vector<Run> exact;
  for (const Run& run : found) {
    if (run.name == text) exact.push_back(run);
  }
  if (exact.empty() && is_number) {
    Expected<Run> by_id = this->run(RunId(id));
    if (by_id || by_id.error().code != ErrorCode::kNotFound) return by_id;
  }
  if (!exact.empty()) found = std::move(exact);
  if (found.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no run called {}", text)};
  }
  if (found.size() > 1) {
    std::string names;
    for (std::size_t i = 0; i < found.size() && i < 5; ++i) {
      names += fmt::format("{}{} (id {}, on {})", i ? ", " : "", found[i].name, to_int(found[i].id),
                           found[i].accelerator_model);
    }
    return Error{ErrorCode::kAmbiguous, fmt::format("{} fits {} runs: {}{}", text, found.size(),
                                                    names, found.size() > 5 ? ", …" : "")};
  }
  BENCHHUD_TRY(read_labels(connection_, &found.front()));
  return std::move(found.front());
}

Expected<std::vector<std::string>> Reader::accelerator_models() {
  return collect(connection_.cached(sql::kAcceleratorModelsOfRuns),
                 [](const Statement& row) { return std::string(row.text(0)); });
}

Expected<std::vector<Invocation>> Reader::invocations(RunId run) {
  Statement& query = connection_.cached(sql::kInvocationsOfRun);
  query.bind(1, run);
  BENCHHUD_ASSIGN(std::vector<Invocation> invocations, collect(query, [](const Statement& row) {
                    Invocation invocation;
                    invocation.id = InvocationId(row.integer(0));
                    invocation.timestamp = row.real(1);
                    invocation.kind = invocation_kind(row.integer(2) != 0, row.integer(3) != 0);
                    invocation.run_name = row.text(4);
                    return invocation;
                  }));
  for (Invocation& invocation : invocations) {
    Statement& files = connection_.cached(sql::kFilesOfInvocation);
    files.bind(1, invocation.id);
    while (files.step()) {
      invocation.files.emplace_back(files.text(0));
      invocation.line_count += files.integer(1);
    }
    BENCHHUD_TRY(files.status());
  }
  return invocations;
}

Expected<RunCounts> Reader::run_counts(RunId run) {
  RunCounts counts;
  Statement& timed = connection_.cached(sql::kTimedOfRun);
  timed.bind(1, run);
  BENCHHUD_ASSIGN(counts.timed,
                  one(timed, [](const Statement& row) { return row.integer(0); }, "count"));
  Statement& failures = connection_.cached(sql::kFailuresOfRun);
  failures.bind(1, run);
  BENCHHUD_ASSIGN(counts.untimed, collect(failures, [](const Statement& row) {
                    return RunCounts::Failures{optional_id<TextId>(row, 0), row.optional_text(1),
                                               row.integer(2)};
                  }));
  return counts;
}

Expected<StoredExperiment> Reader::experiment(ExperimentId id) {
  Statement& query = connection_.cached(sql::kExperimentById);
  query.bind(1, id);
  return one(
      query, [](const Statement& row) { return read_experiment(row, 0); },
      fmt::format("experiment {}", to_int(id)));
}

Expected<std::vector<StoredExperiment>> Reader::experiments_after(ExperimentId after) {
  Statement& query = connection_.cached(sql::kExperimentsAfter);
  query.bind(1, after);
  return collect(query, [](const Statement& row) { return read_experiment(row, 0); });
}

Expected<std::vector<StoredExperiment>> Reader::experiments_of_model(
    std::string_view suite, std::string_view model, std::string_view test,
    std::string_view accelerator_model) {
  Statement& query = connection_.cached(sql::kExperimentsOfModel);
  query.bind(1, suite).bind(2, model).bind(3, test).bind(4, accelerator_model);
  return collect(query, [](const Statement& row) { return read_experiment(row, 0); });
}

Expected<std::vector<std::pair<ExperimentId, double>>> Reader::last_runs() {
  return collect(connection_.cached(sql::kLastRuns), [](const Statement& row) {
    return std::pair(ExperimentId(row.integer(0)), row.real(1));
  });
}

Expected<std::vector<RunId>> Reader::first_timed_runs(ExperimentId experiment, std::size_t limit) {
  Statement& query = connection_.cached(sql::kFirstTimedRuns);
  query.bind(1, experiment).bind(2, static_cast<std::int64_t>(limit));
  return collect(query, [](const Statement& row) { return RunId(row.integer(0)); });
}

Expected<std::int64_t> Reader::count_results(ExperimentId experiment, double since, double until) {
  Statement& query = connection_.cached(sql::kCountResults);
  query.bind(1, experiment).bind(2, since).bind(3, until);
  return one(query, [](const Statement& row) { return row.integer(0); }, "count");
}

Expected<std::vector<ResultFacts>> Reader::results(RunId run) {
  Statement& query = connection_.cached(sql::kResultsOfRun);
  query.bind(1, run);
  return collect(query, read_result);
}

Expected<ResultFacts> Reader::result(RunId run, ExperimentId experiment) {
  Statement& query = connection_.cached(sql::kResultById);
  query.bind(1, run).bind(2, experiment);
  return one(query, read_result,
             fmt::format("result of experiment {} in run {}", to_int(experiment), to_int(run)));
}

Expected<std::vector<ResultFacts>> Reader::series(ExperimentId experiment, double since,
                                                  double until) {
  Statement& query = connection_.cached(sql::kResultsOfExperiment);
  query.bind(1, experiment).bind(2, since).bind(3, until);
  return collect(query, read_result);
}

Expected<std::vector<std::pair<RunId, std::vector<double>>>> Reader::series_of_metric(
    ExperimentId experiment, std::string_view metric, double since, double until) {
  Statement& query = connection_.cached(sql::kSamplesOfExperiment);
  query.bind(1, experiment).bind(2, since).bind(3, until).bind(4, metric);
  return collect(query, [](const Statement& row) {
    return std::pair(RunId(row.integer(0)), to_samples(row.blob(1)));
  });
}

Expected<std::optional<VerificationFacts>> Reader::last_verification(ExperimentId experiment,
                                                                     double before) {
  Statement& query = connection_.cached(sql::kLastVerification);
  query.bind(1, experiment).bind(2, before);
  std::optional<VerificationFacts> found;
  if (query.step()) {
    found.emplace();
    found->run = RunId(query.integer(0));
    found->verified_at = query.real(1);
    found->code = query.text(2);
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return found;
}

Expected<std::vector<LineFacts>> Reader::lines(RunId run, ExperimentId experiment) {
  // A line without a batch size stands under an experiment of the same family.
  Statement& query = connection_.cached(sql::kLinesOfResult);
  query.bind(1, run).bind(2, experiment);
  return collect(query, read_line);
}

Expected<LineFacts> Reader::line(LineId id) {
  Statement& query = connection_.cached(sql::kLineById);
  query.bind(1, id);
  return one(query, read_line, fmt::format("line {}", to_int(id)));
}

Expected<std::vector<StoredMeasurement>> Reader::measurements(LineId line) {
  Statement& query = connection_.cached(sql::kMeasurementsOfLine);
  query.bind(1, line);
  std::vector<StoredMeasurement> measurements;
  while (query.step()) {
    StoredMeasurement stored;
    stored.line = line;
    stored.measurement.metric = query.text(0);
    stored.measurement.shape = static_cast<SampleShape>(query.integer(1));
    stored.n = query.integer(2);
    stored.median = query.optional_real(3);
    stored.mean = query.optional_real(4);
    stored.min = query.optional_real(5);
    stored.max = query.optional_real(6);
    stored.measurement.samples = to_samples(query.blob(7));
    if (!query.is_null(8)) {
      BENCHHUD_ASSIGN(stored.measurement.json,
                      unpack_text(query.blob(8), query.integer(9) != 0, query.integer(10)));
    }
    measurements.push_back(std::move(stored));
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return measurements;
}

Expected<std::string> Reader::text(TextId id) {
  Statement& query = connection_.cached(sql::kTextById);
  query.bind(1, id);
  BENCHHUD_ASSIGN(auto text, one(
                                 query,
                                 [](const Statement& row) {
                                   return unpack_text(row.blob(0), row.integer(1) != 0,
                                                      row.integer(2));
                                 },
                                 fmt::format("text {}", to_int(id))));
  return text;
}

Expected<std::vector<IngestedFile>> Reader::ingests(std::optional<FileId> before,
                                                    std::size_t limit) {
  Statement& query = connection_.cached(sql::kIngestsBefore);
  query.bind(1, before ? to_int(*before) : std::numeric_limits<std::int64_t>::max());
  query.bind(2, static_cast<std::int64_t>(limit));
  return collect(query, read_ingest);
}

Expected<IngestedFile> Reader::ingest(FileId id) {
  Statement& query = connection_.cached(sql::kIngestById);
  query.bind(1, id);
  return one(query, read_ingest, fmt::format("ingest {}", to_int(id)));
}

Expected<std::int64_t> Reader::ingest_count() {
  return one(
      connection_.cached(sql::kCountIngests), [](const Statement& row) { return row.integer(0); },
      "count");
}

Expected<std::vector<RunId>> Reader::runs_of_ingest(FileId id) {
  Statement& query = connection_.cached(sql::kRunsOfIngest);
  query.bind(1, id);
  return collect(query, [](const Statement& row) { return RunId(row.integer(0)); });
}

Expected<std::vector<RejectedLine>> Reader::rejected_lines(std::optional<FileId> file,
                                                           std::optional<std::int64_t> before,
                                                           std::size_t limit) {
  constexpr std::size_t kExcerpt = 200;
  Statement& query =
      connection_.cached(file ? sql::kRejectedLinesOfFile : sql::kRejectedLinesBefore);
  query.bind(1, before.value_or(std::numeric_limits<std::int64_t>::max()));
  query.bind(2, static_cast<std::int64_t>(limit));
  if (file) query.bind(3, *file);
  std::vector<RejectedLine> lines;
  while (query.step()) {
    RejectedLine line;
    line.id = query.integer(0);
    line.file = FileId(query.integer(1));
    line.path = query.text(2);
    line.line_number = query.integer(3);
    line.byte_offset = query.integer(4);
    line.byte_count = query.integer(5);
    line.reason = query.text(6);
    line.ingested_at = query.real(7);
    BENCHHUD_ASSIGN(line.excerpt,
                    unpack_text(query.blob(8), query.integer(9) != 0, query.integer(10)));
    line.excerpt.resize(std::min(line.excerpt.size(), kExcerpt));
    lines.push_back(std::move(line));
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return lines;
}

Expected<std::int64_t> Reader::rejected_count(std::optional<FileId> file) {
  Statement& query = connection_.cached(file ? sql::kCountRejectedOfFile : sql::kCountRejected);
  if (file) query.bind(1, *file);
  return one(query, [](const Statement& row) { return row.integer(0); }, "count");
}

Expected<void> Reader::replay(const std::function<void(const ReplayedLine&)>& visit) {
  std::unordered_map<ExperimentId, StoredExperiment> experiments;
  BENCHHUD_ASSIGN(std::vector<StoredExperiment> all, experiments_after(ExperimentId(0)));
  for (StoredExperiment& experiment : all) {
    const ExperimentId id = experiment.id;
    experiments.emplace(id, std::move(experiment));
  }
  Statement& query = connection_.cached(sql::kReplay);
  std::vector<double> samples;
  while (query.step()) {
    ReplayedLine line;
    line.timestamp = query.real(0);
    line.experiment = &experiments[ExperimentId(query.integer(1))];
    samples = to_samples(query.blob(2));
    line.total_time = samples;
    visit(line);
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return {};
}

}  // namespace benchhud::schema
