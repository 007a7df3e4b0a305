// Unpacks what was sent packed, piece by piece, and stops where it becomes too much: a few
// kilobytes may stand for gigabytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::server {

enum class Packing { kNone, kGzip, kZstd };

/// How a Content-Type says that a body is packed: application/gzip (or x-gzip), application/zstd,
/// and kNone for application/x-ndjson, jsonl, json, octet-stream and text/plain. Nothing for other
/// types.
std::optional<Packing> packing_of(std::string_view content_type);

/// Takes what was unpacked.
using TakeUnpacked = std::function<schema::Expected<void>(std::string_view)>;

class Unpacker {
 public:
  /// For at most `most` unpacked bytes.
  static std::unique_ptr<Unpacker> make(Packing packing, std::int64_t most);
  virtual ~Unpacker() = default;

  /// Unpacks a piece, giving pieces of at most 64 kB. Errors: kInvalidArgument where it is not
  /// packed so, kTooLarge beyond the most; those of `take`.
  virtual schema::Expected<void> unpack(std::string_view piece, const TakeUnpacked& take) = 0;
  /// At the end. Error: kInvalidArgument where what came ends early.
  virtual schema::Expected<void> finish() = 0;
};

}  // namespace benchhud::server
