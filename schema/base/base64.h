// Base64 as it may stand in addresses (RFC 4648, section 5), without padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace benchhud::schema {

std::string base64url(std::string_view bytes);
/// Nothing for a text that base64url() does not make, one with stray bits at its end included.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace benchhud::schema
