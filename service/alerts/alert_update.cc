#include "service/alerts/alert_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "schema/alerts/alert.h"
#include "schema/alerts/night_mark.h"
#include "schema/alerts/night_quality.h"
#include "schema/alerts/notification.h"
#include "schema/alerts/watched_nights.h"
#include "schema/base/caught_error.h"
#include "schema/base/content_hash.h"
#include "schema/results/experiment_visit.h"
#include "schema/results/reader.h"
#include "schema/results/results.h"
#include "service/alerts/alert_record.h"
#include "service/alerts/alert_rules_file.h"
#include "service/alerts/quiet_series.h"
#include "service/alerts/watched_nights.h"

namespace benchhud::service {
namespace {

using analysis::AlertDetector;
using analysis::AlertScope;
using analysis::WatchedAlert;
using schema::AlertOutline;
using schema::Expected;

constexpr double kNews = 3 * 24 * 3600;  // s

// What all alerts follow from, beside the nights.
std::string basis_of(const std::string& rules) {
  return fmt::format("method {} rules {}\n", analysis::kDetectorVersion, rules);
}

// What the alerts of a store follow from; equal texts, equal alerts.
Expected<std::string> state_of(schema::Reader& reader, std::string text) {
  schema::RunFilter all;
  all.with_labels = false;  // a run's revision counts its labels
  BENCHHUD_ASSIGN(const auto runs, reader.runs(all));
  for (const schema::Run& run : runs) {
    text += fmt::format("{} {}\n", to_int(run.id), run.revision);
  }
  BENCHHUD_ASSIGN(const auto marks, schema::night_marks(reader.connection()));
  for (const schema::NightMark& mark : marks) {
    text += fmt::format("{}\t{}\t{}\n", mark.accelerator_model, mark.name,
                        night_mark_kind_name(mark.kind));
  }
  return schema::content_hash(text).hex();
}

/// An alert that was found, without what is told of it: that is made when it is stored.
struct Found {
  const WatchedAlert* watched = nullptr;
  std::string key;
  /// Of the key, what the alert is about, by which a moved one is known again.
  std::size_t subject_bytes = 0;

  std::string_view subject() const { return std::string_view(key).substr(0, subject_bytes); }
};

std::string subject_of(const AlertContext& context, const analysis::AlertGroup& group) {
  // No subject begins like another: a moved alert is known again by how its key begins.
  std::string subject = group.is_of_failures ? "failures\t" : "";
  subject += analysis::alert_scope_name(group.scope);
  if (group.scope == AlertScope::kBackend) subject += "\t" + group.backend;
  if (group.scope == AlertScope::kModel) {
    // Models are numbered in the order of the entries.
    const auto entries = context.catalog.entries();
    const auto entry = std::ranges::lower_bound(entries, group.model, {},
                                                [](const auto& one) { return one.model(); });
    if (entry != entries.end()) {
      subject += "\t" + entry->experiment().suite + "\t" + entry->experiment().model;
    }
  }
  return subject;
}

/// In the order in which they were first seen.
std::vector<Found> found_in(const AlertContext& context) {
  std::vector<Found> all;
  all.reserve(context.fleet.alerts().size());
  std::unordered_map<std::string, int> seen;  // several alerts may have begun in one night
  for (const WatchedAlert& watched : context.fleet.alerts()) {
    Found& found = all.emplace_back();
    found.watched = &watched;
    found.key = subject_of(context, watched.at_first);
    found.subject_bytes = found.key.size();
    found.key += fmt::format("\t{}", context.nights[watched.at_first.onset].started_at);
    if (const int number = ++seen[found.key]; number > 1) found.key += fmt::format("\t{}", number);
  }
  return all;
}

AlertRecord record_of(const AlertContext& context, const Found& found, const std::string& model) {
  AlertRecord record = alert_record(context, *found.watched);
  record.alert.accelerator_model = model;
  record.alert.key = found.key;
  return record;
}

/// The night that is nearest to a time.
std::size_t nearest_night(std::span<const schema::Run> nights, double time) {
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (std::abs(nights[i].started_at - time) < std::abs(nights[nearest].started_at - time)) {
      nearest = i;
    }
  }
  return nearest;
}

/// Which of `stored` each found alert is, as a place: the one of its key, else the nearest that is
/// left of its subject within kSameCause nights.
std::vector<std::optional<std::size_t>> match(std::span<const Found> found,
                                              std::span<const AlertOutline> stored,
                                              std::span<const schema::Run> nights) {
  std::vector<std::optional<std::size_t>> matches(found.size());
  std::vector<std::pair<std::string_view, std::size_t>> by_key;
  for (std::size_t k = 0; k < stored.size(); ++k) by_key.emplace_back(stored[k].key, k);
  std::sort(by_key.begin(), by_key.end());
  const auto from = [&](std::string_view key) {
    return std::ranges::lower_bound(by_key, key, {}, [](const auto& one) { return one.first; });
  };
  std::vector<bool> is_taken(stored.size(), false);
  const auto take = [&](std::size_t i, std::size_t k) {
    if (matches[i] || is_taken[k]) return;
    is_taken[k] = true;
    matches[i] = k;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto same = from(found[i].key);
    if (same != by_key.end() && same->first == found[i].key) take(i, same->second);
  }
  // Pairs by how near they are, then by number.
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> near;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (matches[i]) continue;
    const std::string start = std::string(found[i].subject()) + "\t";
    for (auto one = from(start); one != by_key.end() && one->first.starts_with(start); ++one) {
      const std::size_t k = one->second;
      if (is_taken[k]) continue;
      const std::size_t night = nearest_night(nights, stored[k].onset);
      const std::size_t off = analysis::nights_apart(night, found[i].watched->group.onset);
      if (off <= analysis::kSameCause) near.emplace_back(off, k, i);
    }
  }
  std::sort(near.begin(), near.end());
  for (const auto& [off, k, i] : near) take(i, k);
  return matches;
}

class Update {
 public:
  /// `basis`: what all alerts follow from, beside the nights.
  Update(schema::Connection& store, const analysis::FleetRules& rules, std::string basis)
      : store_(store), reader_(store), rules_(rules), basis_(std::move(basis)) {}

  Expected<AlertUpdate> run(std::size_t most_together) {
    BENCHHUD_ASSIGN(auto runs, reader_.runs({}));
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      nights_[run->accelerator_model].push_back(std::move(*run));
    }
    BENCHHUD_ASSIGN(const auto models, reader_.accelerator_models());
    BENCHHUD_ASSIGN(auto experiments, schema::first_experiments(store_, most_together + 1));
    if (experiments.size() > most_together) {
      experiments = {};
      BENCHHUD_ASSIGN(SortedOut sorted, sort_out_quiet(reader_, rules_));
      const analysis::Catalog catalog = std::move(sorted.restless).finish(&sorted.configurations);
      for (const std::string& model : models) BENCHHUD_TRY(watch(model, catalog, &sorted.quiet));
    } else {
      const analysis::Catalog catalog(std::exchange(experiments, {}));
      for (const std::string& model : models) BENCHHUD_TRY(watch(model, catalog, nullptr));
    }
    BENCHHUD_TRY(withdraw_rest(models));
    BENCHHUD_TRY(schema::forget_unused_alert_runs(store_));
    BENCHHUD_TRY(schema::forget_unused_watches(store_));
    // Whatever the accelerator model: the numbers are the order in which they were first seen.
    BENCHHUD_ASSIGN(update_.added, schema::number_parked_alerts(store_));
    BENCHHUD_TRY(notify());
    return update_;
  }

 private:
  Expected<void> watch(const std::string& model, const analysis::Catalog& catalog,
                       const QuietSeries* quiet) {
    const std::vector<schema::Run> nights = std::move(nights_[model]);
    BENCHHUD_ASSIGN(const auto marks, schema::night_marks(store_, model));
    WatchedNights watched(store_, reader_, catalog, rules_, basis_, quiet);
    BENCHHUD_ASSIGN(const AlertDetector fleet, watched.watch(model, nights, marks));
    update_.nights += nights.size();
    update_.replayed += watched.replayed();
    if (!nights.empty()) newest_[model] = nights.back().started_at;
    BENCHHUD_TRY(keep_qualities(fleet, nights));
    KnownNoise noise;
    return keep({fleet, catalog, nights, noise}, model);
  }

  // Of the nights that are judged again, whether or not that was so when the newest was watched
  // last.
  Expected<void> keep_qualities(const AlertDetector& fleet, std::span<const schema::Run> nights) {
    const auto& qualities = fleet.qualities();
    bool is_changed = false;
    constexpr std::size_t kJudgedAgain = analysis::CommonChangeDetector::kWindow + 1;
    const std::size_t last = nights.size() - std::min(nights.size(), kJudgedAgain);
    for (std::size_t n = std::min(qualities.changed_from(), last); n < nights.size(); ++n) {
      const analysis::NightQuality& night = qualities.nights()[n];
      schema::NightQuality kept{static_cast<std::int64_t>(night.judged),
                                static_cast<std::int64_t>(night.off),
                                night.is_disturbed,
                                {},
                                {}};
      if (std::isfinite(night.scatter)) kept.scatter = night.scatter;
      for (const std::size_t other : night.alike) kept.alike.push_back(nights[other].id);
      BENCHHUD_ASSIGN(const bool is_new, schema::put_night_quality(store_, nights[n].id, kept));
      is_changed = is_changed || is_new;
    }
    if (!is_changed) return {};
    BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, schema::next_revision(store_));
    return {};
  }

  Expected<void> keep(const AlertContext& context, const std::string& model) {
    const std::vector<Found> found = found_in(context);
    BENCHHUD_ASSIGN(const auto stored, schema::alert_outlines(store_, model));
    const auto matches = match(found, stored, context.nights);
    std::vector<bool> is_found(stored.size(), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      AlertRecord record = record_of(context, found[i], model);
      if (!matches[i]) {
        BENCHHUD_TRY(schema::park_alert(store_, record.alert, record.details));
        continue;
      }
      is_found[*matches[i]] = true;
      const AlertOutline& known = stored[*matches[i]];
      if (schema::alert_content(record.alert, record.details) == known.content) continue;
      record.alert.id = known.id;
      BENCHHUD_TRY(schema::update_alert(store_, record.alert, record.details));
      ++update_.changed;
    }
    for (std::size_t k = 0; k < stored.size(); ++k) {
      if (!is_found[k]) BENCHHUD_TRY(withdraw(stored[k].id));
    }
    return {};
  }

  // What is news: an alert that the last nights confirmed, and the end of one that was told of.
  // What an old store holds of years ago is none.
  Expected<void> notify() {
    BENCHHUD_ASSIGN(const auto alerts, schema::alert_outlines(store_));
    for (const AlertOutline& alert : alerts) {
      const bool is_new =
          alert.confirmed_at && *alert.confirmed_at >= newest_[alert.accelerator_model] - kNews;
      if (is_new && alert.detected == schema::DetectedState::kConfirmed) {
        BENCHHUD_TRY(
            schema::add_notification(store_, alert.id, schema::NotificationEvent::kConfirmed));
      }
      if (alert.detected != schema::DetectedState::kRecovered) continue;
      BENCHHUD_ASSIGN(const bool was_told, schema::was_notified(store_, alert.id));
      if (!was_told) continue;
      BENCHHUD_TRY(
          schema::add_notification(store_, alert.id, schema::NotificationEvent::kRecovered));
    }
    return {};
  }

  // An accelerator model without runs has no alerts.
  Expected<void> withdraw_rest(const std::vector<std::string>& models) {
    const std::set<std::string_view> with_runs(models.begin(), models.end());
    BENCHHUD_ASSIGN(const auto stored, schema::alert_outlines(store_));
    for (const AlertOutline& alert : stored) {
      if (!with_runs.contains(alert.accelerator_model)) BENCHHUD_TRY(withdraw(alert.id));
    }
    return {};
  }

  Expected<void> withdraw(schema::AlertId id) {
    BENCHHUD_ASSIGN(const auto actions, schema::alert_actions(store_, id));
    // Found again, one that was told of has to be known: it is not told twice.
    BENCHHUD_ASSIGN(const bool was_told, schema::was_notified(store_, id));
    if (actions.empty() && !was_told) {
      ++update_.changed;
      return schema::delete_alert(store_, id);
    }
    BENCHHUD_ASSIGN(const bool changed, schema::withdraw_alert(store_, id));
    update_.changed += changed ? 1 : 0;
    return {};
  }

  schema::Connection& store_;
  schema::Reader reader_;
  const analysis::FleetRules& rules_;
  const std::string basis_;
  AlertUpdate update_;
  std::map<std::string, std::vector<schema::Run>> nights_;  // by accelerator model, oldest first
  std::map<std::string, double> newest_;  // when an accelerator model's last run started
};

Expected<AlertUpdate> update_in_transaction(schema::Connection& store, std::size_t most_together) {
  BENCHHUD_ASSIGN(schema::Transaction transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kWrite));
  schema::Reader reader(store);
  BENCHHUD_ASSIGN(const std::string written, stored_alert_rules(store));
  BENCHHUD_ASSIGN(const analysis::FleetRules rules, read_alert_rules(written));
  BENCHHUD_ASSIGN(const std::string state, state_of(reader, basis_of(written)));
  BENCHHUD_ASSIGN(const auto known, schema::alerts_state(store));
  AlertUpdate update;
  update.was_current = known == state;
  if (!update.was_current) {
    BENCHHUD_ASSIGN(update, Update(store, rules, basis_of(written)).run(most_together));
    BENCHHUD_TRY(schema::set_alerts_state(store, state));
  }
  BENCHHUD_TRY(transaction.commit());
  return update;
}

}  // namespace

Expected<AlertUpdate> update_alerts(schema::Connection& store, std::size_t most_together) {
  return schema::caught([&] { return update_in_transaction(store, most_together); });
}

}  // namespace benchhud::service
