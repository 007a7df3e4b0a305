// A request and its answer as the application sees them: no socket in sight.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/byte_sink.h"
#include "schema/base/errors.h"

namespace benchhud::server {

/// Reads a body in pieces: at most `size` bytes to `bytes`, and gives how many; 0 at its end.
/// Error: kInvalidArgument where who sends it is gone, or takes too long.
using ReadBody = std::function<schema::Expected<std::size_t>(char* bytes, std::size_t size)>;

/// Whether nobody waits for an answer any more: the peer has closed its end of the connection, or
/// the server is stopping. Cheap enough to be asked every few milliseconds. Whatever can take long
/// asks it now and then, and then ends early: what it returns is read by nobody.
using IsCancelled = std::function<bool()>;

struct Request {
  std::string method;           ///< GET, HEAD, POST or DELETE
  std::string target;           ///< the address as it came: path and query, percent-encoded
  std::string if_none_match;    ///< header; empty if absent
  std::string accept_encoding;  ///< header; empty if absent
  // Headers that tell who asks, and from where; "" where absent.
  std::string authorization{};
  std::string cookie{};
  std::string host{};          ///< header: the name that the server was addressed by
  std::string origin{};        ///< header: the site whose page asks
  std::string fetch_site{};    ///< header Sec-Fetch-Site: what that site is to this one
  std::string content_type{};  ///< header
  std::string peer{};          ///< the address that the request came from, without its port; or ""
  std::string body{};
  ReadBody read_body{};  ///< of a file that is sent, in place of `body`; else empty
  /// Where whose token was shown is noted, by its id, for the log; null where nobody wants to know.
  std::int64_t* asked_by = nullptr;
  /// Valid until the answer is sent, so an answer that is made while it is sent may keep a copy.
  IsCancelled is_cancelled = [] { return false; };
};

struct Response {
  int status = 200;
  std::string content_type;
  std::shared_ptr<const std::string> body;  ///< never null; for HEAD what GET would answer
  std::vector<std::pair<std::string, std::string>> headers;
  /// An answer that is made while it is sent, in place of the body, which is empty then. Returns
  /// false where it could not be made to its end: the connection ends so that this is noticed.
  std::function<bool(const schema::ByteSink&)> stream{};
  /// Of a problem: the name of its type, which outlives it; else "".
  std::string_view problem{};

  /// The value of a header, or "" if there is none.
  std::string_view header(std::string_view name) const;
  /// Whether it is the server that could not answer, and not the request that was wrong.
  bool is_server_error() const { return status >= 500; }
};

/// The one shape of errors: an RFC 9457 problem. `instance` is the address that was asked for,
/// `parameter` the one that is wrong, if one is; `allow` the methods that the address takes.
Response problem_response(const schema::Error& error, std::string_view instance,
                          std::string_view parameter = {}, std::string_view allow = "GET, HEAD");

/// The same for an error of the protocol, which has no ErrorCode because nothing but the HTTP
/// server meets it.
Response protocol_problem(const schema::ErrorInfo& info, std::string_view detail,
                          std::string_view instance = {}, std::string_view parameter = {});

/// Which pages may show an answer.
enum class Showing { kOwnSite, kAnySite };

/// Adds the headers that every answer carries: nothing is sniffed, framed, or told to others.
void add_safe_headers(Response* response, Showing showing = Showing::kOwnSite);

}  // namespace benchhud::server
