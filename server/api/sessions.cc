#include "server/api/sessions.h"

#include <utility>

#include "schema/base/time.h"
#include "views/answers.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::NewToken;
using schema::Scope;

// What `benchhud tokens` calls a token that was made for a code.
constexpr std::string_view kCodeTokenName = "browser, signed in by code";
constexpr double kCodeTokenSeconds = 30 * 86400.0;

Expected<NewToken> by_token(schema::Connection& store, std::string_view text) {
  BENCHHUD_ASSIGN(auto token, schema::find_access_token(store, text, schema::now()));
  if (token) return NewToken{*std::move(token), std::string(text)};
  return Error{ErrorCode::kUnauthorized,
               "The token is not one of this store, was withdrawn, or has expired."};
}

}  // namespace

Expected<NewToken> Sessions::by_code(std::string_view code) {
  const std::lock_guard lock(mutex_);
  const bool is_it = !code_.empty() && schema::equal_in_constant_time(code, code_);
  const double time = schema::now();
  if (!is_it || time >= code_until_) {
    return Error{ErrorCode::kUnauthorized,
                 "The code was used or is too old: it is good for one browser, for an hour. A "
                 "token of `benchhud tokens add` signs in as well, and a server that is started "
                 "again prints a new code."};
  }
  std::optional<NewToken> made;
  const auto written = writer_.write([&](schema::Connection& store) -> Expected<std::string> {
    BENCHHUD_ASSIGN(made, schema::add_access_token(store, kCodeTokenName,
                                                   {Scope::kRead, Scope::kTriage, Scope::kIngest},
                                                   time + kCodeTokenSeconds));
    return std::string();
  });
  if (!written) return written.error();
  code_.clear();
  return *std::move(made);
}

Expected<SessionChange> Sessions::begin(const Request& request, const Body& body,
                                        schema::Connection& store) {
  const std::string& code = body.text("code");
  const std::string& text = body.text("token");
  if (code.empty() == text.empty()) {
    return Error{ErrorCode::kInvalidArgument, "A session begins with a token, or with a code."};
  }
  BENCHHUD_ASSIGN(NewToken token, code.empty() ? by_token(store, text) : by_code(code));
  SessionChange begun;
  begun.cookie = session_cookie(request, token.text, token.token.expires_at);
  begun.who.token = std::move(token.token);
  return begun;
}

Expected<SessionChange> Sessions::end(const Request& request, const Identity& who) {
  SessionChange ended;
  ended.cookie = ended_session_cookie(request);
  if (!who.token || who.token->name != kCodeTokenName) return ended;
  const auto written = writer_.write([&](schema::Connection& store) -> Expected<std::string> {
    BENCHHUD_TRY(schema::withdraw_access_token(store, who.token->id));
    return std::string();
  });
  if (!written) return written.error();
  return ended;
}

std::string session_json(const Identity& who, Reading reading) {
  std::string body;
  schema::JsonWriter json(&body);
  json.begin_object();
  json.field("signed_in", who.token.has_value());
  json.key("scopes");
  json.begin_array();
  for (const Scope scope : schema::kScopes) {
    if (who.token && who.token->may(scope)) json.value(schema::scope_name(scope));
  }
  json.end_array();
  json.key("name");
  if (who.token) {
    json.value(who.token->name);
  } else {
    json.null();
  }
  json.key("expires_at");
  if (who.token && who.token->expires_at) {
    views::write_time(json, *who.token->expires_at);
  } else {
    json.null();
  }
  json.field("reading", reading == Reading::kOpen ? "open" : "token");
  json.end_object();
  return body;
}

}  // namespace benchhud::server
