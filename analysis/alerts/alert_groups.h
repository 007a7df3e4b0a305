// Many changes, few causes: which changes of series belong together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/watched_metric.h"
#include "analysis/results/catalog.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {

/// A change of one series, timed or not, as a member of an alert. Nights are numbered.
struct WatchedMember {
  // Which: stable from night to night.
  schema::ExperimentId experiment{};
  WatchedMetric metric{};
  std::size_t change = 0;  ///< of that series; of all common changes of the metric, if it is one
  bool is_common = false;  ///< what a common change did to the series (common_changes.h)

  std::size_t onset = 0;                 ///< the first night of what is new
  std::size_t earliest = 0, latest = 0;  ///< where that may be as well
  std::size_t first_seen = 0;
  std::optional<std::size_t> confirmed, withdrawn, recovered;
  bool is_reported = true;  ///< not where it merely is another's recovery, or rules say so
  /// 1: for the worse, -1: for the better, 0: neither is.
  int worse = 0;
  /// Timed: levels in the metric's unit, the change as a share of the level before. Without what
  /// moved the machine or the backend, unless `is_common`.
  double before = 0, after = 0, effect = 0;
  Interval interval;  ///< of `effect`, at 95 %
  double error = 0;   ///< drift: standard error of what moved, in natural logarithms
  double p_value = 1, q_value = 1;
  std::size_t nights_before = 0, nights_after = 0;
  /// Counts and verdicts: what was and what is.
  std::string before_text, after_text;
  std::size_t flips = 0, of = 0;  ///< of the last `of` values so many differed from the one before
  /// Failures: the signature of the error, or "", and how many experiments of the backend were
  /// tried on the night of the onset.
  std::string signature;
  std::size_t tried = 0;
  /// Speedup: what it is against.
  std::optional<schema::ExperimentId> baseline;
};

/// How far a cause reaches.
enum class AlertScope : std::uint8_t {
  kMachine,  ///< many series of many models: the machine, its driver, its clocks
  kBackend,  ///< the series of one backend beside all others: the backend, or its compiler
  kModel,    ///< one model
};
/// "machine", "backend" or "model".
std::string_view alert_scope_name(AlertScope scope);

struct AlertGroup {
  AlertScope scope = AlertScope::kModel;
  std::string backend;               ///< kBackend
  std::size_t model = 0;             ///< kModel: CatalogEntry::model
  bool is_of_failures = false;       ///< several models failed together (common_failures.h)
  std::size_t onset = 0;             ///< of its surest member
  std::vector<std::size_t> members;  ///< places, ascending
};

/// Two changes so many nights apart may have one cause.
inline constexpr std::size_t kSameCause = 3;

/// A member that may be of a group.
struct CurrentMember {
  std::size_t place = 0;                ///< among all members
  const CatalogEntry* entry = nullptr;  ///< of its experiment
};

/// What failed together (common_failures.h), and of what is left the changes of each model that
/// began as near the surest of them, or may have begun with it
/// (WatchedMember::earliest to latest). Of members that are neither withdrawn nor untold; the
/// others are of no group. What is equally sure goes by the catalog's order, metric and number.
/// Deterministic, whatever the order of `members`. `current`: by ascending places, all that may be
/// of a group.
///
/// A drift over the night of a step of its own series is no other thing than the step where that
/// leaves no drift (DriftDetector::least()). Otherwise it is a cause of its own.
std::vector<AlertGroup> group_changes(std::span<const WatchedMember> members,
                                      std::span<const CurrentMember> current,
                                      const Catalog& catalog);

}  // namespace benchhud::analysis
