// What an engineer asks of an alert first: why it is of what it is of, why it has its state, and
// what would change that.
#pragma once

#include <string>
#include <string_view>

#include "service/alerts/alert_headline.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {

/// Of an alert that is not found any more: its runs are gone, do not count, or are watched by other
/// rules.
inline constexpr std::string_view kNotFoundAnyMore =
    "Withdrawn: the runs that count now, under the rules of now, do not show it.";

/// How many nights at its new level a change of a time lacks until it can be confirmed; 0: none, or
/// it is no time.
std::size_t nights_missing(const AlertContext& context, const analysis::WatchedMember& member);

/// At most three sentences, of numbers that the detector has of this alert: level_text(), why it
/// has its state, and what would change it. What is not known is left out. `members`: members_of()
/// the alert.
std::string alert_explanation(const AlertContext& context, const analysis::WatchedAlert& alert,
                              const Members& members);

}  // namespace benchhud::service
