// Files of this machine that objects are read from and written into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"

namespace benchhud::schema {

/// How much of a file is read at once.
inline constexpr std::size_t kBytesReadAtOnce = 1 << 20;

/// A file that is open, until it goes.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor = -1) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileDescriptor();

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Which file it is, and whether it was written since.
struct FileState {
  std::uint64_t device = 0, inode = 0;
  std::int64_t modified_s = 0, modified_ns = 0;

  bool operator==(const FileState&) const = default;
};

/// A regular file, to be read from its beginning.
struct InputFile {
  FileDescriptor file;
  std::int64_t byte_count = 0;
  FileState state{};  ///< when it was opened

  /// Errors: kNotFound, there is none; kIo, it may not be read or is no regular file.
  static Expected<InputFile> open(const std::filesystem::path& path);
};

/// The hash of the bytes behind those that were read before. Error: kIo.
Expected<ContentHash> hash_of(const InputFile& file);

/// Reads up to `most` bytes behind those that were read before; none at the end. Error: kIo.
Expected<std::string_view> read_some(const InputFile& file, char* buffer, std::size_t most);

/// A file that is being written, and is removed unless it was kept.
class TemporaryFile {
 public:
  /// Makes or replaces the file. Errors: kReadOnly, kFull, kIo.
  static Expected<TemporaryFile> make(const std::filesystem::path& path);
  /// Makes the file; one that is there already, and be it a link to another, is kIo.
  static Expected<TemporaryFile> make_new(const std::filesystem::path& path);

  TemporaryFile(TemporaryFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  std::int64_t byte_count() const { return byte_count_; }
  /// Errors: kFull, kIo.
  Expected<void> write(std::string_view bytes);
  /// Empties the file, to be written again. Error: kIo.
  Expected<void> begin_again();
  /// Leaves the file where it is. Errors: kFull, kIo, which some file systems report only now.
  Expected<void> keep();
  /// The same, so that the file outlives a power cut. Errors: kFull, kIo.
  Expected<void> keep_synced();
  /// Syncs the file and gives it its name `to`, in place of what has that name, so that both
  /// outlive a power cut. Errors: kFull, kIo; the file may then have the name already.
  Expected<void> keep_as(const std::filesystem::path& to);

 private:
  static Expected<TemporaryFile> make(const std::filesystem::path& path, int flags);
  TemporaryFile(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;  // "": kept, or moved from
  FileDescriptor file_;
  std::int64_t byte_count_ = 0;
};

/// Copies all bytes. Errors: of either file; kCorrupt, there are more than `most_bytes`.
Expected<void> copy_bytes(const InputFile& from, TemporaryFile* to, std::int64_t most_bytes);

/// Makes the folders of `path` below `root` that are not there. All outlive a power cut then.
/// Errors: kReadOnly, kFull, kIo.
Expected<void> make_folders(const std::filesystem::path& root, const std::filesystem::path& path);

/// A file that has not as many bytes as it had when it was opened.
Error changed_meanwhile(const std::filesystem::path& file);

/// What `error` (an errno) of something that was to be done to `path` is, in words.
Error file_error(std::string_view to_be_done, const std::filesystem::path& path, int error);

}  // namespace benchhud::schema
