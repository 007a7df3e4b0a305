// benchhud export: a row a line, with the columns of upstream's result_analyzer.py.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "analysis/statistics/numpy_math.h"
#include "analysis/upstream/upstream_export.h"
#include "cli/options/commands.h"
#include "cli/options/line_source.h"
#include "cli/options/python_options.h"
#include "cli/output/export_hud.h"
#include "ingest/results/results_line_text.h"
#include "schema/base/csv_text.h"
#include "schema/results/line_replay.h"
#include "schema/store/store.h"

namespace benchhud::cli {
namespace {

using analysis::ExportValue;
using analysis::ExtremeNames;
using ingest::ResultsLine;
using nlohmann::json;
using schema::Expected;
using Takes = PythonOption::Takes;
using LineVisitor = std::function<void(const ResultsLine&)>;

constexpr std::string_view kHudFormat = "hud-v3";

constexpr std::string_view kExportHelp =
    R"(usage: benchhud export [option…] [FILE…]

A row for each line, with the columns that the benchmark runner's result_analyzer.py writes, of the files given
(JSONL, also gzipped) or, without any, of the store, whose lines are read in the order in which they came.

  --format FORMAT        csv, jsonl or hud-v3 (csv). hud-v3: the store's runs as benchmark records of the PyTorch HUD,
                         version 3, a JSON object a line (docs/neighbours.md); `benchhud ingest` reads them back
  --run RUN              with hud-v3: of this run only, an id, a name or latest
  --repo OWNER/NAME      with hud-v3: the repository of the records; the run's label NAME is their commit (pytorch/pytorch)
  --hide-errors          leave the texts of errors out
  --column-names NAMES   amin or min: what the extremes' columns are called; min is what upstream writes with
                         numpy 1.25 and newer (amin)
  --db FILE              the store (default: $BENCHHUD_DB, else benchhud/benchhud.db in the user's data folder)
  --strict               stop at a line that cannot be read; otherwise such lines are named on standard error
                         and left out
  -h, --help             print this and stop
)";

// Upstream's columns, in its order; those of metrics follow as they come.
constexpr std::array kColumns = {
    "timestamp",
    "suite_name",
    "model_name",
    "accelerator",
    "accelerator_model",
    "xla",
    "xla_flags",
    "dynamo",
    "torch_xla2",
    "keep_model_data_on_cuda",
    "test",
    "batch_size",
    "repeat",
    "iterations_per_run",
    "error_message",
    "median_total_time",
    "median_per_iter_time",
    "xla_median_trace_per_iter_time",
    "xla_compile_time",
    "dynamo_compile_time",
    "outputs_file",
};

struct Settings {
  bool hides_errors = false;
  ExtremeNames names = ExtremeNames::kAmin;
};

bool is_set(const std::optional<std::string>& option) { return option && !option->empty(); }

std::vector<ExportValue> computed(const ResultsLine& line, const Settings& settings) {
  if (line.error) return {};
  return analysis::upstream_export(line.metrics, is_set(line.experiment.xla),
                                   is_set(line.experiment.dynamo), settings.names);
}

// The runner writes true or false; what else a line holds is printed as it is. The reader of lines
// leaves null and false out of the flags.
std::string data_on_cuda_text(const ResultsLine& line) {
  const json flags = json::parse(line.experiment.flags, nullptr, false);
  const auto flag = flags.find("keep_model_data_on_cuda");
  if (flag == flags.end()) return "False";
  if (flag->is_boolean()) return flag->get<bool>() ? "True" : "False";
  if (flag->is_string()) return flag->get<std::string>();
  return flag->dump(-1, ' ', false, json::error_handler_t::replace);
}

// The runner wrote it inside of the experiment, and before that beside it.
std::string outputs_file(const ResultsLine& line) {
  if (line.extra.empty()) return "";
  const json extra = json::parse(line.extra, nullptr, false);
  for (const json* place : {&extra, extra.contains("experiment") ? &extra["experiment"] : &extra}) {
    if (!place->is_object()) continue;
    const auto file = place->find("outputs_file");
    if (file != place->end() && file->is_string()) return *file;
  }
  return "";
}

std::string csv_text(const std::string& text) {
  std::string field;
  schema::append_csv_field(&field, text);
  return field;
}

std::string csv_number(const ExportValue& value) {
  if (!value.value) return "-1";
  return std::isnan(*value.value) ? "" : analysis::python_text(*value.value);
}

std::string csv_integer(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "";
}

std::map<std::string, std::string> csv_fields(const ResultsLine& line, const Settings& settings) {
  const schema::Experiment& experiment = line.experiment;
  std::map<std::string, std::string> fields = {
      {"timestamp", analysis::python_text(*line.timestamp)},
      {"suite_name", csv_text(experiment.suite)},
      {"model_name", csv_text(experiment.model)},
      {"accelerator", csv_text(experiment.accelerator)},
      {"accelerator_model", csv_text(experiment.accelerator_model)},
      {"xla", csv_text(experiment.xla.value_or(""))},
      {"xla_flags", csv_text(experiment.xla_flags.value_or(""))},
      {"dynamo", csv_text(experiment.dynamo.value_or(""))},
      {"torch_xla2", csv_text(experiment.torch_xla2.value_or(""))},
      {"keep_model_data_on_cuda", csv_text(data_on_cuda_text(line))},
      {"test", csv_text(experiment.test)},
      {"batch_size", csv_integer(experiment.batch_size)},
      {"repeat", csv_integer(line.repeat)},
      {"iterations_per_run", csv_integer(line.iterations_per_run)},
      {"error_message", settings.hides_errors ? "" : csv_text(line.error.value_or(""))},
      {"outputs_file", csv_text(outputs_file(line))},
  };
  for (const ExportValue& value : computed(line, settings)) {
    fields[csv_text(value.column)] = csv_number(value);
  }
  return fields;
}

using ReadLines = std::function<Expected<void>(const LineVisitor&)>;

// Columns are known only when all lines have been read, and lines may be many: they are read twice.
Expected<void> write_csv(const ReadLines& read, const Settings& settings) {
  std::vector<std::string> columns(kColumns.begin(), kColumns.end());
  std::set<std::string> known(kColumns.begin(), kColumns.end());
  BENCHHUD_TRY(read([&](const ResultsLine& line) {
    for (const ExportValue& value : computed(line, settings)) {
      const std::string column = csv_text(value.column);
      if (known.insert(column).second) columns.push_back(column);
    }
  }));
  fmt::print("{}\n", fmt::join(columns, ","));
  return read([&](const ResultsLine& line) {
    const auto fields = csv_fields(line, settings);
    std::string row;
    for (const std::string& column : columns) {
      const auto field = fields.find(column);
      if (field != fields.end()) row += field->second;
      row += ',';
    }
    row.back() = '\n';
    std::fwrite(row.data(), 1, row.size(), stdout);
  });
}

// Python's json.dumps: ASCII, with spaces behind colons and commas.
class PythonObject {
 public:
  void add(const std::string& key, const std::string& text_of_value) {
    text_ += (text_.empty() ? "" : ", ") + quote(key) + ": " + text_of_value;
  }
  void add_text(const std::string& key, const std::string& value) { add(key, quote(value)); }
  void add_option(const std::string& key, const std::optional<std::string>& value) {
    add_text(key, value.value_or("None"));
  }
  void add_integer(const std::string& key, const std::optional<std::int64_t>& value) {
    add(key, value ? std::to_string(*value) : "null");
  }
  void add_number(const std::string& key, double value) {
    add(key, std::isnan(value)   ? "NaN"
             : std::isinf(value) ? (value < 0 ? "-Infinity" : "Infinity")
                                 : analysis::python_text(value));
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  static std::string quote(const std::string& text) {
    return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
  }
  std::string text_;
};

std::string json_row(const ResultsLine& line, const Settings& settings) {
  const schema::Experiment& experiment = line.experiment;
  PythonObject metrics;
  metrics.add_integer("timestamp", static_cast<std::int64_t>(*line.timestamp));
  metrics.add_integer("batch_size", experiment.batch_size.value_or(-1));
  metrics.add_integer("repeat", line.repeat);
  metrics.add_integer("iterations_per_run", line.iterations_per_run);
  if (line.error) {
    for (const char* name :
         {"median_total_time", "median_per_iter_time", "xla_median_trace_per_iter_time",
          "xla_compile_time", "dynamo_compile_time"}) {
      metrics.add_integer(name, -1);
    }
  }
  for (const ExportValue& value : computed(line, settings)) {
    if (value.value) {
      metrics.add_number(value.column, *value.value);
    } else {
      metrics.add_integer(value.column, -1);
    }
  }
  PythonObject dimensions;
  dimensions.add_text("suite_name", experiment.suite);
  dimensions.add_text("model_name", experiment.model);
  dimensions.add_text("accelerator", experiment.accelerator_model);  // so upstream
  dimensions.add_text("accelerator_model", experiment.accelerator_model);
  dimensions.add_option("xla", experiment.xla);
  dimensions.add_option("dynamo", experiment.dynamo);
  dimensions.add_option("torch_xla2", experiment.torch_xla2);
  dimensions.add_text("keep_model_data_on_cuda", data_on_cuda_text(line));
  dimensions.add_text("test", experiment.test.empty() ? "None" : experiment.test);
  const std::string file = outputs_file(line);
  dimensions.add_text("outputs_file", file.empty() ? "None" : file);
  dimensions.add_text("run_status", line.error ? "failure" : "success");
  PythonObject row;
  row.add("metrics", metrics.text());
  row.add("dimensions", dimensions.text());
  if (line.error && !settings.hides_errors) row.add_text("error_message", *line.error);
  return row.text();
}

Expected<void> write_jsonl(const ReadLines& read, const Settings& settings) {
  return read([&](const ResultsLine& line) { fmt::print("{}\n", json_row(line, settings)); });
}

Expected<void> read_store(schema::Connection& store, const LineVisitor& visit) {
  return schema::replay_whole_lines(
      store, [&](const schema::StoredResultLine& line) { visit(ingest::results_line_of(line)); });
}

Expected<void> write(const PythonArguments& arguments, const ReadLines& read) {
  Settings settings;
  settings.hides_errors = arguments.has("--hide-errors");
  if (arguments.last("--column-names", "amin") == "min") settings.names = ExtremeNames::kMin;
  return arguments.last("--format", "csv") == "csv" ? write_csv(read, settings)
                                                    : write_jsonl(read, settings);
}

Expected<void> export_store(const PythonArguments& arguments) {
  BENCHHUD_ASSIGN(schema::Connection store, schema::open_store_for_reading(arguments.last(
                                                "--db", schema::default_store_path())));
  // Both readings are of the same state, whatever is ingested meanwhile.
  BENCHHUD_ASSIGN(const schema::Transaction transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kRead));
  if (arguments.last("--format", "csv") == kHudFormat) {
    std::optional<std::string> run;
    if (arguments.has("--run")) run = arguments.last("--run", "");
    return export_hud(store, run, arguments.last("--repo", "pytorch/pytorch"));
  }
  return write(arguments, [&](const LineVisitor& visit) { return read_store(store, visit); });
}

Expected<void> export_files(const PythonArguments& arguments) {
  BadLines bad_lines = arguments.has("--strict") ? BadLines::kStop : BadLines::kWarn;
  return write(arguments, [&](const LineVisitor& visit) -> Expected<void> {
    BENCHHUD_TRY(read_lines(arguments.positional, bad_lines, visit));
    if (bad_lines == BadLines::kWarn) bad_lines = BadLines::kSkip;  // the second time
    return {};
  });
}

}  // namespace

int run_export(const Arguments& arguments) {
  const std::vector<PythonOption> options = {
      {"--format", '\0', Takes::kOne, {"csv", "jsonl", kHudFormat}},
      {"--run"},
      {"--repo"},
      {"--hide-errors", '\0', Takes::kNothing},
      {"--column-names", '\0', Takes::kOne, {"amin", "min"}},
      {"--db"},
      {"--strict", '\0', Takes::kNothing},
      {"--help", 'h', Takes::kNothing},
  };
  const auto parsed = parse_python_style(options, arguments);
  if (!parsed) {
    fmt::print(stderr, "benchhud: {}\n\n{}", parsed.error().message, kExportHelp);
    return kUsage;
  }
  if (parsed->has("--help")) {
    fmt::print("{}", kExportHelp);
    return kDone;
  }
  const bool is_hud = parsed->last("--format", "csv") == kHudFormat;
  const bool is_odd =
      is_hud ? !parsed->positional.empty() : parsed->has("--run") || parsed->has("--repo");
  if (is_odd) {
    fmt::print(stderr, "benchhud: {}\n\n{}",
               is_hud ? "--format hud-v3 is of the store: ingest the files first"
                      : "--run and --repo go with --format hud-v3",
               kExportHelp);
    return kUsage;
  }
  const auto done = parsed->positional.empty() ? export_store(*parsed) : export_files(*parsed);
  if (!done) {
    fmt::print(stderr, "benchhud: {}\n", done.error().message);
    return kFailed;
  }
  return std::fflush(stdout) == 0 ? kDone : kFailed;
}

}  // namespace benchhud::cli
