// An answer's head as it goes over the wire (RFC 9112).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace benchhud::server {

/// What follows the head, and what becomes of the connection.
struct Framing {
  enum class Body {
    kNone,      ///< 304: no body, no length
    kSized,     ///< with Content-Length
    kChunked,   ///< Transfer-Encoding: chunked
    kUntilEnd,  ///< up to the end of the connection, for HTTP/1.0, which has no chunks
  };
  Body body = Body::kSized;
  std::size_t size = 0;  ///< of kSized, bytes; also where the answer to HEAD leaves them out
  bool is_last = false;  ///< the connection ends with the answer
  bool is_old = false;   ///< the request was HTTP/1.0, whose connections end unless both say no
  // Of a connection that goes on:
  std::size_t idle_seconds = 0;
  std::size_t requests = 0;
};

/// The status line, the answer's headers (whose values have no line ends) and those of its framing,
/// and the empty line.
std::string response_head(const Response& response, const Framing& framing);

/// The words for a status in the status line; "Error" for one that this server does not send.
std::string_view status_words(int status);

}  // namespace benchhud::server
