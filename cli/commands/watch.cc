// benchhud watch: takes in every output directory of the runner as soon as it is finished.

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/commands.h"
#include "cli/options/import_context_options.h"
#include "cli/options/journal.h"
#include "cli/options/kernel_rules_option.h"
#include "cli/options/locked_store.h"
#include "cli/options/machine.h"
#include "cli/options/memory.h"
#include "cli/options/options.h"
#include "cli/options/stop_signal.h"
#include "cli/options/text_file.h"
#include "cli/output/ingest_text.h"
#include "ingest/output/output_scan.h"
#include "ingest/output/output_watch.h"
#include "ingest/pipeline/pipeline.h"
#include "ingest/results/label_file.h"
#include "schema/base/time.h"
#include "schema/store/space_reserve.h"
#include "schema/store/store.h"
#include "schema/store/store_lock.h"
#include "service/alerts/alert_update.h"
#include "service/imports/importer.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using ingest::IngestResult;
using ingest::OutputDir;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using std::chrono::milliseconds;
using Labels = std::map<std::string, std::string>;

constexpr std::string_view kWork = "benchhud watch";  // what others are told
constexpr std::int64_t kMostSeconds = 7 * 24 * 3600;

struct WatchRequest {
  std::string db;
  std::vector<std::string> folders;
  ingest::ScanOptions scan;
  ingest::FinishRules finished;
  milliseconds every{0};
  milliseconds wait{0};
  bool once = false;
  bool is_quiet = false;
  Labels labels;
  ingest::ImportContext import_context;
};

CommandLine watch_command_line() {
  CommandLine command;
  command.usage = "benchhud watch DIR… [option…]";
  command.about =
      "Takes in each output directory below DIR, or DIR itself, when it is finished: a folder "
      "with\n"
      "results files in it, neighbours' among them, and all dumps below it. It is finished when "
      "nothing in it has changed\n"
      "for --settle seconds, or as soon as the runner has written --done-file into it, last of "
      "all.\n"
      "One that changes later is taken in again, which adds only what is new; what is in the "
      "store\n"
      "already, by its content, is not counted again, so it may be stopped and started at any "
      "time.\n"
      "A file `labels` with lines KEY=VALUE, in the output directory or a folder above it up to "
      "DIR,\n"
      "labels its runs; the nearest one wins.\n\n"
      "What goes wrong is said and tried again, after 5 seconds, 10, 20, up to an hour; the other\n"
      "directories are not kept waiting. SIGTERM ends it behind the file at hand, exit status "
      "0.\n\n"
      "With --once, for cron: one look, and the time of the last change is compared with this\n"
      "machine's clock. Exit status: 0 done; 3 some lines were rejected or dumps unreadable; 1 "
      "some\n"
      "directory could not be taken in; 5 another process was at work on the store for longer "
      "than\n"
      "--wait.";
  add_store_option(&command.options);
  add_kernel_rules_option(&command.options);
  auto add = command.options.add_options();
  command.arguments.add_options()("dir", po::value<std::vector<std::string>>());
  const auto seconds = [](std::int64_t usual) {
    return po::value<std::int64_t>()->value_name("SECONDS")->default_value(usual);
  };
  add("settle", seconds(900), "finished is what has not changed for so long");
  add("done-file", po::value<std::string>()->value_name("NAME"),
      "finished is what has a file of this name, written after all others; where others are newer, "
      "it must settle as well");
  add("every", seconds(30), "how often it looks");
  add("once", po::bool_switch(), "look once, take in what is finished, and end");
  add("label", po::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
      "a label for all runs that get new lines; may be given often");
  add("label-file", po::value<std::string>()->value_name("NAME")->default_value("labels"),
      "the name of the files with labels");
  add_machine_option(&command.options);
  add_neighbour_options(&command.options);
  add("quiet", po::bool_switch(), "say only what went wrong");
  add_wait_option(&command.options);
  command.positional.add("dir", -1);
  return command;
}

Expected<std::int64_t> seconds_of(const po::variables_map& values, const std::string& option,
                                  std::int64_t least) {
  const std::int64_t value = values[option].as<std::int64_t>();
  if (value >= least && value <= kMostSeconds) return value;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--{} is a number of seconds, {} to {}", option, least, kMostSeconds)};
}

Expected<std::string> file_name_of(const po::variables_map& values, const std::string& option) {
  if (!values.count(option)) return std::string();
  const std::string name = values[option].as<std::string>();
  if (!name.empty() && name.find('/') == name.npos && !ingest::is_results_name(name)) return name;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--{} is the name of a file that holds no results", option)};
}

Expected<WatchRequest> read_watch_request(const po::variables_map& values) {
  WatchRequest request;
  request.db = store_path(values);
  if (!values.count("dir")) {
    return Error{ErrorCode::kInvalidArgument, "watch what? Give a folder"};
  }
  request.folders = values["dir"].as<std::vector<std::string>>();
  BENCHHUD_ASSIGN(request.scan.done_file, file_name_of(values, "done-file"));
  BENCHHUD_ASSIGN(request.scan.label_file, file_name_of(values, "label-file"));
  request.finished.needs_marker = !request.scan.done_file.empty();
  BENCHHUD_ASSIGN(const std::int64_t settle, seconds_of(values, "settle", 0));
  request.finished.settle = static_cast<double>(settle);
  BENCHHUD_ASSIGN(const std::int64_t every, seconds_of(values, "every", 1));
  request.every = std::chrono::seconds(every);
  BENCHHUD_ASSIGN(request.wait, wait_of(values));
  request.once = values["once"].as<bool>();
  request.is_quiet = values["quiet"].as<bool>();
  request.import_context = import_context(values);
  if (values.count("label")) {
    for (const std::string& label : values["label"].as<std::vector<std::string>>()) {
      BENCHHUD_ASSIGN(auto pair, split_label(label));
      request.labels[pair.first] = pair.second;
    }
  }
  BENCHHUD_TRY(read_machine_option(values, &request.labels));
  return request;
}

/// Seconds on a clock that never goes back.
double steady_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Which file the store is, as long as it is the same one; 0: none.
ino_t store_file(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

class Watcher {
 public:
  explicit Watcher(WatchRequest request)
      : request_(std::move(request)), watch_(request_.finished) {}

  /// Until a signal comes, or once. Returns the exit status.
  int run() {
    if (!request_.once) {
      say("watching {} for {}", fmt::join(request_.folders, ", "), request_.db);
    }
    do {
      look();
    } while (!request_.once && !stop_.came_within(request_.every));
    if (request_.once) {
      say("{} taken in, {} not finished, {} failed", taken_, unfinished_, failed_);
      return status_;
    }
    say("stopped; {} taken in", taken_);
    return kDone;
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    if (request_.is_quiet) return;
    fmt::print("{}\n", printable(fmt::format(format, std::forward<Args>(args)...)));
    std::fflush(stdout);
  }

  /// What the store or a folder as a whole is in the way of; said again only when it is something
  /// else.
  void complain(const std::string& about, const Error& error) {
    std::string& before = complaints_[about];
    if (before != error.message) fail(error);
    before = error.message;
    note_status(passes(error.code) ? kStoreBusy : kFailed);
  }

  /// The worst one is that of the command.
  void note_status(int status) {
    constexpr std::array kFromBestToWorst = {kDone, kSomeRejected, kStoreBusy, kFailed};
    const auto place_of = [&](int each) { return std::ranges::find(kFromBestToWorst, each); };
    if (place_of(status) > place_of(status_)) status_ = status;
  }

  /// Looks through all folders and takes in what is due.
  void look() {
    if (const ino_t store = store_file(request_.db); store != store_) {
      watch_.forget_all();
      store_ = store;
    }
    std::vector<OutputDir> dirs;
    bool is_all = true;
    for (const std::string& folder : request_.folders) {
      auto found = ingest::scan_outputs(folder, request_.scan);
      if (found) {
        complaints_.erase(folder);
        std::move(found->begin(), found->end(), std::back_inserter(dirs));
      } else {
        complain(folder, found.error());
        is_all = false;
      }
    }
    std::set<std::string> paths;
    for (const OutputDir& dir : dirs) paths.insert(dir.path);
    // A file system that is away for a moment does not make everything new.
    if (is_all) watch_.keep_only(paths);
    unfinished_ = 0;
    for (const OutputDir& dir : dirs) {
      if (stop_.came() || !take_if_due(dir)) break;
    }
    store_ = store_file(request_.db);
    if (changed_ && store_ != 0 && !stop_.came()) find_alerts();
  }

  bool is_due(const OutputDir& dir) {
    if (!request_.once) return watch_.is_due(dir, steady_now());
    if (dir.error) return true;
    const bool is_done =
        ingest::is_finished(dir, request_.finished, schema::now() - dir.changed_at);
    if (!is_done) ++unfinished_;
    return is_done;
  }

  /// False where the store cannot be used: then nothing else can be taken in either.
  bool take_if_due(const OutputDir& dir) {
    if (!is_due(dir)) return true;
    if (dir.error) {
      failed(dir, printable(dir.error->message));
      return true;
    }
    const auto labels = labels_of(dir);
    if (!labels) {
      failed(dir, printable(labels.error().message));
      return true;
    }
    auto store = open();
    if (stop_.came()) return false;
    if (!store) {
      complain(request_.db, store.error());
      return false;
    }
    const auto busy = take(dir, *labels, *store);
    if (busy) {
      complain(request_.db, *busy);
      return false;
    }
    complaints_.erase(request_.db);
    return true;
  }

  Expected<schema::Connection> open() {
    BENCHHUD_ASSIGN(const auto lock, schema::StoreLock::take(request_.db, kWork, patience()));
    BENCHHUD_ASSIGN(auto store, schema::open_store(request_.db));
    schema::keep_space_reserve(request_.db);
    return store;
  }

  schema::LockPatience patience() {
    schema::LockPatience patience;
    patience.longest = request_.wait;
    patience.gives_up = [this] { return stop_.came(); };
    return patience;
  }

  /// The error of others who kept the store for too long, so that nothing is wrong with the folder.
  std::optional<Error> take(const OutputDir& dir, const Labels& labels, schema::Connection& store) {
    ingest::IngestOptions options;
    options.turns.emplace(request_.db, std::string(kWork), patience());
    options.labels = labels;
    options.import_context = request_.import_context;
    options.skips_known_content = true;
    options.should_stop = [this] { return stop_.came(); };
    const auto result = service::import_files(store, dir.files, std::move(options));
    if (!result) {
      if (passes(result.error().code)) return result.error();
      failed(dir, printable(result.error().message));
      return {};
    }
    changed_ |= result->changed;
    if (result->stopped) return {};
    const std::string summary = summary_line(*result);
    const bool may_pass = exit_status_of(*result) == kStoreBusy;
    if (may_pass && has_busy_file(*result)) return Error{ErrorCode::kBusy, summary};
    if (result->failed) {
      // The store's place is away, which keeps no other directory from being taken in.
      failed(dir, summary, may_pass ? kStoreBusy : kFailed);
      return {};
    }
    watch_.took(dir);
    ++taken_;
    if (!result->changed) return {};
    const int status = exit_status_of(*result);
    note_status(status);
    if (status != kDone) {
      warn("{}: {}\n", printable(dir.path), summary);
    } else {
      say("{}: {}", dir.path, summary);
    }
    return {};
  }

  /// Whether the store was others' for too long.
  static bool has_busy_file(const ingest::IngestResult& result) {
    const auto is_busy = [](const auto& file) {
      return file.error && file.error->code == ErrorCode::kBusy;
    };
    return std::ranges::any_of(result.files, is_busy) || std::ranges::any_of(result.dumps, is_busy);
  }

  void failed(const OutputDir& dir, const std::string& words, int status = kFailed) {
    ++failed_;
    note_status(status);
    const double pause = watch_.failed(dir, steady_now());
    const std::string again = request_.once ? "" : fmt::format("; again in {:.0f} s", pause);
    warn("{}: {}{}\n", printable(dir.path), words, again);
  }

  /// Those of the command line, and over them those of files, the nearest one last.
  Expected<Labels> labels_of(const OutputDir& dir) {
    Labels labels = request_.labels;
    for (const std::string& path : dir.label_files) {
      BENCHHUD_ASSIGN(const std::string text, read_text_file(path, ingest::kMostLabelBytes));
      auto read = ingest::read_labels(text);
      if (!read) return Error{read.error().code, path + ": " + read.error().message};
      for (auto& [key, value] : *read) labels[key] = std::move(value);
    }
    return labels;
  }

  /// Once for all that came together. Where it fails, the next look tries it again.
  void find_alerts() {
    const auto updated = [&]() -> Expected<service::AlertUpdate> {
      BENCHHUD_ASSIGN(const auto lock, schema::StoreLock::take(request_.db, kWork, patience()));
      BENCHHUD_ASSIGN(auto store, schema::open_store(request_.db));
      return service::update_alerts(store);
    }();
    if (stop_.came() && !updated) return;
    if (!updated) return complain("alerts", updated.error());
    complaints_.erase("alerts");
    changed_ = false;
  }

  const WatchRequest request_;
  ingest::OutputWatch watch_;
  StopSignal stop_;
  std::map<std::string, std::string> complaints_;  // by what they are about
  ino_t store_ = 0;
  bool changed_ = true;  // what was taken in before it was stopped may not have been watched
  int status_ = kDone;
  std::size_t taken_ = 0, unfinished_ = 0, failed_ = 0;
};

}  // namespace

int run_watch(const Arguments& arguments) {
  keep_memory();
  const ParsedCommandLine parsed = parse(watch_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  if (const auto used = use_kernel_rules(parsed.values); !used) return fail(used.error());
  auto request = read_watch_request(parsed.values);
  if (!request) return fail(request.error());
  hold_stop_signals();
  return Watcher(*std::move(request)).run();
}

}  // namespace benchhud::cli
