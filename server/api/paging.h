// Cursors: where a list goes on, as a text that says nothing to who holds it.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::server {

/// What a cursor holds: the key of the last item that was given, so that what is added or taken
/// away elsewhere moves nothing. `scope` names the list and its filters; a cursor of another scope
/// is refused.
std::string make_cursor(std::string_view scope, const std::vector<std::int64_t>& numbers,
                        const std::vector<std::string>& texts = {});

struct Cursor {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
};

/// Nothing if it is no cursor of that scope with so many numbers and texts.
std::optional<Cursor> read_cursor(std::string_view cursor, std::string_view scope,
                                  std::size_t numbers, std::size_t texts = 0);

/// Doubles in cursors are kept to the last bit.
inline std::int64_t to_bits(double value) { return std::bit_cast<std::int64_t>(value); }
inline double from_bits(std::int64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace benchhud::server
