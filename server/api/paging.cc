// A cursor is base64url, without padding, of these bytes; all numbers have 64 bits, little-endian:
//   fingerprint() of the scope
//   each of the numbers, in two's complement; of a double its bits (to_bits())
//   each of the texts: its size in bytes, then its bytes
// How many numbers and texts there are is not in it: the caller of read_cursor() says so.
#include "server/api/paging.h"

#include <array>
#include <cstring>

#include "schema/base/fingerprint.h"

namespace benchhud::server {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void put_number(std::string* bytes, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes->push_back(static_cast<char>(number >> (8 * i)));
}

/// Takes eight bytes off the front.
std::optional<std::uint64_t> take_number(std::string_view* bytes) {
  if (bytes->size() < 8) return {};
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>((*bytes)[static_cast<std::size_t>(i)])}
              << (8 * i);
  }
  bytes->remove_prefix(8);
  return number;
}

}  // namespace

std::string base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kAlphabet[(bits >> (count - 6)) & 63];
  }
  if (count > 0) text += kAlphabet[(bits << (6 - count)) & 63];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return {};
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count));
    }
  }
  if (base64url(bytes) != text) return {};  // stray bits at the end: only one text a cursor
  return bytes;
}

std::string make_cursor(std::string_view scope, const std::vector<std::int64_t>& numbers,
                        const std::vector<std::string>& texts) {
  std::string bytes;
  put_number(&bytes, schema::fingerprint(scope));
  for (const auto number : numbers) put_number(&bytes, static_cast<std::uint64_t>(number));
  for (const auto& text : texts) {
    put_number(&bytes, text.size());
    bytes += text;
  }
  return base64url(bytes);
}

std::optional<Cursor> read_cursor(std::string_view text, std::string_view scope,
                                  std::size_t numbers, std::size_t texts) {
  const auto decoded = from_base64url(text);
  if (!decoded) return {};
  std::string_view bytes = *decoded;
  if (take_number(&bytes) != schema::fingerprint(scope)) return {};
  Cursor cursor;
  for (std::size_t i = 0; i < numbers; ++i) {
    const auto number = take_number(&bytes);
    if (!number) return {};
    cursor.numbers.push_back(static_cast<std::int64_t>(*number));
  }
  for (std::size_t i = 0; i < texts; ++i) {
    const auto size = take_number(&bytes);
    if (!size || *size > bytes.size()) return {};
    cursor.texts.emplace_back(bytes.substr(0, *size));
    bytes.remove_prefix(*size);
  }
  if (!bytes.empty()) return {};
  return cursor;
}

}  // namespace benchhud::server
