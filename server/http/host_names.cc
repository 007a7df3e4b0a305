#include "server/http/host_names.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "schema/base/ascii.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

bool is_port(std::string_view text) {
  constexpr std::size_t kMostDigits = 5;
  return text.size() <= kMostDigits && std::ranges::all_of(text, schema::is_digit);
}

std::optional<in6_addr> parse_v6(std::string_view text) {
  in6_addr address{};
  if (::inet_pton(AF_INET6, std::string(text).c_str(), &address) != 1) return {};
  return address;
}

/// The one way to write an IPv6 address in which names are compared.
std::string v6_text(const in6_addr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET6, &address, text.data(), text.size());
  return text.data();
}

/// A name in lower case and without the dot that a full name may end in, or an IP address; "" where
/// it is neither.
std::string canonical_name(std::string_view name) {
  if (const auto address = parse_v6(name)) return v6_text(*address);
  if (name.ends_with('.')) name.remove_suffix(1);
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return schema::is_digit(c) || schema::is_letter(c) || c == '-' || c == '.' || c == '_';
  });
  return is_plain ? schema::lower_case(name) : "";
}

/// What of `Host: name[:port]` is the name, canonical; "" where it is not of that form.
std::string name_in(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return "";
    const auto rest = host.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return "";
    const auto address = parse_v6(host.substr(1, end - 1));
    return address ? v6_text(*address) : "";
  }
  const std::size_t colon = std::min(host.find(':'), host.size());
  if (colon < host.size() && !is_port(host.substr(colon + 1))) return "";
  return canonical_name(host.substr(0, colon));
}

/// `name` is canonical.
bool is_loopback_name(const std::string& name) {
  if (name == "localhost") return true;
  constexpr unsigned char kLoopbackNet = 127;
  in_addr v4{};
  if (::inet_pton(AF_INET, name.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> 24U == kLoopbackNet;
  }
  const auto v6 = parse_v6(name);
  if (!v6) return false;
  constexpr std::size_t kMappedByte = 12;  // where ::ffff:127.0.0.1 has the first byte of 127.0.0.1
  return IN6_IS_ADDR_LOOPBACK(&*v6) ||
         (IN6_IS_ADDR_V4MAPPED(&*v6) && v6->s6_addr[kMappedByte] == kLoopbackNet);
}

}  // namespace

bool is_loopback(std::string_view host) { return is_loopback_name(canonical_name(host)); }

Expected<HostNames> HostNames::make(std::string_view listens_on, bool is_local,
                                    std::span<const std::string> allowed) {
  HostNames names;
  names.is_any_ = !is_local && allowed.empty();
  names.names_.push_back(canonical_name(listens_on));
  for (const std::string& text : allowed) {
    const bool is_bracketed = text.starts_with('[') && text.ends_with(']');
    std::string name = is_bracketed ? name_in(text) : canonical_name(text);
    if (name.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--allow-host takes a host name or an IP address without a port, "
                               "which {} is not",
                               text)};
    }
    names.names_.push_back(std::move(name));
  }
  return names;
}

bool HostNames::contains(std::string_view host) const {
  if (is_any_) return true;
  const std::string name = name_in(host);
  if (name.empty()) return false;
  return is_loopback_name(name) || std::ranges::find(names_, name) != names_.end();
}

}  // namespace benchhud::server
