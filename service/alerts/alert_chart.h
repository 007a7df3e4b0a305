// What an alert's chart draws.
#pragma once

#include <optional>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_chart.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {

/// The nights that the headline's number was judged by (analysis/alerts/judged_nights.h), of the
/// series that it is the median of where it is of many, from some before the alert began to some
/// after it was over. None where the headline is of no time, and where the nights are not kept any
/// more from before it began on: what was kept of them is then better than what could be made.
std::optional<std::vector<schema::AlertChartNight>> alert_chart(const AlertContext& context,
                                                                const analysis::WatchedAlert& alert,
                                                                const schema::Alert& record);

}  // namespace benchhud::service
