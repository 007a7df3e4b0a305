#include "analysis/results/error_history.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace benchhud::analysis {
namespace {

/// What the last attempt in one way, up to a run, said of an experiment.
struct LastAttempt {
  bool is_known = false;             ///< there was one
  std::size_t run = 0;               ///< that of the attempt
  const Failure* failure = nullptr;  ///< null: it did not fail

  bool has(std::string_view signature) const {
    return failure != nullptr && failure->error->signature == signature;
  }
};

struct LastAttempts {
  LastAttempt timing, verification;

  bool has(std::string_view signature) const {
    return timing.has(signature) || verification.has(signature);
  }
  bool fails() const { return timing.failure != nullptr || verification.failure != nullptr; }
  /// Calls `visit` with each failure of another signature.
  template <class Visit>
  void each_failure(const Visit& visit) const {
    if (timing.failure != nullptr) visit(timing);
    if (verification.failure != nullptr && !timing.has(verification.failure->error->signature)) {
      visit(verification);
    }
  }
};

/// In which ways an experiment fails of an error.
struct Ways {
  bool timing = false;
  bool verification = false;

  void add(const Failure& failure) { (failure.of_verification ? verification : timing) = true; }
  bool meet(const Attempt& attempt) const {
    return (timing && attempt.timing) || (verification && attempt.verification);
  }
  bool are_known(const LastAttempts& last) const {
    return (timing && last.timing.is_known) || (verification && last.verification.is_known);
  }
};

/// Calls visit(run, attempt, last) for every experiment of every run, oldest run first, with what
/// was last said of the experiment up to that run.
template <class Visit>
void replay(FailureRuns runs, const ExperimentChoice& fits, const Visit& visit) {
  std::unordered_map<schema::ExperimentId, LastAttempts> last;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Attempt& attempt : runs[run]->attempts) {
      if (!fits(attempt.experiment)) continue;
      LastAttempts& of = last[attempt.experiment];
      if (attempt.timing) of.timing = {true, run, nullptr};
      if (attempt.verification) of.verification = {true, run, nullptr};
    }
    for (const Failure& failure : runs[run]->failures) {
      if (!fits(failure.experiment)) continue;
      LastAttempts& of = last[failure.experiment];
      (failure.of_verification ? of.verification : of.timing) = {true, run, &failure};
    }
    for (const Attempt& attempt : runs[run]->attempts) {
      if (fits(attempt.experiment)) visit(run, attempt, last.at(attempt.experiment));
    }
  }
}

/// How an experiment has an error, run by run.
struct Streak {
  Ways ways;
  std::size_t since = 0;  ///< where it has it: since which run without a break
  bool is_there = false;
  bool is_first = true;  ///< it never had it before `since`
  bool was_known_before = false;

  void add(std::size_t run, bool has_it, bool is_known) {
    if (has_it && !is_there) {
      is_first = !had_it_;
      since = run;
      was_known_before = known_;
    }
    is_there = has_it;
    had_it_ = had_it_ || has_it;
    known_ = known_ || is_known;
  }
  ErrorStanding verification_outcome() const {
    if (!is_there) return ErrorStanding::kOver;
    if (!is_first) return ErrorStanding::kBack;
    return was_known_before ? ErrorStanding::kNew : ErrorStanding::kLasting;
  }

 private:
  bool had_it_ = false;
  bool known_ = false;
};

/// A trend while it is being counted.
struct Counted {
  ErrorTrend trend;
  std::map<schema::ExperimentId, Streak> streaks;
};

using Trends = std::map<std::string_view, Counted>;  // by signature; the runs keep the keys alive

void count_failures(FailureRuns runs, const ExperimentChoice& fits, Trends* trends) {
  replay(runs, fits, [&](std::size_t run, const Attempt& attempt, const LastAttempts& last) {
    last.each_failure([&](const LastAttempt& failed) {
      Counted& counted = (*trends)[failed.failure->error->signature];
      ErrorTrend& trend = counted.trend;
      if (trend.counts.empty()) trend.counts.resize(runs.size());
      trend.counts[run] = trend.counts[run].value_or(0) + 1;
      counted.streaks[attempt.experiment].ways.add(*failed.failure);
      if (trend.error == nullptr || failed.run >= trend.line_run) {
        trend.error = failed.failure->error;
        trend.line = failed.failure->line;
        trend.line_run = failed.run;
      }
    });
  });
}

/// Follows each experiment of each trend, and tells 0 from unknown.
void follow(FailureRuns runs, const ExperimentChoice& fits, Trends* trends) {
  std::unordered_map<schema::ExperimentId, std::vector<std::pair<Counted*, Streak*>>> of;
  for (auto& [signature, counted] : *trends) {
    for (auto& [experiment, streak] : counted.streaks)
      of[experiment].emplace_back(&counted, &streak);
  }
  replay(runs, fits, [&](std::size_t run, const Attempt& attempt, const LastAttempts& last) {
    const auto found = of.find(attempt.experiment);
    if (found == of.end()) return;
    for (auto& [counted, streak] : found->second) {
      const bool is_known = streak->ways.are_known(last);
      streak->add(run, last.has(counted->trend.error->signature), is_known);
      auto& count = counted->trend.counts[run];
      if (!count && is_known) count = 0;
    }
  });
}

void finish(FailureRuns runs, const std::set<schema::ExperimentId>& in_newest, Counted* counted) {
  ErrorTrend& trend = counted->trend;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (trend.counts[run].value_or(0) == 0) continue;
    if (trend.run_count++ == 0) trend.first = run;
    trend.last = run;
  }
  trend.now = trend.counts.back().value_or(0);
  std::map<std::pair<std::size_t, ErrorStanding>, std::size_t> since;
  for (const auto& [experiment, streak] : counted->streaks) {
    trend.experiments.push_back(experiment);
    if (streak.is_there && in_newest.contains(experiment)) {
      ++since[{streak.since, streak.verification_outcome()}];
    }
  }
  for (auto item = since.rbegin(); item != since.rend(); ++item) {
    trend.since.push_back({item->first.first, item->first.second, item->second});
  }
}

}  // namespace

std::string_view error_standing_name(ErrorStanding verification_outcome) {
  switch (verification_outcome) {
    case ErrorStanding::kNew:
      return "new";
    case ErrorStanding::kBack:
      return "back";
    case ErrorStanding::kLasting:
      return "lasting";
    case ErrorStanding::kOver:
      return "over";
  }
  return "over";
}

std::vector<ErrorTrend> error_trends(FailureRuns runs, const ExperimentChoice& fits) {
  Trends by_signature;
  count_failures(runs, fits, &by_signature);
  follow(runs, fits, &by_signature);
  std::set<schema::ExperimentId> in_newest;
  if (!runs.empty()) {
    for (const Attempt& attempt : runs.back()->attempts) in_newest.insert(attempt.experiment);
  }
  std::vector<ErrorTrend> trends;
  for (auto& [signature, counted] : by_signature) {
    finish(runs, in_newest, &counted);
    trends.push_back(std::move(counted.trend));
  }
  std::stable_sort(trends.begin(), trends.end(), [](const ErrorTrend& a, const ErrorTrend& b) {
    return std::tuple(b.now, b.last, b.run_count) < std::tuple(a.now, a.last, a.run_count);
  });
  return trends;
}

FailingNow failing_now(FailureRuns runs, const ExperimentChoice& fits) {
  FailingNow now;
  replay(runs, fits, [&](std::size_t run, const Attempt&, const LastAttempts& last) {
    if (run + 1 != runs.size()) return;
    const auto fails = [](const LastAttempt& attempt) {
      return attempt.failure != nullptr && attempt.failure->error->kind != ErrorKind::kSkipped;
    };
    now.experiments += fails(last.timing) || fails(last.verification);
    now.failed += fails(last.timing) && !last.timing.failure->after_timing;
    now.verification += fails(last.verification);
  });
  return now;
}

std::vector<FailingExperiment> failing_experiments(FailureRuns runs, std::string_view signature,
                                                   const ExperimentChoice& fits) {
  std::map<schema::ExperimentId, std::pair<FailingExperiment, Streak>> found;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::set<schema::ExperimentId> failed;
    for (const Failure& failure : runs[run]->failures) {
      if (failure.error->signature != signature || !fits(failure.experiment)) continue;
      auto& [experiment, streak] = found[failure.experiment];
      experiment.experiment = failure.experiment;
      experiment.line = failure.line;
      experiment.of_verification = failure.of_verification;
      streak.ways.add(failure);
      if (failed.insert(failure.experiment).second) ++experiment.failed;
    }
  }
  for (auto& [id, item] : found) item.first.nights.resize(runs.size(), ErrorNight::kUntried);
  replay(runs, fits, [&](std::size_t run, const Attempt& attempt, const LastAttempts& last) {
    const auto place = found.find(attempt.experiment);
    if (place == found.end()) return;
    auto& [experiment, streak] = place->second;
    const bool has_it = last.has(signature), is_known = streak.ways.are_known(last);
    streak.add(run, has_it, is_known);
    experiment.tried += streak.ways.meet(attempt);
    experiment.nights[run] = has_it         ? ErrorNight::kThis
                             : last.fails() ? ErrorNight::kOther
                             : is_known     ? ErrorNight::kNone
                                            : ErrorNight::kUntried;
  });
  std::vector<FailingExperiment> experiments;
  for (auto& [id, item] : found) {
    auto& [experiment, streak] = item;
    const auto has_it = [](ErrorNight night) { return night == ErrorNight::kThis; };
    const auto begin = experiment.nights.begin();
    experiment.first = std::find_if(begin, experiment.nights.end(), has_it) - begin;
    experiment.last = experiment.nights.rend() -
                      std::find_if(experiment.nights.rbegin(), experiment.nights.rend(), has_it) -
                      1;
    experiment.now = experiment.nights.back() == ErrorNight::kThis;
    if (experiment.now) {
      experiment.since = streak.since;
      experiment.verification_outcome = streak.verification_outcome();
    }
    experiments.push_back(std::move(experiment));
  }
  std::stable_sort(experiments.begin(), experiments.end(), [](const auto& a, const auto& b) {
    return std::pair(b.now, b.failed) < std::pair(a.now, a.failed);
  });
  return experiments;
}

}  // namespace benchhud::analysis
