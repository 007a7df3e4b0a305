// Compression of answers.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::server {

enum class Effort {
  kQuick,    ///< for answers, made while somebody waits: JSON of tables shrinks tenfold even so
  kThorough  ///< for what is packed once and sent often: scripts get a fifth smaller
};

/// The bytes as a gzip member. "" if there is no memory for it.
std::string gzip(std::string_view bytes, Effort effort = Effort::kQuick);

/// Whether an Accept-Encoding header takes gzip (RFC 9110, 12.5.3): named or *, and not with q=0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace benchhud::server
