#include "server/alert_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "schema/alert.h"
#include "schema/content_hash.h"
#include "schema/experiment_visit.h"
#include "schema/night_mark.h"
#include "schema/notification.h"
#include "schema/reader.h"
#include "schema/watched_nights.h"
#include "server/alert_json.h"
#include "server/alert_rules_file.h"
#include "server/quiet_series.h"
#include "server/watched_nights.h"

namespace benchhud::server {
namespace {

using analysis::AlertScope;
using analysis::AlertStage;
using analysis::FleetWatch;
using analysis::WatchedAlert;
using schema::Alert;
using schema::Expected;

constexpr double kNews = 3 * 24 * 3600;  // s

schema::DetectedState detected_of(AlertStage stage) {
  switch (stage) {
    case AlertStage::kSuspect:
      return schema::DetectedState::kSuspect;
    case AlertStage::kConfirmed:
      return schema::DetectedState::kConfirmed;
    case AlertStage::kRecovered:
      return schema::DetectedState::kRecovered;
    case AlertStage::kWithdrawn:
      break;
  }
  return schema::DetectedState::kWithdrawn;
}

// What all alerts follow from, beside the nights.
std::string basis_of(const std::string& rules) {
  return fmt::format("method {} rules {}\n", analysis::kWatchMethod, rules);
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

/// An alert that was found, as the store keeps it.
struct Found {
  Alert alert;
  std::size_t onset_night = 0;
  std::string subject;  ///< what it is about, by which a moved one is known again
};

std::string subject_of(const AlertContext& context, const analysis::AlertGroup& group) {
  std::string subject(analysis::alert_scope_name(group.scope));
  if (group.scope == AlertScope::kBackend) subject += "\t" + group.backend;
  if (group.scope == AlertScope::kModel) {
    for (const auto& entry : context.catalog.entries()) {
      if (entry.model != group.model) continue;
      subject += "\t" + entry.experiment().suite + "\t" + entry.experiment().model;
      break;
    }
  }
  return subject;
}

std::vector<Found> found_in(const AlertContext& context, const std::string& accelerator_model) {
  std::vector<Found> all;
  std::map<std::string, int> seen;  // several alerts may have begun in one night
  for (const WatchedAlert& watched : context.fleet.alerts()) {
    Found found;
    found.subject = subject_of(context, watched.at_first);
    found.onset_night = watched.group.onset;
    found.alert.accelerator_model = accelerator_model;
    found.alert.key =
        fmt::format("{}\t{}", found.subject, context.nights[watched.at_first.onset].started_at);
    if (const int number = ++seen[found.alert.key]; number > 1) {
      found.alert.key += fmt::format("\t{}", number);
    }
    found.alert.onset = context.nights[watched.group.onset].started_at;
    found.alert.detected = detected_of(watched.stage);
    found.alert.first_seen = context.nights[watched.first_seen].started_at;
    if (watched.confirmed) found.alert.confirmed_at = context.nights[*watched.confirmed].started_at;
    found.alert.details = alert_details(context, watched);
    all.push_back(std::move(found));
  }
  return all;
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

/// Which stored alert each found one is: the one of its key, else the nearest that is left of its
/// subject within kSameCause nights.
std::vector<const Alert*> match(std::span<const Found> found, std::span<const Alert> stored,
                                std::span<const schema::Run> nights) {
  std::vector<const Alert*> matches(found.size(), nullptr);
  std::map<std::string_view, const Alert*> by_key;
  for (const Alert& alert : stored) by_key.emplace(alert.key, &alert);
  std::set<const Alert*> taken;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto same = by_key.find(found[i].alert.key);
    if (same == by_key.end() || !taken.insert(same->second).second) continue;
    matches[i] = same->second;
  }
  // Pairs by how near they are, then by number.
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> near;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (matches[i] != nullptr) continue;
    for (std::size_t k = 0; k < stored.size(); ++k) {
      if (taken.contains(&stored[k]) || !stored[k].key.starts_with(found[i].subject + "\t")) {
        continue;
      }
      const std::size_t night = nearest_night(nights, stored[k].onset);
      const std::size_t off = analysis::nights_apart(night, found[i].onset_night);
      if (off <= analysis::kSameCause) near.emplace_back(off, k, i);
    }
  }
  std::sort(near.begin(), near.end());
  for (const auto& [off, k, i] : near) {
    if (matches[i] != nullptr || !taken.insert(&stored[k]).second) continue;
    matches[i] = &stored[k];
  }
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
      const analysis::Catalog catalog(std::move(sorted.restless), std::move(sorted.configurations));
      for (const std::string& model : models) BENCHHUD_TRY(watch(model, catalog, &sorted.quiet));
    } else {
      const analysis::Catalog catalog(std::move(experiments));
      for (const std::string& model : models) BENCHHUD_TRY(watch(model, catalog, nullptr));
    }
    BENCHHUD_TRY(withdraw_rest(models));
    BENCHHUD_TRY(schema::forget_unused_watches(store_));
    // Whatever the accelerator model: the numbers are the order in which they were first seen.
    std::stable_sort(fresh_.begin(), fresh_.end(), [](const Alert& a, const Alert& b) {
      return std::tie(a.first_seen, a.accelerator_model) <
             std::tie(b.first_seen, b.accelerator_model);
    });
    for (const Alert& alert : fresh_) BENCHHUD_TRY(schema::add_alert(store_, alert));
    update_.added = fresh_.size();
    BENCHHUD_TRY(notify());
    return update_;
  }

 private:
  Expected<void> watch(const std::string& model, const analysis::Catalog& catalog,
                       const QuietSeries* quiet) {
    const std::vector<schema::Run> nights = std::move(nights_[model]);
    BENCHHUD_ASSIGN(const auto marks, schema::night_marks(store_, model));
    WatchedNights watched(store_, reader_, catalog, rules_, basis_, quiet);
    BENCHHUD_ASSIGN(const FleetWatch fleet, watched.watch(model, nights, marks));
    update_.nights += nights.size();
    update_.recalled += watched.recalled();
    if (!nights.empty()) newest_[model] = nights.back().started_at;
    return keep(found_in({fleet, catalog, nights}, model), model, nights);
  }

  Expected<void> keep(std::vector<Found> found, const std::string& model,
                      std::span<const schema::Run> nights) {
    BENCHHUD_ASSIGN(const auto stored, schema::alerts(store_, model));
    const auto matches = match(found, stored, nights);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (matches[i] == nullptr) {
        fresh_.push_back(std::move(found[i].alert));
        continue;
      }
      found[i].alert.id = matches[i]->id;
      BENCHHUD_ASSIGN(const bool changed, schema::update_alert(store_, found[i].alert));
      update_.changed += changed ? 1 : 0;
    }
    for (const Alert& alert : stored) {
      const bool is_found = std::find(matches.begin(), matches.end(), &alert) != matches.end();
      if (!is_found) BENCHHUD_TRY(withdraw(alert));
    }
    return {};
  }

  // What is news: an alert that the last nights confirmed, and the end of one that was told of.
  // What an old store holds of years ago is none.
  Expected<void> notify() {
    BENCHHUD_ASSIGN(const auto alerts, schema::alerts(store_));
    for (const Alert& alert : alerts) {
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
    BENCHHUD_ASSIGN(const auto stored, schema::alerts(store_));
    for (const Alert& alert : stored) {
      if (std::find(models.begin(), models.end(), alert.accelerator_model) == models.end()) {
        BENCHHUD_TRY(withdraw(alert));
      }
    }
    return {};
  }

  Expected<void> withdraw(Alert alert) {
    BENCHHUD_ASSIGN(const auto actions, schema::alert_actions(store_, alert.id));
    // Found again, one that was told of has to be known: it is not told twice.
    BENCHHUD_ASSIGN(const bool was_told, schema::was_notified(store_, alert.id));
    if (actions.empty() && !was_told) {
      ++update_.changed;
      return schema::delete_alert(store_, alert.id);
    }
    alert.detected = schema::DetectedState::kWithdrawn;
    BENCHHUD_ASSIGN(const bool changed, schema::update_alert(store_, alert));
    update_.changed += changed ? 1 : 0;
    return {};
  }

  schema::Connection& store_;
  schema::Reader reader_;
  const analysis::FleetRules& rules_;
  const std::string basis_;
  AlertUpdate update_;
  std::vector<Alert> fresh_;
  std::map<std::string, std::vector<schema::Run>> nights_;  // by accelerator model, oldest first
  std::map<std::string, double> newest_;  // when an accelerator model's last run started
};

}  // namespace

Expected<AlertUpdate> update_alerts(schema::Connection& store, std::size_t most_together) {
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

}  // namespace benchhud::server
