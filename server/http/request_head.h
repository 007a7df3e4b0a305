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
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::server {

struct HeadLimits {
  std::size_t bytes = std::size_t{16} * 1024;  ///< the whole head, the empty line included
  std::size_t headers = 64;
  std::size_t target = 4096;  ///< bytes of the address
  /// Bytes of a POST's body: the longest note, with room for what JSON makes of it.
  std::size_t body = std::size_t{256} * 1024;
  /// Addresses that take files, whose bodies are read in pieces, and the bytes of such a body. Who
  /// sends one may ask for the word to go on first (Expect: 100-continue).
  std::vector<std::string> upload_addresses;
  std::size_t upload = std::size_t{1} << 30;
};

/// Checks a request's head: everything up to and including the empty line. Only what is certain to
/// mean one thing passes: GET, HEAD, POST or DELETE, an address without control characters, plain
/// or percent-encoded, header lines of their plainest form, one Host, and at most one of each
/// header that this server reads. A POST has a body, in one piece and with its length; nothing else
/// has one. Gives the reason for a refusal.
std::optional<schema::Error> check_head(std::string_view head, const HeadLimits& limits = {});

// What a head says that check_head() let pass.

std::string_view method_of(std::string_view head);
/// The address, as it came.
std::string_view target_of(std::string_view head);
/// The first header of that name, without the spaces around its value; "" if there is none. Nothing
/// is decoded.
std::string_view header_of(std::string_view head, std::string_view name);
/// Whether it is of HTTP/1.0.
bool is_old_request(std::string_view head);
/// Whether the connection is to end with the answer.
bool is_last_request(std::string_view head);

/// Whether a head that check_head() let pass is of a file that is sent.
bool is_upload(std::string_view head, const HeadLimits& limits);

/// Whether who sends it waits for the word to go on.
bool waits_for_word(std::string_view head);

/// How many bytes of body follow a head that check_head() let pass.
std::size_t body_size(std::string_view head);

}  // namespace benchhud::server
