#include "schema/trace_args.h"

#include <utility>

namespace benchhud::schema {
namespace {

// What SQLite takes as one value; a single text may be as long.
constexpr std::size_t kMostTextBytes = 1'000'000'000;

std::string close_block(std::uint64_t count, const ColumnWriter& sizes, std::string_view texts) {
  ColumnWriter block;
  block.put(count);
  block.put_bytes(sizes.bytes());
  block.put_bytes(texts);
  return compress(block.bytes());
}

}  // namespace

std::uint64_t PackedArgs::put(std::string_view json) {
  if (count_ > 0 && texts_.size() + json.size() > kTextBlockBytes) finish();
  sizes_.put(json.size());
  texts_ += json;
  return first_ + count_++;
}

void PackedArgs::finish() {
  if (count_ == 0) return;
  blocks_.push_back({first_, count_, close_block(count_, sizes_, texts_)});
  first_ += std::exchange(count_, 0);
  sizes_.clear();
  // A giant's room is given back.
  if (texts_.capacity() > 2 * kTextBlockBytes) texts_ = std::string();
  texts_.clear();
}

std::string encode_texts(const std::vector<std::string_view>& texts) {
  ColumnWriter sizes;
  std::string joined;
  for (const std::string_view text : texts) {
    sizes.put(text.size());
    joined += text;
  }
  return close_block(texts.size(), sizes, joined);
}

Expected<std::vector<std::string>> decode_texts(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, decompress(block, kMostTextBytes));
  ColumnReader reader(bytes);
  std::vector<std::size_t> sizes(reader.get_count());
  for (std::size_t& size : sizes) size = reader.get();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sizes.size() && reader.is_ok(); ++i) {
    texts.emplace_back(reader.get_bytes(sizes[i]));
  }
  if (!reader.is_done()) return corrupt_trace("block of texts");
  return texts;
}

}  // namespace benchhud::schema
