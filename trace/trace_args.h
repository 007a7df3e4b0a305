// Arguments of a trace's events, whole, as compressed blocks: read one by one when someone looks at
// an event.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/column_codec.h"
#include "schema/base/errors.h"
#include "trace/trace.h"

namespace benchhud::trace {

/// Numbers what it is given from 0 on, and keeps it in blocks of some 128 KB before compression. An
/// object that is larger than that has a block to itself. In memory are one block that is open and
/// kMostInMemory bytes of compressed ones; the others are in a temporary file without a name, or in
/// memory as well where none can be made.
class PackedArgs : public TraceArgsSink {
 public:
  static constexpr std::size_t kMostInMemory = std::size_t{1} << 20;

  struct Block {
    std::uint64_t first = 0;  ///< number of its first object
    std::uint64_t count = 0;
    std::string bytes;             ///< "": they are in the file
    std::size_t size_in_file = 0;  ///< bytes, behind those of the blocks before
  };

  /// Returns the object's number.
  std::uint64_t put(std::string_view json) override;
  /// Closes the open block. More may be put later.
  void finish();
  /// What finish() has closed, in order. Errors: kIo, kFull where the temporary file could not be
  /// written or read; those of `visit`.
  schema::Expected<void> visit_blocks(
      const std::function<schema::Expected<void>(const Block&)>& visit);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void keep(Block block);

  std::vector<Block> blocks_;
  std::size_t bytes_in_memory_ = 0;
  std::unique_ptr<std::FILE, Close> file_;
  bool may_make_file_ = true;
  int failure_ = 0;                      // errno of writing it
  std::uint64_t first_ = 0, count_ = 0;  // of the open block
  schema::ColumnWriter sizes_;
  std::string texts_;
};

/// Texts, one after the other, as a compressed block: their number, their sizes, the texts. So are
/// texts of a trace kept, and arguments.
std::string encode_texts(const std::vector<std::string_view>& texts);
/// All of them. Error: kCorrupt.
schema::Expected<std::vector<std::string>> decode_texts(std::string_view block);

/// Texts are collected for a block until they have so many bytes.
inline constexpr std::size_t kTextBlockBytes = std::size_t{128} << 10;

}  // namespace benchhud::trace
