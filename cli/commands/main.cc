// benchhud: what the program's name alone, --help and --version do, and which command is run.

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include "cli/options/commands.h"
#include "cli/serving/serving.h"
#include "schema/base/caught_error.h"

namespace benchhud::cli {
namespace {

struct Command {
  std::string_view name;
  int (*run)(const Arguments&);
  std::string_view summary;
};

constexpr std::array kCommands = {
    Command{"ingest", run_ingest, "take results files and dumps into the store"},
    Command{"watch", run_watch, "take in every output directory as soon as it is finished"},
    Command{"runs", run_runs, "list, show, relabel, rename, merge, delete and group runs"},
    Command{"links", run_links,
            "make labels of runs links: commits, branches, what is between two"},
    Command{"artifacts", run_artifacts, "list the dumps of a run or a result, print one"},
    Command{"regressions", run_regressions, "list what changed, since when, how sure and why"},
    Command{"alerts", run_alerts, "show an alert, say what becomes of it, mark nights"},
    Command{"notify", run_notify, "tell webhooks of alerts, write them to a Markdown file"},
    Command{"bisect-check", run_bisect_check,
            "judge fresh results by an alert, for git bisect run"},
    Command{"expect", run_expect, "say what should be in every run"},
    Command{"report", run_report, "print upstream's report, of files or of the store"},
    Command{"export", run_export, "write a row for each line, as CSV or JSONL"},
    Command{"summary", run_summary, "print a run as Markdown: pass rates, speedups, what changed"},
    Command{"trace", run_trace, "say what a trace file holds, or show it"},
    Command{"pack", run_pack, "make packs of traces, to be taken in elsewhere"},
    Command{"traces", run_traces, "say where traces are kept, move them out of the store and back"},
    Command{"profile", run_profile, "say what differs between two profiles, traces or backends"},
    Command{"detect", run_detect, "find where series of numbers changed, anybody's"},
    Command{"rebuild", run_rebuild, "derive runs and results again from the facts"},
    Command{"prune", run_prune, "take what is old out of the store, for good"},
    Command{"backup", run_backup, "copy the store while it is in use"},
    Command{"restore", run_restore, "make the store of a copy"},
    Command{"doctor", run_doctor, "say whether the store is in order and up to date"},
    Command{"tokens", run_tokens, "make, list and withdraw tokens: who may do what over HTTP"},
    Command{"serve", run_serve, "serve the pages and the REST API"},
};

void print_usage(std::FILE* out) {
  fmt::print(
      out,
      "benchhud {}: nightly benchmark results of PyTorch compiler backends, stored, judged and "
      "shown\n\nusage: benchhud COMMAND [ARGUMENT…]\n\n",
      BENCHHUD_VERSION);
  for (const Command& command : kCommands) {
    fmt::print(out, "  {:<12} {}\n", command.name, command.summary);
  }
  fmt::print(out, "\n`benchhud COMMAND --help` tells what a command takes.\n");
}

int run(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "help" || arguments[0] == "--help" ||
      arguments[0] == "-h") {
    print_usage(stdout);
    return kDone;
  }
  if (arguments[0] == "--version") {
    fmt::print("benchhud {}\n", BENCHHUD_VERSION);
    return kDone;
  }
  if (arguments[0] == kQueryWorkerCommand) return answer_query();
  for (const Command& command : kCommands) {
    if (command.name == arguments[0]) {
      return command.run(Arguments(arguments.begin() + 1, arguments.end()));
    }
  }
  fmt::print(stderr, "benchhud: there is no command {}\n\n", arguments[0]);
  print_usage(stderr);
  return kUsage;
}

}  // namespace
}  // namespace benchhud::cli

int main(int argc, char** argv) {
  using benchhud::cli::kDone, benchhud::cli::kFailed, benchhud::cli::kInternalError;
  // A reader that goes away (`benchhud report | head`) ends the program quietly, as with other
  // tools.
  std::signal(SIGPIPE, SIG_DFL);
  int status = kDone;
  try {
    status = benchhud::cli::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    // fmt throws where standard output cannot be written, and anything may where memory runs out.
    // Everything else is caught where it arises: this is a net for where that was forgotten.
    if (std::ferror(stdout) == 0) {
      if (benchhud::schema::caught_error().code == benchhud::schema::ErrorCode::kNoMemory) {
        std::fprintf(stderr, "benchhud: %s\n", benchhud::schema::kNoMemory);
        return kFailed;
      }
      std::fprintf(stderr, "benchhud: internal error: %s\n", error.what());
      return kInternalError;
    }
  }
  const bool is_flushed = std::fflush(stdout) == 0;
  if (!is_flushed || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "benchhud: standard output cannot be written%s%s\n",
                 is_flushed ? "" : ": ", is_flushed ? "" : std::strerror(errno));
    if (status == kDone) status = kFailed;
  }
  return status;
}
