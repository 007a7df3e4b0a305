#include "server/http/response_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace benchhud::server {
namespace {

constexpr std::array kStatusWords = {
    std::pair(200, std::string_view("OK")),
    std::pair(201, std::string_view("Created")),
    std::pair(304, std::string_view("Not Modified")),
    std::pair(400, std::string_view("Bad Request")),
    std::pair(401, std::string_view("Unauthorized")),
    std::pair(403, std::string_view("Forbidden")),
    std::pair(404, std::string_view("Not Found")),
    std::pair(405, std::string_view("Method Not Allowed")),
    std::pair(408, std::string_view("Request Timeout")),
    std::pair(409, std::string_view("Conflict")),
    std::pair(413, std::string_view("Content Too Large")),
    std::pair(415, std::string_view("Unsupported Media Type")),
    std::pair(421, std::string_view("Misdirected Request")),
    std::pair(500, std::string_view("Internal Server Error")),
    std::pair(501, std::string_view("Not Implemented")),
    std::pair(503, std::string_view("Service Unavailable")),
    std::pair(507, std::string_view("Insufficient Storage")),
};

}  // namespace

std::string_view status_words(int status) {
  const auto found =
      std::ranges::find(kStatusWords, status, [](const auto& row) { return row.first; });
  return found == kStatusWords.end() ? "Error" : found->second;
}

std::string response_head(const Response& response, const Framing& framing) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, status_words(response.status));
  for (const auto& [name, value] : response.headers) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (framing.body != Framing::Body::kNone) {
    text += "Content-Type: " + response.content_type + "\r\n";
  }
  if (framing.body == Framing::Body::kSized) {
    text += fmt::format("Content-Length: {}\r\n", framing.size);
  } else if (framing.body == Framing::Body::kChunked) {
    text += "Transfer-Encoding: chunked\r\n";
  }
  if (framing.is_last) {
    text += "Connection: close\r\n";
  } else {
    if (framing.is_old) text += "Connection: keep-alive\r\n";
    text +=
        fmt::format("Keep-Alive: timeout={}, max={}\r\n", framing.idle_seconds, framing.requests);
  }
  return text + "\r\n";
}

}  // namespace benchhud::server
