// benchhud summary: the list that a team posts every week, as Markdown: open alerts, pass rates and
// speedups beside those of an earlier run, what is no longer timed, what newly fails and passes.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/results/group_changes.h"
#include "analysis/results/run_changes.h"
#include "analysis/results/run_summary.h"
#include "analysis/text/quantity_text.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/alert_list.h"
#include "cli/output/markdown.h"
#include "schema/base/time.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using analysis::Catalog;
using analysis::GroupChange;
using analysis::JudgedRun;
using analysis::RunGroup;
using analysis::RunSummary;
using analysis::Transition;
using analysis::VerificationChange;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Reader;
using schema::Run;

struct SummaryRequest {
  std::string run;                     ///< "" for the newest of each accelerator model
  std::optional<std::string> against;  ///< the earlier run, or how long before (7d); none: the last
  std::optional<std::string> accelerator_model;
  std::string baseline;
};

CommandLine summary_command_line() {
  CommandLine command;
  command.usage = "benchhud summary [--run RUN] [--against RUN|7d] [option…]";
  command.about =
      "Prints a run as Markdown, to be posted: versions from its labels, open alerts, pass rates\n"
      "and speedups by test and backend beside those of an earlier run (\"before\"), models that\n"
      "are no longer timed, that newly fail or pass verification. Without --run: the newest run "
      "of\n"
      "every accelerator model.";
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("run", po::value<std::string>()->value_name("RUN"),
      "an id, a name, the unique beginning of a name, or `latest`");
  add("against", po::value<std::string>()->value_name("RUN|7d"),
      "what \"before\" is: an earlier run on the same accelerator model, or the run nearest to so "
      "many days (7d) or weeks (2w) before (default: the run before)");
  add("since", po::value<std::string>()->value_name("RUN"), "another name of --against");
  add("accelerator-model", po::value<std::string>()->value_name("TEXT"), "of the runs meant");
  add("baseline", po::value<std::string>()->value_name("BACKEND")->default_value("inductor"),
      "that speedups are against");
  add("format", po::value<std::string>()->value_name("FORMAT")->default_value("markdown"),
      "markdown");
  return command;
}

std::string test_title(const std::string& test) {
  const std::string_view name = schema::test_name(test);
  if (name == test) return markdown_text(test);
  return std::string(1, static_cast<char>(name.front() - 'a' + 'A')).append(name.substr(1));
}

const RunGroup* find_group(const RunSummary& summary, const std::string& test,
                           const std::string& backend) {
  for (const RunGroup& group : summary.groups) {
    if (group.test == test && group.backend == backend) return &group;
  }
  return nullptr;
}

// Three significant digits, the trailing zeros among them kept: 0.900.
std::string three_digits(double value) {
  return value < 99.95 ? fmt::format("{:#.3g}", value) : fmt::format("{:.0f}", value);
}

// What the two runs say of a test and backend; null where a run has no such group.
struct Cell {
  const RunGroup* now = nullptr;
  const RunGroup* before = nullptr;
  const GroupChange* change = nullptr;
};

// A backend that was never verified, such as the one that verifies the others, has a dash.
std::string passing_cell(const Cell& of) {
  std::string cell = "–";
  if (of.now && of.now->is_verified()) {
    cell = fmt::format("{} of {}", of.now->passing, of.now->verifiable);
    if (of.now->failing > 0) cell += fmt::format(", {} failing", of.now->failing);
    if (of.now->stale > 0) cell += fmt::format(" ({} verified earlier)", of.now->stale);
  }
  if (of.before && of.before->is_verified()) {
    cell += fmt::format(" (before: {} of {})", of.before->passing, of.before->verifiable);
  }
  return cell;
}

// Of the earlier run only what is over the same models stands beside the later one's.
std::string before_text(const RunGroup& now, const GroupChange& change) {
  const analysis::MeanChange& both = change.speedup;
  if (!both.left) return change.speedups_before == 0 ? "" : " (before: none of these models)";
  if (both.n == now.all->n && both.n == change.speedups_before) {
    return fmt::format(" (before: {}×)", three_digits(*both.left));
  }
  if (both.n == now.all->n) {
    return fmt::format(" (before, over the same {} of {}: {}×)", both.n, change.speedups_before,
                       three_digits(*both.left));
  }
  return fmt::format(" (over the {} in both runs: {}×, before {}×)", both.n,
                     three_digits(*both.right), three_digits(*both.left));
}

std::string speedup_cell(const Cell& of) {
  const auto& view = of.now ? of.now->all : std::nullopt;
  if (!view || !view->value) return "–";
  std::string cell = three_digits(*view->value) + "×";
  if (view->interval) {
    cell += fmt::format(" [{}, {}]", three_digits(view->interval->low),
                        three_digits(view->interval->high));
  }
  cell += fmt::format(", n = {}", view->n);
  return of.change ? cell + before_text(*of.now, *of.change) : cell;
}

// Both runs, summed up.
struct BothRuns {
  RunSummary now, before;
  std::vector<GroupChange> changes;  // empty without an earlier run

  Cell cell(const std::string& test, const std::string& backend) const {
    const auto change = std::find_if(changes.begin(), changes.end(), [&](const auto& one) {
      return one.test == test && one.backend == backend;
    });
    return {find_group(now, test, backend), find_group(before, test, backend),
            change == changes.end() ? nullptr : &*change};
  }
};

// A table with a row per backend and a column per test; `text` writes a cell.
void print_table(const BothRuns& runs, std::string (*text)(const Cell&),
                 const std::string& without_backend) {
  std::vector<std::string> tests, backends;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const RunGroup& group : runs.now.groups) {
    add(tests, group.test);
    if (group.backend != without_backend) add(backends, group.backend);
  }
  fmt::print("|  |");
  for (const std::string& test : tests) fmt::print(" {} |", test_title(test));
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < tests.size(); ++i) fmt::print("---|");
  for (const std::string& backend : backends) {
    fmt::print("\n| {} |", markdown_code(backend));
    for (const std::string& test : tests) {
      fmt::print(" {} |", text(runs.cell(test, backend)));
    }
  }
  fmt::print("\n\n");
}

void print_changes(const std::vector<VerificationChange>& changes, const Catalog& catalog,
                   Transition kind, std::string_view title) {
  std::vector<std::string> items;
  for (const VerificationChange& change : changes) {
    if (change.kind != kind) continue;
    const analysis::CatalogEntry* entry = catalog.find(change.experiment);
    if (!entry) continue;
    const schema::ExperimentView experiment = entry->experiment();
    std::string item = fmt::format("{} {}, {}", markdown_code(experiment.model),
                                   markdown_text(entry->column()), test_title(experiment.test));
    if (experiment.batch_size) item += fmt::format(", batch size {}", *experiment.batch_size);
    item += fmt::format(": {} → {}", change.before ? markdown_code(change.before->code) : "–",
                        change.after ? markdown_code(change.after->code) : "–");
    if (change.after && change.after->failure && change.after->failure->error) {
      item += fmt::format(" ({})", markdown_text(change.after->failure->error->signature));
    }
    items.push_back(std::move(item));
  }
  fmt::print("**{}**: {}\n", title, items.empty() ? "none" : std::to_string(items.size()));
  for (const std::string& item : items) fmt::print("- {}\n", item);
  fmt::print("\n");
}

// What is no longer timed, a line per model and test: which backends, and why.
void print_no_longer_timed(const BothRuns& runs, const Catalog& catalog) {
  struct Lost {
    std::vector<std::string> backends;
    const analysis::UntimedModel* model;
  };
  std::map<std::tuple<std::size_t, std::string, analysis::Outcome>, Lost> lost;
  std::set<std::size_t> models;
  for (const GroupChange& change : runs.changes) {
    for (const analysis::UntimedModel& model : change.no_longer_timed) {
      const analysis::CatalogEntry* entry = catalog.find(model.experiment);
      if (entry == nullptr) continue;
      Lost& one = lost[{entry->model(), change.test, model.outcome}];
      one.backends.push_back(markdown_text(change.backend));
      one.model = &model;
      models.insert(entry->model());
    }
  }
  fmt::print("**No longer timed**: {}\n",
             models.empty()
                 ? "none"
                 : analysis::count_text(static_cast<std::int64_t>(models.size()), "model"));
  for (const auto& [key, one] : lost) {
    std::string outcome(analysis::outcome_name(one.model->outcome));
    std::replace(outcome.begin(), outcome.end(), '_', ' ');
    const auto& experiment = catalog.find(one.model->experiment)->experiment();
    fmt::print(
        "- {}, {}, on {}: {}{}\n", markdown_code(experiment.suite + "/" + experiment.model),
        test_title(std::get<1>(key)), fmt::join(one.backends, ", "), outcome,
        one.model->error ? fmt::format(" ({})", markdown_text(one.model->error->signature)) : "");
  }
  fmt::print("\n");
}

// Alerts that began up to the run and need attention.
Expected<void> print_alerts(AlertList& alerts, const Run& run) {
  std::vector<std::string> items;
  BENCHHUD_ASSIGN(const auto all, alerts.all());
  for (const schema::Alert& alert : all) {
    if (alert.accelerator_model != run.accelerator_model || alert.onset > run.started_at ||
        !needs_attention(alert)) {
      continue;
    }
    items.push_back(fmt::format("alert {}, {} {} since {}: {}", to_int(alert.id), alert.state,
                                change_direction_name(alert.direction),
                                schema::format_time(alert.onset).substr(0, 10),
                                markdown_text(alert.title)));
  }
  fmt::print("**Open alerts**: {}\n", items.empty() ? "none" : std::to_string(items.size()));
  for (const std::string& item : items) fmt::print("- {}\n", item);
  fmt::print("\n");
  return {};
}

// "7d" or "2w" in seconds; none of what is no such span.
std::optional<double> span_of(std::string_view text) {
  if (text.size() < 2 || (text.back() != 'd' && text.back() != 'w')) return std::nullopt;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size() - 1, count);
  if (error != std::errc() || end != text.data() + text.size() - 1 || count < 1) {
    return std::nullopt;
  }
  return count * (text.back() == 'w' ? 7.0 : 1.0) * 86400;
}

// The run that is nearest to `span` seconds before `run`: nights do not begin to the second.
Expected<std::optional<Run>> run_before(Reader& reader, const Run& run, double span) {
  schema::RunFilter before;
  before.accelerator_models = {run.accelerator_model};
  before.until = run.started_at;
  if (span == 0) before.limit = 1;  // they come newest first
  BENCHHUD_ASSIGN(std::vector<Run> runs, reader.runs(before));
  const double wanted = run.started_at - span;
  const auto nearest = std::min_element(runs.begin(), runs.end(), [&](const Run& a, const Run& b) {
    return std::abs(a.started_at - wanted) < std::abs(b.started_at - wanted);
  });
  if (nearest == runs.end()) return std::optional<Run>();
  return std::optional(std::move(*nearest));
}

Expected<std::optional<Run>> find_before(Reader& reader, const SummaryRequest& request,
                                         const Run& run) {
  if (!request.against) return run_before(reader, run, 0);
  if (const auto span = span_of(*request.against)) return run_before(reader, run, *span);
  BENCHHUD_ASSIGN(Run before, reader.find_run(*request.against, run.accelerator_model));
  if (before.started_at >= run.started_at) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--against {} is not before {}", before.name, run.name)};
  }
  return std::optional(std::move(before));
}

Expected<void> print_run(AlertList& alerts, Reader& reader, const Catalog& catalog,
                         const SummaryRequest& request, const Run& run) {
  const analysis::ErrorTexts errors = analysis::error_texts_of(reader);
  BENCHHUD_ASSIGN(const JudgedRun judged, analysis::judge_run(reader, run, catalog, errors));
  BENCHHUD_ASSIGN(const std::optional<Run> before_run, find_before(reader, request, run));
  BothRuns runs;
  runs.now = analysis::summarize_run(judged, catalog, request.baseline);
  std::optional<JudgedRun> before;
  if (before_run) {
    BENCHHUD_ASSIGN(before, analysis::judge_run(reader, *before_run, catalog, errors));
    runs.before = analysis::summarize_run(*before, catalog, request.baseline);
    runs.changes = analysis::group_changes(*before, judged, catalog, request.baseline);
  }

  fmt::print("### {}: run {}\n\n", markdown_text(run.accelerator_model), markdown_text(run.name));
  for (const auto& [key, value] : run.labels)
    fmt::print("- {}: {}\n", markdown_text(key), markdown_code(value));
  fmt::print("- started {}\n", schema::format_time(run.started_at));
  fmt::print("- {}\n", run.verified_at ? "verified " + schema::format_time(*run.verified_at)
                                       : std::string("not verified in this run"));
  fmt::print("- before: {}\n\n",
             before_run ? "run " + markdown_text(before_run->name) : "there is no earlier run");
  BENCHHUD_TRY(print_alerts(alerts, run));
  if (before) print_no_longer_timed(runs, catalog);

  fmt::print("#### Passing, of the results of backends that are verified\n\n");
  print_table(runs, passing_cell, "");
  fmt::print(
      "#### Speedup over {} (geometric mean over n models, 95 % interval; before: over the same "
      "models)\n\n",
      markdown_text(request.baseline));
  print_table(runs, speedup_cell, request.baseline);

  if (!before) return {};
  Expected<void> status;
  const auto started_at = [&](schema::RunId id) {
    const auto found = reader.run(id);
    if (!found && status) status = found.error();
    return found ? found->started_at : 0;
  };
  const std::vector<VerificationChange> changes =
      analysis::verification_changes(*before, judged, catalog, started_at);
  BENCHHUD_TRY(status);
  print_changes(changes, catalog, Transition::kNewlyFailing, "Newly failing verification");
  print_changes(changes, catalog, Transition::kNewlyPassing, "Newly passing verification");
  return {};
}

Expected<void> print_summary(schema::Connection& store, const SummaryRequest& request) {
  BENCHHUD_ASSIGN(const schema::Transaction snapshot,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kRead));
  Reader reader(store);
  BENCHHUD_ASSIGN(AlertList alerts, AlertList::open(store));
  const Catalog& catalog = alerts.catalog();
  if (!request.run.empty()) {
    BENCHHUD_ASSIGN(const Run run, reader.find_run(request.run, request.accelerator_model));
    return print_run(alerts, reader, catalog, request, run);
  }
  BENCHHUD_ASSIGN(std::vector<std::string> models, reader.accelerator_models());
  if (request.accelerator_model) models = {*request.accelerator_model};
  if (models.empty()) return Error{ErrorCode::kNotFound, "there are no runs yet"};
  for (const std::string& model : models) {
    BENCHHUD_ASSIGN(const Run run, reader.find_run("latest", model));
    BENCHHUD_TRY(print_run(alerts, reader, catalog, request, run));
  }
  return {};
}

}  // namespace

int run_summary(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(summary_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const po::variables_map& values = parsed.values;
  if (values["format"].as<std::string>() != "markdown") {
    return fail({ErrorCode::kInvalidArgument, "--format is markdown"});
  }
  SummaryRequest request;
  if (values.count("run")) request.run = values["run"].as<std::string>();
  for (const char* name : {"since", "against"}) {
    if (values.count(name)) request.against = values[name].as<std::string>();
  }
  if (values.count("accelerator-model")) {
    request.accelerator_model = values["accelerator-model"].as<std::string>();
  }
  request.baseline = values["baseline"].as<std::string>();

  auto store = schema::open_store_for_reading(store_path(values));
  if (!store) return fail(store.error());
  const Expected<void> done = print_summary(*store, request);
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
