// The bytes of a file, decompressed where it is gzip or zstd, in pieces that end with a line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"

namespace benchhud::ingest {

/// A file or a pipe, read from front to back. Gzip (of one or several members) and zstd (of one or
/// several frames) are known by their first bytes, not by a name.
class SourceFile {
 public:
  /// Nothing is read yet. Error: kIo.
  static schema::Expected<SourceFile> open(const std::string& path);
  /// The program's, for who reads it once: what it gave is gone. Error: kIo.
  static schema::Expected<SourceFile> standard_input();
  SourceFile(SourceFile&&) noexcept;
  ~SourceFile();

  /// Appends `most` decompressed bytes to `out`, fewer only before the end or an error, which the
  /// next call tells; 0 at the end. Errors: kIo; kCorrupt for compressed data that is damaged or
  /// ends early.
  schema::Expected<std::size_t> read(std::size_t most, std::string* out);

  /// The path, or "standard input": what messages call it.
  const std::string& name() const;
  std::int64_t size_on_disk() const;
  /// How far into the file on disk reading has come, for a progress bar.
  std::int64_t position_on_disk() const;

 private:
  struct State;
  explicit SourceFile(std::unique_ptr<State> state);
  static schema::Expected<SourceFile> opened(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Some whole lines of a file, or its last, unfinished one.
struct Chunk {
  std::string text;
  std::int64_t byte_offset = 0;  ///< of text's first byte in the decompressed file
  std::int64_t first_line = 1;   ///< number of the line that text begins with
  bool is_unfinished = false;    ///< text is one line, and the file ended inside it
  /// Set where a line is longer than kLongestLine: text is then its beginning and this its length.
  std::int64_t overlong_bytes = 0;
  bool lacks_memory = false;          ///< the same, of a line that there is no memory for
  std::int64_t position_on_disk = 0;  ///< how far into the file on disk reading has come
};

/// Lines longer than this are rejected without being held in memory.
inline constexpr std::size_t kLongestLine = std::size_t{256} << 20;

/// Cuts a file into chunks of whole lines, about kChunkBytes each (longer only for longer lines),
/// and hashes what it reads.
class ChunkReader {
 public:
  static constexpr std::size_t kChunkBytes = 1 << 20;
  static constexpr std::size_t kChunkLines =
      4096;  ///< tiny lines take more memory parsed than read

  explicit ChunkReader(SourceFile file) : file_(std::move(file)) {}

  /// The next chunk into `chunk` (its memory is used again); false at the end of the file.
  schema::Expected<bool> next(Chunk* chunk);
  /// The same for who needs no whole lines: the next bytes, at most kChunkBytes, of however long a
  /// line. Not to be mixed with next().
  schema::Expected<bool> next_piece(Chunk* chunk);

  std::int64_t byte_count() const { return offset_; }         ///< decompressed bytes given out
  std::int64_t line_count() const { return next_line_ - 1; }  ///< lines given out
  schema::ContentHash content_hash() const { return hasher_.finish(); }  ///< at the end: of all
  const SourceFile& file() const { return file_; }
  /// Why the file ended before its time: damaged compression. "" if it did not.
  const std::string& damage() const { return damage_; }

 private:
  schema::Expected<std::size_t> read(std::string* out);
  static bool has_room(std::string* text);
  schema::Expected<void> skip_line(Chunk* chunk);
  bool take_carried_lines(Chunk* chunk);

  SourceFile file_;
  schema::ContentHasher hasher_;
  std::string carry_;        // read already, not given out
  std::size_t carried_ = 0;  // how much of carry_ has been given out
  std::int64_t offset_ = 0;
  std::int64_t next_line_ = 1;
  bool at_end_ = false;
  std::string damage_;
};

}  // namespace benchhud::ingest
