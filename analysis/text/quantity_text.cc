#include "analysis/text/quantity_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace benchhud::analysis {

std::string duration_text(double seconds) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  // A unit begins where three digits of the one below would round up to it.
  static constexpr std::array<Unit, 3> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}};
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds == 0) return "0 s";
  for (const Unit& unit : kUnits) {
    const double count = seconds / unit.seconds;
    if (std::abs(count) >= 999.5) return fmt::format("{:.0f} {}", count, unit.name);
    if (std::abs(count) >= 0.9995) return fmt::format("{:.3g} {}", count, unit.name);
  }
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string nanoseconds_text(double ns) { return duration_text(ns / 1e9); }

std::string nanoseconds_text(std::int64_t ns) { return nanoseconds_text(static_cast<double>(ns)); }

std::string share_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", share * 100) : "unknown";
}

std::string bytes_text(std::int64_t bytes) {
  struct Unit {
    double bytes;
    std::string_view name;
  };
  static constexpr std::array<Unit, 4> kUnits = {
      {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
  for (const Unit& unit : kUnits) {
    const double count = static_cast<double>(bytes) / unit.bytes;
    if (std::abs(count) >= 999.5) return fmt::format("{:.0f} {}", count, unit.name);
    if (std::abs(count) >= 0.9995) return fmt::format("{:.3g} {}", count, unit.name);
  }
  return fmt::format("{} B", bytes);
}

std::string bytes_text(const std::optional<std::int64_t>& bytes) {
  return bytes ? bytes_text(*bytes) : "unknown";
}

}  // namespace benchhud::analysis
