// Alerts: changes of measured times that have one cause, on one accelerator model, and what people
// made of them. How they are found is the business of who finds them: the store gives what was
// found a number, keeps it, and keeps what people did with it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// What the measurements say of an alert.
enum class DetectedState : std::uint8_t {
  kSuspect,    ///< seen, on too few runs to be sure
  kConfirmed,  ///< the runs after it say so too
  kRecovered,  ///< the old level is back
  kWithdrawn,  ///< what was seen is not there any more
};

/// "suspect", "confirmed", "recovered", "withdrawn".
std::string_view detected_state_name(DetectedState state);
std::optional<DetectedState> detected_state_of(std::string_view name);

/// What people say of an alert.
enum class TriageState : std::uint8_t {
  kOpen,  ///< nobody has said anything, or it was opened again
  kAcknowledged,
  kInvestigating,
  kFixed,
  kWontFix,
  kInvalid,         ///< nothing changed
  kInfrastructure,  ///< the machine changed, not what is measured
};

/// "open", "acknowledged", "investigating", "fixed", "wont_fix", "invalid", "infrastructure".
std::string_view triage_state_name(TriageState state);
std::optional<TriageState> triage_state_of(std::string_view name);

/// Whether people are done with an alert that is in this state: what it tells was mended, is left,
/// or never was.
bool is_settled(TriageState state);

/// What people can do with an alert.
enum class AlertActionKind : std::uint8_t {
  kState,  ///< set its triage state
  kNote,   ///< say something
  kOwner,  ///< say whose it is
  kLink,   ///< tell where more of it is to be read
  kMute,   ///< not hear of it until a day or a state (alert_mute.h)
};

/// "state", "note", "owner", "link", "mute".
std::string_view alert_action_kind_name(AlertActionKind kind);
std::optional<AlertActionKind> alert_action_kind_of(std::string_view name);

/// What a change means.
enum class ChangeDirection : std::uint8_t {
  kRegression,
  kImprovement,
  kChange,  ///< neither, or both
};

/// "regression", "improvement", "change".
std::string_view change_direction_name(ChangeDirection direction);
std::optional<ChangeDirection> change_direction_of(std::string_view name);

/// How soon somebody should look at an alert, the soonest first. The store keeps the numbers, but
/// that of what is muted, which depends on the day.
enum class Urgency : std::uint8_t {
  kConfirmed = 0,  ///< a regression that is sure
  kSuspect = 1,    ///< one that is not
  kTaken = 2,      ///< somebody has taken it up
  kImprovement = 3,
  kChange = 4,
  kMuted = 5,   ///< nobody wants to hear of it now
  kClosed = 6,  ///< over or decided
};
inline constexpr std::size_t kUrgencies = 7;

/// "confirmed", "suspect", "taken", "improvement", "change", "muted", "closed".
std::string_view urgency_name(Urgency urgency);

/// The one number of an alert that its title tells.
struct AlertHeadline {
  std::string metric;  ///< as of a member
  /// Of what is timed: the change as a share of the level before, with its interval at 95 %.
  std::optional<double> effect, low, high;
  std::optional<std::string> before, after;  ///< of counts and verdicts
  std::optional<ExperimentId> experiment;    ///< whose it is; none: what most series did

  bool operator==(const AlertHeadline&) const = default;
};

struct Alert {
  AlertId id{};  ///< its number, never given twice
  // What was found. Times are seconds since 1970, UTC. Runs may be gone (alert_run.h).
  std::string accelerator_model;
  std::string key;   ///< by which analysis knows it, as first seen; not unique
  double onset = 0;  ///< start of the first run of the new level
  DetectedState detected = DetectedState::kSuspect;
  double first_seen = 0;               ///< start of the run on which it was first seen
  std::optional<double> confirmed_at;  ///< start of the run on which it was confirmed
  std::string title;                   ///< a line that says it all
  std::string scope;                   ///< how far its cause reaches, in the words of who found it
  /// What it is about, as far as the scope names it.
  std::optional<std::string> suite, model, backend;
  ChangeDirection direction = ChangeDirection::kChange;
  std::optional<RunId> onset_run;
  std::optional<RunId> last_good;       ///< the last run that is sure to be as before
  std::optional<RunId> first_bad;       ///< the first run that is sure to be as it is now
  std::optional<RunId> first_seen_run;  ///< with which it was first seen
  std::optional<RunId> confirmed_run;   ///< which made sure
  std::optional<RunId> closed_run;      ///< with which it was over
  std::string rerun;                    ///< what would settle it, or ""
  /// Why it is of what it is of, and why it has its state: at most three sentences.
  std::string explanation;
  std::optional<AlertHeadline> headline;
  /// By which alerts that are as urgent are ordered, the heaviest first, in the words of who found
  /// it: how much is the matter, as far as it is sure.
  double weight = 0;
  // What people made of it: the last action of each kind.
  TriageState triage = TriageState::kOpen;
  std::optional<double> triaged_at;  ///< when the triage state was last set
  std::string owner;                 ///< "" for nobody
  std::string link;                  ///< http:// or https://, or ""
  /// Until when nobody wants to hear of it: a day, "2026-12-24", at whose beginning (UTC) the mute
  /// ends, a mute_end_name(), or "" where it is not muted, or not any more.
  std::string muted_until;
  /// People acted on it, it was neither over nor decided, and it is not found any more, without
  /// anything that explains it; not where they decided it since.
  bool is_orphaned = false;
  std::optional<AlertId> successor;  ///< that tells of most of its series now
  // What follows from both; the store works it out.
  /// Its name: what people say once they said anything, else what was detected; what is over is
  /// over whatever they say. "muted" for what is neither over nor decided and muted.
  std::string state = "suspect";
  Urgency urgency = Urgency::kChange;
};

/// Neither over, decided nor muted.
inline bool needs_attention(const Alert& alert) {
  return alert.urgency != Urgency::kClosed && alert.urgency != Urgency::kMuted;
}

/// In place of the time now: as if nothing was muted. For what does not depend on the day, such as
/// whether an alert is there.
inline constexpr double kWithoutMutes = std::numeric_limits<double>::infinity();

/// A label that differs between the last good and the first bad run.
struct AlertLabel {
  std::string key;
  std::string before, after;  ///< "": there is none

  bool operator==(const AlertLabel&) const = default;
};

/// A series that changed.
struct AlertMember {
  /// Of what is timed. None: not a finite number.
  struct Timed {
    std::optional<double> before, after;  ///< levels, in the metric's unit
    std::optional<double> effect;         ///< the change as a share of the level before
    /// Of `effect`, with its confidence.
    std::optional<double> low, high, confidence;
    std::optional<double> p_value, q_value;
    std::int64_t nights_before = 0, nights_after = 0;
    /// The class of its noise, in the words of who found it; none where it is not told.
    std::optional<std::string> noise;
    std::optional<double> sigma;  ///< of a night, as a share of the level

    bool operator==(const Timed&) const = default;
  };
  /// Of counts and verdicts.
  struct Counted {
    std::string before, after;
    std::int64_t flips = 0,
                 of = 0;  ///< of the last `of` values so many differed from the one before

    bool operator==(const Counted&) const = default;
  };

  ExperimentId experiment_id{};
  Experiment experiment;      ///< of one that is gone: suite, model and test
  std::string backend;        ///< as Experiment::backend()
  std::string configuration;  ///< the backend and what tells its configurations apart
  std::string metric;         ///< in the words of who found it
  DetectedState detected = DetectedState::kSuspect;
  ChangeDirection direction = ChangeDirection::kChange;
  /// The first run of what is new, and where it may have begun as well.
  std::optional<RunId> onset, earliest, latest;
  std::optional<Timed> timed;
  std::optional<Counted> counted;
  /// Of a speedup: whether what it is against moved, and its own time did not.
  std::optional<bool> is_doing_of_baseline;

  bool operator==(const AlertMember&) const = default;
};

/// Selects series; an empty list allows any value.
struct SeriesFilter {
  std::vector<std::string> suites, models, backends;

  bool is_open() const { return suites.empty() && models.empty() && backends.empty(); }
};

/// What is told of one alert and not in a list of many.
struct AlertDetails {
  std::vector<AlertLabel> labels;     ///< by key
  std::vector<AlertMember> members;   ///< in the order in which they are told
  std::int64_t members_left_out = 0;  ///< series that the filter excluded

  bool operator==(const AlertDetails&) const = default;
};

/// The hash of all of an alert that AlertWriter::update() sets. Of experiments, only their numbers
/// and what their series are called count.
ContentHash alert_content(const Alert& alert, const AlertDetails& details);

/// Of an alert, what finding alerts needs to know: there may be very many.
struct AlertOutline {
  AlertId id{};
  std::string accelerator_model;
  std::string key;
  double onset = 0;
  DetectedState detected = DetectedState::kSuspect;
  std::optional<double> confirmed_at;
  ContentHash content;  ///< alert_content(); zeros: another version of the program stored it
};

/// Something that a person did with an alert.
struct AlertAction {
  std::int64_t id = 0;
  AlertId alert{};
  double at = 0;  ///< seconds since 1970, UTC
  std::string who;
  AlertActionKind kind = AlertActionKind::kNote;
  std::string value;  ///< the state's name, the note, the owner, the link or the end of the mute
  std::optional<std::string> token;  ///< name of the token that was shown; none: the command line
};

/// Whether a person may do this with an alert. Errors: kInvalidArgument, which says what is
/// allowed; kTooLarge (text_limits.h): a note of more than kMostNoteBytes, anything else of more
/// than kMostLineBytes.
Expected<AlertActionKind> check_alert_action(std::string_view kind, std::string_view value,
                                             std::string_view who);

// --- What is kept ------------------------------------------------------------------------------

/// All alerts, or those on one accelerator model, by number.
Expected<std::vector<Alert>> alerts(Connection& connection,
                                    std::optional<std::string_view> accelerator_model = {});
/// Of all, or those on one accelerator model, by number.
Expected<std::vector<AlertOutline>> alert_outlines(
    Connection& connection, std::optional<std::string_view> accelerator_model = {});
/// Those that are not withdrawn, with or without recovered ones, by number.
Expected<std::vector<Alert>> reported_alerts(Connection& connection, bool with_recovered);
/// As it is at `now` (seconds since 1970). Error: kNotFound.
Expected<Alert> alert(Connection& connection, AlertId id, double now = kWithoutMutes);
/// Nothing for one that is not there.
Expected<AlertDetails> alert_details(Connection& connection, AlertId id);
/// The same for several alerts, each named once, in the order of `ids`, with only the series that
/// `filter` selects: as many statements as for one.
Expected<std::vector<AlertDetails>> alert_details(Connection& connection,
                                                  std::span<const AlertId> ids,
                                                  const SeriesFilter& filter = {});
/// What people did with an alert, oldest first. Nothing for one that is not there.
Expected<std::vector<AlertAction>> alert_actions(Connection& connection, AlertId id);

/// What people noted, of all alerts, oldest first.
Expected<std::vector<std::pair<AlertId, std::string>>> alert_notes(Connection& connection);

/// What alerts were last computed from, in the words of who computed them; none: they never were.
Expected<std::optional<std::string>> alerts_state(Connection& connection);

// --- For who finds alerts ----------------------------------------------------------------------
// The caller holds the write transaction, so that readers see all alerts of one state of the store.
// Each change counts a revision.

struct NumberedAlert {
  AlertId parked{};  ///< by what it was known
  AlertId number{};
};
/// Gives those that an AlertWriter parked their numbers, in the order of first_seen, then of their
/// accelerator models, then in that in which they were parked. One at a time is held. What
/// AlertWriter::put_history() keeps does not move: it is put afterwards.
Expected<std::vector<NumberedAlert>> number_parked_alerts(Connection& connection);
/// Sets `detected` and why it is so, and leaves the rest as it is. Returns whether it was not
/// withdrawn. Error: kNotFound.
Expected<bool> withdraw_alert(Connection& connection, AlertId id, std::string_view explanation);
/// Says of an alert that withdraw_alert() withdrew whether it is orphaned: it is where it was a
/// suspect or confirmed, people had acted on it, and nothing explains that it is gone.
/// `successor`: the alert that tells of its series now. AlertWriter::update() takes both back.
/// Returns whether anything was different.
Expected<bool> set_orphaned_alert(Connection& connection, AlertId id, bool is_unexplained,
                                  std::optional<AlertId> successor);
/// Errors: kConflict if a person did anything with it, kNotFound.
Expected<void> delete_alert(Connection& connection, AlertId id);
/// Forgets what alert_run.h keeps of runs that are gone and that no alert names any more.
Expected<void> forget_unused_alert_runs(Connection& connection);

/// Counts no revision: readers see nothing else than before, and `state` may name the revision that
/// the store has now.
Expected<void> set_alerts_state(Connection& connection, std::string_view state);

// --- For people --------------------------------------------------------------------------------

/// How many alerts can be acted on at once.
inline constexpr std::size_t kMostAlertsAtOnce = 1000;

/// Does with alerts what check_alert_action() allows: sets their state, adds a note, gives them an
/// owner, a link or a mute, or ("") takes one of these three away. Who acknowledges an alert that
/// is nobody's, or says that they investigate it, becomes its owner: an action of its own. `who` is
/// what its author says; `token` the name of the token that they showed. All of them or none, in
/// one transaction, with a line in the audit for each. Errors: those of check_alert_action();
/// kInvalidArgument where none is named, more than kMostAlertsAtOnce are, or one is twice, and for
/// a mute that ends at once; kNotFound, which names the alert.
Expected<void> act_on_alerts(Connection& connection, std::span<const AlertId> ids,
                             std::string_view kind, std::string_view value, std::string_view who,
                             std::optional<std::string_view> token = {});
/// The same with one alert.
Expected<void> act_on_alert(Connection& connection, AlertId id, std::string_view kind,
                            std::string_view value, std::string_view who,
                            std::optional<std::string_view> token = {});

/// The rules by which alerts are found in this store, in the words of who reads them; none: the
/// defaults.
Expected<std::optional<std::string>> alert_rules(Connection& connection);
/// One transaction, with a line in the audit. Whether the rules make sense is not looked at here.
Expected<void> set_alert_rules(Connection& connection, std::string_view rules);

}  // namespace benchhud::schema
