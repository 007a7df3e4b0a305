// Typed queries over a store. Everything here reads; a caller that wants several answers from one
// state of the store holds a read transaction around them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/model/sample_summary.h"
#include "schema/model/types.h"

namespace benchhud::schema {

struct StoreInfo {
  std::int64_t revision = 0;  ///< counts committed changes
  std::int64_t run_count = 0;
  std::int64_t result_count = 0;
  std::int64_t rejected_count = 0;
  std::optional<double> newest_run_at;
};

/// Which runs, newest first. Unset fields do not filter.
struct RunFilter {
  std::vector<std::string> accelerator_models;              ///< any of
  double since = -std::numeric_limits<double>::infinity();  ///< started at or after
  double until = std::numeric_limits<double>::infinity();   ///< started before
  std::vector<std::pair<std::string, std::string>> labels;  ///< all of
  /// Only runs after this one in the list (started_at, id), for paging.
  std::optional<std::pair<double, RunId>> after;
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  bool with_labels = true;  ///< false: faster, and the runs come without labels
};

/// What timed and failed in a run, counted.
struct RunCounts {
  struct Failures {
    std::optional<TextId> error;
    std::optional<std::string> code;
    std::int64_t count = 0;
  };
  std::int64_t timed = 0;
  /// Results with a failure and without timings, by what failed; without those that were skipped on
  /// purpose (kSkippedOnPurpose).
  std::vector<Failures> untimed;
};

struct StoredExperiment {
  ExperimentId id{};
  Experiment experiment;
  bool timed = false;
};

/// An invocation of the runner: the lines of one file with one timestamp on one accelerator model.
struct Invocation {
  InvocationId id{};
  double timestamp = 0;
  InvocationKind kind = InvocationKind::kTiming;
  std::string run_name;  ///< "" unless given by --run or a command
  std::int64_t line_count = 0;
  std::vector<std::string> files;
};

/// What failed, or did not run, and left no timings.
struct FailureFacts {
  LineId line{};
  std::optional<TextId> error;  ///< metrics.error
  std::optional<std::string> code;
};

struct VerificationFacts {
  std::string code;
  double verified_at = 0;  ///< timestamp of the verification's invocation
  RunId run{};
  std::optional<LineId> line;
  std::optional<TextId> error;
  bool shared = false;  ///< the line carried no batch size and counts for several experiments
};

/// A result with what the estimators need. Sample arrays are empty where the metric is absent;
/// within them null_sample(), NaN and infinities stand as in the file.
struct ResultFacts {
  RunId run{};
  ExperimentId experiment{};
  double started_at = 0;  ///< the run's
  std::optional<LineId> timing_line;
  /// Where there is none: the last line that was timed while XLA's profiler ran (`--profile-xla` of
  /// the runner), whose times say what profiling cost and count for nothing.
  std::optional<LineId> profiled_line;
  bool timing_shared = false;
  std::optional<std::int64_t> repeat;
  std::optional<std::int64_t> iterations_per_run;
  std::vector<double> per_iter_time;              ///< s
  std::vector<double> total_time;                 ///< s
  std::vector<double> xla_compile_time;           ///< s, xla_CompileTime_time_s
  std::optional<FailureFacts> failure;            ///< of the timing; beside timings: it came later
  std::optional<VerificationFacts> verification;  ///< of this run
};

/// A line of a result and what it counts for.
struct LineFacts {
  LineId id{};
  InvocationId invocation{};
  ExperimentId
      experiment{};  ///< as the line says it (batch size unknown: another than the result's)
  InvocationKind invocation_kind = InvocationKind::kTiming;
  double timestamp = 0;
  std::string file;
  std::int64_t line_number = 0;
  std::int64_t byte_offset = 0;
  bool timed = false;
  std::optional<std::string> code;
  std::optional<double> mean_rel_error;
  std::optional<TextId> error;
  std::string extra;  ///< JSON, or ""
};

struct StoredMeasurement {
  LineId line{};
  Measurement measurement;
  SampleSummary summary;
};

struct IngestedFile {
  FileId id{};
  std::string path;
  std::string content_hash;  ///< hexadecimal
  std::int64_t byte_count = 0, line_count = 0, accepted = 0, duplicate = 0, rejected = 0;
  double ingested_at = 0;
};

struct RejectedLine {
  std::int64_t id = 0;
  FileId file{};
  std::string path;
  std::int64_t line_number = 0, byte_offset = 0, byte_count = 0;
  std::string reason;
  std::string excerpt;  ///< its beginning, at most 200 bytes, not always valid UTF-8
  double ingested_at = 0;
};

/// A line as the upstream report reads it. Views are valid during the callback.
struct SourceOrderedLine {
  double timestamp = 0;
  const StoredExperiment* experiment = nullptr;
  std::span<const double> total_time;  ///< empty if the line has none
};

/// Takes a kept text.
using VisitText = std::function<void(TextId id, std::string_view text)>;

class Reader {
 public:
  explicit Reader(Connection& connection) : connection_(connection) {}

  /// For readers of a part of the store that have a face of their own (trace_queries.h).
  Connection& connection() const { return connection_; }

  Expected<StoreInfo> info();
  /// info().revision alone.
  Expected<std::int64_t> revision();

  Expected<std::vector<Run>> runs(const RunFilter& filter);
  Expected<Run> run(RunId id);
  /// The run that `text` names: an id, a name, the unique beginning of a name, or `latest`; among
  /// those on `accelerator_model`, if given. Errors: kNotFound, kAmbiguous.
  Expected<Run> find_run(std::string_view text,
                         std::optional<std::string_view> accelerator_model = {});
  /// Gives runs that were read without labels theirs.
  Expected<void> add_labels(std::span<Run> runs);
  /// Accelerator models that have runs, the one with the newest run first.
  Expected<std::vector<std::string>> accelerator_models();
  Expected<std::vector<Invocation>> invocations(RunId run);
  Expected<RunCounts> run_counts(RunId run);

  Expected<StoredExperiment> experiment(ExperimentId id);
  /// Experiments with an id above `after`, by id.
  Expected<std::vector<StoredExperiment>> experiments_after(ExperimentId after);

  /// When the newest run started in which an experiment has a result, by experiment. Without those
  /// that have none: of lines that know no batch size and count for others.
  Expected<std::map<ExperimentId, double>> last_runs(std::span<const ExperimentId> experiments);
  /// The first runs in which an experiment was timed, oldest first, at most `limit`.
  Expected<std::vector<RunId>> first_timed_runs(ExperimentId experiment, std::size_t limit);
  /// How many results an experiment has in runs that started within [since, until).
  Expected<std::int64_t> count_results(ExperimentId experiment, double since, double until);

  /// All results of a run, by experiment id, with samples.
  Expected<std::vector<ResultFacts>> results(RunId run);
  /// The same with neither samples nor repetitions: for who asks what failed and what was verified.
  Expected<std::vector<ResultFacts>> results_without_samples(RunId run);
  /// One result. Error: kNotFound.
  Expected<ResultFacts> result(RunId run, ExperimentId experiment);
  /// The results of one experiment in runs that started within [since, until], oldest first.
  Expected<std::vector<ResultFacts>> series(ExperimentId experiment, double since, double until);
  /// The same of several experiments, by experiment; without `with_samples` with neither samples
  /// nor repetitions.
  Expected<std::vector<ResultFacts>> series(std::span<const ExperimentId> experiments, double since,
                                            double until, bool with_samples);
  /// The same with neither samples nor repetitions.
  Expected<std::vector<ResultFacts>> series_without_samples(ExperimentId experiment, double since,
                                                            double until);
  /// A metric's samples in the same window: (run, samples), oldest first; effective timing lines
  /// only.
  Expected<std::vector<std::pair<RunId, std::vector<double>>>> series_of_metric(
      ExperimentId experiment, std::string_view metric, double since, double until);
  /// The newest verification of an experiment in a run that started before `before`.
  Expected<std::optional<VerificationFacts>> last_verification(ExperimentId experiment,
                                                               double before);
  /// The same of many, by experiment; without those that have none.
  Expected<std::vector<std::pair<ExperimentId, VerificationFacts>>> last_verifications(
      std::span<const ExperimentId> experiments, double before);
  /// The same of what a run did not verify. `results`: the run's.
  Expected<std::vector<std::pair<ExperimentId, VerificationFacts>>> last_verifications(
      const Run& run, std::span<const ResultFacts> results);

  /// Every line that a result is made of, in the order of time and arrival.
  Expected<std::vector<LineFacts>> lines(RunId run, ExperimentId experiment);
  /// All metrics of a line, by name.
  Expected<std::vector<StoredMeasurement>> measurements(LineId line);
  Expected<LineFacts> line(LineId id);

  /// A kept text, whole. Error: kNotFound.
  Expected<std::string> text(TextId id);
  /// Visits kept texts, one at a time, in no order; without those that cannot be read, of which
  /// text() tells why.
  Expected<void> visit_texts(std::span<const TextId> ids, const VisitText& visit);
  /// Visits what results of a run tell of failures and verifications, each text once, at most
  /// `limit` of them, as visit_texts() does.
  Expected<void> visit_error_texts(RunId run, std::size_t limit, const VisitText& visit);

  /// Newest first, with id below `before` if given.
  Expected<std::vector<IngestedFile>> ingests(std::optional<FileId> before, std::size_t limit);
  Expected<IngestedFile> ingest(FileId id);
  Expected<std::int64_t> ingest_count();
  Expected<std::vector<RunId>> runs_of_ingest(FileId id);
  /// Rejected lines of one file or (no file) of all, newest first, with id below `before` if given.
  Expected<std::vector<RejectedLine>> rejected_lines(std::optional<FileId> file,
                                                     std::optional<std::int64_t> before,
                                                     std::size_t limit);
  Expected<std::int64_t> rejected_count(std::optional<FileId> file);
  /// How many rejected lines of a file were pruned: they are in no list and no count.
  Expected<std::int64_t> pruned_rejections(FileId file);

  /// Dumps, newest first, each with the results that it belongs to.
  Expected<std::vector<Artifact>> artifacts(const ArtifactFilter& filter);
  /// How many there are, whatever `before` and `limit` say.
  Expected<std::int64_t> artifact_count(const ArtifactFilter& filter);
  Expected<Artifact> artifact(ArtifactId id);
  /// The names of the newest dumps with an id above `after`, newest first.
  Expected<std::vector<ArtifactName>> artifact_names(ArtifactId after, std::size_t limit);
  /// The runs in which an experiment's result has dumps; with `run`, none but that one.
  Expected<std::vector<RunId>> runs_with_artifacts(ExperimentId experiment,
                                                   std::optional<RunId> run);
  /// The repetitions of a result of which there are traces or operator tables: those that ran under
  /// a profiler. In order, each once.
  Expected<std::vector<std::int64_t>> profiled_repetitions(RunId run, ExperimentId experiment);

  /// Every line in the order of arrival.
  Expected<void> replay(const std::function<void(const SourceOrderedLine&)>& visit);

 private:
  Connection& connection_;
};

}  // namespace benchhud::schema
