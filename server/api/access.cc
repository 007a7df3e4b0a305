#include "server/api/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schema/base/time.h"
#include "server/http/header_text.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::string_view kCookieName = "benchhud_session";

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) {
      return equal_ignoring_case(origin.substr(scheme.size()), host);
    }
  }
  return false;
}

/// "application/json", with a charset or without.
bool is_json(std::string_view content_type) {
  auto type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return equal_ignoring_case(type, "application/json");
}

/// What follows "Bearer"; nothing for another scheme or none.
std::optional<std::string_view> bearer_of(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (!equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return without_blanks(authorization.substr(kScheme.size()));
}

/// The cookie's name for the host and port that were asked.
std::string cookie_name(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  std::string name(kCookieName);
  if (colon == std::string_view::npos) return name;
  const auto port = host.substr(colon + 1);
  const bool is_port = !port.empty() && port.find_first_not_of("0123456789") == std::string::npos;
  return is_port ? name + "_" + std::string(port) : name;
}

/// No script reads it, no other site's page has it sent. Over https it goes by nothing else.
std::string cookie_attributes(const Request& request) {
  const bool is_https = request.origin.starts_with("https://");
  return std::string("; Path=/; HttpOnly; SameSite=Strict") + (is_https ? "; Secure" : "");
}

}  // namespace

bool is_other_site(const Request& request) {
  return !request.fetch_site.empty() && request.fetch_site != "same-origin" &&
         request.fetch_site != "none";
}

std::optional<Error> check_change(const Request& request) {
  const bool is_foreign =
      request.fetch_site.empty()
          ? !request.origin.empty() && !is_own_origin(request.origin, request.host)
          : is_other_site(request);
  if (is_foreign) return Error{ErrorCode::kForbidden, "A page of another site asks for a change."};
  if (request.method == "POST" && !request.read_body && !is_json(request.content_type)) {
    return Error{ErrorCode::kMediaType, "The body must come as Content-Type: application/json."};
  }
  return {};
}

Expected<Identity> identify(const Request& request, schema::Connection& store) {
  Identity who;
  const auto bearer = bearer_of(request.authorization);
  who.showed_bearer = bearer.has_value();
  const std::string_view text = bearer ? *bearer : session_token(request);
  if (text.empty()) return who;
  BENCHHUD_ASSIGN(who.token, schema::find_access_token(store, text, schema::now()));
  if (who.token && request.asked_by != nullptr) *request.asked_by = who.token->id;
  return who;
}

std::optional<Error> check_scope(const Identity& who, schema::Scope scope) {
  if (!who.token && who.showed_bearer) {
    return Error{ErrorCode::kUnauthorized,
                 "The token is not one of this store, was withdrawn, or has expired."};
  }
  if (!who.token) {
    return Error{ErrorCode::kUnauthorized,
                 "This takes a token: `benchhud tokens add` makes one. Programs show it as "
                 "Authorization: Bearer; in a browser, /sign-in takes it."};
  }
  if (!who.token->may(scope)) {
    return Error{ErrorCode::kForbidden,
                 fmt::format("The token may {}, and this takes the scope {}.",
                             schema::scopes_text(who.token->scopes), schema::scope_name(scope))};
  }
  return {};
}

std::string session_cookie(const Request& request, std::string_view token,
                           std::optional<double> expires_at) {
  std::string cookie = cookie_name(request.host) + "=" + std::string(token);
  if (expires_at) {
    const double left = std::max(0.0, std::floor(*expires_at - schema::now()));
    cookie += fmt::format("; Max-Age={:.0f}", left);
  }
  return cookie + cookie_attributes(request);
}

std::string ended_session_cookie(const Request& request) {
  return cookie_name(request.host) + "=; Max-Age=0" + cookie_attributes(request);
}

std::string_view session_token(const Request& request) {
  const std::string name = cookie_name(request.host) + "=";
  for (std::string_view rest = request.cookie; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const auto pair = without_blanks(rest.substr(0, end));
    if (pair.starts_with(name)) return pair.substr(name.size());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace benchhud::server
