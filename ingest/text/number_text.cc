#include "ingest/text/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>

#include "ingest/text/text_parts.h"
#include "schema/model/types.h"

namespace benchhud::ingest {
namespace {

template <class Integer>
std::optional<double> exact_double(std::string_view number) {
  const auto exact = number_of<Integer>(number);
  if (!exact) return std::nullopt;
  const auto nearest = static_cast<double>(*exact);
  // Rounding up may leave the type's range, and then there is no way back to compare.
  constexpr Integer kHalf = std::numeric_limits<Integer>::max() / 2 + 1;
  constexpr double kBeyond = 2 * static_cast<double>(kHalf);
  if (nearest >= kBeyond || static_cast<Integer>(nearest) != *exact) return std::nullopt;
  return nearest;
}

class SampleArray {
 public:
  explicit SampleArray(std::string_view text) : text_(text) {}

  // Calls take(sample) for each member. The array's length, or 0 where a member is no sample.
  template <class Take>
  std::size_t read(Take take) {
    if (!skip('[')) return 0;
    if (skip(']')) return place_;
    do {
      const std::optional<double> sample = member();
      if (!sample) return 0;
      take(*sample);
    } while (skip(','));
    return skip(']') ? place_ : 0;
  }

 private:
  // Whether `c` comes next but for space, which is gone past.
  bool skip(char c) {
    skip_space();
    if (place_ == text_.size() || text_[place_] != c) return false;
    ++place_;
    return true;
  }

  void skip_space() {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (place_ < text_.size() && is_space(text_[place_])) ++place_;
  }

  std::optional<double> member() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    skip_space();
    const char first = place_ < text_.size() ? text_[place_] : ']';
    if (!is_digit(first)) {
      if (skip_word("null")) return schema::null_sample();
      if (skip_word("NaN")) return std::numeric_limits<double>::quiet_NaN();
      if (skip_word("Infinity")) return kInfinity;
      if (skip_word("-Infinity")) return -kInfinity;
    }
    const NumberText number = scan_number(text_.substr(place_));
    if (number.fault != nullptr) return std::nullopt;
    const std::string_view text = text_.substr(place_, number.size);
    place_ += number.size;
    return sample_of(text, number.is_integer);
  }

  bool skip_word(std::string_view word) {
    if (!text_.substr(place_).starts_with(word)) return false;
    place_ += word.size();
    return true;
  }

  std::string_view text_;
  std::size_t place_ = 0;
};

}  // namespace

NumberText scan_number(std::string_view text) {
  NumberText number;
  std::size_t& at = number.size;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > first;
  };
  const auto is = [&](char c) { return at < text.size() && text[at] == c; };
  if (is('-')) ++at;
  if (is('0')) {
    ++at;
  } else if (!digits()) {
    number.fault = "a number without digits";
    return number;
  }
  if (is('.')) {
    number.is_integer = false;
    ++at;
    if (!digits()) {
      number.fault = "a number without digits after the point";
      return number;
    }
  }
  if (is('e') || is('E')) {
    number.is_integer = false;
    ++at;
    if (is('+') || is('-')) ++at;
    if (!digits()) number.fault = "a number without digits in its exponent";
  }
  return number;
}

double nearest_double(std::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  if (std::from_chars(number.data(), end, value).ec == std::errc()) return value;
  // from_chars does not tell too large from too small; strtod does.
  return std::strtod(std::string(number).c_str(), nullptr);
}

std::optional<double> sample_of(std::string_view number, bool is_integer) {
  if (!is_integer) return nearest_double(number);
  if (const auto exact = exact_double<std::int64_t>(number)) return exact;
  return exact_double<std::uint64_t>(number);
}

std::size_t sample_array_size(std::string_view text) {
  return SampleArray(text).read([](double) {});
}

void append_samples(std::string_view array, std::vector<double>* samples) {
  const auto commas = std::count(array.begin(), array.end(), ',');
  samples->reserve(samples->size() + static_cast<std::size_t>(commas) + 1);
  SampleArray(array).read([&](double sample) { samples->push_back(sample); });
}

}  // namespace benchhud::ingest
