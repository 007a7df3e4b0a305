#include "analysis/trace_words.h"

#include <fmt/format.h>

#include <cmath>

namespace benchhud::analysis {

std::string time_words(std::int64_t ns) {
  const auto size = static_cast<double>(ns);
  if (std::abs(size) >= 1e9) return fmt::format("{:.3f} s", size / 1e9);
  if (std::abs(size) >= 1e6) return fmt::format("{:.3f} ms", size / 1e6);
  return fmt::format("{:.3f} µs", size / 1e3);
}

std::string share_words(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string count_words(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace benchhud::analysis
