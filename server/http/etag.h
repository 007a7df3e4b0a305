// ETags: whether an answer is still the one that somebody has.
#pragma once

#include <string_view>

namespace benchhud::server {

/// Whether an If-None-Match header names `etag` (RFC 9110, 13.1.2): `*`, or a list in which one is
/// equal by weak comparison. An empty `etag`, of an answer that has none, matches nothing.
bool etag_matches(std::string_view if_none_match, std::string_view etag);

}  // namespace benchhud::server
