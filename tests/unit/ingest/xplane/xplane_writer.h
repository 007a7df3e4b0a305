// Writes XSpace messages byte by byte, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// A message in the making. Fields come in the order of the calls.
class Message {
 public:
  Message& number(std::uint32_t field, std::int64_t value) {
    varint(field << 3U);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& real(std::uint32_t field, double value) {
    varint((field << 3U) | 1U);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8U) bytes_ += static_cast<char>(bits & 0xFFU);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    length(field, value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }
  /// The beginning of a field of so many bytes, which do not follow.
  Message& length(std::uint32_t field, std::uint64_t size) {
    varint((field << 3U) | 2U);
    varint(size);
    return *this;
  }
  Message& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

/// Values of an event or a plane, by the id of their name.
inline Message int_stat(std::int64_t id, std::int64_t value) {
  return Message().number(1, id).number(4, value);
}
inline Message text_stat(std::int64_t id, std::string_view value) {
  return Message().number(1, id).text(5, value);
}

/// An event of a kind. Zeros are left out, as protocol buffers do.
inline Message xevent(std::int64_t kind, std::int64_t offset_ps, std::int64_t duration_ps) {
  Message event;
  if (kind != 0) event.number(1, kind);
  if (offset_ps != 0) event.number(2, offset_ps);
  if (duration_ps != 0) event.number(3, duration_ps);
  return event;
}
inline Message xline(std::int64_t id, std::string_view name, std::int64_t timestamp_ns = 0) {
  return Message().number(1, id).text(2, name).number(3, timestamp_ns);
}
inline Message xplane(std::int64_t id, std::string_view name) {
  return Message().number(1, id).text(2, name);
}
/// An entry of event_metadata, field 4 of a plane.
inline Message kind_entry(std::int64_t id, std::string_view name,
                          std::string_view display_name = "") {
  Message kind;
  kind.number(1, id).text(2, name);
  if (!display_name.empty()) kind.text(4, display_name);
  return Message().number(1, id).message(2, kind);
}
/// An entry of stat_metadata, field 5 of a plane.
inline Message stat_entry(std::int64_t id, std::string_view name) {
  return Message().number(1, id).message(2, Message().number(1, id).text(2, name));
}

}  // namespace benchhud::ingest
