// benchhud bisect-check: whether fresh results show what an alert is about, for `git bisect run`.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/alerts/watched_metric.h"
#include "analysis/results/catalog.h"
#include "analysis/text/quantity_text.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "ingest/pipeline/pipeline.h"
#include "schema/alerts/alert.h"
#include "schema/base/caught_error.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"
#include "service/alerts/night_reader.h"
#include "service/answers/read_catalog.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using analysis::ExperimentObservation;
using analysis::WatchedMetric;
using schema::AlertMember;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

// git bisect's: this commit cannot be tested.
constexpr int kGood = 0, kBad = 1, kCannotTell = 125;

// A value is told for one level if it is that many times likelier there than at the other.
const double kLeastEvidence = std::log(19);

struct Verdict {
  int status = kCannotTell;
  std::string reason;
};

CommandLine bisect_check_command_line() {
  CommandLine command;
  command.usage = "benchhud bisect-check --alert N FILE…";
  command.about =
      "Says whether results of the benchmark runner show what alert N is about, for `git bisect "
      "run`:\n"
      "exit status 0 good (as before it), 1 bad (as since it), 125 cannot tell. FILE is a\n"
      "results.jsonl; `benchhud regressions` prints the runner's command that makes it. What else "
      "goes\n"
      "wrong exits with 125 too, so that no commit is blamed for it.";
  add_store_option(&command.options);
  command.options.add_options()("alert", po::value<std::int64_t>(), "the alert's number")(
      "metric", po::value<std::string>(),
      "judge by this one of the alert's metrics: verification, steady, graph_breaks, …");
  add_words(&command);
  return command;
}

// The files' results in a store of their own, which is gone with this.
class Fresh {
 public:
  Fresh() = default;
  ~Fresh() {
    store_.reset();
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;

  Expected<void> read(const Arguments& files) {
    std::error_code error;
    const std::filesystem::path place = std::filesystem::temp_directory_path(error);
    std::string name = (place / "benchhud-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      return Error{ErrorCode::kIo,
                   "no folder for temporary files can be made (TMPDIR): " +
                       (error ? error : std::error_code(errno, std::generic_category())).message()};
    }
    folder_ = name;
    BENCHHUD_ASSIGN(store_, schema::open_store((folder_ / "store.db").string()));
    BENCHHUD_ASSIGN(ingest::Inputs inputs, ingest::find_inputs(files));
    inputs.dumps.clear();
    BENCHHUD_ASSIGN(const auto result, ingest::ingest_files(*store_, inputs, {}));
    for (const ingest::FileResult& file : result.files) {
      if (file.error) return *file.error;
    }
    schema::Reader reader(*store_);
    BENCHHUD_ASSIGN(catalog_, service::read_catalog(*store_));
    BENCHHUD_ASSIGN(const auto runs, reader.runs({}));
    for (const schema::Run& run : runs) {
      BENCHHUD_ASSIGN(auto night, service::read_night(reader, run, *catalog_));
      nights_.push_back(std::move(night));
    }
    return {};
  }

  /// What the files say of an experiment of that description, whatever the accelerator model is
  /// called: the newest run first.
  std::vector<ExperimentObservation> find(const AlertMember& wanted) const {
    std::vector<ExperimentObservation> found;
    for (const analysis::RunObservations& night : nights_) {
      for (const ExperimentObservation& result : night.results) {
        if (is_same(*catalog_->find(result.experiment), wanted)) found.push_back(result);
      }
    }
    return found;
  }

 private:
  static bool is_same(const analysis::CatalogEntry& entry, const AlertMember& member) {
    const schema::ExperimentView experiment = entry.experiment();
    const schema::Experiment& wanted = member.experiment;
    return experiment.suite == wanted.suite && experiment.model == wanted.model &&
           experiment.test == wanted.test && experiment.accelerator == wanted.accelerator &&
           entry.backend() == member.backend &&
           experiment.xla_flags.value_or("") == wanted.xla_flags.value_or("") &&
           (!experiment.batch_size || !wanted.batch_size ||
            experiment.batch_size == wanted.batch_size);
  }

  std::filesystem::path folder_;
  std::optional<schema::Connection> store_;
  std::optional<analysis::Catalog> catalog_;
  std::vector<analysis::RunObservations> nights_;
};

Verdict judge_timed(const AlertMember& member, const analysis::WatchedMetricInfo& info,
                    const analysis::Night& night) {
  if (!member.timed || !member.timed->before || !member.timed->after || !member.timed->sigma) {
    return {kCannotTell,
            fmt::format("{}: the alert does not say how its nights differ from each other",
                        info.title)};
  }
  const double before = std::log(*member.timed->before), after = std::log(*member.timed->after);
  const double sigma = *member.timed->sigma;
  const double middle = (before + after) / 2;
  // The logarithm of how much likelier the value is at the new level: two normal distributions.
  const double variance = sigma * sigma + night.variance;
  const double evidence = (after - before) * (night.level - middle) / variance;
  const auto level = [&](double log_level) {
    return info.unit == "s" ? analysis::duration_text(std::exp(log_level))
                            : fmt::format("{:.3g}", std::exp(log_level));
  };
  const std::string reason = fmt::format("{} {}; before the alert {}, since then {}", info.title,
                                         level(night.level), level(before), level(after));
  if (std::abs(evidence) < kLeastEvidence) {
    return {kCannotTell, reason + ": too near the middle, or it repeats too badly"};
  }
  return {evidence > 0 ? kBad : kGood, reason};
}

Verdict judge_text(const AlertMember& member, const analysis::WatchedMetricInfo& info,
                   const std::string& value, bool other_is_bad) {
  if (!member.counted) return {kCannotTell, fmt::format("{} {}", info.title, value)};
  const auto& [before, after, flips, of] = *member.counted;
  const std::string reason =
      fmt::format("{} {}; before the alert {}, since then {}", info.title, value, before, after);
  if (value == before) return {kGood, reason};
  if (value == after || other_is_bad) return {kBad, reason};
  return {kCannotTell, reason};
}

// None: this result does not say anything of that metric.
std::optional<Verdict> judge(const AlertMember& member, const ExperimentObservation& result) {
  const auto metric = analysis::watched_metric_of(member.metric);
  if (!metric) return std::nullopt;
  const analysis::WatchedMetricInfo& info = analysis::watched_metric_info(*metric);
  if (*metric == WatchedMetric::kVerification) {
    if (!result.code) return std::nullopt;
    return judge_text(member, info, *result.code, true);
  }
  if (*metric == WatchedMetric::kTiming) {
    if (result.status != analysis::Status::kTimed && result.status != analysis::Status::kFailed) {
      return std::nullopt;
    }
    return judge_text(member, info, std::string(status_name(result.status)), true);
  }
  if (info.kind == analysis::MetricKind::kCount) {
    const auto& count = result.counts[place_of(*metric) - analysis::kTimedMetrics];
    if (!count) return std::nullopt;
    return judge_text(member, info, std::to_string(*count), false);
  }
  const bool is_drift = *metric == WatchedMetric::kDrift;
  const auto& time = result.times[place_of(is_drift ? WatchedMetric::kSteady : *metric)];
  if (!time) return std::nullopt;
  return judge_timed(member, info, *time);
}

// Judges by the member of an alert that says most.
Verdict judge_members(std::vector<AlertMember> members, const std::string& wanted,
                      const Fresh& fresh) {
  // What is exact decides before what has noise; of that what stands out of its noise most.
  const auto rank = [](const AlertMember& member) {
    if (member.counted) return std::pair(member.metric == "verification" ? 0 : 1, 0.0);
    const int place = member.metric == "steady" ? 2 : 3;
    const auto& timed = member.timed;
    if (!timed || !timed->effect || !timed->sigma) return std::pair(place, 0.0);
    return std::pair(place, -std::abs(std::log1p(*timed->effect)) / *timed->sigma);
  };
  std::stable_sort(members.begin(), members.end(),
                   [&](const AlertMember& a, const AlertMember& b) { return rank(a) < rank(b); });
  for (const AlertMember& member : members) {
    // Two results are a speedup; each of them is judged by itself.
    if (member.metric == "speedup") continue;
    if (!wanted.empty() && member.metric != wanted) continue;
    for (const ExperimentObservation& result : fresh.find(member)) {
      if (auto verdict = judge(member, result)) {
        verdict->reason = fmt::format("{} {} on {}: {}", member.experiment.model,
                                      member.experiment.test, member.backend, verdict->reason);
        return *verdict;
      }
    }
  }
  return Verdict{kCannotTell, "the files have no result that the alert is about"};
}

Expected<Verdict> check(const po::variables_map& values) {
  if (!values.contains("alert")) {
    return Error{ErrorCode::kInvalidArgument, "--alert N is missing"};
  }
  const Arguments files = words_of(values);
  if (files.empty()) {
    return Error{ErrorCode::kInvalidArgument, "which results? Name a results.jsonl"};
  }
  const std::string wanted =
      values.contains("metric") ? values["metric"].as<std::string>() : std::string();
  if (!wanted.empty() && !analysis::watched_metric_of(wanted)) {
    return Error{ErrorCode::kInvalidArgument, "there is no metric " + wanted};
  }
  BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(store_path(values)));
  const schema::AlertId id{values["alert"].as<std::int64_t>()};
  BENCHHUD_TRY(schema::alert(store, id));  // that it is there
  BENCHHUD_ASSIGN(auto details, schema::alert_details(store, id));
  Fresh fresh;
  BENCHHUD_TRY(fresh.read(files));
  return judge_members(std::move(details.members), wanted, fresh);
}

}  // namespace

int run_bisect_check(const Arguments& arguments) try {
  std::signal(SIGPIPE, SIG_IGN);  // it would end this with a status beyond 127
  const ParsedCommandLine parsed = parse(bisect_check_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status == kDone ? kDone : kCannotTell;
  const Expected<Verdict> verdict = check(parsed.values);
  if (!verdict) {
    fail(verdict.error());
    return kCannotTell;
  }
  const char* const word = verdict->status == kGood  ? "good"
                           : verdict->status == kBad ? "bad"
                                                     : "cannot tell";
  fmt::print("{}: {}\n", word, printable(verdict->reason));
  return std::fflush(stdout) == 0 ? verdict->status : kCannotTell;
} catch (const std::exception&) {
  // A status from 128 on would end `git bisect run`, and 1 would blame the commit.
  const schema::Error error = schema::caught_error();
  fail({error.code, fmt::format("cannot tell: {}", error.message)});
  return kCannotTell;
}

}  // namespace benchhud::cli
