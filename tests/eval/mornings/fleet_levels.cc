#include "mornings/fleet_levels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/bench/random.h"

namespace benchhud::eval {
namespace {

using bench::Random;

// Generators of one seed.
enum Stream : std::uint64_t { kSeries = 1, kHistory, kMachines, kMissing };

// A draw from weights that need not add up to 1.
std::size_t weighted(const std::vector<double>& weights, Random* random) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  double place = random->between(0, sum);
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    if (place < weights[i]) return i;
    place -= weights[i];
  }
  return weights.size() - 1;
}

double exponential(Random* random) { return -std::log(1 - random->uniform()); }

// Student's t with three degrees of freedom.
double heavy_tailed(Random* random) {
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double one = random->normal();
    squares += one * one;
  }
  return random->normal() / std::sqrt(squares / 3);
}

// What a series does from night to night, in standard deviations.
std::vector<double> noise_of(QuietKind kind, std::size_t nights, Random* random) {
  std::vector<double> values;
  double state = kind == QuietKind::kAutocorrelated ? random->normal() : 0;
  const double share = random->between(0.1, 0.5);
  while (values.size() < nights) {
    double value = random->normal();
    switch (kind) {
      case QuietKind::kNormal:
      case QuietKind::kCommon:
        break;
      case QuietKind::kHeavyTailed:
        value = heavy_tailed(random);
        break;
      case QuietKind::kAutocorrelated:
        value = state = 0.6 * state + 0.8 * value;
        break;
      case QuietKind::kWalk:
        state += 0.3 * random->normal();
        value += state;
        break;
      case QuietKind::kTwoLevels:
        value = 0.35 * value + (random->chance(share) ? 2 : 0);
        break;
      case QuietKind::kSpikes:
        if (random->chance(0.05)) value += 8 * exponential(random);
        break;
      case QuietKind::kExcursions:
        state = random->chance(state > 0 ? 0.67 : 1.0 / 60) ? 1 : 0;
        value += 4 * state;
        break;
    }
    values.push_back(value);
  }
  return values;
}

using Column = std::vector<double>;

Levels levels_of(const std::vector<Column>& columns, std::size_t nights) {
  Levels levels(nights);
  for (std::size_t n = 0; n < nights; ++n) {
    for (const Column& column : columns) levels[n].push_back(column[n]);
  }
  return levels;
}

// Series of the kinds of noise that `weights` names by its places; `common`: by how much all series
// of a night move together.
std::vector<Column> columns_of(const FleetShape& shape, const std::vector<double>& weights,
                               double common, Random* random) {
  const auto moves = [&](double by) {
    Column column(shape.nights);
    for (double& one : column) one = by * random->normal();
    return column;
  };
  const Column all = moves(common);
  std::vector<Column> of_backend;
  for (std::size_t b = 0; b < shape.backends.size(); ++b) of_backend.push_back(moves(common / 2));
  std::vector<Column> columns;
  for (std::size_t k = 0; k < shape.experiments(); ++k) {
    const double deviation = std::clamp(0.012 * std::exp(0.8 * random->normal()), 0.001, 0.2);
    const double level = 3 + random->normal();
    const auto kind = static_cast<QuietKind>(weighted(weights, random));
    Column& column = columns.emplace_back(noise_of(kind, shape.nights, random));
    for (std::size_t n = 0; n < shape.nights; ++n) {
      column[n] = level + deviation * column[n] + all[n] + of_backend[k % of_backend.size()][n];
    }
  }
  return columns;
}

void step_from(Column* column, std::size_t night, double by) {
  for (std::size_t n = night; n < column->size(); ++n) (*column)[n] += by;
}

double either_way(double low, double high, Random* random) {
  const double size = random->between(low, high);
  return random->chance(0.5) ? size : -size;
}

// What series of a code base that is worked on look like.
void add_history(Column* column, Random* random) {
  const std::size_t steps = weighted({6, 3, 1}, random);
  for (std::size_t i = 0; i < steps; ++i) {
    step_from(column, 3 + random->below(kFirstEvent - 5), either_way(0.04, 0.35, random));
  }
  const double kind = random->uniform();
  if (kind < 0.15) {  // two modes, which last one to several nights
    const double gap = random->between(0.07, 0.6);
    bool is_high = false;
    for (double& level : *column) {
      if (!random->chance(0.7)) is_high = !is_high;
      if (is_high) level += gap;
    }
  } else if (kind < 0.25) {  // wanders by 1 % a night
    double place = 0;
    for (double& level : *column) level += place += 0.01 * random->normal();
  }
}

void make_lively(const FleetShape& shape, std::vector<Column>* columns, Random* random) {
  for (Column& column : *columns) add_history(&column, random);
  for (int i = 0; i < 2; ++i) {
    const std::size_t backend = random->below(shape.backends.size());
    const std::size_t night = 8 + random->below(kFirstEvent - 13);
    const double size = random->between(-0.08, 0.08);
    for (std::size_t k = backend; k < columns->size(); k += shape.backends.size()) {
      step_from(&(*columns)[k], night, size + 0.03 * random->normal());
    }
  }
  for (int i = 0; i < 2; ++i) {
    const std::size_t night = kFirstEvent + 1 + random->below(shape.nights - kFirstEvent - 3);
    step_from(&(*columns)[random->below(columns->size())], night, either_way(0.1, 0.3, random));
  }
}

double median_of(Column values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A series' standard deviation from night to night, robust against steps.
double noise_of(const Column& column) {
  Column differences;
  for (std::size_t n = 1; n < column.size(); ++n) {
    differences.push_back(std::abs(column[n] - column[n - 1]));
  }
  return std::max(1e-4, 1.4826 * median_of(std::move(differences)) / std::sqrt(2.0));
}

void make_unequal(std::vector<Column>* columns, Random* random) {
  for (Column& column : *columns) {
    const double middle = median_of(column);
    if (random->chance(0.5)) {
      const double factor = std::min(1.0, 0.003 / noise_of(column));
      for (double& level : column) level = middle + factor * (level - middle);
    } else {
      const double deviation = random->between(0.08, 0.15);
      for (double& level : column) level += deviation * random->normal();
    }
  }
}

// Whether the second machine has a night.
std::vector<bool> turns_of(Turns turns, std::size_t nights, Random* random) {
  std::vector<bool> second;
  while (second.size() < nights) {
    if (turns == Turns::kChanging) {
      const double at = static_cast<double>(second.size()) / static_cast<double>(nights);
      second.push_back(random->chance(0.1 + 0.8 * at));
      continue;
    }
    second.insert(second.end(), 1 + random->below(4), false);
    second.insert(second.end(), 1 + weighted({11, 6, 2, 1}, random), true);
  }
  second.resize(nights);
  return second;
}

}  // namespace

Levels made_up_fleet(const FleetShape& shape, SeriesKind kind, std::uint64_t seed) {
  Random random(seed, kSeries), history(seed, kHistory);
  // By QuietKind: real series have all of them, and most are well behaved.
  auto columns = columns_of(shape, {35, 20, 20, 0, 5, 10, 10}, 0.003, &random);
  if (kind == SeriesKind::kUnequal) make_unequal(&columns, &history);
  if (kind == SeriesKind::kLively) make_lively(shape, &columns, &history);
  return levels_of(columns, shape.nights);
}

Levels quiet_fleet(const FleetShape& shape, QuietKind kind, std::uint64_t seed) {
  Random random(seed, 100 + static_cast<std::uint64_t>(kind));
  std::vector<double> weights(kQuietKinds);
  weights[static_cast<std::size_t>(kind)] = 1;
  const double common = kind == QuietKind::kCommon ? 0.02 : 0.003;
  return levels_of(columns_of(shape, weights, common, &random), shape.nights);
}

TwoMachines with_second_machine(Levels levels, Turns turns, std::uint64_t seed) {
  Random random(seed, kMachines);
  const double mean = std::log(seed % 2 == 0 ? 0.85 : 1.13);
  std::vector<double> effects;
  for (std::size_t k = 0; k < levels.front().size(); ++k) {
    effects.push_back(mean + 0.2 * random.normal());
  }
  const auto is_second = turns_of(turns, levels.size(), &random);
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t k = 0; is_second[n] && k < effects.size(); ++k) {
      if (levels[n][k]) *levels[n][k] += effects[k];
    }
  }
  return {std::move(levels), is_second};
}

Levels with_missing_results(Levels levels, double share, std::uint64_t seed) {
  Random random(seed, kMissing);
  for (auto& night : levels) {
    for (auto& level : night) {
      if (random.chance(share)) level.reset();
    }
  }
  return levels;
}

std::string quiet_kind_name(QuietKind kind) {
  switch (kind) {
    case QuietKind::kNormal:
      return "normal";
    case QuietKind::kHeavyTailed:
      return "heavy-tailed";
    case QuietKind::kAutocorrelated:
      return "autocorrelated";
    case QuietKind::kWalk:
      return "wandering levels";
    case QuietKind::kTwoLevels:
      return "two levels";
    case QuietKind::kSpikes:
      return "spikes";
    case QuietKind::kExcursions:
      return "excursions";
    case QuietKind::kCommon:
      return "common to all series";
  }
  return "";
}

}  // namespace benchhud::eval
