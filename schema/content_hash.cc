#include "schema/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

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
