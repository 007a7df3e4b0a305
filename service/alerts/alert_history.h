// What happened to alerts from night to night, as the store keeps it, and which alerts took over
// from those that are not found any more.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_history.h"
#include "schema/model/types.h"
#include "service/alerts/alert_matching.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {

/// The events of an alert, from when it was first seen on. `ids`: of each of the watch's alerts, by
/// which the store knows it.
std::vector<schema::AlertEvent> alert_events(const AlertContext& context,
                                             const analysis::WatchedAlert& alert,
                                             std::span<const schema::AlertId> ids);

/// Which of `found`, as a place, tells of more than half of the series of an alert that is not
/// found any more, by experiment and metric, and began within three nights (kSameCause) of it; of
/// several the one that tells of most. Speedups count only where there is nothing else, for they
/// follow from times.
std::optional<std::size_t> successor_of(const AlertContext& context,
                                        std::span<const FoundAlert> found,
                                        const schema::AlertOutline& lost,
                                        std::span<const schema::AlertMember> members);

}  // namespace benchhud::service
