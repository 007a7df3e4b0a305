// The rules by which alerts are found, as people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/alerts/alert_detector.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::service {

inline constexpr std::size_t kMostRulesBytes = 1 << 20;

/// A JSON object; docs/regressions.md lists its keys. Every key may be absent. Error:
/// kInvalidArgument, which names the place, what is wrong and what is allowed.
schema::Expected<analysis::FleetRules> read_alert_rules(std::string_view json);

/// The rules that the store keeps, as they were written; "{}" where it keeps none.
schema::Expected<std::string> stored_alert_rules(schema::Connection& store);

/// Keeps rules for all who find alerts in this store: one transaction, with a line in the audit.
/// Errors: those of read_alert_rules().
schema::Expected<void> keep_alert_rules(schema::Connection& store, std::string_view json);

}  // namespace benchhud::service
