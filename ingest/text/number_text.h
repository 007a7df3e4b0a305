// Numbers as JSON texts have them, and what they are as samples. Only the reader of lines needs
// this.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// The number at the start of a text, as far as JSON's grammar goes.
struct NumberText {
  std::size_t size = 0;  ///< bytes
  bool is_integer = true;
  const char* fault = nullptr;  ///< a phrase
};
NumberText scan_number(std::string_view text);

/// The double nearest to a number's text: an infinity where it is beyond the range, 0 where it is
/// too small.
double nearest_double(std::string_view number);

/// A number's text as a sample: one written as a double, or an integer that a double holds exactly.
std::optional<double> sample_of(std::string_view number, bool is_integer);

/// The length of the array at the start of `text` (which begins with '['), if all its members are
/// samples: numbers as in sample_of(), null, NaN, Infinity and -Infinity. Otherwise 0.
std::size_t sample_array_size(std::string_view text);

/// Appends the members of such an array to `*samples`; null is null_sample().
void append_samples(std::string_view array, std::vector<double>* samples);

}  // namespace benchhud::ingest
