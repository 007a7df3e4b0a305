#include "analysis/results/run_comparison.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>

#include "analysis/results/comparison_groups.h"
#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Nights around log(1 s) with a deviation.
PastNights nights(std::size_t count, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  PastNights past;
  for (std::size_t i = 0; i < count; ++i) {
    Night night;
    night.level = deviation * normal(random);
    night.variance = 1e-3;  // as unsure of themselves as the two that are compared
    past.emplace_back(night);
  }
  return past;
}

/// Two runs of some models on inductor with eager as the baseline, and what their past was.
class Comparison : public testing::Test {
 protected:
  struct Side {
    std::vector<ResultView> results;
    JudgedRun run(std::int64_t id) const { return run_of(results, id, 1000.0 * id); }
  };

  schema::ExperimentId add(const std::string& model, double left, double right,
                           double deviation = 0.005, std::size_t past = 20) {
    const auto id = fleet_.add(model, "inductor");
    left_.results.push_back(timed(id, left));
    right_.results.push_back(timed(id, right));
    past_[id] = nights(past, deviation, static_cast<std::uint64_t>(schema::to_int(id)));
    return id;
  }
  void add_baseline(const std::string& model, double left, double right) {
    const auto id = fleet_.add(model, "eager");
    left_.results.push_back(timed(id, left));
    right_.results.push_back(timed(id, right));
  }
  const FindPastNights find_ = [this](const PairedSide& side) -> const PastNights* {
    const auto found = past_.find(side.entry->id());
    return found == past_.end() ? nullptr : &found->second;
  };
  void compare(const std::string& backend = "inductor") {
    catalog_.emplace(fleet_.catalog());
    runs_ = {left_.run(1), right_.run(2)};
    const auto pairs = pair_results({runs_[0], backend}, {runs_[1], backend}, *catalog_);
    const auto baseline = [&](const JudgedRun& run) {
      return baseline_of_run(run, *catalog_, "eager", Estimator::kSteady);
    };
    rows_ = compare_pairs(pairs, runs_[0].run.id, baseline(runs_[0]), runs_[1].run.id,
                          baseline(runs_[1]), *catalog_, find_, {1});
  }
  std::vector<std::string> verdicts() const {
    std::vector<std::string> all;
    for (const auto& row : rows_) {
      all.push_back(std::string(verdict_name(row.verdict)) + " " +
                    std::string(verdict_reason_name(row.reason)));
    }
    return all;
  }

  Fleet fleet_;
  Side left_, right_;
  std::map<schema::ExperimentId, PastNights> past_;
  std::optional<Catalog> catalog_;
  std::vector<JudgedRun> runs_;
  std::vector<ComparisonRow> rows_;
};

TEST_F(Comparison, AVerdictNeedsMoreThanNightsDoByThemselves) {
  add("a quiet, slower", 1, 1.1);
  add("b quiet, faster", 1, 0.9);
  add("c the same", 1, 1.001);
  add("d loud", 1, 1.1, 0.1);
  compare();
  EXPECT_THAT(verdicts(), ElementsAre("worse significant", "better significant",
                                      "unclear not_significant", "unclear not_significant"));
  const TimeChange& change = *rows_[0].change;
  EXPECT_NEAR(change.ratio, 1.1, 1e-12);
  EXPECT_LT(change.interval->low, 1.1);
  EXPECT_GT(change.interval->low, 1);
  EXPECT_EQ(change.nights, 20U);
  EXPECT_TRUE(change.has_noise);
  EXPECT_LE(*change.p, *change.q);
  // The loud one's interval knows that nights differ by a tenth.
  EXPECT_GT(rows_[3].change->interval->high / rows_[3].change->interval->low, 1.3);
}

TEST_F(Comparison, ASureChangeMayBeTooSmallToMatter) {
  add("m", 1, 1.015, 0.0005);
  compare();
  EXPECT_LT(*rows_[0].change->q, kVerdictRate);
  EXPECT_THAT(verdicts(), ElementsAre("unclear small_effect"));
}

TEST_F(Comparison, ManyRowsPayForBeingMany) {
  // Of a thousand rows in which nothing changed hardly one is called so.
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    add("m" + std::to_string(i), 1, std::exp(0.03 * std::sqrt(2.0) * normal(random)), 0.03, 25);
  }
  compare();
  std::size_t called = 0, below = 0;
  for (const auto& row : rows_) {
    called += row.verdict != Verdict::kUnclear;
    below += *row.change->p < 0.05;
  }
  EXPECT_GT(below, 20U) << "by their p-values alone some would have been";
  EXPECT_LE(called, 2U);
}

TEST_F(Comparison, WithFewNightsOnlyWhatLiesFarApart) {
  add("a a lot", 1, 1.5, 0.005, kFewestNoiseNights - 1);
  add("b a little", 1, 1.1, 0.005, kFewestNoiseNights - 1);
  compare();
  EXPECT_THAT(verdicts(), ElementsAre("worse apart", "unclear few_nights"));
  EXPECT_FALSE(rows_[0].change->has_noise);
  EXPECT_FALSE(rows_[0].change->p);
  EXPECT_TRUE(rows_[0].change->interval) << "of the repetitions";
}

TEST_F(Comparison, MissingSidesAndEvents) {
  const auto a = fleet_.add("a", "inductor"), b = fleet_.add("b", "inductor");
  const auto c = fleet_.add("c", "inductor");
  left_.results = {with_code(timed(a, 1), "PASS"), timed(b, 1), failed(c)};
  right_.results = {with_code(timed(a, 1), "FAIL", false, 2), failed(b), timed(c, 1)};
  compare();
  EXPECT_THAT(verdicts(),
              ElementsAre("unclear few_nights", "missing_right missing", "missing_left missing"));
  EXPECT_EQ(rows_[0].verification, Transition::kNewlyFailing)
      << "an event, however little the time changed";
  EXPECT_EQ(rows_[1].verification, Transition::kUnchanged);
}

TEST_F(Comparison, OneRunAgainstItselfSaysNothing) {
  add("m", 1, 1);
  catalog_.emplace(fleet_.catalog());
  const auto run = left_.run(1);
  const auto pairs = pair_results({run, ""}, {run, ""}, *catalog_);
  const auto baseline = baseline_of_run(run, *catalog_, "eager", Estimator::kSteady);
  rows_ = compare_pairs(pairs, run.run.id, baseline, run.run.id, baseline, *catalog_, find_, {0});
  EXPECT_THAT(verdicts(), ElementsAre("unclear same_result"));
  EXPECT_EQ(rows_[0].change->ratio, 1);
  EXPECT_FALSE(rows_[0].change->p);
  const auto groups = comparison_groups(rows_, find_, {0});
  EXPECT_EQ(groups[0].time.reason, VerdictReason::kSameResult);
}

TEST_F(Comparison, ASpeedupsChangeIsOursOrTheBaselines) {
  add("a ours", 1, 1.2);
  add_baseline("a ours", 2, 2);
  add("b theirs", 1, 1);
  add_baseline("b theirs", 2, 1.6);
  add("c both", 1, 1.2);
  add_baseline("c both", 2, 2.4);
  compare();
  ASSERT_TRUE(rows_[0].speedup);
  EXPECT_NEAR(rows_[0].speedup->ratio, 1 / 1.2, 1e-9);
  EXPECT_EQ(rows_[0].speedup->due, SpeedupChange::Due::kOwn);
  EXPECT_NEAR(rows_[1].speedup->ratio, 0.8, 1e-9);
  EXPECT_NEAR(rows_[1].speedup->own, 0, 1e-9);
  EXPECT_EQ(rows_[1].speedup->due, SpeedupChange::Due::kBaseline);
  // The two cancel out: the speedup stays, and still both moved.
  EXPECT_NEAR(rows_[2].speedup->ratio, 1, 1e-9);
  EXPECT_EQ(rows_[2].speedup->due, SpeedupChange::Due::kBoth);
  for (const auto& row : rows_) {
    EXPECT_NEAR(row.speedup->own + row.speedup->baseline, std::log(row.speedup->ratio), 1e-9);
  }
}

TEST(DueTo, ThePartThatIsTwiceTheOther) {
  using enum SpeedupChange::Due;
  EXPECT_EQ(due_to(0.01, -0.015), kNothing);
  EXPECT_EQ(due_to(-0.1, 0.05), kOwn);
  EXPECT_EQ(due_to(-0.1, 0.06), kBoth);
  EXPECT_EQ(due_to(0.01, 0.03), kBaseline);
}

TEST(Noise, FalseAlarmsAreAsRareAsPromised) {
  // Normal nights, alike or not; each night a difference of two neighbours is tested.
  for (const double correlation : {0.0, 0.5}) {
    for (const std::size_t count : {std::size_t{6}, std::size_t{12}, std::size_t{30}}) {
      std::mt19937_64 random(count);
      std::normal_distribution<double> normal;
      constexpr int kSeries = 4000;
      int at_05 = 0, at_001 = 0;
      for (int series = 0; series < kSeries; ++series) {
        PastNights past;
        double level = normal(random), before = 0;
        for (std::size_t i = 0; i <= count; ++i) {
          if (i < count) {
            Night night;
            night.level = 0.01 * level;
            past.emplace_back(night);
            before = level;
          } else {
            const auto noise = known_noise(past);
            ASSERT_TRUE(noise);
            const double deviation = difference_deviation(*noise, *noise, 0, 0, 1);
            const double p =
                change_p_value(0.01 * (level - before), deviation, noise_degrees(noise->count));
            at_05 += p < 0.05;
            at_001 += p < 0.001;
          }
          level = correlation * level + std::sqrt(1 - correlation * correlation) * normal(random);
        }
      }
      EXPECT_LE(at_05, 0.055 * kSeries) << count << " nights alike by " << correlation;
      EXPECT_GE(at_05, 0.02 * kSeries) << "and not blind";
      EXPECT_LE(at_001, 0.0025 * kSeries) << count << " nights alike by " << correlation;
    }
  }
}

TEST(Noise, ANightThatIsLessSureThanUsualAddsToIt) {
  const KnownNoise noise{{0.01, 0}, 0.00001, 20};
  const double usual = difference_deviation(noise, noise, 0.00001, 0.00001, 0);
  EXPECT_NEAR(usual, 0.01 * std::sqrt(2.0), 1e-12);
  EXPECT_GT(difference_deviation(noise, noise, 0.00001, 0.0001, 0), usual);
  // Nights near each other are more alike than the series as a whole.
  const KnownNoise alike{{0.01, 0.5}, 0, 20};
  EXPECT_LT(difference_deviation(alike, alike, 0, 0, 1),
            difference_deviation(alike, alike, 0, 0, 9));
}

TEST(Noise, FewNightsAreNone) {
  PastNights past = nights(kFewestNoiseNights - 1, 0.01, 1);
  EXPECT_FALSE(known_noise(past));
  past.emplace_back();
  EXPECT_FALSE(known_noise(past)) << "one in which it was not timed does not count";
  past.emplace_back(Night{});
  EXPECT_TRUE(known_noise(past));
}

TEST_F(Comparison, GroupsAddUp) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 30; ++i) {
    add("m" + std::to_string(i), 1, 1.05 * std::exp(0.005 * normal(random)));
  }
  const auto failing = fleet_.add("n", "inductor");
  left_.results.push_back(with_code(timed(failing, 1), "PASS"));
  right_.results.push_back(with_code(failed(failing), "FAIL", false, 2));
  const auto gone = fleet_.add("o", "inductor");
  left_.results.push_back(timed(gone, 1));
  compare();
  const auto groups = comparison_groups(rows_, find_, {1});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_TRUE(groups[0].is_total);
  const auto& group = groups[1];
  EXPECT_EQ(group.suite, "suite");
  EXPECT_EQ(group.right_backend, "inductor");
  EXPECT_EQ(group.left.total, 32U);
  EXPECT_EQ(group.right.total, 31U);
  EXPECT_EQ(group.left.passing, 1U);
  EXPECT_EQ(group.right.failing, 1U);
  EXPECT_THAT(group.newly_failing, ElementsAre(30));
  EXPECT_THAT(group.stopped, ElementsAre(30));
  EXPECT_THAT(group.gone, ElementsAre(31));
  EXPECT_THAT(group.appeared, IsEmpty());
  EXPECT_EQ(group.time.mean.n, 30U);
  EXPECT_NEAR(*group.time.mean.ratio, 1.05, 0.005);
  EXPECT_LT(group.time.mean.interval->low, *group.time.mean.ratio);
  EXPECT_EQ(group.time.verdict, Verdict::kWorse);
  EXPECT_EQ(group.time.nights, 20U);
}

TEST_F(Comparison, AMeanKnowsThatAllModelsShareTheirNights) {
  // Every model's nights go up and down together by 3 %: that all are 3 % slower says little.
  PastNights shared = nights(20, 0.03, 5);
  for (int i = 0; i < 30; ++i) past_[add("m" + std::to_string(i), 1, 1.03)] = shared;
  compare();
  const auto together = comparison_groups(rows_, find_, {1});
  EXPECT_EQ(together[0].time.verdict, Verdict::kUnclear);
  EXPECT_EQ(together[0].time.reason, VerdictReason::kNotSignificant);
}

TEST_F(Comparison, MeansAreOverModelsThatAreOnBothSides) {
  add("a", 1, 1.1);
  add_baseline("a", 2, 2);
  const auto slow = fleet_.add("b", "inductor");
  add_baseline("b", 1, 1);
  right_.results.push_back(timed(slow, 100));
  compare();
  const auto groups = comparison_groups(rows_, find_, {1});
  EXPECT_EQ(groups[0].speedup.n, 1U);
  EXPECT_NEAR(*groups[0].speedup.ratio, 1 / 1.1, 1e-9);
  EXPECT_EQ(groups[0].left_speedup.n, 1U);
  EXPECT_EQ(groups[0].right_speedup.n, 2U);
  EXPECT_LT(*groups[0].right_speedup.value, 0.2) << "the mean over all jumps with what came";
  EXPECT_EQ(groups[0].compile.n, 1U);
  EXPECT_THAT(groups[0].appeared, ElementsAre(1));
}

TEST_F(Comparison, OtherMetricsAreComparedWhereBothHaveThem) {
  const auto a = add("a", 1, 1), b = add("b", 1, 1);
  add("c", 1, 1);
  compare();
  SideMetric memory{"peak_mem", {{a, 2.0}, {b, 4.0}}, {{a, 4.0}}};
  const auto groups = comparison_groups(rows_, find_, {1}, std::span(&memory, 1));
  ASSERT_EQ(groups[0].metrics.size(), 1U);
  EXPECT_EQ(groups[0].metrics[0].n, 1U);
  EXPECT_NEAR(*groups[0].metrics[0].ratio, 2, 1e-12);
}

TEST(Night, IsALogarithmWithAVariance) {
  const Night night = night_of_time(2.0, 1.8, 2.2);
  EXPECT_DOUBLE_EQ(night.level, std::log(2.0));
  EXPECT_NEAR(std::sqrt(night.variance), std::log(2.2 / 1.8) / 2 / 1.959964, 1e-9);
  EXPECT_EQ(night_of_time(2.0, NAN, NAN).variance, 0);
}

}  // namespace
}  // namespace benchhud::analysis
