// benchhud ingest: takes results files and dumps into the store.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/options/commands.h"
#include "cli/options/import_context_options.h"
#include "cli/options/journal.h"
#include "cli/options/kernel_rules_option.h"
#include "cli/options/locked_store.h"
#include "cli/options/machine.h"
#include "cli/options/memory.h"
#include "cli/options/named_result.h"
#include "cli/options/options.h"
#include "cli/output/ingest_text.h"
#include "ingest/output/output_dir.h"
#include "ingest/pipeline/pipeline.h"
#include "schema/base/count_text.h"
#include "schema/base/json_writer.h"
#include "schema/base/time.h"
#include "schema/results/reader.h"
#include "service/imports/importer.h"
#include "views/ingest_report.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using ingest::DumpResult;
using ingest::FileResult;
using ingest::IngestResult;
using ingest::Progress;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

struct IngestRequest {
  std::string db;
  std::vector<std::string> paths;
  bool as_json = false;
  bool is_summary = false;            // the report is one line
  bool is_quiet = false;              // which is left out where nothing is wrong
  std::optional<std::string> result;  // that all paths are dumps of
  ingest::IngestOptions options;
};

CommandLine ingest_command_line() {
  CommandLine command;
  command.usage = "benchhud ingest PATH… [option…]";
  command.about =
      "Takes results into the store: results.jsonl files, gzipped or not, output directories of\n"
      "the benchmark runner with all dumps in them (traces, operator tables, counters, metrics\n"
      "reports, IR), folders of dated files. The same bytes again change nothing; of a file that\n"
      "has grown only what is new is added. One file is one transaction.\n\n"
      "CSV files of torch's dynamo runner and records of the PyTorch HUD (version 3) are known by\n"
      "their content and taken in beside them (docs/neighbours.md). Such a CSV does not say on\n"
      "which machine it was made: --accelerator-model does.\n\n"
      "A dump belongs to the result that its name tells, of the results files in its output\n"
      "directory; with --for to the one named: RUN/EXPERIMENT, as in the addresses of the pages\n"
      "(12/34), or RUN/MODEL/TEST/BACKEND[/BATCH SIZE]; RUN is an id, a name or `latest`.\n\n"
      "Exit status: 0 every line and dump is in the store, now or already; 3 some lines were\n"
      "rejected or dumps unreadable, and the rest is in; 1 failed (or --strict and anything was\n"
      "rejected), the store as before; 2 the command line makes no sense; 5 another process was\n"
      "at work on the store for longer than --wait, and what was not in by then is not in, or no\n"
      "alerts were found yet, which the message says: the same command later goes on from\n"
      "there. A file that fails while it is being read, or a folder that cannot be read, leaves\n"
      "nothing; all others are in.";
  add_store_option(&command.options);
  add_kernel_rules_option(&command.options);
  auto add = command.options.add_options();
  command.arguments.add_options()("path", po::value<std::vector<std::string>>());
  add("run", po::value<std::string>()->value_name("NAME"),
      "all lines belong to the run of this name, whatever their timestamps");
  add("label", po::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
      "a label for the runs that get new lines, such as a commit or a version; may be given often");
  add("timestamp", po::value<std::string>()->value_name("TIME"),
      "of lines that have none: RFC 3339 or seconds since 1970 (else the date in the file's name)");
  add("shift-to-this-week", po::bool_switch(),
      "for samples: times are shifted by whole weeks, so that the newest result is of the last "
      "seven "
      "days; the first ingest into a new store chooses the shift, the store keeps it");
  add_machine_option(&command.options);
  add_neighbour_options(&command.options);
  add("strict", "if any line is rejected or a dump is unreadable, take in nothing");
  add("for", po::value<std::string>()->value_name("RESULT"),
      "the paths are dumps of this result, whatever they are called, or folders of its dumps and "
      "profiles, such as a session of XLA's profiler");
  add("repetition", po::value<std::int64_t>()->value_name("N"),
      "with --for: of this repetition, counted from 0");
  add("summary", po::bool_switch(),
      "report in one line: files, lines, dumps, new alerts and the first thing that is wrong");
  add("quiet", po::bool_switch(),
      "that line only where something is wrong (the exit status is not 0), else nothing: for a job "
      "whose output is mailed");
  add_wait_option(&command.options);
  add_format_option(&command.options, "of the report: text or json");
  command.positional.add("path", -1);
  return command;
}

Expected<IngestRequest> read_ingest_request(const po::variables_map& values) {
  IngestRequest request;
  request.db = store_path(values);
  if (!values.count("path")) {
    return Error{ErrorCode::kInvalidArgument, "ingest what? Give a file or a folder"};
  }
  request.paths = values["path"].as<std::vector<std::string>>();
  BENCHHUD_ASSIGN(request.as_json, wants_json(values));
  request.is_quiet = values["quiet"].as<bool>();
  request.is_summary = request.is_quiet || values["summary"].as<bool>();
  if (request.as_json && request.is_summary) {
    return Error{ErrorCode::kInvalidArgument, "--summary and --quiet are for text"};
  }
  request.options.strict = values.count("strict") > 0;
  if (values.count("run")) {
    request.options.run_name = values["run"].as<std::string>();
    if (request.options.run_name->empty()) {
      return Error{ErrorCode::kInvalidArgument, "--run needs a name"};
    }
  }
  if (values.count("label")) {
    for (const std::string& label : values["label"].as<std::vector<std::string>>()) {
      BENCHHUD_ASSIGN(auto pair, split_label(label));
      request.options.labels[pair.first] = pair.second;
    }
  }
  BENCHHUD_TRY(read_machine_option(values, &request.options.labels));
  if (values["shift-to-this-week"].as<bool>()) request.options.shift_times_to = schema::now();
  request.options.import_context = import_context(values);
  if (values.count("for")) request.result = values["for"].as<std::string>();
  if (values.count("repetition")) {
    request.options.dumps.repetition = values["repetition"].as<std::int64_t>();
    if (!request.result || *request.options.dumps.repetition < 0) {
      return Error{ErrorCode::kInvalidArgument, "--repetition is a number from 0, with --for"};
    }
  }
  if (values.count("timestamp")) {
    request.options.timestamp = schema::parse_time(values["timestamp"].as<std::string>());
    if (!request.options.timestamp) {
      return Error{ErrorCode::kInvalidArgument,
                   "--timestamp is a time such as 2025-11-10T00:00:00Z or seconds since 1970"};
    }
  }
  return request;
}

// A bar on the terminal, drawn again at most ten times a second and wiped at the end.
class ProgressBar {
 public:
  ~ProgressBar() {
    if (is_drawn_) std::fputs("\r\033[K", stderr);
  }

  void show(const Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - drawn_at_ < std::chrono::milliseconds(100)) return;
    drawn_at_ = now;
    is_drawn_ = true;
    constexpr int kWidth = 30;
    const double share =
        progress.total_bytes > 0 ? double(progress.bytes) / double(progress.total_bytes) : 0;
    const int filled = static_cast<int>(share * kWidth);
    fmt::print(stderr, "\r\033[K[{}{}] {:3.0f} %  {:.1f} of {:.1f} MB  file {} of {}",
               std::string(filled, '#'), std::string(kWidth - filled, ' '), share * 100,
               double(progress.bytes) / 1e6, double(progress.total_bytes) / 1e6, progress.file + 1,
               progress.file_count);
    std::fflush(stderr);
  }

 private:
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_{};
};

void print_text(const IngestResult& result, const IngestRequest& request) {
  for (const FileResult& file : result.files) print_file(file, result.files.size() <= 50);
  for (const DumpResult& dump : result.dumps) print_dump(dump);
  print_folders(result);
  fmt::print("{}: {}\n", schema::count_text(result.files.size(), "file"),
             counts_text(result.accepted, result.duplicate, result.rejected));
  if (!result.dumps.empty()) {
    fmt::print("{}: {} new, {} already there, {} without a result, {} unreadable\n",
               schema::count_text(result.dumps.size(), "dump"), result.new_dumps,
               result.known_dumps, result.orphaned_dumps, result.unreadable_dumps);
  }
  if (result.shift_weeks != 0) fmt::print("times: shifted by {} weeks\n", result.shift_weeks);
  if (result.undone) {
    warn("nothing was taken in (--strict); the store is as before\n");
  } else {
    fmt::print("store: {}\n", printable(request.db));
  }
}

void print_json(const IngestResult& result, const IngestRequest& request, schema::Reader* reader) {
  std::string report;
  schema::JsonWriter json(&report, schema::JsonWriter::Layout::kIndented);
  views::write_ingest_report(json, result, *reader, {.store = request.db});
  fmt::print("{}\n", report);
}

// The whole report in a line, behind which nothing is printed but that the alerts could not be
// found.
void print_summary(const IngestResult& result, const IngestRequest& request, int status,
                   const Expected<service::AlertUpdate>& alerts) {
  const std::string line =
      summary_line(result, alerts ? std::optional(alerts->added) : std::nullopt);
  if (status != kDone) {
    warn("{}\n", line);
  } else if (!request.is_quiet) {
    fmt::print("{}\n", line);
  }
}

// Every file can be read, or the whole command fails.
Expected<ingest::Inputs> find_files(const IngestRequest& request) {
  BENCHHUD_ASSIGN(ingest::Inputs files, request.result ? ingest::find_dumps(request.paths)
                                                       : ingest::find_inputs(request.paths));
  for (const auto* list : {&files.results, &files.dumps}) {
    for (const std::string& file : *list) {
      if (access(file.c_str(), R_OK) != 0) {
        return Error{ErrorCode::kIo, fmt::format("cannot read {}: {}", file, std::strerror(errno))};
      }
    }
  }
  return files;
}

}  // namespace

int run_ingest(const Arguments& arguments) {
  keep_memory();
  const ParsedCommandLine parsed = parse(ingest_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  if (const auto used = use_kernel_rules(parsed.values); !used) return fail(used.error());
  auto request = read_ingest_request(parsed.values);
  if (!request) return fail(request.error());
  // Before the store is touched: a path that is not there fails the whole command.
  const auto files = find_files(*request);
  if (!files) return fail(files.error());
  auto opened = open_store_in_turns(parsed.values, request->db, "benchhud ingest");
  if (!opened) return fail(opened.error());
  schema::Connection* const store = &opened->connection;
  request->options.turns = std::move(opened->turns);
  if (request->result) {
    const auto key = named_result(*store, *request->result);
    if (!key) return fail(key.error());
    request->options.dumps.result = *key;
  }

  const Expected<service::Import> imported = [&] {
    ProgressBar bar;
    if (isatty(STDERR_FILENO) && !request->is_quiet) {
      request->options.on_progress = [&bar](const Progress& progress) { bar.show(progress); };
    }
    return service::import_and_find_alerts(*store, *files, request->options);
  }();
  if (!imported) return fail(imported.error());
  const auto& [result, alerts] = *imported;
  schema::Reader reader(*store);
  if (request->as_json) {
    print_json(result, *request, &reader);
  } else if (!request->is_summary) {
    print_text(result, *request);
  }
  const int status = exit_status_of(result);
  if (request->is_summary) print_summary(result, *request, status, alerts);
  // What was taken in is in; that alerts could not be found does not undo it.
  if (!alerts) {
    return fail(
        {alerts.error().code, "what was taken in is in the store, but alerts could not be found: " +
                                  alerts.error().message});
  }
  return status;
}

}  // namespace benchhud::cli
