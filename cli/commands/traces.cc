// benchhud traces: where the store's traces are kept, and moving them.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/options/commands.h"
#include "cli/options/locked_store.h"
#include "cli/options/options.h"
#include "cli/options/stop_signal.h"
#include "schema/base/count_text.h"
#include "schema/base/file_size.h"
#include "schema/store/free_space.h"
#include "schema/store/store.h"
#include "service/maintenance/trace_moves.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using service::TraceMoveReport;

/// What `--to` says where traces are to come back.
constexpr std::string_view kStore = "store";

CommandLine traces_command_line() {
  CommandLine command;
  command.usage = "benchhud traces [list | move --to PLACE|store] [option…]";
  command.about =
      "  list   where traces are kept, and how much room they take: the default\n"
      "  move   move all traces out of the store into PLACE, or back into the store\n\n"
      "PLACE is a folder that is there, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME. It is "
      "then\n"
      "the store's place: the pages, the API and all commands find traces there, and new ones go\n"
      "there. Given another PLACE, the packs are copied to it first, unless they are there "
      "already;\n"
      "the old ones stay. One trace is moved after the other, so that others use the store\n"
      "meanwhile, and each is either in the store or in its place, whenever this is stopped; the\n"
      "same command goes on. Ctrl-C stops it after the trace that it is at.\n\n"
      "Exit status: 0 done; 1 failed, or some traces could not be moved; 2 the command line makes "
      "no\n"
      "sense; 5 it was stopped, or another process was at work on the store for longer than "
      "--wait.";
  add_store_option(&command.options);
  command.options.add_options()("to", po::value<std::string>()->value_name("PLACE"),
                                "move: where to; `store`: back");
  command.options.add_options()("vacuum", po::bool_switch(),
                                "move: afterwards write the whole store again without the parts "
                                "that have become free, which takes as much room again meanwhile");
  add_wait_option(&command.options);
  add_format_option(&command.options);
  add_words(&command);
  return command;
}

Expected<void> list(const std::string& path, bool as_json) {
  BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(path));
  BENCHHUD_ASSIGN(const trace::TraceCounts counts, trace::count_traces(store));
  BENCHHUD_ASSIGN(const auto place, trace::trace_place(store));
  const std::int64_t inside = counts.all - counts.moved;
  const auto store_bytes = static_cast<std::int64_t>(schema::file_size(path));
  if (as_json) {
    const Json json{{"store", {{"traces", inside}, {"file_bytes", store_bytes}}},
                    {"place", place ? Json(place->address) : Json()},
                    {"takes_new", place && place->takes_new},
                    {"moved", {{"traces", counts.moved}, {"bytes", counts.moved_bytes}}}};
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return {};
  }
  fmt::print("in the store: {} (the whole store has {})\n", schema::count_text(inside, "trace"),
             schema::megabytes_text(store_bytes));
  if (!place) {
    fmt::print("new traces stay in the store; `benchhud traces move --to PLACE` moves them out\n");
    return {};
  }
  fmt::print("in {}: {}, {}\n", printable(place->address),
             schema::count_text(counts.moved, "trace"), schema::megabytes_text(counts.moved_bytes));
  fmt::print("new traces go {}\n", place->takes_new ? "there" : "into the store");
  return {};
}

Expected<TraceMoveReport> move(StoreInTurns& store, const std::string& to) {
  StopSignal stop;
  const service::GoOn go_on = [&](const TraceMoveReport&) { return !stop.came(); };
  if (to == kStore) return service::bring_traces_back(store.connection, store.turns, go_on);
  BENCHHUD_ASSIGN(auto used, service::use_place(store.connection, to, go_on));
  auto moved = service::move_traces_out(store.connection, store.turns, *used.place, go_on);
  if (moved) {
    moved->failed += used.copied.failed;
    std::ranges::move(used.copied.problems, std::back_inserter(moved->problems));
  }
  return moved;
}

int report_move(const TraceMoveReport& report, const std::string& to, bool as_json) {
  if (as_json) {
    const Json json{{"moved", report.moved},
                    {"bytes", report.bytes},
                    {"failed", report.failed},
                    {"problems", report.problems},
                    {"was_stopped", report.was_stopped}};
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{} moved to {}, {}\n", schema::count_text(report.moved, "trace"),
               to == kStore ? "the store" : printable(to), schema::megabytes_text(report.bytes));
  }
  for (const std::string& problem : report.problems) {
    fmt::print(stderr, "benchhud: {}\n", printable(problem));
  }
  if (report.failed > 0) {
    return fail({ErrorCode::kIo, fmt::format("{} could not be moved, for the reasons above",
                                             schema::count_text(report.failed, "trace"))});
  }
  if (!report.was_stopped) return kDone;
  return fail({ErrorCode::kBusy, "stopped; the same command goes on"});
}

}  // namespace

int run_traces(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(traces_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const po::variables_map& values = parsed.values;
  const auto is_json = wants_json(values);
  if (!is_json) return fail(is_json.error());
  const Arguments words = words_of(values);
  const bool moves = words.size() == 1 && words[0] == "move";
  if (!moves && !words.empty() && (words.size() > 1 || words[0] != "list")) {
    return fail({ErrorCode::kInvalidArgument, "`benchhud traces` takes list or move"});
  }
  if (moves != (values.count("to") > 0) || (!moves && values["vacuum"].as<bool>())) {
    return fail({ErrorCode::kInvalidArgument,
                 moves ? "where to? `benchhud traces move --to PLACE`, or `--to store`"
                       : "--to and --vacuum are for `benchhud traces move`"});
  }
  const std::string path = store_path(values);
  if (!moves) {
    const auto listed = list(path, *is_json);
    return listed ? kDone : fail(listed.error());
  }
  hold_stop_signals();
  auto store = open_store_in_turns(values, path, "benchhud traces move");
  if (!store) return fail(store.error());
  const auto& to = values["to"].as<std::string>();
  const auto report = move(*store, to);
  if (!report) return fail(report.error());
  const int status = report_move(*report, to, *is_json);
  if (status != kDone || !values["vacuum"].as<bool>()) return status;
  const auto turn = store->turns.take(store->connection);
  if (!turn) return fail(turn.error());
  const auto given = schema::give_back_space(store->connection, path);
  return given ? kDone : fail(given.error());
}

}  // namespace benchhud::cli
