// benchhud regressions: what changed and is not dealt with.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analysis/text/quantity_text.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/alert_list.h"
#include "cli/output/regressions_text.h"
#include "schema/alerts/alert.h"
#include "schema/alerts/alert_list.h"
#include "schema/base/time.h"
#include "schema/store/store.h"
#include "service/alerts/alert_update.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

struct RegressionsRequest {
  std::string db;
  std::string format;
  std::optional<schema::DetectedState> fail_on;
  std::optional<double> since;
  std::string model, backend, accelerator_model;
  bool all = false;
  bool orphaned = false;
};

CommandLine regressions_command_line() {
  CommandLine command;
  command.usage = "benchhud regressions [option…]";
  command.about =
      "Lists what changed: one alert a cause, with when it began, how much, how sure and what "
      "else\n"
      "changed with it. Improvements are listed too.\n"
      "Exit status 4 with --fail-on: there is an open one that is for the worse. What is muted "
      "does "
      "not\n"
      "count, and is only counted in what is printed.";
  add_store_option(&command.options);
  command.options.add_options()("format", po::value<std::string>()->default_value("text"),
                                "text, json, markdown or junit")(
      "fail-on", po::value<std::string>(), "confirmed, or suspect (and confirmed)")(
      "since", po::value<std::string>(), "only what began on that day (UTC) or later")(
      "model", po::value<std::string>(), "only of that model: MODEL or SUITE/MODEL")(
      "backend", po::value<std::string>(), "only what changed on that backend")(
      "accelerator-model", po::value<std::string>(), "only of that accelerator model")(
      "all", po::bool_switch(), "also what is recovered, withdrawn, decided or muted")(
      "orphaned", po::bool_switch(),
      "only what people acted on, is not found any more and is not decided");
  return command;
}

Expected<RegressionsRequest> read_regressions_request(const po::variables_map& values) {
  RegressionsRequest request;
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
  request.orphaned = values["orphaned"].as<bool>();
  return request;
}

bool fits_member(const RegressionsRequest& request, const schema::AlertMember& member) {
  const schema::Experiment& experiment = member.experiment;
  const bool fits_model = request.model.empty() || request.model == experiment.model ||
                          request.model == experiment.suite + "/" + experiment.model;
  return fits_model && (request.backend.empty() || member.backend == request.backend);
}

bool fits(const RegressionsRequest& request, const std::vector<schema::AlertMember>& members) {
  if (request.model.empty() && request.backend.empty()) return true;
  return std::any_of(members.begin(), members.end(),
                     [&](const auto& member) { return fits_member(request, member); });
}

// Whether a nightly job should stop because of it: open, for the worse and sure enough.
bool fails(schema::DetectedState fail_on, const schema::Alert& alert) {
  if (alert.triage != schema::TriageState::kOpen || alert.urgency == schema::Urgency::kMuted ||
      alert.direction == schema::ChangeDirection::kImprovement) {
    return false;
  }
  return alert.detected == schema::DetectedState::kConfirmed ||
         (alert.detected == fail_on && fail_on == schema::DetectedState::kSuspect);
}

schema::AlertFilter orphaned_filter() {
  schema::AlertFilter filter;
  filter.states.emplace_back("orphaned");
  return filter;
}

schema::AlertFilter filter_of(const RegressionsRequest& request) {
  schema::AlertFilter filter;
  if (request.orphaned) {
    filter = orphaned_filter();
  } else if (!request.all) {
    const auto attention = schema::attention_states();
    filter.states.assign(attention.begin(), attention.end());
    filter.states.emplace_back("muted");  // to be counted
  }
  filter.now = schema::now();
  if (request.since) filter.since = *request.since;
  if (!request.accelerator_model.empty()) filter.accelerator_models = {request.accelerator_model};
  return filter;
}

// Said to people, who may not know of them; programs ask with --orphaned.
Expected<std::string> orphans_text(schema::Connection& store, const RegressionsRequest& request) {
  if (request.orphaned || request.format != "text") return std::string();
  BENCHHUD_ASSIGN(const auto orphaned, schema::alerts(store, orphaned_filter()));
  if (orphaned.empty()) return std::string();
  return fmt::format(
      "{} that people acted on and that {} not found any more: "
      "benchhud regressions --orphaned\n",
      analysis::count_text(static_cast<std::int64_t>(orphaned.size()), "alert"),
      orphaned.size() == 1 ? "is" : "are");
}

struct Listing {
  std::vector<ListedAlert> alerts;
  std::size_t muted = 0;  ///< how many are muted, whether or not they are listed
};

Expected<Listing> list_alerts(AlertList& list, schema::Connection& store,
                              const RegressionsRequest& request) {
  BENCHHUD_ASSIGN(auto alerts, schema::alerts(store, filter_of(request)));
  std::ranges::sort(alerts, schema::is_more_urgent);
  Listing listing;
  for (schema::Alert& alert : alerts) {
    BENCHHUD_ASSIGN(auto details, schema::alert_details(store, alert.id));
    if (!fits(request, details.members)) continue;
    const bool is_muted = alert.urgency == schema::Urgency::kMuted;
    if (is_muted) ++listing.muted;
    if (is_muted && !request.all) continue;
    BENCHHUD_ASSIGN(ListedAlert listed, list.listed(std::move(alert), std::move(details)));
    listed.fails = request.fail_on && fails(*request.fail_on, listed.alert);
    listing.alerts.push_back(std::move(listed));
  }
  return listing;
}

// Laid out for people as well as for programs.
Expected<std::string> json_of(AlertList& list, const Listing& listing) {
  std::string text;
  schema::JsonWriter json(&text, schema::JsonWriter::Layout::kIndented);
  json.begin_object();
  json.key("alerts");
  json.begin_array();
  for (const ListedAlert& alert : listing.alerts) BENCHHUD_TRY(list.write(json, alert));
  json.end_array();
  json.field("muted_count", listing.muted);
  json.end_object();
  return text + "\n";
}

Expected<std::string> text_as(const std::string& format, AlertList& list, const Listing& listing) {
  if (format == "markdown") return regressions_markdown(listing.alerts, listing.muted);
  if (format == "junit") return regressions_junit(listing.alerts, listing.muted);
  if (format == "text") return regressions_text(listing.alerts, listing.muted);
  return json_of(list, listing);
}

}  // namespace

int run_regressions(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(regressions_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto request = read_regressions_request(parsed.values);
  if (!request) return fail(request.error());
  auto store = schema::open_store(request->db);
  if (!store) return fail(store.error());
  if (const auto update = service::update_alerts(*store); !update) return fail(update.error());
  auto list = AlertList::open(*store);
  if (!list) return fail(list.error());
  const auto listing = list_alerts(*list, *store, *request);
  if (!listing) return fail(listing.error());
  const auto text = text_as(request->format, *list, *listing);
  if (!text) return fail(text.error());
  const auto orphans = orphans_text(*store, *request);
  if (!orphans) return fail(orphans.error());
  fmt::print("{}{}", *text, *orphans);
  const bool is_failing = std::any_of(listing->alerts.begin(), listing->alerts.end(),
                                      [](const ListedAlert& alert) { return alert.fails; });
  return is_failing ? kHasRegressions : kDone;
}

}  // namespace benchhud::cli
