// The host names that a server answers for. A web page can have its own name point at 127.0.0.1
// (DNS rebinding) and then reads, as its own origin, whatever a server on the visitor's machine
// answers. Its requests still carry the page's name in `Host`, and that is where they are refused.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::server {

/// Whether a host, as one listens on it, is this machine for nobody but itself: 127.0.0.0/8, ::1,
/// localhost.
bool is_loopback(std::string_view host);

/// Immutable; threads may share it.
class HostNames {
 public:
  /// `listens_on`: the host that the server was told to listen on; `is_local`: whether only this
  /// machine reaches the address that it stands for; `allowed`: names and IP addresses, without
  /// ports. Error: kInvalidArgument for one that is neither.
  static schema::Expected<HostNames> make(std::string_view listens_on, bool is_local,
                                          std::span<const std::string> allowed);

  /// Whether requests with this `Host` header are answered: names of the loopback interface, the
  /// host that is listened on, and the allowed ones, each with any port and in any case. A server
  /// that other machines reach, and for which no names were given, answers for all.
  bool contains(std::string_view host) const;

 private:
  bool is_any_ = false;
  std::vector<std::string> names_;  // canonical
};

}  // namespace benchhud::server
