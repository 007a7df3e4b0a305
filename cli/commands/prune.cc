// benchhud prune: takes what is old out of the store, for good.

#include "service/maintenance/prune.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/commands.h"
#include "cli/options/locked_store.h"
#include "cli/options/options.h"
#include "schema/base/count_text.h"
#include "schema/base/time.h"
#include "schema/store/free_space.h"
#include "schema/store/space_reserve.h"
#include "schema/store/store_lock.h"
#include "service/alerts/alert_update.h"
#include "service/maintenance/trace_moves.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using schema::ArtifactKind;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using service::PruneReport;
using service::PruneRequest;

constexpr std::array kAllKinds = {ArtifactKind::kTrace,
                                  ArtifactKind::kOperatorTable,
                                  ArtifactKind::kDynamoCounters,
                                  ArtifactKind::kXlaMetrics,
                                  ArtifactKind::kIr,
                                  ArtifactKind::kCompileTimes,
                                  ArtifactKind::kXplane,
                                  ArtifactKind::kTorchTrace};
constexpr double kDay = 24 * 3600.0;  // s

CommandLine prune_command_line() {
  CommandLine command;
  command.usage =
      "benchhud prune WHAT… (--older-than DAYS | --before TIME) [option…] | benchhud prune "
      "--forget | benchhud prune --orphans";
  command.about =
      "Takes what is old out of the store, and remembers that it was there: ingesting the same\n"
      "files again does not bring it back. WHAT is one or more of\n\n"
      "  dumps       the content of all dumps, or of one kind: trace, operator_table,\n"
      "              dynamo_counters, xla_metrics, ir, compile_times, xplane, torch_trace\n"
      "  rejected    lines that could not be taken in\n"
      "  runs        runs with all their results, and the dumps that belong to them alone\n\n"
      "A dump is as old as the newest result that it belongs to, a run as old as its night, a\n"
      "rejected line as its ingest. What people or alerts refer to stays, and is listed: dumps "
      "with\n"
      "notes, the two nights between which an open alert began with their dumps, runs from 60\n"
      "nights before the first open alert of an accelerator model on, and pinned runs. Alerts "
      "whose\n"
      "nights go are found no more; one that somebody acted on stays as withdrawn.\n\n"
      "The space is used for what comes next; --vacuum gives it back to the disk. A server that\n"
      "shows the store goes on and shows what is left. Exit status: 0 done; 1 failed, the store "
      "as\n"
      "before; 2 the command line makes no sense; 5 another process was at work on the store for\n"
      "longer than --wait.";
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("older-than", po::value<std::int64_t>()->value_name("DAYS"),
      "what is older than so many days");
  add("before", po::value<std::string>()->value_name("TIME"),
      "what is of before a time, such as 2025-01-01T00:00:00Z or 2025-01-01");
  add("dry-run", po::bool_switch(),
      "list what would go and how much room it takes; change nothing");
  add("with-referred", po::bool_switch(), "also what people or alerts refer to; it is listed");
  add("vacuum", po::bool_switch(),
      "write the whole store again without free parts, which takes as much room again meanwhile");
  add("orphans", po::bool_switch(),
      "only this: remove packs from the store's place that no trace is in any more since a day, "
      "or that nothing is known of, 30 days after a prune first saw them; every prune does so");
  add("forget", po::bool_switch(),
      "forget what was ever pruned: ingesting its files brings it back");
  add_wait_option(&command.options);
  add_format_option(&command.options);
  add_words(&command);
  return command;
}

Expected<double> time_before(const po::variables_map& values, double now) {
  if (values.count("older-than") + values.count("before") != 1) {
    return Error{ErrorCode::kInvalidArgument, "how old? Give --older-than DAYS or --before TIME"};
  }
  if (values.count("older-than")) {
    const std::int64_t days = values["older-than"].as<std::int64_t>();
    constexpr std::int64_t kMostDays = 100'000;
    if (days >= 1 && days <= kMostDays) return now - static_cast<double>(days) * kDay;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--older-than is a number of days, 1 to {}", kMostDays)};
  }
  const auto time = schema::parse_time(values["before"].as<std::string>());
  if (time) return *time;
  return Error{ErrorCode::kInvalidArgument,
               "--before is a time such as 2025-01-01T00:00:00Z or a day such as 2025-01-01"};
}

Expected<PruneRequest> read_prune_request(const po::variables_map& values) {
  PruneRequest request;
  for (const std::string& word : words_of(values)) {
    const auto kind = schema::artifact_kind_of(word);
    if (word == "dumps") {
      request.dumps.insert(kAllKinds.begin(), kAllKinds.end());
    } else if (word == "rejected") {
      request.rejected_lines = true;
    } else if (word == "runs") {
      request.runs = true;
    } else if (kind) {
      request.dumps.insert(*kind);
    } else {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("there is no kind of things called {}; `benchhud prune --help` "
                               "tells what there is",
                               word)};
    }
  }
  request.now = schema::now();
  BENCHHUD_ASSIGN(request.before, time_before(values, request.now));
  request.with_referred = values["with-referred"].as<bool>();
  request.is_rehearsal = values["dry-run"].as<bool>();
  return request;
}

void print_items(std::string_view title, const std::vector<PruneReport::Item>& items) {
  if (items.empty()) return;
  fmt::print("{}\n", title);
  for (const PruneReport::Item& item : items) {
    fmt::print("  {}  {}{}\n", schema::format_time(item.at).substr(0, 10), printable(item.words),
               item.referred.empty() ? "" : ": " + printable(item.referred));
  }
}

std::vector<PruneReport::Item> referred_to(const PruneReport& report) {
  std::vector<PruneReport::Item> items;
  for (const auto* list : {&report.dumps, &report.runs}) {
    for (const PruneReport::Item& item : *list) {
      if (!item.referred.empty()) items.push_back(item);
    }
  }
  return items;
}

void print_text(const PruneReport& report, const PruneRequest& request) {
  const std::string_view goes = request.is_rehearsal ? "would go" : "gone";
  if (request.is_rehearsal) {
    print_items("dumps:", report.dumps);
    print_items("runs:", report.runs);
  } else {
    print_items("gone, although referred to:", referred_to(report));
  }
  print_items("kept, because referred to (--with-referred takes them as well):", report.kept);
  fmt::print("{}: {} dumps ({} of files), {} runs with {} lines, {} rejected lines\n", goes,
             report.dumps.size(), schema::megabytes_text(report.dump_bytes), report.runs.size(),
             report.lines, report.rejected_lines);
  fmt::print("{} {} of the store's file ({} bytes)\n",
             request.is_rehearsal ? "it would free" : "freed",
             schema::megabytes_text(report.freed_bytes), report.freed_bytes);
}

Json to_json(const std::vector<PruneReport::Item>& items) {
  Json all = Json::array();
  for (const PruneReport::Item& item : items) {
    all.push_back({{"what", item.words},
                   {"at", schema::format_time(item.at)},
                   {"referred", item.referred.empty() ? Json() : Json(item.referred)}});
  }
  return all;
}

/// `orphans`: null where the store has no place, or it was not looked at.
void print_json(const PruneReport& report, const PruneRequest& request, const Json& orphans) {
  const Json json{{"dry_run", request.is_rehearsal}, {"dumps", to_json(report.dumps)},
                  {"dump_bytes", report.dump_bytes}, {"runs", to_json(report.runs)},
                  {"lines", report.lines},           {"rejected_lines", report.rejected_lines},
                  {"kept", to_json(report.kept)},    {"freed_bytes", report.freed_bytes},
                  {"free_bytes", report.free_bytes}, {"packs_of_no_trace", orphans}};
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

/// Removes packs from the store's place, if it has one, that no trace is in any more.
Expected<std::optional<service::OrphanReport>> remove_orphans(schema::Connection& store,
                                                              bool is_rehearsal) {
  std::optional<service::OrphanReport> report;
  BENCHHUD_ASSIGN(const auto known, trace::trace_place(store));
  if (!known) return report;
  BENCHHUD_ASSIGN(const auto place, trace::open_trace_place(*known));
  BENCHHUD_ASSIGN(report, service::remove_orphans(store, *place, schema::now(), is_rehearsal));
  return report;
}

std::string orphans_text(const service::OrphanReport& orphans, bool is_rehearsal) {
  return fmt::format("packs of no trace: {} {} ({}), {} ({}) stay for now",
                     is_rehearsal ? "would remove" : "removed", orphans.removed,
                     schema::megabytes_text(orphans.bytes), orphans.young,
                     schema::megabytes_text(orphans.young_bytes));
}

Json to_json(const service::OrphanReport& orphans) {
  return {{"removed", orphans.removed},
          {"bytes", orphans.bytes},
          {"young", orphans.young},
          {"young_bytes", orphans.young_bytes}};
}

int prune_orphans(schema::Connection& store, bool is_rehearsal, bool as_json) {
  const auto done = remove_orphans(store, is_rehearsal);
  if (!done) return fail(done.error());
  if (!*done) {
    return fail(
        {ErrorCode::kInvalidArgument, "the store has no place for its traces (`benchhud traces`)"});
  }
  const service::OrphanReport& orphans = **done;
  if (as_json) {
    Json json{{"dry_run", is_rehearsal}};
    json.update(to_json(orphans));
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}\n", orphans_text(orphans, is_rehearsal));
  }
  return kDone;
}

/// --forget and --orphans say all that is to be done: what goes with neither is not passed over,
/// and least of all --dry-run.
Expected<void> check_stands_alone(const po::variables_map& values, bool forgets) {
  const char* const option = forgets ? "forget" : "orphans";
  std::vector<const char*> others = {"older-than", "before", "with-referred", "vacuum"};
  if (forgets) others.insert(others.end(), {"dry-run", "orphans"});
  for (const char* const other : others) {
    const po::variable_value& value = values[other];
    if (value.empty() || value.defaulted()) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--{} does not go with --{}", other, option)};
  }
  if (words_of(values).empty()) return {};
  return Error{ErrorCode::kInvalidArgument, forgets ? "--forget is about all that was pruned"
                                                    : "--orphans is about packs of no trace alone"};
}

int forget(schema::Connection& store) {
  const auto count = service::forget_pruned(store);
  if (!count) return fail(count.error());
  fmt::print("{} things that were pruned may be taken in again\n", *count);
  return kDone;
}

}  // namespace

int run_prune(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(prune_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const po::variables_map& values = parsed.values;
  const auto is_json = wants_json(values);
  if (!is_json) return fail(is_json.error());
  const bool forgets = values["forget"].as<bool>();
  const bool is_of_orphans = values["orphans"].as<bool>();
  const bool stands_alone = forgets || is_of_orphans;
  if (stands_alone) {
    if (const auto checked = check_stands_alone(values, forgets); !checked) {
      return fail(checked.error());
    }
  }
  auto request = stands_alone ? Expected<PruneRequest>(PruneRequest()) : read_prune_request(values);
  if (!request) return fail(request.error());
  if (!stands_alone && words_of(values).empty()) {
    return fail({ErrorCode::kInvalidArgument, "prune what? dumps, rejected or runs"});
  }
  const std::string path = store_path(values);
  const bool is_disk_full = schema::use_space_reserve(path);
  auto locked = open_locked_store(values, path, "benchhud prune");
  if (!locked) return fail(locked.error());
  schema::Connection& store = locked->connection;
  if (forgets) return forget(store);
  // While the place is asked, which may take minutes, others work on the store.
  std::optional<schema::StoreLock> turn(std::move(locked->lock));
  if (is_of_orphans) {
    turn.reset();
    return prune_orphans(store, values["dry-run"].as<bool>(), *is_json);
  }

  request->saves_room = is_disk_full;
  const auto report = service::prune(store, *request);
  if (!report && report.error().code == ErrorCode::kFull) {
    return fail(
        {ErrorCode::kFull, report.error().message +
                               "; what is deleted goes through the store's log first: prune "
                               "less at once, or make some room on the disk"});
  }
  if (!report) return fail(report.error());
  if (!*is_json) print_text(*report, *request);
  if (request->is_rehearsal) {
    if (*is_json) print_json(*report, *request, Json());
    return kDone;
  }
  const auto update = service::update_alerts(store);
  Expected<void> given;
  if (update && values["vacuum"].as<bool>()) given = schema::give_back_space(store, path);
  // A place that cannot be reached keeps nothing else from being done, and nobody waits for it.
  turn.reset();
  const auto orphans = remove_orphans(store, false);
  const bool has_orphans = orphans && *orphans;
  if (*is_json) print_json(*report, *request, has_orphans ? to_json(**orphans) : Json());
  if (has_orphans && !*is_json) fmt::print("{}\n", orphans_text(**orphans, false));
  if (!update) {
    return fail({update.error().code,
                 "it is pruned, but alerts could not be found again: " + update.error().message});
  }
  if (!given) return fail(given.error());
  if (!orphans) {
    return fail({orphans.error().code,
                 "it is pruned, but packs of no trace could not be removed "
                 "from the store's place: " +
                     orphans.error().message});
  }
  return kDone;
}

}  // namespace benchhud::cli
