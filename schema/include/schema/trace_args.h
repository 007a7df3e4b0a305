// Arguments of a trace's events, whole, as compressed blocks: read one by one when someone looks at
// an event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/column_codec.h"
#include "schema/errors.h"
#include "schema/trace.h"

namespace benchhud::schema {

/// Numbers what it is given from 0 on, and keeps it in blocks of some 128 KB before compression. An
/// object that is larger than that has a block to itself. In memory are the compressed blocks and
/// one that is open.
class PackedArgs : public TraceArgsSink {
 public:
  struct Block {
    std::uint64_t first = 0;  ///< number of its first object
    std::uint64_t count = 0;
    std::string bytes;
  };

  /// Returns the object's number.
  std::uint64_t put(std::string_view json) override;
  /// Closes the open block. More may be put later.
  void finish();
  /// What finish() has closed.
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
  std::uint64_t first_ = 0, count_ = 0;  // of the open block
  ColumnWriter sizes_;
  std::string texts_;
};

/// Texts, one after the other, as a compressed block: their number, their sizes, the texts. So are
/// texts of a trace kept, and arguments.
std::string encode_texts(const std::vector<std::string_view>& texts);
/// All of them. Error: kCorrupt.
Expected<std::vector<std::string>> decode_texts(std::string_view block);

/// Texts are collected for a block until they have so many bytes.
inline constexpr std::size_t kTextBlockBytes = std::size_t{128} << 10;

}  // namespace benchhud::schema
