// Metrics whose samples are objects: counters and per-operation profiles, from their stored JSON.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/profiles/fallback_operations.h"
#include "schema/model/profile.h"

namespace benchhud::analysis {

/// `dynamo_counters`: an array with one {group: {counter: number}} a repetition; one such object
/// alone counts as an array of one. A repetition that is null, or no object, has no counters, and
/// what within it is no number is left out; numbers beyond 64 bits stay at the largest. None if the
/// text is no JSON or neither array nor object.
std::optional<std::vector<schema::DynamoCounters>> read_dynamo_counters(std::string_view json);

/// `xla_unlowered_ops` and `inductor_ops`: an array with one {operation: {times}} a repetition, by
/// the same rules.
std::optional<std::vector<std::vector<OperationTimes>>> read_operation_times(std::string_view json);

}  // namespace benchhud::analysis
