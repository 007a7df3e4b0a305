#include "mornings/scenarios.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/bench/random.h"

namespace benchhud::eval {
namespace {

using analysis::AlertScope;
using bench::Random;

// Uses of random numbers.
enum Use : std::uint64_t { kForAll, kBusy, kPart, kDriver, kUpgrade, kModels, kCrash };

// What the seed decides for all scenarios.
class Draws {
 public:
  Draws(const FleetShape& shape, std::uint64_t seed) : shape_(shape), seed_(seed) {
    Random draw = random(kForAll);
    backend_ = draw.below(shape.backends.size());
    model_ = draw.below(shape.models);
    for (std::size_t k = 0; k < shape.experiments(); ++k) {
      is_hit_.push_back(draw.chance(0.65));
      size_.push_back(std::log(draw.between(1.2, 1.8)));
    }
  }

  const FleetShape& shape() const { return shape_; }
  std::size_t backend() const { return backend_; }
  std::size_t model() const { return model_; }
  bool is_hit(std::size_t experiment) const { return is_hit_[experiment]; }
  double size(std::size_t experiment) const { return size_[experiment]; }
  std::size_t backend_of(std::size_t experiment) const {
    return experiment % shape_.backends.size();
  }
  std::size_t model_of(std::size_t experiment) const { return experiment / shape_.backends.size(); }
  bool is_model(std::size_t experiment) const { return model_of(experiment) == model_; }
  bool is_backend(std::size_t experiment) const { return backend_of(experiment) == backend_; }
  // Numbers for one use alone, so that none depends on what else is asked for.
  Random random(std::uint64_t use, std::size_t night = 0, std::size_t experiment = 0) const {
    return Random(seed_, (use << 40) + (night << 20) + experiment);
  }

 private:
  FleetShape shape_;
  std::uint64_t seed_;
  std::size_t backend_ = 0, model_ = 0;
  std::vector<bool> is_hit_;
  std::vector<double> size_;
};

Event machine_event(std::optional<std::size_t> last = {}) {
  return {.scope = AlertScope::kMachine, .last = last};
}

bool is_between(std::size_t night, std::size_t first, std::size_t count) {
  return first <= night && night < first + count;
}

// By how much a busy machine slows an experiment down on a night, from night `first` on.
std::function<double(std::size_t, std::size_t)> busy(const Draws& draws, std::size_t first,
                                                     std::size_t nights) {
  return [=](std::size_t night, std::size_t k) {
    Random random = draws.random(kBusy, night, k);
    if (!is_between(night, first, nights) || !draws.is_hit(k) || !random.chance(0.9)) return 0.0;
    return draws.size(k) + std::log(random.between(0.9, 1.1));
  };
}

std::vector<Scenario> machine_scenarios(const Draws& draws) {
  std::vector<Scenario> some;
  some.push_back({
      "busy_machine",
      "most series slower for five nights, each night other ones",
      1,
      machine_event(kFirstEvent + 4),
      {},
      busy(draws, kFirstEvent, 5),
  });
  some.push_back({
      "bad_night",
      "most series slower for a single night",
      0,
      machine_event(kFirstEvent),
      {},
      [=](std::size_t night, std::size_t k) {
        return night == kFirstEvent && draws.is_hit(k) ? draws.size(k) : 0.0;
      },
  });
  some.push_back({
      "part_busy",
      "four in ten series slower for four nights",
      1,
      machine_event(kFirstEvent + 3),
      {},
      [=](std::size_t night, std::size_t k) {
        const bool is_slow = is_between(night, kFirstEvent, 4) &&
                             draws.random(kPart, 0, k).chance(0.4) &&
                             draws.random(kPart, night, k).chance(0.9);
        return is_slow ? draws.size(k) : 0.0;
      },
  });
  const auto slower = [](double by) {
    return
        [=](std::size_t night, std::size_t) { return night >= kFirstEvent ? std::log1p(by) : 0.0; };
  };
  some.push_back({
      "slower_machine",
      "all series 6 % slower for good",
      1,
      machine_event(),
      {},
      slower(0.06),
  });
  some.push_back({
      "slower_machine_2",
      "all series 2 % slower for good",
      4,
      machine_event(),
      {},
      slower(0.02),
  });
  Event driver = machine_event();
  driver.is_either_way = true;
  std::vector<double> sizes;
  for (std::size_t k = 0; k < draws.shape().experiments(); ++k) {
    sizes.push_back(0.01 + 0.06 * draws.random(kDriver, 0, k).normal());
  }
  some.push_back(
      {"driver",
       "all series changed for good, each by another amount, up or down",
       1,
       driver,
       {},
       [=](std::size_t night, std::size_t k) { return night >= kFirstEvent ? sizes[k] : 0.0; }});
  some.push_back(
      {"busy_again",
       "a busy machine for three nights, and ten nights later again",
       1,
       machine_event(kFirstEvent + 2),
       {},
       [first = busy(draws, kFirstEvent, 3), again = busy(draws, kFirstEvent + 13, 3)](
           std::size_t night, std::size_t k) { return first(night, k) + again(night, k); }});
  return some;
}

std::vector<Scenario> backend_scenarios(const Draws& draws) {
  std::vector<Scenario> some;
  const Event event{.scope = AlertScope::kBackend, .backend = draws.backend()};
  const auto slower = [=](double by) {
    return [=](std::size_t night, std::size_t k) {
      return night >= kFirstEvent && draws.is_backend(k) ? std::log1p(by) : 0.0;
    };
  };
  some.push_back({"backend", "one backend 8 % slower for good", 2, event, {}, slower(0.08)});
  some.push_back({"backend_4", "one backend 4 % slower for good", 4, event, {}, slower(0.04)});
  Event upgrade = event;
  upgrade.is_either_way = true;
  std::vector<double> sizes;
  Random random = draws.random(kUpgrade);
  for (std::size_t m = 0; m < draws.shape().models; ++m) {
    const double size = 0.02 + 0.1 * random.normal();
    sizes.push_back(random.chance(0.6) ? size : 0);
  }
  some.push_back({
      "upgrade",
      "six in ten models of one backend changed for good, up or down",
      4,
      upgrade,
      {},
      [=](std::size_t night, std::size_t k) {
        return night >= kFirstEvent && draws.is_backend(k) ? sizes[draws.model_of(k)] : 0.0;
      },
  });
  return some;
}

std::vector<Scenario> model_scenarios(const Draws& draws) {
  std::vector<Scenario> some;
  const Event on_backend{
      .scope = AlertScope::kModel, .model = draws.model(), .backend = draws.backend()};
  const Event on_all{.scope = AlertScope::kModel, .model = draws.model()};
  const auto is_own = [=](std::size_t k) { return draws.is_model(k) && draws.is_backend(k); };
  some.push_back({
      "model",
      "one model 15 % slower on one backend for good",
      2,
      on_backend,
      {},
      [=](std::size_t night, std::size_t k) {
        return night >= kFirstEvent && is_own(k) ? std::log(1.15) : 0.0;
      },
  });
  Event recovers = on_all;
  recovers.last = kFirstEvent + 5;
  some.push_back({
      "model_recovers",
      "one model 20 % slower on all backends for six nights",
      2,
      recovers,
      {},
      [=](std::size_t night, std::size_t k) {
        return is_between(night, kFirstEvent, 6) && draws.is_model(k) ? std::log(1.2) : 0.0;
      },
  });
  Random random = draws.random(kModels);
  const std::size_t models = draws.shape().models;
  const std::size_t other = (draws.model() + 1 + random.below(models - 1)) % models;
  some.push_back({
      "two_models",
      "two models slower for good, by 20 % (asked for) and 12 %",
      2,
      on_all,
      Event{.scope = AlertScope::kModel, .model = other},
      [=](std::size_t night, std::size_t k) {
        if (night < kFirstEvent) return 0.0;
        if (draws.is_model(k)) return std::log(1.2);
        return draws.model_of(k) == other ? std::log(1.12) : 0.0;
      },
  });
  Event under = on_backend;
  under.first = kFirstEvent + 1;
  some.push_back({
      "model_under_busy_machine",
      "one model 25 % slower on one backend from the second of five busy nights on",
      6,
      under,
      machine_event(kFirstEvent + 4),
      [=, machine = busy(draws, kFirstEvent, 5)](std::size_t night, std::size_t k) {
        return machine(night, k) + (night > kFirstEvent && is_own(k) ? std::log(1.25) : 0.0);
      },
  });
  const std::size_t backends = draws.shape().backends.size();
  const std::size_t elsewhere = (draws.backend() + 1 + random.below(backends - 1)) % backends;
  some.push_back({
      "model_and_backend",
      "one backend 8 % slower, and one model 30 % slower on another backend",
      2,
      Event{.scope = AlertScope::kModel, .model = draws.model(), .backend = elsewhere},
      Event{.scope = AlertScope::kBackend, .backend = draws.backend()},
      [=](std::size_t night, std::size_t k) {
        if (night < kFirstEvent) return 0.0;
        if (draws.is_backend(k)) return std::log(1.08);
        return draws.is_model(k) && draws.backend_of(k) == elsewhere ? std::log(1.3) : 0.0;
      },
  });
  Event later = on_all;
  later.first = kFirstEvent + 5;
  some.push_back({
      "machine_then_model",
      "one model 20 % slower, five nights after all series became 6 % slower",
      2,
      later,
      machine_event(),
      [=](std::size_t night, std::size_t k) {
        const bool is_slower = night >= kFirstEvent + 5 && draws.is_model(k);
        return (night >= kFirstEvent ? std::log(1.06) : 0.0) + (is_slower ? std::log(1.2) : 0.0);
      },
  });
  return some;
}

// Half of the models, and two at least, fail.
std::vector<Scenario> crash_scenarios(const Draws& draws) {
  constexpr double kFails = std::numeric_limits<double>::infinity();
  const auto is_hit = [=](std::size_t k) {
    const std::size_t model = draws.model_of(k), next = (draws.model() + 1) % draws.shape().models;
    return model == draws.model() || model == next || draws.random(kCrash, 0, model).chance(0.5);
  };
  std::vector<Scenario> some;
  some.push_back({
      "half_crash",
      "half of the models fail on all backends for good",
      0,
      machine_event(),
      {},
      [=](std::size_t night, std::size_t k) {
        return night >= kFirstEvent && is_hit(k) ? kFails : 0.0;
      },
  });
  some.push_back({
      "backend_crash",
      "half of the models of one backend fail for four nights",
      0,
      Event{.scope = AlertScope::kBackend, .backend = draws.backend(), .last = kFirstEvent + 3},
      {},
      [=](std::size_t night, std::size_t k) {
        return is_between(night, kFirstEvent, 4) && draws.is_backend(k) && is_hit(k) ? kFails : 0.0;
      },
  });
  return some;
}

double deviation_of(std::vector<double> levels) {
  std::vector<double> differences;
  for (std::size_t n = 1; n < levels.size(); ++n) {
    differences.push_back(std::abs(levels[n] - levels[n - 1]));
  }
  if (differences.empty()) return 1e-3;
  std::sort(differences.begin(), differences.end());
  const double near = 1.4826 * differences[differences.size() / 2] / std::sqrt(2.0);
  // Heavy tails ask for more: 90 % of the differences.
  const double far = differences[9 * (differences.size() - 1) / 10] / 1.645 / std::sqrt(2.0);
  return std::max({1e-3, near, far});
}

}  // namespace

std::vector<Scenario> scenarios(const FleetShape& shape, std::uint64_t seed) {
  const Draws draws(shape, seed);
  std::vector<Scenario> all;
  all.push_back({"nothing", "nothing is done", 0, {}, {}, [](auto, auto) { return 0.0; }});
  for (auto&& some : {machine_scenarios(draws), backend_scenarios(draws), model_scenarios(draws),
                      crash_scenarios(draws)}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Levels with_scenario(Levels levels, const Scenario& scenario) {
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t k = 0; k < levels[n].size(); ++k) {
      if (levels[n][k]) *levels[n][k] += scenario.added(n, k);
    }
  }
  return levels;
}

std::optional<double> size_in_deviations(const FleetShape& shape, const Levels& levels,
                                         const Scenario& scenario) {
  constexpr std::size_t kNights = 32;  // before the event
  if (!scenario.event || scenario.event->scope != AlertScope::kModel) return std::nullopt;
  const Event& event = *scenario.event;
  const std::size_t night = event.last ? event.first : shape.nights - 1;
  std::vector<double> added;
  for (std::size_t k = 0; k < shape.experiments(); ++k) added.push_back(scenario.added(night, k));
  double largest = 0;
  for (std::size_t b = 0; b < shape.backends.size(); ++b) {
    if (event.backend && *event.backend != b) continue;
    std::vector<double> of_backend, before;
    for (std::size_t m = 0; m < shape.models; ++m) {
      of_backend.push_back(added[m * shape.backends.size() + b]);
    }
    std::sort(of_backend.begin(), of_backend.end());
    const std::size_t own = *event.model * shape.backends.size() + b;
    for (std::size_t n = kFirstEvent - kNights; n < kFirstEvent; ++n) {
      if (levels[n][own]) before.push_back(*levels[n][own]);
    }
    const double beside = added[own] - of_backend[of_backend.size() / 2];
    largest = std::max(largest, beside / deviation_of(std::move(before)));
  }
  return largest;
}

}  // namespace benchhud::eval
