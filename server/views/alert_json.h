// Alerts as JSON and in words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/alerts/fleet_watch.h"
#include "analysis/changes/noise_class.h"
#include "analysis/results/catalog.h"
#include "schema/alerts/alert.h"
#include "schema/model/types.h"
#include "server/codec/json_writer.h"

namespace benchhud::server {

/// Noise classes of series that were asked for: each is of all nights of a series, and most series
/// that have alerts have several.
using KnownNoise = std::unordered_map<const analysis::TimedWatch*, analysis::NoiseClass>;

/// What an alert is made of: the accelerator model's nights and all of its series.
struct AlertContext {
  const analysis::FleetWatch& fleet;
  const analysis::Catalog& catalog;
  std::span<const schema::Run> nights;  ///< as FleetWatch numbers them
  KnownNoise& noise;                    ///< none at first
};

/// What is told of an alert: its members in the catalog's order, those that are withdrawn only
/// where all are.
std::vector<const analysis::AlertMember*> members_of(const AlertContext& context,
                                                     const analysis::WatchedAlert& alert);

/// A line: "cpu-mini/resnet_mini on inductor: inference 29.9 % slower, graph breaks 0 → 2".
std::string alert_title(const AlertContext& context, const analysis::WatchedAlert& alert);

/// The fields of the contract's AlertDetails, which the store keeps with an alert.
std::string alert_details(const AlertContext& context, const analysis::WatchedAlert& alert);

/// What a list says of it: what people say once they said anything, else what was detected; what
/// is over is over whatever they say.
std::string_view alert_state(const schema::Alert& alert);
/// Not over, and nobody decided that it is none or is to stay.
bool needs_attention(const schema::Alert& alert);
/// How soon somebody should look at an alert, the soonest first.
enum class Urgency { kConfirmed, kSuspect, kTaken, kImprovement, kChange, kClosed };
std::string_view urgency_name(Urgency urgency);
/// Regressions by how sure they are, those that somebody has taken up behind them, then what got
/// better and what is neither, then what is over or decided.
Urgency alert_urgency(const schema::Alert& alert, std::string_view direction);
/// The same, with the direction read from its details.
Urgency alert_urgency(const schema::Alert& alert);
/// The members of the contract's Alert, inside of an object.
void write_alert_fields(JsonWriter& json, const schema::Alert& alert, Urgency urgency);
/// The contract's Alert.
void write_alert(JsonWriter& json, const schema::Alert& alert, Urgency urgency);

}  // namespace benchhud::server
