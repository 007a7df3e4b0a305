#include "analysis/alert_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "analysis/drift_watch.h"
#include "analysis/night_series.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kTogether = 1;  // nights between the onsets of a common cause
constexpr double kMost = 0.5;
constexpr double kFewOthers = 0.25;  // of the other backends' series

bool is_timed(const AlertMember& member) {
  return watched_metric_info(member.metric).kind == MetricKind::kTimed;
}

bool is_drift(const AlertMember& member) { return member.metric == WatchedMetric::kDrift; }

// What crept up belongs to no night: a change near where it is counted from is another thing. But
// what seems to have crept may be a step that lies between where it is counted from and where it
// was seen, and that was too small for its nights to tell.
struct LastingStep {
  std::size_t onset = 0;
  std::size_t end = 0;  // the night that it recovered on; kNever
  double effect = 0;
};
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

bool spans(const AlertMember& drift, const LastingStep& step) {
  return drift.onset < step.onset && step.onset <= drift.first_seen && drift.first_seen < step.end;
}

// How far a drift went beyond a step, as a share of what would be a drift.
double beyond(const AlertMember& drift, const LastingStep& step) {
  const double moved = std::log1p(drift.effect) - std::log1p(step.effect);
  return drift.worse * moved / DriftWatch::least(drift.error);
}

class Grouping {
 public:
  Grouping(std::span<const AlertMember> members, const Catalog& catalog,
           std::span<const NightSeries> nights)
      : members_(members), catalog_(catalog), nights_(nights), taken_(members.size(), true) {
    entries_.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].withdrawn || !members[i].is_told) continue;
      taken_[i] = false;
      entries_[i] = catalog.find(members[i].experiment);
      if (members[i].metric == WatchedMetric::kSteady) steady_[members[i].onset].push_back(i);
    }
  }

  std::vector<AlertGroup> run() {
    find_common_causes();
    while (take_common_cause()) {
    }
    take_by_model();
    for (AlertGroup& group : groups_) std::sort(group.members.begin(), group.members.end());
    return std::move(groups_);
  }

 private:
  using Places = std::vector<std::size_t>;

  const CatalogEntry& entry(std::size_t place) const { return *entries_[place]; }

  // Each once, ascending.
  std::vector<std::size_t> models_of(const Places& places) const {
    std::vector<std::size_t> models;
    models.reserve(places.size());
    for (const std::size_t place : places) models.push_back(entry(place).model());
    std::sort(models.begin(), models.end());
    models.erase(std::unique(models.begin(), models.end()), models.end());
    return models;
  }

  bool is_of_few_models(const Places& places) const {
    std::array<std::size_t, kFewestModels - 1> seen{};
    std::size_t count = 0;
    for (const std::size_t place : places) {
      const std::size_t model = entry(place).model();
      if (std::find(seen.begin(), seen.begin() + count, model) != seen.begin() + count) continue;
      if (count == seen.size()) return false;
      seen[count++] = model;
    }
    return true;
  }

  // Steady times that moved in one direction around a night.
  Places moved_at(std::size_t night, int worse) const {
    Places places;
    const auto end = steady_.upper_bound(night + kTogether);
    for (auto of = steady_.lower_bound(night - std::min(night, kTogether)); of != end; ++of) {
      for (const std::size_t place : of->second) {
        if (!taken_[place] && members_[place].worse == worse) places.push_back(place);
      }
    }
    return places;
  }

  // The share of the series that a night has.
  static double share(std::size_t count, std::size_t of) {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }

  struct Common {
    AlertGroup group;
    Places core;
    int worse = 0;
  };

  // What a common cause did to most: medians of its core.
  LastingStep step_of(const Common& common) const {
    std::vector<double> effects;
    std::vector<std::size_t> ends;
    for (const std::size_t place : common.core) {
      effects.push_back(members_[place].effect);
      ends.push_back(members_[place].recovered.value_or(kNever));
    }
    const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    std::nth_element(ends.begin(), middle, ends.end());
    return {common.group.onset, *middle, median(effects)};
  }

  // What the steady times that moved around a night have in common.
  std::optional<Common> common_at(std::size_t night, int worse) const {
    const Places moved = moved_at(night, worse);
    if (is_of_few_models(moved)) return std::nullopt;
    Common common;
    common.worse = worse;
    common.group.onset = night;
    if (share(moved.size(), nights_[night].all) >= kMost && !is_of_one_backend(moved, night)) {
      common.group.scope = AlertScope::kMachine;
      common.core = moved;
      return common;
    }
    std::map<std::string_view, Places> by_backend;
    for (const std::size_t place : moved) by_backend[entry(place).backend()].push_back(place);
    for (const auto& [backend, places] : by_backend) {
      const Places core = share(places.size(), backend_series(night, backend)) >= kMost
                              ? places
                              : only_on(backend, places, moved);
      if (core.size() <= common.core.size() || is_of_few_models(core)) continue;
      common.group.scope = AlertScope::kBackend;
      common.group.backend = backend;
      common.core = core;
    }
    if (common.core.empty()) return std::nullopt;
    return common;
  }

  // Whether the other backends kept still, if there are others.
  bool is_of_one_backend(const Places& moved, std::size_t night) const {
    std::map<std::string_view, std::size_t> by_backend;
    for (const std::size_t place : moved) ++by_backend[entry(place).backend()];
    const auto most =
        std::max_element(by_backend.begin(), by_backend.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::size_t ours = std::min(backend_series(night, most->first), nights_[night].all);
    const std::size_t others = nights_[night].all - ours;
    return others > 0 && share(moved.size() - most->second, others) < kFewOthers;
  }

  std::size_t backend_series(std::size_t night, std::string_view backend) const {
    const auto found = nights_[night].by_backend.find(backend);
    return found == nights_[night].by_backend.end() ? 0 : found->second;
  }

  // Those whose model moved on no other backend.
  Places only_on(std::string_view backend, const Places& places, const Places& moved) const {
    Places others;
    for (const std::size_t place : moved) {
      if (entry(place).backend() != backend) others.push_back(place);
    }
    const auto elsewhere = models_of(others);
    Places only;
    for (const std::size_t place : places) {
      if (!std::binary_search(elsewhere.begin(), elsewhere.end(), entry(place).model())) {
        only.push_back(place);
      }
    }
    return only;
  }

  // What may be a common cause: by night and direction.
  using Candidate = std::pair<std::size_t, int>;

  void find_common_causes() {
    for (const auto& [night, places] : steady_) {
      for (const std::size_t place : places) {
        const Candidate candidate(night, members_[place].worse);
        if (causes_.contains(candidate)) continue;
        causes_[candidate] = common_at(candidate.first, candidate.second);
      }
    }
  }

  // The common cause that explains most; of equals the earliest.
  bool take_common_cause() {
    const Common* best = nullptr;
    for (const auto& [candidate, cause] : causes_) {
      if (cause && (best == nullptr || cause->core.size() > best->core.size())) best = &*cause;
    }
    if (best == nullptr) return false;
    Common taken = *best;
    const LastingStep step = step_of(taken);
    for (const std::size_t place : taken.core) take(place, &taken.group);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!taken_[i] && follows(i, taken, step)) take(i, &taken.group);
    }
    // What it took is missing from the causes around where that began alone.
    std::set<std::size_t> onsets;
    for (const std::size_t place : taken.group.members) onsets.insert(members_[place].onset);
    for (auto& [candidate, cause] : causes_) {
      const std::size_t night = candidate.first;
      const int direction = candidate.second;
      const auto near = onsets.lower_bound(night - std::min(night, kTogether));
      if (near == onsets.end() || *near > night + kTogether) continue;
      const bool is_left = std::ranges::any_of(steady_.at(night), [&](std::size_t place) {
        return !taken_[place] && members_[place].worse == direction;
      });
      cause = is_left ? common_at(night, direction) : std::nullopt;
    }
    groups_.push_back(std::move(taken.group));
    return true;
  }

  // Whether a change is explained by a common cause.
  bool follows(std::size_t place, const Common& common, const LastingStep& step) const {
    const AlertMember& member = members_[place];
    const bool is_near = is_drift(member)
                             ? spans(member, step) && beyond(member, step) < 1
                             : is_timed(member) && may_begin_near(member, common.group.onset);
    if (!is_near) return false;
    const bool is_speedup = member.metric == WatchedMetric::kSpeedup;
    if (!is_speedup && member.worse != common.worse) return false;
    if (common.group.scope == AlertScope::kMachine) return true;
    if (entry(place).backend() == common.group.backend) return true;
    return is_speedup && member.baseline &&
           catalog_.find(*member.baseline)->backend() == common.group.backend;
  }

  void take(std::size_t place, AlertGroup* group) {
    taken_[place] = true;
    group->members.push_back(place);
  }

  // The surest first: what is exact, then what is confirmed, then by p-value; what crept last.
  Places left_by_certainty() const {
    Places places;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!taken_[i]) places.push_back(i);
    }
    const auto rank = [&](std::size_t place) {
      const AlertMember& member = members_[place];
      return std::tuple(is_drift(member), is_timed(member), !member.confirmed,
                        member.metric != WatchedMetric::kSteady, member.p_value,
                        catalog_.place(entry(place)), member.metric, member.change);
    };
    std::sort(places.begin(), places.end(),
              [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    return places;
  }

  void take_by_model() {
    std::map<std::size_t, std::vector<std::size_t>> of_model;  // places in groups_
    for (const std::size_t place : left_by_certainty()) {
      const AlertMember& member = members_[place];
      const std::size_t model = entry(place).model();
      std::vector<std::size_t>& groups = of_model[model];
      const auto group = std::find_if(groups.begin(), groups.end(), [&](std::size_t one) {
        return is_of_group(member, groups_[one]);
      });
      if (group != groups.end()) {
        take(place, &groups_[*group]);
        continue;
      }
      groups.push_back(groups_.size());
      AlertGroup& made = groups_.emplace_back();
      made.model = model;
      made.onset = member.onset;
      take(place, &made);
    }
  }

  // Drifts come last, and begin groups of their own where no step explains them.
  bool is_of_group(const AlertMember& member, const AlertGroup& group) const {
    const bool is_of_drifts = is_drift(members_[group.members.front()]);
    if (!is_drift(member) || is_of_drifts) {
      return is_drift(member) == is_of_drifts && may_begin_near(member, group.onset);
    }
    return std::ranges::any_of(group.members, [&](std::size_t place) {
      const AlertMember& other = members_[place];
      if (other.metric != WatchedMetric::kSteady || other.experiment != member.experiment ||
          other.worse != member.worse) {
        return false;
      }
      const LastingStep step{other.onset, other.recovered.value_or(kNever), other.effect};
      return spans(member, step) && std::abs(beyond(member, step)) < 1;
    });
  }

  static bool may_begin_near(const AlertMember& member, std::size_t night) {
    return nights_apart(member.onset, night) <= kSameCause ||
           (member.earliest <= night && night <= member.latest);
  }

  std::span<const AlertMember> members_;
  const Catalog& catalog_;
  std::span<const NightSeries> nights_;
  std::vector<const CatalogEntry*> entries_;           // by member
  std::map<std::size_t, Places> steady_;               // by onset
  std::map<Candidate, std::optional<Common>> causes_;  // none: it is no cause, or was taken
  std::vector<bool> taken_;                            // by member; or it is of no group
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

std::vector<AlertGroup> group_changes(std::span<const AlertMember> members, const Catalog& catalog,
                                      std::span<const NightSeries> nights) {
  return Grouping(members, catalog, nights).run();
}

}  // namespace benchhud::analysis
