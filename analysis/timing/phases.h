// Where a result's time went: tracing, compiling, executing and the rest, repetition by repetition
// and for warm-up and steady repetitions together. Made of what the line says (timing_facts.h,
// dynamo_counters.h), never of guesses: a phase that cannot be told has no seconds, and says why.
#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/profiles/dynamo_counters.h"
#include "analysis/statistics/summary.h"
#include "analysis/timing/timing_facts.h"

namespace benchhud::analysis {

/// The words are those of PyTorch/XLA's page "Tracing Time vs. Execution Time".
enum class Phase : std::uint8_t {
  /// The host until the calls have returned: recording operations, checking guards, giving out
  /// work. `trace_total_time`, less compiling where that happens within the call.
  kTracing,
  /// Turning graphs into programs. `xla_CompileTime_time_s`, else inferred.
  kCompiling,
  /// The device at work. `xla_ExecuteTime_time_s` (from giving out a program to its end, waiting in
  /// the queue included, so programs given out together count the same time several times), else
  /// the profiler's `total_cuda_time_s` (a sum over streams).
  kExecuting,
  /// What is left of `total_time`: the host's other work, and every phase that could not be told.
  kRest,
};
inline constexpr std::array kPhases = {Phase::kTracing, Phase::kCompiling, Phase::kExecuting,
                                       Phase::kRest};
/// "tracing", "compiling", "executing" or "rest".
std::string_view phase_name(Phase phase);
/// One sentence: what the phase is and what it is made of.
std::string_view phase_definition(Phase phase);

/// How a phase's seconds are known, or why they are not.
enum class Basis : std::uint8_t {
  kMeasured,     ///< a metric says it
  kDerived,      ///< a difference of metrics
  kInferred,     ///< what the repetition cost beyond the ones that compile nothing
  kCounted,      ///< 0: Dynamo's counters say that nothing was compiled
  kNoise,        ///< not there: the excess does not stand out from how those ones vary
  kNoCompiler,   ///< not there: nothing compiles on this backend
  kInseparable,  ///< not there: it may be within another phase, and no metric tells how much
  kOverlapping,  ///< not there: the other phases together are longer than the whole
  kNotRecorded,  ///< not there: no metric
};
/// "measured", "derived", "inferred", "counted", "noise", "no_compiler", "inseparable",
/// "overlapping" or "not_recorded".
std::string_view basis_name(Basis basis);
std::string_view basis_meaning(Basis basis);
inline constexpr std::array kBases = {
    Basis::kMeasured,   Basis::kDerived,     Basis::kInferred,    Basis::kCounted,    Basis::kNoise,
    Basis::kNoCompiler, Basis::kInseparable, Basis::kOverlapping, Basis::kNotRecorded};

struct PhaseTime {
  std::optional<double> seconds;
  Basis basis = Basis::kNotRecorded;
  /// Of an inference, and of one that drowns in noise. See excess().
  std::optional<Interval> interval;
};

/// How much longer a repetition took than others did: its time less their median. The interval is
/// its time less the largest and the smallest of theirs: were it like them it would lie among them
/// with a probability of (n - 1) / (n + 1), which is the interval's confidence (a distribution-free
/// prediction interval; David & Nagaraja, Order Statistics, 7.3). Where it reaches down to 0, the
/// excess is noise.
struct Excess {
  double seconds = 0;
  Interval interval;
  std::size_t n = 0;  ///< others
  bool is_noise() const { return interval.low <= 0; }
};

/// The repetitions that others are compared with, summed up once for all that are.
class ComparedRepetitions {
 public:
  ComparedRepetitions() = default;
  /// `seconds`: their times.
  explicit ComparedRepetitions(std::span<const double> seconds);
  std::size_t size() const { return n_; }
  /// Of a repetition that took `seconds`. None where there are fewer than two to compare it with.
  std::optional<Excess> excess(double seconds) const;

 private:
  std::size_t n_ = 0;
  double minimum_ = 0, median_ = 0, maximum_ = 0;  // s
};

struct PhasedRepetition {
  bool is_warmup = false;
  std::optional<double> total;  ///< finite and above 0
  std::array<PhaseTime, kPhases.size()> phases;
  /// Where the rest is overlapping: how much longer the other phases are than the whole. So much at
  /// least of them went on at the same time (or was not waited for).
  std::optional<double> overlap;
  /// The phases that the rest may hold.
  boost::container::static_vector<Phase, kPhases.size()> rest_holds;
  std::optional<double> xla_compilations;       ///< xla_CompileTime_number
  std::optional<std::int64_t> graphs_captured;  ///< DynamoReport::captured

  const PhaseTime& of(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
  PhaseTime& of(Phase phase) { return phases[static_cast<std::size_t>(phase)]; }
  /// Whether a metric or a counter says that something was compiled in it.
  bool compiled() const;
};

/// The phases of each repetition of a result, worked out when asked for: a line may have millions
/// of repetitions, and all of them at once would take twenty times the memory of their samples.
///
/// Compiling is inferred where no metric has it and the backend compiles: for the first repetition
/// and, where there are Dynamo counters, exactly for those in which they say that something was
/// captured. It is then the excess over the steady repetitions in which nothing was compiled;
/// where there are fewer than three of those, over all but the first. What is compared is
/// total_time, less tracing where tracing is a phase of its own: under Dynamo and torch_xla2 the
/// call itself compiles, with lazy tensors what comes after it.
class RepetitionPhases {
 public:
  /// `facts` and `dynamo` (without repetitions where the result has no counters) must outlive it.
  RepetitionPhases(const TimingFacts& facts, const DynamoReport& dynamo);

  std::size_t size() const { return facts_.total_time.size(); }
  /// Precondition: `repetition` < size().
  PhasedRepetition operator[](std::size_t repetition) const;
  /// The compiling phase alone.
  PhaseTime compiling(std::size_t repetition) const;
  /// What the first repetition cost beyond the ones that compile nothing, whatever the reason.
  std::optional<Excess> first_excess() const;

 private:
  bool call_compiles() const;
  bool may_compile(std::size_t i) const;
  bool counters_tell(std::size_t i) const;
  std::optional<double> total(std::size_t i) const;
  std::optional<double> compared(std::size_t i) const;
  void find_others();
  PhaseTime tracing(std::size_t i) const;
  PhaseTime executing(std::size_t i) const;
  void set_rest(PhasedRepetition* repetition) const;

  const TimingFacts& facts_;
  const DynamoReport& dynamo_;
  // Of the repetitions that compile nothing.
  ComparedRepetitions others_;        // compared()
  ComparedRepetitions other_totals_;  // total()
};

/// Seconds over the repetitions that have them.
struct PhaseSummary {
  std::optional<double> median;
  std::optional<Interval> interval;  ///< median_interval(): within the run
  std::size_t n = 0;
  std::optional<double> sum;
};

struct PhaseGroup {
  std::size_t repetitions = 0;
  PhaseSummary total;
  std::array<PhaseSummary, kPhases.size()> phases;

  const PhaseSummary& of(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
};

/// How many repetitions a report lists one by one.
inline constexpr std::size_t kMostRepetitions = 1000;

struct PhaseReport {
  /// The first kMostRepetitions of them.
  std::vector<PhasedRepetition> repetitions;
  std::size_t repetition_count = 0;
  PhaseGroup warmup;  ///< the first warmup_count() repetitions
  PhaseGroup steady;  ///< all others
  /// What the first repetition cost beyond the ones that compile nothing, whatever the reason:
  /// compiling, tracing for the first time, cold caches. None where there are fewer than two such.
  std::optional<Excess> first_excess;
  /// The metrics that tracing, compiling and executing are from; "" where there is none.
  std::array<std::string_view, kPhases.size()> metrics;

  std::string_view metric_of(Phase phase) const { return metrics[static_cast<std::size_t>(phase)]; }
};

/// A result's phases. `dynamo`: its counters, without repetitions if it has none.
PhaseReport phases(const TimingFacts& facts, const DynamoReport& dynamo);

/// The compile time of a result, s: its compiling phase (see phases()) added up over all
/// repetitions, so that a model that recompiles is not taken for one that compiles faster. What
/// cannot be told from noise adds nothing. None where nothing compiles on the backend, where the
/// first repetition's share is unknown, and where all of it is within noise. With two repetitions
/// there is nothing to know the noise from: what the first one took longer, if it did.
std::optional<double> compile_time(const TimingFacts& facts, const DynamoReport& dynamo);

/// Whether compile_time() needs Dynamo's counters of the result: without them, times say that a
/// repetition after the first may have compiled too, as it took longer than the faster half of
/// them by more than a quarter of what the first one did.
bool may_recompile(const TimingFacts& facts);

}  // namespace benchhud::analysis
