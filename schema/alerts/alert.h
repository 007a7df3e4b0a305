// Alerts: changes of measured times that have one cause, on one accelerator model, and what people
// made of them. How they are found is the business of who finds them: the store gives what was
// found a number, keeps it, and keeps what people did with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
};

/// "state", "note", "owner", "link".
std::string_view alert_action_kind_name(AlertActionKind kind);
std::optional<AlertActionKind> alert_action_kind_of(std::string_view name);

struct Alert {
  AlertId id{};  ///< its number, never given twice
  // What was found. Times are seconds since 1970, UTC.
  std::string accelerator_model;
  std::string key;   ///< by which analysis knows it, as first seen; not unique
  double onset = 0;  ///< start of the first run of the new level
  DetectedState detected = DetectedState::kSuspect;
  double first_seen = 0;               ///< start of the run on which it was first seen
  std::optional<double> confirmed_at;  ///< start of the run on which it was confirmed
  std::string details = "{}";          ///< JSON of who found it; the store does not look inside
  // What people made of it: the last action of each kind.
  TriageState triage = TriageState::kOpen;
  std::optional<double> triaged_at;  ///< when the triage state was last set
  std::string owner;                 ///< "" for nobody
  std::string link;                  ///< http:// or https://, or ""
};

/// Of an alert, what finding alerts needs to know: there may be very many.
struct AlertOutline {
  AlertId id{};
  std::string accelerator_model;
  std::string key;
  double onset = 0;
  DetectedState detected = DetectedState::kSuspect;
  std::optional<double> confirmed_at;
};

/// Something that a person did with an alert.
struct AlertAction {
  std::int64_t id = 0;
  AlertId alert{};
  double at = 0;  ///< seconds since 1970, UTC
  std::string who;
  AlertActionKind kind = AlertActionKind::kNote;
  std::string value;                 ///< the state's name, the note, the owner or the link
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
/// The same, without what is told of them.
Expected<std::vector<AlertOutline>> alert_outlines(
    Connection& connection, std::optional<std::string_view> accelerator_model = {});
/// Those that are not withdrawn, with or without recovered ones, that began at or after `since`. Of
/// years of nights most are: a tenth of the cost of all.
Expected<std::vector<Alert>> told_alerts(Connection& connection, bool with_recovered, double since);
/// Error: kNotFound.
Expected<Alert> alert(Connection& connection, AlertId id);
/// What people did with an alert, oldest first. Nothing for one that is not there.
Expected<std::vector<AlertAction>> alert_actions(Connection& connection, AlertId id);

/// What people noted, of all alerts, oldest first.
Expected<std::vector<std::pair<AlertId, std::string>>> alert_notes(Connection& connection);

/// What alerts were last computed from, in the words of who computed them; none: they never were.
Expected<std::optional<std::string>> alerts_state(Connection& connection);

// --- For who finds alerts ----------------------------------------------------------------------
// The caller holds the write transaction, so that readers see all alerts of one state of the store.
// Each change counts a revision.

/// Keeps a new alert and gives it its number. The fields that people set are not looked at.
Expected<AlertId> add_alert(Connection& connection, const Alert& alert);
/// Keeps a new alert without a number, until number_parked_alerts() is called in the same
/// transaction.
Expected<void> park_alert(Connection& connection, const Alert& alert);
/// Gives those that were parked their numbers, in the order of first_seen, then of their
/// accelerator models, then in that in which they were parked. One at a time is held. Returns how
/// many.
Expected<std::size_t> number_parked_alerts(Connection& connection);
/// Sets onset, detected, confirmed_at and details. Returns whether anything was different. The rest
/// tells how the alert was first seen, and stays. Error: kNotFound.
Expected<bool> update_alert(Connection& connection, const Alert& alert);
/// Errors: kConflict if a person did anything with it, kNotFound.
Expected<void> delete_alert(Connection& connection, AlertId id);

/// Counts no revision: readers see nothing else than before, and `state` may name the revision that
/// the store has now.
Expected<void> set_alerts_state(Connection& connection, std::string_view state);

// --- For people --------------------------------------------------------------------------------

/// Does with an alert what check_alert_action() allows: sets its state, adds a note, gives it an
/// owner or a link, or ("") takes one of these two away. `who` is what its author says; `token` the
/// name of the token that they showed. One transaction, with a line in the audit. Errors: those of
/// check_alert_action(), and kNotFound.
Expected<void> act_on_alert(Connection& connection, AlertId id, std::string_view kind,
                            std::string_view value, std::string_view who,
                            std::optional<std::string_view> token = {});

/// The rules by which alerts are found in this store, in the words of who reads them; none: the
/// defaults.
Expected<std::optional<std::string>> alert_rules(Connection& connection);
/// One transaction, with a line in the audit. Whether the rules make sense is not looked at here.
Expected<void> set_alert_rules(Connection& connection, std::string_view rules);

}  // namespace benchhud::schema
