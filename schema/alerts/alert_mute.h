// Until when people do not want to hear of an alert. A mute that ends with a day ends by itself: it
// is in force while its day is later than that of the time that is asked about. So nobody has to
// write anything at midnight, and what only reads the store, such as a backup or a server that may
// not write to it, is right as well. One that ends with a state is taken away by what writes the
// state (AlertWriter::update()), so that it is not in force again when the state goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/alerts/alert.h"
#include "schema/base/errors.h"

namespace benchhud::schema {

/// What ends a mute, beside a day.
enum class MuteEnd : std::uint8_t {
  kConfirmed,  ///< it is sure
  kRecovered,  ///< it is recovered, or withdrawn
  kWorse,      ///< its headline is farther off than its interval reached when it was muted
};

/// "confirmed", "recovered", "worse".
std::string_view mute_end_name(MuteEnd end);
std::optional<MuteEnd> mute_end_of(std::string_view name);

/// Whether a mute can be so: a day, "2026-12-24", a mute_end_name(), or "" for none. Error:
/// kInvalidArgument.
Expected<void> check_mute(std::string_view value);
/// Whether this alert can be muted so at `now` (seconds since 1970): the day has not begun, the
/// state has not come. `value` as check_mute() allows. Error: kInvalidArgument, which names the
/// alert.
Expected<void> check_mute_of(const Alert& alert, std::string_view value, double now);

/// What Alert::muted_until is compared with: mutes whose text is greater are in force. It is the
/// day of `now`, "2026-12-23": names of states are greater than any day. Of kWithoutMutes a text
/// that nothing is greater than.
std::string mute_day(double now);

}  // namespace benchhud::schema
