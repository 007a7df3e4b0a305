// A cursor is base64url, without padding, of these bytes; all numbers have 64 bits, little-endian:
//   fingerprint() of the scope
//   each of the numbers, in two's complement; of a double its bits (to_bits())
//   each of the texts: its size in bytes, then its bytes
// How many numbers and texts there are is not in it: the caller of read_cursor() says so.
#include "server/api/paging.h"

#include <array>
#include <cstring>

#include "schema/base/base64.h"
#include "schema/base/fingerprint.h"

namespace benchhud::server {
namespace {

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

std::string make_cursor(std::string_view scope, const std::vector<std::int64_t>& numbers,
                        const std::vector<std::string>& texts) {
  std::string bytes;
  put_number(&bytes, schema::fingerprint(scope));
  for (const auto number : numbers) put_number(&bytes, static_cast<std::uint64_t>(number));
  for (const auto& text : texts) {
    put_number(&bytes, text.size());
    bytes += text;
  }
  return schema::base64url(bytes);
}

std::optional<Cursor> read_cursor(std::string_view text, std::string_view scope,
                                  std::size_t numbers, std::size_t texts) {
  const auto decoded = schema::from_base64url(text);
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
