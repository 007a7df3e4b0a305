#include "analysis/alerts/alert_detector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/eval/made_up_noise.h"
#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

/// A fleet of models × backends, watched from the first night; `times` may change between nights.
class Watching : public testing::Test {
 protected:
  void make(int models, const std::vector<std::string>& backends, FleetRules rules = {},
            double noise = 0.01) {
    noise_ = noise;
    for (int m = 0; m < models; ++m) {
      for (const std::string& backend : backends) {
        const auto id = fleet_.add("m" + std::to_string(m), backend);
        facts_.results.push_back({});
        facts_.results.back().experiment = id;
        facts_.results.back().status = Status::kTimed;
        places_[{m, backend}] = times_.size();
        times_.push_back(1.0 + m);
      }
    }
    catalog_ = std::make_unique<Catalog>(fleet_.catalog());
    watch_ = std::make_unique<AlertDetector>(*catalog_, std::move(rules));
  }
  double& time_of(int model, const std::string& backend) {
    return times_[places_.at({model, backend})];
  }
  ExperimentObservation& result_of(int model, const std::string& backend) {
    return facts_.results[places_.at({model, backend})];
  }
  void nights(int count, RunAnnotations said = {}) {
    for (int i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < times_.size(); ++k) {
        const double own = noisy_ && places_.at(*noisy_) == k ? noise_of_noisy_ : noise_;
        const double level = std::log(times_[k]) + own * normal_(random_);
        facts_.results[k].times[0] = Night{level, 1e-5, 8};
        if (is_missing_ && places_.at(*is_missing_) == k) facts_.results[k].times[0].reset();
        facts_.results[k].times[place_of(WatchedMetric::kSpeedup)].reset();
      }
      facts_.run = schema::RunId{static_cast<std::int64_t>(watch_->nights().size()) + 1};
      facts_.started_at = 86400.0 * static_cast<double>(watch_->nights().size());
      watch_->add(facts_, said);
      added_.emplace_back(facts_, said);
    }
  }
  /// A watch that goes on after `count` of the nights so far, of which `state` tells.
  std::unique_ptr<AlertDetector> go_on(std::size_t count, std::string_view state,
                                       const Catalog& catalog) const {
    auto watch = std::make_unique<AlertDetector>(catalog, FleetRules{});
    if (!watch->load_state(state) || watch->nights().size() != count) return nullptr;
    for (std::size_t n = count - watch->kept_nights(); n < count; ++n) {
      watch->recall(added_[n].first);
    }
    if (!watch->finish_recall()) return nullptr;
    for (std::size_t n = count; n < added_.size(); ++n) {
      watch->add(added_[n].first, added_[n].second);
    }
    return watch;
  }
  std::vector<WatchedAlert> alerts(AlertStage stage) const {
    std::vector<WatchedAlert> some;
    for (const WatchedAlert& alert : watch_->alerts()) {
      if (alert.stage == stage) some.push_back(alert);
    }
    return some;
  }
  auto of_model(const std::string& model) const {
    return testing::Truly([this, model](const WatchedAlert& alert) {
      return std::any_of(alert.group.members.begin(), alert.group.members.end(), [&](auto place) {
        return catalog_->find(watch_->members()[place].experiment)->experiment().model == model;
      });
    });
  }
  std::string story() const {
    std::string text;
    for (const WatchedAlert& alert : watch_->alerts()) {
      text += std::to_string(static_cast<int>(alert.stage)) + " " +
              std::string(alert_scope_name(alert.group.scope)) + " " +
              std::to_string(alert.group.onset) + " " + std::to_string(alert.first_seen) + " " +
              std::to_string(alert.confirmed.value_or(999)) + ":";
      for (const std::size_t place : alert.group.members) {
        const WatchedMember& member = watch_->members()[place];
        text += " " + std::to_string(to_int(member.experiment)) + "." +
                std::to_string(place_of(member.metric)) + "=" + std::to_string(member.effect);
      }
      text += "\n" + history_of(alert);
    }
    return text;
  }
  /// "34 joined 1: m3 eager steady", a line for each event.
  std::string history_of(const WatchedAlert& alert) const {
    std::string text;
    for (const AlertEvent& event : alert.history) {
      text += "  " + std::to_string(event.night);
      if (event.last != event.night) text += "-" + std::to_string(event.last);
      text += " " + std::string(alert_event_name(event.kind));
      if (event.count > 0) text += " " + std::to_string(event.count);
      if (event.kind == AlertEventKind::kOnsetMoved) {
        text += " " + std::to_string(event.from) + " to " + std::to_string(event.to);
      }
      for (const std::size_t place : event.members) {
        const WatchedMember& member = watch_->members()[place];
        const CatalogEntry& entry = *catalog_->find(member.experiment);
        text += " [" + std::string(entry.experiment().model) + " " + std::string(entry.column()) +
                " " + std::string(watched_metric_info(member.metric).name) + "]";
      }
      for (const std::size_t other : event.alerts) text += " #" + std::to_string(other);
      text += "\n";
    }
    return text;
  }

  Fleet fleet_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<AlertDetector> watch_;
  RunObservations facts_;
  std::vector<std::pair<RunObservations, RunAnnotations>> added_;
  std::optional<std::pair<int, std::string>> is_missing_;  // a model on a backend
  std::optional<std::pair<int, std::string>> noisy_;       // a series with noise of its own
  double noise_of_noisy_ = 0.1;

 private:
  std::map<std::pair<int, std::string>, std::size_t> places_;
  std::vector<double> times_;
  double noise_ = 0.01;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
};

const std::vector<std::string> kThree = {"eager", "inductor", "openxla+dynamo"};

TEST_F(Watching, OneStepAmongManySeriesIsOneAlert) {
  make(60, kThree);
  nights(30);
  time_of(17, "eager") *= 1.2;
  nights(1);
  EXPECT_THAT(alerts(AlertStage::kSuspect), Contains(of_model("m17"))) << story();
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty());
  nights(5);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1));
  const WatchedAlert alert = alerts(AlertStage::kConfirmed)[0];
  EXPECT_EQ(alert.group.scope, AlertScope::kModel);
  EXPECT_EQ(alert.group.onset, 30u);
  EXPECT_EQ(alert.first_seen, 30u) << "the alert that was a suspect";
  EXPECT_LE(alert.confirmed.value(), 35u);
  EXPECT_GE(alert.confirmed.value(), 32u);
  EXPECT_THAT(alert.group.members, SizeIs(2)) << "its time and its speedup";
  nights(20);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1));
}

TEST_F(Watching, WhereNothingChangesNothingIsConfirmed) {
  make(1, {});
  fleet_ = Fleet();
  std::vector<std::vector<Night>> series;
  constexpr std::size_t kSeries = 400, kNights = 120;
  for (std::size_t i = 0; i < kSeries; ++i) {
    fleet_.add("m" + std::to_string(i), "inductor");
    series.push_back(
        eval::made_up_series(eval::kNoiseKinds[i % eval::kNoiseKinds.size()], kNights, 77'000 + i));
  }
  catalog_ = std::make_unique<Catalog>(fleet_.catalog());
  watch_ = std::make_unique<AlertDetector>(*catalog_, FleetRules{});
  for (std::size_t n = 0; n < kNights; ++n) {
    RunObservations night;
    for (std::size_t i = 0; i < kSeries; ++i) {
      ExperimentObservation& result = night.results.emplace_back();
      result.experiment = schema::ExperimentId{static_cast<std::int64_t>(i) + 1};
      result.times[0] = series[i][n];
    }
    watch_->add(std::move(night));
  }
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty());
  EXPECT_THAT(alerts(AlertStage::kRecovered), IsEmpty());
}

TEST_F(Watching, AnExcludedNightDoesNotCount) {
  make(6, kThree);
  nights(30);
  for (int m = 0; m < 6; ++m) time_of(m, "eager") *= 2;
  result_of(0, "eager").code = "FAIL";
  nights(1, {.is_excluded = true});
  EXPECT_THAT(alerts(AlertStage::kSuspect), IsEmpty());
  for (int m = 0; m < 6; ++m) time_of(m, "eager") /= 2;
  time_of(3, "eager") *= 1.3;
  result_of(0, "eager").code.reset();
  nights(4);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1));
  EXPECT_EQ(alerts(AlertStage::kConfirmed)[0].group.onset, 31u) << "nights keep their numbers";
  EXPECT_THAT(watch_->nights(), SizeIs(35));
}

TEST_F(Watching, ANewEnvironmentIsNoAlert) {
  make(6, kThree);
  nights(30);
  for (int m = 0; m < 6; ++m) {
    for (const auto& backend : kThree) time_of(m, backend) *= 1.3;
  }
  nights(1, {.is_new_environment = true});
  nights(20);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
  for (const WatchedMember& member : watch_->members()) EXPECT_LT(std::abs(member.effect), 0.1);
}

TEST_F(Watching, AMachinesSlowdownIsOneAlertAndTakesInTheRest) {
  make(8, kThree);
  nights(30);
  for (int m = 0; m < 8; ++m) {
    for (const auto& backend : kThree) time_of(m, backend) *= 1.15;
  }
  nights(8);
  const auto confirmed = alerts(AlertStage::kConfirmed);
  ASSERT_THAT(confirmed, SizeIs(1)) << story();
  EXPECT_EQ(confirmed[0].group.scope, AlertScope::kMachine);
  EXPECT_GE(confirmed[0].group.members.size(), 20u);
  EXPECT_THAT(alerts(AlertStage::kSuspect), IsEmpty());
}

// What models seemed to do on the first night is the machine's on the next one.
TEST_F(Watching, WhatAMachineExplainsIsTakenInByItsAlert) {
  make(8, {"eager", "inductor"});
  nights(30);
  for (int m = 0; m < 8; ++m) time_of(m, "eager") *= 1.0 + 0.1 * (m % 3);
  nights(1);
  for (int m = 0; m < 8; ++m) time_of(m, "inductor") *= 1.0 + 0.1 * ((m + 1) % 3);
  nights(6);
  const auto confirmed = alerts(AlertStage::kConfirmed);
  ASSERT_THAT(confirmed, SizeIs(1)) << story();
  EXPECT_NE(confirmed[0].group.scope, AlertScope::kModel) << story();
  for (const WatchedAlert& alert : alerts(AlertStage::kWithdrawn)) {
    if (alert.first_seen < 30) continue;
    ASSERT_TRUE(alert.merged_into.has_value()) << story();
    EXPECT_EQ(watch_->alerts()[*alert.merged_into].stage, AlertStage::kConfirmed) << story();
  }
}

TEST_F(Watching, ARecoveryClosesItsAlertAndIsNone) {
  make(6, kThree);
  nights(30);
  time_of(2, "eager") *= 1.25;
  nights(10);
  time_of(2, "eager") /= 1.25;
  nights(10);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
  EXPECT_THAT(alerts(AlertStage::kSuspect), IsEmpty()) << story();
  ASSERT_THAT(alerts(AlertStage::kRecovered), SizeIs(1)) << story();
  EXPECT_GE(alerts(AlertStage::kRecovered)[0].closed.value(), 41u) << "the second night";
  EXPECT_LE(alerts(AlertStage::kRecovered)[0].closed.value(), 43u);
  time_of(2, "eager") *= 1.25;
  nights(10);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << "it came back: " << story();
}

TEST_F(Watching, AnImprovementDoesNotKeepARegressionOpen) {
  make(6, kThree);
  nights(30);
  time_of(2, "eager") *= 1.25;
  time_of(2, "inductor") /= 1.25;
  nights(8);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
  time_of(2, "eager") /= 1.25;
  nights(5);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
  EXPECT_THAT(alerts(AlertStage::kRecovered), SizeIs(1)) << story();
}

TEST_F(Watching, WhatGotSlowerTogetherIsOverTogether) {
  make(6, kThree);
  noisy_ = {2, "openxla+dynamo"};
  std::vector<std::string> states;
  const auto some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      nights(1);
      states.push_back(watch_->state());
    }
  };
  some(40);
  for (const std::string& backend : kThree) time_of(2, backend) *= 1.4;
  some(12);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
  ASSERT_THAT(
      alerts(AlertStage::kConfirmed)[0].group.members, Contains(testing::Truly([&](std::size_t m) {
        const WatchedMember& member = watch_->members()[m];
        return member.experiment == result_of(2, "openxla+dynamo").experiment && member.confirmed;
      })))
      << "the noisy one belongs to it: " << story();
  for (const std::string& backend : kThree) time_of(2, backend) /= 1.4;
  some(3);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
  EXPECT_THAT(alerts(AlertStage::kRecovered), SizeIs(1)) << story();
  // It was no recovery: the noisy one is slow again, and the alert is open again.
  time_of(2, "openxla+dynamo") *= 1.4;
  some(5);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
  EXPECT_THAT(history_of(alerts(AlertStage::kConfirmed)[0]),
              testing::ContainsRegex(" recovered\n  [0-9]+ reopened\n"));
  for (std::size_t n = 40; n < states.size(); ++n) {
    const auto other = go_on(n + 1, states[n], *catalog_);
    ASSERT_NE(other, nullptr) << n;
    EXPECT_EQ(other->state(), watch_->state()) << n;
  }
}

TEST_F(Watching, OneGoodNightIsNoRecoveryWhereTheOthersAreOverForLong) {
  make(6, kThree);
  noisy_ = {2, "openxla+dynamo"};
  nights(40);
  for (const std::string& backend : kThree) time_of(2, backend) *= 1.4;
  nights(12);
  time_of(2, "eager") /= 1.4;
  time_of(2, "inductor") /= 1.4;
  nights(30);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), Contains(of_model("m2"))) << story();
  for (int good : {1, 2}) {
    time_of(2, "openxla+dynamo") /= 1.4;
    nights(good);
    EXPECT_THAT(alerts(AlertStage::kConfirmed), Contains(of_model("m2"))) << good << story();
    time_of(2, "openxla+dynamo") *= 1.4;
    nights(10);
    EXPECT_THAT(alerts(AlertStage::kConfirmed), Contains(of_model("m2"))) << good << story();
  }
}

// Each series differs by another amount between two machines that are named.
class OnTwoMachines : public Watching {
 protected:
  void move_to(const std::string& machine) {
    const double sign = (machine == "second" ? 1 : 0) - (facts_.machine == "second" ? 1 : 0);
    facts_.machine = machine;
    for (int m = 0; m < kModels; ++m) {
      for (std::size_t b = 0; b < kThree.size(); ++b) {
        const int place = m * 3 + static_cast<int>(b);
        time_of(m, kThree[b]) *= std::exp(sign * (0.15 + 0.05 * ((place * 7) % 9 - 4)));
      }
    }
  }
  void move_on() { move_to(facts_.machine == "first" ? "second" : "first"); }
  /// Of `least` nights each, or of `least` and up to `lengths` - 1 more in turn.
  void take_turns(int turns, int least, int lengths = 1) {
    for (int turn = 0; turn < turns; ++turn) {
      nights(least + turn % lengths);
      move_on();
    }
  }
  void expect_quiet() const {
    EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
    EXPECT_THAT(alerts(AlertStage::kRecovered), IsEmpty()) << story();
  }
  static constexpr int kModels = 8;
};

TEST_F(OnTwoMachines, TurnsAreNoEvents) {
  make(kModels, kThree);
  facts_.machine = "first";
  take_turns(12, 1, 3);
  expect_quiet();
  time_of(3, "inductor") *= 1.25;
  nights(2);
  move_on();
  nights(2);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), ElementsAre(of_model("m3"))) << story();
}

TEST_F(OnTwoMachines, AMachineThatStaysIsNoEvent) {
  make(kModels, kThree);
  facts_.machine = "first";
  nights(20);
  move_to("second");
  nights(70);
  expect_quiet();
  time_of(3, "inductor") *= 1.25;
  nights(4);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), ElementsAre(of_model("m3"))) << story();
}

TEST_F(OnTwoMachines, WhatHappenedOnBothIsAnEvent) {
  make(kModels, kThree);
  facts_.machine = "first";
  take_turns(10, 2);
  for (int m = 0; m < kModels; ++m) time_of(m, "inductor") *= 1.1;
  take_turns(3, 1);
  const auto confirmed = alerts(AlertStage::kConfirmed);
  ASSERT_THAT(confirmed, SizeIs(1)) << story();
  EXPECT_EQ(confirmed[0].group.scope, AlertScope::kBackend);
  EXPECT_EQ(confirmed[0].group.backend, "inductor");
}

TEST_F(OnTwoMachines, ANewMachineTakesNoTrueAlertAway) {
  make(kModels, kThree);
  facts_.machine = "first";
  nights(30);
  for (int m = 0; m < kModels; ++m) {
    for (const std::string& backend : kThree) time_of(m, backend) *= 1.15;
  }
  nights(4);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
  move_to("second");
  nights(1);
  move_to("first");
  nights(2);
  const auto confirmed = alerts(AlertStage::kConfirmed);
  ASSERT_THAT(confirmed, SizeIs(1)) << story();
  EXPECT_EQ(confirmed[0].group.scope, AlertScope::kMachine);
  EXPECT_EQ(confirmed[0].group.onset, 30U);
}

TEST_F(OnTwoMachines, AnAlertFromBeforeAMachineCameRecovers) {
  make(kModels, kThree);
  facts_.machine = "first";
  nights(30);
  time_of(3, "inductor") *= 1.3;
  nights(8);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), ElementsAre(of_model("m3"))) << story();
  for (int turn = 0; turn < 4; ++turn) {
    move_on();
    nights(2);
  }
  time_of(3, "inductor") /= 1.3;
  nights(5);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
  EXPECT_THAT(alerts(AlertStage::kRecovered), ElementsAre(of_model("m3"))) << story();
}

TEST_F(OnTwoMachines, ANewEnvironmentForgetsWhatTheyDid) {
  make(kModels, kThree);
  facts_.machine = "first";
  take_turns(6, 2);
  nights(1, {.is_new_environment = true});
  take_turns(8, 1, 3);
  expect_quiet();
}

TEST_F(OnTwoMachines, AWatchGoesOnWithWhatItKnowsOfThem) {
  make(kModels, kThree);
  facts_.machine = "first";
  take_turns(10, 2);
  const std::string state = watch_->state();
  nights(3);
  const auto other = go_on(20, state, *catalog_);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->state(), watch_->state());
}

TEST_F(Watching, OneModelIsNoSuspectForADisturbedNight) {
  make(8, kThree);
  nights(30);
  const auto scatter_all = [&](double by) {
    for (int m = 0; m < 8; ++m) {
      for (const std::string& backend : kThree) {
        // Most series, each by another amount, and one model by most of all.
        time_of(m, backend) *= std::exp(by * (m == 3 ? 0.5 : 0.1 * ((m * 5 + 2) % 7)));
      }
    }
  };
  scatter_all(1);
  nights(1);
  EXPECT_TRUE(watch_->qualities().nights().back().is_disturbed);
  EXPECT_GT(watch_->qualities().nights().back().off, 12U);
  for (const WatchedAlert& alert : alerts(AlertStage::kSuspect)) {
    EXPECT_NE(alert.group.scope, AlertScope::kModel) << story();
  }
  scatter_all(-1);
  nights(3);
  EXPECT_FALSE(watch_->qualities().nights().back().is_disturbed);
  EXPECT_EQ(watch_->qualities().nights().size(), 34U);
  EXPECT_LT(watch_->qualities().nights().back().off, 3U);
}

TEST_F(Watching, WhatOneModelOfAFewDoesIsNoDisturbedNight) {
  make(4, kThree);
  nights(30);
  for (const std::string& backend : kThree) time_of(1, backend) *= 1.35;
  nights(1);
  const NightQuality& quality = watch_->qualities().nights().back();
  EXPECT_GE(quality.off * 4, quality.judged);
  EXPECT_FALSE(quality.is_disturbed);
}

// Only a night on which the machine is as usual tells whether a model is slower by itself.
TEST_F(Watching, OneModelIsNotConfirmedByDisturbedNightsAlone) {
  make(8, kThree);
  nights(30);
  const auto scatter_all = [&](int night, double by) {
    for (int m = 0; m < 8; ++m) {
      for (const std::string& backend : kThree) {
        const std::size_t draw = 7 * m + 3 * backend.size() + 5 * night + m * night;
        time_of(m, backend) *= std::exp(by * (0.2 + 0.1 * static_cast<double>(draw % 5)));
      }
    }
  };
  const auto is_confirmed = [&] {
    return std::ranges::any_of(watch_->alerts(), [](const WatchedAlert& alert) {
      return alert.group.scope == AlertScope::kModel && alert.confirmed.has_value();
    });
  };
  for (const std::string& backend : kThree) time_of(3, backend) *= 1.6;
  for (int night = 0; night < 6; ++night) {
    scatter_all(night, 1);
    nights(1);
    scatter_all(night, -1);
    EXPECT_TRUE(watch_->qualities().nights().back().is_disturbed) << night;
    EXPECT_FALSE(is_confirmed()) << story();
  }
  nights(3);
  EXPECT_TRUE(is_confirmed()) << story();
}

// What is exact says where to look: a time of the same experiment need not stand out among all.
TEST_F(Watching, ATimeThatMovedWithACountIsSureSooner) {
  make(40, kThree);
  for (const int model : {2, 4, 5}) result_of(model, "inductor").counts[0] = 0;
  nights(30);
  for (const int model : {2, 4, 5}) time_of(model, "inductor") *= 1.028;
  result_of(2, "inductor").counts[0] = 2;
  nights(12);
  std::set<schema::ExperimentId> found, confirmed;
  for (const WatchedMember& member : watch_->members()) {
    if (member.metric != WatchedMetric::kSteady || member.onset < 27 || member.withdrawn) continue;
    found.insert(member.experiment);
    if (member.confirmed) confirmed.insert(member.experiment);
  }
  for (const int model : {2, 4, 5}) {
    const auto experiment = result_of(model, "inductor").experiment;
    EXPECT_TRUE(found.contains(experiment)) << model;
    EXPECT_EQ(confirmed.contains(experiment), model == 2) << model;
  }
}

TEST_F(Watching, CountsAndVerdictsAreConfirmedAtOnce) {
  make(4, kThree);
  result_of(1, "inductor").code = "PASS";
  result_of(2, "inductor").counts[0] = 0;
  nights(3);
  result_of(1, "inductor").code = "FAIL";
  result_of(2, "inductor").counts[0] = 2;
  result_of(3, "inductor").status = Status::kFailed;
  nights(1);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), SizeIs(3));
  for (const WatchedAlert& alert : watch_->alerts()) {
    EXPECT_EQ(alert.first_seen, 3u);
    EXPECT_EQ(alert.confirmed, 3u);
  }
  result_of(1, "inductor").code = "PASS";
  result_of(2, "inductor").counts[0] = 0;
  result_of(3, "inductor").status = Status::kNotTimed;
  nights(1);
  EXPECT_THAT(alerts(AlertStage::kRecovered), SizeIs(2)) << "nobody tried to time the third";
  result_of(3, "inductor").status = Status::kTimed;
  nights(1);
  EXPECT_THAT(alerts(AlertStage::kRecovered), SizeIs(3));
}

TEST_F(Watching, AVerdictThatKeepsFlippingIsNotSure) {
  make(1, {"inductor"});
  for (int i = 0; i < 10; ++i) {
    result_of(0, "inductor").code = i % 2 == 0 ? "PASS" : "FAIL";
    nights(1);
  }
  ASSERT_FALSE(watch_->members().empty());
  EXPECT_FALSE(watch_->members().back().confirmed);
  EXPECT_EQ(watch_->members().back().flips, 9u);
  EXPECT_EQ(watch_->members().back().of, 10u);
}

TEST_F(Watching, RulesOfASeriesHold) {
  FleetRules rules;
  rules.series = [](const CatalogEntry& entry, WatchedMetric metric) {
    SeriesRules one;
    if (entry.experiment().model == "m0") one.is_watched = false;
    if (entry.experiment().model == "m1") one.tell_worse = false;
    if (entry.experiment().model == "m2") one.tell_better = false;
    if (metric == WatchedMetric::kSpeedup) one.is_watched = false;
    return one;
  };
  make(4, {"inductor"}, rules);
  for (int m = 0; m < 4; ++m) {
    result_of(m, "inductor").counts[0] = 3;
    result_of(m, "inductor").code = "PASS";
  }
  nights(30);
  for (const int m : {0, 1, 3}) {
    time_of(m, "inductor") *= 1.4;
    result_of(m, "inductor").counts[0] = 5;
    result_of(m, "inductor").code = "FAIL";
  }
  time_of(2, "inductor") *= 0.6;
  result_of(2, "inductor").counts[0] = 1;
  nights(5);
  const auto confirmed = alerts(AlertStage::kConfirmed);
  ASSERT_THAT(confirmed, SizeIs(1)) << story();
  EXPECT_EQ(confirmed[0].group.model, catalog_->find(result_of(3, "inductor").experiment)->model());
  EXPECT_THAT(confirmed[0].group.members, SizeIs(3));
  EXPECT_EQ(watch_->timed(result_of(0, "inductor").experiment, WatchedMetric::kSteady), nullptr);
}

TEST_F(Watching, SpeedupsSayWhatTheyAreAgainst) {
  make(4, {"eager", "inductor"});
  nights(30);
  time_of(1, "inductor") *= 0.7;
  nights(6);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
  int speedups = 0;
  const WatchedAlert alert = alerts(AlertStage::kConfirmed)[0];
  for (const std::size_t place : alert.group.members) {
    const WatchedMember& member = watch_->members()[place];
    if (member.metric != WatchedMetric::kSpeedup) continue;
    ++speedups;
    EXPECT_EQ(member.baseline, result_of(1, "inductor").experiment);
    EXPECT_EQ(member.worse, 1) << "eager seems slower";
  }
  EXPECT_EQ(speedups, 1);
}

TEST_F(Watching, TheSameNightsGiveTheSameAlerts) {
  const auto told = [] {
    Watching_TheSameNightsGiveTheSameAlerts_Test one;
    one.make(8, kThree, {}, 0.02);
    one.nights(30);
    for (int m = 0; m < 8; ++m) one.time_of(m, "inductor") *= 0.8;
    one.nights(10);
    one.time_of(3, "eager") *= 1.5;
    one.result_of(4, "eager").status = Status::kFailed;
    one.nights(20);
    return one.story();
  };
  EXPECT_EQ(told(), told());
  EXPECT_FALSE(told().empty());
}

// Nobody's step: 0.1 % a night for 150 nights.
TEST_F(Watching, WhatCreepsUpIsAnAlertOfItsOwn) {
  make(6, kThree);
  nights(40);
  for (int i = 0; i < 150; ++i) {
    time_of(2, "eager") *= 1.001;
    nights(1);
  }
  int drifts = 0;
  double moved = 0;
  for (const WatchedAlert& alert : alerts(AlertStage::kConfirmed)) {
    for (const std::size_t place : alert.group.members) {
      const WatchedMember& member = watch_->members()[place];
      if (member.metric == WatchedMetric::kSpeedup) continue;
      EXPECT_EQ(member.experiment, result_of(2, "eager").experiment);
      EXPECT_GT(member.worse, 0);
      drifts += member.metric == WatchedMetric::kDrift ? 1 : 0;
      moved += member.effect;
    }
  }
  EXPECT_GE(drifts, 1) << story();
  EXPECT_NEAR(moved, std::pow(1.001, 150) - 1, 0.06) << "steps and drift together explain it";
}

// Faster for eight nights around the release, which no stretch of the others shows.
TEST_F(Watching, APinnedNightIsWhatLaterOnesAreHeldAgainst) {
  const auto onsets_of = [](bool is_pinned) {
    Watching_APinnedNightIsWhatLaterOnesAreHeldAgainst_Test one;
    FleetRules rules;
    rules.series = [](const CatalogEntry&, WatchedMetric metric) {
      SeriesRules series;
      series.is_watched = metric == WatchedMetric::kSteady || metric == WatchedMetric::kDrift;
      series.changes.significance = 0;  // no steps: all that is left is drift
      return series;
    };
    one.make(1, {"eager"}, rules, 0.005);
    one.nights(26);
    one.time_of(0, "eager") *= 0.8;
    one.nights(4);
    one.nights(1, {.is_pinned = is_pinned});
    one.nights(3);
    one.time_of(0, "eager") /= 0.8;
    one.nights(90);
    std::vector<std::size_t> onsets;
    for (const WatchedMember& member : one.watch_->members()) {
      if (member.metric != WatchedMetric::kDrift) continue;
      onsets.push_back(member.onset);
      EXPECT_NEAR(member.effect, 0.25, 0.02);
    }
    return onsets;
  };
  EXPECT_THAT(onsets_of(true), testing::ElementsAre(37u)) << "the stretch around it ends there";
  EXPECT_THAT(onsets_of(false), IsEmpty());
}

// Each hundred nights without an alarm leave less to spend on the next; it never is nothing.
TEST_F(Watching, AfterYearsOfQuietAStepIsStillConfirmed) {
  make(20, {"eager"});
  nights(460);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
  time_of(7, "eager") *= 1.1;
  nights(10);
  EXPECT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
}

// Steps, a common cause, counts, verdicts, drift, a new environment and nights that do not count.
TEST_F(Watching, GoesOnFromEveryNightAsIfItHadWatchedThemAll) {
  make(6, kThree, {}, 0.02);
  std::vector<std::string> states = {watch_->state()};
  const auto some = [&](int count, RunAnnotations said = {}) {
    for (int i = 0; i < count; ++i) {
      nights(1, said);
      states.push_back(watch_->state());
    }
  };
  for (int m = 0; m < 6; ++m) {
    result_of(m, "inductor").counts[0] = 1;
    result_of(m, "inductor").code = "PASS";
  }
  some(30);
  time_of(3, "eager") *= 1.3;
  result_of(1, "inductor").counts[0] = 4;
  result_of(2, "inductor").code = "FAIL";
  some(12);
  some(1, {.is_excluded = true});
  for (int m = 0; m < 6; ++m) time_of(m, "openxla+dynamo") *= 1.2;
  some(8);
  some(1, {.is_pinned = true});
  some(1, {.is_new_environment = true});
  result_of(1, "inductor").counts[0] = 1;
  result_of(2, "inductor").code = "PASS";
  result_of(4, "eager").status = Status::kFailed;
  for (int i = 0; i < 90; ++i) {
    time_of(5, "eager") *= 1.002;
    some(1);
  }
  time_of(3, "eager") /= 1.3;
  some(10);
  ASSERT_GE(watch_->alerts().size(), 6u) << story();
  for (std::size_t n = 0; n < states.size(); n += n < 20 ? 1 : 7) {
    const auto other = go_on(n, states[n], *catalog_);
    ASSERT_NE(other, nullptr) << n;
    EXPECT_EQ(other->state(), watch_->state()) << n;
  }
}

// A search looks back by 100 nights, and 100 nights later there is another.
TEST_F(Watching, GoesOnAfterMoreNightsThanASearchLooksBack) {
  make(2, {"eager", "inductor"}, {}, 0.02);
  std::vector<std::string> states = {watch_->state()};
  const auto some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      nights(1);
      states.push_back(watch_->state());
    }
  };
  some(250);
  time_of(1, "eager") *= 1.3;
  some(240);
  time_of(1, "eager") /= 1.3;
  time_of(0, "inductor") *= 1.2;
  some(30);
  ASSERT_THAT(alerts(AlertStage::kRecovered), Contains(of_model("m1"))) << story();
  ASSERT_THAT(alerts(AlertStage::kConfirmed), Contains(of_model("m0"))) << story();
  const TimingChangeDetector* series =
      watch_->timed(schema::ExperimentId{1}, WatchedMetric::kSteady);
  EXPECT_EQ(series->count(), 520u);
  EXPECT_THAT(series->current().first, SizeIs(TimingChangeDetector::kKept));
  for (const std::size_t n : {199, 200, 201, 255, 256, 257, 311, 312, 313, 400, 499}) {
    const auto other = go_on(n, states[n], *catalog_);
    ASSERT_NE(other, nullptr) << n;
    EXPECT_EQ(other->state(), watch_->state()) << n;
  }
}

// A series that is retired, or missing on the last night, keeps fewer nights than the fleet has.
TEST_F(Watching, GoesOnWhereSeriesAreMissing) {
  make(3, {"eager", "inductor"}, {}, 0.02);
  nights(250);
  is_missing_ = {2, "inductor"};
  nights(10);
  nights(1, {.is_excluded = true});
  const std::string state = watch_->state();
  const std::size_t count = added_.size();
  nights(2);
  const auto other = go_on(count, state, *catalog_);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->state(), watch_->state());
}

// A machine that is busy again within three nights is one event, of two spells.
TEST_F(Watching, GoesOnAfterAMachineWasBusyTwice) {
  make(8, kThree);
  nights(20);
  std::vector<std::string> states(added_.size());
  // Each busy night other series are slower.
  const auto slow_down = [&](int night, bool is_begun) {
    for (int m = 0; m < 8; ++m) {
      for (const auto& backend : kThree) {
        const std::size_t draw = 7 * m + 3 * backend.size() + 5 * night + m * night;
        if (draw % 3 != 0) time_of(m, backend) *= is_begun ? 1.4 : 1 / 1.4;
      }
    }
  };
  for (const bool is_busy : {true, true, false, true, true}) {
    const int night = static_cast<int>(states.size());
    if (is_busy) slow_down(night, true);
    nights(1);
    if (is_busy) slow_down(night, false);
    states.push_back(watch_->state());
  }
  for (int n = 0; n < 20; ++n) {
    nights(1);
    states.push_back(watch_->state());
  }
  EXPECT_THAT(alerts(AlertStage::kConfirmed), IsEmpty()) << story();
  EXPECT_TRUE(std::ranges::any_of(watch_->alerts(), [](const WatchedAlert& alert) {
    return alert.group.scope == AlertScope::kMachine && alert.confirmed.has_value();
  })) << story();
  for (std::size_t n = 20; n < states.size(); ++n) {
    const auto other = go_on(n + 1, states[n], *catalog_);
    ASSERT_NE(other, nullptr) << n;
    EXPECT_EQ(other->state(), watch_->state()) << n;
  }
}

TEST_F(Watching, GoesOnWhereTheCatalogHasGrown) {
  make(4, kThree);
  nights(30);
  time_of(3, "eager") *= 1.3;
  nights(3);
  const std::string state = watch_->state();
  const std::size_t count = added_.size();
  fleet_.add("a first one", "eager");  // all others have another number in this catalog
  const Catalog grown = fleet_.catalog();
  nights(4);
  const auto other = go_on(count, state, grown);
  ASSERT_NE(other, nullptr);
  ASSERT_EQ(other->alerts().size(), watch_->alerts().size());
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1));
  for (std::size_t i = 0; i < other->alerts().size(); ++i) {
    const AlertGroup& ours = other->alerts()[i].group;
    const AlertGroup& theirs = watch_->alerts()[i].group;
    EXPECT_EQ(ours.members, theirs.members);
    if (ours.scope != AlertScope::kModel) continue;
    EXPECT_EQ(ours.model, theirs.model + 1);
    EXPECT_EQ(other->alerts()[i].at_first.model, watch_->alerts()[i].at_first.model + 1);
  }
}

TEST_F(Watching, WhatIsNoStateOfTheseNightsIsRefused) {
  make(4, kThree);
  nights(25);
  const std::string before = watch_->state();
  time_of(3, "eager") *= 1.3;
  result_of(1, "inductor").code = "FAIL";
  nights(4);
  const std::string state = watch_->state();
  const std::size_t count = added_.size();
  EXPECT_NE(go_on(count, state, *catalog_), nullptr);
  EXPECT_EQ(go_on(count, before, *catalog_), nullptr) << "of fewer nights";
  EXPECT_EQ(go_on(count - 1, state, *catalog_), nullptr);
  EXPECT_EQ(go_on(count, "", *catalog_), nullptr);
  EXPECT_EQ(go_on(count, state + "x", *catalog_), nullptr);
  for (std::size_t size = 0; size < state.size(); size += 1 + size / 50) {
    EXPECT_EQ(go_on(count, state.substr(0, size), *catalog_), nullptr) << size;
  }
  const std::string huge(state.size(), '\xff');
  EXPECT_EQ(go_on(count, huge, *catalog_), nullptr);
  EXPECT_EQ(go_on(count, state.substr(0, 100) + huge, *catalog_), nullptr) << "counts beyond all";
}

TEST_F(Watching, UnknownExperimentsAndEmptyNights) {
  make(2, {"eager"});
  RunObservations night;
  night.results.emplace_back().experiment = schema::ExperimentId{999};
  watch_->add(night);
  watch_->add({});
  nights(3);
  EXPECT_THAT(watch_->nights(), SizeIs(5));
  EXPECT_THAT(watch_->alerts(), IsEmpty());
  EXPECT_EQ(watch_->timed(schema::ExperimentId{999}, WatchedMetric::kSteady), nullptr);
}

TEST_F(Watching, AHistorySaysWhatJoinedAndWhenItWasOver) {
  make(20, kThree, {}, 0.03);
  nights(30);
  time_of(3, "eager") *= 1.3;
  time_of(3, "openxla+dynamo") *= 1.12;
  nights(15);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
  time_of(3, "eager") /= 1.3;
  time_of(3, "openxla+dynamo") /= 1.12;
  nights(25);
  ASSERT_THAT(alerts(AlertStage::kRecovered), SizeIs(1)) << story();
  const std::string history = history_of(alerts(AlertStage::kRecovered)[0]);
  EXPECT_THAT(history, testing::StartsWith("  32 confirmed 1\n"));
  EXPECT_THAT(history, testing::ContainsRegex(" joined [1-9].*\\[m3 openxla\\+dynamo steady\\]"));
  EXPECT_THAT(history, testing::ContainsRegex(" recovered\n$"));
  EXPECT_THAT(history, testing::Not(testing::HasSubstr("left")));
}

// What seems to have begun in one night turns out to be two steps, once the second's onset is known
// better.
TEST_F(Watching, WhatTurnsOutToBeTwoCausesIsSplit) {
  make(20, kThree, {}, 0.02);
  nights(30);
  time_of(3, "eager") *= 1.3;
  nights(4);
  time_of(3, "inductor") *= 1.06;
  nights(10);
  const auto is_of_m3 = of_model("m3");
  EXPECT_EQ(std::ranges::count_if(watch_->alerts(),
                                  [&](const WatchedAlert& alert) {
                                    return alert.confirmed && testing::Value(alert, is_of_m3);
                                  }),
            1)
      << story();
  nights(10);
  const auto all = watch_->alerts();
  const auto older = std::ranges::find(all, 30u, &WatchedAlert::first_seen);
  const auto is_split = [](const WatchedAlert& alert) {
    return !alert.history.empty() && alert.history[0].kind == AlertEventKind::kSplit;
  };
  const auto newer = std::ranges::find_if(all, is_split);
  ASSERT_TRUE(older != all.end() && newer != all.end()) << story();
  const std::string places[] = {std::to_string(older - all.begin()),
                                std::to_string(newer - all.begin())};
  EXPECT_LT(older, newer);
  EXPECT_EQ(older->group.onset, 30u) << "it stays where it was";
  EXPECT_EQ(older->at_first.onset, 30u);
  EXPECT_EQ(newer->group.onset, 34u);
  EXPECT_EQ(history_of(*older),
            "  32 confirmed 2\n  46 moved 1 [m3 inductor steady] #" + places[1] + "\n");
  EXPECT_EQ(history_of(*newer),
            "  46 split 1 [m3 inductor steady] #" + places[0] + "\n  51 confirmed 1\n");
}

TEST_F(Watching, AMachinesAlertNamesAFewOfWhatItTookIn) {
  make(12, kThree);
  nights(30);
  for (int m = 0; m < 12; ++m) {
    for (const auto& backend : kThree) time_of(m, backend) *= 1.1;
  }
  nights(12);
  ASSERT_THAT(alerts(AlertStage::kConfirmed), SizeIs(1)) << story();
  const WatchedAlert machine = alerts(AlertStage::kConfirmed)[0];
  EXPECT_LE(machine.history.size(), 2u) << "as its 36 series are known better each night, no event";
  EXPECT_EQ(machine.history[0].kind, AlertEventKind::kConfirmed);
  EXPECT_EQ(machine.history[0].count, 36u);
  EXPECT_THAT(machine.history[0].members, IsEmpty());
  for (const AlertEvent& event : machine.history) {
    EXPECT_LE(event.alerts.size(), kNamedInEvent);
    EXPECT_LE(event.members.size(), kNamedInEvent);
  }
}

}  // namespace
}  // namespace benchhud::analysis
