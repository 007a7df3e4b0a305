// benchhud alerts: what becomes of an alert.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/options/text_file.h"
#include "cli/output/alert_history_text.h"
#include "cli/output/regressions_text.h"
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

constexpr std::string_view kAboutAlerts =
    "  show N                 why alert N is what it is, what happened to it and what people did\n"
    "                         with it, oldest first\n"
    "  state N… STATE         open, acknowledged, investigating, fixed, wont_fix, invalid "
    "(nothing\n"
    "                         changed) or infrastructure (the machine did, not what is measured);\n"
    "                         acknowledged and investigating make what is nobody's yours\n"
    "  note N TEXT…           say something\n"
    "  owner N… NAME          say whose it is; \"\" for nobody; one of digits only after --\n"
    "  mute N… UNTIL          not hear of it until a day (2026-12-24, UTC), or until it is "
    "confirmed,\n"
    "                         recovered or worse; \"\" ends that\n"
    "  link N URL             where more of it is to be read; \"\" for nowhere\n"
    "  rules [FILE]           the rules by which alerts are found; with a file: keep them and "
    "find\n"
    "                         alerts anew (docs/regressions.md)\n\n"
    "Several numbers: all of them, or none. `benchhud regressions` lists alerts. What was said "
    "stays with an alert when it is found again.";

CommandLine alerts_command_line() {
  CommandLine command;
  command.usage = "benchhud alerts ACTION N… [ARGUMENT…] [option…]";
  command.about = kAboutAlerts;
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

/// The alerts that words name. Of an owner, more words than one are taken for numbers as well: it
/// is said how to write such a name.
Expected<std::vector<schema::AlertId>> numbers_of(const std::string& action,
                                                  Arguments::const_iterator word,
                                                  Arguments::const_iterator value,
                                                  Arguments::const_iterator end) {
  std::vector<schema::AlertId> ids;
  for (; word != value; ++word) {
    auto id = number_of(*word);
    if (!id && action == "owner" && !ids.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{}; a name of several words takes quotes: \"{}\"",
                               id.error().message, fmt::join(word, end, " "))};
    }
    if (!id) return std::move(id).error();
    ids.push_back(*id);
  }
  return ids;
}

/// Nobody becomes the owner who is called 7 because a name was forgotten. Error: kInvalidArgument.
Expected<void> check_owner(const std::string& owner, const Arguments& words) {
  const bool is_number = !owner.empty() && owner.find_first_not_of("0123456789") == owner.npos;
  if (!is_number) return {};
  const auto before = fmt::format("{}", fmt::join(words.begin(), words.end() - 1, " "));
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` would be the owner, not an alert; if that is its name: "
                           "`benchhud alerts {} -- {}`",
                           owner, before, owner)};
}

/// "#5 acknowledged", "#5 muted until 2026-12-24".
void print_heading(const schema::Alert& alert) {
  const bool is_muted = alert.urgency == schema::Urgency::kMuted;
  const std::string orphan = orphan_text(alert);
  fmt::print("#{} {}{}\n", to_int(alert.id), is_muted ? mute_text(alert) : alert.state,
             orphan.empty() ? "" : ": " + orphan);
}

Expected<void> show(schema::Connection& store, schema::AlertId id) {
  BENCHHUD_ASSIGN(const schema::Alert alert, schema::alert(store, id, schema::now()));
  schema::Reader reader(store);
  BENCHHUD_ASSIGN(const std::string history, alert_history_text(reader, id));
  print_heading(alert);
  if (!alert.explanation.empty()) fmt::print("{}\n", printable(alert.explanation));
  fmt::print("{}", history);
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

/// `is_literal`: some words were given after --.
Expected<void> act(const po::variables_map& values, bool is_literal) {
  const Arguments words = words_of(values);
  if (!words.empty() && words[0] == "rules") return rules(values, words);
  constexpr std::array kActions = {"show", "state", "note", "owner", "link", "mute"};
  if (words.size() < 2) {
    return Error{ErrorCode::kInvalidArgument, "an action and an alert's number are wanted"};
  }
  if (std::find(kActions.begin(), kActions.end(), words[0]) == kActions.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("there is no `benchhud alerts {}`", words[0])};
  }
  const std::string& action = words[0];
  if (action == "show") {
    BENCHHUD_ASSIGN(const schema::AlertId id, number_of(words[1]));
    BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(store_path(values)));
    return show(store, id);
  }
  if (words.size() < 3 || (words.size() > 3 && action == "link")) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`benchhud alerts {} N` takes one argument", action)};
  }
  // A note is as many words as there are; else the last word is what is said of all before it.
  const auto value_from = action == "note" ? words.begin() + 2 : words.end() - 1;
  const std::string value = fmt::format("{}", fmt::join(value_from, words.end(), " "));
  BENCHHUD_ASSIGN(const auto ids, numbers_of(action, words.begin() + 1, value_from, words.end()));
  if (action == "owner" && !is_literal) BENCHHUD_TRY(check_owner(value, words));
  BENCHHUD_ASSIGN(auto store, schema::open_store(store_path(values)));
  BENCHHUD_TRY(schema::act_on_alerts(store, ids, action, value, values["who"].as<std::string>()));
  if (ids.size() == 1) return show(store, ids.front());
  for (const schema::AlertId id : ids) {
    BENCHHUD_ASSIGN(const schema::Alert alert, schema::alert(store, id, schema::now()));
    print_heading(alert);
  }
  return {};
}

}  // namespace

int run_alerts(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(alerts_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const bool is_literal = std::find(arguments.begin(), arguments.end(), "--") != arguments.end();
  const auto done = act(parsed.values, is_literal);
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
