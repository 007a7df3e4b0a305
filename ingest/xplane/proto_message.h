// A message of a protocol buffer with all its fields, for messages whose fields are not read in
// their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// The first damage of several messages, until somebody takes it.
class ProtoDamage {
 public:
  void note(std::string_view reason, const char* place) {
    if (!reason_.empty()) return;
    reason_ = reason;
    place_ = place;
  }
  /// A phrase; "" if there is none.
  const std::string& reason() const { return reason_; }
  const char* place() const { return place_; }
  void clear() { reason_.clear(); }

 private:
  std::string reason_;
  const char* place_ = nullptr;
};

/// The fields of a message as far as they can be decoded. Texts and messages are parts of the bytes
/// that it was made of.
class ProtoMessage {
 public:
  /// Of a message with more fields, which takes a hostile file only, the rest is damage.
  static constexpr std::size_t kMostFields = 1'000'000;

  /// Of a list of numbers that has more the rest is damage: a byte of the file takes eight here.
  static constexpr std::size_t kMostIntegers = 1'000'000;

  /// What cannot be decoded, of its lists of numbers too, is noted in `damage` where there is one.
  explicit ProtoMessage(std::string_view bytes, ProtoDamage* damage = nullptr);

  /// Why the rest could not be decoded, a phrase; "" if all could be.
  const std::string& fault() const { return fault_; }
  /// Where what could not be decoded begins.
  const char* fault_place() const { return fault_place_; }

  bool has(std::uint32_t number) const;
  /// The bytes of all fields for which `fits(number)`, in their order.
  template <class Fits>
  std::string bytes_of(Fits fits) const {
    std::string all;
    for (const Field& field : fields_) {
      if (fits(field.tag >> 3U)) all += field.all;
    }
    return all;
  }
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
    std::string_view all;  // with its tag
  };
  const Field* last(std::uint32_t tag) const;

  void add_packed(std::string_view bytes, std::vector<std::int64_t>* all) const;
  bool has_room(const std::vector<std::int64_t>& all, const char* place) const;

  std::vector<Field> fields_;
  ProtoDamage* damage_;
  std::string fault_;
  const char* fault_place_ = nullptr;
};

}  // namespace benchhud::ingest
