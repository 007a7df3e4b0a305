#include "analysis/alerts/alert_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/alerts/drift_detector.h"
#include "analysis/changes/night_series.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kTogether = 1;  // nights between the onsets of a common cause
constexpr double kMostOfThem = 0.5;
constexpr double kFewOthers = 0.25;  // of the other backends' series

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

// Whether there are fewer than kFewestModels models.
class FewModels {
 public:
  // Returns whether they are still few.
  bool add(std::size_t model) {
    if (std::find(seen_.begin(), seen_.begin() + count_, model) != seen_.begin() + count_) {
      return true;
    }
    if (count_ == seen_.size()) return are_few_ = false;
    seen_[count_++] = model;
    return true;
  }
  bool are_few() const { return are_few_; }

 private:
  std::array<std::size_t, kFewestModels - 1> seen_{};
  std::size_t count_ = 0;
  bool are_few_ = true;
};

// Members have two numbers here: a place among all, and an index among those that are grouped.
class Grouping {
 public:
  Grouping(std::span<const WatchedMember> members, std::span<const CurrentMember> current,
           const Catalog& catalog, std::span<const NightSeries> nights)
      : catalog_(catalog), nights_(nights) {
    members_.reserve(current.size());
    for (const CurrentMember& one : current) {
      const WatchedMember& member = members[one.place];
      if (member.withdrawn || !member.is_reported) continue;
      if (member.metric == WatchedMetric::kSteady) steady_.emplace_back(member.onset, size());
      members_.emplace_back(member, one);
    }
    std::sort(steady_.begin(), steady_.end());
    is_taken_.resize(size(), false);
  }

  std::vector<AlertGroup> run() {
    find_common_causes();
    if (!by_size_.empty()) find_reaches();
    while (take_common_cause()) {
    }
    take_by_model();
    for (AlertGroup& group : groups_) std::sort(group.members.begin(), group.members.end());
    return std::move(groups_);
  }

 private:
  using Indices = std::vector<std::size_t>;

  std::size_t size() const { return members_.size(); }
  const Grouped& member(std::size_t index) const { return members_[index]; }
  const CatalogEntry& entry(std::size_t index) const { return *members_[index].entry; }

  // Each once, ascending.
  std::vector<std::size_t> models_of(const Indices& indices) const {
    std::vector<std::size_t> models;
    models.reserve(indices.size());
    for (const std::size_t index : indices) models.push_back(entry(index).model());
    std::sort(models.begin(), models.end());
    models.erase(std::unique(models.begin(), models.end()), models.end());
    return models;
  }

  bool is_of_few_models(const Indices& indices) const {
    FewModels few;
    for (const std::size_t index : indices) {
      if (!few.add(entry(index).model())) return false;
    }
    return true;
  }

  // Calls `visit` with the index of each steady time that moved in one direction around a night, by
  // onset, until it returns false.
  template <class Visit>
  void visit_moved(std::size_t night, int worse, const Visit& visit) const {
    const std::pair<std::size_t, std::size_t> begin(night - std::min(night, kTogether), 0);
    for (auto one = std::lower_bound(steady_.begin(), steady_.end(), begin);
         one != steady_.end() && one->first <= night + kTogether; ++one) {
      const std::size_t index = one->second;
      if (is_taken_[index] || member(index).worse != worse) continue;
      if (!visit(index)) return;
    }
  }

  Indices moved_at(std::size_t night, int worse) const {
    Indices moved;
    // Around most nights few moved: nothing is allocated to find that out.
    FewModels few;
    visit_moved(night, worse, [&](std::size_t index) { return few.add(entry(index).model()); });
    if (few.are_few()) return moved;
    visit_moved(night, worse, [&](std::size_t index) {
      moved.push_back(index);
      return true;
    });
    return moved;
  }

  // The share of the series that a night has.
  static double share(std::size_t count, std::size_t of) {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }

  struct Common {
    AlertGroup group;
    Indices core;
    int worse = 0;
  };

  // What a common cause did to most: medians of its core.
  LastingStep step_of(const Common& common) const {
    std::vector<double> effects;
    std::vector<std::size_t> ends;
    for (const std::size_t index : common.core) {
      effects.push_back(member(index).effect);
      ends.push_back(member(index).recovered);
    }
    const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    std::nth_element(ends.begin(), middle, ends.end());
    return {common.group.onset, *middle, median(effects)};
  }

  // What the steady times that moved around a night have in common.
  std::optional<Common> common_at(std::size_t night, int worse) const {
    const Indices moved = moved_at(night, worse);
    if (moved.empty()) return std::nullopt;
    Common common;
    common.worse = worse;
    common.group.onset = night;
    if (share(moved.size(), nights_[night].all) >= kMostOfThem &&
        !is_of_one_backend(moved, night)) {
      common.group.scope = AlertScope::kMachine;
      common.core = moved;
      return common;
    }
    std::map<std::string_view, Indices> by_backend;
    for (const std::size_t index : moved) by_backend[entry(index).backend()].push_back(index);
    for (const auto& [backend, indices] : by_backend) {
      const Indices core = share(indices.size(), backend_series(night, backend)) >= kMostOfThem
                               ? indices
                               : only_on(backend, indices, moved);
      if (core.size() <= common.core.size() || is_of_few_models(core)) continue;
      common.group.scope = AlertScope::kBackend;
      common.group.backend = backend;
      common.core = core;
    }
    if (common.core.empty()) return std::nullopt;
    return common;
  }

  // Whether the other backends kept still, if there are others.
  bool is_of_one_backend(const Indices& moved, std::size_t night) const {
    std::map<std::string_view, std::size_t> by_backend;
    for (const std::size_t index : moved) ++by_backend[entry(index).backend()];
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
  Indices only_on(std::string_view backend, const Indices& indices, const Indices& moved) const {
    Indices others;
    for (const std::size_t index : moved) {
      if (entry(index).backend() != backend) others.push_back(index);
    }
    const auto elsewhere = models_of(others);
    Indices only;
    for (const std::size_t index : indices) {
      if (!std::binary_search(elsewhere.begin(), elsewhere.end(), entry(index).model())) {
        only.push_back(index);
      }
    }
    return only;
  }

  // What may be a common cause: by night and direction.
  using Candidate = std::pair<std::size_t, int>;

  void find_common_causes() {
    for (const auto& [night, index] : steady_) candidates_.emplace_back(night, member(index).worse);
    std::sort(candidates_.begin(), candidates_.end());
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    causes_.resize(candidates_.size());
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      set_cause(c, common_at(candidates_[c].first, candidates_[c].second));
    }
  }

  void set_cause(std::size_t candidate, std::optional<Common> cause) {
    // The largest comes first, of equals the earliest.
    const auto rank = [&] {
      return std::pair(size() - causes_[candidate]->core.size(), candidate);
    };
    if (causes_[candidate]) by_size_.erase(rank());
    causes_[candidate] = std::move(cause);
    if (causes_[candidate]) by_size_.insert(rank());
  }

  // The nights of which a common cause may have done it, so that those that follow one are found
  // without a look at all members.
  void find_reaches() {
    std::vector<std::size_t> begins(nights_.size() + 1, 0);
    const auto first_of = [&](const Grouped& one) {
      return std::min(
          {one.earliest, one.onset - std::min(one.onset, kSameCause), nights_.size() - 1});
    };
    for (std::size_t i = 0; i < size(); ++i) {
      const Grouped& one = member(i);
      if (one.is_drift()) drifts_.push_back({one.onset, one.first_seen, 0, i});
      if (one.is_timed) ++begins[first_of(one) + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    reaches_.resize(begins.back());
    for (std::size_t i = 0; i < size(); ++i) {
      const Grouped& one = member(i);
      if (!one.is_timed) continue;
      const std::size_t first = first_of(one);
      reaches_[begins[first]++] = {first, std::max(one.latest, one.onset + kSameCause), 0, i};
    }
    std::size_t furthest = 0;
    for (Reach& reach : reaches_) reach.furthest = furthest = std::max(furthest, reach.last);
  }

  // Takes what follows a common cause of a night into its group.
  void take_followers(const LastingStep& step, Common* common) {
    const auto take_one = [&](std::size_t index) {
      if (!is_taken_[index] && follows(index, *common, step)) take(index, &common->group);
    };
    const std::size_t night = common->group.onset;
    for (const Reach& drift : drifts_) {
      if (drift.first < night && night <= drift.last) take_one(drift.index);
    }
    auto reach = std::upper_bound(reaches_.begin(), reaches_.end(), night,
                                  [](std::size_t at, const Reach& one) { return at < one.first; });
    while (reach != reaches_.begin()) {
      --reach;
      if (reach->furthest < night) return;
      take_one(reach->index);
    }
  }

  // The common cause that explains most.
  bool take_common_cause() {
    if (by_size_.empty()) return false;
    const std::size_t best = by_size_.begin()->second;
    by_size_.erase(by_size_.begin());
    Common taken = *std::move(causes_[best]);
    causes_[best].reset();
    const LastingStep step = step_of(taken);
    std::set<std::size_t> changed;  // candidates: what it took is missing from those around alone
    taken_onsets_.clear();
    for (const std::size_t index : taken.core) take(index, &taken.group);
    take_followers(step, &taken);
    for (const std::size_t onset : taken_onsets_) {
      const Candidate begin(onset - std::min(onset, kTogether), std::numeric_limits<int>::min());
      for (auto one = std::lower_bound(candidates_.begin(), candidates_.end(), begin);
           one != candidates_.end() && one->first <= onset + kTogether; ++one) {
        changed.insert(static_cast<std::size_t>(one - candidates_.begin()));
      }
    }
    for (const std::size_t c : changed) {
      const auto [night, direction] = candidates_[c];
      set_cause(c, is_left(night, direction) ? common_at(night, direction) : std::nullopt);
    }
    groups_.push_back(std::move(taken.group));
    return true;
  }

  // Whether any steady time that moved so on that very night was not taken.
  bool is_left(std::size_t night, int worse) const {
    for (auto one =
             std::lower_bound(steady_.begin(), steady_.end(), std::pair(night, std::size_t{0}));
         one != steady_.end() && one->first == night; ++one) {
      if (!is_taken_[one->second] && member(one->second).worse == worse) return true;
    }
    return false;
  }

  // Whether a change is explained by a common cause.
  bool follows(std::size_t index, const Common& common, const LastingStep& step) const {
    const Grouped& one = member(index);
    const bool is_near = one.is_drift() ? spans(one, step) && beyond(one, step) < 1
                                        : one.is_timed && may_begin_near(one, common.group.onset);
    if (!is_near) return false;
    const bool is_speedup = one.metric == WatchedMetric::kSpeedup;
    if (!is_speedup && one.worse != common.worse) return false;
    if (common.group.scope == AlertScope::kMachine) return true;
    if (entry(index).backend() == common.group.backend) return true;
    return is_speedup && one.baseline &&
           catalog_.find(*one.baseline)->backend() == common.group.backend;
  }

  void take(std::size_t index, AlertGroup* group) {
    is_taken_[index] = true;
    group->members.push_back(members_[index].place);
    if (member(index).metric == WatchedMetric::kSteady) taken_onsets_.insert(member(index).onset);
  }

  // The surest first: what is exact, then what is confirmed, then by p-value; what crept last.
  Indices left_by_certainty() const {
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
      if (is_taken_[i]) continue;
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

  void take_by_model() {
    const Indices left = left_by_certainty();
    const auto drifts = std::find_if(left.begin(), left.end(),
                                     [&](std::size_t index) { return member(index).is_drift(); });
    for (auto index = left.begin(); index != drifts; ++index) take_by_model(*index);
    std::ranges::sort(steps_, {}, &Step::experiment);
    for (auto index = drifts; index != left.end(); ++index) take_by_model(*index);
  }

  // Drifts come last, and begin groups of their own where no step explains them.
  void take_by_model(std::size_t index) {
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
  std::span<const NightSeries> nights_;
  std::vector<Grouped> members_;                             // in the order of their places
  std::vector<bool> is_taken_;                               // by index: it is of a group
  std::vector<std::pair<std::size_t, std::size_t>> steady_;  // onset and index of steady times
  std::vector<Candidate> candidates_;                        // ascending
  std::vector<std::optional<Common>> causes_;                // by candidate; none: it is no cause
  std::set<std::pair<std::size_t, std::size_t>> by_size_;  // of those that are causes: set_cause()
  struct Reach {
    std::size_t first = 0, last = 0;  // nights
    std::size_t furthest = 0;         // the greatest `last` of all up to this one
    std::size_t index = 0;
  };
  std::vector<Reach> reaches_;          // of what is timed, by `first`
  std::vector<Reach> drifts_;           // `first` is the onset, which it does not reach
  std::set<std::size_t> taken_onsets_;  // of the steady times of the last common cause
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
                                      const Catalog& catalog, std::span<const NightSeries> nights) {
  return Grouping(members, current, catalog, nights).run();
}

std::vector<AlertGroup> group_changes(std::span<const WatchedMember> members,
                                      const Catalog& catalog, std::span<const NightSeries> nights) {
  std::vector<CurrentMember> all;
  all.reserve(members.size());
  for (std::size_t place = 0; place < members.size(); ++place) {
    all.push_back({place, catalog.find(members[place].experiment)});
  }
  return group_changes(members, all, catalog, nights);
}

}  // namespace benchhud::analysis
