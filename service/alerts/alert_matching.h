// Which of the alerts that are known each found one is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/alert_detector.h"
#include "schema/alerts/alert.h"
#include "schema/model/types.h"
#include "service/alerts/alert_record.h"

namespace benchhud::service {

/// An alert that was found, without what is told of it: that is made when it is stored.
struct FoundAlert {
  const analysis::WatchedAlert* watched = nullptr;
  std::string key;
  /// Of the key, what the alert is about, by which a moved one is known again.
  std::size_t subject_bytes = 0;

  std::string_view subject() const { return std::string_view(key).substr(0, subject_bytes); }
};

/// In the order in which they were first seen.
std::vector<FoundAlert> found_alerts(const AlertContext& context);

/// The night that is nearest to a time; the first where there is none.
std::size_t nearest_night(std::span<const schema::Run> nights, double time);

/// How many nights lie between two; excluded ones do not count.
std::size_t nights_between(const AlertContext& context, std::size_t one, std::size_t other);

/// Which of `stored` each found alert is, as a place: the one of its key, else the nearest that is
/// left of its subject within kSameCause nights. Nights that are excluded do not count: what began
/// on one of them and is seen only behind them is the same.
std::vector<std::optional<std::size_t>> match_alerts(const AlertContext& context,
                                                     std::span<const FoundAlert> found,
                                                     std::span<const schema::AlertOutline> stored);

}  // namespace benchhud::service
