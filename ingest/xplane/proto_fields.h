// Fields of protocol buffers, one after the other. Numbers are decoded by protozero, which throws
// where it cannot; nothing is thrown further. Its pbf_reader is not used: its lengths have 32 bits,
// and a length of 2^32 + 5 would be 5.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <protozero/exception.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// A field's number and wire type together, as FieldReader::field() has them.
constexpr std::uint32_t field_of(std::uint32_t number, protozero::pbf_wire_type type) {
  return (number << 3U) | static_cast<std::uint32_t>(type);
}
constexpr std::uint32_t varint(std::uint32_t number) {
  return field_of(number, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t bytes_field(std::uint32_t number) {
  return field_of(number, protozero::pbf_wire_type::length_delimited);
}

/// The fields of one message. After next() has returned false, fault() says whether that is for
/// damage. Groups, which nobody writes any more, are damage.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// Decodes the next field.
  bool next() {
    if (at_ == end_) return false;
    begin_ = at_;
    try {
      return decode();
    } catch (const protozero::end_of_buffer_exception&) {
      fault_ = "the bytes end inside a number";
    } catch (const protozero::exception&) {
      fault_ = "a number of more than ten bytes";
    }
    return false;
  }

  /// Number and wire type together.
  std::uint32_t field() const { return field_; }
  std::uint64_t number() const { return number_; }
  std::int64_t signed_number() const { return static_cast<std::int64_t>(number_); }
  std::string_view bytes() const { return bytes_; }
  /// The last field with its tag.
  std::string_view all() const { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }
  /// Where the last field that was tried begins.
  const char* begin() const { return begin_; }
  /// A phrase; "" if there is none.
  std::string fault() const;
  bool has_fault() const { return fault_ != nullptr || is_too_long_; }

 private:
  bool decode() {
    const std::uint64_t tag = protozero::decode_varint(&at_, end_);
    if (tag >> 3U == 0 || tag > std::numeric_limits<std::uint32_t>::max()) {
      return fail("a field without a number");
    }
    field_ = static_cast<std::uint32_t>(tag);
    switch (static_cast<protozero::pbf_wire_type>(tag & 7U)) {
      case protozero::pbf_wire_type::varint:
        number_ = protozero::decode_varint(&at_, end_);
        return true;
      case protozero::pbf_wire_type::length_delimited:
        number_ = protozero::decode_varint(&at_, end_);
        if (number_ > static_cast<std::uint64_t>(end_ - at_)) {
          is_too_long_ = true;
          return false;
        }
        bytes_ = {at_, static_cast<std::size_t>(number_)};
        at_ += number_;
        return true;
      case protozero::pbf_wire_type::fixed64:
        return take_fixed(sizeof(std::uint64_t));
      case protozero::pbf_wire_type::fixed32:
        return take_fixed(sizeof(std::uint32_t));
      default:
        return fail("a field of an unknown type");
    }
  }
  bool take_fixed(std::size_t size) {
    static_assert(std::endian::native == std::endian::little);
    if (static_cast<std::size_t>(end_ - at_) < size) return fail("the bytes end inside a number");
    number_ = 0;
    std::memcpy(&number_, at_, size);
    at_ += size;
    return true;
  }
  bool fail(const char* reason) {
    fault_ = reason;
    return false;
  }

  const char* at_;
  const char* const end_;
  const char* begin_ = nullptr;
  std::uint32_t field_ = 0;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
  const char* fault_ = nullptr;
  bool is_too_long_ = false;
};

}  // namespace benchhud::ingest
