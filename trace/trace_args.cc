// A block of a trace's texts, or of arguments, of which each is the text of a JSON object as the
// file has it, is one zstd frame around at most 10^9 bytes:
//   N: varint
//   N times the size of a text in bytes: varint
//   the N texts, one behind the other, without anything between them
// Varints are as ColumnWriter writes them (schema/base/column_codec.h). In the store,
// trace_block.first is the number of the block's first text. In the temporary file the frames
// follow one another; their sizes are only in memory.
#include "trace/trace_args.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "schema/base/free_text.h"
#include "schema/base/system_error.h"

namespace benchhud::trace {
namespace {

// What SQLite takes as one value; a single text may be as long.
constexpr std::size_t kMostTextBytes = 1'000'000'000;

std::string close_block(std::uint64_t count, const schema::ColumnWriter& sizes,
                        std::string_view texts) {
  schema::ColumnWriter block;
  block.put(count);
  block.put_bytes(sizes.bytes());
  block.put_bytes(texts);
  return schema::compress(block.bytes());
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
  keep({first_, count_, close_block(count_, sizes_, texts_)});
  first_ += std::exchange(count_, 0);
  sizes_.clear();
  // A giant's room is given back.
  if (texts_.capacity() > 2 * kTextBlockBytes) schema::free_text(&texts_);
  texts_.clear();
}

void PackedArgs::keep(Block block) {
  bytes_in_memory_ += block.bytes.size();
  if (bytes_in_memory_ > kMostInMemory && !file_ && may_make_file_) {
    file_.reset(std::tmpfile());
    may_make_file_ = false;
  }
  if (file_) {
    errno = 0;
    block.size_in_file = block.bytes.size();
    const bool is_written =
        std::fwrite(block.bytes.data(), 1, block.bytes.size(), file_.get()) == block.bytes.size();
    if (!is_written && failure_ == 0) failure_ = errno == 0 ? EIO : errno;
    schema::free_text(&block.bytes);
  }
  blocks_.push_back(std::move(block));
}

schema::Expected<void> PackedArgs::visit_blocks(
    const std::function<schema::Expected<void>(const Block&)>& visit) {
  errno = 0;
  if (file_ && (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) &&
      failure_ == 0) {
    failure_ = errno == 0 ? EIO : errno;
  }
  for (const Block& block : blocks_) {
    if (block.size_in_file == 0) {
      BENCHHUD_TRY(visit(block));
      continue;
    }
    Block read{block.first, block.count, std::string(block.size_in_file, '\0')};
    if (failure_ == 0 &&
        std::fread(read.bytes.data(), 1, read.bytes.size(), file_.get()) != read.bytes.size()) {
      failure_ = errno == 0 ? EIO : errno;
    }
    if (failure_ != 0) {
      return schema::Error{
          schema::is_out_of_space(failure_) ? schema::ErrorCode::kFull : schema::ErrorCode::kIo,
          fmt::format("the arguments of the trace's events cannot be kept in a temporary "
                      "file: {}",
                      std::strerror(failure_))};
    }
    BENCHHUD_TRY(visit(read));
  }
  return {};
}

std::string encode_texts(const std::vector<std::string_view>& texts) {
  schema::ColumnWriter sizes;
  std::string joined;
  for (const std::string_view text : texts) {
    sizes.put(text.size());
    joined += text;
  }
  return close_block(texts.size(), sizes, joined);
}

schema::Expected<std::vector<std::string>> decode_texts(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, kMostTextBytes));
  schema::ColumnReader reader(bytes);
  std::vector<std::size_t> sizes(reader.get_count());
  for (std::size_t& size : sizes) size = reader.get();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sizes.size() && reader.is_ok(); ++i) {
    texts.emplace_back(reader.get_bytes(sizes[i]));
  }
  if (!reader.is_done()) return schema::corrupt_trace("block of texts");
  return texts;
}

}  // namespace benchhud::trace
