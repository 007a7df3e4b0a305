// mornings: how good alerts are each morning on fleets to which something known happens.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "mornings/fleet_levels.h"
#include "mornings/judging.h"
#include "mornings/scenarios.h"
#include "mornings/watching.h"

namespace benchhud::eval {
namespace {

namespace po = boost::program_options;

/// Fleets of one sort, a seed each.
struct Fleets {
  std::string name, what;
  FleetShape shape;
  SeriesKind series = SeriesKind::kUsual;
  std::optional<Turns> turns = {};  ///< of two machines
  bool are_machines_named = false;
  double missing = 0;  ///< share of the results
  std::uint64_t seeds = 8;

  Levels on_one_machine(std::uint64_t seed) const {
    return with_missing_results(made_up_fleet(shape, series, seed), missing, seed);
  }
  Mornings mornings(const Scenario& scenario, std::uint64_t seed) const {
    TwoMachines two{on_one_machine(seed), {}};
    if (turns) two = with_second_machine(std::move(two.levels), *turns, seed);
    if (!are_machines_named) two.is_second.clear();
    return watch_nights(shape, with_scenario(std::move(two.levels), scenario), seed, two.is_second);
  }
};

std::vector<Fleets> all_fleets() {
  const FleetShape shape, small{3, {"eager", "inductor"}}, large{334};
  return {
      {"usual", "13 models on three backends", shape},
      {"unequal", "half of the series very quiet, half noisy", shape, SeriesKind::kUnequal},
      {"lively", "series with steps, modes and wandering of their own", shape, SeriesKind::kLively},
      {"turns", "two machines take turns", shape, SeriesKind::kUsual, Turns::kSteady},
      {"lively-turns", "lively, two machines", shape, SeriesKind::kLively, Turns::kSteady},
      {"changing-turns", "the second machine's share rises from a tenth to nine tenths", shape,
       SeriesKind::kUsual, Turns::kChanging},
      {"named-turns", "two machines take turns, and each night says which", shape,
       SeriesKind::kUsual, Turns::kSteady, true},
      {"gaps", "a fifth of the results is missing", shape, SeriesKind::kUsual, {}, false, 0.2},
      {"small", "3 models on two backends, six series", small},
      {"large", "334 models, a thousand series", large, SeriesKind::kUsual, {}, false, 0, 2},
  };
}

struct Asked {
  std::vector<std::string> fleets, scenarios;
  std::uint64_t seeds = 0;  // 0: as many as each sort of fleets has
  bool is_verbose = false;
  bool is_noise_only = false, is_without_noise = false;
};

bool is_asked(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

std::string_view stage_name(analysis::AlertStage stage) {
  constexpr std::array<std::string_view, 4> kNames = {"suspect", "confirmed", "recovered",
                                                      "withdrawn"};
  return kNames[static_cast<std::size_t>(stage)];
}

// Every alert that is open or was open until this morning, on the mornings around the event.
void show(const Fleets& fleets, const Scenario& scenario, std::uint64_t seed,
          const Mornings& mornings, const Verdict& verdict) {
  constexpr std::size_t kBefore = 2, kAfter = 11;
  fmt::print("== {}, {}, seed {}\n", fleets.name, scenario.name, seed);
  const Event& event = *scenario.event;
  const std::size_t end = std::min(mornings.size(), event.last.value_or(event.first) + kAfter);
  for (std::size_t n = event.first - kBefore; n < end; ++n) {
    fmt::print("  night {} ({:+})\n", n, static_cast<int>(n) - static_cast<int>(event.first));
    for (const SeenAlert& alert : mornings[n]) {
      const auto& before = mornings[n - 1];
      const bool was_open = alert.id <= before.size() && before[alert.id - 1].is_open();
      if (!alert.is_open() && !was_open) continue;
      const bool is_wrong = verdict.wrong.contains({alert.id, alert.subject});
      fmt::print("    #{:<3} {:9} {:7} {} {}{}\n", alert.id, stage_name(alert.stage),
                 analysis::alert_scope_name(alert.scope), alert.subject,
                 alert.is_worse ? "slower" : "faster",
                 is_right(fleets.shape, event, alert) ? "  <- right"
                 : is_wrong                           ? "  <- wrong"
                                                      : "");
    }
  }
}

struct Sum {
  std::size_t tries = 0, seen = 0, in_time = 0, strong = 0, strong_in_time = 0, closed = 0,
              closing = 0, wrong = 0, ids = 0, changes = 0;
  std::string nights;

  void add(const Verdict& verdict, std::optional<double> size) {
    ++tries;
    seen += verdict.seen ? 1 : 0;
    in_time += verdict.is_in_time ? 1 : 0;
    if (size && *size >= 5) {
      ++strong;
      strong_in_time += verdict.is_in_time ? 1 : 0;
    }
    if (verdict.is_closed) {
      ++closing;
      closed += *verdict.is_closed ? 1 : 0;
    }
    wrong += verdict.wrong.size();
    ids += verdict.ids.size();
    changes += verdict.subject_changes;
    nights += verdict.confirmed ? fmt::format("{} ", *verdict.confirmed) : "- ";
  }
};

std::string of(std::size_t some, std::size_t all) {
  return all == 0 ? "–" : fmt::format("{}/{}", some, all);
}

void print_row(std::string_view name, const Sum& sum, std::string_view nights) {
  const auto a_try = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(sum.tries);
  };
  fmt::print("| {:<24} | {:>7} | {:>7} | {:>7} | {:>7} | {:>6.2f} | {:>5.2f} | {:>7.2f} | {} |\n",
             name, of(sum.in_time, sum.tries), of(sum.strong_in_time, sum.strong),
             of(sum.seen, sum.tries), of(sum.closed, sum.closing), a_try(sum.wrong), a_try(sum.ids),
             a_try(sum.changes), nights);
  std::cout.flush();
}

void score(const Fleets& fleets, const Asked& asked) {
  const std::uint64_t seeds = asked.seeds > 0 ? asked.seeds : fleets.seeds;
  fmt::print("\n{}: {}, {} tries a scenario\n\n", fleets.name, fleets.what, seeds);
  fmt::print("| {:<24} | {:>7} | {:>7} | {:>7} | {:>7} | {:>6} | {:>5} | {:>7} | nights |\n",
             "scenario", "in time", "≥ 5 σ", "seen", "closed", "wrong", "ids", "changes");
  fmt::print("|{:-<26}|{:->8}:|{:->8}:|{:->8}:|{:->8}:|{:->7}:|{:->6}:|{:->8}:|--------|\n", "", "",
             "", "", "", "", "", "");
  std::vector<Mornings> backgrounds;
  std::string ever;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    backgrounds.push_back(fleets.mornings(scenarios(fleets.shape, seed).front(), seed));
    ever += fmt::format("{} ", confirmed_ever(backgrounds.back()));
  }
  Sum all;
  const std::size_t count = scenarios(fleets.shape, 0).size();
  for (std::size_t s = 1; s < count; ++s) {
    Sum sum;
    std::string_view name;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Scenario scenario = scenarios(fleets.shape, seed)[s];
      name = scenario.name;
      if (!is_asked(asked.scenarios, name)) break;
      const Mornings mornings = fleets.mornings(scenario, seed);
      const Verdict verdict = judge(fleets.shape, scenario, mornings, backgrounds[seed]);
      const auto size = size_in_deviations(fleets.shape, fleets.on_one_machine(seed), scenario);
      if (asked.is_verbose) show(fleets, scenario, seed, mornings, verdict);
      sum.add(verdict, size);
      all.add(verdict, size);
    }
    if (sum.tries > 0) print_row(name, sum, sum.nights);
  }
  print_row("all", all, "");
  fmt::print("\nnothing: confirmed at some time, by seed: {}\n", ever);
}

void score_noise() {
  FleetShape shape;
  shape.models = 16;
  shape.nights = 200;
  constexpr std::uint64_t kSeeds = 2;
  fmt::print(
      "\n| noise without any change | false alerts per 1000 series-nights | target |\n"
      "|---|---:|---:|\n");
  for (std::size_t k = 0; k < kQuietKinds; ++k) {
    const auto kind = static_cast<QuietKind>(k);
    std::size_t alerts = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      alerts += confirmed_ever(watch_nights(shape, quiet_fleet(shape, kind, seed), seed));
    }
    const auto series_nights = static_cast<double>(kSeeds * shape.nights * shape.experiments());
    fmt::print("| {} | {:.2f} | ≤ 0.3 |\n", quiet_kind_name(kind),
               1000 * static_cast<double>(alerts) / series_nights);
    std::cout.flush();
  }
}

std::optional<Asked> parse(int count, char** arguments) {
  Asked asked;
  po::options_description options(
      "mornings prints how good alerts are each morning on made-up fleets");
  options.add_options()("help", "show this")                                                  //
      ("fleets", po::value(&asked.fleets)->multitoken(), "sorts of fleets; default: all")     //
      ("scenario", po::value(&asked.scenarios)->multitoken(), "default: all")                 //
      ("seeds", po::value(&asked.seeds), "tries a scenario")                                  //
      ("noise-only", po::bool_switch(&asked.is_noise_only), "only noise without any change")  //
      ("without-noise", po::bool_switch(&asked.is_without_noise), "leave that out")           //
      ("verbose", po::bool_switch(&asked.is_verbose), "print the mornings around each event");
  po::variables_map values;
  try {
    po::store(po::parse_command_line(count, arguments, options), values);
    po::notify(values);
  } catch (const po::error& error) {
    fmt::print(stderr, "mornings: {}\n", error.what());
    return std::nullopt;
  }
  if (values.contains("help")) {
    std::cerr << options;
    return std::nullopt;
  }
  return asked;
}

}  // namespace
}  // namespace benchhud::eval

int main(int argc, char** argv) {
  using namespace benchhud::eval;
  const auto asked = parse(argc, argv);
  if (!asked) return 2;
  for (const Fleets& fleets : all_fleets()) {
    if (!asked->is_noise_only && is_asked(asked->fleets, fleets.name)) score(fleets, *asked);
  }
  if (!asked->is_without_noise) score_noise();
  return 0;
}
