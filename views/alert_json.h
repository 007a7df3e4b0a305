// Alerts as JSON.
#pragma once

#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_history.h"
#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_run.h"
#include "schema/base/errors.h"
#include "schema/base/json_writer.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::views {

/// The fields of the contract's Alert, inside of an object. `runs` reads the runs that it names.
schema::Expected<void> write_alert_fields(schema::JsonWriter& json, const schema::Alert& alert,
                                          const schema::AlertDetails& details,
                                          schema::AlertRuns& runs);
/// Appends alerts (the contract's Alert) to an array that is open, with their details read from the
/// store, restricted to the series that `filter` selects.
schema::Expected<void> write_alerts(schema::JsonWriter& json,
                                    const std::vector<schema::Alert>& alerts,
                                    schema::Connection& store, schema::AlertRuns& runs,
                                    const schema::SeriesFilter& filter = {});

/// `causes` and `reproduction`, which one alert is shown with and a list is not; inside of its
/// object.
void write_explanation_fields(schema::JsonWriter& json,
                              const service::AlertExplanation& explanation);

/// `split_from` and `history` of the contract's AlertDetail, inside of its object.
schema::Expected<void> write_history_fields(schema::JsonWriter& json,
                                            const std::vector<schema::AlertEvent>& events,
                                            schema::AlertRuns& runs);

/// The contract's SeriesChange.
schema::Expected<void> write_level_change(schema::JsonWriter& json,
                                          const schema::LevelChange& change,
                                          schema::AlertRuns& runs);

}  // namespace benchhud::views
