#include "service/alerts/alert_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "analysis/results/runner_command.h"
#include "analysis/results/timing_review.h"
#include "analysis/results/verification.h"
#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/summary.h"
#include "analysis/text/quantity_text.h"
#include "schema/alerts/alert_run.h"
#include "service/alerts/alert_compilations.h"
#include "service/alerts/alert_errors.h"
#include "service/alerts/alert_operators.h"
#include "service/answers/result_diff.h"

namespace benchhud::service {
namespace {

using analysis::DynamoReport;
using analysis::Phase;
using schema::Alert;
using schema::AlertDetails;
using schema::AlertMember;
using schema::Expected;
using schema::ExperimentId;
using schema::RunId;

constexpr std::size_t kNightsAside = 5;
constexpr std::size_t kMostLines = 8;
constexpr double kWorthNaming = 0.05;  // of the change

/// What causes are looked for in.
struct Subject {
  ExperimentId experiment{};
  std::optional<RunId> before, after;
  bool is_verified = false;  ///< its verification is what changed
  bool is_timed = false;     ///< its steady time is
};

// A steady time tells most, then what is counted, then anything.
int rank_of(const AlertMember& member) {
  if (member.metric == "steady") return 0;
  if (member.counted) return member.metric == "verification" ? 2 : 1;
  return member.metric == "speedup" ? 4 : 3;
}

double weight_of(const AlertMember& member) {
  return member.timed && member.timed->effect ? std::abs(std::log1p(*member.timed->effect)) : 0;
}

const AlertMember* lead_of(const AlertDetails& details) {
  const AlertMember* lead = nullptr;
  for (const AlertMember& member : details.members) {
    if (lead == nullptr || rank_of(member) < rank_of(*lead) ||
        (rank_of(member) == rank_of(*lead) && weight_of(member) > weight_of(*lead))) {
      lead = &member;
    }
  }
  return lead;
}

std::optional<Subject> subject_of(const Alert& alert, const AlertDetails& details) {
  const AlertMember* lead = lead_of(details);
  if (lead == nullptr) return std::nullopt;
  Subject subject;
  subject.experiment = lead->experiment_id;
  subject.before = alert.last_good;
  subject.after = alert.first_bad;
  subject.is_verified = lead->metric == "verification";
  subject.is_timed = rank_of(*lead) == 0;
  return subject;
}

class Causes {
 public:
  Causes(schema::Reader& reader, const analysis::Catalog& catalog, const Alert& alert,
         const AlertDetails& details, const Subject& subject)
      : reader_(reader), catalog_(catalog), alert_(alert), details_(details), subject_(subject) {}

  Expected<std::vector<AlertCause>> find() {
    add_common();
    add_baseline();
    BENCHHUD_ASSIGN(auto errors, error_causes(reader_, details_.members));
    append(std::move(errors));
    const analysis::CatalogEntry* entry = catalog_.find(subject_.experiment);
    const bool has_nights = entry != nullptr && subject_.before && subject_.after;
    if (has_nights) {
      BENCHHUD_TRY(read_nights());
      BENCHHUD_TRY(add_counts(*entry));
      if (subject_.is_timed) BENCHHUD_TRY(add_phases(*entry));
      BENCHHUD_ASSIGN(auto operators, operator_causes(reader_, alert_, details_));
      append(std::move(operators));
    }
    BENCHHUD_ASSIGN(auto compilations, compilation_causes(reader_, alert_, details_));
    append(std::move(compilations));
    if (has_nights) BENCHHUD_TRY(add_profiles());
    BENCHHUD_TRY(add_verification());
    add_labels();
    return std::move(causes_);
  }

 private:
  using Kind = AlertCause::Kind;

  void append(std::vector<AlertCause> more) {
    std::ranges::move(more, std::back_inserter(causes_));
  }

  void add_common() {
    const bool is_of_failures = !details_.members.empty() && details_.members.front().counted;
    std::string what;
    if (alert_.scope == "machine") {
      what = is_of_failures
                 ? "models began to fail together on several backends: the machine, its driver or "
                   "what all share, not a model"
                 : "many series of many models moved together: the machine, its driver or its "
                   "clocks, not a model";
    } else if (alert_.scope == "backend") {
      const std::string backend = alert_.backend.value_or("");
      what = is_of_failures
                 ? fmt::format("models of {} began to fail together: the backend, not a model",
                               backend)
                 : fmt::format("the series of {} moved together, beside those of other backends",
                               backend);
    }
    if (!what.empty()) causes_.push_back({Kind::kEnvironment, std::move(what), {}, {}});
  }

  void add_baseline() {
    AlertCause cause{Kind::kBaseline, "", {}, {}};
    for (const AlertMember& member : details_.members) {
      if (!member.is_doing_of_baseline.value_or(false)) continue;
      cause.lines.push_back(member_name(member));
    }
    if (cause.lines.empty()) return;
    cause.title =
        "speedups moved because the baseline did: these backends' own times did not change";
    causes_.push_back(std::move(cause));
  }

  // The results of the experiment up to the last good night and from the first bad one on.
  Expected<void> read_nights() {
    schema::AlertRuns runs(reader_);
    BENCHHUD_ASSIGN(const schema::Run* before, runs.find(subject_.before));
    BENCHHUD_ASSIGN(const schema::Run* after, runs.find(subject_.after));
    if (before == nullptr || after == nullptr) return {};
    last_good_ = before->started_at;
    first_bad_ = after->started_at;
    BENCHHUD_ASSIGN(const auto series,
                    reader_.series_without_samples(subject_.experiment,
                                                   -std::numeric_limits<double>::infinity(),
                                                   std::numeric_limits<double>::infinity()));
    for (const schema::ResultFacts& facts : series) {
      if (!facts.timing_line) continue;
      if (facts.started_at <= last_good_) before_.push_back(facts);
      if (facts.started_at >= first_bad_ && after_.size() < kNightsAside) after_.push_back(facts);
    }
    if (before_.size() > kNightsAside) {
      before_.erase(before_.begin(), before_.end() - static_cast<std::ptrdiff_t>(kNightsAside));
    }
    return {};
  }

  Expected<void> add_counts(const analysis::CatalogEntry& entry) {
    if (before_.empty() || after_.empty()) return {};
    BENCHHUD_ASSIGN(const auto was, analysis::read_timing_counts(reader_, entry, before_.back()));
    BENCHHUD_ASSIGN(const auto is, analysis::read_timing_counts(reader_, entry, after_.front()));
    if (!was.dynamo || !is.dynamo) return {};
    AlertCause cause{Kind::kCounts, "", {}, {}};
    const auto compare = [&](std::string_view noun, std::int64_t before, std::int64_t after) {
      if (before == after) return;
      cause.title +=
          fmt::format("{}{} {} → {}", cause.title.empty() ? "" : ", ", noun, before, after);
    };
    compare("graph breaks", was.dynamo->graph_break_count, is.dynamo->graph_break_count);
    compare("captured graphs", was.dynamo->unique_graphs, is.dynamo->unique_graphs);
    compare("captured operations", was.dynamo->calls_captured, is.dynamo->calls_captured);
    compare("recompilations", was.dynamo->recompiles, is.dynamo->recompiles);
    if (cause.title.empty()) {
      causes_.push_back({Kind::kCounts,
                         "nothing that Dynamo counts of the model differs between the two nights",
                         {},
                         {},
                         false});
      return {};
    }
    if (was.dynamo->calls_captured != is.dynamo->calls_captured &&
        was.dynamo->graph_break_count == is.dynamo->graph_break_count) {
      cause.lines.emplace_back(
          "another number of operations with as many breaks: the model does something else, or "
          "Dynamo captures it otherwise");
    }
    add_reasons(was.dynamo->graph_breaks, is.dynamo->graph_breaks, "breaks at", &cause);
    add_reasons(was.dynamo->unimplemented, is.dynamo->unimplemented, "gives up at", &cause);
    causes_.push_back(std::move(cause));
    return {};
  }

  static void add_reasons(const std::vector<analysis::GraphBreak>& was,
                          const std::vector<analysis::GraphBreak>& is, std::string_view verb,
                          AlertCause* cause) {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts;
    for (const auto& reason : was) counts[reason.reason].first += reason.count;
    for (const auto& reason : is) counts[reason.reason].second += reason.count;
    for (const auto& [reason, count] : counts) {
      if (count.first == count.second || cause->lines.size() >= kMostLines) continue;
      cause->lines.push_back(
          fmt::format("{} {}: {} → {}", verb, reason, count.first, count.second));
    }
  }

  // The median over nights of each phase of a steady repetition; the whole under kPhases.size().
  struct NightPhases {
    std::array<std::optional<double>, analysis::kPhases.size() + 1> medians;
    std::vector<double> totals;  ///< one per night that has one

    std::optional<double> of(Phase phase) const { return medians[static_cast<std::size_t>(phase)]; }
  };

  Expected<NightPhases> phases_of(const analysis::CatalogEntry& entry,
                                  const std::vector<schema::ResultFacts>& nights) {
    std::array<std::vector<double>, analysis::kPhases.size() + 1> seconds;
    for (const schema::ResultFacts& facts : nights) {
      BENCHHUD_ASSIGN(const analysis::TimingReview review,
                      analysis::review_timing(reader_, entry, facts, "", {}));
      for (const Phase phase : analysis::kPhases) {
        if (const auto median = review.phases.steady.of(phase).median) {
          seconds[static_cast<std::size_t>(phase)].push_back(*median);
        }
      }
      if (const auto median = review.phases.steady.total.median) seconds.back().push_back(*median);
    }
    NightPhases phases;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      // A phase that some nights do not know cannot be compared.
      if (seconds[i].size() == nights.size() && !nights.empty()) {
        phases.medians[i] = analysis::median(seconds[i]);
      }
    }
    phases.totals = std::move(seconds.back());
    return phases;
  }

  // Whether the whole differs by more than the nights on either side differ among themselves: parts
  // of a difference that may be none are no explanation.
  static bool is_beyond_noise(const std::vector<double>& was, const std::vector<double>& is) {
    if (const auto interval = analysis::ratio_of_medians_interval(is, was)) {
      return interval->low > 1 || interval->high < 1;
    }
    return analysis::minimum(is) > analysis::maximum(was) ||
           analysis::maximum(is) < analysis::minimum(was);
  }

  // What a phase took before and after.
  struct PhaseChange {
    Phase phase{};
    double was = 0, is = 0;
    double change() const { return is - was; }
  };

  Expected<void> add_phases(const analysis::CatalogEntry& entry) {
    BENCHHUD_ASSIGN(const NightPhases was, phases_of(entry, before_));
    BENCHHUD_ASSIGN(const NightPhases is, phases_of(entry, after_));
    if (!was.medians.back() || !is.medians.back()) return {};
    const double change = *is.medians.back() - *was.medians.back();
    if (!(std::abs(change) > 0.01 * *was.medians.back())) return {};
    const auto say_nothing = [&](std::string title) {
      causes_.push_back({Kind::kPhases, std::move(title), {}, {}, false});
    };
    if (!is_beyond_noise(was.totals, is.totals)) {
      say_nothing(
          "the nearest nights before and after vary too much among themselves to name a phase of a "
          "repetition");
      return {};
    }
    std::vector<PhaseChange> phases;
    for (const Phase phase : analysis::kPhases) {
      if (was.of(phase) && is.of(phase)) phases.push_back({phase, *was.of(phase), *is.of(phase)});
    }
    const auto is_separate = [](const PhaseChange& one) {
      return one.phase == Phase::kTracing || one.phase == Phase::kExecuting;
    };
    std::stable_sort(phases.begin(), phases.end(), [&](const auto& a, const auto& b) {
      return a.change() / change > b.change() / change;
    });
    // The rest is the whole where nothing tells the phases apart.
    if (std::none_of(phases.begin(), phases.end(), is_separate) ||
        phases.front().change() / change < kWorthNaming) {
      say_nothing(
          "which phase of a steady repetition it is in is not recorded: no metric tells tracing "
          "from executing");
      return {};
    }
    // Where one phase grew by more than the whole and another shrank, none is a part of the whole.
    const bool has_shares = phases.front().change() / change <= 1;
    AlertCause cause{Kind::kPhases, "", {}, {}};
    cause.title = fmt::format("most of it is in {}", phase_name(phases.front().phase));
    if (has_shares) cause.share = phases.front().change() / change;
    for (const PhaseChange& one : phases) {
      const double share = one.change() / change;
      if (std::abs(share) < kWorthNaming) continue;
      cause.lines.push_back(fmt::format(
          "{}: {} → {}{}", phase_name(one.phase), analysis::duration_text(one.was),
          analysis::duration_text(one.is),
          has_shares && share > 0 ? ", " + analysis::share_text(share) + " of the change" : ""));
    }
    causes_.push_back(std::move(cause));
    return {};
  }

  Expected<void> add_profiles() {
    BENCHHUD_ASSIGN(const auto runs,
                    reader_.runs_with_artifacts(subject_.experiment, std::nullopt));
    std::optional<schema::Run> was, is;
    for (const RunId id : runs) {
      BENCHHUD_ASSIGN(schema::Run run, reader_.run(id));
      if (run.started_at <= last_good_ && (!was || run.started_at > was->started_at)) {
        was = std::move(run);
      } else if (run.started_at >= first_bad_ && (!is || run.started_at < is->started_at)) {
        is = std::move(run);
      }
    }
    if (!was || !is) return {};
    BENCHHUD_ASSIGN(const ResultDiff diff, diff_of_results(reader_, {was->id, subject_.experiment},
                                                           {is->id, subject_.experiment}));
    // What the result's logs of TORCH_TRACE add up says no more than what was found frame by frame.
    const bool is_said_by_frame = std::any_of(causes_.begin(), causes_.end(), [&](const auto& one) {
      return one.kind == Kind::kCompilation && one.compared &&
             one.compared->experiment == subject_.experiment;
    });
    std::vector<std::string> sentences;
    for (const analysis::ProfileFinding& finding : diff.findings) {
      if (finding.kind == schema::ArtifactKind::kTorchTrace && is_said_by_frame) continue;
      sentences.push_back(finding.sentence);
    }
    if (sentences.empty()) return {};
    AlertCause cause{
        Kind::kProfile, fmt::format("the dumps of {} and {} differ", was->name, is->name), {}, {}};
    cause.compared = ComparedDumps{was->id, is->id, subject_.experiment};
    sentences.resize(std::min(sentences.size(), kMostLines));
    cause.lines = std::move(sentences);
    causes_.push_back(std::move(cause));
    return {};
  }

  Expected<void> add_verification() {
    for (const AlertMember& member : details_.members) {
      if (member.metric != "verification" || !member.counted) continue;
      const std::string& code = member.counted->after;
      const auto info = analysis::verification_info(code);
      AlertCause cause{Kind::kVerification, fmt::format("{}: {}", code, info.meaning), {}, {}};
      if (!info.action.empty()) cause.lines.emplace_back(info.action);
      const bool is_known = std::any_of(causes_.begin(), causes_.end(), [&](const auto& other) {
        return other.title == cause.title;
      });
      if (!is_known) causes_.push_back(std::move(cause));
    }
    return {};
  }

  void add_labels() {
    if (details_.labels.empty()) return;
    AlertCause cause{Kind::kLabels, "the two nights ran with other labels", {}, {}};
    for (const schema::AlertLabel& label : details_.labels) {
      cause.lines.push_back(fmt::format("{}: {} → {}", label.key, label.before, label.after));
    }
    causes_.push_back(std::move(cause));
  }

  schema::Reader& reader_;
  const analysis::Catalog& catalog_;
  const Alert& alert_;
  const AlertDetails& details_;
  const Subject subject_;
  double last_good_ = 0, first_bad_ = 0;
  std::vector<schema::ResultFacts> before_, after_;
  std::vector<AlertCause> causes_;
};

}  // namespace

std::string member_name(const AlertMember& member) {
  return fmt::format("{} {} on {}", member.experiment.model, member.experiment.test,
                     member.backend);
}

std::string_view cause_name(AlertCause::Kind kind) {
  switch (kind) {
    case AlertCause::Kind::kEnvironment:
      return "environment";
    case AlertCause::Kind::kBaseline:
      return "baseline";
    case AlertCause::Kind::kError:
      return "error";
    case AlertCause::Kind::kCounts:
      return "counts";
    case AlertCause::Kind::kPhases:
      return "phases";
    case AlertCause::Kind::kOperators:
      return "operators";
    case AlertCause::Kind::kCompilation:
      return "compilation";
    case AlertCause::Kind::kProfile:
      return "profile";
    case AlertCause::Kind::kVerification:
      return "verification";
    case AlertCause::Kind::kLabels:
      return "labels";
  }
  return "";
}

Expected<std::vector<AlertCause>> alert_causes(schema::Reader& reader,
                                               const analysis::Catalog& catalog, const Alert& alert,
                                               const AlertDetails& details) {
  const auto subject = subject_of(alert, details);
  if (!subject) return std::vector<AlertCause>();
  return Causes(reader, catalog, alert, details, *subject).find();
}

Expected<AlertExplanation> explain_alert(schema::Reader& reader, const analysis::Catalog& catalog,
                                         const Alert& alert, const AlertDetails& details) {
  AlertExplanation explanation;
  BENCHHUD_ASSIGN(explanation.causes, alert_causes(reader, catalog, alert, details));
  const auto subject = subject_of(alert, details);
  const analysis::CatalogEntry* entry = subject ? catalog.find(subject->experiment) : nullptr;
  if (entry == nullptr) return explanation;
  analysis::RunnerOptions options;
  // A verification is an invocation of its own: it times nothing.
  options.verify = subject->is_verified;
  explanation.reproduction = analysis::runner_command(entry->experiment(), options);
  return explanation;
}

}  // namespace benchhud::service
