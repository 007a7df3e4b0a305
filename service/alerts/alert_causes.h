// What else changed when an alert began, and how to see it again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/results/catalog.h"
#include "schema/alerts/alert.h"
#include "schema/results/reader.h"

namespace benchhud::service {

/// Two results of one experiment whose dumps were compared.
struct ComparedDumps {
  schema::RunId before{};
  schema::RunId after{};
  schema::ExperimentId experiment{};
};

/// A reason, or a trace of one.
struct AlertCause {
  enum class Kind : std::uint8_t {
    kEnvironment,  ///< the machine, a backend: common to many
    kBaseline,     ///< the baseline moved, not the series itself
    kError,        ///< what a result failed with
    kCounts,       ///< what Dynamo counts of the model: breaks, operations
    kPhases,       ///< which phase the time went to
    kOperators,    ///< which operators take longer, by the profiles of the two nights
    kCompilation,  ///< what differs between logs of TORCH_TRACE
    kProfile,      ///< what differs between the dumps
    kVerification,
    kLabels,  ///< commits and versions that are not the same
  };
  Kind kind{};
  std::string title;               ///< a sentence
  std::optional<double> share;     ///< of the change of steady time that it explains
  std::vector<std::string> lines;  ///< more of it, the weightiest first
  bool explains = true;            ///< false for what was looked at and says nothing
  std::string signature = {};      ///< kError: of the error, which has a page of its own
  /// Of kOperators, kCompilation and kProfile: whose differences the lines are of.
  std::optional<ComparedDumps> compared = {};
};
/// "resnet50 train on inductor": model, test and backend.
std::string member_name(const schema::AlertMember& member);
/// "environment", "baseline", "error", "counts", "phases", "operators", "compilation", "profile",
/// "verification", "labels".
std::string_view cause_name(AlertCause::Kind kind);

/// What changed between the nights before and behind the onset of an alert, read from the store as
/// it is now: counts of the two nights, phases of up to five nights on either side, operators by
/// the profiles of the two nights, logs of TORCH_TRACE of the two nights, dumps of the nearest
/// nights that have some. The surest of its members' experiments is looked at, for logs each that
/// has some. Empty for an alert whose runs are gone.
schema::Expected<std::vector<AlertCause>> alert_causes(schema::Reader& reader,
                                                       const analysis::Catalog& catalog,
                                                       const schema::Alert& alert,
                                                       const schema::AlertDetails& details);

/// What one alert is shown with and a list is not.
struct AlertExplanation {
  std::vector<AlertCause> causes;
  /// The runner's command for the experiment that alert_causes() looks at; "" where there is none.
  std::string reproduction;
};

schema::Expected<AlertExplanation> explain_alert(schema::Reader& reader,
                                                 const analysis::Catalog& catalog,
                                                 const schema::Alert& alert,
                                                 const schema::AlertDetails& details);

}  // namespace benchhud::service
