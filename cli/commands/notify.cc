// benchhud notify: tells of alerts who does not look.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/options/text_file.h"
#include "cli/output/alert_list.h"
#include "cli/output/regressions_text.h"
#include "cli/output/replaced_file.h"
#include "cli/output/webhook.h"
#include "schema/alerts/alert.h"
#include "schema/alerts/notification.h"
#include "schema/base/json_writer.h"
#include "schema/base/time.h"
#include "schema/store/store.h"
#include "service/alerts/alert_update.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

// Longer than all attempts of one delivery take.
constexpr double kHold = 300;  // s

struct NotifyRequest {
  std::string db;
  std::vector<std::string> webhooks;
  std::string secret;
  std::string markdown;
  double max_age = 0;  // s
  std::int64_t attempts = 1;
};

CommandLine notify_command_line() {
  CommandLine command;
  command.usage = "benchhud notify [--webhook URL]… [--markdown FILE] [option…]";
  command.about =
      "Posts each alert that was confirmed lately, and each that is over again, to the webhooks: "
      "once\n"
      "each. Run it after every ingest. Exit status 1 where something could not be delivered: the "
      "next\n"
      "time tries it again. Nobody is told of suspects, nor of what is muted.";
  add_store_option(&command.options);
  command.options.add_options()("webhook", po::value<std::vector<std::string>>()->composing(),
                                "an http:// or https:// address; may be given several times")(
      "secret-file", po::value<std::string>(),
      "signs what is posted with what this file holds (Standard Webhooks: webhook-signature)")(
      "markdown", po::value<std::string>(), "writes what needs attention into this file as well")(
      "max-age", count_value("--max-age", 72), "hours, after which an alert is no news any more")(
      "attempts", count_value("--attempts", 4), "at most, with a second, two, four… between them");
  return command;
}

Expected<std::string> read_secret(const std::string& path) {
  constexpr std::size_t kMost = 64 << 10;
  BENCHHUD_ASSIGN(std::string text, read_text_file(path, kMost));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) return Error{ErrorCode::kIo, path + " holds no secret"};
  return text;
}

Expected<NotifyRequest> read_notify_request(const po::variables_map& values) {
  NotifyRequest request;
  request.db = store_path(values);
  if (values.contains("webhook")) {
    request.webhooks = values["webhook"].as<std::vector<std::string>>();
  }
  if (values.contains("secret-file")) {
    BENCHHUD_ASSIGN(request.secret, read_secret(values["secret-file"].as<std::string>()));
  }
  if (values.contains("markdown")) request.markdown = values["markdown"].as<std::string>();
  if (request.webhooks.empty() && request.markdown.empty()) {
    return Error{ErrorCode::kInvalidArgument, "whom to tell? Give a --webhook or --markdown FILE"};
  }
  request.max_age = 3600.0 * static_cast<double>(values["max-age"].as<std::int64_t>());
  request.attempts = values["attempts"].as<std::int64_t>();
  return request;
}

Expected<void> write_file(const std::string& path, const std::string& text) {
  return replace_file(path, [&](std::FILE* file) -> Expected<void> {
    if (std::fwrite(text.data(), 1, text.size(), file) == text.size()) return {};
    return cannot_write(path);
  });
}

Expected<WebhookMessage> message_of(schema::Connection& store, AlertList& alerts,
                                    const schema::Notification& notification) {
  BENCHHUD_ASSIGN(schema::Alert alert, alerts.find(notification.alert));
  BENCHHUD_ASSIGN(auto details, schema::alert_details(store, alert.id));
  BENCHHUD_ASSIGN(const ListedAlert listed, alerts.listed(std::move(alert), std::move(details)));
  std::string body;
  schema::JsonWriter json(&body);
  json.begin_object();
  json.field("type", fmt::format("alert.{}", notification_event_name(notification.event)));
  json.field("timestamp", schema::format_time(notification.made_at));
  json.key("data");
  BENCHHUD_TRY(alerts.write(json, listed));
  json.end_object();
  return WebhookMessage{fmt::format("benchhud-{}", notification.id), std::move(body)};
}

Expected<void> deliver(const NotifyRequest& request, const std::string& url,
                       const WebhookMessage& message) {
  for (std::int64_t attempt = 1;; ++attempt) {
    const auto done = post_webhook(url, request.secret, message, std::llround(schema::now()));
    if (done || attempt >= request.attempts || done.error().code == ErrorCode::kInvalidArgument) {
      return done;
    }
    std::this_thread::sleep_for(std::chrono::seconds(1) * (std::int64_t{1} << (attempt - 1)));
  }
}

// Returns how many could not be delivered.
Expected<int> tell(schema::Connection& store, const NotifyRequest& request, const std::string& url,
                   AlertList& alerts) {
  const double since = schema::now() - request.max_age;
  BENCHHUD_ASSIGN(const auto notifications, schema::undelivered(store, url, since, schema::now()));
  int failed = 0, told = 0;
  for (const schema::Notification& notification : notifications) {
    BENCHHUD_ASSIGN(const bool is_ours, schema::claim_delivery(store, notification.id, url, kHold));
    if (!is_ours) continue;
    BENCHHUD_ASSIGN(const auto message, message_of(store, alerts, notification));
    const auto done = deliver(request, url, message);
    BENCHHUD_TRY(schema::finish_delivery(store, notification.id, url,
                                         done ? std::string() : done.error().message));
    if (done) {
      ++told;
    } else {
      ++failed;
      fail(done.error());
    }
  }
  fmt::print("{}: {} delivered, {} not\n", printable(url), told, failed);
  return failed;
}

Expected<int> notify(const NotifyRequest& request) {
  BENCHHUD_ASSIGN(auto store, schema::open_store(request.db));
  BENCHHUD_TRY(service::update_alerts(store));
  BENCHHUD_ASSIGN(auto alerts, AlertList::open(store));
  if (!request.markdown.empty()) {
    BENCHHUD_ASSIGN(const auto listed, alerts.needing_attention());
    BENCHHUD_TRY(write_file(request.markdown, regressions_markdown(listed)));
  }
  int failed = 0;
  for (const std::string& url : request.webhooks) {
    BENCHHUD_ASSIGN(const int failed_here, tell(store, request, url, alerts));
    failed += failed_here;
  }
  return failed;
}

}  // namespace

int run_notify(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(notify_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto request = read_notify_request(parsed.values);
  if (!request) return fail(request.error());
  const auto failed = notify(*request);
  if (!failed) return fail(failed.error());
  return *failed > 0 ? kFailed : kDone;
}

}  // namespace benchhud::cli
