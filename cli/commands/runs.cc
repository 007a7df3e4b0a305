// benchhud runs: lists runs and changes how they are named, labelled and put together.

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/options/action.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "schema/alerts/night_mark.h"
#include "schema/base/time.h"
#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/results/run_assignment.h"
#include "schema/store/store.h"
#include "service/alerts/alert_update.h"
#include "service/alerts/exclusion_preview.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Reader;
using schema::Run;

constexpr std::string_view kAboutRuns =
    "  list                              runs, newest first\n"
    "  show RUN                          one run: its invocations, files and labels\n"
    "  relabel RUN KEY=VALUE… [-KEY…]    set labels; -KEY removes one\n"
    "  rename RUN NAME                   give a run another name\n"
    "  merge RUN INTO                    make RUN's invocations part of the run INTO\n"
    "  delete RUN --yes                  delete a run; ingesting its files again brings it back\n"
    "  group timestamp | night           put invocations together by their timestamps (as at "
    "first)\n"
    "                                    or by the UTC date of the night; --day-starts HH:MM\n"
    "  mark RUN excluded [REASON…]       its measurements do not count for alerts\n"
    "  mark RUN environment [REASON…]    from it on something else is different (a driver, a "
    "host):\n"
    "                                    levels begin anew and are no change\n"
    "  mark RUN pinned [REASON…]         levels are held against it: a release\n"
    "  unmark RUN KIND                   take a mark away\n"
    "  preview RUN                       which alerts would remain if it were excluded\n"
    "  marks                             all marks\n"
    "  rejected                          lines that could not be taken in, newest first\n"
    "  audit                             what was changed by these commands, newest first\n\n"
    "mark, unmark and preview take RUN..RUN for all runs from the one to the other.\n"
    "RUN is an id, a name, the unique beginning of a name, or `latest`; --accelerator-model tells\n"
    "runs of the same name on different machines apart.";

struct RunsRequest {
  std::vector<std::string> words;  // the action and what it is done to
  std::optional<std::string> accelerator_model;
  std::size_t limit = 0;
  bool as_json = false;
  bool is_sure = false;
  std::string day_starts;

  Expected<std::string> word(std::size_t i, const char* what) const {
    if (i < words.size()) return words[i];
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`benchhud runs {}` needs {}", words[0], what)};
  }
};

Expected<Run> find(Connection& store, const RunsRequest& request, std::size_t word) {
  BENCHHUD_ASSIGN(const std::string text, request.word(word, "a run"));
  return Reader(store).find_run(text, request.accelerator_model);
}

void print(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string labels_text(const Run& run) {
  std::string text;
  for (const auto& [key, value] : run.labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", printable(key), printable(value));
  }
  return text;
}

Json to_json(const Run& run) {
  Json json;
  json["id"] = to_int(run.id);
  json["name"] = run.name;
  json["accelerator_model"] = run.accelerator_model;
  json["started_at"] = schema::format_time(run.started_at);
  json["verified_at"] =
      run.verified_at ? Json(schema::format_time(*run.verified_at)) : Json(nullptr);
  json["result_count"] = run.result_count;
  json["labels"] = run.labels;
  return json;
}

Expected<void> list_runs(Connection& store, const RunsRequest& request) {
  schema::RunFilter filter;
  if (request.accelerator_model) filter.accelerator_models.push_back(*request.accelerator_model);
  filter.limit = request.limit;
  BENCHHUD_ASSIGN(const std::vector<Run> runs, Reader(store).runs(filter));
  if (request.as_json) {
    Json json = Json::array();
    for (const Run& run : runs) json.push_back(to_json(run));
    print(json);
    return {};
  }
  if (runs.empty()) {
    fmt::print("there are no runs yet; `benchhud ingest PATH` takes some in\n");
    return {};
  }
  fmt::print("{:>6}  {:<28}  {:>7}  {:<20}  {}\n", "id", "run", "results", "verified",
             "accelerator model, labels");
  for (const Run& run : runs) {
    fmt::print("{:>6}  {:<28}  {:>7}  {:<20}  {}  {}\n", to_int(run.id), printable(run.name),
               run.result_count,
               run.verified_at ? schema::format_time(*run.verified_at).substr(0, 19) : "-",
               printable(run.accelerator_model), labels_text(run));
  }
  return {};
}

Expected<void> show_run(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const Run run, find(store, request, 1));
  BENCHHUD_ASSIGN(const auto invocations, Reader(store).invocations(run.id));
  if (request.as_json) {
    Json json = to_json(run);
    json["invocations"] = Json::array();
    for (const auto& invocation : invocations) {
      json["invocations"].push_back({{"kind", schema::invocation_kind_name(invocation.kind)},
                                     {"at", schema::format_time(invocation.timestamp)},
                                     {"line_count", invocation.line_count},
                                     {"files", invocation.files}});
    }
    print(json);
    return {};
  }
  fmt::print("{} (id {})\non        {}\nstarted   {}\nresults   {}\nlabels    {}\n",
             printable(run.name), to_int(run.id), printable(run.accelerator_model),
             schema::format_time(run.started_at), run.result_count, labels_text(run));
  for (const auto& invocation : invocations) {
    fmt::print("{:<12}  {}  {} lines", schema::invocation_kind_name(invocation.kind),
               schema::format_time(invocation.timestamp), invocation.line_count);
    for (const std::string& file : invocation.files) fmt::print("  {}", printable(file));
    fmt::print("\n");
  }
  return {};
}

Expected<void> relabel(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const Run run, find(store, request, 1));
  std::map<std::string, std::optional<std::string>> labels;
  for (std::size_t i = 2; i < request.words.size(); ++i) {
    const std::string& word = request.words[i];
    if (word.size() > 1 && word[0] == '-') {
      labels[word.substr(1)] = std::nullopt;
    } else {
      BENCHHUD_ASSIGN(auto label, split_label(word));
      labels[label.first] = label.second;
    }
  }
  if (labels.empty()) return Error{ErrorCode::kInvalidArgument, "relabel with what?"};
  BENCHHUD_TRY(schema::relabel_run(store, run, labels));
  BENCHHUD_ASSIGN(const Run changed, Reader(store).run(run.id));
  fmt::print("{}: {}\n", printable(changed.name), labels_text(changed));
  return {};
}

Expected<void> rename(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const Run run, find(store, request, 1));
  BENCHHUD_ASSIGN(const std::string name, request.word(2, "a new name"));
  BENCHHUD_TRY(schema::rename_run(store, run, name));
  fmt::print("{} is {} now\n", printable(run.name), printable(name));
  return {};
}

Expected<void> merge(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const Run from, find(store, request, 1));
  BENCHHUD_ASSIGN(const Run into, find(store, request, 2));
  BENCHHUD_TRY(schema::merge_runs(store, from, into));
  fmt::print("{} is part of {} now\n", printable(from.name), printable(into.name));
  return {};
}

Expected<void> delete_run(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const Run run, find(store, request, 1));
  if (!request.is_sure) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("this would delete {} on {} with {} results; say --yes to do it",
                             run.name, run.accelerator_model, run.result_count)};
  }
  BENCHHUD_TRY(schema::delete_run(store, run));
  fmt::print("deleted {}\n", printable(run.name));
  return {};
}

Expected<void> group(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const std::string by, request.word(1, "`timestamp` or `night`"));
  schema::RunGrouping grouping;
  if (by == "night") {
    grouping.by = schema::RunGrouping::By::kNight;
    const auto midnight = schema::parse_time("1970-01-01T" + request.day_starts + "Z");
    if (!midnight) return Error{ErrorCode::kInvalidArgument, "--day-starts is a time HH:MM"};
    grouping.day_start = *midnight;
  } else if (by != "timestamp") {
    return Error{ErrorCode::kInvalidArgument, "group runs by `timestamp` or by `night`"};
  }
  BENCHHUD_TRY(schema::regroup_runs(store, grouping));
  BENCHHUD_ASSIGN(const auto info, Reader(store).info());
  fmt::print("{} runs\n", info.run_count);
  return {};
}

Expected<void> list_rejected(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const auto lines, Reader(store).rejected_lines({}, {}, request.limit));
  if (request.as_json) {
    Json json = Json::array();
    for (const auto& line : lines) {
      json.push_back({{"path", line.path},
                      {"line_number", line.line_number},
                      {"byte_offset", line.byte_offset},
                      {"byte_count", line.byte_count},
                      {"reason", line.reason},
                      {"excerpt", line.excerpt},
                      {"ingested_at", schema::format_time(line.ingested_at)}});
    }
    print(json);
    return {};
  }
  for (const auto& line : lines) {
    fmt::print("{}:{}: (byte {}, {} bytes) {}\n    {}\n", printable(line.path), line.line_number,
               line.byte_offset, line.byte_count, printable(line.reason),
               printable(line.excerpt.substr(0, 100)));
  }
  BENCHHUD_ASSIGN(const std::int64_t count, Reader(store).rejected_count({}));
  fmt::print("{} rejected lines\n", count);
  return {};
}

Expected<void> list_audit(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const auto lines, schema::audit(store, request.limit));
  for (const auto& line : lines) {
    fmt::print("{}  {:<8}  {}\n", schema::format_time(line.at), line.action,
               printable(line.detail));
  }
  return {};
}

Expected<schema::NightMarkKind> mark_kind(const RunsRequest& request) {
  const std::string text = request.words.size() > 2 ? request.words[2] : "";
  if (const auto kind = schema::night_mark_kind_of(text)) return *kind;
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("a run is marked as excluded, environment or pinned, not as `{}`", text)};
}

/// RUN, or RUN..RUN for all from the one to the other.
Expected<std::vector<Run>> find_several(Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const std::string text, request.word(1, "a run"));
  Reader reader(store);
  auto one = reader.find_run(text, request.accelerator_model);
  const std::size_t dots = text.find("..");
  if (one || dots == std::string::npos) {
    if (!one) return std::move(one).error();
    return std::vector{*std::move(one)};
  }
  BENCHHUD_ASSIGN(const Run first,
                  reader.find_run(text.substr(0, dots), request.accelerator_model));
  BENCHHUD_ASSIGN(const Run last, reader.find_run(text.substr(dots + 2), first.accelerator_model));
  return service::nights_between(reader, first, last);
}

// What stands behind the kind, as one text.
Expected<void> mark(schema::Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(auto runs, find_several(store, request));
  BENCHHUD_ASSIGN(const auto kind, mark_kind(request));
  // Of several, what was said of one before stays as it was said.
  if (runs.size() > 1) {
    BENCHHUD_ASSIGN(runs, schema::runs_without_mark(store, std::move(runs), kind));
  }
  const Arguments words(request.words.begin() + 3, request.words.end());
  const std::string reason = fmt::format("{}", fmt::join(words, " "));
  return schema::mark_nights(store, runs, {kind, reason, user_name(), {}});
}

Expected<void> unmark(schema::Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const auto runs, find_several(store, request));
  BENCHHUD_ASSIGN(const auto kind, mark_kind(request));
  return schema::unmark_nights(store, runs, kind);
}

Json to_json(const std::optional<schema::Alert>& alert) {
  if (!alert) return {};
  return {{"title", alert->title},
          {"direction", change_direction_name(alert->direction)},
          {"detected", detected_state_name(alert->detected)}};
}

std::string told(const schema::Alert& alert) {
  return fmt::format("{} ({})", printable(alert.title), detected_state_name(alert.detected));
}

std::string outcome_text(const service::ExclusionPreview::Outcome& outcome) {
  if (!outcome.now) return fmt::format("new         {}", told(*outcome.then));
  const std::string alert = fmt::format("#{} {}", to_int(outcome.now->id), told(*outcome.now));
  if (!outcome.then) return "gone        " + alert;
  if (outcome.is_same()) return "remains     " + alert;
  return fmt::format("changes     {}\n            to {}", alert, told(*outcome.then));
}

Expected<void> preview(schema::Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const auto runs, find_several(store, request));
  Reader reader(store);
  BENCHHUD_ASSIGN(const auto found, service::preview_exclusion(reader, runs.front(), runs.back(),
                                                               [] { return false; }));
  if (!request.as_json) {
    for (const auto& outcome : found.outcomes) fmt::print("{}\n", outcome_text(outcome));
    if (found.outcomes.empty()) fmt::print("there are no alerts, and there would be none\n");
    return {};
  }
  Json json{{"nights", Json::array()}, {"alerts", Json::array()}};
  for (const auto& night : found.nights) {
    json["nights"].push_back({{"run", night.run.name}, {"is_excluded", night.is_excluded}});
  }
  for (const auto& outcome : found.outcomes) {
    json["alerts"].push_back({{"id", outcome.now ? Json(to_int(outcome.now->id)) : Json()},
                              {"now", to_json(outcome.now)},
                              {"then", to_json(outcome.then)}});
  }
  print(json);
  return {};
}

Expected<void> list_marks(schema::Connection& store, const RunsRequest& request) {
  BENCHHUD_ASSIGN(const auto marks, schema::night_marks(store));
  Json list = Json::array();
  for (const schema::NightMark& mark : marks) {
    list.push_back({{"run", mark.name},
                    {"accelerator_model", mark.accelerator_model},
                    {"kind", night_mark_kind_name(mark.kind)},
                    {"reason", mark.reason},
                    {"who", mark.who},
                    {"token", mark.token ? Json(*mark.token) : Json()},
                    {"at", schema::format_time(mark.at)}});
    if (request.as_json) continue;
    fmt::print("{}  {}  {}  {}{}{}{}\n", printable(mark.name), printable(mark.accelerator_model),
               night_mark_kind_name(mark.kind), printable(mark.reason),
               mark.who.empty() ? "" : ", by ", printable(mark.who),
               mark.token ? fmt::format(" (token {})", printable(*mark.token)) : "");
  }
  if (request.as_json) {
    fmt::print("{}\n", list.dump(2, ' ', false, Json::error_handler_t::replace));
  }
  return {};
}

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

constexpr std::array kRunActions = {
    Action<RunsRequest>{"list", false, 0, list_runs},
    Action<RunsRequest>{"show", false, 1, show_run},
    Action<RunsRequest>{"relabel", true, kAnyNumber, relabel},
    Action<RunsRequest>{"rename", true, 2, rename},
    Action<RunsRequest>{"merge", true, 2, merge},
    Action<RunsRequest>{"delete", true, 1, delete_run},
    Action<RunsRequest>{"group", true, 1, group},
    Action<RunsRequest>{"mark", true, kAnyNumber, mark},
    Action<RunsRequest>{"unmark", true, 2, unmark},
    Action<RunsRequest>{"preview", false, 1, preview},
    Action<RunsRequest>{"marks", false, 0, list_marks},
    Action<RunsRequest>{"rejected", false, 0, list_rejected},
    Action<RunsRequest>{"audit", false, 0, list_audit},
};

// Alerts follow from runs.
Expected<void> update_alerts(Connection& store) {
  BENCHHUD_TRY(service::update_alerts(store));
  return {};
}

CommandLine runs_command_line() {
  CommandLine command;
  command.usage = "benchhud runs [ACTION [ARGUMENT…]] [option…]";
  command.about = kAboutRuns;
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("accelerator-model", po::value<std::string>()->value_name("TEXT"), "of the runs meant");
  add("limit", count_value("--limit", 1000), "of a list");
  add_format_option(&command.options);
  add("day-starts", po::value<std::string>()->value_name("HH:MM")->default_value("00:00"),
      "group night: when a night's date begins, UTC");
  add("yes", "delete: really");
  add_words(&command);
  return command;
}

// `-KEY` of relabel is an argument, not an option: it is hidden from the options' parser.
Arguments take_removals(const Arguments& arguments, std::vector<std::string>* removals) {
  Arguments rest;
  const bool is_relabel = !arguments.empty() && arguments[0] == "relabel";
  for (const std::string& argument : arguments) {
    const bool is_removal = is_relabel && argument.size() > 1 && argument[0] == '-' &&
                            argument[1] != '-' && argument != "-h";
    (is_removal ? *removals : rest).push_back(argument);
  }
  return rest;
}

}  // namespace

int run_runs(const Arguments& arguments) {
  std::vector<std::string> removals;
  const ParsedCommandLine parsed = parse(runs_command_line(), take_removals(arguments, &removals));
  if (parsed.exit_status) return *parsed.exit_status;
  const po::variables_map& values = parsed.values;
  RunsRequest request;
  request.words = words_of(values);
  if (request.words.empty()) request.words = {"list"};
  request.words.insert(request.words.end(), removals.begin(), removals.end());
  if (values.count("accelerator-model")) {
    request.accelerator_model = values["accelerator-model"].as<std::string>();
  }
  request.limit = static_cast<std::size_t>(values["limit"].as<std::int64_t>());
  const Expected<bool> as_json = wants_json(values);
  if (!as_json) return fail(as_json.error());
  request.as_json = *as_json;
  request.is_sure = values.count("yes") > 0;
  request.day_starts = values["day-starts"].as<std::string>();

  const auto action = find_action<RunsRequest>("runs", kRunActions, request.words);
  if (!action) return fail(action.error());
  if (const auto fits = check_arguments("runs", **action, request.words); !fits) {
    return fail(fits.error());
  }
  const auto done = perform(**action, request, store_path(values), update_alerts);
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
