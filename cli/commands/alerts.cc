// benchhud alerts: what becomes of an alert.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/options/text_file.h"
#include "schema/alerts/alert.h"
#include "schema/base/time.h"
#include "schema/store/store.h"
#include "service/alerts/alert_rules_file.h"
#include "service/alerts/alert_update.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::string_view kAbout =
    "  show N                 what people did with alert N, oldest first\n"
    "  state N STATE          open, acknowledged, investigating, fixed, wont_fix, invalid "
    "(nothing\n"
    "                         changed) or infrastructure (the machine did, not what is measured)\n"
    "  note N TEXT…           say something\n"
    "  owner N NAME           say whose it is; \"\" for nobody\n"
    "  link N URL             where more of it is to be read; \"\" for nowhere\n"
    "  rules [FILE]           the rules by which alerts are found; with a file: keep them and "
    "find\n"
    "                         alerts anew (docs/regressions.md)\n\n"
    "`benchhud regressions` lists alerts. What was said stays with an alert when it is found anew.";

CommandLine command_line() {
  CommandLine command;
  command.usage = "benchhud alerts ACTION N [ARGUMENT…] [option…]";
  command.about = kAbout;
  add_store_option(&command.options);
  command.options.add_options()("who", po::value<std::string>()->default_value(user_name()),
                                "who says it");
  add_words(&command);
  return command;
}

Expected<schema::AlertId> number_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("an alert has a number, not `{}`", text)};
  }
  return schema::AlertId{number};
}

Expected<void> show(schema::Connection& store, schema::AlertId id) {
  BENCHHUD_ASSIGN(const schema::Alert alert, schema::alert(store, id));
  BENCHHUD_ASSIGN(const auto actions, schema::alert_actions(store, id));
  fmt::print("#{} {}\n", to_int(id), alert.state);
  for (const schema::AlertAction& action : actions) {
    fmt::print("{}  {}{}  {}: {}\n", schema::format_time(action.at),
               action.who.empty() ? "somebody" : printable(action.who),
               action.token ? fmt::format(" (token {})", printable(*action.token)) : "",
               alert_action_kind_name(action.kind), printable(action.value));
  }
  return {};
}

Expected<void> rules(const po::variables_map& values, const Arguments& words) {
  if (words.size() > 2) {
    return Error{ErrorCode::kInvalidArgument, "`benchhud alerts rules` takes one file"};
  }
  if (words.size() == 1) {
    BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(store_path(values)));
    BENCHHUD_ASSIGN(const std::string written, service::stored_alert_rules(store));
    fmt::print("{}\n", written);
    return {};
  }
  BENCHHUD_ASSIGN(const std::string text, read_text_file(words[1], service::kMostRulesBytes));
  // Before the store is touched, or made.
  BENCHHUD_TRY(service::read_alert_rules(text));
  BENCHHUD_ASSIGN(auto store, schema::open_store(store_path(values)));
  BENCHHUD_TRY(service::keep_alert_rules(store, text));
  BENCHHUD_TRY(service::update_alerts(store));
  return {};
}

Expected<void> act(const po::variables_map& values) {
  const Arguments words = words_of(values);
  if (!words.empty() && words[0] == "rules") return rules(values, words);
  constexpr std::array kActions = {"show", "state", "note", "owner", "link"};
  if (words.size() < 2) {
    return Error{ErrorCode::kInvalidArgument, "an action and an alert's number are wanted"};
  }
  if (std::find(kActions.begin(), kActions.end(), words[0]) == kActions.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("there is no `benchhud alerts {}`", words[0])};
  }
  BENCHHUD_ASSIGN(const schema::AlertId id, number_of(words[1]));
  if (words[0] == "show") {
    BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(store_path(values)));
    return show(store, id);
  }
  if (words.size() < 3 || (words.size() > 3 && words[0] != "note")) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`benchhud alerts {} N` takes one argument", words[0])};
  }
  const std::string value = fmt::format("{}", fmt::join(words.begin() + 2, words.end(), " "));
  BENCHHUD_ASSIGN(auto store, schema::open_store(store_path(values)));
  BENCHHUD_TRY(schema::act_on_alert(store, id, words[0], value, values["who"].as<std::string>()));
  return show(store, id);
}

}  // namespace

int run_alerts(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto done = act(parsed.values);
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
