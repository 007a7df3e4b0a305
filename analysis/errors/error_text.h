// A message without what varies from run to run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benchhud::analysis {

/// Rewrites one message so that two runs that failed for the same cause give the same text:
/// - white space and control characters become one space, colours vanish, bytes that are not UTF-8
///   become U+FFFD;
/// - addresses become ADDR, URLs URL, dates with times TIME, UUIDs and hexadecimal hashes ID, paths
/// PATH
///   (a C or C++ source file keeps its name: it says where a check failed);
/// - numbers become N, lists of them N..., with a unit of memory N bytes; numbers in names stay
///   (`float32`, `conv2d`, `3D`) unless they count (`primals_12`, `buf7`), and so do codes (`exit
///   status 137`, `signal 11`, `Errno 2`);
/// - what stands in brackets and is longer than 40 characters becomes `...`, unless it is one
/// quoted text
///   in parentheses.
/// The answer has at most `limit` bytes and ends in `...` where it was cut, between two characters.
/// Time is linear in the text; no more than the first 64 KiB are read.
std::string reduce_message(std::string_view text, std::size_t limit);

}  // namespace benchhud::analysis
