// Compression of answers.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::server {

/// The bytes as a gzip member, at zlib's fastest level: JSON of tables shrinks tenfold even so. ""
/// if there is no memory for it.
std::string gzip(std::string_view bytes);

/// Whether an Accept-Encoding header takes gzip (RFC 9110, 12.5.3): named or *, and not with q=0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace benchhud::server
