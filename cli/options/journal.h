// Messages that say how bad they are where systemd's journal reads them.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace benchhud::cli {

enum class Urgency { kError, kWarning };

/// What a line on standard error begins with: the level as journald takes it from there
/// (sd-daemon(3)), or nothing where standard error goes elsewhere.
std::string_view journal_mark(Urgency urgency);

/// Prints a line on standard error about something that is not in order.
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(stderr, "{}{}", journal_mark(Urgency::kWarning),
             fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace benchhud::cli
