#include "ingest/text/source_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "schema/base/column_codec.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

constexpr std::string_view kGzipBegin = "\x1f\x8b", kZstdBegin = "\x28\xb5\x2f\xfd";

/// Of one frame or several.
struct ZstdStream {
  // A frame may ask for a window of gigabytes: zstd refuses what is beyond 2^27 bytes by itself, as
  // its command does.
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream{ZSTD_createDStream(),
                                                                       ZSTD_freeDStream};
  std::string packed;     // read
  std::size_t place = 0;  // in it
  bool is_in_frame = false;
};

}  // namespace

struct SourceFile::State {
  std::string path;
  int descriptor = -1;
  gzFile gzip = nullptr;
  std::unique_ptr<ZstdStream> zstd;
  std::int64_t size = 0;
  std::int64_t position = 0;

  ~State() {
    if (gzip) {
      gzclose_r(gzip);  // closes the descriptor
    } else if (descriptor >= 0) {
      ::close(descriptor);
    }
  }

  Error error(const char* what) const {
    return {ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
  }
  Error damage(const char* format, const char* reason) const {
    return {ErrorCode::kCorrupt,
            fmt::format("{}: the {} data is damaged or ends early ({})", path, format, reason)};
  }

  /// Up to `most` bytes as they are on disk; 0 at the end.
  Expected<std::size_t> read_plain(char* to, std::size_t most) {
    for (;;) {
      const ssize_t count = ::read(descriptor, to, most);
      if (count >= 0) {
        position += count;
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) return error("read");
    }
  }

  Expected<std::size_t> read_zstd(char* to, std::size_t most) {
    constexpr std::size_t kPackedBytes = std::size_t{128} << 10;
    ZstdStream& of = *zstd;
    if (!of.stream) throw std::bad_alloc();
    ZSTD_outBuffer out{to, most, 0};
    while (out.pos == 0) {
      if (of.place == of.packed.size()) {
        of.packed.resize(kPackedBytes);
        of.place = 0;
        auto count = read_plain(of.packed.data(), kPackedBytes);
        of.packed.resize(count ? *count : 0);
        if (!count) return count;
        if (*count == 0 && of.is_in_frame) return damage("zstd", "unexpected end of file");
        if (*count == 0) return std::size_t{0};
      }
      ZSTD_inBuffer in{of.packed.data(), of.packed.size(), of.place};
      const std::size_t left = ZSTD_decompressStream(of.stream.get(), &out, &in);
      of.place = in.pos;
      schema::throw_if_no_memory(left);
      if (ZSTD_isError(left)) return damage("zstd", ZSTD_getErrorName(left));
      of.is_in_frame = left != 0;
    }
    return out.pos;
  }
};

SourceFile::SourceFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
SourceFile::SourceFile(SourceFile&&) noexcept = default;
SourceFile::~SourceFile() = default;

Expected<SourceFile> SourceFile::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return begin(std::move(state));
}

Expected<SourceFile> SourceFile::standard_input() {
  auto state = std::make_unique<State>();
  state->path = "standard input";
  // A copy, for it is closed in the end. By its number: /dev/stdin does not open where it is a
  // socket.
  state->descriptor = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return begin(std::move(state));
}

Expected<SourceFile> SourceFile::begin(std::unique_ptr<State> state) {
  if (state->descriptor < 0) return state->error("open");
  struct stat status{};
  if (::fstat(state->descriptor, &status) != 0) return state->error("read");
  if (S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::kIo, fmt::format("{} is a folder, not a file", state->path)};
  }
  state->size = status.st_size;
  // A pipe cannot be looked into without losing what was read: it is taken as it is.
  char bytes[4] = {};
  const ssize_t count =
      S_ISREG(status.st_mode) ? ::pread(state->descriptor, bytes, sizeof(bytes), 0) : 0;
  const std::string_view begin(bytes, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (begin.starts_with(kZstdBegin)) {
    state->zstd = std::make_unique<ZstdStream>();
    if (!state->zstd->stream) {
      return Error{ErrorCode::kIo, fmt::format("cannot open {}: out of memory", state->path)};
    }
  } else if (begin.starts_with(kGzipBegin)) {
    state->gzip = gzdopen(state->descriptor, "rb");
    if (!state->gzip) return state->error("open");
    gzbuffer(state->gzip, 1 << 18);
  }
  return SourceFile(std::move(state));
}

Expected<std::size_t> SourceFile::read(std::size_t most, std::string* out) {
  State& state = *state_;
  const std::size_t before = out->size();
  out->resize(before + most);
  const auto give = [&](std::size_t count) { out->resize(before + count); };
  if (state.gzip) {
    const int count = gzread(state.gzip, out->data() + before, static_cast<unsigned>(most));
    give(count > 0 ? static_cast<std::size_t>(count) : 0);
    int code = Z_OK;
    const char* message = gzerror(state.gzip, &code);
    // zlib gives the good bytes first and tells of the damage with them or at the next call.
    if (count <= 0 && code != Z_OK && code != Z_STREAM_END) {
      return state.damage("gzip", code == Z_BUF_ERROR ? "unexpected end of file" : message);
    }
    state.position = gzoffset(state.gzip);
    return static_cast<std::size_t>(std::max(count, 0));
  }
  char* const to = out->data() + before;
  auto count = state.zstd ? state.read_zstd(to, most) : state.read_plain(to, most);
  give(count ? *count : 0);
  return count;
}

std::int64_t SourceFile::size_on_disk() const { return state_->size; }
std::int64_t SourceFile::position_on_disk() const { return state_->position; }

Expected<bool> ChunkReader::next(Chunk* chunk) {
  std::string& text = chunk->text;
  if (text.capacity() > 8 * kChunkBytes) text = {};  // after a very long line, give its memory back
  chunk->byte_offset = offset_;
  chunk->first_line = next_line_;
  chunk->is_unfinished = false;
  chunk->overlong_bytes = 0;
  chunk->lacks_memory = false;
  chunk->position_on_disk = file_.position_on_disk();
  if (take_carried_lines(chunk)) return true;

  text.assign(carry_, carried_);
  carry_.clear();
  carried_ = 0;
  bool has_line = false;  // what was carried holds none
  while (!at_end_ && !(has_line && text.size() >= kChunkBytes)) {
    const std::size_t before = text.size();
    if (!has_line && !has_room(&text)) {
      BENCHHUD_TRY(skip_line(chunk));
      chunk->lacks_memory = true;
      return true;
    }
    BENCHHUD_ASSIGN(const std::size_t count, read(&text));
    const std::string_view piece = std::string_view(text).substr(before);
    hasher_.update(piece);
    at_end_ = count == 0;
    has_line |= piece.find('\n') != std::string_view::npos;
    if (!has_line && text.size() > kLongestLine) {
      BENCHHUD_TRY(skip_line(chunk));
      return true;
    }
  }
  chunk->position_on_disk = file_.position_on_disk();
  if (text.empty()) return false;
  if (has_line) {
    carry_.swap(text);
    return take_carried_lines(chunk);
  }
  chunk->is_unfinished = true;
  ++next_line_;
  offset_ += static_cast<std::int64_t>(text.size());
  return true;
}

Expected<bool> ChunkReader::next_piece(Chunk* chunk) {
  chunk->byte_offset = offset_;
  chunk->first_line = next_line_;
  chunk->is_unfinished = false;
  chunk->overlong_bytes = 0;
  chunk->text.clear();
  BENCHHUD_ASSIGN(const std::size_t count, read(&chunk->text));
  chunk->position_on_disk = file_.position_on_disk();
  if (count == 0) return false;
  hasher_.update(chunk->text);
  offset_ += static_cast<std::int64_t>(count);
  next_line_ += std::count(chunk->text.begin(), chunk->text.end(), '\n');
  return true;
}

// Gives out whole lines of what was read already, as many as a chunk may have. False if there is
// none.
bool ChunkReader::take_carried_lines(Chunk* chunk) {
  std::size_t end = carried_;
  std::size_t lines = 0;
  while (lines < kChunkLines) {
    const std::size_t newline = carry_.find('\n', end);
    if (newline == std::string::npos) break;
    end = newline + 1;
    ++lines;
  }
  if (lines == 0) return false;
  if (carried_ == 0 && carry_.size() - end < end) {
    // Most of it: what stays is the smaller part to copy.
    std::string rest(carry_, end);
    carry_.resize(end);
    chunk->text.swap(carry_);
    carry_ = std::move(rest);
  } else {
    chunk->text.assign(carry_, carried_, end - carried_);
    carried_ = end;
  }
  next_line_ += static_cast<std::int64_t>(lines);
  offset_ += static_cast<std::int64_t>(chunk->text.size());
  return true;
}

// Whether there is memory for the next piece of a line.
bool ChunkReader::has_room(std::string* text) {
  try {
    // A string would grow to twice its size, which may be more than there is.
    const std::size_t wanted = text->size() + kChunkBytes;
    if (text->capacity() < wanted) text->reserve(wanted + wanted / 4);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Damaged compression ends the file; what came before it counts.
Expected<std::size_t> ChunkReader::read(std::string* out) {
  auto count = file_.read(kChunkBytes, out);
  if (!count && count.error().code == ErrorCode::kCorrupt) {
    damage_ = count.error().message;
    return std::size_t{0};
  }
  return count;
}

// The rest of a line that is too long to be held. `chunk` keeps its beginning.
Expected<void> ChunkReader::skip_line(Chunk* chunk) {
  std::int64_t byte_count = static_cast<std::int64_t>(chunk->text.size());
  chunk->text = std::string(chunk->text, 0, kChunkBytes);
  std::string piece;
  while (!at_end_) {
    piece.clear();
    BENCHHUD_ASSIGN(const std::size_t count, read(&piece));
    hasher_.update(piece);
    at_end_ = count == 0;
    const std::size_t newline = piece.find('\n');
    if (newline != std::string::npos) {
      byte_count += static_cast<std::int64_t>(newline + 1);
      carry_.assign(piece, newline + 1);
      carried_ = 0;
      break;
    }
    byte_count += static_cast<std::int64_t>(piece.size());
  }
  chunk->overlong_bytes = byte_count;
  chunk->position_on_disk = file_.position_on_disk();
  offset_ += byte_count;
  ++next_line_;
  return {};
}

}  // namespace benchhud::ingest
