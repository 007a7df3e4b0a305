#include "mornings/watching.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/results/catalog.h"
#include "tests/bench/random.h"

namespace benchhud::eval {
namespace {

using analysis::AlertScope;
using analysis::WatchedMetric;

constexpr std::size_t kRepetitions = 11;
constexpr double kScatter = 0.006;

analysis::Catalog catalog_of(const FleetShape& shape) {
  std::vector<schema::StoredExperiment> stored;
  for (std::size_t m = 0; m < shape.models; ++m) {
    for (const std::string& backend : shape.backends) {
      schema::StoredExperiment& one = stored.emplace_back();
      one.id = schema::ExperimentId{static_cast<std::int64_t>(stored.size())};
      one.experiment.suite = "fleet";
      one.experiment.model = model_name(m);
      one.experiment.test = "eval";
      one.experiment.accelerator = "cuda";
      one.experiment.accelerator_model = "A100";
      one.experiment.flags = "{}";
      if (backend == "openxla+dynamo") one.experiment.xla = "PJRT";
      if (backend != "eager") one.experiment.dynamo = backend.substr(0, backend.find('+'));
    }
  }
  return analysis::Catalog(stored);
}

SeenAlert seen(const analysis::Catalog& catalog, const analysis::AlertDetector& watch,
               std::size_t place) {
  const analysis::WatchedAlert& alert = watch.alerts()[place];
  SeenAlert seen;
  seen.id = place + 1;
  seen.stage = alert.stage;
  seen.scope = alert.group.scope;
  seen.subject = alert.group.scope == AlertScope::kBackend ? alert.group.backend : "the machine";
  for (const std::size_t member_place : alert.group.members) {
    const analysis::WatchedMember& member = watch.members()[member_place];
    if (alert.group.scope == AlertScope::kModel) {
      seen.subject = catalog.find(member.experiment)->experiment().model;
    }
    seen.is_worse = seen.is_worse || (!member.withdrawn && member.worse > 0);
  }
  return seen;
}

}  // namespace

std::string model_name(std::size_t model) { return fmt::format("model_{:03}", model); }

Mornings watch_nights(const FleetShape& shape, const Levels& levels, std::uint64_t seed,
                      const std::vector<bool>& is_second) {
  const analysis::Catalog catalog = catalog_of(shape);
  analysis::AlertDetector watch(catalog, {});
  bench::Random random(seed, 7);
  Mornings mornings;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    analysis::RunObservations night;
    night.run = schema::RunId{static_cast<std::int64_t>(n) + 1};
    night.started_at = 86400.0 * static_cast<double>(n);
    if (!is_second.empty()) night.machine = is_second[n] ? "second" : "first";
    for (std::size_t k = 0; k < levels[n].size(); ++k) {
      if (!levels[n][k]) continue;
      analysis::ExperimentObservation& result = night.results.emplace_back();
      result.experiment = schema::ExperimentId{static_cast<std::int64_t>(k) + 1};
      if (std::isinf(*levels[n][k])) {
        result.status = analysis::Status::kFailed;
        result.timing_error = "RuntimeError: the device was lost";
        continue;
      }
      result.status = analysis::Status::kTimed;
      std::vector<double> samples;
      while (samples.size() < kRepetitions) {
        samples.push_back(1e-3 * std::exp(*levels[n][k] + kScatter * random.normal()));
      }
      result.times[place_of(WatchedMetric::kSteady)] = analysis::night_of(samples);
    }
    watch.add(std::move(night));
    auto& morning = mornings.emplace_back();
    for (std::size_t a = 0; a < watch.alerts().size(); ++a) {
      morning.push_back(seen(catalog, watch, a));
    }
  }
  return mornings;
}

}  // namespace benchhud::eval
