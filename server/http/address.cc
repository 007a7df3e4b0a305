#include "server/http/address.h"

#include "server/http/header_text.h"

namespace benchhud::server {
namespace {

/// Calls `take` with each part of `text` between separators.
template <class Take>
void split(std::string_view text, char separator, Take take) {
  for (;;) {
    const std::size_t end = text.find(separator);
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const int high = c == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += plus_is_space && c == '+' ? ' ' : c;
    }
  }
  return decoded;
}

Address parse_address(std::string_view target) {
  Address address;
  const std::size_t mark = target.find('?');
  address.path = target.substr(0, mark);
  split(address.path, '/', [&](std::string_view part) {
    if (!part.empty()) address.segments.push_back(percent_decode(part, false));
  });
  if (mark == std::string_view::npos) return address;
  split(target.substr(mark + 1), '&', [&](std::string_view part) {
    if (part.empty()) return;
    const std::size_t equals = part.find('=');
    const auto value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    address.query.emplace_back(percent_decode(part.substr(0, equals), true),
                               percent_decode(value, true));
  });
  return address;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kHex[u >> 4];
      encoded += kHex[u & 15];
    }
  }
  return encoded;
}

}  // namespace benchhud::server
