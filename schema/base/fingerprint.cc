#include "schema/base/fingerprint.h"

namespace benchhud::schema {
namespace {

std::uint64_t gone_on(std::uint64_t seed, unsigned char byte) {
  return (seed ^ byte) * 0x100000001b3ULL;
}

}  // namespace

std::uint64_t fingerprint(std::string_view bytes, std::uint64_t seed) {
  for (const char c : bytes) seed = gone_on(seed, static_cast<unsigned char>(c));
  return seed;
}

std::uint64_t fingerprint(std::uint64_t number, std::uint64_t seed) {
  for (int i = 0; i < 8; ++i) seed = gone_on(seed, static_cast<unsigned char>(number >> (8 * i)));
  return seed;
}

}  // namespace benchhud::schema
