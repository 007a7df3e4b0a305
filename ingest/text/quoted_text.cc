#include "ingest/text/quoted_text.h"

#include <cstdint>

#include "ingest/text/text_parts.h"

namespace benchhud::ingest {
namespace {

// The code behind a backslash and a letter, `size` hexadecimal digits.
std::optional<std::uint32_t> hex(std::string_view text, std::size_t size) {
  if (text.size() < size) return std::nullopt;
  std::uint32_t value = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + size, value, 16);
  if (error != std::errc() || last != text.data() + size) return std::nullopt;
  return value;
}

// Appends what an escape means; `text` begins behind the backslash. How many bytes it was.
std::size_t append_escape(std::string_view text, std::string* out) {
  const char letter = text.front();
  switch (letter) {
    case 'n':
      out->push_back('\n');
      return 1;
    case 't':
      out->push_back('\t');
      return 1;
    case 'r':
      out->push_back('\r');
      return 1;
    case 'b':
      out->push_back('\b');
      return 1;
    case 'f':
      out->push_back('\f');
      return 1;
    case 'x':
      if (const auto code = hex(text.substr(1), 2)) {
        append_utf8(*code, out);
        return 3;
      }
      break;
    case 'u':
      if (auto code = hex(text.substr(1), 4)) {
        std::size_t size = 5;
        const std::string_view next = text.substr(5);
        if (*code >= 0xD800 && *code < 0xDC00 && next.starts_with("\\u")) {
          const auto low = hex(next.substr(2), 4);
          if (low && *low >= 0xDC00 && *low < 0xE000) {
            *code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
            size += 6;
          }
        }
        append_utf8(*code, out);
        return size;
      }
      break;
    default:
      break;
  }
  out->push_back(letter);
  return 1;
}

}  // namespace

void append_utf8(std::uint32_t code, std::string* out) {
  const auto put = [out](std::uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code >= 0xD800 && code <= 0xDFFF) code = 0xFFFD;
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::optional<std::string> take_quoted(std::string_view* text) {
  const char quote = text->empty() ? '\0' : text->front();
  if (quote != '"' && quote != '\'') return std::nullopt;
  std::string string;
  const char ends[] = {quote, '\\'};
  for (std::size_t at = 1; at < text->size();) {
    const std::size_t next = text->find_first_of(std::string_view(ends, 2), at);
    if (next == text->npos) return std::nullopt;
    string.append(*text, at, next - at);
    if ((*text)[next] == quote) {
      text->remove_prefix(next + 1);
      return string;
    }
    if (next + 1 == text->size()) return std::nullopt;
    at = next + 1 + append_escape(text->substr(next + 1), &string);
  }
  return std::nullopt;
}

}  // namespace benchhud::ingest
