#include "analysis/alerts/alert_groups.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/alerts/common_failures.h"
#include "analysis/alerts/drift_detector.h"
#include "analysis/changes/night_series.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// What grouping needs of a member. All members of years are gone through each night: what is this
// small stays in the processor's cache.
struct Grouped {
  const CatalogEntry* entry;
  std::size_t place;
  std::size_t onset, earliest, latest, first_seen;
  std::size_t recovered;  // kNever
  double effect, error, p_value;
  std::optional<schema::ExperimentId> baseline;
  std::size_t change;
  int worse;
  WatchedMetric metric;
  bool is_timed, is_confirmed;

  Grouped(const WatchedMember& member, const CurrentMember& current)
      : entry(current.entry),
        place(current.place),
        onset(member.onset),
        earliest(member.earliest),
        latest(member.latest),
        first_seen(member.first_seen),
        recovered(member.recovered.value_or(kNever)),
        effect(member.effect),
        error(member.error),
        p_value(member.p_value),
        baseline(member.baseline),
        change(member.change),
        worse(member.worse),
        metric(member.metric),
        is_timed(watched_metric_info(member.metric).kind == MetricKind::kTimed),
        is_confirmed(member.confirmed.has_value()) {}

  bool is_drift() const { return metric == WatchedMetric::kDrift; }
};

// What crept up belongs to no night: a change near where it is counted from is another thing. But
// what seems to have crept may be a step that lies between where it is counted from and where it
// was seen, and that was too small for its nights to tell.
struct LastingStep {
  std::size_t onset = 0;
  std::size_t end = 0;  // the night that it recovered on; kNever
  double effect = 0;
};

bool spans(const Grouped& drift, const LastingStep& step) {
  return drift.onset < step.onset && step.onset <= drift.first_seen && drift.first_seen < step.end;
}

// How far a drift went beyond a step, as a share of what would be a drift.
double beyond(const Grouped& drift, const LastingStep& step) {
  const double moved = std::log1p(drift.effect) - std::log1p(step.effect);
  return drift.worse * moved / DriftDetector::least(drift.error);
}

// Members have two numbers here: a place among all, and an index among those that are grouped.
class Grouping {
 public:
  Grouping(std::span<const WatchedMember> members, std::span<const CurrentMember> current,
           const Catalog& catalog)
      : catalog_(catalog), groups_(common_failures(members, current)) {
    std::unordered_set<std::size_t> failed;  // places
    for (const AlertGroup& group : groups_) {
      failed.insert(group.members.begin(), group.members.end());
    }
    members_.reserve(current.size());
    for (const CurrentMember& one : current) {
      const WatchedMember& member = members[one.place];
      if (member.withdrawn || !member.is_reported || failed.contains(one.place)) continue;
      members_.emplace_back(member, one);
    }
  }

  std::vector<AlertGroup> run() {
    const Indices all = by_certainty();
    const auto drifts = std::find_if(all.begin(), all.end(),
                                     [&](std::size_t index) { return member(index).is_drift(); });
    for (auto index = all.begin(); index != drifts; ++index) take(*index);
    std::ranges::sort(steps_, {}, &Step::experiment);
    for (auto index = drifts; index != all.end(); ++index) take(*index);
    for (AlertGroup& group : groups_) std::sort(group.members.begin(), group.members.end());
    return std::move(groups_);
  }

 private:
  using Indices = std::vector<std::size_t>;

  std::size_t size() const { return members_.size(); }
  const Grouped& member(std::size_t index) const { return members_[index]; }
  const CatalogEntry& entry(std::size_t index) const { return *members_[index].entry; }

  // The surest first: what is exact, then what is confirmed, then by p-value; what crept last.
  Indices by_certainty() const {
    struct Rank {
      std::uint8_t kind;  // drifts, timed, unconfirmed, and other than steady times: a bit each
      std::uint8_t metric;
      std::uint32_t change;
      double p_value;
      std::size_t entry, index;
      auto key() const { return std::tie(kind, p_value, entry, metric, change); }
    };
    std::vector<Rank> ranks;
    for (std::size_t i = 0; i < size(); ++i) {
      const Grouped& one = member(i);
      const int kind = int{one.is_drift()} << 3 | int{one.is_timed} << 2 |
                       int{!one.is_confirmed} << 1 | int{one.metric != WatchedMetric::kSteady};
      ranks.push_back({static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(one.metric),
                       static_cast<std::uint32_t>(one.change), one.p_value,
                       catalog_.place(entry(i)), i});
    }
    std::sort(ranks.begin(), ranks.end(),
              [](const Rank& a, const Rank& b) { return a.key() < b.key(); });
    Indices indices;
    indices.reserve(ranks.size());
    for (const Rank& rank : ranks) indices.push_back(rank.index);
    return indices;
  }

  // A group of a model that is being made.
  struct OfModel {
    std::size_t group = 0;  // in groups_
    std::size_t onset = 0;
    bool is_of_drifts = false;
  };
  // A steady time in a group of a model.
  struct Step {
    schema::ExperimentId experiment{};
    std::size_t index = 0;
    std::size_t group = 0;  // in groups_
  };

  // Drifts come last, and begin groups of their own where no step explains them.
  void take(std::size_t index) {
    const Grouped& one = member(index);
    std::vector<OfModel>& groups = of_model_[entry(index).model()];
    const auto near = std::find_if(groups.begin(), groups.end(), [&](const OfModel& other) {
      return one.is_drift() == other.is_of_drifts && may_begin_near(one, other.onset);
    });
    std::size_t group = near == groups.end() ? groups_.size() : near->group;
    if (one.is_drift()) group = std::min(group, group_of_step(one));
    if (group == groups_.size()) {
      groups.push_back({group, one.onset, one.is_drift()});
      AlertGroup& made = groups_.emplace_back();
      made.model = entry(index).model();
      made.onset = one.onset;
    }
    groups_[group].members.push_back(members_[index].place);
    if (one.metric == WatchedMetric::kSteady) steps_.push_back({one.entry->id(), index, group});
  }

  // The first with a step of the same series that explains a drift; as many as there are if none.
  std::size_t group_of_step(const Grouped& drift) const {
    std::size_t first = groups_.size();
    for (const Step& step :
         std::ranges::equal_range(steps_, drift.entry->id(), {}, &Step::experiment)) {
      const Grouped& other = member(step.index);
      const LastingStep lasting{other.onset, other.recovered, other.effect};
      if (other.worse != drift.worse || !spans(drift, lasting)) continue;
      if (std::abs(beyond(drift, lasting)) < 1) first = std::min(first, step.group);
    }
    return first;
  }

  static bool may_begin_near(const Grouped& member, std::size_t night) {
    return nights_apart(member.onset, night) <= kSameCause ||
           (member.earliest <= night && night <= member.latest);
  }

  const Catalog& catalog_;
  std::vector<Grouped> members_;  // in the order of their places
  std::unordered_map<std::size_t, std::vector<OfModel>> of_model_;
  std::vector<Step> steps_;
  std::vector<AlertGroup> groups_;
};

}  // namespace

std::string_view alert_scope_name(AlertScope scope) {
  switch (scope) {
    case AlertScope::kMachine:
      return "machine";
    case AlertScope::kBackend:
      return "backend";
    case AlertScope::kModel:
      return "model";
  }
  return "";
}

std::vector<AlertGroup> group_changes(std::span<const WatchedMember> members,
                                      std::span<const CurrentMember> current,
                                      const Catalog& catalog) {
  return Grouping(members, current, catalog).run();
}

}  // namespace benchhud::analysis
