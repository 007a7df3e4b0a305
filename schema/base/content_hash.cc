// A content hash is XXH3_128bits of the bytes in xxHash's canonical form: 16 bytes, big-endian.
#include "schema/base/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <system_error>

namespace benchhud::schema {
namespace {

ContentHash canonical(XXH128_hash_t hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  ContentHash result;
  std::memcpy(result.bytes.data(), bytes.digest, result.bytes.size());
  return result;
}

}  // namespace

std::string ContentHash::hex() const {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::optional<ContentHash> content_hash_of_hex(std::string_view hex) {
  ContentHash hash;
  if (hex.size() != 2 * hash.bytes.size()) return {};
  for (std::size_t i = 0; i < hash.bytes.size(); ++i) {
    unsigned char byte = 0;
    const char* begin = hex.data() + 2 * i;
    const auto read = std::from_chars(begin, begin + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != begin + 2) return {};
    hash.bytes[i] = static_cast<char>(byte);
  }
  if (hash.hex() != hex) return {};  // capitals
  return hash;
}

ContentHash content_hash(std::string_view bytes) {
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

struct ContentHasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(state_->xxh);
}
ContentHasher::~ContentHasher() = default;

void ContentHasher::update(std::string_view bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

ContentHash ContentHasher::finish() const { return canonical(XXH3_128bits_digest(state_->xxh)); }

}  // namespace benchhud::schema
