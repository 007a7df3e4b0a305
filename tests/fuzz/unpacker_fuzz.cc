// What is sent packed: never crashes, never gives more than it may, and gives the same however it
// comes in pieces.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/http/unpacker.h"

namespace {

using benchhud::schema::Expected;
using benchhud::server::Packing;
using benchhud::server::Unpacker;

constexpr std::int64_t kMost = 1 << 20;

void require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::string bytes;
  bool is_whole = false;
};

Outcome unpacked(Packing packing, std::string_view packed, std::size_t piece) {
  Outcome outcome;
  const auto unpacker = Unpacker::make(packing, kMost);
  const auto take = [&](std::string_view bytes) -> Expected<void> {
    outcome.bytes += bytes;
    return {};
  };
  for (; !packed.empty(); packed.remove_prefix(std::min(piece, packed.size()))) {
    if (!unpacker->unpack(packed.substr(0, piece), take)) return outcome;
  }
  outcome.is_whole = unpacker->finish().has_value();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto packing = static_cast<Packing>(data[0] % 3);
  const std::size_t piece = 1 + data[1];
  const std::string_view packed(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = unpacked(packing, packed, packed.size() + 1);
  const Outcome pieces = unpacked(packing, packed, piece);
  require(static_cast<std::int64_t>(whole.bytes.size()) <= kMost);
  require(static_cast<std::int64_t>(pieces.bytes.size()) <= kMost);
  require(whole.is_whole == pieces.is_whole);
  if (whole.is_whole) require(whole.bytes == pieces.bytes);
  if (packing == Packing::kNone && whole.is_whole) require(whole.bytes == packed);
  return 0;
}
