#include "server/http/request_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "schema/base/ascii.h"
#include "server/http/header_text.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;

Error bad(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }
Error too_large(std::string message) { return {ErrorCode::kTooLarge, std::move(message)}; }

constexpr std::string_view kGoOn = "100-continue";

bool is_token_char(char c) {
  const auto u = static_cast<unsigned char>(c);
  if ((u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos && c != '\0';
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

std::optional<Error> check_target(std::string_view target, const HeadLimits& limits) {
  if (target.size() > limits.target) return too_large("The address is too long.");
  if (target.empty() || target.front() != '/') return bad("The address must begin with a slash.");
  const std::size_t question_mark = target.find('?');
  std::size_t parameter = target.size();  // where that begins that the loop is in
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto c = static_cast<unsigned char>(target[i]);
    if (i == question_mark || (c == '&' && i > question_mark)) parameter = i + 1;
    if (c <= 0x20 || c >= 0x7f || c == '#') {
      return bad("The address holds a character that must be percent-encoded.");
    }
    if (c != '%') continue;
    const int high = i + 2 < target.size() ? hex_value(target[i + 1]) : -1;
    const int low = i + 2 < target.size() ? hex_value(target[i + 2]) : -1;
    if (high < 0 || low < 0) return bad("The address holds a % that begins no percent-encoding.");
    const int decoded = high * 16 + low;
    // People write SQL on several lines.
    const bool is_break = decoded == '\n' || decoded == '\r' || decoded == '\t';
    if (is_break && parameter < i && target.substr(parameter).starts_with("sql=")) continue;
    if (decoded < 0x20 || decoded == 0x7f) return bad("The address holds a control character.");
  }
  return {};
}

bool takes_files(std::string_view target, const HeadLimits& limits) {
  const auto path = target.substr(0, target.find('?'));
  return std::ranges::find(limits.upload_addresses, path) != limits.upload_addresses.end();
}

/// Headers that this server reads and of which there must not be two: of two that differ, a proxy
/// in front of it may have looked at the other one.
constexpr std::array<std::string_view, 8> kSingleHeaders = {
    "host",   "content-length", "range",          "authorization",
    "cookie", "origin",         "sec-fetch-site", "content-type"};
constexpr std::size_t kHost = 0;
constexpr std::size_t kContentLength = 1;

/// What a request's head says of it.
struct Seen {
  bool wants_host = false;
  bool is_post = false;
  bool is_upload = false;
  std::array<int, kSingleHeaders.size()> singles{};  // how often each of them came
  bool has_host() const { return singles[kHost] > 0; }
  bool has_length() const { return singles[kContentLength] > 0; }
};

std::optional<Error> check_request_line(std::string_view line, const HeadLimits& limits,
                                        Seen* seen) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return bad("The request line is not HTTP/1.");
  const auto method = line.substr(0, first);
  const auto target = line.substr(first + 1, last - first - 1);
  const auto version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return bad("The request line is not HTTP/1.");
  seen->wants_host = version == "HTTP/1.1";
  if (!is_token(method)) return bad("The request line is not HTTP/1.");
  if (auto error = check_target(target, limits)) return error;
  seen->is_post = method == "POST";
  seen->is_upload = seen->is_post && takes_files(target, limits);
  if (method != "GET" && method != "HEAD" && method != "POST" && method != "DELETE") {
    return Error{ErrorCode::kMethodNotAllowed,
                 "Only GET, HEAD, POST and DELETE are answered here."};
  }
  return {};
}

/// Nothing but digits, and not so many that they could overflow.
std::optional<std::size_t> read_length(std::string_view value) {
  constexpr std::size_t kMostDigits = 15;
  if (value.empty() || value.size() > kMostDigits) return {};
  std::size_t length = 0;
  for (const char c : value) {
    if (c < '0' || c > '9') return {};
    length = length * 10 + static_cast<std::size_t>(c - '0');
  }
  return length;
}

std::optional<Error> check_length(std::string_view value, const HeadLimits& limits, Seen* seen) {
  if (!seen->is_post) {
    return value == "0" ? std::nullopt : std::optional(bad("Only a POST carries a body."));
  }
  const auto length = read_length(value);
  if (!length) return bad("The body's length is no number.");
  if (*length > (seen->is_upload ? limits.upload : limits.body))
    return too_large("The request's body is too large.");
  return {};
}

std::optional<Error> check_header(std::string_view line, const HeadLimits& limits, Seen* seen) {
  if (line.front() == ' ' || line.front() == '\t')
    return bad("A header is folded over several lines.");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return bad("A header has no proper name.");
  }
  const auto name = line.substr(0, colon);
  const auto value = schema::trim(line.substr(colon + 1), " \t");
  for (const char c : value) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && u != '\t') || u == 0x7f) return bad("A header holds a control character.");
  }

  for (std::size_t i = 0; i < kSingleHeaders.size(); ++i) {
    if (equal_ignoring_case(name, kSingleHeaders[i]) && ++seen->singles[i] > 1) {
      return bad(fmt::format("The request has more than one header {}.", kSingleHeaders[i]));
    }
  }
  if (equal_ignoring_case(name, "transfer-encoding")) {
    return bad("A body must come in one piece, with its length.");
  }
  if (equal_ignoring_case(name, "content-encoding")) return bad("A body must come as it is.");
  if (equal_ignoring_case(name, "expect") &&
      !(seen->is_upload && equal_ignoring_case(value, kGoOn))) {
    return bad("Nothing is to be expected before an answer.");
  }
  if (equal_ignoring_case(name, "content-length")) return check_length(value, limits, seen);
  if (equal_ignoring_case(name, "range") && value.find(',') != std::string_view::npos) {
    return bad("At most one range can be asked for.");
  }
  return {};
}

}  // namespace

std::optional<Error> check_head(std::string_view head, const HeadLimits& limits) {
  if (head.size() > limits.bytes) return too_large("The request's head is too large.");
  bool is_first = true;
  std::size_t headers = 0;
  Seen seen;
  for (;;) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos || end == 0 || head[end - 1] != '\r') {
      return bad("A line of the request's head does not end in CR LF.");
    }
    const auto line = head.substr(0, end - 1);
    head.remove_prefix(end + 1);
    if (line.find('\r') != std::string_view::npos)
      return bad("A header holds a control character.");
    if (is_first) {
      if (auto error = check_request_line(line, limits, &seen)) return error;
      is_first = false;
      continue;
    }
    if (line.empty()) break;
    if (++headers > limits.headers) return too_large("The request has too many headers.");
    if (auto error = check_header(line, limits, &seen)) return error;
  }
  if (!head.empty()) return bad("Something follows the request's head.");
  if (seen.wants_host && !seen.has_host()) return bad("The request must name one Host.");
  if (seen.is_post && !seen.has_length()) return bad("A POST must say how long its body is.");
  return {};
}

std::string_view method_of(std::string_view head) { return head.substr(0, head.find(' ')); }

std::string_view target_of(std::string_view head) {
  const auto rest = head.substr(head.find(' ') + 1);
  return rest.substr(0, rest.find(' '));
}

std::string_view header_of(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const auto line = head.substr(0, head.find("\r\n"));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && equal_ignoring_case(line.substr(0, colon), name)) {
      return schema::trim(line.substr(colon + 1), " \t");
    }
    head.remove_prefix(std::min(head.size(), line.size() + 2));
  }
  return {};
}

bool is_old_request(std::string_view head) {
  return head.substr(0, head.find("\r\n")).ends_with("HTTP/1.0");
}

bool is_last_request(std::string_view head) {
  bool says_close = false, says_keep = false;
  for (auto rest = header_of(head, "connection"); !rest.empty();) {
    const auto option = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
    says_close |= equal_ignoring_case(schema::trim(option, " \t"), "close");
    says_keep |= equal_ignoring_case(schema::trim(option, " \t"), "keep-alive");
  }
  return says_close || (is_old_request(head) && !says_keep);
}

bool is_upload(std::string_view head, const HeadLimits& limits) {
  return method_of(head) == "POST" && takes_files(target_of(head), limits);
}

bool waits_for_word(std::string_view head) { return !header_of(head, "expect").empty(); }

std::size_t body_size(std::string_view head) {
  return read_length(header_of(head, "content-length")).value_or(0);
}

}  // namespace benchhud::server
