#include "schema/alerts/alert_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "schema/alerts/alert_condition.h"
#include "schema/alerts/alert_mute.h"
#include "schema/db/key_lookup.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

constexpr std::array<std::string_view, 4> kAttention = {"suspect", "confirmed", "acknowledged",
                                                        "investigating"};
constexpr std::array<std::string_view, 1> kMuted = {"muted"};
constexpr std::array<std::string_view, 4> kSettled = {"fixed", "wont_fix", "invalid",
                                                      "infrastructure"};

Alert read_alert(const Statement& row) {
  Alert alert;
  alert.id = AlertId(row.integer(0));
  alert.accelerator_model = row.text(1);
  alert.key = row.text(2);
  alert.onset = row.real(3);
  alert.detected = detected_state_of(row.text(4)).value_or(DetectedState::kSuspect);
  alert.first_seen = row.real(5);
  alert.confirmed_at = row.optional_real(6);
  alert.title = row.text(7);
  alert.scope = row.text(8);
  alert.suite = row.optional_text(9);
  alert.model = row.optional_text(10);
  alert.backend = row.optional_text(11);
  alert.direction = change_direction_of(row.text(12)).value_or(ChangeDirection::kChange);
  alert.onset_run = optional_id<RunId>(row, 13);
  alert.last_good = optional_id<RunId>(row, 14);
  alert.first_bad = optional_id<RunId>(row, 15);
  alert.first_seen_run = optional_id<RunId>(row, 16);
  alert.confirmed_run = optional_id<RunId>(row, 17);
  alert.closed_run = optional_id<RunId>(row, 18);
  alert.rerun = row.text(19);
  alert.triage = triage_state_of(row.text(20)).value_or(TriageState::kOpen);
  alert.triaged_at = row.optional_real(21);
  alert.owner = row.text(22);
  alert.link = row.text(23);
  alert.state = row.text(24);
  alert.urgency = static_cast<Urgency>(row.integer(25));
  if (!row.is_null(26)) {
    alert.headline = {std::string(row.text(26)),
                      row.optional_real(27),
                      row.optional_real(28),
                      row.optional_real(29),
                      row.optional_text(30),
                      row.optional_text(31),
                      optional_id<ExperimentId>(row, 32)};
  }
  alert.weight = row.real(33);
  alert.muted_until = row.text(34);
  alert.is_orphaned = row.integer(35) != 0;
  alert.successor = optional_id<AlertId>(row, 36);
  alert.explanation = row.text(37);
  return alert;
}

AlertMember::Timed read_timed(const Statement& row) {
  AlertMember::Timed timed;
  timed.before = row.optional_real(12);
  timed.after = row.optional_real(13);
  timed.effect = row.optional_real(14);
  timed.low = row.optional_real(15);
  timed.high = row.optional_real(16);
  timed.confidence = row.optional_real(17);
  timed.p_value = row.optional_real(18);
  timed.q_value = row.optional_real(19);
  timed.nights_before = row.integer(20);
  timed.nights_after = row.integer(21);
  timed.noise = row.optional_text(22);
  timed.sigma = row.optional_real(23);
  return timed;
}

constexpr int kMemberColumns = 37;  // of a member, before its alert's number

AlertMember read_member(const Statement& row) {
  AlertMember member;
  member.experiment_id = ExperimentId(row.integer(0));
  Experiment& experiment = member.experiment;
  experiment.suite = row.text(1);
  experiment.model = row.text(2);
  experiment.test = row.text(3);
  experiment.accelerator = row.text(29);
  experiment.accelerator_model = row.text(30);
  experiment.xla = row.optional_text(31);
  experiment.xla_flags = row.optional_text(32);
  experiment.dynamo = row.optional_text(33);
  experiment.torch_xla2 = row.optional_text(34);
  experiment.batch_size = row.optional_integer(35);
  experiment.flags = row.text(36);
  member.backend = row.text(4);
  member.configuration = row.text(5);
  member.metric = row.text(6);
  member.detected = detected_state_of(row.text(7)).value_or(DetectedState::kSuspect);
  member.direction = change_direction_of(row.text(8)).value_or(ChangeDirection::kChange);
  member.onset = optional_id<RunId>(row, 9);
  member.earliest = optional_id<RunId>(row, 10);
  member.latest = optional_id<RunId>(row, 11);
  if (!row.is_null(20)) member.timed = read_timed(row);
  if (!row.is_null(24)) {
    member.counted = {std::string(row.text(24)), std::string(row.text(25)), row.integer(26),
                      row.integer(27)};
  }
  if (!row.is_null(28)) member.is_doing_of_baseline = row.integer(28) != 0;
  return member;
}

std::vector<std::string> to_texts(std::span<const std::string_view> views) {
  return {views.begin(), views.end()};
}

}  // namespace

std::span<const std::string_view> attention_states() { return kAttention; }

std::vector<std::string> reported_states(bool with_recovered) {
  std::vector<std::string> states = to_texts(kAttention);
  states.insert(states.end(), kMuted.begin(), kMuted.end());
  states.insert(states.end(), kSettled.begin(), kSettled.end());
  if (with_recovered) states.emplace_back(detected_state_name(DetectedState::kRecovered));
  return states;
}

Expected<std::vector<Alert>> alerts(Connection& connection, const AlertFilter& filter) {
  const AlertCondition condition(filter);
  return collect(condition.prepare(connection, std::string(sql::kAlertColumns) + condition.text() +
                                                   " ORDER BY id"),
                 read_alert);
}

bool is_more_urgent(const Alert& a, const Alert& b) {
  const auto key = [](const Alert& alert) {
    return std::tuple(alert.urgency, -alert.weight, -alert.onset, -to_int(alert.id));
  };
  return key(a) < key(b);
}

Expected<std::vector<Alert>> alerts(Connection& connection,
                                    std::optional<std::string_view> accelerator_model) {
  AlertFilter filter;
  if (accelerator_model) filter.accelerator_models.emplace_back(*accelerator_model);
  return alerts(connection, filter);
}

Expected<std::vector<Alert>> reported_alerts(Connection& connection, bool with_recovered) {
  AlertFilter filter;
  filter.states = reported_states(with_recovered);
  return alerts(connection, filter);
}

Expected<Alert> alert(Connection& connection, AlertId id, double now) {
  // Statements are kept by the address of their text.
  static const std::string kById = std::string(sql::kAlertColumns) + " WHERE id = $2";
  Statement query = connection.cached(kById);
  query.bind(1, mute_day(now)).bind(2, id);
  return one(query, read_alert, fmt::format("alert {}", to_int(id)));
}

Expected<AlertDetails> alert_details(Connection& connection, AlertId id) {
  BENCHHUD_ASSIGN(auto details, alert_details(connection, std::span(&id, 1)));
  return std::move(details.front());
}

Expected<std::vector<AlertDetails>> alert_details(Connection& connection,
                                                  std::span<const AlertId> ids,
                                                  const SeriesFilter& filter) {
  std::vector<AlertDetails> details(ids.size());
  std::unordered_map<AlertId, AlertDetails*> by_id;
  for (std::size_t i = 0; i < ids.size(); ++i) by_id[ids[i]] = &details[i];
  AlertCondition of_alerts;
  of_alerts.among("alert_id", ids);
  Statement labels = connection.prepare(
      fmt::format("{}{} ORDER BY alert_id, key", sql::kAlertLabels, of_alerts.text()));
  while (labels.step()) {
    by_id.at(AlertId(labels.integer(0)))
        ->labels.push_back({std::string(labels.text(1)), std::string(labels.text(2)),
                            std::string(labels.text(3))});
  }
  BENCHHUD_TRY(labels.status());
  AlertCondition of_members(filter);
  of_members.among("m.alert_id", ids);
  Statement members = of_members.prepare(
      connection,
      fmt::format("{}{} ORDER BY m.alert_id, m.place", sql::kAlertMembers, of_members.text()));
  while (members.step()) {
    by_id.at(AlertId(members.integer(kMemberColumns)))->members.push_back(read_member(members));
  }
  BENCHHUD_TRY(members.status());
  if (filter.is_open()) return details;
  // Places count from 0, so the last one gives the number without reading the others.
  AlertCondition of_ids;
  of_ids.among("id", ids);
  Statement counts =
      connection.prepare(fmt::format("{}{}", sql::kAlertMemberCounts, of_ids.text()));
  while (counts.step()) {
    AlertDetails& one = *by_id.at(AlertId(counts.integer(0)));
    one.members_left_out = counts.integer(1) - static_cast<std::int64_t>(one.members.size());
  }
  BENCHHUD_TRY(counts.status());
  return details;
}

Expected<std::vector<AlertOutline>> alert_outlines(
    Connection& connection, std::optional<std::string_view> accelerator_model) {
  const auto read = [](const Statement& row) {
    AlertOutline outline;
    outline.id = AlertId(row.integer(0));
    outline.accelerator_model = row.text(1);
    outline.key = row.text(2);
    outline.onset = row.real(3);
    outline.detected = detected_state_of(row.text(4)).value_or(DetectedState::kSuspect);
    outline.confirmed_at = row.optional_real(5);
    outline.content = hash_of(row, 6);
    return outline;
  };
  if (!accelerator_model) return collect(connection.cached(sql::kAlertOutlines), read);
  Statement query = connection.cached(sql::kAlertOutlinesOfModel);
  query.bind(1, *accelerator_model);
  return collect(query, read);
}

Expected<AlertPage> alert_page(Connection& connection, const AlertFilter& filter,
                               bool is_urgent_first, const std::optional<AlertPlace>& after,
                               std::size_t limit) {
  AlertPage page;
  AlertCondition condition(filter);
  Statement counts =
      condition.prepare(connection, fmt::format("SELECT {0}, count(*) FROM alert{1} GROUP BY {0}",
                                                kUrgencyNow, condition.text()));
  while (counts.step()) {
    const auto urgency = static_cast<std::size_t>(counts.integer(0));
    if (urgency < page.counts.size()) page.counts[urgency] = counts.integer(1);
  }
  BENCHHUD_TRY(counts.status());
  if (after) condition.behind(*after, is_urgent_first);
  // The inner query sorts ids, which needs few columns; only the page's own rows are read in full.
  const std::string urgent_first = fmt::format("{}, weight DESC, ", kUrgencyNow);
  const std::string order =
      fmt::format(" ORDER BY {}onset DESC, id DESC", is_urgent_first ? urgent_first : "");
  const std::string sql =
      fmt::format("{} WHERE id IN (SELECT id FROM alert{}{} LIMIT {}){}", sql::kAlertColumns,
                  condition.text(), order, limit + 1, order);
  BENCHHUD_ASSIGN(page.alerts, collect(condition.prepare(connection, sql), read_alert));
  page.has_more = page.alerts.size() > limit;
  if (page.has_more) page.alerts.pop_back();
  return page;
}

Expected<std::vector<AlertId>> alerts_of_experiments(Connection& connection,
                                                     std::span<const ExperimentId> experiments) {
  std::vector<AlertId> ids;
  for (const ExperimentId experiment : experiments) {
    Statement query = connection.cached(sql::kAlertsOfExperiment);
    query.bind(1, experiment);
    while (query.step()) ids.push_back(AlertId(query.integer(0)));
    BENCHHUD_TRY(query.status());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Expected<std::vector<AlertCount>> alert_counts(Connection& connection, double now) {
  Statement query = connection.cached(sql::kAlertCounts);
  query.bind(1, mute_day(now));
  return collect(query, [](const Statement& row) {
    return AlertCount{detected_state_of(row.text(0)).value_or(DetectedState::kSuspect),
                      triage_state_of(row.text(1)).value_or(TriageState::kOpen), row.integer(2),
                      row.integer(3) != 0};
  });
}

Expected<std::int64_t> open_alert_count(Connection& connection, std::string_view accelerator_model,
                                        double now) {
  Statement query = connection.cached(sql::kOpenAlertCount);
  query.bind(1, accelerator_model).bind(2, mute_day(now));
  return one(query, [](const Statement& row) { return row.integer(0); }, "count of alerts");
}

Expected<LevelChanges> level_changes(Connection& connection,
                                     std::span<const ExperimentId> experiments,
                                     std::string_view metric) {
  const auto read = [](const Statement& row) {
    LevelChange change;
    change.alert = AlertId(row.integer(0));
    change.state = row.text(1);
    change.onset = optional_id<RunId>(row, 2);
    change.earliest = optional_id<RunId>(row, 3);
    change.latest = optional_id<RunId>(row, 4);
    change.before = row.real(5);
    change.after = row.real(6);
    change.direction = change_direction_of(row.text(7)).value_or(ChangeDirection::kChange);
    change.effect = row.real(8);
    change.low = row.optional_real(9);
    change.high = row.optional_real(10);
    change.confidence = row.optional_real(11);
    return change;
  };
  LevelChanges changes;
  BENCHHUD_TRY(look_up(
      connection, sql::kLevelChanges, experiments,
      [metric](Statement& query, int parameter, ExperimentId id) {
        query.bind_text_view(1, metric).bind(parameter, id);
      },
      [&](const Statement& row) -> Expected<void> {
        changes[ExperimentId(row.integer(12))].push_back(read(row));
        return {};
      }));
  return changes;
}

}  // namespace benchhud::schema
