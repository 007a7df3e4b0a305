#include "analysis/timing/phases.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/estimators.h"

namespace benchhud::analysis {
namespace {

constexpr std::array kTold = {Phase::kTracing, Phase::kCompiling, Phase::kExecuting};

void name_metrics(const TimingFacts& facts, PhaseReport* report) {
  const auto name = [&](Phase phase, std::string_view metric) {
    report->metrics[static_cast<std::size_t>(phase)] = metric;
  };
  if (!facts.trace_time.empty()) name(Phase::kTracing, "trace_total_time");
  if (!facts.compile_time.empty()) name(Phase::kCompiling, "xla_CompileTime_time_s");
  if (!facts.cuda_time.empty()) name(Phase::kExecuting, "total_cuda_time_s");
  if (!facts.execute_time.empty()) name(Phase::kExecuting, "xla_ExecuteTime_time_s");
}

PhaseSummary summary(const std::vector<double>& seconds) {
  if (seconds.empty()) return {};
  return {median(seconds), median_interval(seconds), seconds.size(), sum(seconds)};
}

/// Of the repetitions in [begin, end).
PhaseGroup group(const RepetitionPhases& all, std::size_t begin, std::size_t end) {
  PhaseGroup group;
  group.repetitions = end - begin;
  std::vector<double> totals;
  std::array<std::vector<double>, kPhases.size()> seconds;
  for (std::size_t i = begin; i < end; ++i) {
    const PhasedRepetition repetition = all[i];
    if (repetition.total) totals.push_back(*repetition.total);
    for (std::size_t p = 0; p < kPhases.size(); ++p) {
      if (repetition.phases[p].seconds) seconds[p].push_back(*repetition.phases[p].seconds);
    }
  }
  group.total = summary(totals);
  for (std::size_t p = 0; p < kPhases.size(); ++p) group.phases[p] = summary(seconds[p]);
  return group;
}

}  // namespace

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kTracing:
      return "tracing";
    case Phase::kCompiling:
      return "compiling";
    case Phase::kExecuting:
      return "executing";
    case Phase::kRest:
      return "rest";
  }
  return "rest";
}

std::string_view phase_definition(Phase phase) {
  switch (phase) {
    case Phase::kTracing:
      return "The host until the calls return, nothing waited for: recording operations, checking "
             "guards, giving out work. trace_total_time, less compiling where the call itself "
             "compiles.";
    case Phase::kCompiling:
      return "Turning graphs into programs. xla_CompileTime_time_s; without it inferred as what a "
             "repetition cost beyond those that compile nothing.";
    case Phase::kExecuting:
      return "The device at work. xla_ExecuteTime_time_s, from giving out each program to its end, "
             "waiting in the queue included; without it the profiler's total_cuda_time_s, a sum "
             "over streams.";
    case Phase::kRest:
      return "What is left of total_time: the host's other work, and every phase that could not be "
             "told apart from it.";
  }
  return "";
}

std::string_view basis_name(Basis basis) {
  switch (basis) {
    case Basis::kMeasured:
      return "measured";
    case Basis::kDerived:
      return "derived";
    case Basis::kInferred:
      return "inferred";
    case Basis::kCounted:
      return "counted";
    case Basis::kNoise:
      return "noise";
    case Basis::kNoCompiler:
      return "no_compiler";
    case Basis::kInseparable:
      return "inseparable";
    case Basis::kOverlapping:
      return "overlapping";
    case Basis::kNotRecorded:
      return "not_recorded";
  }
  return "not_recorded";
}

std::string_view basis_meaning(Basis basis) {
  switch (basis) {
    case Basis::kMeasured:
      return "A metric says it.";
    case Basis::kDerived:
      return "A difference of metrics.";
    case Basis::kInferred:
      return "What the repetition cost beyond the median of those that compile nothing; the "
             "interval is its time less the largest and the smallest of theirs.";
    case Basis::kCounted:
      return "Zero: Dynamo's counters say that nothing was compiled.";
    case Basis::kNoise:
      return "Unknown: what the repetition cost beyond the others is within what they vary.";
    case Basis::kNoCompiler:
      return "Not there: nothing compiles on this backend.";
    case Basis::kInseparable:
      return "Unknown: it may be within another phase, and no metric tells how much.";
    case Basis::kOverlapping:
      return "Unknown: the other phases together are longer than the whole, so some went on at the "
             "same time.";
    case Basis::kNotRecorded:
      return "Unknown: the line has no metric for it.";
  }
  return "";
}

ComparedRepetitions::ComparedRepetitions(std::span<const double> seconds) : n_(seconds.size()) {
  if (seconds.empty()) return;
  minimum_ = minimum(seconds);
  median_ = median(seconds);
  maximum_ = maximum(seconds);
}

std::optional<Excess> ComparedRepetitions::excess(double seconds) const {
  if (n_ < 2) return std::nullopt;
  const auto n = static_cast<double>(n_);
  const Interval interval{seconds - maximum_, seconds - minimum_, (n - 1) / (n + 1)};
  return Excess{seconds - median_, interval, n_};
}

RepetitionPhases::RepetitionPhases(const TimingFacts& facts, const DynamoReport& dynamo)
    : facts_(facts), dynamo_(dynamo) {
  find_others();
}

PhasedRepetition RepetitionPhases::operator[](std::size_t repetition) const {
  PhasedRepetition found;
  found.is_warmup = repetition < warmup_count(size());
  found.total = total(repetition);
  found.xla_compilations = usable_sample(facts_.compile_number, repetition);
  if (repetition < dynamo_.captured.size()) found.graphs_captured = dynamo_.captured[repetition];
  found.of(Phase::kCompiling) = compiling(repetition);
  found.of(Phase::kTracing) = tracing(repetition);
  found.of(Phase::kExecuting) = executing(repetition);
  set_rest(&found);
  return found;
}

PhaseTime RepetitionPhases::compiling(std::size_t i) const {
  if (!facts_.compiles()) return {{}, Basis::kNoCompiler, {}};
  if (const auto measured = usable_sample(facts_.compile_time, i)) {
    return {measured, Basis::kMeasured, {}};
  }
  if (!may_compile(i)) {
    return counters_tell(i) ? PhaseTime{0.0, Basis::kCounted, {}} : PhaseTime{};
  }
  const auto value = compared(i);
  if (!value || facts_.pure_wall_time) return {};
  const auto found = others_.excess(*value);
  if (!found) return {{}, Basis::kInseparable, {}};
  if (found->is_noise()) return {{}, Basis::kNoise, found->interval};
  return {found->seconds, Basis::kInferred, found->interval};
}

std::optional<Excess> RepetitionPhases::first_excess() const {
  const auto first = total(0);
  return first ? other_totals_.excess(*first) : std::nullopt;
}

/// Whether the call that is timed as tracing also compiles.
bool RepetitionPhases::call_compiles() const { return facts_.has_dynamo || facts_.has_torch_xla2; }

/// Whether the repetition may have compiled, for all that the line says.
bool RepetitionPhases::may_compile(std::size_t i) const {
  if (!facts_.compiles()) return false;
  if (const auto compiled = usable_sample(facts_.compile_time, i)) return *compiled > 0;
  // Lazy tensors are compiled without Dynamo's knowing.
  if (facts_.has_dynamo && i < dynamo_.captured.size()) return dynamo_.captured[i] > 0;
  return i == 0;
}

bool RepetitionPhases::counters_tell(std::size_t i) const {
  return facts_.has_dynamo && !facts_.has_xla && i < dynamo_.captured.size();
}

std::optional<double> RepetitionPhases::total(std::size_t i) const {
  const auto total = usable_sample(facts_.total_time, i);
  return total == 0 ? std::nullopt : total;
}

/// total_time, less tracing where that is a phase of its own.
std::optional<double> RepetitionPhases::compared(std::size_t i) const {
  const auto whole = total(i);
  if (!whole || call_compiles() || facts_.trace_time.empty()) return whole;
  const auto trace = usable_sample(facts_.trace_time, i);
  if (!trace) return std::nullopt;
  return *whole - *trace;
}

/// The repetitions that one which compiled is compared with.
void RepetitionPhases::find_others() {
  constexpr std::size_t kEnough = 3;
  const std::size_t warmup = warmup_count(size());
  for (const bool steady_only : {true, false}) {
    std::vector<double> times, totals;
    for (std::size_t i = steady_only ? std::max<std::size_t>(warmup, 1) : 1; i < size(); ++i) {
      if (may_compile(i)) continue;
      if (const auto value = compared(i)) times.push_back(*value);
      if (const auto whole = total(i)) totals.push_back(*whole);
    }
    others_ = ComparedRepetitions(times);
    other_totals_ = ComparedRepetitions(totals);
    if (others_.size() >= kEnough) return;
  }
}

PhaseTime RepetitionPhases::tracing(std::size_t i) const {
  const auto trace = usable_sample(facts_.trace_time, i);
  if (!trace) return {};
  if (!call_compiles() || !may_compile(i)) return {trace, Basis::kMeasured, {}};
  const auto compiled = usable_sample(facts_.compile_time, i);
  if (!compiled || *compiled > *trace) return {{}, Basis::kInseparable, {}};
  return {*trace - *compiled, Basis::kDerived, {}};
}

PhaseTime RepetitionPhases::executing(std::size_t i) const {
  // XLA counts all calls of a pure wall time's many, of which total_time is one.
  if (facts_.pure_wall_time) return {};
  const auto& samples = facts_.execute_time.empty() ? facts_.cuda_time : facts_.execute_time;
  const auto seconds = usable_sample(samples, i);
  if (!seconds) return {};
  return {seconds, Basis::kMeasured, {}};
}

void RepetitionPhases::set_rest(PhasedRepetition* repetition) const {
  PhaseTime& rest = repetition->of(Phase::kRest);
  if (!repetition->total) return;
  if (facts_.pure_wall_time) {
    rest.basis = Basis::kInseparable;
    return;
  }
  double told = 0;
  for (const Phase phase : kTold) {
    const PhaseTime& time = repetition->of(phase);
    if (time.seconds) {
      told += *time.seconds;
    } else if (time.basis != Basis::kNoCompiler) {
      repetition->rest_holds.push_back(phase);
    }
  }
  if (told > *repetition->total) {
    rest.basis = Basis::kOverlapping;
    repetition->overlap = told - *repetition->total;
    repetition->rest_holds.clear();
    return;
  }
  rest.basis = Basis::kDerived;
  rest.seconds = *repetition->total - told;
}

bool PhasedRepetition::compiled() const {
  const PhaseTime& compiling = of(Phase::kCompiling);
  const bool measured =
      compiling.basis == Basis::kMeasured && compiling.seconds && *compiling.seconds > 0;
  return measured || xla_compilations.value_or(0) > 0 || graphs_captured.value_or(0) > 0;
}

PhaseReport phases(const TimingFacts& facts, const DynamoReport& dynamo) {
  const RepetitionPhases all(facts, dynamo);
  PhaseReport report;
  name_metrics(facts, &report);
  report.repetition_count = all.size();
  for (std::size_t i = 0; i < std::min(all.size(), kMostRepetitions); ++i) {
    report.repetitions.push_back(all[i]);
  }
  report.first_excess = all.first_excess();
  const std::size_t warmup = warmup_count(all.size());
  report.warmup = group(all, 0, warmup);
  report.steady = group(all, warmup, all.size());
  return report;
}

std::optional<double> compile_time(const TimingFacts& facts, const DynamoReport& dynamo) {
  const RepetitionPhases all(facts, dynamo);
  if (!facts.compiles() || facts.total_time.empty()) return std::nullopt;
  const PhaseTime first = all.compiling(0);
  if (!first.seconds && first.basis != Basis::kNoise) {
    const auto excess =
        facts.total_time.size() == 2 ? upstream_compile(facts.total_time) : std::nullopt;
    return excess && *excess > 0 ? excess : std::nullopt;
  }
  double sum = 0;
  bool is_known = first.seconds.has_value();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PhaseTime time = all.compiling(i);
    sum += time.seconds.value_or(0);
    is_known = is_known || time.seconds.value_or(0) > 0;
  }
  return is_known && std::isfinite(sum) ? std::optional(sum) : std::nullopt;
}

bool may_recompile(const TimingFacts& facts) {
  constexpr double kShareOfFirst = 0.25;
  if (!facts.has_dynamo || !facts.compile_time.empty()) return false;
  std::vector<double> later;
  for (std::size_t i = 1; i < facts.total_time.size(); ++i) {
    if (const auto seconds = usable_sample(facts.total_time, i)) later.push_back(*seconds);
  }
  const auto first = usable_sample(facts.total_time, 0);
  if (!first || later.size() < 2) return false;
  std::sort(later.begin(), later.end());
  const double base = median_of_sorted(std::span(later).first((later.size() + 1) / 2));
  return later.back() - base > kShareOfFirst * (*first - base);
}

}  // namespace benchhud::analysis
