#include "analysis/results/comparison_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/multiplicity.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

using Model = std::size_t;  // CatalogEntry::model

void list(const ComparisonRow& row, std::size_t place, ComparisonGroup* group) {
  const ResultPair& pair = row.pair;
  if (row.verification == Transition::kNewlyFailing) group->newly_failing.push_back(place);
  if (row.verification == Transition::kNewlyPassing) group->newly_passing.push_back(place);
  if (row.verification == Transition::kChanged) group->changed.push_back(place);
  if (pair.left.entry == nullptr) {
    group->appeared.push_back(place);
  } else if (pair.right.entry == nullptr) {
    group->gone.push_back(place);
  } else if (row.verdict == Verdict::kMissingRight) {
    group->stopped.push_back(place);
  } else if (row.verdict == Verdict::kMissingLeft) {
    group->started.push_back(place);
  }
  group->worse += row.verdict == Verdict::kWorse;
  group->better += row.verdict == Verdict::kBetter;
  group->unclear += row.verdict == Verdict::kUnclear;
}

GeomeanView geomean_of(std::vector<std::pair<Model, double>> speedups) {
  std::vector<ModelValues> values;
  values.reserve(speedups.size());
  for (const auto& [model, speedup] : speedups) values.push_back({model, speedup, speedup});
  std::stable_sort(values.begin(), values.end(),
                   [](const ModelValues& a, const ModelValues& b) { return a.model < b.model; });
  std::vector<double> means;
  for (auto at = values.begin(); at != values.end();) {
    std::vector<double> own;
    const Model model = at->model;
    for (; at != values.end() && at->model == model; ++at) own.push_back(at->left);
    means.push_back(geometric_mean(own));
  }
  GeomeanView view;
  view.n = means.size();
  if (!means.empty()) view.value = geometric_mean(means);
  view.interval = geomean_interval(means);
  return view;
}

/// The nights of a group as one series: from night to night by what its experiments changed on
/// average that were timed in both, so that it does not jump where one comes or goes.
PastNights chained(const std::vector<const PastNights*>& members) {
  std::size_t nights = 0;
  for (const auto* member : members) nights = std::max(nights, member->size());
  PastNights chain;
  double level = 0;
  std::vector<std::optional<Night>> last(members.size());
  for (std::size_t night = 0; night < nights; ++night) {
    double change = 0, variance = 0;
    std::size_t both = 0, here = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (night >= members[i]->size() || !(*members[i])[night]) continue;
      const Night& now = *(*members[i])[night];
      ++here;
      variance += now.variance;
      if (last[i]) {
        change += now.level - last[i]->level;
        ++both;
      }
      last[i] = now;
    }
    if (here == 0) {
      chain.emplace_back();
      continue;
    }
    if (both > 0) level += change / static_cast<double>(both);
    const auto n = static_cast<double>(here);
    chain.push_back(Night{level, variance / (n * n), here});
  }
  return chain;
}

/// How the mean of one side's times differs from night to night; and of these two nights, how
/// unsure their own means are.
struct SideNoise {
  std::optional<KnownNoise> noise;
  double variance = 0;
};

SideNoise side_noise(const std::vector<const ComparisonRow*>& timed, PairedSide ResultPair::* side,
                     const FindPastNights& past) {
  SideNoise result;
  std::vector<const PastNights*> members;
  for (const auto* row : timed) {
    const PairedSide& one = row->pair.*side;
    result.variance += night_of_time(*one.view->steady).variance;
    if (const PastNights* nights = past(one)) members.push_back(nights);
  }
  const auto n = static_cast<double>(timed.size());
  result.variance /= n * n;
  if (!members.empty()) result.noise = known_noise(chained(members));
  return result;
}

/// Adds what nights do to the interval over models, and the p-value.
void add_noise(const std::vector<const ComparisonRow*>& timed, const FindPastNights& past,
               const ComparisonOptions& options, TimeMeanChange* time) {
  time->reason = VerdictReason::kFewNights;
  const bool same = std::all_of(timed.begin(), timed.end(),
                                [](const auto* row) { return row->pair.is_one_result(); });
  if (same) {
    time->reason = VerdictReason::kSameResult;
    return;
  }
  if (!time->mean.interval) return;
  const SideNoise left = side_noise(timed, &ResultPair::left, past);
  const SideNoise right = side_noise(timed, &ResultPair::right, past);
  if (!left.noise || !right.noise) return;
  const bool one_series = std::all_of(
      timed.begin(), timed.end(), [](const auto* row) { return row->pair.is_one_experiment(); });
  time->has_noise = true;
  time->nights = std::min(left.noise->count, right.noise->count);
  const double degrees = noise_degrees(time->nights);
  const double difference = std::log(*time->mean.ratio);
  const double nightly =
      difference_deviation(*left.noise, *right.noise, left.variance, right.variance,
                           one_series ? options.nights_apart : 0);
  // The bootstrap's deviation, from its interval: 1.96 to either side.
  const double by_models = std::log(time->mean.interval->high / time->mean.interval->low) / 3.92;
  const double deviation = std::sqrt(nightly * nightly + by_models * by_models);
  time->mean.interval = change_interval(difference, deviation, degrees);
  time->p = change_p_value(difference, deviation, degrees);
}

void judge(TimeMeanChange* time) {
  if (!time->q) return;
  const double size = std::abs(std::log(*time->mean.ratio));
  if (!(*time->q < kVerdictRate)) {
    time->reason = VerdictReason::kNotSignificant;
  } else if (size < std::log1p(kLeastMeanEffect)) {
    time->reason = VerdictReason::kSmallEffect;
  } else {
    time->reason = VerdictReason::kSignificant;
    time->verdict = *time->mean.ratio > 1 ? Verdict::kWorse : Verdict::kBetter;
  }
}

MeanChange mean_of_metric(std::span<const ComparisonRow> rows, const RowPlaces& places,
                          const SideMetric& metric) {
  std::vector<ModelValues> values;
  for (const std::size_t place : places) {
    const ResultPair& pair = rows[place].pair;
    if (pair.left.entry == nullptr || pair.right.entry == nullptr) continue;
    const auto left = metric.left.find(pair.left.entry->id());
    const auto right = metric.right.find(pair.right.entry->id());
    if (left == metric.left.end() || right == metric.right.end()) continue;
    if (!(left->second > 0) || !(right->second > 0)) continue;
    values.push_back({pair.entry().model(), left->second, right->second});
  }
  return mean_change(std::move(values));
}

ComparisonGroup sum_up(std::span<const ComparisonRow> rows, const RowPlaces& places,
                       const FindPastNights& past, const ComparisonOptions& options,
                       std::span<const SideMetric> metrics) {
  ComparisonGroup group;
  for (const SideMetric& metric : metrics) {
    group.metrics.push_back(mean_of_metric(rows, places, metric));
  }
  std::vector<ModelValues> times, speedups, compile;
  std::vector<std::pair<Model, double>> left, right;
  std::vector<const ComparisonRow*> timed;
  for (const std::size_t place : places) {
    const ComparisonRow& row = rows[place];
    const ResultPair& pair = row.pair;
    const Model model = pair.entry().model();
    if (pair.left.view != nullptr) group.left.add(*pair.left.view);
    if (pair.right.view != nullptr) group.right.add(*pair.right.view);
    list(row, place, &group);
    const auto& before = row.left_speedup.speedup;
    const auto& after = row.right_speedup.speedup;
    if (before) left.emplace_back(model, before->value);
    if (after) right.emplace_back(model, after->value);
    if (before && after) speedups.push_back({model, before->value, after->value});
    if (pair.left.view != nullptr && pair.right.view != nullptr) {
      const double was = pair.left.view->compile.value_or(0);
      const double is = pair.right.view->compile.value_or(0);
      if (was > 0 && is > 0) compile.push_back({model, was, is});
    }
    if (!pair.is_timed()) continue;
    timed.push_back(&row);
    times.push_back({model, pair.left.view->steady->value, pair.right.view->steady->value});
  }
  group.left_speedup = geomean_of(std::move(left));
  group.right_speedup = geomean_of(std::move(right));
  group.speedup = mean_change(std::move(speedups));
  group.compile = mean_change(std::move(compile));
  group.time.mean = mean_change(std::move(times));
  if (!timed.empty()) add_noise(timed, past, options, &group.time);
  return group;
}

}  // namespace

MeanChange mean_change(std::vector<ModelValues> values) {
  std::stable_sort(values.begin(), values.end(),
                   [](const ModelValues& a, const ModelValues& b) { return a.model < b.model; });
  std::vector<double> left, right, ratios;
  for (auto at = values.begin(); at != values.end();) {
    double of_left = 0, of_right = 0, rows = 0;
    const std::size_t model = at->model;
    for (; at != values.end() && at->model == model; ++at, ++rows) {
      of_left += std::log(at->left);
      of_right += std::log(at->right);
    }
    left.push_back(std::exp(of_left / rows));
    right.push_back(std::exp(of_right / rows));
    ratios.push_back(std::exp((of_right - of_left) / rows));
  }
  MeanChange mean;
  mean.n = ratios.size();
  if (ratios.empty()) return mean;
  mean.left = geometric_mean(left);
  mean.right = geometric_mean(right);
  mean.ratio = geometric_mean(ratios);
  mean.interval = geomean_interval(ratios);
  return mean;
}

std::vector<ComparisonGroup> comparison_groups(std::span<const ComparisonRow> rows,
                                               const FindPastNights& past,
                                               const ComparisonOptions& options,
                                               std::span<const SideMetric> metrics) {
  using Names = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Names, RowPlaces> places;
  RowPlaces all;
  // A row with one side only does not know the other side's backend: others of its group do.
  std::map<std::string_view, std::string_view> left_of, right_of;
  for (const auto& row : rows) {
    const auto &left = row.pair.left.entry, &right = row.pair.right.entry;
    if (left == nullptr || right == nullptr) continue;
    right_of.emplace(left->backend(), right->backend());
    left_of.emplace(right->backend(), left->backend());
  }
  const auto right_backend = [&](const ResultPair& pair) -> std::string_view {
    if (pair.right.entry != nullptr) return pair.right.entry->backend();
    const auto found = right_of.find(pair.left.entry->backend());
    return found == right_of.end() ? std::string_view(pair.left.entry->backend()) : found->second;
  };
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const ResultPair& pair = rows[place].pair;
    const auto& e = pair.entry().experiment();
    places[{e.suite, e.test, right_backend(pair)}].push_back(place);
    all.push_back(place);
  }
  std::vector<ComparisonGroup> groups;
  groups.push_back(sum_up(rows, all, past, options, metrics));
  groups.back().is_total = true;
  for (const auto& [names, of_group] : places) {
    ComparisonGroup group = sum_up(rows, of_group, past, options, metrics);
    std::tie(group.suite, group.test, group.right_backend) = names;
    const auto left = left_of.find(group.right_backend);
    group.left_backend = left == left_of.end() ? group.right_backend : std::string(left->second);
    groups.push_back(std::move(group));
  }
  std::vector<double> p_values;
  for (const auto& group : groups) {
    if (group.time.p) p_values.push_back(*group.time.p);
  }
  const auto q_values = benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (auto& group : groups) {
    if (group.time.p) group.time.q = q_values[next++];
    judge(&group.time);
  }
  return groups;
}

}  // namespace benchhud::analysis
