// A short hash for what only has to be told apart from itself at another time: answers, cursors.
#pragma once

#include <cstdint>
#include <string_view>

namespace benchhud::schema {

/// A 64-bit fingerprint (FNV-1a) of bytes, going on from `seed`. Equal bytes, equal fingerprints,
/// on every machine; not for what somebody gains from forging.
std::uint64_t fingerprint(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325ULL);
/// Of a number's bytes, the least first.
std::uint64_t fingerprint(std::uint64_t number, std::uint64_t seed);

}  // namespace benchhud::schema
