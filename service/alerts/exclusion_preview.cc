#include "service/alerts/exclusion_preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/alerts/alert_list.h"
#include "schema/alerts/night_mark.h"
#include "schema/base/caught_error.h"
#include "service/alerts/alert_matching.h"
#include "service/alerts/alert_record.h"
#include "service/alerts/alert_rules_file.h"
#include "service/alerts/alert_update.h"
#include "service/alerts/quiet_series.h"
#include "service/alerts/watched_nights.h"

namespace benchhud::service {
namespace {

using schema::Alert;
using schema::DetectedState;
using schema::Expected;
using Outcome = ExclusionPreview::Outcome;

Expected<std::vector<schema::Run>> all_nights(schema::Reader& reader,
                                              const std::string& accelerator_model) {
  schema::RunFilter filter;
  filter.accelerator_models.push_back(accelerator_model);
  BENCHHUD_ASSIGN(auto runs, reader.runs(filter));
  std::ranges::reverse(runs);
  return runs;
}

bool is_told(const Alert& alert) { return alert.detected != DetectedState::kWithdrawn; }

/// As the store works it out of an alert of which nobody has said anything.
schema::Urgency urgency_of(const Alert& alert) {
  if (alert.detected == DetectedState::kRecovered) return schema::Urgency::kClosed;
  if (alert.direction == schema::ChangeDirection::kImprovement) {
    return schema::Urgency::kImprovement;
  }
  if (alert.direction == schema::ChangeDirection::kChange) return schema::Urgency::kChange;
  return alert.detected == DetectedState::kConfirmed ? schema::Urgency::kConfirmed
                                                     : schema::Urgency::kSuspect;
}

std::optional<Alert> if_told(Alert alert) {
  return is_told(alert) ? std::optional(std::move(alert)) : std::nullopt;
}

/// The alerts of a watch beside those that the store has.
Expected<std::vector<Outcome>> outcomes_of(const AlertContext& context,
                                           std::vector<Alert> stored_alerts,
                                           schema::Connection& store, const std::string& model) {
  BENCHHUD_ASSIGN(const auto outlines, schema::alert_outlines(store, model));
  const std::vector<FoundAlert> found = found_alerts(context);
  const auto matches = match_alerts(context, found, outlines);
  std::vector<Outcome> outcomes;
  std::vector<std::optional<Alert>> then(outlines.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    Alert record = alert_record(context, *found[i].watched).alert;
    record.accelerator_model = model;
    record.urgency = urgency_of(record);
    if (matches[i]) {
      then[*matches[i]] = if_told(std::move(record));
    } else if (is_told(record)) {
      outcomes.push_back({{}, std::move(record)});
    }
  }
  // Alerts and their outlines come by number.
  for (std::size_t k = 0; k < outlines.size(); ++k) {
    Outcome outcome{if_told(std::move(stored_alerts[k])), std::move(then[k])};
    if (outcome.now || outcome.then) outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::vector<schema::NightMark> marks_on(const std::string& model,
                                        std::vector<schema::NightMark> marks) {
  std::erase_if(marks, [&](const auto& mark) { return mark.accelerator_model != model; });
  return marks;
}

const Alert& either(const Outcome& outcome) { return outcome.now ? *outcome.now : *outcome.then; }

bool is_over(const std::optional<Alert>& alert) {
  return alert && alert->detected == DetectedState::kRecovered;
}

}  // namespace

bool ExclusionPreview::Outcome::is_same() const {
  return now && then && now->detected == then->detected && now->title == then->title;
}

Expected<std::vector<schema::Run>> nights_between(schema::Reader& reader, const schema::Run& first,
                                                  const schema::Run& last) {
  if (first.accelerator_model != last.accelerator_model) {
    return schema::Error{schema::ErrorCode::kInvalidArgument,
                         fmt::format("{} is on {}, and {} on {}", first.name,
                                     first.accelerator_model, last.name, last.accelerator_model)};
  }
  BENCHHUD_ASSIGN(auto runs, all_nights(reader, first.accelerator_model));
  const auto from = std::ranges::find(runs, first.id, &schema::Run::id);
  const auto to = std::ranges::find(from, runs.end(), last.id, &schema::Run::id);
  if (to == runs.end()) {
    return schema::Error{schema::ErrorCode::kInvalidArgument,
                         fmt::format("{} is before {}", last.name, first.name)};
  }
  return std::vector(std::move_iterator(from), std::move_iterator(to + 1));
}

Expected<ExclusionPreview> preview_exclusion(schema::Reader& reader, const schema::Run& first,
                                             const schema::Run& last,
                                             const std::function<bool()>& is_cancelled,
                                             std::size_t most_together) {
  return schema::caught([&]() -> Expected<ExclusionPreview> {
    const std::string& model = first.accelerator_model;
    schema::Connection& store = reader.connection();
    BENCHHUD_ASSIGN(auto between, nights_between(reader, first, last));
    BENCHHUD_ASSIGN(const auto nights, all_nights(reader, model));
    BENCHHUD_ASSIGN(auto marks, schema::night_marks(store));
    BENCHHUD_ASSIGN(const std::string written, stored_alert_rules(store));
    BENCHHUD_ASSIGN(const analysis::FleetRules rules, read_alert_rules(written));
    const std::vector<schema::NightMark> said = marks_on(model, marks);
    ExclusionPreview preview;
    for (schema::Run& run : between) {
      const bool is_excluded = annotations_of(run, said).is_excluded;
      if (!is_excluded) {
        marks.push_back({model, run.name, schema::NightMarkKind::kExcluded, {}, {}, 0, {}});
      }
      preview.nights.push_back({std::move(run), is_excluded});
    }
    BENCHHUD_ASSIGN(const WatchedExperiments experiments,
                    watched_experiments(reader, rules, marks, most_together));
    const std::string basis = watch_basis(written);
    WatchedNights watched(reader, experiments, rules, basis);
    watched.only_read(is_cancelled);
    BENCHHUD_ASSIGN(analysis::AlertDetector fleet,
                    watched.watch(model, nights, marks_on(model, marks)));
    fleet.measure_members();
    KnownNoise noise;
    KnownOnsets onsets;
    BENCHHUD_ASSIGN(auto stored, schema::alerts(store, model));
    BENCHHUD_ASSIGN(preview.outcomes,
                    outcomes_of({fleet, experiments.catalog, nights, noise, onsets},
                                std::move(stored), store, model));
    std::erase_if(preview.outcomes,
                  [](const Outcome& outcome) { return outcome.is_same() && is_over(outcome.now); });
    std::ranges::stable_sort(preview.outcomes, [](const Outcome& a, const Outcome& b) {
      return schema::is_more_urgent(either(a), either(b));
    });
    return preview;
  });
}

}  // namespace benchhud::service
