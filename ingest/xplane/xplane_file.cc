#include "ingest/xplane/xplane_file.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "ingest/text/file_kind.h"
#include "ingest/text/source_file.h"
#include "schema/base/system_error.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

constexpr std::size_t kXplanePieceBytes = std::size_t{1} << 20;
// By so many an XSpace is known.
constexpr std::size_t kXplaneBeginBytes = 4096;

struct CloseCopy {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Error cannot_copy(const std::string& path) {
  const int reason = errno;
  return {schema::is_out_of_space(reason) ? ErrorCode::kFull : ErrorCode::kIo,
          fmt::format("{} cannot be copied to a temporary file: {}", path, std::strerror(reason))};
}

}  // namespace

XplaneFile::~XplaneFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

Expected<XplaneFile> XplaneFile::open(const std::string& path) {
  BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(path));
  const std::unique_ptr<std::FILE, CloseCopy> copy(std::tmpfile());
  if (!copy) return cannot_copy(path);
  XplaneFile file;
  schema::ContentHasher hasher;
  std::size_t size = 0;
  std::string piece;
  for (;;) {
    piece.clear();
    const Expected<std::size_t> count = source.read(kXplanePieceBytes, &piece);
    if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
    if (!count) file.damage_ = count.error().message;
    hasher.update(piece);
    size += piece.size();
    errno = 0;
    if (std::fwrite(piece.data(), 1, piece.size(), copy.get()) != piece.size()) {
      return cannot_copy(path);
    }
    if (piece.empty() || !file.damage_.empty()) break;
  }
  file.hash_ = hasher.finish();
  if (std::fflush(copy.get()) != 0) return cannot_copy(path);
  if (size > 0) {
    void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fileno(copy.get()), 0);
    if (bytes == MAP_FAILED) return cannot_copy(path);
    file.bytes_ = {static_cast<const char*>(bytes), size};
  }
  return file;
}

Expected<bool> is_xplane_file(const std::string& path) {
  if (is_xplane_name(path)) return true;
  std::error_code error;
  // What comes through a pipe cannot be read twice.
  if (!std::filesystem::is_regular_file(path, error)) return false;
  BENCHHUD_ASSIGN(SourceFile source, SourceFile::open(path));
  std::string begin;
  const Expected<std::size_t> count = source.read(kXplaneBeginBytes, &begin);
  if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
  return is_xplane(begin);
}

}  // namespace benchhud::ingest
