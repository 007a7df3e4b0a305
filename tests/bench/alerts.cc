// alerts SERIES NIGHTS: made-up series watched night by night from nothing, then one night more.
// Says as JSON what it took, in seconds of processor time.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/alert_detector.h"
#include "tests/eval/made_up_noise.h"

namespace benchhud::bench {
namespace {

using analysis::Night;
using eval::kNoiseKinds;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// What happens to a fleet, beside noise.
enum class Kind {
  kQuiet,  ///< every series as it is
  kLively  ///< one in a hundred gets 10 % slower on some night, and all 5 % on one
};

class Fleet {
 public:
  Fleet(std::size_t series, std::size_t nights, Kind kind) {
    std::vector<schema::StoredExperiment> experiments(series);
    for (std::size_t i = 0; i < series; ++i) {
      experiments[i].id = schema::ExperimentId{static_cast<std::int64_t>(i) + 1};
      schema::Experiment& one = experiments[i].experiment;
      one.suite = "made";
      one.model = "model_" + std::to_string(i / 3);
      one.test = "eval";
      one.accelerator = "cuda";
      one.accelerator_model = "A100";
      // Without the baseline, so that there are as many series as are asked for.
      constexpr std::string_view kBackends[] = {"", "openxla", "aot_eager"};
      if (const auto backend = kBackends[i % 3]; !backend.empty()) one.dynamo = backend;
      levels_.push_back(
          eval::made_up_series(kNoiseKinds[i % kNoiseKinds.size()], nights, 9'000'000 + i));
      if (kind == Kind::kQuiet) continue;
      const std::size_t at = i % 100 == 0 ? (i / 100 * 7) % nights : nights;
      for (std::size_t n = 0; n < nights; ++n) {
        if (n >= at) levels_[i][n].level += 0.1;
        if (n >= nights / 2) levels_[i][n].level += 0.05;
      }
    }
    catalog_.emplace(std::move(experiments));
  }

  const analysis::Catalog& catalog() const { return *catalog_; }
  analysis::RunObservations night(std::size_t number) const {
    analysis::RunObservations facts;
    facts.run = schema::RunId{static_cast<std::int64_t>(number) + 1};
    facts.started_at = 86400.0 * static_cast<double>(number);
    facts.results.resize(levels_.size());
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      facts.results[i].experiment = schema::ExperimentId{static_cast<std::int64_t>(i) + 1};
      facts.results[i].times[0] = levels_[i][number];
    }
    return facts;
  }

 private:
  std::vector<std::vector<Night>> levels_;
  std::optional<analysis::Catalog> catalog_;
};

std::string measured(std::size_t series, std::size_t nights, Kind kind) {
  constexpr std::size_t kMore = 20;  // nights after it, of which each is measured
  const Fleet fleet(series, nights + kMore, kind);
  analysis::AlertDetector watch(fleet.catalog(), {});
  double all = 0;
  std::vector<double> more;
  for (std::size_t n = 0; n < nights + kMore; ++n) {
    analysis::RunObservations facts = fleet.night(n);
    const double began = cpu_seconds();
    watch.add(std::move(facts));
    const double took = cpu_seconds() - began;
    if (n < nights) {
      all += took;
    } else {
      more.push_back(took);
    }
  }
  std::sort(more.begin(), more.end());
  // What was ever told, and what stands after the last night: neither recovered nor withdrawn.
  std::size_t confirmed = 0, current = 0;
  for (const analysis::WatchedAlert& alert : watch.alerts()) {
    confirmed += alert.confirmed ? 1 : 0;
    current += alert.stage == analysis::AlertStage::kConfirmed ? 1 : 0;
  }
  return fmt::format(R"({{"all_s": {:.3f}, "night_s": {:.4f}, "worst_night_s": {:.4f}, )"
                     R"("alerts": {}, "confirmed": {}, "standing": {}}})",
                     all, more[more.size() / 2], more.back(), watch.alerts().size(), confirmed,
                     current);
}

}  // namespace
}  // namespace benchhud::bench

int main(int count, char** arguments) {
  using namespace benchhud::bench;
  if (count != 3) {
    fmt::print(stderr, "usage: alerts SERIES NIGHTS\n");
    return 2;
  }
  const std::size_t series = std::strtoul(arguments[1], nullptr, 10);
  const std::size_t nights = std::strtoul(arguments[2], nullptr, 10);
  fmt::print("{{\"quiet\": {}, \"lively\": {}}}\n", measured(series, nights, Kind::kQuiet),
             measured(series, nights, Kind::kLively));
  return 0;
}
