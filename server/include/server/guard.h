// What a request's head must look like before anything else reads it. Pure: bytes in, verdict out.
//
// The HTTP library behind it accepts much that two programs in a row could read differently (two
// lengths, a length and chunks, a body where none belongs) and much that costs (100,000 headers).
// None of that gets to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "schema/errors.h"

namespace benchhud::server {

struct HeadLimits {
  std::size_t bytes = 16 * 1024;  ///< the whole head, the empty line included
  std::size_t headers = 64;
  std::size_t target = 4096;  ///< bytes of the address
};

/// Checks a request's head: everything up to and including the empty line. Only what is certain to
/// mean one thing passes: GET or HEAD, an address without control characters, plain or
/// percent-encoded, header lines of their plainest form, one Host, no body, at most one range.
/// Gives the reason for a refusal.
std::optional<schema::Error> check_head(std::string_view head, const HeadLimits& limits = {});

}  // namespace benchhud::server
