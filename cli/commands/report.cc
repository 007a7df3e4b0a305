// benchhud report: the report of upstream's aggregate.py, with its options and its output.

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "analysis/upstream/model_filter.h"
#include "analysis/upstream/upstream_report.h"
#include "cli/options/commands.h"
#include "cli/options/line_source.h"
#include "cli/options/python_options.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"

namespace benchhud::cli {
namespace {

using analysis::UpstreamLine;
using analysis::UpstreamOptions;
using analysis::UpstreamReport;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using Takes = PythonOption::Takes;

constexpr std::string_view kReportHelp =
    R"(usage: benchhud report [option…] [FILE…]

The report that the benchmark runner's aggregate.py prints, of the files given (JSONL, also gzipped) or, without
any, of the store, whose lines are read in the order in which they came.

  --accelerator NAME       any part of the accelerator model's name, ignoring case (v100)
  --test TEST              inference or training (inference)
  --report KIND            latest, latest_grouped, histogram or speedup (speedup)
  --metric METRIC          exec or compile (exec)
  --backends NAME…         the first is the baseline (inductor openxla+dynamo)
  --baseline WHICH         oldest or latest (oldest)
  -k, --filter PATTERN     only models whose name it matches; may be repeated: any of them
  -x, --exclude PATTERN    no models whose name it matches; may be repeated
  --filter-by-tier N       adds the models of tier 1, 2 or 3 to --filter
  --exclude-by-tier N      adds them to --exclude
  --format FORMAT          csv, tab or svg (csv)
  --title TEXT             below a chart's title
  --fig-width INCHES       of a chart (9)
  --fig-height INCHES      of a chart (6.75)

Not of upstream's:
  --db FILE                the store (default: $BENCHHUD_DB, else benchhud/benchhud.db in the user's data
                           folder)
  --strict                 stop at a line that cannot be read, as upstream does; otherwise such lines are
                           named on standard error and left out
  -h, --help               print this and stop
)";

std::vector<PythonOption> known_options() {
  return {
      {"--accelerator"},
      {"--test", '\0', Takes::kOne, {"inference", "training"}},
      {"--report", '\0', Takes::kOne, {"latest", "latest_grouped", "histogram", "speedup"}},
      {"--metric", '\0', Takes::kOne, {"exec", "compile"}},
      {"--backends", '\0', Takes::kOneOrMore},
      {"--baseline", '\0', Takes::kOne, {"oldest", "latest"}},
      {"--filter", 'k'},
      {"--exclude", 'x'},
      {"--filter-by-tier"},
      {"--exclude-by-tier"},
      {"--format", '\0', Takes::kOne, {"csv", "png", "svg", "tab"}},
      {"--title"},
      {"--fig-width"},
      {"--fig-height"},
      {"--db"},
      {"--strict", '\0', Takes::kNothing},
      {"--help", 'h', Takes::kNothing},
  };
}

Expected<UpstreamOptions> report_options(const PythonArguments& arguments) {
  using analysis::UpstreamBaseline;
  using analysis::UpstreamFormat;
  using analysis::UpstreamMetric;
  using analysis::UpstreamReportKind;
  UpstreamOptions options;
  options.accelerator = arguments.last("--accelerator", "v100");
  options.test = arguments.last("--test", "inference") == "inference" ? "eval" : "train";
  const std::string report = arguments.last("--report", "speedup");
  options.report = report == "latest"           ? UpstreamReportKind::kLatest
                   : report == "latest_grouped" ? UpstreamReportKind::kLatestGrouped
                   : report == "histogram"      ? UpstreamReportKind::kHistogram
                                                : UpstreamReportKind::kSpeedup;
  options.metric = arguments.last("--metric", "exec") == "exec" ? UpstreamMetric::kExecution
                                                                : UpstreamMetric::kCompilation;
  options.baseline = arguments.last("--baseline", "oldest") == "oldest" ? UpstreamBaseline::kOldest
                                                                        : UpstreamBaseline::kLatest;
  if (arguments.has("--backends")) options.backends = arguments.all("--backends");
  const std::string format = arguments.last("--format", "csv");
  if (format == "png") {
    return Error{ErrorCode::kUnsupported, "there are no PNG charts; --format svg draws the same"};
  }
  options.format = format == "csv"   ? UpstreamFormat::kCsv
                   : format == "tab" ? UpstreamFormat::kTab
                                     : UpstreamFormat::kSvg;
  options.title = arguments.last("--title", "");
  BENCHHUD_ASSIGN(options.width_inches,
                  to_number("--fig-width", arguments.last("--fig-width", "9")));
  BENCHHUD_ASSIGN(options.height_inches,
                  to_number("--fig-height", arguments.last("--fig-height", "6.75")));
  for (const double inches : {options.width_inches, options.height_inches}) {
    if (inches < 1 || inches > 1000) {
      return Error{ErrorCode::kInvalidArgument, "a chart is 1 to 1000 inches wide and high"};
    }
  }
  return options;
}

Expected<analysis::ModelFilter> model_filter(const PythonArguments& arguments) {
  analysis::ModelPatterns patterns;
  patterns.filter = arguments.all("--filter");
  patterns.exclude = arguments.all("--exclude");
  for (const std::string& tier : arguments.all("--filter-by-tier")) {
    BENCHHUD_ASSIGN(const int number, to_integer("--filter-by-tier", tier));
    patterns.filter_by_tier.push_back(number);
  }
  for (const std::string& tier : arguments.all("--exclude-by-tier")) {
    BENCHHUD_ASSIGN(const int number, to_integer("--exclude-by-tier", tier));
    patterns.exclude_by_tier.push_back(number);
  }
  return analysis::ModelFilter::make(patterns);
}

using LineSink = std::function<void(const UpstreamLine&)>;

UpstreamLine upstream_line(const schema::Experiment& experiment, std::string_view backend,
                           double timestamp, std::span<const double> total_time) {
  return {timestamp,       experiment.accelerator_model, backend,   experiment.model,
          experiment.test, experiment.batch_size,        total_time};
}

Expected<void> replay_files(const std::vector<std::string>& paths, BadLines bad_lines,
                            const LineSink& sink) {
  return read_lines(paths, bad_lines, [&](const ingest::ResultsLine& line) {
    const schema::Measurement* total = line.find_metric("total_time");
    const bool is_array = total != nullptr && total->shape == schema::SampleShape::kArray;
    sink(upstream_line(
        line.experiment, line.experiment.backend(), *line.timestamp,
        is_array ? std::span<const double>(total->samples) : std::span<const double>()));
  });
}

Expected<void> replay_store(const std::string& path, const LineSink& sink) {
  BENCHHUD_ASSIGN(schema::Connection store, schema::open_store_for_reading(path));
  return schema::Reader(store).replay([&](const schema::SourceOrderedLine& line) {
    const schema::Experiment& experiment = line.experiment->experiment;
    sink(upstream_line(experiment, experiment.backend(), line.timestamp, line.total_time));
  });
}

Expected<analysis::UpstreamOutput> make_report(const PythonArguments& arguments) {
  BENCHHUD_ASSIGN(UpstreamOptions options, report_options(arguments));
  BENCHHUD_ASSIGN(const analysis::ModelFilter filter, model_filter(arguments));
  std::optional<Error> filter_error;
  UpstreamReport report(std::move(options), [&](std::string_view model) {
    auto keeps = filter.keeps(std::string(model));
    if (keeps) return *keeps;
    filter_error = keeps.error();
    return false;
  });
  const LineSink sink = [&](const UpstreamLine& line) { report.add(line); };
  if (arguments.positional.empty()) {
    BENCHHUD_TRY(replay_store(arguments.last("--db", schema::default_store_path()), sink));
  } else {
    const BadLines bad_lines = arguments.has("--strict") ? BadLines::kStop : BadLines::kWarn;
    BENCHHUD_TRY(replay_files(arguments.positional, bad_lines, sink));
  }
  if (filter_error) return *filter_error;
  return report.render();
}

}  // namespace

int run_report(const Arguments& arguments) {
  const auto parsed = parse_python_style(known_options(), arguments);
  if (!parsed) {
    fmt::print(stderr, "benchhud: {}\n\n{}", parsed.error().message, kReportHelp);
    return kUsage;
  }
  if (parsed->has("--help")) {
    fmt::print("{}", kReportHelp);
    return kDone;
  }
  const auto output = make_report(*parsed);
  if (!output) {
    // Scripts that look at the status of upstream's command find the same one.
    fmt::print(stderr, "benchhud: {}\n", output.error().message);
    return kFailed;
  }
  if (!output->warning.empty()) fmt::print(stderr, "{}\n", output->warning);
  std::fwrite(output->text.data(), 1, output->text.size(), stdout);
  return std::fflush(stdout) == 0 ? kDone : kFailed;
}

}  // namespace benchhud::cli
