// Browsers that are signed in: by a token that somebody pasted, or by the code in the address that
// the program printed when it began to serve.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/store/access_token.h"
#include "server/api/access.h"
#include "server/api/api_contract.h"
#include "server/api/store_writer.h"

namespace benchhud::server {

/// A session that began or ended, and the Set-Cookie header that tells the browser.
struct SessionChange {
  Identity who;
  std::string cookie;
};

/// Threads may share it.
class Sessions {
 public:
  /// `code`: signs one browser in, once, before `code_until` (unix seconds); "": there is none.
  Sessions(std::string code, double code_until, StoreWriter& writer)
      : code_(std::move(code)), code_until_(code_until), writer_(writer) {}

  /// Signs a browser in with a body that has a token or a code. Errors: kInvalidArgument for both
  /// or neither; kUnauthorized for a token that is not valid, a code that is another, was used, or
  /// is too old; those of writing, after which a code is still good.
  schema::Expected<SessionChange> begin(const Request& request, const Body& body,
                                        schema::Connection& store);
  /// Signs it out. The token that was made for a code is withdrawn; any other stays.
  schema::Expected<SessionChange> end(const Request& request, const Identity& who);

 private:
  schema::Expected<schema::NewToken> by_code(std::string_view code);

  std::mutex mutex_;
  std::string code_;
  const double code_until_;
  StoreWriter& writer_;
};

/// The contract's Session: who asks, what they may do, and who may read.
std::string session_json(const Identity& who, Reading reading);

}  // namespace benchhud::server
