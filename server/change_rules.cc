#include "server/change_rules.h"

#include <algorithm>

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

/// A Host header without its port and without the brackets of an IPv6 address.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
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

}  // namespace

bool is_loopback(std::string_view host) {
  if (host == "::1" || equal_ignoring_case(host, "localhost")) return true;
  // A name may begin like an address (127.example.org).
  return host.starts_with("127.") && std::all_of(host.begin(), host.end(), [](char c) {
           return c == '.' || (c >= '0' && c <= '9');
         });
}

bool is_other_site(const Request& request) {
  return !request.fetch_site.empty() && request.fetch_site != "same-origin" &&
         request.fetch_site != "none";
}

std::optional<Error> check_change(const Request& request, Changes changes) {
  if (changes == Changes::kRefused) {
    return Error{ErrorCode::kForbidden,
                 "This server changes nothing: other machines reach it, and it asks nobody who "
                 "they are. Started with --allow-writes it lets all of them."};
  }
  if (is_other_site(request) ||
      (!request.origin.empty() && !is_own_origin(request.origin, request.host))) {
    return Error{ErrorCode::kForbidden, "A page of another site asks for a change."};
  }
  if (changes == Changes::kFromThisMachine && !is_loopback(name_of(request.host))) {
    return Error{ErrorCode::kForbidden,
                 "The server is asked for by a name that is not this machine's own; changes are "
                 "made at http://127.0.0.1 or http://localhost."};
  }
  if (request.method == "POST" && !is_json(request.content_type)) {
    return Error{ErrorCode::kMediaType, "The body must come as Content-Type: application/json."};
  }
  return {};
}

}  // namespace benchhud::server
