#include "schema/alerts/alert_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "schema/base/content_hash.h"
#include "schema/db/key_lookup.h"
#include "schema/db/row_batch.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

// Updates that wait to be written together, and how many series those may have.
constexpr std::size_t kMostWaiting = kKeysAStatement;
constexpr std::size_t kMostWaitingMembers = 4096;

struct AlertRow {
  AlertId id{};
  Alert alert;
  ContentHash content;
};
constexpr int kAlertColumns = 30;

void bind_alert(const AlertRow& row, int first, Statement* insert) {
  const Alert& alert = row.alert;
  int at = first;
  const auto bind = [&](const auto& value) { insert->bind(at++, value); };
  bind(alert.accelerator_model);
  bind(alert.key);
  bind(alert.onset);
  bind(detected_state_name(alert.detected));
  bind(alert.first_seen);
  bind(alert.confirmed_at);
  for (const auto* text : {&alert.title, &alert.scope}) bind(*text);
  for (const auto* name : {&alert.suite, &alert.model, &alert.backend}) bind(*name);
  bind(change_direction_name(alert.direction));
  for (const auto& run : {alert.onset_run, alert.last_good, alert.first_bad, alert.first_seen_run,
                          alert.confirmed_run, alert.closed_run}) {
    bind(run);
  }
  bind(alert.rerun);
  constexpr int kHeadlineColumns = 7;
  if (alert.headline) {
    const AlertHeadline& headline = *alert.headline;
    bind(headline.metric);
    for (const auto& number : {headline.effect, headline.low, headline.high}) bind(number);
    bind(headline.before);
    bind(headline.after);
    bind(headline.experiment);
  } else {
    for (int i = 0; i < kHeadlineColumns; ++i) insert->bind_null(at++);
  }
  bind(alert.weight);
  bind(alert.explanation);
  insert->bind_blob_view(at++, row.content.view());
  bind(row.id);
}

struct MemberRow {
  AlertId alert{};
  std::int64_t place = 0;
  AlertMember member;
};
constexpr int kMemberRowColumns = 31;

void bind_member(const MemberRow& row, int first, Statement* insert) {
  const AlertMember& member = row.member;
  const Experiment& experiment = member.experiment;
  int at = first;
  const auto bind = [&](const auto& value) { insert->bind(at++, value); };
  const auto bind_nulls = [&](int count) {
    for (int i = 0; i < count; ++i) insert->bind_null(at++);
  };
  bind(row.alert);
  bind(row.place);
  bind(member.experiment_id);
  for (const auto* text : {&experiment.suite, &experiment.model, &experiment.test, &member.backend,
                           &member.configuration, &member.metric}) {
    bind(*text);
  }
  bind(detected_state_name(member.detected));
  bind(change_direction_name(member.direction));
  for (const auto& run : {member.onset, member.earliest, member.latest}) bind(run);
  if (member.timed) {
    const AlertMember::Timed& timed = *member.timed;
    bind(timed.before);
    bind(timed.after);
    bind(timed.effect);
    bind(timed.low);
    bind(timed.high);
    bind(timed.confidence);
    bind(timed.p_value);
    bind(timed.q_value);
    bind(timed.nights_before);
    bind(timed.nights_after);
    bind(timed.noise);
    bind(timed.sigma);
  } else {
    constexpr int kTimedColumns = 12;
    bind_nulls(kTimedColumns);
  }
  if (member.counted) {
    bind(member.counted->before);
    bind(member.counted->after);
    bind(member.counted->flips);
    bind(member.counted->of);
  } else {
    constexpr int kCountedColumns = 4;
    bind_nulls(kCountedColumns);
  }
  bind(member.is_doing_of_baseline);
}

struct LabelRow {
  AlertId alert{};
  AlertLabel label;
};

void bind_label(const LabelRow& row, int first, Statement* insert) {
  insert->bind(first, row.alert).bind(first + 1, row.label.key);
  insert->bind(first + 2, row.label.before).bind(first + 3, row.label.after);
}

struct ChartRow {
  AlertId alert{};
  std::string metric;
  std::optional<ExperimentId> experiment;
  std::string nights;
};

void bind_chart(const ChartRow& row, int first, Statement* insert) {
  insert->bind(first, row.alert).bind(first + 1, row.metric);
  insert->bind(first + 2, row.experiment).bind(first + 3, row.nights);
}

struct HistoryRow {
  AlertId alert{};
  std::string events;
};

void bind_history(const HistoryRow& row, int first, Statement* insert) {
  insert->bind(first, row.alert).bind(first + 1, row.events);
}

/// The contents of those that there are.
Expected<std::unordered_map<AlertId, ContentHash>> contents_of(Connection& connection,
                                                               std::span<const AlertId> ids) {
  std::unordered_map<AlertId, ContentHash> contents;
  BENCHHUD_TRY(
      look_up(connection, sql::kContentsOfAlerts, ids, [&](const Statement& row) -> Expected<void> {
        contents[AlertId(row.integer(0))] = hash_of(row, 1);
        return {};
      }));
  return contents;
}

}  // namespace

struct AlertWriter::State {
  explicit State(Connection& c)
      : connection(c),
        parked(c, sql::kInsertAlert, kAlertColumns, bind_alert),
        updated(c, sql::kUpdateAlert, kAlertColumns, bind_alert),
        members(c, sql::kInsertAlertMember, kMemberRowColumns, bind_member),
        labels(c, sql::kInsertAlertLabel, 4, bind_label),
        charts(c, sql::kPutChartOfAlert, 4, bind_chart),
        histories(c, sql::kPutHistoryOfAlert, 2, bind_history) {}

  Expected<void> write_waiting();
  Expected<void> write_details(AlertId id, const Alert& alert, const AlertDetails& details);
  Expected<void> write_runs();
  void note_run(const std::optional<RunId>& run) {
    if (run) runs.insert(*run);
  }

  Connection& connection;
  RowBatch<AlertRow> parked, updated;
  RowBatch<MemberRow> members;
  RowBatch<LabelRow> labels;
  RowBatch<ChartRow> charts;
  RowBatch<HistoryRow> histories;
  // Updates: what an alert had is deleted before its new rows are written.
  std::vector<std::pair<Alert, AlertDetails>> waiting;
  std::size_t waiting_members = 0;
  std::set<RunId> runs;  // that alerts name
  std::optional<AlertId> last_parked;
};

AlertWriter::AlertWriter(Connection& connection) : state_(std::make_unique<State>(connection)) {}
AlertWriter::AlertWriter(AlertWriter&&) noexcept = default;
AlertWriter::~AlertWriter() = default;

Expected<void> AlertWriter::State::write_details(AlertId id, const Alert& alert,
                                                 const AlertDetails& details) {
  for (const AlertLabel& label : details.labels) {
    BENCHHUD_ASSIGN(LabelRow* const row, labels.add());
    *row = {id, label};
  }
  std::int64_t place = 0;
  for (const AlertMember& member : details.members) {
    BENCHHUD_ASSIGN(MemberRow* const row, members.add());
    *row = {id, place++, member};
    for (const auto& run : {member.onset, member.earliest, member.latest}) note_run(run);
  }
  for (const auto& run : {alert.onset_run, alert.last_good, alert.first_bad, alert.first_seen_run,
                          alert.confirmed_run, alert.closed_run}) {
    note_run(run);
  }
  return {};
}

Expected<void> AlertWriter::State::write_waiting() {
  std::vector<AlertId> ids;
  for (const auto& [alert, details] : waiting) ids.push_back(alert.id);
  BENCHHUD_ASSIGN(const auto contents, contents_of(connection, ids));
  ids.clear();
  for (const auto& [alert, details] : waiting) {
    const auto known = contents.find(alert.id);
    if (known == contents.end()) {
      return Error{ErrorCode::kNotFound, fmt::format("there is no alert {}", to_int(alert.id))};
    }
    const ContentHash content = alert_content(alert, details);
    if (content == known->second) continue;
    BENCHHUD_ASSIGN(AlertRow* const row, updated.add());
    *row = {alert.id, alert, content};
    ids.push_back(alert.id);
  }
  BENCHHUD_TRY(updated.flush());
  for (const std::string_view one : {sql::kDeleteLabelsOfAlerts, sql::kDeleteMembersOfAlerts}) {
    BENCHHUD_TRY(run_for(connection, one, std::span<const AlertId>(ids)));
  }
  std::ranges::sort(ids);
  for (const auto& [alert, details] : waiting) {
    if (!std::ranges::binary_search(ids, alert.id)) continue;
    BENCHHUD_TRY(write_details(alert.id, alert, details));
  }
  waiting.clear();
  waiting_members = 0;
  return {};
}

// As the runs are now: they may go.
Expected<void> AlertWriter::State::write_runs() {
  const std::vector<RunId> ids(runs.begin(), runs.end());
  runs.clear();
  return run_for(connection, sql::kPutAlertRuns, std::span(ids));
}

Expected<AlertId> AlertWriter::park(const Alert& alert, const AlertDetails& details) {
  State& state = *state_;
  if (!state.last_parked) {
    BENCHHUD_ASSIGN(
        state.last_parked,
        one(
            state.connection.cached(sql::kLeastAlertId),
            [](const Statement& row) { return AlertId(row.integer(0)); }, "least alert"));
  }
  // Numbers of alerts that are parked are negative.
  const auto id = AlertId(to_int(*state.last_parked) - 1);
  state.last_parked = id;
  BENCHHUD_ASSIGN(AlertRow* const row, state.parked.add());
  *row = {id, alert, alert_content(alert, details)};
  BENCHHUD_TRY(state.write_details(id, alert, details));
  return id;
}

Expected<void> AlertWriter::update(const Alert& found, const AlertDetails& details) {
  State& state = *state_;
  state.waiting.emplace_back(found, details);
  state.waiting_members += details.members.size();
  if (state.waiting.size() < kMostWaiting && state.waiting_members < kMostWaitingMembers) return {};
  return state.write_waiting();
}

Expected<void> AlertWriter::put_chart(AlertId id, const AlertHeadline& headline,
                                      const std::vector<AlertChartNight>& nights) {
  BENCHHUD_ASSIGN(ChartRow* const row, state_->charts.add());
  *row = {id, headline.metric, headline.experiment, chart_text(nights)};
  return {};
}

Expected<void> AlertWriter::put_history(AlertId id, std::span<const AlertEvent> events) {
  BENCHHUD_ASSIGN(HistoryRow* const row, state_->histories.add());
  *row = {id, history_text(events)};
  for (const AlertEvent& event : events) {
    for (const auto& run : {std::optional(event.run), event.last, event.from, event.to}) {
      state_->note_run(run);
    }
  }
  return {};
}

Expected<bool> AlertWriter::flush() {
  State& state = *state_;
  BENCHHUD_TRY(state.write_waiting());
  BENCHHUD_TRY(state.parked.flush());
  BENCHHUD_TRY(state.members.flush());
  BENCHHUD_TRY(state.labels.flush());
  BENCHHUD_TRY(state.charts.flush());
  BENCHHUD_TRY(state.histories.flush());
  BENCHHUD_TRY(state.write_runs());
  state.last_parked.reset();
  return state.updated.take_changes() + state.charts.take_changes() +
             state.histories.take_changes() >
         0;
}

}  // namespace benchhud::schema
