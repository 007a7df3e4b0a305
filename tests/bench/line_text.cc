#include "line_text.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace benchhud::bench {
namespace {

void begin_metric(std::string_view name, std::string* out) {
  if (!out->ends_with('{')) out->append(", ");
  out->push_back('"');
  out->append(name);
  out->append("\": [");
}

void append_sample(double value, std::string* out) { append_number(value, out); }

void append_sample(std::int64_t value, std::string* out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out->append(digits, end);
}

template <class T>
void append_samples(std::string_view name, std::span<const T> samples, std::string* out) {
  begin_metric(name, out);
  bool is_first = true;
  for (const T sample : samples) {
    if (!is_first) out->append(", ");
    is_first = false;
    append_sample(sample, out);
  }
  out->push_back(']');
}

}  // namespace

void append_number(double value, std::string* out) {
  char digits[64];
  const double size = std::abs(value);
  const bool plain = value == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(digits, digits + sizeof digits, value, format).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out->append(text);
  if (plain && text.find('.') == std::string_view::npos) out->append(".0");
}

void append_metric(std::string_view name, std::span<const double> samples, std::string* out) {
  append_samples(name, samples, out);
}

void append_metric(std::string_view name, std::span<const std::int64_t> samples, std::string* out) {
  append_samples(name, samples, out);
}

}  // namespace benchhud::bench
