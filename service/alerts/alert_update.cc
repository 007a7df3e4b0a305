#include "service/alerts/alert_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_chart.h"
#include "schema/alerts/alert_history.h"
#include "schema/alerts/alert_writer.h"
#include "schema/alerts/night_mark.h"
#include "schema/alerts/night_quality.h"
#include "schema/alerts/notification.h"
#include "schema/alerts/watched_nights.h"
#include "schema/base/caught_error.h"
#include "schema/base/content_hash.h"
#include "schema/results/experiment_visit.h"
#include "schema/results/reader.h"
#include "schema/results/results.h"
#include "service/alerts/alert_chart.h"
#include "service/alerts/alert_explanation.h"
#include "service/alerts/alert_history.h"
#include "service/alerts/alert_matching.h"
#include "service/alerts/alert_record.h"
#include "service/alerts/alert_rules_file.h"
#include "service/alerts/quiet_series.h"
#include "service/alerts/watched_nights.h"

namespace benchhud::service {
namespace {

using analysis::AlertDetector;
using schema::AlertOutline;
using schema::Expected;

constexpr double kNews = 3 * 24 * 3600;   // s
constexpr double kSameNight = 12 * 3600;  // s
// For so long the chart of an alert that is over gets further nights, and old ones may be judged
// again.
constexpr std::size_t kChartNights = analysis::CommonChangeDetector::kWindow + 30;
constexpr double kNever = std::numeric_limits<double>::infinity();

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

AlertRecord record_of(const AlertContext& context, const FoundAlert& found,
                      const std::string& model) {
  AlertRecord record = alert_record(context, *found.watched);
  record.alert.accelerator_model = model;
  record.alert.key = found.key;
  return record;
}

class Update {
 public:
  /// `basis`: what all alerts follow from, beside the nights.
  Update(schema::Connection& store, const analysis::FleetRules& rules, std::string basis)
      : store_(store), reader_(store), rules_(rules), basis_(std::move(basis)), writer_(store) {}

  Expected<AlertUpdate> run(std::size_t most_together) {
    BENCHHUD_ASSIGN(auto runs, reader_.runs({}));
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      nights_[run->accelerator_model].push_back(std::move(*run));
    }
    BENCHHUD_ASSIGN(const auto models, reader_.accelerator_models());
    BENCHHUD_ASSIGN(const auto marks, schema::night_marks(store_));
    BENCHHUD_ASSIGN(const WatchedExperiments watched,
                    watched_experiments(reader_, rules_, marks, most_together));
    for (const std::string& model : models) BENCHHUD_TRY(watch(model, watched));
    BENCHHUD_TRY(withdraw_rest(models));
    BENCHHUD_TRY(schema::forget_unused_alert_runs(store_));
    BENCHHUD_TRY(schema::forget_unused_watches(store_));
    // Whatever the accelerator model: the numbers are the order in which they were first seen.
    BENCHHUD_ASSIGN(const auto numbered, schema::number_parked_alerts(store_));
    update_.added = numbered.size();
    BENCHHUD_TRY(keep_numbered(numbered));
    if (is_changed_) BENCHHUD_TRY(schema::next_revision(store_));
    BENCHHUD_TRY(notify());
    return update_;
  }

 private:
  Expected<void> watch(const std::string& model, const WatchedExperiments& experiments) {
    const std::vector<schema::Run> nights = std::move(nights_[model]);
    BENCHHUD_ASSIGN(const auto marks, schema::night_marks(store_, model));
    WatchedNights watched(reader_, experiments, rules_, basis_);
    BENCHHUD_ASSIGN(AlertDetector fleet, watched.watch(model, nights, marks));
    fleet.measure_members();
    update_.nights += nights.size();
    update_.replayed += watched.replayed();
    if (!nights.empty()) newest_[model] = nights.back().started_at;
    BENCHHUD_TRY(keep_qualities(fleet, nights));
    KnownNoise noise;
    KnownOnsets onsets;
    return keep({fleet, experiments.catalog, nights, noise, onsets}, model, marks);
  }

  Expected<void> flush() {
    BENCHHUD_ASSIGN(const bool is_changed, writer_.flush());
    is_changed_ = is_changed_ || is_changed;
    return {};
  }

  // Of the nights that are judged again, whether or not that was so when the newest was watched
  // last.
  Expected<void> keep_qualities(const AlertDetector& fleet, std::span<const schema::Run> nights) {
    const auto& qualities = fleet.qualities();
    std::vector<schema::NightQualityOfRun> judged;
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
      judged.push_back({nights[n].id, std::move(kept)});
    }
    BENCHHUD_ASSIGN(const bool is_changed, schema::put_night_qualities(store_, judged));
    is_changed_ = is_changed_ || is_changed;
    return {};
  }

  Expected<void> keep(const AlertContext& context, const std::string& model,
                      std::span<const schema::NightMark> marks) {
    const std::vector<FoundAlert> found = found_alerts(context);
    BENCHHUD_ASSIGN(const auto stored, schema::alert_outlines(store_, model));
    const auto matches = match_alerts(context, found, stored);
    std::vector<bool> is_found(stored.size(), false);
    std::vector<schema::AlertId> ids(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      AlertRecord record = record_of(context, found[i], model);
      const analysis::WatchedAlert& watched = *found[i].watched;
      if (!matches[i]) {
        BENCHHUD_ASSIGN(record.alert.id, writer_.park(record.alert, record.details));
        ids[i] = record.alert.id;
        BENCHHUD_TRY(keep_chart(context, watched, record.alert, true));
        continue;
      }
      is_found[*matches[i]] = true;
      const AlertOutline& known = stored[*matches[i]];
      record.alert.id = ids[i] = known.id;
      const bool is_changed = schema::alert_content(record.alert, record.details) != known.content;
      if (is_changed) {
        BENCHHUD_TRY(writer_.update(record.alert, record.details));
        ++update_.changed;
      }
      BENCHHUD_TRY(keep_chart(context, watched, record.alert, is_changed));
    }
    BENCHHUD_TRY(flush());
    BENCHHUD_TRY(keep_histories(context, found, ids, model));
    const double first_night = context.nights.empty() ? kNever : context.nights[0].started_at;
    for (std::size_t k = 0; k < stored.size(); ++k) {
      if (is_found[k]) continue;
      BENCHHUD_ASSIGN(const bool was_acted_on, withdraw(stored[k], first_night));
      if (was_acted_on) BENCHHUD_TRY(look_for_successor(context, found, ids, stored[k], marks));
    }
    return {};
  }

  // Those that name alerts without a number yet are put when all have theirs.
  Expected<void> keep_histories(const AlertContext& context, std::span<const FoundAlert> found,
                                std::span<const schema::AlertId> ids, const std::string& model) {
    BENCHHUD_ASSIGN(const auto texts, schema::history_texts(store_, model));
    const auto is_parked = [](schema::AlertId id) { return to_int(id) < 0; };
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto events = alert_events(context, *found[i].watched, ids);
      const bool waits =
          is_parked(ids[i]) || std::ranges::any_of(events, [&](const schema::AlertEvent& event) {
            return std::ranges::any_of(event.alerts, is_parked);
          });
      const auto known =
          std::ranges::lower_bound(texts, ids[i], {}, [](const auto& text) { return text.first; });
      const bool is_known = !waits && known != texts.end() && known->first == ids[i] &&
                            known->second == schema::history_text(events);
      if (!is_known) histories_.emplace_back(ids[i], std::move(events));
    }
    return {};
  }

  // Of an alert that people acted on and that is not found any more: what took over from it. Where
  // the night that it began with does not count, begins a new environment or is gone, that explains
  // it.
  Expected<void> look_for_successor(const AlertContext& context, std::span<const FoundAlert> found,
                                    std::span<const schema::AlertId> ids, const AlertOutline& lost,
                                    std::span<const schema::NightMark> marks) {
    Lost& kept = lost_.emplace_back();
    kept.id = lost.id;
    if (context.nights.empty()) return {};
    const schema::Run& onset = context.nights[nearest_night(context.nights, lost.onset)];
    // Lines that come late may move when a run started.
    if (std::abs(onset.started_at - lost.onset) > kSameNight) return {};
    const auto said = annotations_of(onset, marks);
    if (said.is_excluded || said.is_new_environment) return {};
    kept.is_unexplained = true;
    BENCHHUD_ASSIGN(const auto details, schema::alert_details(store_, lost.id));
    const auto successor = successor_of(context, found, lost, details.members);
    if (successor) kept.successor = ids[*successor];
    return {};
  }

  // What had to wait until all alerts had their numbers.
  Expected<void> keep_numbered(std::span<const schema::NumberedAlert> numbered) {
    std::unordered_map<schema::AlertId, schema::AlertId> numbers;
    for (const auto& [parked, number] : numbered) numbers[parked] = number;
    const auto number_of = [&](schema::AlertId id) { return to_int(id) < 0 ? numbers.at(id) : id; };
    for (auto& [id, events] : histories_) {
      for (schema::AlertEvent& event : events)
        std::ranges::transform(event.alerts, event.alerts.begin(), number_of);
      BENCHHUD_TRY(writer_.put_history(number_of(id), events));
    }
    BENCHHUD_TRY(flush());
    for (const Lost& lost : lost_) {
      std::optional<schema::AlertId> successor;
      if (lost.successor) successor = number_of(*lost.successor);
      BENCHHUD_TRY(schema::set_orphaned_alert(store_, lost.id, lost.is_unexplained, successor));
    }
    return {};
  }

  // Of what is over for long and told as before, nothing is different any more.
  Expected<void> keep_chart(const AlertContext& context, const analysis::WatchedAlert& watched,
                            const schema::Alert& alert, bool is_changed) {
    if (alert.detected == schema::DetectedState::kWithdrawn) return {};
    const bool is_over_for_long =
        watched.closed && context.nights.size() > *watched.closed + kChartNights;
    if (is_over_for_long && !is_changed) {
      if (!with_chart_) {
        BENCHHUD_ASSIGN(with_chart_, schema::alerts_with_chart(store_));
      }
      if (std::ranges::binary_search(*with_chart_, alert.id)) return {};
    }
    const auto nights = alert_chart(context, watched, alert);
    if (!nights) return {};
    return writer_.put_chart(alert.id, *alert.headline, *nights);
  }

  // What is news: an alert that the last nights confirmed, and the end of one that was told of.
  // What an old store holds of years ago is none.
  Expected<void> notify() {
    BENCHHUD_ASSIGN(const auto alerts, schema::alert_outlines(store_));
    BENCHHUD_ASSIGN(const auto notified, schema::notified_alerts(store_));
    for (const AlertOutline& alert : alerts) {
      const bool is_new =
          alert.confirmed_at && *alert.confirmed_at >= newest_[alert.accelerator_model] - kNews;
      if (is_new && alert.detected == schema::DetectedState::kConfirmed) {
        BENCHHUD_TRY(
            schema::add_notification(store_, alert.id, schema::NotificationEvent::kConfirmed));
      }
      if (alert.detected != schema::DetectedState::kRecovered) continue;
      if (!std::ranges::binary_search(notified, alert.id)) continue;
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
      if (with_runs.contains(alert.accelerator_model)) continue;
      BENCHHUD_ASSIGN(const bool was_acted_on, withdraw(alert, kNever));
      if (was_acted_on) lost_.emplace_back().id = alert.id;
    }
    return {};
  }

  // `first_night`: when the first night that there is started. Returns whether people acted on it.
  Expected<bool> withdraw(const AlertOutline& alert, double first_night) {
    BENCHHUD_ASSIGN(const auto actions, schema::alert_actions(store_, alert.id));
    // Found again, one that was told of has to be known: it is not told twice, links to it hold,
    // and who takes a mark away again finds it as it was. One whose nights are gone is not found
    // again.
    BENCHHUD_ASSIGN(const bool was_told, schema::was_notified(store_, alert.id));
    const bool was_sure = alert.confirmed_at && alert.onset >= first_night;
    if (actions.empty() && !was_told && !was_sure) {
      ++update_.changed;
      BENCHHUD_TRY(schema::delete_alert(store_, alert.id));
      return false;
    }
    BENCHHUD_ASSIGN(const bool changed, schema::withdraw_alert(store_, alert.id, kNotFoundAnyMore));
    update_.changed += changed ? 1 : 0;
    return !actions.empty();
  }

  schema::Connection& store_;
  schema::Reader reader_;
  const analysis::FleetRules& rules_;
  const std::string basis_;
  AlertUpdate update_;
  schema::AlertWriter writer_;
  bool is_changed_ = false;  // readers see something else than before
  std::vector<std::pair<schema::AlertId, std::vector<schema::AlertEvent>>> histories_;  // to be put
  // Alerts that people acted on and that are not found any more.
  struct Lost {
    schema::AlertId id{};
    bool is_unexplained = false;
    std::optional<schema::AlertId> successor;
  };
  std::vector<Lost> lost_;
  std::optional<std::vector<schema::AlertId>> with_chart_;  // as of when it was first asked for
  std::map<std::string, std::vector<schema::Run>> nights_;  // by accelerator model, oldest first
  std::map<std::string, double> newest_;  // when an accelerator model's last run started
};

Expected<AlertUpdate> update_in_transaction(schema::Connection& store, std::size_t most_together) {
  BENCHHUD_ASSIGN(schema::Transaction transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kWrite));
  schema::Reader reader(store);
  BENCHHUD_ASSIGN(const std::string written, stored_alert_rules(store));
  BENCHHUD_ASSIGN(const analysis::FleetRules rules, read_alert_rules(written));
  BENCHHUD_ASSIGN(const std::string state, state_of(reader, watch_basis(written)));
  BENCHHUD_ASSIGN(const auto known, schema::alerts_state(store));
  AlertUpdate update;
  update.was_current = known == state;
  if (!update.was_current) {
    BENCHHUD_ASSIGN(update, Update(store, rules, watch_basis(written)).run(most_together));
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
