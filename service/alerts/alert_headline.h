// Which of an alert's members tell what it is about, and the one number that its title tells.
#pragma once

#include <optional>
#include <vector>

#include "schema/alerts/alert.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {

using Members = std::vector<const analysis::WatchedMember*>;

/// Whether a member is a speedup that moved because what it is against did, and its own time did
/// not.
bool is_doing_of_baseline(const AlertContext& context, const analysis::WatchedAlert& alert,
                          const analysis::WatchedMember& member);

/// Of the members of an alert those that its title tells of: the confirmed ones that have not
/// recovered; else, where there are none, the confirmed ones; else all. Of these, where some are
/// for the worse, only they, and of these no speedup that is_doing_of_baseline().
Members telling_members(const AlertContext& context, const analysis::WatchedAlert& alert,
                        const Members& members);

/// Of members of one model, whether `a` tells more than `b`: a failure before a time, a time before
/// a count, both before what follows from them; of those for the worse first, and the larger.
bool tells_more(const analysis::WatchedMember& a, const analysis::WatchedMember& b);

/// Of the members of a metric what most did: the median of their changes, with its interval at 95 %
/// (median_interval()). None where there are no such members.
struct MedianChange {
  double effect = 0;
  std::optional<analysis::Interval> interval;
  std::size_t models = 0;
};
std::optional<MedianChange> median_change(const AlertContext& context, const Members& members,
                                          analysis::WatchedMetric metric);

/// Of `members`, which are of one alert; none where there are none of which a number can be told.
std::optional<schema::AlertHeadline> alert_headline(const AlertContext& context,
                                                    const analysis::WatchedAlert& alert,
                                                    const Members& members);

/// Alert::weight: failures weigh 1000 and the number of series that fail (timing and verification
/// are one each); a time the natural logarithm of how much it moved at least, by its interval, or
/// half of its effect where that has none; anything else a hundredth.
double alert_weight(const std::optional<schema::AlertHeadline>& headline, const Members& members);

}  // namespace benchhud::service
