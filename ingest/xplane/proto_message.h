// A message of a protocol buffer with all its fields, for messages whose fields are not read in
// their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// The fields of a message as far as they can be decoded. Texts and messages are parts of the bytes
/// that it was made of.
class ProtoMessage {
 public:
  /// Of a message with more fields, which takes a hostile file only, the rest is damage.
  static constexpr std::size_t kMostFields = 1'000'000;

  explicit ProtoMessage(std::string_view bytes);

  /// Why the rest could not be decoded, a phrase; "" if all could be.
  const std::string& fault() const { return fault_; }
  /// Where what could not be decoded begins.
  const char* fault_place() const { return fault_place_; }

  bool has(std::uint32_t number) const;
  // Of a field that is there several times the last counts, as everywhere in protocol buffers; of
  // one that is not there 0, false, or nothing.
  std::int64_t integer(std::uint32_t number) const;
  bool flag(std::uint32_t number) const { return integer(number) != 0; }
  float real(std::uint32_t number) const;
  /// A text, bytes, or a message.
  std::string_view bytes(std::uint32_t number) const;
  /// All of a repeated field.
  std::vector<std::string_view> all_bytes(std::uint32_t number) const;
  /// The same of integers, packed or not.
  std::vector<std::int64_t> integers(std::uint32_t number) const;

 private:
  struct Field {
    std::uint32_t tag = 0;  // as FieldReader::field()
    std::uint64_t number = 0;
    std::string_view bytes;
  };
  const Field* last(std::uint32_t tag) const;

  std::vector<Field> fields_;
  std::string fault_;
  const char* fault_place_ = nullptr;
};

/// The integers of a packed field, up to the first that cannot be decoded.
std::vector<std::int64_t> packed_integers(std::string_view bytes);

}  // namespace benchhud::ingest
