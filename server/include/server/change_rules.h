// Who may change something. There are no accounts: what protects the store is that the server is
// not to be reached, or that the browser says which site's page asks.
#pragma once

#include <optional>
#include <string_view>

#include "schema/errors.h"
#include "server/message.h"

namespace benchhud::server {

enum class Changes {
  kRefused,
  kFromThisMachine,  ///< the server listens on a loopback address
  kFromAnywhere,     ///< whoever reaches the server
};

/// Whether a host, as one listens on it or as an address names it (without its port), is this
/// machine for nobody but itself: 127.0.0.0/8, ::1, localhost.
bool is_loopback(std::string_view host);

/// Whether a browser says that a page of another site asks.
bool is_other_site(const Request& request);

/// Whether a request may change something, and brings its body in the one form that is read: JSON,
/// which no other site's form can send unasked. Errors: kForbidden, kMediaType.
///
/// A page of another site makes the reader's browser ask, so Origin must be the server's own.
/// kFromThisMachine wants the server addressed as loopback too: a site that lets its own name point
/// to 127.0.0.1 is of one origin with itself.
std::optional<schema::Error> check_change(const Request& request, Changes changes);

}  // namespace benchhud::server
