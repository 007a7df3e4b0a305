// A stored text is a row of the table text. The tables night_facts and watch_state have the same
// four columns, with the names behind "or":
//   hash, or content: content_hash() of the text
//   byte_count: the size of the text
//   zstd, or is_zstd: 1 where bytes is compressed, else 0
//   bytes: the text as it is; or, where it has at least 256 bytes and this makes it smaller, one
//     zstd frame that states the size of its content, which is byte_count and at most 2^31
#include "schema/db/text_store.h"

#include <zstd.h>

#include <vector>

#include "schema/base/column_codec.h"
#include "schema/db/key_lookup.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

constexpr std::size_t kWorthCompressing = 256;
constexpr std::size_t kMostKnown = 100'000;
constexpr int kLevel = 1;
constexpr unsigned long long kLongest = 1ULL << 31;

}  // namespace

PackedText pack_text(std::string_view text) {
  PackedText packed;
  packed.hash = content_hash(text);
  packed.byte_count = static_cast<std::int64_t>(text.size());
  if (text.size() >= kWorthCompressing) {
    packed.bytes = compress(text, kLevel);
    if (!packed.bytes.empty() && packed.bytes.size() < text.size()) {
      packed.is_zstd = true;
      return packed;
    }
  }
  packed.bytes.assign(text);
  return packed;
}

Expected<std::string> unpack_text(std::string_view bytes, bool is_zstd, std::int64_t byte_count) {
  if (!is_zstd) return std::string(bytes);
  const Error corrupt{ErrorCode::kCorrupt, "a kept text cannot be decompressed"};
  // Before room is made for a length that damage made up. What zstd says of a frame that is none,
  // or that does not tell, is beyond any length.
  const auto length = static_cast<unsigned long long>(byte_count);
  if (length > kLongest) return corrupt;
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != length) return corrupt;
  std::string text(static_cast<std::size_t>(byte_count), '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  throw_if_no_memory(size);
  if (ZSTD_isError(size) || size != text.size()) return corrupt;
  return text;
}

Expected<PackedText> packed_text(Connection& connection, TextId id) {
  Statement query = connection.cached(sql::kTextById);
  query.bind(1, id);
  return one(
      query,
      [](const Statement& row) {
        return PackedText{hash_of(row, 3), row.integer(2), row.integer(1) != 0,
                          std::string(row.blob(0))};
      },
      "text of that number");
}

Expected<TextId> TextWriter::put(const PackedText& text) {
  auto known = known_.find(text.hash);
  if (known == known_.end()) {
    BENCHHUD_TRY(look_ahead(std::span(&text.hash, 1)));
    known = known_.find(text.hash);
  }
  if (known->second) return *known->second;
  Statement insert = connection_.cached(sql::kInsertText);
  insert.bind_blob_view(1, text.hash.view())
      .bind(2, text.byte_count)
      .bind(3, text.is_zstd)
      .bind_blob_view(4, text.bytes);
  BENCHHUD_TRY(insert.run());
  known->second = TextId(connection_.last_insert_id());
  return *known->second;
}

Expected<void> TextWriter::look_ahead(std::span<const ContentHash> hashes) {
  if (known_.size() > kMostKnown) known_.clear();
  std::vector<ContentHash> unknown;
  for (const ContentHash& hash : hashes) {
    if (known_.try_emplace(hash).second) unknown.push_back(hash);
  }
  return look_up(
      connection_, sql::kFindText, std::span<const ContentHash>(unknown),
      [](Statement& query, int parameter, const ContentHash& hash) {
        query.bind_blob_view(parameter, hash.view());
      },
      [&](const Statement& row) -> Expected<void> {
        known_[hash_of(row, 1)] = TextId(row.integer(0));
        return {};
      });
}

}  // namespace benchhud::schema
