#include "server/http/etag.h"

namespace benchhud::server {
namespace {

std::string_view opaque(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return tag;
}

}  // namespace

bool etag_matches(std::string_view header, std::string_view etag) {
  if (etag.empty()) return false;
  while (!header.empty()) {
    const char c = header.front();
    if (c == ' ' || c == '\t' || c == ',') {
      header.remove_prefix(1);
      continue;
    }
    if (c == '*') return true;
    // A tag is W/"…" or "…"; anything else ends the list.
    const std::size_t open = header.find('"');
    if (open == std::string_view::npos) return false;
    const std::size_t close = header.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    if (opaque(header.substr(0, close + 1)) == opaque(etag)) return true;
    header.remove_prefix(close + 1);
  }
  return false;
}

}  // namespace benchhud::server
