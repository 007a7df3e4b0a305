// By how much the times of results are shifted when they are ingested: samples are shown as of this
// week. The shift is chosen once and kept in the store, so that ingesting again changes nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

inline constexpr double kSecondsPerWeek = 7 * 24 * 3600;

/// In whole weeks, so that weekdays and times of day stay; none: the store has no shift.
Expected<std::optional<std::int64_t>> time_shift_weeks(Connection& connection);

/// The caller holds the write transaction.
Expected<void> keep_time_shift(Connection& connection, std::int64_t weeks);

}  // namespace benchhud::schema
