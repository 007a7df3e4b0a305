#include "analysis/statistics/numpy_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace benchhud::analysis {
namespace {

constexpr double kNumpyNaN = std::numeric_limits<double>::quiet_NaN();

bool has_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

}  // namespace

double numpy_sum(std::span<const double> values) {
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kBlock = 128;
  const std::size_t n = values.size();
  if (n < kLanes) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }
  if (n > kBlock) {
    const std::size_t half = n / 2 - n / 2 % kLanes;
    return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
  }
  double lanes[kLanes];
  std::copy_n(values.begin(), kLanes, lanes);
  std::size_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
  }
  double sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
               ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  for (; i < n; ++i) sum += values[i];
  return sum;
}

double numpy_mean(std::span<const double> values) {
  return numpy_sum(values) / static_cast<double>(values.size());
}

double numpy_std(std::span<const double> values, int ddof) {
  const double mean = numpy_mean(values);
  std::vector<double> squares;
  squares.reserve(values.size());
  for (const double value : values) squares.push_back((value - mean) * (value - mean));
  const double degrees = std::max(static_cast<double>(values.size()) - ddof, 0.0);
  return std::sqrt(numpy_sum(squares) / degrees);
}

double numpy_percentile(std::span<const double> values, double percent) {
  if (values.empty() || has_nan(values)) return kNumpyNaN;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double place = static_cast<double>(sorted.size() - 1) * (percent / 100);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const double a = sorted[below];
  // The last value interpolates to itself, except that an infinite one makes a NaN, as in numpy.
  const double b = sorted[std::min(below + 1, sorted.size() - 1)];
  const double t = place - std::floor(place);
  return t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
}

double numpy_median(std::span<const double> values) {
  if (values.empty() || has_nan(values)) return kNumpyNaN;
  std::vector<double> sorted(values.begin(), values.end());
  const std::size_t middle = sorted.size() / 2;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() % 2 == 1) return sorted[middle];
  return numpy_mean(std::span(sorted).subspan(middle - 1, 2));
}

double scipy_gmean(std::span<const double> values) {
  std::vector<double> logarithms;
  logarithms.reserve(values.size());
  for (const double value : values) logarithms.push_back(std::log(value));
  return std::exp(numpy_mean(logarithms));
}

double numpy_round8(double value) { return std::nearbyint(value * 1e8) / 1e8; }

double python_round8(double value) {
  if (!std::isfinite(value)) return value;
  // printf is exact, and rounds halves to even.
  const std::string text = fmt::format("{:.8f}", value);
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

std::string python_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<std::size_t>(end.ptr - buffer));
  const std::size_t mark = text.find('e');
  int exponent = 0;
  const std::size_t digits_of_exponent = mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(buffer + digits_of_exponent, end.ptr, exponent);
  // Python writes an exponent below -4 and from 16 on, and keeps a float recognisable.
  if (exponent < -4 || exponent >= 16) return std::string(text);
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  std::string plain(buffer, fixed.ptr);
  if (plain.find('.') == plain.npos) plain += ".0";
  return plain;
}

std::string python_datetime(double seconds) {
  double whole = 0;
  double micros = std::nearbyint(std::modf(seconds, &whole) * 1e6);  // halves to even
  if (micros >= 1e6) {
    micros -= 1e6;
    whole += 1;
  } else if (micros < 0) {
    micros += 1e6;
    whole -= 1;
  }
  using namespace std::chrono;
  const sys_seconds at{std::chrono::seconds(static_cast<std::int64_t>(whole))};
  const auto midnight = floor<days>(at);
  const year_month_day date(midnight);
  const hh_mm_ss time(at - midnight);
  std::string text =
      fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  time.hours().count(), time.minutes().count(), time.seconds().count());
  if (micros != 0) text += fmt::format(".{:06}", static_cast<int>(micros));
  return text;
}

}  // namespace benchhud::analysis
