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
#include <optional>
#include <utility>

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
  bool is_in_frame = false;
};

/// Of one member or several.
struct GzipStream {
  z_stream stream{};
  bool is_in_member = false;
  bool is_at_end = false;

  GzipStream() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() { inflateEnd(&stream); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
};

}  // namespace

struct SourceFile::State {
  std::string name;
  int descriptor = -1;
  bool is_begun = false;  // it is known how it is compressed, if at all
  std::unique_ptr<GzipStream> gzip;
  std::unique_ptr<ZstdStream> zstd;
  std::string packed;     // read from the file, and not given yet
  std::size_t place = 0;  // in it
  std::int64_t size = 0;
  std::int64_t position = 0;
  bool is_at_end = false;
  std::optional<Error> failure;  // to be told when what came before it has been given

  ~State() {
    if (descriptor >= 0) ::close(descriptor);
  }

  Error error(const char* what) const {
    return {ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, name, std::strerror(errno))};
  }
  Error damage(const char* format, const char* reason) const {
    return {ErrorCode::kCorrupt,
            fmt::format("{}: the {} data is damaged or ends early ({})", name, format, reason)};
  }

  std::string_view left() const { return std::string_view(packed).substr(place); }

  /// Up to `most` bytes as they are on disk; 0 at the end.
  Expected<std::size_t> read_file(char* to, std::size_t most) {
    for (;;) {
      const ssize_t count = ::read(descriptor, to, most);
      if (count >= 0) {
        position += count;
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) return error("read");
    }
  }

  /// Reads more behind what is left of `packed`. Returns whether there was more.
  Expected<bool> refill() {
    constexpr std::size_t kPackedBytes = std::size_t{128} << 10;
    packed.erase(0, place);
    place = 0;
    const std::size_t before = packed.size();
    packed.resize(before + kPackedBytes);
    const auto count = read_file(packed.data() + before, kPackedBytes);
    packed.resize(before + (count ? *count : 0));
    if (!count) return count.error();
    return *count > 0;
  }

  /// Looks at the first bytes. What comes through a pipe cannot be read twice: it stays in
  /// `packed`, and no more is waited for than it takes to tell.
  Expected<void> begin() {
    is_begun = true;
    const auto may_be = [&](std::string_view magic) {
      return left().size() < magic.size() && magic.starts_with(left());
    };
    while (may_be(kZstdBegin) || may_be(kGzipBegin)) {
      BENCHHUD_ASSIGN(const bool is_more, refill());
      if (!is_more) break;
    }
    if (left().starts_with(kZstdBegin)) {
      zstd = std::make_unique<ZstdStream>();
      if (!zstd->stream) throw std::bad_alloc();
    } else if (left().starts_with(kGzipBegin)) {
      gzip = std::make_unique<GzipStream>();
      gzip->is_in_member = true;
    }
    return {};
  }

  Expected<std::size_t> read_plain(char* to, std::size_t most) {
    if (left().empty()) return read_file(to, most);
    const std::size_t count = left().copy(to, most);
    place += count;
    return count;
  }

  /// Whether a member follows. What else stands behind one is no data, as for gzip's command.
  Expected<bool> begin_member() {
    while (left().size() < kGzipBegin.size()) {
      BENCHHUD_ASSIGN(const bool is_more, refill());
      if (!is_more) return false;
    }
    if (!left().starts_with(kGzipBegin)) return false;
    inflateReset(&gzip->stream);
    gzip->is_in_member = true;
    return true;
  }

  Expected<std::size_t> read_gzip(char* to, std::size_t most) {
    GzipStream& of = *gzip;
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits
    const std::size_t wanted = std::min(most, kMostAtOnce);
    std::size_t count = 0;
    while (count == 0 && !of.is_at_end) {
      if (!of.is_in_member) {
        BENCHHUD_ASSIGN(const bool is_more, begin_member());
        of.is_at_end = !is_more;
        continue;
      }
      if (left().empty()) {
        BENCHHUD_ASSIGN(const bool is_more, refill());
        if (!is_more) return damage("gzip", "unexpected end of file");
      }
      of.stream.next_in = reinterpret_cast<Bytef*>(packed.data() + place);
      of.stream.avail_in = static_cast<uInt>(left().size());
      of.stream.next_out = reinterpret_cast<Bytef*>(to);
      of.stream.avail_out = static_cast<uInt>(wanted);
      const int code = inflate(&of.stream, Z_NO_FLUSH);
      place = packed.size() - of.stream.avail_in;
      count = wanted - of.stream.avail_out;
      if (code == Z_STREAM_END) of.is_in_member = false;
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      // The good bytes come first; the next call says the same of the damage.
      if (count == 0 && (code == Z_DATA_ERROR || code == Z_NEED_DICT)) {
        return damage("gzip", of.stream.msg != nullptr ? of.stream.msg : "it needs a dictionary");
      }
    }
    return count;
  }

  Expected<std::size_t> read_zstd(char* to, std::size_t most) {
    ZstdStream& of = *zstd;
    ZSTD_outBuffer out{to, most, 0};
    while (out.pos == 0) {
      if (left().empty()) {
        BENCHHUD_ASSIGN(const bool is_more, refill());
        if (!is_more && of.is_in_frame) return damage("zstd", "unexpected end of file");
        if (!is_more) return std::size_t{0};
      }
      ZSTD_inBuffer in{packed.data(), packed.size(), place};
      const std::size_t left_of_frame = ZSTD_decompressStream(of.stream.get(), &out, &in);
      place = in.pos;
      schema::throw_if_no_memory(left_of_frame);
      if (ZSTD_isError(left_of_frame)) return damage("zstd", ZSTD_getErrorName(left_of_frame));
      of.is_in_frame = left_of_frame != 0;
    }
    return out.pos;
  }

  /// Up to `most` decompressed bytes, at least one; 0 at the end.
  Expected<std::size_t> read_some(char* to, std::size_t most) {
    if (gzip) return read_gzip(to, most);
    return zstd ? read_zstd(to, most) : read_plain(to, most);
  }
};

SourceFile::SourceFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
SourceFile::SourceFile(SourceFile&&) noexcept = default;
SourceFile::~SourceFile() = default;

Expected<SourceFile> SourceFile::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->name = path;
  state->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return opened(std::move(state));
}

Expected<SourceFile> SourceFile::standard_input() {
  auto state = std::make_unique<State>();
  state->name = "standard input";
  // By its number: /dev/stdin does not open where it is a socket. A copy, for it is closed in the
  // end.
  state->descriptor = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return opened(std::move(state));
}

Expected<SourceFile> SourceFile::opened(std::unique_ptr<State> state) {
  if (state->descriptor < 0) return state->error("open");
  struct stat status{};
  if (::fstat(state->descriptor, &status) != 0) return state->error("read");
  if (S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::kIo, fmt::format("{} is a folder, not a file", state->name)};
  }
  state->size = status.st_size;
  return SourceFile(std::move(state));
}

Expected<std::size_t> SourceFile::read(std::size_t most, std::string* out) {
  State& state = *state_;
  if (!state.is_begun) {
    BENCHHUD_TRY(state.begin());
  }
  const std::size_t before = out->size();
  out->resize(before + most);
  std::size_t count = 0;
  // A member of gzip, a frame of zstd and what waits in a pipe may be a few bytes: who looks at
  // what a file begins with is not to see only these.
  while (count < most && !state.is_at_end && !state.failure) {
    const auto more = state.read_some(out->data() + before + count, most - count);
    if (more) {
      count += *more;
      state.is_at_end = *more == 0;
    } else {
      state.failure = more.error();
    }
  }
  out->resize(before + count);
  if (count == 0 && state.failure) return *state.failure;
  return count;
}

const std::string& SourceFile::name() const { return state_->name; }
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
