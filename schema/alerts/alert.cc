#include "schema/alerts/alert.h"

#include <algorithm>
#include <array>
#include <utility>

#include "schema/alerts/alert_mute.h"
#include "schema/base/name_table.h"
#include "schema/base/text_limits.h"

namespace benchhud::schema {
namespace {

constexpr std::array kDetectedStates = {
    std::pair{DetectedState::kSuspect, std::string_view("suspect")},
    std::pair{DetectedState::kConfirmed, std::string_view("confirmed")},
    std::pair{DetectedState::kRecovered, std::string_view("recovered")},
    std::pair{DetectedState::kWithdrawn, std::string_view("withdrawn")},
};

constexpr std::array kTriageStates = {
    std::pair{TriageState::kOpen, std::string_view("open")},
    std::pair{TriageState::kAcknowledged, std::string_view("acknowledged")},
    std::pair{TriageState::kInvestigating, std::string_view("investigating")},
    std::pair{TriageState::kFixed, std::string_view("fixed")},
    std::pair{TriageState::kWontFix, std::string_view("wont_fix")},
    std::pair{TriageState::kInvalid, std::string_view("invalid")},
    std::pair{TriageState::kInfrastructure, std::string_view("infrastructure")},
};

constexpr std::array kActionKinds = {
    std::pair{AlertActionKind::kState, std::string_view("state")},
    std::pair{AlertActionKind::kNote, std::string_view("note")},
    std::pair{AlertActionKind::kOwner, std::string_view("owner")},
    std::pair{AlertActionKind::kLink, std::string_view("link")},
    std::pair{AlertActionKind::kMute, std::string_view("mute")},
};

constexpr std::array kDirections = {
    std::pair{ChangeDirection::kRegression, std::string_view("regression")},
    std::pair{ChangeDirection::kImprovement, std::string_view("improvement")},
    std::pair{ChangeDirection::kChange, std::string_view("change")},
};

constexpr std::array kUrgencyNames = {
    std::pair{Urgency::kConfirmed, std::string_view("confirmed")},
    std::pair{Urgency::kSuspect, std::string_view("suspect")},
    std::pair{Urgency::kTaken, std::string_view("taken")},
    std::pair{Urgency::kImprovement, std::string_view("improvement")},
    std::pair{Urgency::kChange, std::string_view("change")},
    std::pair{Urgency::kMuted, std::string_view("muted")},
    std::pair{Urgency::kClosed, std::string_view("closed")},
};
static_assert(kUrgencyNames.size() == kUrgencies);

// Pages make links of them: no other scheme, and nothing that ends an address.
bool is_link(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme) || text.size() == scheme.size()) continue;
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return (c >= '\0' && c <= ' ') || c == '\x7f'; });
  }
  return false;
}

}  // namespace

std::string_view detected_state_name(DetectedState state) {
  return name_in(kDetectedStates, state);
}
std::optional<DetectedState> detected_state_of(std::string_view name) {
  return value_in(kDetectedStates, name);
}

std::string_view triage_state_name(TriageState state) { return name_in(kTriageStates, state); }
std::optional<TriageState> triage_state_of(std::string_view name) {
  return value_in(kTriageStates, name);
}

bool is_settled(TriageState state) {
  return state == TriageState::kFixed || state == TriageState::kWontFix ||
         state == TriageState::kInvalid || state == TriageState::kInfrastructure;
}

std::string_view change_direction_name(ChangeDirection direction) {
  return name_in(kDirections, direction);
}
std::optional<ChangeDirection> change_direction_of(std::string_view name) {
  return value_in(kDirections, name);
}

std::string_view urgency_name(Urgency urgency) { return name_in(kUrgencyNames, urgency); }

std::string_view alert_action_kind_name(AlertActionKind kind) {
  return name_in(kActionKinds, kind);
}
std::optional<AlertActionKind> alert_action_kind_of(std::string_view name) {
  return value_in(kActionKinds, name);
}

Expected<AlertActionKind> check_alert_action(std::string_view kind, std::string_view value,
                                             std::string_view who) {
  const auto known = alert_action_kind_of(kind);
  if (!known) {
    return Error{ErrorCode::kInvalidArgument,
                 "what is done with an alert is of kind " + names_in(kActionKinds)};
  }
  BENCHHUD_TRY(check_length("the name of who does it", who, kMostLineBytes));
  switch (*known) {
    case AlertActionKind::kState:
      if (triage_state_of(value)) break;
      return Error{ErrorCode::kInvalidArgument, "an alert's state is " + names_in(kTriageStates)};
    case AlertActionKind::kNote:
      if (value.empty()) return Error{ErrorCode::kInvalidArgument, "a note cannot be empty"};
      BENCHHUD_TRY(check_length("the note", value, kMostNoteBytes));
      break;
    case AlertActionKind::kOwner:
      BENCHHUD_TRY(check_length("the owner", value, kMostLineBytes));
      break;
    case AlertActionKind::kLink:
      BENCHHUD_TRY(check_length("the link", value, kMostLineBytes));
      if (value.empty() || is_link(value)) break;
      return Error{ErrorCode::kInvalidArgument,
                   "a link begins with http:// or https:// and holds no blanks; an empty one takes "
                   "the link away"};
    case AlertActionKind::kMute:
      BENCHHUD_TRY(check_mute(value));
      break;
  }
  return *known;
}

}  // namespace benchhud::schema
