// benchhud tokens: who may do what over HTTP.

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/options/action.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "schema/base/time.h"
#include "schema/store/access_token.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using schema::AccessToken;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::string_view kAboutTokens =
    "  list            all tokens, the default\n"
    "  add NAME        make one for a person, a job, a machine, and print it: it is shown this "
    "once\n"
    "  withdraw WHICH  take one back, by id or name; from then on it opens nothing\n\n"
    "A program shows its token as `Authorization: Bearer TOKEN`; a person pastes it into the page\n"
    "/sign-in. The store keeps hashes only.";

constexpr double kSecondsPerDay = 86400;
constexpr const char* kUsualExpiry = "90d";

struct TokensRequest {
  Arguments words;  // the action and what it is done to
  schema::Scopes scopes;
  std::optional<double> lifetime;  // s; none: for ever
  bool as_json = false;
};

/// "90d", or "never". Nothing if it is neither.
std::optional<std::optional<double>> lifetime_of(std::string_view text) {
  if (text == "never") return std::optional<double>();
  if (!text.ends_with('d')) return {};
  text.remove_suffix(1);
  int days = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
  constexpr int kMostDays = 36500;
  if (error != std::errc() || end != text.data() + text.size() || days < 1 || days > kMostDays) {
    return {};
  }
  return std::optional(days * kSecondsPerDay);
}

std::string_view state_of(const AccessToken& token, double time) {
  if (token.withdrawn_at) return "withdrawn";
  return token.is_valid(time) ? "valid" : "expired";
}

Json time_or_null(const std::optional<double>& time) {
  return time ? Json(schema::format_time(*time)) : Json(nullptr);
}

Expected<void> list_tokens(schema::Connection& store, const TokensRequest& request) {
  BENCHHUD_ASSIGN(const auto tokens, schema::access_tokens(store));
  const double time = schema::now();
  if (request.as_json) {
    Json list = Json::array();
    for (const AccessToken& token : tokens) {
      Json scopes = Json::array();
      for (const auto scope : schema::kScopes) {
        if (token.scopes.has(scope)) scopes.push_back(schema::scope_name(scope));
      }
      list.push_back({{"id", token.id},
                      {"name", token.name},
                      {"scopes", scopes},
                      {"created_at", schema::format_time(token.created_at)},
                      {"expires_at", time_or_null(token.expires_at)},
                      {"withdrawn_at", time_or_null(token.withdrawn_at)},
                      {"state", state_of(token, time)}});
    }
    fmt::print("{}\n", list.dump(2, ' ', false, Json::error_handler_t::replace));
    return {};
  }
  if (tokens.empty()) {
    fmt::print("there is no token yet; `benchhud tokens add NAME --scope triage` makes one\n");
  }
  for (const AccessToken& token : tokens) {
    fmt::print("{:>4}  {:<9}  {:<19}  {:<10}  {}\n", token.id, state_of(token, time),
               schema::scopes_text(token.scopes),
               token.expires_at ? schema::format_date(*token.expires_at) : "never",
               printable(token.name));
  }
  return {};
}

/// Ids of the valid tokens of a name.
Expected<std::vector<std::int64_t>> valid_ids(schema::Connection& store, std::string_view name) {
  BENCHHUD_ASSIGN(const auto tokens, schema::access_tokens(store));
  std::vector<std::int64_t> ids;
  for (const AccessToken& token : tokens) {
    if (token.name == name && token.is_valid(schema::now())) ids.push_back(token.id);
  }
  return ids;
}

Expected<void> add_token(schema::Connection& store, const TokensRequest& request) {
  const std::string& name = request.words[1];
  BENCHHUD_ASSIGN(const auto ids, valid_ids(store, name));
  if (!ids.empty()) {
    return Error{ErrorCode::kConflict,
                 fmt::format("token {} is called {} already; withdraw it first, or choose another "
                             "name",
                             ids[0], name)};
  }
  std::optional<double> expires_at;
  if (request.lifetime) expires_at = schema::now() + *request.lifetime;
  BENCHHUD_ASSIGN(const auto made,
                  schema::add_access_token(store, name, request.scopes, expires_at));
  // The token alone on standard output, for scripts.
  fmt::print(stderr, "{}, may {}, {}; it is not shown again:\n",
             printable(schema::describe(made.token)), schema::scopes_text(made.token.scopes),
             expires_at ? "valid until " + schema::format_time(*expires_at) : "never expires");
  fmt::print("{}\n", made.text);
  return {};
}

Expected<void> withdraw_token(schema::Connection& store, const TokensRequest& request) {
  const std::string& which = request.words[1];
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), id);
  if (error != std::errc() || end != which.data() + which.size()) {
    BENCHHUD_ASSIGN(const auto ids, valid_ids(store, which));
    if (ids.size() != 1) {
      return Error{ids.empty() ? ErrorCode::kNotFound : ErrorCode::kAmbiguous,
                   fmt::format("{} valid tokens are called {}; `benchhud tokens list` shows their "
                               "ids",
                               ids.empty() ? "no" : std::to_string(ids.size()), which)};
    }
    id = ids[0];
  }
  BENCHHUD_TRY(schema::withdraw_access_token(store, id));
  fmt::print("token {} is withdrawn\n", id);
  return {};
}

constexpr std::array kTokenActions = {
    Action<TokensRequest>{"list", false, 0, list_tokens},
    Action<TokensRequest>{"add", true, 1, add_token},
    Action<TokensRequest>{"withdraw", true, 1, withdraw_token},
};

CommandLine tokens_command_line() {
  CommandLine command;
  command.usage = "benchhud tokens [ACTION [NAME]] [option…]";
  command.about = kAboutTokens;
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("scope", po::value<std::vector<std::string>>()->value_name("SCOPE"),
      "add: what its holder may do: read; triage (act on alerts, mark runs, note on traces); "
      "ingest "
      "(add results and dumps); several may be given");
  add("expires", po::value<std::string>()->value_name("TIME")->default_value(kUsualExpiry),
      "add: in so many days (90d), or never");
  add_format_option(&command.options);
  add_words(&command);
  return command;
}

Expected<TokensRequest> read_tokens_request(const po::variables_map& values,
                                            const Action<TokensRequest>** action) {
  TokensRequest request;
  request.words = words_of(values);
  if (request.words.empty()) request.words = {"list"};
  BENCHHUD_ASSIGN(request.as_json, wants_json(values));
  BENCHHUD_ASSIGN(*action, find_action<TokensRequest>("tokens", kTokenActions, request.words));
  BENCHHUD_TRY(check_arguments("tokens", **action, request.words));
  if (request.words.size() - 1 != (*action)->most_arguments) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`benchhud tokens {}` takes a name", (*action)->name)};
  }
  const bool is_add = request.words[0] == "add";
  if (!is_add && (values.count("scope") > 0 || !values["expires"].defaulted())) {
    return Error{ErrorCode::kInvalidArgument,
                 "--scope and --expires are for `benchhud tokens add`"};
  }
  if (!is_add) return request;
  if (values.count("scope") == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "say what the token is for: --scope read, triage or ingest"};
  }
  for (const auto& name : values["scope"].as<std::vector<std::string>>()) {
    const auto scope = schema::scope_of(name);
    if (!scope) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--scope is read, triage or ingest, not {}", name)};
    }
    request.scopes.add(*scope);
  }
  const auto lifetime = lifetime_of(values["expires"].as<std::string>());
  if (!lifetime) {
    return Error{ErrorCode::kInvalidArgument, "--expires is a number of days (90d), or never"};
  }
  request.lifetime = *lifetime;
  return request;
}

}  // namespace

int run_tokens(const Arguments& arguments) {
  return run_action<TokensRequest>(tokens_command_line(), arguments, read_tokens_request);
}

}  // namespace benchhud::cli
