// A store of made-up nights whose alerts are found: models by their seconds.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/night_mark.h"
#include "schema/results/reader.h"
#include "service/alerts/alert_update.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::service {

class AlertFixture : public server::StoreFixture {
 protected:
  static constexpr double kDay = 86400;
  static constexpr double kFirst = 1761955200;  // 2025-11-01T00:00:00Z

  /// Night `number` as it was, by seconds of the model; a model without seconds failed.
  void night(int number, const std::map<std::string, double>& models,
             const std::string& accelerator_model = "A100", const std::string& code = "") {
    std::vector<server::MadeLine> lines;
    for (const auto& [model, seconds] : models) {
      std::mt19937_64 random(std::hash<std::string>()(model) + 1000 * number);
      std::normal_distribution<double> normal(0, 0.01);
      server::MadeLine line;
      line.model = model;
      line.timestamp = kFirst + kDay * number;
      line.accelerator_model = accelerator_model;
      line.times = {};
      line.error = seconds > 0 ? "" : "ValueError: broken";
      const double level = seconds * std::exp(normal(random));
      for (int i = 0; i < 8 && seconds > 0; ++i) {
        line.times.push_back(level * (i == 0 ? 3 : 1) * std::exp(0.3 * normal(random)));
      }
      lines.push_back(line);
      if (!code.empty()) lines.push_back(server::verified(line, code));
    }
    ingest(lines);
  }
  void nights(int first, int last, const std::map<std::string, double>& models,
              const std::string& accelerator_model = "A100") {
    for (int n = first; n <= last; ++n) night(n, models, accelerator_model);
  }
  AlertUpdate update() {
    const auto done = update_alerts(*connection_);
    EXPECT_TRUE(done) << done.error().message;
    return done ? *done : AlertUpdate();
  }
  std::vector<schema::Alert> alerts() {
    const auto all = schema::alerts(*connection_);
    EXPECT_TRUE(all);
    return all ? *all : std::vector<schema::Alert>();
  }
  std::vector<schema::Alert> confirmed() {
    auto all = alerts();
    std::erase_if(
        all, [](const auto& alert) { return alert.detected != schema::DetectedState::kConfirmed; });
    return all;
  }
  schema::Run run_at(int number, const std::string& accelerator_model = "") {
    schema::Reader reader(*connection_);
    const auto runs = reader.runs({});
    EXPECT_TRUE(runs);
    for (const schema::Run& run : *runs) {
      const bool is_on = accelerator_model.empty() || run.accelerator_model == accelerator_model;
      if (is_on && run.started_at == kFirst + kDay * number) return run;
    }
    ADD_FAILURE() << "no night " << number;
    return {};
  }
  void mark(int number, schema::NightMarkKind kind) {
    const schema::Run run = run_at(number);
    ASSERT_TRUE(
        schema::mark_nights(*connection_, std::span(&run, 1), {kind, "new driver", "ada", {}}));
  }
  static double time_of(int number) { return kFirst + kDay * number; }
  const std::map<std::string, double> quiet_ = {{"alpha", 1}, {"beta", 2}};
  const std::map<std::string, double> slow_ = {{"alpha", 1.3}, {"beta", 2}};
};

}  // namespace benchhud::service
