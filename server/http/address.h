// Addresses: what stands between the host and the end of the query.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchhud::server {

/// An address taken apart and decoded.
struct Address {
  std::vector<std::string> segments;  ///< of the path, without empty ones: `/api/v1/runs` has three
  std::string path;                   ///< as it came, without the query
  std::vector<std::pair<std::string, std::string>> query;  ///< in order; a name without = has ""
};

/// Percent-decoding happens after splitting, so an encoded slash or & stays part of its segment or
/// value. In the query + is a space, as forms write it.
Address parse_address(std::string_view target);

/// A % that begins no encoding stays as it is.
std::string percent_decode(std::string_view text, bool plus_is_space);

/// Encodes everything that is not a letter, digit, - . _ or ~.
std::string percent_encode(std::string_view text);

}  // namespace benchhud::server
