#include "analysis/timing/timing_hygiene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/estimators.h"
#include "analysis/statistics/trend.h"
#include "analysis/statistics/unimodality.h"
#include "analysis/text/quantity_text.h"

namespace benchhud::analysis {
namespace {

using enum Concern;
using enum CheckOutcome;

// Two times are as good as equal if one is at most this much longer: clocks are read at slightly
// different places.
constexpr double kSame = 1.05;
// The dip of more values than this is looked at in an even choice of them.
constexpr std::size_t kMostForDip = 2000;
constexpr double kForever = std::numeric_limits<double>::infinity();

/// A repetition's time beside that of its parts, s.
struct Waited {
  double total = 0;
  std::optional<double> trace;
  /// How long the device was at it at least: the mean execution's time from giving it out to its
  /// end, which lies within the repetition if its end was waited for; or the profiler's sum.
  std::optional<double> device;
  /// All executions together: those that were given out at once count the same time several times.
  std::optional<double> device_sum;
};

// A counter that a file gives as any number.
std::string counter_text(double count, std::string_view noun) {
  if (std::abs(count) < 1e15) return count_text(std::llround(count), noun);
  return fmt::format("{:.3g} {}s", count, noun);
}

/// Places in a list of steady repetitions.
using Places = std::vector<std::size_t>;

class Inspector {
 public:
  Inspector(const TimingFacts& facts, const DynamoReport& dynamo, const PhaseReport& report,
            const HygieneContext& context)
      : facts_(facts), repetitions_(facts, dynamo), report_(report), context_(context) {
    for (std::size_t i = warmup_count(repetitions_.size()); i < repetitions_.size(); ++i) {
      const PhasedRepetition repetition = repetitions_[i];
      if (!repetition.total) continue;
      steady_places_.push_back(i);
      steady_.push_back(*repetition.total);
      if (!repetition.compiled()) settled_.push_back(*repetition.total);
    }
  }

  HygieneReport inspect() {
    if (repetitions_.size() > 0) {
      waiting();
      steady_compiles();
      warmup();
      profiler();
      repetitions();
      drift();
      modes();
      spread();
      host();
      batch_size();
    }
    std::stable_sort(
        found_.flags.begin(), found_.flags.end(),
        [](const HygieneFlag& a, const HygieneFlag& b) { return a.severity < b.severity; });
    return std::move(found_);
  }

 private:
  void set(Concern concern, CheckOutcome outcome) {
    found_.outcomes[static_cast<std::size_t>(concern)] = outcome;
  }
  void flag(HygieneFlag flag) {
    set(flag.concern, kFound);
    found_.flags.push_back(std::move(flag));
  }

  /// Of the steady repetition at `place` in steady_.
  Waited waited(std::size_t place) const {
    const std::size_t i = steady_places_[place];
    Waited item;
    item.total = steady_[place];
    item.trace = usable_sample(facts_.trace_time, i);
    const auto executed = usable_sample(facts_.execute_time, i);
    const auto count = usable_sample(facts_.execute_number, i);
    if (executed && count && *count >= 1) {
      item.device = *executed / *count;
      item.device_sum = executed;
    } else if (facts_.execute_time.empty()) {
      item.device = usable_sample(facts_.cuda_time, i);
    }
    return item;
  }

  void waiting() {
    if (facts_.pure_wall_time) return;
    const auto only_traced = [](const Waited& item) {
      return item.trace && item.total <= kSame * *item.trace;
    };
    const bool by_xla = !facts_.execute_time.empty();
    Places traced, cut_short, unclear;
    std::size_t with_device = 0, with_both = 0, with_trace = 0;
    for (std::size_t place = 0; place < steady_.size(); ++place) {
      const Waited item = waited(place);
      with_device += item.device.has_value();
      with_trace += item.trace.has_value();
      with_both += item.trace && item.device;
      if (item.device && *item.device > kSame * item.total) {
        (only_traced(item) ? traced : cut_short).push_back(place);
      } else if (only_traced(item) &&
                 item.device_sum.value_or(item.device ? 0 : kForever) > kSame * item.total) {
        unclear.push_back(place);
      }
    }
    if (with_both > 0) set(kOnlyTracing, kNotFound);
    if (with_device > 0) set(kNotWaitedFor, kNotFound);
    if (with_device > 0 || with_trace > 0) set(kWaitUnclear, kNotFound);
    if (is_most(traced, with_both)) {
      auto found = about(kOnlyTracing, Severity::kWrong, traced);
      found.sentence = fmt::format(
          "Only tracing was measured: the time ends after {}, when the calls return ({}), while {} "
          "{}. The end of the device's work was not waited for.",
          seconds_of(found, "total_s"), seconds_of(found, "tracing_s"), device_words(by_xla),
          seconds_of(found, "device_s"));
      flag(std::move(found));
    } else if (is_most(cut_short, with_device)) {
      auto found = about(kNotWaitedFor, by_xla ? Severity::kWrong : Severity::kWarning, cut_short);
      found.sentence = fmt::format("The device was not waited for{}: the time is {}, while {} {}.",
                                   by_xla ? "" : " (or worked on several streams at once)",
                                   seconds_of(found, "total_s"), device_words(by_xla),
                                   seconds_of(found, "device_s"));
      flag(std::move(found));
    }
    if (is_most(unclear, with_trace)) {
      auto found = about(kWaitUnclear, Severity::kNote, unclear);
      found.sentence = fmt::format(
          "The time ({}) ends as soon as the calls return ({}): either the host takes longer than "
          "the device, or the device was not waited for. What is known of the device does not "
          "tell.",
          seconds_of(found, "total_s"), seconds_of(found, "tracing_s"));
      flag(std::move(found));
    }
  }

  static std::string_view device_words(bool by_xla) {
    return by_xla ? "a single execution on the device took" : "the device's kernels took";
  }
  static bool is_most(const Places& some, std::size_t all) {
    return !some.empty() && 2 * some.size() >= all;
  }
  /// A flag about repetitions, with the medians of their times.
  HygieneFlag about(Concern concern, Severity severity, const Places& places) const {
    HygieneFlag flag{concern, severity, {}, {}, {}};
    std::vector<double> total, trace, device;
    for (const std::size_t place : places) {
      const Waited item = waited(place);
      flag.repetitions.push_back(steady_places_[place]);
      total.push_back(item.total);
      if (item.trace) trace.push_back(*item.trace);
      if (item.device) device.push_back(*item.device);
    }
    flag.values.emplace_back("total_s", median(total));
    if (!trace.empty()) flag.values.emplace_back("tracing_s", median(trace));
    if (!device.empty()) flag.values.emplace_back("device_s", median(device));
    return flag;
  }
  static std::string seconds_of(const HygieneFlag& flag, std::string_view name) {
    for (const auto& [key, value] : flag.values) {
      if (key == name) return duration_text(value);
    }
    return duration_text(std::nan(""));
  }

  void steady_compiles() {
    HygieneFlag found{kSteadyCompiles, Severity::kWarning, {}, {}, {}};
    bool is_counted = false;
    double seconds = 0, compilations = 0, graphs = 0;
    for (std::size_t i = 0; i < repetitions_.size(); ++i) {
      const PhasedRepetition repetition = repetitions_[i];
      const PhaseTime& compiling = repetition.of(Phase::kCompiling);
      const bool is_measured = compiling.basis == Basis::kMeasured;
      is_counted =
          is_counted || repetition.graphs_captured || repetition.xla_compilations || is_measured;
      if (repetition.is_warmup || !repetition.compiled()) continue;
      found.repetitions.push_back(i);
      if (is_measured) seconds += compiling.seconds.value_or(0);
      compilations += repetition.xla_compilations.value_or(0);
      graphs += static_cast<double>(repetition.graphs_captured.value_or(0));
    }
    if (!facts_.compiles()) set(kSteadyCompiles, kNotFound);
    if (!facts_.compiles() || !is_counted || report_.steady.repetitions == 0) return;
    set(kSteadyCompiles, kNotFound);
    if (found.repetitions.empty()) return;
    const std::size_t count = found.repetitions.size(), of = report_.steady.repetitions;
    // From half of them on the median itself is a repetition that compiled.
    if (2 * count >= of) found.severity = Severity::kWrong;
    if (facts_.pure_wall_time) found.severity = Severity::kNote;
    std::vector<std::string> evidence;
    if (compilations > 0)
      evidence.push_back(fmt::format("XLA compiled {}", counter_text(compilations, "time")));
    if (seconds > 0) evidence.push_back(fmt::format("for {}", duration_text(seconds)));
    if (graphs > 0)
      evidence.push_back(fmt::format("Dynamo captured {}", counter_text(graphs, "graph")));
    found.sentence = fmt::format(
        "{} of {} still compiled ({}): shapes, guards or the traced graph change from call to "
        "call, {}.",
        count, count_text(of, "steady repetition"), fmt::join(evidence, ", "),
        facts_.pure_wall_time ? "though the least of many calls holds no compilation"
                              : "and the steady time holds compilation");
    found.values = {{"repetitions", static_cast<double>(count)},
                    {"steady_repetitions", static_cast<double>(of)},
                    {"compilations", compilations},
                    {"compile_s", seconds},
                    {"graphs", graphs}};
    flag(std::move(found));
  }

  void warmup() {
    const std::size_t count = repetitions_.size();
    set(kWarmupMissing, kNotFound);
    if (count < 4) {
      const std::size_t dropped = warmup_count(count);
      flag({kWarmupMissing,
            Severity::kWarning,
            fmt::format("There {} {}{}: a warm-up takes three, of which {} could be left out, so "
                        "the steady time may hold compilation and cold caches.",
                        count == 1 ? "is" : "are", count_text(count, "repetition"), asked(),
                        dropped == 0 ? "none" : "one"),
            {{"repetitions", static_cast<double>(count)},
             {"warmup_repetitions", static_cast<double>(dropped)}},
            {}});
    }
    first_repetition();
  }

  void first_repetition() {
    const PhasedRepetition first = repetitions_[0];
    if (!facts_.compiles()) set(kFirstNotSlower, kNotFound);
    // The least of many calls has no compilation in it, whenever it happened.
    if (facts_.pure_wall_time || !first.compiled() || !first.total) return;
    if (settled_.size() < 2) return;
    set(kFirstNotSlower, kNotFound);
    const double slowest = maximum(settled_);
    if (*first.total > slowest) return;
    flag({kFirstNotSlower,
          Severity::kWarning,
          fmt::format("The first repetition compiled, yet it took {}, no longer than steady ones "
                      "that did not (up to {}): compilation is not in the time, or the repetitions "
                      "are not in order.",
                      duration_text(*first.total), duration_text(slowest)),
          {{"first_s", *first.total}, {"slowest_steady_s", slowest}},
          {0}});
  }

  /// " of 30 that were asked for", where some are missing.
  std::string asked() const {
    if (!facts_.repeat || *facts_.repeat <= static_cast<std::int64_t>(repetitions_.size())) {
      return "";
    }
    return fmt::format(" of {} that were asked for", *facts_.repeat);
  }

  void profiler() {
    set(kPureWallTime,
        facts_.trace_time.empty() && !facts_.pure_wall_time ? kCannotTell : kNotFound);
    if (facts_.pure_wall_time) {
      flag({kPureWallTime,
            Severity::kNote,
            "The time is the least of many calls, by the device's own clock (--pure-wall-time): "
            "what the counters say covers all those calls, so phases are not set against it.",
            {},
            {}});
    }
    set(kProfilerOn, kNotFound);
    HygieneFlag found{kProfilerOn, Severity::kWarning, {}, {}, {}};
    std::string evidence = fmt::format("{}", fmt::join(facts_.profiler_metrics, ", "));
    if (evidence.empty()) {
      // Dumps of the warm-up alone leave the steady time as it is.
      for (const std::size_t i : context_.profiled_repetitions) {
        if (i < repetitions_.size() && !repetitions_[i].is_warmup) {
          found.repetitions.push_back(i);
        }
      }
      if (found.repetitions.empty()) return;
      const std::size_t count = found.repetitions.size();
      evidence = "there are dumps of " + count_text(count, "steady repetition");
    }
    found.sentence = fmt::format(
        "The times were taken under PyTorch's profiler ({}): starting, recording and stopping it "
        "is "
        "part of them. Compare them with no result without it.",
        evidence);
    flag(std::move(found));
  }

  void repetitions() {
    constexpr std::size_t kEnough = 5;
    set(kFewRepetitions, kNotFound);
    if (steady_.size() >= kEnough) return;
    flag(
        {kFewRepetitions,
         Severity::kWarning,
         fmt::format("Few usable steady repetitions: {} (of {} altogether{}). The interval is wide "
                     "and covers less than it should; six are needed for 95 %.",
                     steady_.size(), repetitions_.size(), asked()),
         {{"steady_repetitions", static_cast<double>(steady_.size())},
          {"repetitions", static_cast<double>(repetitions_.size())}},
         {}});
  }

  /// How the repetitions in settled_ are called.
  std::string_view subject() const {
    return settled_.size() == steady_.size() ? "The steady repetitions"
                                             : "The steady repetitions that compile nothing";
  }

  void drift() {
    // Six values in perfect order are the fewest that chance gives that seldom.
    constexpr std::size_t kFewest = 6;
    if (settled_.size() < kFewest) return;
    set(kDrifting, kNotFound);
    // Of logarithms, so that a fall is a share of where it began, and less than all of it.
    std::vector<double> logarithms;
    for (const double seconds : settled_) logarithms.push_back(std::log(seconds));
    const auto found = trend(logarithms);
    if (!found || found->p_value >= kDriftAlarmRate) return;
    const double change = std::expm1(found->slope * static_cast<double>(settled_.size() - 1));
    if (!(std::abs(change) >= kSmallestChange)) return;
    flag({kDrifting,
          Severity::kWarning,
          fmt::format("{} drift {} by {} from the first to the last (n = {}, p = {:.2g}): the "
                      "machine warms up or slows down, or something accumulates.",
                      subject(), change > 0 ? "up" : "down", share_text(std::abs(change)),
                      settled_.size(), found->p_value),
          {{"change_share", change},
           {"slope_per_repetition_s", found->slope * median(settled_)},
           {"p_value", found->p_value},
           {"n", static_cast<double>(settled_.size())}},
          {}});
  }

  void modes() {
    std::vector<double> samples = settled_;
    if (samples.size() > kMostForDip) {
      for (std::size_t i = 0; i < kMostForDip; ++i) {
        samples[i] = settled_[i * settled_.size() / kMostForDip];
      }
      samples.resize(kMostForDip);
    }
    const auto critical = critical_dip(samples.size());
    if (!critical) return;
    set(kBimodal, kNotFound);
    const double found = dip(samples);
    if (found <= *critical) return;
    const auto groups = two_groups(samples);
    const double apart = (groups->high_median - groups->low_median) / median(samples);
    if (!(apart >= kSmallestChange) || std::min(groups->low_count, groups->high_count) < 2) return;
    flag({kBimodal,
          Severity::kWarning,
          fmt::format(
              "{} fall into two groups: {} around {}, {} around {}, {} apart (dip {:.3g} over "
              "{:.3g}). The median may jump from one to the other between runs.",
              subject(), groups->low_count, duration_text(groups->low_median), groups->high_count,
              duration_text(groups->high_median), share_text(apart), found, *critical),
          {{"low_s", groups->low_median},
           {"high_s", groups->high_median},
           {"low_count", static_cast<double>(groups->low_count)},
           {"high_count", static_cast<double>(groups->high_count)},
           {"apart_share", apart},
           {"dip", found},
           {"critical_dip", *critical}},
          {}});
  }

  void spread() {
    constexpr std::size_t kFewest = 5;
    if (settled_.size() < kFewest) return;
    set(kHighSpread, kNotFound);
    const double share = kMadToDeviation * median_absolute_deviation(settled_) / median(settled_);
    if (!(share > kHighSpreadShare)) return;
    flag({kHighSpread,
          Severity::kNote,
          fmt::format("{} spread by {} around {} and lie between {} and {} (n = {}): small changes "
                      "cannot be seen in this run.",
                      subject(), share_text(share), duration_text(median(settled_)),
                      duration_text(minimum(settled_)), duration_text(maximum(settled_)),
                      settled_.size()),
          {{"spread_share", share},
           {"median_s", median(settled_)},
           {"n", static_cast<double>(settled_.size())}},
          {}});
  }

  void host() {
    const auto& tracing = report_.steady.of(Phase::kTracing);
    const auto& executing = report_.steady.of(Phase::kExecuting);
    if (!tracing.median || !executing.median) return;
    set(kHostBound, kNotFound);
    if (*tracing.median <= *executing.median) return;
    flag({kHostBound,
          Severity::kNote,
          fmt::format("Host-bound: the host needs {} to trace and give out the work, the device {} "
                      "to do it. Faster kernels would not make it faster.",
                      duration_text(*tracing.median), duration_text(*executing.median)),
          {{"tracing_s", *tracing.median}, {"executing_s", *executing.median}},
          {}});
  }

  void batch_size() {
    const auto& others = context_.baseline_batch_sizes;
    if (others.empty() || !context_.batch_size) return;
    set(kBatchSizeDiffers, kNotFound);
    if (std::find(others.begin(), others.end(), *context_.batch_size) != others.end()) return;
    flag({kBatchSizeDiffers,
          Severity::kWarning,
          fmt::format("Batch size {}, while {} ran {}: the two are not compared.",
                      *context_.batch_size, context_.baseline, fmt::join(others, " and ")),
          {{"batch_size", static_cast<double>(*context_.batch_size)},
           {"baseline_batch_size", static_cast<double>(others.front())}},
          {}});
  }

  const TimingFacts& facts_;
  const RepetitionPhases repetitions_;
  const PhaseReport& report_;
  const HygieneContext& context_;
  std::vector<std::size_t> steady_places_;
  std::vector<double> steady_;  // usable totals, s
  // Of them, those in which nothing is known to have been compiled: what a repetition that compiles
  // takes longer is compile time, neither a drift nor a spread nor a second mode of the steady
  // time.
  std::vector<double> settled_;
  HygieneReport found_;
};

}  // namespace

HygieneReport timing_hygiene(const TimingFacts& facts, const DynamoReport& dynamo,
                             const PhaseReport& report, const HygieneContext& context) {
  return Inspector(facts, dynamo, report, context).inspect();
}

}  // namespace benchhud::analysis
