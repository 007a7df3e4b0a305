// Numbers in as few bytes as they need (LEB128, differences in zigzag, as Protocol Buffers have
// them), and bytes compressed with zstd. What is read is never trusted: a number that is cut off,
// too long or out of its bounds makes the reader fail, and it says so once, at the end.
//   put(): a varint (LEB128) of 64 bits: seven bits a byte, the lowest first; the high bit is set
//     in all bytes but the last; ten bytes at most
//   put_signed(): the varint of a number in zigzag: of 0, -1, 1, -2, ... it is 0, 1, 2, 3, ...
//   put_double(): the eight bytes of an IEEE 754 double, little-endian
//   put_bytes(): the bytes, without their size
//   compress(): one zstd frame that states the size of its content
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// The latest time that there is, ns.
inline constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

/// a - b and a + b as they come out in two's complement, for times from one end of 64 bits to the
/// other.
constexpr std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
/// How much later `late` is than `early`, which it is not before.
constexpr std::uint64_t distance(std::int64_t early, std::int64_t late) {
  return static_cast<std::uint64_t>(late) - static_cast<std::uint64_t>(early);
}

/// Whether what begins then and takes so long ends, in time that 64 bits can tell.
constexpr bool ends_in_time(std::int64_t begin, std::int64_t duration) {
  return duration >= 0 && static_cast<std::uint64_t>(duration) <=
                              distance(begin, std::numeric_limits<std::int64_t>::max());
}

class ColumnWriter {
 public:
  void put(std::uint64_t number) {
    while (number >= 0x80) {
      bytes_ += static_cast<char>(number | 0x80);
      number >>= 7;
    }
    bytes_ += static_cast<char>(number);
  }
  void put_signed(std::int64_t number) {
    put(static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63));
  }
  void put_double(double number) { put_word(std::bit_cast<std::uint64_t>(number)); }
  void put_bytes(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void put_word(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(word >> 8 * i);
  }

  std::string bytes_;
};

class ColumnReader {
 public:
  explicit ColumnReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::uint64_t get() {
    if (at_ != end_ && static_cast<signed char>(*at_) >= 0) {
      return static_cast<unsigned char>(*at_++);
    }
    return get_long();
  }
  std::int64_t get_signed() {
    const std::uint64_t number = get();
    return static_cast<std::int64_t>(number >> 1 ^ (0 - (number & 1)));
  }
  /// A number of 32 bits.
  std::uint32_t get_small() {
    const std::uint64_t number = get();
    if (number > std::numeric_limits<std::uint32_t>::max()) fail();
    return static_cast<std::uint32_t>(number);
  }
  /// How many of something follow that each take so many bytes at least.
  std::size_t get_count(std::size_t bytes_each = 1) {
    const std::uint64_t count = get();
    if (count > static_cast<std::uint64_t>(end_ - at_) / bytes_each) fail();
    return is_ok_ ? static_cast<std::size_t>(count) : 0;
  }
  double get_double() {
    const std::string_view bytes = get_bytes(8);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    }
    return std::bit_cast<double>(word);
  }
  /// "" if there are not as many.
  std::string_view get_bytes(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - at_)) fail();
    if (!is_ok_) return {};
    const std::string_view bytes(at_, count);
    at_ += count;
    return bytes;
  }

  /// What was read makes no sense. From now on everything is 0.
  void fail() {
    is_ok_ = false;
    at_ = end_;
  }
  bool is_ok() const { return is_ok_; }
  /// Whether all was well, to the last byte.
  bool is_done() const { return is_ok_ && at_ == end_; }

 private:
  std::uint64_t get_long();

  const char* at_;
  const char* end_;
  bool is_ok_ = true;
};

/// The bytes as a zstd frame that states its size. Level 3 makes chunks of real traces an eighth
/// smaller than level 1, at 1.4 times the time. Throws std::bad_alloc, as decompress() does.
std::string compress(std::string_view bytes, int level = 3);

/// The bytes of such a frame. Errors: kCorrupt where it is none, or would be more than `most`.
Expected<std::string> decompress(std::string_view frame, std::size_t most);

/// Throws std::bad_alloc where what a function of zstd returned says that there was no memory.
void throw_if_no_memory(std::size_t zstd_size);

/// Most of a block of numbers before compression. Their writers stay far below.
inline constexpr std::size_t kMostColumnBytes = std::size_t{16} << 20;

/// The error of a part of a trace that does not read as it was written.
Error corrupt_trace(std::string_view part);

}  // namespace benchhud::schema
