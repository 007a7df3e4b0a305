// One result, judged: how fast, was it right, and if it failed, of what.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/errors/error_signature.h"
#include "analysis/results/catalog.h"
#include "analysis/results/verification.h"
#include "analysis/statistics/estimators.h"
#include "schema/results/line_measurements.h"
#include "schema/results/reader.h"

namespace benchhud::analysis {

enum class Status : std::uint8_t {
  kTimed,     ///< has timings
  kFailed,    ///< was to be timed and failed
  kSkipped,   ///< the runner knew it not to work and did not try
  kNotTimed,  ///< nothing tried to time it in this run, but for what ran under XLA's profiler
};

/// "timed", "failed", "skipped" or "not_timed".
std::string_view status_name(Status status);

/// What is remembered of an error's text, which may be megabytes.
struct ErrorText {
  ErrorKind kind = ErrorKind::kOther;
  std::string signature;
  std::string excerpt;  ///< its end, where the exception stands: whole lines, at most 600 bytes
};

/// Reads one error text.
ErrorText read_error(std::string_view text);

/// What is to be known of kept error texts. Errors stick: a text that cannot be read is as if there
/// were none, and status() tells; so who judges many results asks once, at the end.
class ErrorTexts {
 public:
  using Text = std::shared_ptr<const ErrorText>;
  using Read = std::function<schema::Expected<Text>(schema::TextId)>;
  /// Makes many ready to be read one by one.
  using ReadAhead = std::function<schema::Expected<void>(std::span<const schema::TextId>)>;
  explicit ErrorTexts(Read read, ReadAhead read_ahead = nullptr)
      : read_(std::move(read)), read_ahead_(std::move(read_ahead)) {}
  /// For who asks whether something failed, not of what: there are no texts.
  static ErrorTexts none() {
    return ErrorTexts([](schema::TextId) { return Text(); });
  }

  /// Null where there is none.
  Text get(schema::TextId id) const;
  /// To be called before many are asked for: they are then read together.
  schema::Expected<void> read_ahead(std::vector<schema::TextId> ids) const;
  /// The same for all that these results tell of.
  schema::Expected<void> read_ahead(std::span<const schema::ResultFacts> results) const;
  /// The first error of reading one.
  schema::Expected<void> status() const;

 private:
  Read read_;
  ReadAhead read_ahead_;
  mutable std::optional<schema::Error> error_;
};

/// The store's, each read once, as long as the answer or a copy of it is kept; where there are
/// thousands, some again. `reader` must outlive them.
ErrorTexts error_texts_of(schema::Reader& reader);
/// The same, what results of a run tell of being read at once, but for what is beyond thousands.
schema::Expected<ErrorTexts> error_texts_of(schema::Reader& reader, schema::RunId run);

struct FailureView {
  std::shared_ptr<const ErrorText> error;  ///< never null
  schema::LineId line{};
  bool after_timing = false;  ///< it was timed, and a later attempt of the same run failed
};

struct VerificationView {
  std::string code;
  VerificationOutcome verification_outcome = VerificationOutcome::kNeither;
  double verified_at = 0;
  schema::RunId run{};
  bool stale = false;  ///< of an earlier run: this one did not verify it
  double age = 0;      ///< seconds from the verification to the run's start; 0 unless stale
  bool shared = false;
  std::optional<FailureView> failure;  ///< what the verifier's line tells of an error
};

struct ResultView {
  schema::ExperimentId experiment{};
  Status status = Status::kNotTimed;
  std::optional<Estimate> steady;
  std::vector<double> steady_samples;  ///< s
  std::optional<MeanEstimate> upstream;
  /// Compiling in all repetitions, s (compile_time()); set by judge_stored_result() alone.
  std::optional<double> compile;
  std::optional<double> compile_upstream;  ///< s, as the upstream report has it
  std::optional<double> compile_xla;       ///< s, in repetition 0
  std::optional<VerificationView> verification;
  std::optional<FailureView> failure;
  std::optional<std::int64_t> repeat;
  std::optional<std::int64_t> iterations_per_run;
  /// Some result of its suite, test and backend in the run was ever verified: only such results
  /// count in a pass rate. Set for all results of a run together, by mark_verifiable().
  bool is_verifiable = false;
  /// Was timed only while XLA's profiler ran, which counts for nothing.
  bool is_only_profiled = false;
};

/// A verification as a result of a run that started at `run_started_at` shows it.
VerificationView judge_verification(const schema::VerificationFacts& facts, bool stale,
                                    double run_started_at, const ErrorTexts& errors);

/// Judges one result; `errors` tells whether its texts could be read. `last` is the newest
/// verification of the experiment in an earlier run; it stands, as stale, where this run did not
/// verify the experiment.
ResultView judge_result(const schema::ResultFacts& facts,
                        const std::optional<schema::VerificationFacts>& last,
                        const ErrorTexts& errors);

/// Judges one result with its compile time, which only a reader of the store can tell: where the
/// times leave open in which repetitions something was compiled, Dynamo's counters are read.
schema::Expected<ResultView> judge_stored_result(
    schema::Reader& reader, const CatalogEntry& entry, const schema::ResultFacts& facts,
    const std::optional<schema::VerificationFacts>& last, const ErrorTexts& errors);
/// The same of one of many results, whose order `measurements` has.
schema::Expected<ResultView> judge_stored_result(
    schema::TimingMeasurements& measurements, const CatalogEntry& entry,
    const schema::ResultFacts& facts, const std::optional<schema::VerificationFacts>& last,
    const ErrorTexts& errors);

/// A run and all its results, in the catalog's order.
struct JudgedRun {
  schema::Run run;
  std::vector<ResultView> results;

  /// Null if the run has no such result.
  const ResultView* find(schema::ExperimentId experiment) const;
};

/// Sets ResultView::is_verifiable of all results of a run.
void mark_verifiable(const Catalog& catalog, JudgedRun* run);

/// Reads and judges all results of a run. Results of experiments that the catalog lacks (it is
/// older than the store's state that `reader` sees) are left out. Errors: those of reading, of
/// `errors` as well.
schema::Expected<JudgedRun> judge_run(schema::Reader& reader, const schema::Run& run,
                                      const Catalog& catalog, const ErrorTexts& errors);

}  // namespace benchhud::analysis
