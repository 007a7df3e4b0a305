// What happened to an alert, for a terminal.
#pragma once

#include <string>

#include "schema/alerts/alert.h"
#include "schema/base/errors.h"
#include "schema/results/reader.h"

namespace benchhud::cli {

/// A line for each event and for each action of a person, oldest first: events as of when their
/// runs started. "" for an alert that has neither.
schema::Expected<std::string> alert_history_text(schema::Reader& reader, schema::AlertId alert);

/// "not found any more; its changes are now covered by #23"; "" of what is not orphaned.
std::string orphan_text(const schema::Alert& alert);

}  // namespace benchhud::cli
