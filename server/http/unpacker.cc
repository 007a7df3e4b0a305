#include "server/http/unpacker.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <string>

#include "schema/base/ascii.h"
#include "schema/base/caught_error.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::size_t kUnpackedPieceBytes = 64 << 10;

/// Counts what is given, and says when it is too much.
class Counted {
 public:
  explicit Counted(std::int64_t most) : left_(most), most_(most) {}

  Expected<void> give(std::string_view piece, const TakeUnpacked& take) {
    left_ -= static_cast<std::int64_t>(piece.size());
    if (left_ < 0) {
      return Error{ErrorCode::kTooLarge,
                   fmt::format("What was sent is more than {} bytes when it is unpacked.", most_)};
    }
    return piece.empty() ? Expected<void>() : take(piece);
  }

 private:
  std::int64_t left_;
  const std::int64_t most_;
};

class Plain final : public Unpacker {
 public:
  explicit Plain(std::int64_t most) : counted_(most) {}
  Expected<void> unpack(std::string_view piece, const TakeUnpacked& take) override {
    return counted_.give(piece, take);
  }
  Expected<void> finish() override { return {}; }

 private:
  Counted counted_;
};

/// Of one member or several, as `cat a.gz b.gz` makes them.
class Gzip final : public Unpacker {
 public:
  explicit Gzip(std::int64_t most) : counted_(most) {
    // 16: with gzip's head, and nothing else.
    constexpr int kGzipOnly = 16;
    is_ready_ = inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override { inflateEnd(&stream_); }

  Expected<void> unpack(std::string_view piece, const TakeUnpacked& take) override {
    if (!is_ready_) return Error{ErrorCode::kNoMemory, schema::kNoMemory};
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));  // NOLINT: zlib's
    stream_.avail_in = static_cast<uInt>(piece.size());
    while (stream_.avail_in > 0) {
      if (at_end_) {
        inflateReset(&stream_);
        at_end_ = false;
      }
      has_begun_ = true;
      BENCHHUD_TRY(inflate_all(take));
    }
    return {};
  }

  Expected<void> finish() override {
    if (has_begun_ && at_end_) return {};
    return Error{ErrorCode::kInvalidArgument, "The gzip data ends early."};
  }

 private:
  /// Until the input or a member is at its end.
  Expected<void> inflate_all(const TakeUnpacked& take) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return Error{ErrorCode::kInvalidArgument, "The body is no gzip data, or is damaged."};
      }
      at_end_ = code == Z_STREAM_END;
      BENCHHUD_TRY(counted_.give({out_.data(), out_.size() - stream_.avail_out}, take));
    } while (!at_end_ && stream_.avail_out == 0);
    return {};
  }

  Counted counted_;
  z_stream stream_{};
  std::array<char, kUnpackedPieceBytes> out_{};
  bool is_ready_ = false, has_begun_ = false, at_end_ = false;
};

/// Of one frame or several.
class Zstd final : public Unpacker {
 public:
  explicit Zstd(std::int64_t most)
      : counted_(most), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    // A frame may ask for a window of gigabytes. 2^27 bytes are what the tool takes without --long.
    constexpr int kMostWindowLog = 27;
    if (stream_) ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kMostWindowLog);
  }

  Expected<void> unpack(std::string_view piece, const TakeUnpacked& take) override {
    if (!stream_) return Error{ErrorCode::kNoMemory, schema::kNoMemory};
    while (!piece.empty()) {
      if (between_frames_) {
        // The library also reads the formats from before version 0.8, with code that nobody keeps.
        const std::size_t missing = std::min(kMagicBytes - magic_.size(), piece.size());
        magic_ += piece.substr(0, missing);
        piece.remove_prefix(missing);
        if (magic_.size() < kMagicBytes) return {};
        if (!begins_frame(magic_)) return damaged();
        between_frames_ = false;
        std::string_view magic = magic_;
        BENCHHUD_TRY(feed(&magic, take));
        magic_.clear();
        head_left_ = kMostHeadBytes;
        continue;
      }
      // Where a head turns out to be wrong, the library looks for an old format once more, at the
      // beginning of what it was just given. It finds none in a single byte.
      std::string_view part = piece.substr(0, head_left_ > 0 ? 1 : piece.size());
      head_left_ -= head_left_ > 0 ? 1 : 0;
      const std::size_t given = part.size();
      BENCHHUD_TRY(feed(&part, take));
      piece.remove_prefix(given - part.size());
    }
    return {};
  }

  Expected<void> finish() override {
    if (has_begun_ && between_frames_ && magic_.empty()) return {};
    return Error{ErrorCode::kInvalidArgument, "The zstd data ends early."};
  }

 private:
  static constexpr std::size_t kMagicBytes = 4;
  static constexpr int kMostHeadBytes = 14;  // of a frame, behind its magic (RFC 8878, 3.1.1.1)

  static bool begins_frame(std::string_view magic) {
    std::uint32_t number = 0;
    for (std::size_t i = kMagicBytes; i-- > 0;) {
      number = number << 8U | static_cast<unsigned char>(magic[i]);
    }
    return number == ZSTD_MAGICNUMBER ||
           (number & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
  }

  static Error damaged() {
    return {ErrorCode::kInvalidArgument,
            "The body is no zstd data, is damaged, or needs a window of more than 128 MB."};
  }

  /// Unpacks until the input or the frame is at its end, and takes what was read off the input.
  Expected<void> feed(std::string_view* input, const TakeUnpacked& take) {
    has_begun_ = true;
    ZSTD_inBuffer in{input->data(), input->size(), 0};
    // What fills the buffer may not be all of it.
    for (bool is_full = false; (in.pos < in.size || is_full) && !between_frames_;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t wanted = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(wanted) != 0) return damaged();
      between_frames_ = wanted == 0;
      is_full = out.pos == out.size;
      BENCHHUD_TRY(counted_.give({out_.data(), out.pos}, take));
    }
    input->remove_prefix(in.pos);
    return {};
  }

  Counted counted_;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  std::array<char, kUnpackedPieceBytes> out_{};
  std::string magic_;  // of the frame that begins
  int head_left_ = 0;  // bytes that may still be its head's
  bool has_begun_ = false, between_frames_ = true;
};

}  // namespace

std::optional<Packing> packing_of(std::string_view content_type) {
  const std::string type =
      schema::lower_case(schema::trim(content_type.substr(0, content_type.find(';')), " \t"));
  if (type == "application/gzip" || type == "application/x-gzip") return Packing::kGzip;
  if (type == "application/zstd") return Packing::kZstd;
  for (const char* plain : {"application/x-ndjson", "application/jsonl", "application/json",
                            "application/octet-stream", "text/plain"}) {
    if (type == plain) return Packing::kNone;
  }
  return {};
}

std::unique_ptr<Unpacker> Unpacker::make(Packing packing, std::int64_t most) {
  switch (packing) {
    case Packing::kGzip:
      return std::make_unique<Gzip>(most);
    case Packing::kZstd:
      return std::make_unique<Zstd>(most);
    case Packing::kNone:
      break;
  }
  return std::make_unique<Plain>(most);
}

}  // namespace benchhud::server
