#include "schema/places/local_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "schema/base/system_error.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;

/// Some file systems cannot sync a folder, and need not.
Expected<void> sync_folder(const fs::path& folder) {
  const FileDescriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.descriptor() < 0) return file_error("sync the folder", folder, errno);
  if (fsync(file.descriptor()) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) {
    return {};
  }
  return file_error("sync the folder", folder, errno);
}

}  // namespace

Error file_error(std::string_view to_be_done, const fs::path& path, int error) {
  return {error_code_of(error),
          fmt::format("cannot {} {}: {}", to_be_done, path.string(), std::strerror(error))};
}

Error changed_meanwhile(const fs::path& file) {
  return {ErrorCode::kIo, file.string() + " was written while it was read"};
}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) close(descriptor_);
}

Expected<InputFile> InputFile::open(const fs::path& path) {
  InputFile opened{FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
  if (opened.file.descriptor() < 0) {
    Error error = file_error("read", path, errno);
    error.code = errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
    return error;
  }
  struct stat status{};
  if (fstat(opened.file.descriptor(), &status) != 0) return file_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kIo, path.string() + " is no regular file"};
  }
  opened.byte_count = status.st_size;
  opened.state = {status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  return opened;
}

Expected<std::string_view> read_some(const InputFile& file, char* buffer, std::size_t most) {
  for (;;) {
    const ssize_t count = read(file.file.descriptor(), buffer, most);
    if (count >= 0) return std::string_view(buffer, static_cast<std::size_t>(count));
    if (errno != EINTR) {
      return Error{ErrorCode::kIo, fmt::format("cannot read: {}", std::strerror(errno))};
    }
  }
}

Expected<ContentHash> hash_of(const InputFile& file) {
  const auto buffer = std::make_unique<char[]>(kBytesReadAtOnce);
  ContentHasher hasher;
  for (;;) {
    BENCHHUD_ASSIGN(const std::string_view bytes, read_some(file, buffer.get(), kBytesReadAtOnce));
    if (bytes.empty()) return hasher.finish();
    hasher.update(bytes);
  }
}

Expected<TemporaryFile> TemporaryFile::make(const fs::path& path) { return make(path, O_TRUNC); }

Expected<TemporaryFile> TemporaryFile::make_new(const fs::path& path) { return make(path, O_EXCL); }

Expected<TemporaryFile> TemporaryFile::make(const fs::path& path, int flags) {
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666));
  if (file.descriptor() < 0) return file_error("write", path, errno);
  return TemporaryFile(path, std::move(file));
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

Expected<void> TemporaryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.descriptor(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    byte_count_ += count;
  }
  return {};
}

Expected<void> TemporaryFile::begin_again() {
  if (ftruncate(file_.descriptor(), 0) != 0 || lseek(file_.descriptor(), 0, SEEK_SET) != 0) {
    return file_error("write", path_, errno);
  }
  byte_count_ = 0;
  return {};
}

Expected<void> TemporaryFile::keep() {
  // The closing of a copy of the descriptor says what that of the descriptor would.
  const int copy = dup(file_.descriptor());
  if (copy < 0 || close(copy) != 0) return file_error("write", path_, errno);
  path_.clear();
  return {};
}

Expected<void> TemporaryFile::keep_synced() {
  if (fsync(file_.descriptor()) != 0) return file_error("write", path_, errno);
  BENCHHUD_TRY(sync_folder(path_.parent_path()));
  path_.clear();
  return {};
}

Expected<void> TemporaryFile::keep_as(const fs::path& to) {
  if (fsync(file_.descriptor()) != 0) return file_error("write", path_, errno);
  if (std::rename(path_.c_str(), to.c_str()) != 0) return file_error("write", to, errno);
  path_.clear();
  return sync_folder(to.parent_path());
}

Expected<void> copy_bytes(const InputFile& from, TemporaryFile* to, std::int64_t most_bytes) {
  const auto buffer = std::make_unique<char[]>(kBytesReadAtOnce);
  for (;;) {
    BENCHHUD_ASSIGN(const std::string_view bytes, read_some(from, buffer.get(), kBytesReadAtOnce));
    if (bytes.empty()) return {};
    if (to->byte_count() + static_cast<std::int64_t>(bytes.size()) > most_bytes) {
      return Error{ErrorCode::kCorrupt, fmt::format("it has more than {} bytes", most_bytes)};
    }
    BENCHHUD_TRY(to->write(bytes));
  }
}

Expected<void> make_folders(const fs::path& root, const fs::path& path) {
  fs::path made = root;
  for (const fs::path& part : path) {
    const fs::path above = made;
    made /= part;
    if (mkdir(made.c_str(), 0777) != 0 && errno != EEXIST) {
      return file_error("make the folder", made, errno);
    }
    // Also where it was there: whoever made it may not have come to this yet.
    BENCHHUD_TRY(sync_folder(above));
  }
  return {};
}

}  // namespace benchhud::schema
