#include "analysis/error_history.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace benchhud::analysis {
namespace {

/// In which ways an experiment was tried, or fails of an error.
struct Ways {
  bool timing = false;
  bool verification = false;

  void add(const Failure& failure) { (failure.of_verification ? verification : timing) = true; }
  bool meet(const Attempt& attempt) const {
    return (timing && attempt.timing) || (verification && attempt.verification);
  }
};

/// The newest runs in which anything was tried, each way. `count` where there are none.
struct NewestRuns {
  std::size_t timing, verification;

  NewestRuns(FailureRuns runs, const ExperimentChoice& fits)
      : timing(runs.size()), verification(runs.size()) {
    for (std::size_t i = runs.size(); i-- > 0;) {
      for (const Attempt& attempt : runs[i]->attempts) {
        if (!fits(attempt.experiment)) continue;
        if (attempt.timing && timing == runs.size()) timing = i;
        if (attempt.verification && verification == runs.size()) verification = i;
      }
      if (timing < runs.size() && verification < runs.size()) return;
    }
  }
  bool has(std::size_t run, const Failure& failure) const {
    return run == (failure.of_verification ? verification : timing);
  }
};

/// A trend while it is being counted.
struct Counted {
  ErrorTrend trend;
  std::map<schema::ExperimentId, Ways> ways;
  std::vector<schema::ExperimentId> in_this_run;
  std::vector<schema::ExperimentId> now;
};

std::size_t count_once(std::vector<schema::ExperimentId>* experiments) {
  std::sort(experiments->begin(), experiments->end());
  experiments->erase(std::unique(experiments->begin(), experiments->end()), experiments->end());
  return experiments->size();
}

void close_run(std::size_t run, Counted* counted) {
  ErrorTrend& trend = counted->trend;
  if (counted->in_this_run.empty()) return;
  if (trend.run_count++ == 0) trend.first = run;
  trend.last = run;
  trend.counts[run] = count_once(&counted->in_this_run);
  counted->in_this_run.clear();
}

/// Runs that could have shown a trend and did not: 0 instead of none.
void fill_in_zeros(FailureRuns runs, std::vector<Counted*>& all) {
  std::unordered_map<schema::ExperimentId, std::vector<std::pair<Counted*, Ways>>> fails_of;
  for (Counted* counted : all) {
    for (const auto& [experiment, ways] : counted->ways) {
      fails_of[experiment].emplace_back(counted, ways);
    }
  }
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Attempt& attempt : runs[run]->attempts) {
      const auto found = fails_of.find(attempt.experiment);
      if (found == fails_of.end()) continue;
      for (auto& [counted, ways] : found->second) {
        auto& count = counted->trend.counts[run];
        if (!count && ways.meet(attempt)) count = 0;
      }
    }
  }
}

void finish(Counted* counted) {
  ErrorTrend& trend = counted->trend;
  trend.now = count_once(&counted->now);
  for (const auto& [experiment, ways] : counted->ways) trend.experiments.push_back(experiment);
  const auto shown = [](const auto& count) { return count.has_value(); };
  const auto first = std::find_if(trend.counts.begin(), trend.counts.end(), shown);
  trend.maybe_older = first != trend.counts.end() && **first > 0;
  if (trend.now == 0) return;
  for (std::size_t i = trend.counts.size(); i-- > 0;) {
    if (trend.counts[i] == std::size_t{0}) break;
    if (trend.counts[i]) trend.since = i;
  }
}

}  // namespace

std::vector<ErrorTrend> error_trends(FailureRuns runs, const ExperimentChoice& fits) {
  const NewestRuns newest(runs, fits);
  std::map<std::string_view, Counted> by_signature;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Failure& failure : runs[run]->failures) {
      if (!fits(failure.experiment)) continue;
      // The key lives as long as the runs do.
      Counted& counted = by_signature[failure.error->signature];
      if (counted.trend.counts.empty()) counted.trend.counts.resize(runs.size());
      counted.ways[failure.experiment].add(failure);
      counted.in_this_run.push_back(failure.experiment);
      if (newest.has(run, failure)) counted.now.push_back(failure.experiment);
      counted.trend.error = failure.error;
      counted.trend.line = failure.line;
    }
    for (auto& [signature, counted] : by_signature) close_run(run, &counted);
  }
  std::vector<Counted*> all;
  for (auto& [signature, counted] : by_signature) all.push_back(&counted);
  fill_in_zeros(runs, all);
  std::vector<ErrorTrend> trends;
  for (Counted* counted : all) {
    finish(counted);
    trends.push_back(std::move(counted->trend));
  }
  std::stable_sort(trends.begin(), trends.end(), [](const ErrorTrend& a, const ErrorTrend& b) {
    return std::tuple(b.now, b.last, b.run_count) < std::tuple(a.now, a.last, a.run_count);
  });
  return trends;
}

std::vector<FailingExperiment> failing_experiments(FailureRuns runs, std::string_view signature,
                                                   const ExperimentChoice& fits) {
  const NewestRuns newest(runs, fits);
  std::map<schema::ExperimentId, std::pair<FailingExperiment, Ways>> found;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Failure& failure : runs[run]->failures) {
      if (failure.error->signature != signature || !fits(failure.experiment)) continue;
      auto [place, is_new] = found.try_emplace(failure.experiment);
      auto& [experiment, ways] = place->second;
      if (is_new) {
        experiment.experiment = failure.experiment;
        experiment.first = run;
        experiment.nights.resize(runs.size(), ErrorNight::kUntried);
      }
      ways.add(failure);
      experiment.nights[run] = ErrorNight::kThis;
      experiment.last = run;
      experiment.line = failure.line;
      experiment.of_verification = failure.of_verification;
      experiment.now = experiment.now || newest.has(run, failure);
    }
  }
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const auto put = [&](schema::ExperimentId id, ErrorNight night) {
      const auto place = found.find(id);
      if (place == found.end()) return;
      ErrorNight& at = place->second.first.nights[run];
      if (at == ErrorNight::kUntried) at = night;
    };
    for (const Failure& failure : runs[run]->failures) put(failure.experiment, ErrorNight::kOther);
    for (const Attempt& attempt : runs[run]->attempts) {
      const auto place = found.find(attempt.experiment);
      if (place != found.end() && place->second.second.meet(attempt)) {
        put(attempt.experiment, ErrorNight::kNone);
      }
    }
  }
  std::vector<FailingExperiment> experiments;
  for (auto& [id, item] : found) {
    FailingExperiment& experiment = experiments.emplace_back(std::move(item.first));
    for (const ErrorNight night : experiment.nights) {
      experiment.failed += night == ErrorNight::kThis;
      experiment.tried += night != ErrorNight::kUntried;
    }
  }
  std::stable_sort(experiments.begin(), experiments.end(), [](const auto& a, const auto& b) {
    return std::pair(b.now, b.failed) < std::pair(a.now, a.failed);
  });
  return experiments;
}

}  // namespace benchhud::analysis
