#include "schema/alerts/alert_mute.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "schema/base/name_table.h"
#include "schema/base/time.h"

namespace benchhud::schema {
namespace {

constexpr std::array kMuteEnds = {
    std::pair{MuteEnd::kConfirmed, std::string_view("confirmed")},
    std::pair{MuteEnd::kRecovered, std::string_view("recovered")},
    std::pair{MuteEnd::kWorse, std::string_view("worse")},
};

bool is_day(std::string_view text) {
  constexpr std::size_t kDayBytes = 10;
  if (text.size() != kDayBytes) return false;
  const auto time = parse_time(text);
  // Only of a day that there is the text comes back.
  return time && format_date(*time) == text;
}

}  // namespace

std::string_view mute_end_name(MuteEnd end) { return name_in(kMuteEnds, end); }
std::optional<MuteEnd> mute_end_of(std::string_view name) { return value_in(kMuteEnds, name); }

Expected<void> check_mute(std::string_view value) {
  if (value.empty() || mute_end_of(value) || is_day(value)) return {};
  return Error{ErrorCode::kInvalidArgument,
               "an alert is muted until a day like 2026-12-24, or until it is " +
                   names_in(kMuteEnds) + "; an empty text ends it"};
}

Expected<void> check_mute_of(const Alert& alert, std::string_view value, double now) {
  const auto refused = [&](std::string_view why) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("alert {} cannot be muted until {}: {}",
                                                          to_int(alert.id), value, why)};
  };
  if (value.empty()) return {};
  const auto end = mute_end_of(value);
  if (!end) {
    if (value > mute_day(now)) return {};
    return refused("that day has begun");
  }
  if (alert.detected == DetectedState::kRecovered || alert.detected == DetectedState::kWithdrawn) {
    return refused("it is over");
  }
  if (end == MuteEnd::kConfirmed && alert.detected == DetectedState::kConfirmed) {
    return refused("it is confirmed");
  }
  const bool has_interval = alert.headline && alert.headline->low && alert.headline->high;
  if (end == MuteEnd::kWorse && !has_interval) {
    return refused("how much it changed has no interval that it could leave");
  }
  return {};
}

std::string mute_day(double now) { return std::isfinite(now) ? format_date(now) : "~"; }

}  // namespace benchhud::schema
