// Prints how well changes are found: a row a measure, with its target where there is one.
//
//   eval SHARED     the folder that has data/changepoint
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <chrono>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/drift_detector.h"
#include "analysis/changes/change_points.h"
#include "analysis/changes/series_changes.h"
#include "analysis/statistics/multiplicity.h"
#include "analysis/statistics/numpy_math.h"
#include "analysis/statistics/summary.h"
#include "made_up_noise.h"
#include "real_series.h"
#include "scores.h"
#include "step_scores.h"

namespace benchhud::eval {
namespace {

using analysis::ChangePoint;
using analysis::ChangeState;
using analysis::Night;

constexpr std::size_t kMargin = 2;     // builds
constexpr std::size_t kWindow = 100;   // builds that are known on a day
constexpr std::size_t kFirstDay = 10;  // builds, before which nothing is looked for
constexpr std::size_t kSameAlert = 3;  // builds apart
constexpr std::size_t kLongestDelay = 25;

enum class Target { kNone, kAtLeast, kAtMost };

void row(const std::string& what, double value, Target target = Target::kNone, double bound = 0) {
  std::string wanted = "–", verdict;
  if (target != Target::kNone) {
    wanted = fmt::format("{} {:.3g}", target == Target::kAtLeast ? "≥" : "≤", bound);
    verdict = (target == Target::kAtLeast ? value >= bound : value <= bound) ? "" : "missed";
  }
  fmt::print("| {:<84} | {:>8.3g} | {:>8} | {:<6} |\n", what, value, wanted, verdict);
}

// Alerts as they come, day by day, one for changes that are near each other. `nights`: as such, or
// as the values of their repetitions.
template <typename T>
std::size_t alerts_of(const std::vector<T>& nights, ChangeState state = ChangeState::kConfirmed) {
  std::vector<std::size_t> told;
  for (std::size_t end = kFirstDay; end <= nights.size(); ++end) {
    const std::size_t begin = end - std::min(end, kWindow);
    for (const std::size_t at :
         slowdowns(std::span<const T>(nights).subspan(begin, end - begin), begin, state)) {
      const bool is_new = std::none_of(told.begin(), told.end(), [&](std::size_t other) {
        return analysis::nights_apart(at, other) <= kSameAlert;
      });
      if (is_new) told.push_back(at);
    }
  }
  return told.size();
}

void steps_offline(const StepData& data) {
  const StepScore score = score_steps(data);
  row("steps in real series: event F1 at ±2 builds", score.all.f1(), Target::kAtLeast, 0.80);
  row("  false alerts per 1000 series-builds, misplaced ones too",
      1000.0 * score.all.others / static_cast<double>(score.builds), Target::kAtMost, 0.15);
  row("  clean series with an alert", static_cast<double>(score.flagged.size()), Target::kAtMost,
      0);
  for (const auto& [step, of_step] : score.by_step) {
    row(fmt::format("  recall of steps of {:.0f} %", step * 100), of_step.recall());
  }
}

// After how many builds each step is told; those that are not within kLongestDelay are left out.
std::vector<double> delays_of(const StepData& data, bool suspected) {
  std::vector<double> delays;
  for (const StepCase& one : data.delay) {
    const Builds& builds = data.series.at(one.series);
    for (std::size_t delay = 1; delay <= kLongestDelay; ++delay) {
      const std::size_t end = one.at + delay;
      if (end > builds.size()) break;
      const std::size_t begin = end - std::min(end, kWindow);
      const Builds known = builds_of(builds, begin, end, one);
      auto found = slowdowns(known, begin);
      if (suspected) {
        const auto more = slowdowns(known, begin, ChangeState::kSuspect);
        found.insert(found.end(), more.begin(), more.end());
      }
      const bool is_hit = std::any_of(found.begin(), found.end(), [&](std::size_t at) {
        return analysis::nights_apart(at, one.at) <= kMargin;
      });
      if (!is_hit) continue;
      delays.push_back(static_cast<double>(delay));
      break;
    }
  }
  return delays;
}

void steps_online(const StepData& data) {
  std::size_t alerts = 0, suspects = 0, builds_seen = 0;
  for (const auto& [name, builds] : data.series) {
    alerts += alerts_of(builds);
    suspects += alerts_of(builds, ChangeState::kSuspect);
    builds_seen += builds.size();
  }
  row("day by day: alerts in the clean series", static_cast<double>(alerts), Target::kAtMost, 0);
  const std::vector<double> delays = delays_of(data, false);
  row("  recall of steps of 10 and 20 % within 25 builds",
      static_cast<double>(delays.size()) / static_cast<double>(data.delay.size()), Target::kAtLeast,
      0.83);
  row("  delay, median, builds", analysis::quantile(delays, 0.5), Target::kAtMost, 3);
  row("  delay, 90 %, builds", analysis::quantile(delays, 0.9), Target::kAtMost, 10);
  row("  delay of a suspect, median, builds", analysis::quantile(delays_of(data, true), 0.5),
      Target::kAtMost, 1);
  row("  suspects per 1000 builds of the clean series",
      1000.0 * static_cast<double>(suspects) / static_cast<double>(builds_seen));
}

// An upper bound for a share, at 95 % (Clopper & Pearson 1934).
double upper_bound(std::size_t hits, std::size_t of) {
  if (hits >= of) return 1;
  return boost::math::ibeta_inv(static_cast<double>(hits) + 1, static_cast<double>(of - hits),
                                0.95);
}

// Of all changes that are told.
template <typename T>
double least_p_value(const std::vector<T>& changes) {
  double least = 1;
  for (const T& change : changes) least = std::min(least, change.p_value);
  return least;
}

// `p_value_of`: the least of the series with a number, in which nothing changes.
template <typename Function>
void calibration(std::string_view noise, Function p_value_of) {
  constexpr std::size_t kSeries = 100'000;
  constexpr std::array kLevels = {0.01, 0.001};
  std::array<std::size_t, kLevels.size()> below{};
  for (std::size_t i = 0; i < kSeries; ++i) {
    const double p_value = p_value_of(1'000'000 + i);
    for (std::size_t k = 0; k < kLevels.size(); ++k) below[k] += p_value < kLevels[k] ? 1 : 0;
  }
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    row(fmt::format("{}: P(p < {}) / {}, upper bound at 95 %", noise, kLevels[k], kLevels[k]),
        upper_bound(below[k], kSeries) / kLevels[k], Target::kAtMost, 1.2);
  }
}

void null_calibration() {
  constexpr std::size_t kNights = 60;
  const auto of_noise = [](NoiseKind kind, std::size_t nights) {
    calibration(fmt::format("{} noise, {} nights", noise_name(kind), nights), [&](auto number) {
      return least_p_value(analysis::find_changes(made_up_series(kind, nights, number)).found);
    });
  };
  for (const NoiseKind kind : kNoiseKinds) of_noise(kind, kNights);
  // What is worst for p-values, in as many nights as the watch looks at.
  of_noise(NoiseKind::kAutocorrelated, kWindow);
  for (const bool is_autocorrelated : {false, true}) {
    const std::string_view nights = is_autocorrelated ? "autocorrelated" : "independent";
    calibration(fmt::format("repetitions in humps, {} nights", nights), [&](std::uint64_t number) {
      const auto builds = made_up_humps(is_autocorrelated, kNights, number);
      const std::vector<std::span<const double>> series(builds.begin(), builds.end());
      return least_p_value(analysis::changes_of_series(series).found);
    });
  }
}

void false_discoveries() {
  constexpr std::size_t kSeeds = 50, kSeries = 2000, kChanged = 20, kNights = 60, kAt = 40;
  constexpr std::array kSteps = {0.05, 0.1, 0.2};
  double realised = 0, power = 0;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    std::vector<double> p_values;
    std::vector<bool> is_true;
    for (std::size_t i = 0; i < kSeries; ++i) {
      auto nights = made_up_series(kNoiseKinds[i % kNoiseKinds.size()], kNights,
                                   2'000'000 + seed * kSeries + i);
      const bool is_changed = i < kChanged;
      for (std::size_t k = kAt; is_changed && k < kNights; ++k) {
        nights[k].level += std::log1p(kSteps[i % kSteps.size()]);
      }
      for (const ChangePoint& change : analysis::find_changes(nights).found) {
        p_values.push_back(change.p_value);
        is_true.push_back(is_changed && analysis::nights_apart(change.at, kAt) <= 3);
      }
    }
    const auto q_values = analysis::benjamini_yekutieli(p_values, kSeries);
    double told = 0, hits = 0;
    for (std::size_t i = 0; i < q_values.size(); ++i) {
      if (q_values[i] > 0.05) continue;
      ++told;
      hits += is_true[i] ? 1 : 0;
    }
    realised += told > 0 ? (told - hits) / told / kSeeds : 0;
    power += hits / kChanged / kSeeds;
  }
  row("2,000 series of which 1 % change, told at q = 0.05: false share", realised, Target::kAtMost,
      0.05);
  row("  share of the changes of 5, 10 and 20 % that is told", power);
}

void nothing_changes() {
  constexpr std::size_t kSeries = 500, kNights = 200;
  for (const NoiseKind kind : kNoiseKinds) {
    std::size_t whole = 0, daily = 0;
    for (std::size_t i = 0; i < kSeries; ++i) {
      const auto nights = made_up_series(kind, kNights, i);
      whole += slowdowns(nights, 0).size();
      daily += alerts_of(nights);
    }
    constexpr double kPer = 1000.0 / (kSeries * kNights);
    row(fmt::format("{} noise: false alerts per 1000 nights, whole series", noise_name(kind)),
        static_cast<double>(whole) * kPer, Target::kAtMost, 0.1);
    row("  day by day", static_cast<double>(daily) * kPer, Target::kAtMost, 0.1);
  }
}

// Values of any kind and sign: their scale is made that of logarithms of times.
void annotated(const std::vector<AnnotatedSeries>& all) {
  analysis::ChangeRules rules;
  rules.least_effect = 0;
  double f1 = 0, cover = 0;
  for (const AnnotatedSeries& series : all) {
    const double scale = analysis::numpy_std(series.values, 0);
    std::vector<Night> nights;
    for (const double value : series.values) {
      nights.push_back({scale > 0 ? (value - series.values.front()) / scale / 10 : 0, 0, 1});
    }
    std::vector<std::size_t> found;
    for (const ChangePoint& change : analysis::find_changes(nights, rules).found) {
      found.push_back(change.at);
    }
    const auto score = annotated_score(series.annotations, found, series.values.size(), 5);
    f1 += score.f1 / static_cast<double>(all.size());
    cover += score.cover / static_cast<double>(all.size());
  }
  row(fmt::format("Turing data, {} series: F1 at ±5", all.size()), f1, Target::kAtLeast, 0.67);
  row("  cover", cover, Target::kAtLeast, 0.63);
}

// Series that creep, and series that do not, over 300 nights.
void drifts() {
  constexpr std::size_t kSeries = 500, kNights = 300;
  const auto count = [&](double by, const std::vector<NoiseKind>& kinds) {
    std::size_t told = 0;
    for (std::size_t i = 0; i < kSeries; ++i) {
      const auto nights = made_up_series(kinds[i % kinds.size()], kNights, 3'000'000 + i);
      analysis::TimingChangeDetector series{analysis::ChangeRules()};
      analysis::DriftDetector watch;
      for (std::size_t n = 0; n < kNights; ++n) {
        Night night = nights[n];
        night.level += by * static_cast<double>(n) / kNights;
        series.add(night, n);
        watch.look(series, schema::Direction::kLowerIsBetter, {}, 0);
      }
      bool is_reported = !watch.drifts().empty();
      for (const auto& change : series.changes()) {
        is_reported = is_reported || (by > 0 && !change.withdrawn && change.point.effect > 0);
      }
      told += is_reported ? 1 : 0;
    }
    return static_cast<double>(told) / kSeries;
  };
  row("no drift in 300 nights of any of the four: told, share of series",
      count(0, {kNoiseKinds.begin(), kNoiseKinds.end()}), Target::kAtMost, 0.001);
  row("  10 % in 300 nights of Gaussian noise: told, as drift or as steps",
      count(0.1, {NoiseKind::kGaussian}));
}

void speed() {
  constexpr std::size_t kSeries = 10'000, kNights = 400;
  std::vector<std::vector<Night>> all;
  for (std::size_t i = 0; i < 40; ++i) {
    all.push_back(made_up_series(kNoiseKinds[i % kNoiseKinds.size()], kNights, i));
  }
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kSeries; ++i) (void)analysis::find_changes(all[i % all.size()]);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  row("10,000 series of 400 nights, each cut once, one thread, s", took.count(), Target::kAtMost,
      5);
}

}  // namespace
}  // namespace benchhud::eval

int main(int argc, char** argv) {
  using namespace benchhud::eval;
  if (argc != 2) {
    fmt::print(stderr, "usage: eval SHARED\n");
    return 2;
  }
  const std::filesystem::path data = std::filesystem::path(argv[1]) / "data/changepoint";
  fmt::print("| {:<84} | {:>8} | {:>8} | {:<6} |\n|{:-<86}|{:->9}:|{:->9}:|{:-<8}|\n", "",
             "measured", "target", "", "", "", "", "");
  if (std::filesystem::exists(data)) {
    const StepData steps = read_steps(data / "sap_hana");
    steps_offline(steps);
    steps_online(steps);
    annotated(read_annotated(data / "tcpd"));
  } else {
    fmt::print(stderr, "{} is not there: only what is made up is measured\n", data.string());
  }
  nothing_changes();
  null_calibration();
  false_discoveries();
  drifts();
  speed();
  return 0;
}
