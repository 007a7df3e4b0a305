// Why an alert is one of the machine, of a backend or of a model: how many series moved, and what
// the others did.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "service/alerts/alert_headline.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {

/// "slower", "faster", "higher" or "lower": where a metric went.
std::string_view became_text(const analysis::WatchedMetricInfo& info, bool is_more);

/// A name, or as much of it as a sentence has room for.
std::string name_text(std::string_view name);

/// The day of a night: "2025-11-26"; with the time of day where another run was on that day.
std::string night_text(const AlertContext& context, std::size_t night);

/// A sentence. `members`: members_of() the alert. "" where nothing is known.
std::string level_text(const AlertContext& context, const analysis::WatchedAlert& alert,
                       const Members& members);

}  // namespace benchhud::service
