// benchhud summary: the list that a team posts every week, as Markdown: pass rates, speedups, what
// newly fails and passes.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "analysis/run_changes.h"
#include "analysis/run_summary.h"
#include "commands.h"
#include "markdown.h"
#include "options.h"
#include "schema/reader.h"
#include "schema/store.h"
#include "schema/time.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using analysis::Catalog;
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

struct Request {
  std::string run;  ///< "" for the newest of each accelerator model
  std::optional<std::string> since;
  std::optional<std::string> accelerator_model;
  std::string baseline;
};

CommandLine command_line() {
  CommandLine command;
  command.usage = "benchhud summary [--run RUN] [--since RUN] [option…]";
  command.about =
      "Prints a run as Markdown, to be posted: versions from its labels, pass rates by test and\n"
      "backend beside those of the run before (\"last\"), speedups, models that newly fail or "
      "pass.\n"
      "Without --run: the newest run of every accelerator model.";
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("run", po::value<std::string>()->value_name("RUN"),
      "an id, a name, the unique beginning of a name, or `latest`");
  add("since", po::value<std::string>()->value_name("RUN"),
      "what \"last\" is: an earlier run on the same accelerator model (default: the run before)");
  add("accelerator-model", po::value<std::string>()->value_name("TEXT"), "of the runs meant");
  add("baseline", po::value<std::string>()->value_name("BACKEND")->default_value("inductor"),
      "that speedups are against");
  add("format", po::value<std::string>()->value_name("FORMAT")->default_value("markdown"),
      "markdown");
  return command;
}

// Error texts, each read once.
analysis::ErrorTexts error_texts(Reader& reader) {
  auto known = std::make_shared<std::unordered_map<schema::TextId, analysis::ErrorTexts::Text>>();
  return analysis::ErrorTexts(
      [&reader, known](schema::TextId id) -> schema::Expected<analysis::ErrorTexts::Text> {
        analysis::ErrorTexts::Text& entry = (*known)[id];
        if (!entry) {
          BENCHHUD_ASSIGN(const std::string text, reader.text(id));
          entry = std::make_shared<analysis::ErrorText>(analysis::read_error(text));
        }
        return entry;
      });
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

bool is_verified(const RunGroup& group) {
  return group.passing + group.failing + group.undecided > 0;
}

// Three significant digits, the trailing zeros among them kept: 0.900.
std::string three_digits(double value) {
  return value < 99.95 ? fmt::format("{:#.3g}", value) : fmt::format("{:.0f}", value);
}

// A backend that was never verified, such as the one that verifies the others, has a dash.
std::string passing_cell(const RunGroup* now, const RunGroup* last) {
  std::string cell = "–";
  if (now && is_verified(*now)) {
    cell = fmt::format("{} of {}", now->passing, now->total);
    if (now->stale > 0) cell += fmt::format(" ({} verified earlier)", now->stale);
  }
  if (last && is_verified(*last)) cell += fmt::format(" (last: {})", last->passing);
  return cell;
}

std::string speedup_cell(const RunGroup* now, const RunGroup* last) {
  const auto& view = now ? now->all : std::nullopt;
  if (!view || !view->value) return "–";
  std::string cell = three_digits(*view->value) + "×";
  if (view->interval) {
    cell += fmt::format(" [{}, {}]", three_digits(view->interval->low),
                        three_digits(view->interval->high));
  }
  cell += fmt::format(", n = {}", view->n);
  if (last && last->all && last->all->value) {
    cell += fmt::format(" (last: {}×)", three_digits(*last->all->value));
  }
  return cell;
}

// A table with a row a backend and a column a test. `cell` gives the text for one group now and
// last.
template <class Cell>
void print_table(const RunSummary& now, const RunSummary& last, Cell cell,
                 const std::string& without_backend) {
  std::vector<std::string> tests, backends;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const RunGroup& group : now.groups) {
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
      fmt::print(" {} |", cell(find_group(now, test, backend), find_group(last, test, backend)));
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
    const schema::Experiment& experiment = entry->experiment();
    std::string item = fmt::format("{} {}, {}", markdown_code(experiment.model),
                                   markdown_text(entry->column), test_title(experiment.test));
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

Expected<std::optional<Run>> find_last(Reader& reader, const Request& request, const Run& run) {
  if (request.since) {
    BENCHHUD_ASSIGN(Run since, reader.find_run(*request.since, run.accelerator_model));
    if (since.started_at >= run.started_at) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--since {} is not before {}", since.name, run.name)};
    }
    return std::optional(std::move(since));
  }
  schema::RunFilter before;
  before.accelerator_models = {run.accelerator_model};
  before.until = run.started_at;
  before.limit = 1;
  BENCHHUD_ASSIGN(std::vector<Run> found, reader.runs(before));
  if (found.empty()) return std::optional<Run>();
  return std::optional(std::move(found.front()));
}

std::size_t model_count(const JudgedRun& run, const Catalog& catalog) {
  std::map<std::pair<std::string, std::string>, int> models;
  for (const analysis::ResultView& result : run.results) {
    if (const auto* entry = catalog.find(result.experiment)) {
      models[{entry->experiment().suite, entry->experiment().model}] = 1;
    }
  }
  return models.size();
}

Expected<void> print_run(Reader& reader, const Catalog& catalog, const Request& request,
                         const Run& run) {
  const analysis::ErrorTexts errors = error_texts(reader);
  BENCHHUD_ASSIGN(const JudgedRun judged, analysis::judge_run(reader, run, catalog, errors));
  BENCHHUD_ASSIGN(const std::optional<Run> last_run, find_last(reader, request, run));
  std::optional<JudgedRun> last;
  if (last_run) {
    BENCHHUD_ASSIGN(last, analysis::judge_run(reader, *last_run, catalog, errors));
  }
  const RunSummary now_summary = analysis::summarize_run(judged, catalog, request.baseline);
  const RunSummary last_summary =
      last ? analysis::summarize_run(*last, catalog, request.baseline) : RunSummary();

  fmt::print("### {}: run {}\n\n", markdown_text(run.accelerator_model), markdown_text(run.name));
  for (const auto& [key, value] : run.labels)
    fmt::print("- {}: {}\n", markdown_text(key), markdown_code(value));
  fmt::print("- started {}\n", schema::format_time(run.started_at));
  fmt::print("- {}\n", run.verified_at ? "verified " + schema::format_time(*run.verified_at)
                                       : std::string("not verified in this run"));
  fmt::print("- last: {}\n\n", last_run ? "run " + markdown_text(last_run->name) : "none");

  fmt::print("#### Pass rate (out of {} models)\n\n", model_count(judged, catalog));
  print_table(now_summary, last_summary, passing_cell, "");
  fmt::print("#### Speedup over {} (geometric mean over models, 95 % interval)\n\n",
             markdown_text(request.baseline));
  print_table(now_summary, last_summary, speedup_cell, request.baseline);

  if (!last) return {};
  Expected<void> status;
  const auto started_at = [&](schema::RunId id) {
    const auto found = reader.run(id);
    if (!found && status) status = found.error();
    return found ? found->started_at : 0;
  };
  const std::vector<VerificationChange> changes =
      analysis::verification_changes(*last, judged, catalog, started_at);
  BENCHHUD_TRY(status);
  print_changes(changes, catalog, Transition::kNewlyFailing, "Newly failing");
  print_changes(changes, catalog, Transition::kNewlyPassing, "Newly passing");
  return {};
}

Expected<void> print_summary(schema::Connection& store, const Request& request) {
  BENCHHUD_ASSIGN(const schema::Transaction snapshot,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kRead));
  Reader reader(store);
  BENCHHUD_ASSIGN(auto experiments, reader.experiments_after(schema::ExperimentId(0)));
  const Catalog catalog(std::move(experiments));
  if (!request.run.empty()) {
    BENCHHUD_ASSIGN(const Run run, reader.find_run(request.run, request.accelerator_model));
    return print_run(reader, catalog, request, run);
  }
  BENCHHUD_ASSIGN(std::vector<std::string> models, reader.accelerator_models());
  if (request.accelerator_model) models = {*request.accelerator_model};
  if (models.empty()) return Error{ErrorCode::kNotFound, "there are no runs yet"};
  for (const std::string& model : models) {
    BENCHHUD_ASSIGN(const Run run, reader.find_run("latest", model));
    BENCHHUD_TRY(print_run(reader, catalog, request, run));
  }
  return {};
}

}  // namespace

int run_summary(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const po::variables_map& values = parsed.values;
  if (values["format"].as<std::string>() != "markdown") {
    return fail({ErrorCode::kInvalidArgument, "--format is markdown"});
  }
  Request request;
  if (values.count("run")) request.run = values["run"].as<std::string>();
  if (values.count("since")) request.since = values["since"].as<std::string>();
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
