// What is written into the audit that is no change of what the store holds: refused attempts,
// sign-ins, downloads.
#pragma once

#include <span>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

struct AuditEvent {
  double at = 0;       ///< seconds since 1970, UTC
  std::string action;  ///< a word, like those of changes
  std::string detail;
};

/// Adds a line for each event. One transaction.
Expected<void> note_events(Connection& connection, std::span<const AuditEvent> events);

}  // namespace benchhud::schema
