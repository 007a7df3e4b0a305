// A run's results against a baseline: who is compared with what, who is left out and why, and the
// geometric means.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/results/catalog.h"
#include "analysis/results/result_view.h"
#include "schema/results/reader.h"

namespace benchhud::analysis {

enum class Estimator : std::uint8_t {
  kSteady,    ///< median of per_iter_time after warm-up
  kUpstream,  ///< mean of total_time[3:], as the upstream report has it
};

/// Why a result has no speedup.
enum class Exclusion : std::uint8_t {
  kIsBaseline,
  kFailed,
  kSkipped,
  kNotTimed,
  kTooFewSamples,
  kBaselineMissing,
  kBaselineFailed,
  kBatchSizeDiffers,
  kNotVerified,
  kVerificationFailed,
};

/// "is_baseline", "failed", …
std::string_view exclusion_name(Exclusion exclusion);

/// The time of a result by an estimator, s. `kUpstream` comes without an interval.
std::optional<Estimate> time_of(const ResultView& view, Estimator estimator);

/// A baseline's result for one suite, model, test, batch size and accelerator model.
struct BaselineResult {
  schema::RunId run{};
  schema::ExperimentId experiment{};
  Status status = Status::kNotTimed;
  std::optional<Estimate> time;
  std::vector<double> steady_samples;
};

/// The results that others are compared with. For one comparable there is one; the first one
/// offered stands, unless it has no time and a later one has.
class Baseline {
 public:
  void offer(const CatalogEntry& entry, BaselineResult result);

  /// Null if there is none for that suite, model, test, batch size and accelerator model. For an
  /// entry of another backend, the time with its own flags (the precision among them) where there
  /// is one, else that of the configuration that stands for the baseline.
  const BaselineResult* find(const CatalogEntry& entry) const;
  /// What the baseline did of the same model and test otherwise.
  bool failed_without_batch_size(const CatalogEntry& entry) const;
  bool timed_with_another_batch_size(const CatalogEntry& entry) const;
  /// The runs that its times are from, each once, by id.
  std::vector<schema::RunId> runs() const;

 private:
  struct Workload {
    bool timed = false;
    bool failed_without_batch_size = false;
  };
  struct Timed {
    std::string flags;
    BaselineResult result;
  };
  std::string backend_;
  std::unordered_map<std::size_t, BaselineResult> results_;    // by comparable
  std::unordered_map<std::size_t, std::vector<Timed>> timed_;  // likewise, in the order offered
  std::unordered_map<std::size_t, Workload> workloads_;
};

/// The baseline that one run gives. Where `backend` has several configurations in the run, the one
/// with the shortest configuration stands for it (of equals the first in the alphabet); another one
/// where that one has no time, and for results with its very flags.
Baseline baseline_of_run(const JudgedRun& run, const Catalog& catalog, std::string_view backend,
                         Estimator estimator);

/// For each suite, model, test and batch size on `accelerator_model` the first run in which
/// `backend` has a time. Where two configurations were first timed in one run, they come as above.
schema::Expected<Baseline> oldest_baseline(schema::Reader& reader, const Catalog& catalog,
                                           std::string_view backend,
                                           std::string_view accelerator_model, Estimator estimator);

struct SpeedupView {
  double value = 0;                  ///< above 1: faster than the baseline
  std::optional<Interval> interval;  ///< bootstrap over both sides' samples; kSteady only
  std::size_t n = 0;                 ///< the smaller of both sides' numbers of samples
  EstimateFlags flags;               ///< of either side
  schema::RunId baseline_run{};
  schema::ExperimentId baseline_experiment{};
};

/// Exactly one of both is there.
struct JudgedSpeedup {
  std::optional<SpeedupView> speedup;
  std::optional<Exclusion> excluded;
};

struct SpeedupOptions {
  Estimator estimator = Estimator::kSteady;
  bool verified_only = false;  ///< leave out what does not pass verification
  bool intervals = true;       ///< the costly part
};

/// One a result of the run, in its order.
std::vector<JudgedSpeedup> run_speedups(schema::RunId run, std::span<const ResultView> results,
                                        const Catalog& catalog, const Baseline& baseline,
                                        const SpeedupOptions& options);

struct GeomeanView {
  std::optional<double> value;
  std::optional<Interval> interval;  ///< bootstrap over models
  std::size_t n = 0;                 ///< models
};

/// A model (CatalogEntry::model) and a speedup of it.
using ModelSpeedup = std::pair<std::size_t, double>;

struct PeerGeomeans {
  GeomeanView all;
  GeomeanView matched;  ///< over the models that all peers have which have any
};

/// Of groups that are to be compared with each other (the backends of one test, say) each one's
/// geometric means. A model with several speedups in a group enters with their geometric mean.
std::vector<PeerGeomeans> peer_geomeans(const std::vector<std::vector<ModelSpeedup>>& groups);

struct ExcludedModels {
  Exclusion reason{};
  std::size_t count = 0;            ///< results
  std::vector<std::string> models;  ///< suite/model, sorted, each once
};

/// A geometric mean over models. A model with several batch sizes (or configurations, when grouped
/// by backend) enters with the geometric mean of its speedups.
struct ColumnGeomean {
  std::string test;
  std::string column;  ///< the column's or, grouped by backend, the backend's name
  std::string backend;
  GeomeanView all;
  /// Over the models that every column of that test has a speedup for. A column without any speedup
  /// does not count: with it there would be nothing left to compare.
  GeomeanView matched;
  std::vector<ExcludedModels> excluded;  ///< by reason
};

enum class GroupBy : std::uint8_t { kColumn, kBackend };

/// By test and column. `speedups` is what run_speedups() gave for `results`.
std::vector<ColumnGeomean> geomeans(std::span<const ResultView> results, const Catalog& catalog,
                                    std::span<const JudgedSpeedup> speedups, GroupBy group_by);

}  // namespace benchhud::analysis
