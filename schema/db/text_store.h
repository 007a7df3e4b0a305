// Texts kept by content: errors, nested metrics, rejected lines. Each once, compressed where that
// saves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// A text as it is stored. Made apart from the store, so that compression can be done by another
/// thread.
struct PackedText {
  ContentHash hash;
  std::int64_t byte_count = 0;
  bool is_zstd = false;
  std::string bytes;
};

/// Compresses texts over a few hundred bytes, if that makes them smaller.
PackedText pack_text(std::string_view text);

/// The text of stored bytes. Error: kCorrupt.
Expected<std::string> unpack_text(std::string_view bytes, bool is_zstd, std::int64_t byte_count);

/// A text of a store or another database that has the table, as it is kept. Error: kNotFound.
Expected<PackedText> packed_text(Connection& connection, TextId id);

/// Puts texts into the store, each content once.
class TextWriter {
 public:
  explicit TextWriter(Connection& connection) : connection_(connection) {}
  Expected<TextId> put(const PackedText& text);
  /// Looks many up together that put() is about to be given. Need not be called.
  Expected<void> look_ahead(std::span<const ContentHash> hashes);

 private:
  Connection& connection_;
  // What this writer put or looked up lately, so that a repeated text costs no query; none: it is
  // not in the store. Emptied when it grows large.
  std::unordered_map<ContentHash, std::optional<TextId>, ContentHashHasher> known_;
};

}  // namespace benchhud::schema
