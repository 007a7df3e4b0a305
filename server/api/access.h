// Who asks, and whether they may. A program shows its token in `Authorization: Bearer`, a browser
// in a cookie that no script reads and no other site's page makes it send.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/store/access_token.h"
#include "server/http/message.h"

namespace benchhud::server {

/// Who may read. To change something always takes a token.
enum class Reading {
  kOpen,     ///< whoever reaches the server
  kByToken,  ///< the holder of any token
};

/// Whether a browser says that a page of another site asks.
bool is_other_site(const Request& request);

/// Whether a request for a change may be looked at at all: it comes from no other site's page, and
/// brings its body as JSON, which no other site's form can send unasked (a file comes as what it
/// is). Errors: kForbidden, kMediaType.
///
/// Newer browsers say in Sec-Fetch-Site what the page's site is to this one, whatever name a proxy
/// passes on; of others Origin must name the host that was asked.
std::optional<schema::Error> check_change(const Request& request);

/// Who asks.
struct Identity {
  std::optional<schema::AccessToken> token;  ///< a valid one; none: nobody in particular
  bool showed_bearer = false;                ///< whether `Authorization: Bearer` was sent
};

/// Looks a request's token up. A bad one in Authorization stays bad; one in a cookie, which
/// browsers keep sending, is as none.
schema::Expected<Identity> identify(const Request& request, schema::Connection& store);

/// Whether somebody may do what takes `scope`. Errors: kUnauthorized, who must show a valid token;
/// kForbidden, whose token is not for this.
std::optional<schema::Error> check_scope(const Identity& who, schema::Scope scope);

/// The cookie that holds a token. Cookies do not tell ports of one host apart, so its name does:
/// two servers on one machine leave each other's alone. `expires_at`, unix seconds: none: when the
/// browser ends. `is_secure`: to be sent over https only.
std::string session_cookie(const Request& request, std::string_view token,
                           std::optional<double> expires_at);
/// The one that takes it away.
std::string ended_session_cookie(const Request& request);
/// The token in the request's cookie; "" if there is none.
std::string_view session_token(const Request& request);

}  // namespace benchhud::server
