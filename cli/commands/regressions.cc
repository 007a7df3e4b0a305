// benchhud regressions: what changed and is not dealt with.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/alert_list.h"
#include "cli/output/regressions_text.h"
#include "schema/alerts/alert.h"
#include "schema/base/time.h"
#include "schema/store/store.h"
#include "server/codec/json_text.h"
#include "server/views/alert_json.h"
#include "service/alerts/alert_update.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

struct Request {
  std::string db;
  std::string format;
  std::optional<schema::DetectedState> fail_on;
  std::optional<double> since;
  std::string model, backend, accelerator_model;
  bool all = false;
};

CommandLine command_line() {
  CommandLine command;
  command.usage = "benchhud regressions [option…]";
  command.about =
      "Lists what changed: one alert a cause, with when it began, how much, how sure and what "
      "else\n"
      "changed with it. Improvements are listed too.\n"
      "Exit status 4 with --fail-on: there is an open one that is for the worse.";
  add_store_option(&command.options);
  command.options.add_options()("format", po::value<std::string>()->default_value("text"),
                                "text, json, markdown or junit")(
      "fail-on", po::value<std::string>(), "confirmed, or suspect (and confirmed)")(
      "since", po::value<std::string>(), "only what began on that day (UTC) or later")(
      "model", po::value<std::string>(), "only of that model: MODEL or SUITE/MODEL")(
      "backend", po::value<std::string>(), "only what changed on that backend")(
      "accelerator-model", po::value<std::string>(), "only of that accelerator model")(
      "all", po::bool_switch(), "also what is recovered, withdrawn or decided");
  return command;
}

Expected<Request> read_request(const po::variables_map& values) {
  Request request;
  request.db = store_path(values);
  request.format = values["format"].as<std::string>();
  constexpr std::array kFormats = {"text", "json", "markdown", "junit"};
  if (std::find(kFormats.begin(), kFormats.end(), request.format) == kFormats.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 "--format is text, json, markdown or junit, not " + request.format};
  }
  if (values.contains("fail-on")) {
    const auto& text = values["fail-on"].as<std::string>();
    request.fail_on = schema::detected_state_of(text);
    if (request.fail_on != schema::DetectedState::kConfirmed &&
        request.fail_on != schema::DetectedState::kSuspect) {
      return Error{ErrorCode::kInvalidArgument, "--fail-on is confirmed or suspect, not " + text};
    }
  }
  if (values.contains("since")) {
    const auto& text = values["since"].as<std::string>();
    request.since = schema::parse_time(text);
    if (!request.since) {
      return Error{ErrorCode::kInvalidArgument,
                   "--since is a day or a time like 2025-11-10, not " + text};
    }
  }
  const auto text_of = [&](const char* option) {
    return values.contains(option) ? values[option].as<std::string>() : std::string();
  };
  request.model = text_of("model");
  request.backend = text_of("backend");
  request.accelerator_model = text_of("accelerator-model");
  request.all = values["all"].as<bool>();
  return request;
}

bool fits_member(const Request& request, const Json& member) {
  const Json& experiment = member.at("experiment");
  const auto model = experiment.at("model").get<std::string>();
  const auto suite = experiment.at("suite").get<std::string>();
  if (!request.model.empty() && request.model != model && request.model != suite + "/" + model) {
    return false;
  }
  return request.backend.empty() || experiment.at("backend") == request.backend;
}

bool fits(const Request& request, const schema::Alert& alert, const Json& details) {
  if (!request.all && !server::needs_attention(alert)) return false;
  if (request.since && alert.onset < *request.since) return false;
  if (!request.accelerator_model.empty() && alert.accelerator_model != request.accelerator_model) {
    return false;
  }
  if (request.model.empty() && request.backend.empty()) return true;
  const Json& members = details.at("members");
  return std::any_of(members.begin(), members.end(),
                     [&](const Json& member) { return fits_member(request, member); });
}

// Whether a nightly job should stop because of it: open, for the worse and sure enough.
bool fails(schema::DetectedState fail_on, const schema::Alert& alert, const Json& details) {
  if (alert.triage != schema::TriageState::kOpen || details.at("direction") == "improvement") {
    return false;
  }
  return alert.detected == schema::DetectedState::kConfirmed ||
         (alert.detected == fail_on && fail_on == schema::DetectedState::kSuspect);
}

Expected<std::vector<ListedAlert>> list_alerts(schema::Connection& store, const Request& request) {
  BENCHHUD_ASSIGN(const auto alerts, schema::alerts(store));
  BENCHHUD_ASSIGN(AlertList list, AlertList::open(store));
  std::vector<ListedAlert> listed;
  for (const schema::Alert& alert : alerts) {
    const std::string what = fmt::format("the details of alert {}", to_int(alert.id));
    BENCHHUD_ASSIGN(const Json details, server::parse_json<Json>(what, alert.details));
    BENCHHUD_ASSIGN(const bool is_wanted,
                    server::read_json(what, [&] { return fits(request, alert, details); }));
    if (!is_wanted) continue;
    BENCHHUD_ASSIGN(Json json, list.json(alert));
    BENCHHUD_ASSIGN(const bool fails_now, server::read_json(what, [&] {
                      return request.fail_on && fails(*request.fail_on, alert, details);
                    }));
    listed.push_back({std::move(json), fails_now});
  }
  return listed;
}

Expected<std::string> text_as(const std::string& format, const std::vector<ListedAlert>& listed) {
  if (format == "markdown") return regressions_markdown(listed);
  if (format == "junit") return regressions_junit(listed);
  if (format == "text") return regressions_text(listed);
  Json answer = {{"alerts", Json::array()}};
  for (const ListedAlert& alert : listed) answer["alerts"].push_back(alert.json);
  return answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run_regressions(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto request = read_request(parsed.values);
  if (!request) return fail(request.error());
  auto store = schema::open_store(request->db);
  if (!store) return fail(store.error());
  if (const auto update = server::update_alerts(*store); !update) return fail(update.error());
  const auto listed = list_alerts(*store, *request);
  if (!listed) return fail(listed.error());
  const auto text = text_as(request->format, *listed);
  if (!text) return fail(text.error());
  fmt::print("{}", *text);
  const bool is_failing = std::any_of(listed->begin(), listed->end(),
                                      [](const ListedAlert& alert) { return alert.fails; });
  return is_failing ? kHasRegressions : kDone;
}

}  // namespace benchhud::cli
