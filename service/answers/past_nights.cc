#include "service/answers/past_nights.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "schema/alerts/night_mark.h"

namespace benchhud::service {
namespace {

using analysis::PastNights;
using schema::Expected;

/// With so many nights one step among them does not pass for noise.
constexpr std::size_t kNightsThatBearAStep = 12;

std::size_t timed_nights(const PastNights& nights) {
  return static_cast<std::size_t>(std::count_if(
      nights.begin(), nights.end(), [](const auto& night) { return night.has_value(); }));
}

/// The run's place among those of its accelerator model, newest first.
std::size_t place_of(const Snapshot& snapshot, const RunEntry& entry) {
  const auto& places = *snapshot.runs_of(entry.run.accelerator_model);
  const auto found = std::find(places.begin(), places.end(), snapshot.places.at(entry.run.id));
  return static_cast<std::size_t>(found - places.begin());
}

/// The places in Snapshot::runs of nights that count, from `newest` among those of the accelerator
/// model on backwards.
Expected<std::set<std::size_t, std::greater<>>> counted_nights(View view,
                                                               std::string_view accelerator_model,
                                                               std::size_t newest) {
  BENCHHUD_ASSIGN(const auto marks,
                  schema::night_marks(view.reader.connection(), accelerator_model));
  const auto& places = *view.snapshot.runs_of(accelerator_model);
  std::set<std::size_t, std::greater<>> counted;  // oldest first: newer ones have lower places
  for (std::size_t i = newest; i < places.size() && counted.size() < analysis::kNoiseNights; ++i) {
    const auto own = schema::marks_of(view.snapshot.runs[places[i]].run, marks);
    const bool excluded = std::any_of(own.begin(), own.end(), [](const auto& mark) {
      return mark.kind == schema::NightMarkKind::kExcluded;
    });
    if (!excluded) counted.insert(places[i]);
  }
  return counted;
}

}  // namespace

Expected<PastNightsOfRuns> PastNightsOfRuns::read(View view, AnalysisCache& analyses,
                                                  const RunEntry& left, const RunEntry& right) {
  PastNightsOfRuns past;
  std::set<std::size_t, std::greater<>> late, early;
  const auto read_both = [&]() -> Expected<void> {
    std::set<std::size_t, std::greater<>> all = late;
    all.insert(early.begin(), early.end());
    std::size_t night = 0;
    for (const std::size_t place : all) {
      BENCHHUD_ASSIGN(const auto digest, analyses.digest(view, view.snapshot.runs[place]));
      for (const auto& result : digest->results) {
        if (!result.is_timed()) continue;
        const auto known = analysis::night_of_time(result.steady, result.low, result.high);
        const auto put = [&](Nights* nights) {
          PastNights& own = (*nights)[result.experiment];
          own.resize(all.size());
          own[night] = known;
        };
        if (late.contains(place)) put(&past.up_to_later_);
        if (early.contains(place)) put(&past.up_to_earlier_);
      }
      ++night;
    }
    return {};
  };
  const std::size_t of_left = place_of(view.snapshot, left);
  const std::size_t of_right = place_of(view.snapshot, right);
  const std::string& model = left.run.accelerator_model;
  if (model != right.run.accelerator_model) {
    for (const auto& [entry, place] : {std::pair(&left, of_left), std::pair(&right, of_right)}) {
      BENCHHUD_ASSIGN(late, counted_nights(view, entry->run.accelerator_model, place + 1));
      BENCHHUD_TRY(read_both());
    }
    return past;
  }
  const auto [later, earlier] = std::minmax(of_left, of_right);
  past.apart_ = earlier - later;
  BENCHHUD_ASSIGN(late, counted_nights(view, model, later + 1));
  // Of neighbours the two are the same nights.
  if (past.apart_ > 1) {
    BENCHHUD_ASSIGN(early, counted_nights(view, model, earlier));
  }
  BENCHHUD_TRY(read_both());
  return past;
}

const PastNights* PastNightsOfRuns::find(schema::ExperimentId experiment) const {
  const auto early = up_to_earlier_.find(experiment);
  if (early != up_to_earlier_.end() && timed_nights(early->second) >= kNightsThatBearAStep) {
    return &early->second;
  }
  const auto late = up_to_later_.find(experiment);
  return late == up_to_later_.end() ? nullptr : &late->second;
}

}  // namespace benchhud::service
