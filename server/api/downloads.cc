#include "server/api/downloads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "schema/store/store_backup.h"

namespace benchhud::server {
namespace {

namespace fs = std::filesystem;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::size_t kCopyPieceBytes = 256 << 10;
/// A copy may be larger than what is in the store's file, by what is in its log.
constexpr double kRoomToSpare = 1.1;

Error copy_error(const char* what) {
  return {ErrorCode::kIo, fmt::format("{}: {}.", what, std::strerror(errno))};
}

/// An open file that has no name any more, and so goes with who has it open.
class NamelessFile {
 public:
  explicit NamelessFile(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    ::unlink(path.c_str());
  }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() {
    if (file_ >= 0) ::close(file_);
  }
  bool is_open() const { return file_ >= 0; }

  /// 0 at the end.
  Expected<std::size_t> read(char* bytes, std::size_t size) const {
    for (;;) {
      const ssize_t count = ::read(file_, bytes, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return copy_error("The copy cannot be read");
    }
  }

 private:
  const int file_;
};

std::string copy_begin(const std::string& store) { return store + ".download-"; }

/// What programs left that were killed while they made a copy.
void remove_orphans(const std::string& store) {
  std::error_code error;
  const fs::path begin = fs::absolute(copy_begin(store), error);
  const std::string name = begin.filename().string();
  for (fs::directory_iterator entry(begin.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (!file.starts_with(name)) continue;
    int process = 0;
    const auto read =
        std::from_chars(file.data() + name.size(), file.data() + file.size(), process);
    if (read.ec != std::errc() || process <= 0) continue;
    if (::kill(process, 0) != 0 && errno == ESRCH) schema::remove_database(entry->path().string());
  }
}

std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

Expected<std::shared_ptr<const Downloads::Copy>> Downloads::begin() {
  if (!turn_.try_acquire()) {
    return Error{ErrorCode::kBusy, "Another copy of the store is being sent; try again later."};
  }
  auto copy = std::make_shared<const Copy>(store_path_, &turn_);
  std::error_code error;
  const fs::path store = fs::absolute(store_path_, error);
  const auto room = error ? fs::space_info() : fs::space(store.parent_path(), error);
  const auto wanted =
      static_cast<double>(size_of(store_path_) + size_of(store_path_ + "-wal")) * kRoomToSpare;
  if (!error && static_cast<double>(room.available) < wanted) {
    return Error{ErrorCode::kFull, "There is no room for a copy of the store beside it."};
  }
  return copy;
}

Expected<void> Downloads::Copy::send(schema::Connection& connection,
                                     const schema::ByteSink& take) const {
  remove_orphans(store_path_);
  const std::string path = copy_begin(store_path_) + std::to_string(::getpid());
  BENCHHUD_TRY(schema::copy_to_share(connection, path));
  const NamelessFile file(path);
  if (!file.is_open()) return copy_error("The copy cannot be read");
  std::array<char, kCopyPieceBytes> piece;
  for (;;) {
    BENCHHUD_ASSIGN(const std::size_t count, file.read(piece.data(), piece.size()));
    if (count == 0 || !take({piece.data(), count})) return {};
  }
}

}  // namespace benchhud::server
