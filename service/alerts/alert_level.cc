#include "service/alerts/alert_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/text/quantity_text.h"
#include "schema/base/text_excerpt.h"
#include "schema/base/time.h"

namespace benchhud::service {
namespace {

using analysis::AlertScope;
using analysis::CatalogEntry;
using analysis::CommonChange;
using analysis::CommonScope;
using analysis::CommonStage;
using analysis::count_text;
using analysis::kSameCause;
using analysis::MetricKind;
using analysis::nights_apart;
using analysis::share_text;
using analysis::watched_metric_info;
using analysis::WatchedAlert;
using analysis::WatchedMember;
using analysis::WatchedMetric;
using analysis::WatchedMetricInfo;

constexpr std::size_t kMostNames = 3;
constexpr std::size_t kLongestName = 60;  // bytes

struct Share {
  std::size_t some = 0, all = 0;
};
using ByBackend = std::map<std::string_view, Share>;

// "inductor", "aot_eager and inductor", "aot_eager, eager and inductor", "7 backends".
std::string names_of(const std::set<std::string_view>& backends) {
  if (backends.size() > kMostNames) return count_text(backends.size(), "backend");
  std::vector<std::string> names;
  for (const std::string_view backend : backends) names.push_back(name_text(backend));
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

// "aot_eager 2 of 4, inductor 2 of 2"; of more than three backends on how many any did.
std::string shares_text(const ByBackend& backends) {
  if (backends.size() > kMostNames) {
    const auto some = std::ranges::count_if(
        backends, [](const auto& backend) { return backend.second.some > 0; });
    return fmt::format("on {} of {} backends", some, backends.size());
  }
  std::vector<std::string> parts;
  for (const auto& [backend, share] : backends) {
    parts.push_back(fmt::format("{} {} of {}", name_text(backend), share.some, share.all));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "5.8 % slower".
std::string moved_text(const WatchedMetricInfo& info, double effect) {
  return fmt::format("{} {}", share_text(std::abs(effect)), became_text(info, effect > 0));
}

// "39 became slower and 2 faster", "41 became slower".
std::string directions_text(const WatchedMetricInfo& info, std::size_t more, std::size_t less) {
  const bool is_more_first = more >= less;
  std::string first =
      fmt::format("{} became {}", is_more_first ? more : less, became_text(info, is_more_first));
  const std::size_t others = is_more_first ? less : more;
  if (others == 0) return first;
  return fmt::format("{} and {} {}", first, others, became_text(info, !is_more_first));
}

// Of a common change that an alert tells of, that of the metric that its title tells.
const CommonChange* common_change_of(const AlertContext& context, const WatchedAlert& alert,
                                     const Members& members, WatchedMetric* metric) {
  const CommonChange* found = nullptr;
  for (const auto& info : analysis::watched_metrics()) {
    for (const auto& [of, place] : alert.common) {
      if (of != info.metric) continue;
      const CommonChange& change = context.fleet.common().changes(of)[place];
      const bool is_told = std::ranges::any_of(
          members, [&](const WatchedMember* member) { return member->metric == of; });
      if (change.stage == CommonStage::kWithdrawn || !is_told) continue;
      found = &change;
      *metric = of;
    }
    if (found != nullptr) break;
  }
  return found;
}

// Of a suspect that did nothing to any series that can be told from nothing.
std::string level_without_members(const AlertContext& context, const WatchedAlert& alert) {
  for (const auto& [metric, place] : alert.common) {
    const CommonChange& change = context.fleet.common().changes(metric)[place];
    if (change.stage == CommonStage::kWithdrawn) continue;
    const auto measured =
        std::ranges::count_if(change.before, [](double before) { return std::isfinite(before); });
    return fmt::format("{}{} {}, and none of them moved by more than the error of its own change",
                       count_text(measured, watched_metric_info(metric).title),
                       alert.group.backend.empty() ? "" : " on " + name_text(alert.group.backend),
                       change.is_disagreement ? "disagree more than usual" : "moved together");
  }
  return "";
}

// What a change of the machine or of a backend did to the series that it was measured of.
std::string common_level(const AlertContext& context, const WatchedAlert& alert,
                         const Members& members) {
  WatchedMetric metric{};
  const CommonChange* change = common_change_of(context, alert, members, &metric);
  if (change == nullptr) return level_without_members(context, alert);
  const WatchedMetricInfo& info = watched_metric_info(metric);
  std::set<schema::ExperimentId> told;
  std::set<std::size_t> models;
  std::size_t more = 0, less = 0;
  for (const WatchedMember* member : members) {
    if (member->metric != metric || !told.insert(member->experiment).second) continue;
    models.insert(context.catalog.find(member->experiment)->model());
    ++(member->effect > 0 ? more : less);
  }
  std::size_t measured = 0;
  ByBackend backends;
  for (std::size_t m = 0; m < change->members.size(); ++m) {
    if (!std::isfinite(change->before[m])) continue;
    ++measured;
    const CatalogEntry& entry = context.fleet.common().series(metric, change->members[m]);
    Share& share = backends[entry.backend()];
    ++share.all;
    share.some += told.contains(entry.id()) ? 1 : 0;
  }
  const auto median = median_change(context, members, metric);
  const bool is_of_machine = change->scope == CommonScope::kMachine;
  std::string text =
      fmt::format("Of {} {}s{}, {}", measured, info.title,
                  is_of_machine ? "" : fmt::format(" on {}", name_text(alert.group.backend)),
                  directions_text(info, more, less));
  if (is_of_machine) text += fmt::format(" ({})", shares_text(backends));
  text += fmt::format(", in {}: {} in the median", count_text(models.size(), "model"),
                      moved_text(info, median->effect));
  if (change->is_disagreement) text += ", by amounts that differ more than usual";
  if (is_of_machine) {
    const auto moved = std::ranges::count_if(
        backends, [](const auto& backend) { return backend.second.some > 0; });
    text += moved > 1 ? "; no single backend or model accounts for it"
                      : "; no single model accounts for it";
  } else if (change->others > 0) {
    text += fmt::format("; {} on other backends: {} in the median, without what the machine did",
                        count_text(change->others, info.title),
                        moved_text(info, std::expm1(change->others_moved)));
  }
  return text;
}

// Of models that failed together, what made them one cause: those of the first night.
std::string failures_level(const AlertContext& context, const WatchedAlert& alert,
                           const Members& members) {
  struct OnBackend {
    std::set<schema::ExperimentId> failed;
    std::size_t tried = 0;
  };
  std::map<std::string_view, OnBackend> backends;
  std::map<std::string_view, std::size_t> signatures;
  std::set<std::size_t> models, later;
  std::size_t count = 0;
  for (const WatchedMember* member : members) {
    const CatalogEntry& entry = *context.catalog.find(member->experiment);
    if (member->onset != alert.group.onset) {
      later.insert(entry.model());
      continue;
    }
    ++count;
    models.insert(entry.model());
    if (!member->signature.empty()) ++signatures[member->signature];
    OnBackend& backend = backends[entry.backend()];
    backend.failed.insert(entry.id());
    backend.tried = std::max(backend.tried, member->tried);
  }
  if (count == 0) return "";
  std::erase_if(later, [&](std::size_t model) { return models.contains(model); });
  std::vector<std::string> parts;
  for (const auto& [backend, of] : backends) {
    if (parts.size() == kMostNames) break;
    std::string part = fmt::format("{}", of.failed.size());
    if (of.tried > 0) part += fmt::format(" of {} results", of.tried);
    parts.push_back(fmt::format("{} on {}", part, name_text(backend)));
  }
  if (backends.size() > kMostNames) {
    parts.push_back(count_text(backends.size() - kMostNames, "more backend"));
  }
  std::string text = fmt::format("{} began to fail on {}, {}", count_text(models.size(), "model"),
                                 night_text(context, alert.group.onset), fmt::join(parts, ", "));
  std::size_t alike = 0;
  for (const auto& [signature, number] : signatures) alike = std::max(alike, number);
  if (alike > 1) {
    text += alike == count ? ", all with the same error"
                           : fmt::format(", {} of {} failures with the same error", alike, count);
  }
  if (!later.empty()) {
    text += fmt::format("; {} joined them within {} nights", count_text(later.size(), "model"),
                        kSameCause);
  }
  return text;
}

std::span<const KnownOnsets::Onset> onsets_near(const AlertContext& context, std::size_t night) {
  KnownOnsets& known = context.onsets;
  const auto onset_of = [](const KnownOnsets::Onset& one) { return one.member->onset; };
  if (!std::exchange(known.is_made, true)) {
    for (const WatchedMember& member : context.fleet.members()) {
      if (!member.confirmed || member.withdrawn || !member.is_reported || member.is_common)
        continue;
      known.by_night.push_back({&member, context.catalog.find(member.experiment)});
    }
    std::ranges::stable_sort(known.by_night, {}, onset_of);
  }
  const auto first =
      std::ranges::lower_bound(known.by_night, night - std::min(night, kSameCause), {}, onset_of);
  const auto last = std::ranges::upper_bound(known.by_night, night + kSameCause, {}, onset_of);
  return {first, last};
}

// Whether a change of the machine or of one of the backends is known that began about that night,
// in the time that a metric follows from.
bool is_common_change_near(const AlertContext& context, WatchedMetric metric, std::size_t night,
                           const std::set<std::string_view>& backends) {
  return std::ranges::any_of(
      context.fleet.common().changes(metric), [&](const CommonChange& change) {
        const bool is_near = nights_apart(change.onset, night) <= kSameCause;
        return change.is_told() && is_near &&
               (change.scope == CommonScope::kMachine ||
                backends.contains(context.fleet.common().backend(change.backend)));
      });
}

// Whether two changes are of one kind: both results failed, or the same metric got better or worse.
bool is_alike(const WatchedMember& one, const WatchedMember& other) {
  const auto kind = watched_metric_info(one.metric).kind;
  return kind == MetricKind::kVerdict ? watched_metric_info(other.metric).kind == kind
                                      : other.metric == one.metric && other.worse == one.worse;
}

// The model's series of a time that had values before and since its onset, by backend; nothing
// where these nights are not kept any more.
ByBackend series_of_model(const AlertContext& context, std::size_t model, WatchedMetric metric,
                          std::size_t onset) {
  ByBackend backends;
  if (onset + analysis::TimingChangeDetector::kKept <= context.nights.size()) return backends;
  for (const CatalogEntry& entry :
       std::ranges::equal_range(context.catalog.entries(), model, {}, &CatalogEntry::model)) {
    const auto* watch = context.fleet.timed(entry.id(), metric);
    if (watch == nullptr || watch->numbers().empty()) continue;
    const bool was_before = watch->first() > 0 || watch->numbers().front() < onset;
    if (was_before && watch->numbers().back() >= onset) ++backends[entry.backend()].all;
  }
  return backends;
}

// How many other models did the same on these backends about that night.
std::size_t others_near(const AlertContext& context, const WatchedMember& main, std::size_t model,
                        std::size_t onset, const std::set<std::string_view>& backends) {
  std::set<std::size_t> others;
  for (const auto& [member, entry] : onsets_near(context, onset)) {
    if (is_alike(main, *member) && entry->model() != model && backends.contains(entry->backend())) {
      others.insert(entry->model());
    }
  }
  return others.size();
}

// What of the model moved as the title tells it.
std::string model_part(const AlertContext& context, const WatchedMember& main,
                       const std::set<schema::ExperimentId>& moved,
                       const std::set<std::string_view>& backends, std::size_t onset) {
  const WatchedMetricInfo& info = watched_metric_info(main.metric);
  if (info.kind == MetricKind::kVerdict) {
    std::string text = fmt::format("{} of this model began to fail on {}",
                                   count_text(moved.size(), "result"), names_of(backends));
    if (backends.size() == 1 && main.tried > 0) {
      text += fmt::format(", where {} were tried", count_text(main.tried, "result"));
    }
    return text;
  }
  if (info.kind == MetricKind::kCount) {
    return fmt::format("{} changed in {} of this model, on {}", info.title,
                       count_text(moved.size(), "result"), names_of(backends));
  }
  const bool is_drift = info.kind == MetricKind::kDrift;
  const WatchedMetric metric = is_drift ? WatchedMetric::kSteady : main.metric;
  const std::string_view title = watched_metric_info(metric).title;
  const std::string did =
      is_drift ? "drifted" : fmt::format("became {}", became_text(info, main.effect > 0));
  const std::size_t model = context.catalog.find(main.experiment)->model();
  ByBackend shares = series_of_model(context, model, metric, onset);
  const bool is_known = !shares.empty();
  std::size_t all = 0;
  for (const schema::ExperimentId id : moved) {
    Share& share = shares[context.catalog.find(id)->backend()];
    // A night without a value behind the onset, or none before it.
    share.all = std::max(share.all, ++share.some);
  }
  for (const auto& [backend, share] : shares) all += share.all;
  if (!is_known || all == moved.size()) {
    const bool are_all = is_known && moved.size() > 1;
    return fmt::format("{}{} of this model {}, on {}", are_all ? "All " : "",
                       count_text(moved.size(), title), did, names_of(backends));
  }
  return fmt::format("{} of {} {}s of this model {} ({})", moved.size(), all, title, did,
                     shares_text(shares));
}

std::string model_level(const AlertContext& context, const WatchedAlert& alert,
                        const Members& members) {
  const Members telling = telling_members(context, alert, members);
  const WatchedMember& main = **std::ranges::min_element(
      telling, [](const auto* a, const auto* b) { return tells_more(*a, *b); });
  const WatchedMetricInfo& info = watched_metric_info(main.metric);
  const bool is_verdict = info.kind == MetricKind::kVerdict;
  std::set<schema::ExperimentId> moved;
  std::set<std::string_view> backends;
  for (const WatchedMember* member : members) {
    if (!is_alike(main, *member)) continue;
    moved.insert(member->experiment);
    backends.insert(context.catalog.find(member->experiment)->backend());
  }
  const std::size_t onset = alert.group.onset;
  const std::size_t model = context.catalog.find(main.experiment)->model();
  std::string text = model_part(context, main, moved, backends, onset);
  const std::size_t others = others_near(context, main, model, onset, backends);
  if (others == 0) {
    text += fmt::format("; no other model {} did within {} nights",
                        backends.size() == 1 ? "there" : "on these backends", kSameCause);
  } else if (is_verdict) {
    text += fmt::format(
        "; {} there failed within {} nights, not known to be by the same error on "
        "the same night",
        count_text(others, "other model"), kSameCause);
  } else {
    text +=
        fmt::format("; so did {} within {} nights", count_text(others, "other model"), kSameCause);
  }
  const bool is_timed = info.kind == MetricKind::kTimed || info.kind == MetricKind::kDrift;
  const bool is_judged = context.fleet.rules().are_judged_together &&
                         context.fleet.qualities().nights()[onset].is_known();
  if (!is_timed || !is_judged) return text;
  const WatchedMetric judged = analysis::judged_metric_of(main.metric);
  text += is_common_change_near(context, judged, onset, backends)
              ? "; what the machine or a backend did then is taken off"
              : ", and neither the machine nor a backend as a whole did";
  return text;
}

}  // namespace

std::string_view became_text(const analysis::WatchedMetricInfo& info, bool is_more) {
  if (info.better == schema::Direction::kLowerIsBetter) return is_more ? "slower" : "faster";
  return is_more ? "higher" : "lower";
}

std::string name_text(std::string_view name) {
  return std::string(schema::beginning_of(name, kLongestName));
}

std::string night_text(const AlertContext& context, std::size_t night) {
  const double at = context.nights[night].started_at;
  std::string date = schema::format_date(at);
  const auto is_on_same_day = [&](std::size_t other) {
    return other < context.nights.size() &&
           schema::format_date(context.nights[other].started_at) == date;
  };
  if (!is_on_same_day(night + 1) && (night == 0 || !is_on_same_day(night - 1))) return date;
  constexpr std::size_t kMinutes = 16;  // bytes: "2025-11-26T02:07"
  std::string text = schema::format_time(at).substr(0, kMinutes);
  text[date.size()] = ' ';
  return text;
}

std::string level_text(const AlertContext& context, const WatchedAlert& alert,
                       const Members& members) {
  if (members.empty() && alert.common.empty()) return "";
  std::string text = alert.group.is_of_failures ? failures_level(context, alert, members)
                     : alert.group.scope == AlertScope::kModel
                         ? model_level(context, alert, members)
                         : common_level(context, alert, members);
  if (text.empty()) return text;
  const analysis::NightQuality& quality = context.fleet.qualities().nights()[alert.group.onset];
  if (quality.is_disturbed) {
    text += fmt::format("; its first night is disturbed: {} of {} series are off their level",
                        quality.off, quality.judged);
  }
  return text + ".";
}

}  // namespace benchhud::service
