#include "schema/base/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "schema/base/utf8.h"

namespace benchhud::schema {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void append_escaped(std::string* out, char c) {
  switch (c) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\r':
      *out += "\\r";
      return;
    case '\t':
      *out += "\\t";
      return;
    default:
      break;
  }
  const auto u = static_cast<unsigned char>(c);
  *out += "\\u00";
  out->push_back(kHex[u >> 4]);
  out->push_back(kHex[u & 15]);
}

// Writes a number's text to `begin`; returns its end.
char* put_number(char* begin, char* end, std::int64_t number) {
  return std::to_chars(begin, end, number).ptr;
}

// The shortest text that reads back. That of a large double is one of digits alone, which a reader
// takes for an integer, and may refuse where it has more than 64 bits: such have an exponent.
char* put_number(char* begin, char* end, double number) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  return std::abs(number) < kTwoTo63
             ? std::to_chars(begin, end, number).ptr
             : std::to_chars(begin, end, number, std::chars_format::scientific).ptr;
}

}  // namespace

void JsonWriter::open(char bracket) {
  if (sink_ != nullptr) return sink_->open(bracket);
  comma();
  out_->push_back(bracket);
  needs_comma_ = false;
  ++depth_;
}

void JsonWriter::close(char bracket) {
  if (sink_ != nullptr) return sink_->close(bracket);
  --depth_;
  if (is_indented_ && needs_comma_) begin_line();
  out_->push_back(bracket);
  needs_comma_ = true;
}

void JsonWriter::begin_line() {
  if (!is_behind_key_) out_->append("\n").append(2 * depth_, ' ');
  is_behind_key_ = false;
}

void JsonWriter::key(std::string_view name) {
  if (name.size() > kLongestName || !is_plain()) return key_text(name);
  Piece piece;
  out_->append(piece.data(), put_name(name, piece.data()));
  needs_comma_ = false;
}

void JsonWriter::number_field(std::string_view name, double number) {
  if (!std::isfinite(number)) return null_field(name);
  put_field(name, number);
}

void JsonWriter::integer_field(std::string_view name, std::int64_t number) {
  put_field(name, number);
}

template <class Number>
void JsonWriter::put_field(std::string_view name, Number number) {
  if (name.size() > kLongestName || !is_plain()) {
    key_text(name);
    return value(number);
  }
  Piece piece;
  char* const end = put_name(name, piece.data());
  out_->append(piece.data(), put_number(end, piece.data() + piece.size(), number));
  needs_comma_ = true;
}

void JsonWriter::null_field(std::string_view name) {
  key(name);
  null();
}

char* JsonWriter::put_name(std::string_view name, char* end) const {
  if (needs_comma_) *end++ = ',';
  *end++ = '"';
  end = std::copy(name.begin(), name.end(), end);
  *end++ = '"';
  *end++ = ':';
  return end;
}

void JsonWriter::key_text(std::string_view name) {
  if (sink_ != nullptr) return sink_->key(name);
  comma();
  text(name);
  out_->append(is_indented_ ? ": " : ":");
  needs_comma_ = false;
  is_behind_key_ = true;
}

void JsonWriter::null() { raw("null"); }

void JsonWriter::value(std::string_view bytes) {
  if (sink_ != nullptr) return sink_->text(bytes);
  comma();
  text(bytes);
}

void JsonWriter::text(std::string_view bytes) {
  out_->push_back('"');
  std::size_t plain = 0;  // how much of the beginning goes out as it is
  while (plain < bytes.size()) {
    const auto c = static_cast<unsigned char>(bytes[plain]);
    if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
      ++plain;
      continue;
    }
    out_->append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    plain = 0;
    if (c < 0x80) {
      append_escaped(out_, bytes.front());
      bytes.remove_prefix(1);
      continue;
    }
    std::size_t bad = 0;
    const std::size_t length = utf8_character(bytes, &bad);
    out_->append(length > 0 ? bytes.substr(0, length) : std::string_view("\xEF\xBF\xBD"));
    bytes.remove_prefix(length > 0 ? length : bad);
  }
  out_->append(bytes);
  out_->push_back('"');
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, 32> text;
  const char* const end = put_number(text.data(), text.data() + text.size(), number);
  raw({text.data(), static_cast<std::size_t>(end - text.data())});
}

void JsonWriter::integer(std::int64_t number) {
  std::array<char, 24> text;
  const char* const end = put_number(text.data(), text.data() + text.size(), number);
  raw({text.data(), static_cast<std::size_t>(end - text.data())});
}

void JsonWriter::raw(std::string_view json) {
  if (sink_ != nullptr) return sink_->raw(json);
  comma();
  out_->append(json);
}

}  // namespace benchhud::schema
