// Characters of addresses and headers, in ASCII.
#pragma once

#include <string_view>

#include "schema/base/ascii.h"

namespace benchhud::server {

/// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

using schema::equal_ignoring_case;
using schema::lower;

}  // namespace benchhud::server
