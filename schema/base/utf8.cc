#include "schema/base/utf8.h"

namespace benchhud::schema {

std::size_t utf8_character(std::string_view bytes, std::size_t* bad) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned lead = at(0);
  *bad = 1;
  std::size_t length = 0;
  unsigned low = 0x80, high = 0xBF;  // of the second byte
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= bytes.size() || at(i) < low || at(i) > high) {
      *bad = i;
      return 0;
    }
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

std::string_view whole_characters(std::string_view bytes, std::size_t offset, std::size_t length) {
  constexpr std::size_t kLongest = 4;
  const auto begin_of_character = [&](std::size_t at) {
    if (at >= bytes.size()) return bytes.size();
    for (std::size_t back = 1; back < kLongest && back <= at; ++back) {
      std::size_t bad = 0;
      const std::size_t taken = utf8_character(bytes.substr(at - back), &bad);
      if ((taken > 0 ? taken : bad) > back) return at - back;
    }
    return at;
  };
  const std::size_t begin = begin_of_character(offset);
  const std::size_t end = begin_of_character(offset + std::min(length, bytes.size()));
  return bytes.substr(begin, end - begin);
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    std::size_t bad = 0;
    const std::size_t length = utf8_character(bytes, &bad);
    text.append(length > 0 ? bytes.substr(0, length) : std::string_view("\xEF\xBF\xBD"));
    bytes.remove_prefix(length > 0 ? length : bad);
  }
  return text;
}

}  // namespace benchhud::schema
