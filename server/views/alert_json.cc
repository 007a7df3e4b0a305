#include "server/views/alert_json.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/changes/noise_class.h"
#include "analysis/text/quantity_text.h"
#include "server/codec/json_writer.h"
#include "server/views/answers.h"

namespace benchhud::server {
namespace {

using analysis::AlertMember;
using analysis::AlertScope;
using analysis::AlertStage;
using analysis::MetricKind;
using analysis::WatchedAlert;
using analysis::WatchedMetric;

void write_night(JsonWriter& json, const AlertContext& context, std::optional<std::size_t> night) {
  if (night) {
    write_run_ref(json, context.nights[*night]);
  } else {
    json.null();
  }
}

std::string_view member_state(const AlertMember& member) {
  if (member.withdrawn) return "withdrawn";
  if (member.recovered) return "recovered";
  return member.confirmed ? "confirmed" : "suspect";
}

std::string_view worse_name(int worse) {
  return worse > 0 ? "regression" : (worse < 0 ? "improvement" : "change");
}

void write_timed(JsonWriter& json, const AlertContext& context, const AlertMember& member) {
  json.field("before", member.before);
  json.field("after", member.after);
  json.field("effect", member.effect);
  json.key("interval");
  write_interval(json, member.interval);
  json.field("p_value", member.p_value);
  json.field("q_value", member.q_value);
  json.field("nights_before", member.nights_before);
  json.field("nights_after", member.nights_after);
  // Most alerts that ever were are withdrawn suspects; of these nobody asks, and it takes time.
  if (member.withdrawn) return;
  json.key("noise");
  const analysis::TimedWatch* watch = context.fleet.timed(
      member.experiment,
      member.metric == WatchedMetric::kDrift ? WatchedMetric::kSteady : member.metric);
  const auto [known, is_first] = context.noise.try_emplace(watch);
  if (is_first) {
    const auto [levels, changes] = watch->standing();
    known->second = analysis::noise_class_of_levels(levels, changes);
  }
  const analysis::NoiseClass noise = known->second;
  json.begin_object();
  json.field("class", analysis::noise_class_name(noise));
  json.field("meaning", analysis::noise_class_meaning(noise));
  json.field("sigma", watch->noise().deviation);
  json.end_object();
}

void write_event(JsonWriter& json, const AlertMember& member) {
  json.field("before_text", member.before_text);
  json.field("after_text", member.after_text);
  json.key("flakiness");
  json.begin_object();
  json.field("flips", member.flips);
  json.field("of", member.of);
  json.end_object();
}

// Whether what the speedup is against moved at the same time, and its own time did not. Where a
// whole backend moved, what is against it moved with it, seen on its own or not.
bool is_doing_of_baseline(const AlertContext& context, const WatchedAlert& alert,
                          const AlertMember& member) {
  if (!member.baseline) return false;
  const analysis::CatalogEntry* entry = context.catalog.find(*member.baseline);
  bool own = false;
  bool baseline =
      alert.group.scope == AlertScope::kBackend && entry->backend() == alert.group.backend;
  for (const std::size_t place : alert.group.members) {
    const AlertMember& other = context.fleet.members()[place];
    if (other.metric != WatchedMetric::kSteady || other.withdrawn) continue;
    own = own || other.experiment == member.experiment;
    baseline = baseline || other.experiment == member.baseline;
  }
  return baseline && !own;
}

void write_member(JsonWriter& json, const AlertContext& context, const WatchedAlert& alert,
                  const AlertMember& member) {
  const auto& info = analysis::watched_metric_info(member.metric);
  json.begin_object();
  json.key("experiment");
  write_experiment(json, *context.catalog.find(member.experiment));
  json.field("metric", info.name);
  json.field("title", info.title);
  json.field("unit", info.unit);
  json.field("better", direction_name(info.better));
  json.field("state", member_state(member));
  json.field("direction", worse_name(member.worse));
  json.key("onset");
  write_night(json, context, member.onset);
  json.key("earliest");
  write_night(json, context, member.earliest);
  json.key("latest");
  write_night(json, context, member.latest);
  if (info.kind == MetricKind::kTimed || info.kind == MetricKind::kDrift) {
    write_timed(json, context, member);
  } else {
    write_event(json, member);
  }
  if (member.metric == WatchedMetric::kSpeedup) {
    json.field("is_doing_of_baseline", bool{is_doing_of_baseline(context, alert, member)});
  }
  json.end_object();
}

// The labels that are not the same in two runs: commits, versions.
void write_label_changes(JsonWriter& json, const schema::Run* before, const schema::Run& after) {
  json.key("labels");
  json.begin_array();
  if (before != nullptr) {
    std::map<std::string, std::pair<std::string, std::string>> labels;
    for (const auto& [key, value] : before->labels) labels[key].first = value;
    for (const auto& [key, value] : after.labels) labels[key].second = value;
    for (const auto& [key, values] : labels) {
      if (values.first == values.second) continue;
      json.begin_object();
      json.field("key", key);
      json.field("before", values.first);
      json.field("after", values.second);
      json.end_object();
    }
  }
  json.end_array();
}

// What would settle a suspect.
std::string rerun_text(const WatchedAlert& alert, const std::vector<const AlertMember*>& members) {
  if (alert.stage != AlertStage::kSuspect) return "";
  for (const AlertMember* member : members) {
    if (analysis::watched_metric_info(member->metric).kind != MetricKind::kTimed) {
      return "its verdict flips often: verify it again";
    }
  }
  std::size_t nights = 3;
  for (const AlertMember* member : members) nights = std::min(nights, member->nights_after);
  if (nights >= 3) {
    return "among so many series it is not sure yet: further nights, or a rerun, settle it";
  }
  return "time it again, on another machine of the same kind if there is one: " +
         analysis::count_text(static_cast<std::int64_t>(3 - nights), "night") +
         " more would confirm it as well";
}

}  // namespace

std::string_view alert_state(const schema::Alert& alert) {
  const bool is_over = alert.detected == schema::DetectedState::kWithdrawn ||
                       alert.detected == schema::DetectedState::kRecovered;
  if (alert.triage == schema::TriageState::kOpen || is_over) {
    return detected_state_name(alert.detected);
  }
  return triage_state_name(alert.triage);
}

bool needs_attention(const schema::Alert& alert) {
  return alert.detected != schema::DetectedState::kWithdrawn &&
         alert.detected != schema::DetectedState::kRecovered && !schema::is_settled(alert.triage);
}

std::string_view urgency_name(Urgency urgency) {
  switch (urgency) {
    case Urgency::kConfirmed:
      return "confirmed";
    case Urgency::kSuspect:
      return "suspect";
    case Urgency::kTaken:
      return "taken";
    case Urgency::kImprovement:
      return "improvement";
    case Urgency::kChange:
      return "change";
    case Urgency::kClosed:
      break;
  }
  return "closed";
}

Urgency alert_urgency(const schema::Alert& alert, std::string_view direction) {
  if (!needs_attention(alert)) return Urgency::kClosed;
  if (alert.triage != schema::TriageState::kOpen) return Urgency::kTaken;
  if (direction == "improvement") return Urgency::kImprovement;
  if (direction != "regression") return Urgency::kChange;
  return alert.detected == schema::DetectedState::kSuspect ? Urgency::kSuspect
                                                           : Urgency::kConfirmed;
}

Urgency alert_urgency(const schema::Alert& alert) {
  simdjson::dom::parser parser;
  std::string_view direction;
  // Details that do not read have none.
  if (parser.parse(alert.details)["direction"].get(direction)) direction = {};
  return alert_urgency(alert, direction);
}

void write_alert_fields(JsonWriter& json, const schema::Alert& alert, Urgency urgency) {
  json.field("id", to_int(alert.id));
  json.field("state", alert_state(alert));
  json.field("urgency", urgency_name(urgency));
  json.field("detected", detected_state_name(alert.detected));
  json.field("triage", triage_state_name(alert.triage));
  json.key("triaged_at");
  alert.triaged_at ? write_time(json, *alert.triaged_at) : json.null();
  json.field("owner", alert.owner);
  json.field("link", alert.link);
  json.field("accelerator_model", alert.accelerator_model);
  json.key("details");
  write_stored_json(json, alert.details, "{}");
}

void write_alert(JsonWriter& json, const schema::Alert& alert, Urgency urgency) {
  json.begin_object();
  write_alert_fields(json, alert, urgency);
  json.end_object();
}

std::vector<const AlertMember*> members_of(const AlertContext& context, const WatchedAlert& alert) {
  std::vector<const AlertMember*> members;
  for (const bool withdrawn : {false, true}) {
    for (const std::size_t place : alert.group.members) {
      const AlertMember& member = context.fleet.members()[place];
      if (member.withdrawn.has_value() == withdrawn) members.push_back(&member);
    }
    if (!members.empty()) break;
  }
  // Not the order in which they were seen: that depends on which night told of which.
  std::sort(members.begin(), members.end(), [&](const AlertMember* a, const AlertMember* b) {
    const auto key = [&](const AlertMember& member) {
      return std::tuple(context.catalog.place(*context.catalog.find(member.experiment)),
                        member.metric, member.change);
    };
    return key(*a) < key(*b);
  });
  return members;
}

std::string alert_details(const AlertContext& context, const WatchedAlert& alert) {
  const std::vector<const AlertMember*> members = members_of(context, alert);
  // It began where all of its members may have begun that were seen to begin with it.
  std::size_t earliest = 0, latest = context.nights.size() - 1;
  bool is_worse = false, is_better = false;
  for (const AlertMember* member : members) {
    if (member->onset == alert.group.onset) {
      earliest = std::max(earliest, member->earliest);
      latest = std::min(latest, member->latest);
    }
    if (member->metric == WatchedMetric::kSpeedup &&
        is_doing_of_baseline(context, alert, *member)) {
      continue;
    }
    is_worse = is_worse || member->worse > 0;
    is_better = is_better || member->worse < 0;
  }

  earliest = std::min(earliest, alert.group.onset);
  latest = std::max(latest, alert.group.onset);

  std::string out;
  JsonWriter json(&out);
  json.begin_object();
  json.field("title", alert_title(context, alert));
  json.field("scope", analysis::alert_scope_name(alert.group.scope));
  json.key("subject");
  json.begin_object();
  if (alert.group.scope == AlertScope::kModel && !members.empty()) {
    const auto& experiment = context.catalog.find(members.front()->experiment)->experiment();
    json.field("suite", experiment.suite);
    json.field("model", experiment.model);
  } else {
    json.null_field("suite");
    json.null_field("model");
  }
  if (alert.group.scope == AlertScope::kBackend) {
    json.field("backend", alert.group.backend);
  } else {
    json.null_field("backend");
  }
  json.end_object();
  json.field("direction", is_worse ? "regression" : (is_better ? "improvement" : "change"));
  json.key("onset");
  write_night(json, context, alert.group.onset);
  json.key("last_good");
  const bool has_good = earliest > 0;
  write_night(json, context, has_good ? std::optional(earliest - 1) : std::nullopt);
  json.key("first_bad");
  write_night(json, context, latest);
  write_label_changes(json, has_good ? &context.nights[earliest - 1] : nullptr,
                      context.nights[latest]);
  json.key("first_seen");
  write_night(json, context, alert.first_seen);
  json.key("confirmed");
  write_night(json, context, alert.confirmed);
  json.key("closed");
  write_night(json, context, alert.closed);
  json.field("rerun", rerun_text(alert, members));
  json.key("members");
  json.list(members,
            [&](const AlertMember* member) { write_member(json, context, alert, *member); });
  json.end_object();
  return out;
}

}  // namespace benchhud::server
