// What excluding nights would make of the alerts: what it then does make of them.
#include "service/alerts/exclusion_preview.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/night_mark.h"
#include "schema/results/reader.h"
#include "service/alerts/alert_update.h"
#include "tests/unit/service/alerts/alert_fixture.h"

namespace benchhud::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class ExclusionPreviews : public AlertFixture {
 protected:
  /// bert is slower from night 20 to 25, and gpt from night 22 on.
  void fill() {
    for (int n = 0; n < 32; ++n) {
      night(n, {{"bert", n >= 20 && n < 26 ? 1.4 : 1.0}, {"gpt", n >= 22 ? 2.8 : 2.0}});
    }
    update();
  }
  ExclusionPreview preview(int first, int last) {
    schema::Reader reader(*connection_);
    auto found = preview_exclusion(reader, run_at(first), run_at(last), [] { return false; });
    EXPECT_TRUE(found) << found.error().message;
    return found ? *std::move(found) : ExclusionPreview();
  }
  static std::string words(const schema::Alert& alert) {
    return std::string(detected_state_name(alert.detected)) + ": " + alert.title;
  }
  /// What the store tells of.
  std::set<std::string> told() {
    std::set<std::string> all;
    const auto alerts = schema::alerts(*connection_);
    for (const schema::Alert& alert : *alerts) {
      if (alert.detected != schema::DetectedState::kWithdrawn) all.insert(words(alert));
    }
    return all;
  }
  static std::set<std::string> then(const ExclusionPreview& preview) {
    std::set<std::string> all;
    for (const auto& outcome : preview.outcomes) {
      if (outcome.then) all.insert(words(*outcome.then));
    }
    return all;
  }
  void exclude(int first, int last) {
    schema::Reader reader(*connection_);
    const auto runs = nights_between(reader, run_at(first), run_at(last));
    ASSERT_TRUE(runs) << runs.error().message;
    ASSERT_TRUE(schema::mark_nights(
        *connection_, *runs, {schema::NightMarkKind::kExcluded, "the disk was full", "ada", {}}));
    update();
  }
};

TEST_F(ExclusionPreviews, TellsWhatExcludingThenDoes) {
  fill();
  ASSERT_THAT(told(), SizeIs(2));
  const std::set<std::string> before = told();
  const auto preview_of_bert = preview(20, 25);
  EXPECT_EQ(told(), before) << "a preview changes nothing";
  // bert's is gone with its nights; gpt's remains, and begins later.
  ASSERT_THAT(preview_of_bert.outcomes, SizeIs(2));
  const auto& remains = preview_of_bert.outcomes[0];
  const auto& goes = preview_of_bert.outcomes[1];
  ASSERT_TRUE(remains.now && remains.then && goes.now);
  EXPECT_EQ(*remains.now->model, "gpt");
  EXPECT_EQ(*goes.now->model, "bert");
  EXPECT_FALSE(goes.then);
  exclude(20, 25);
  EXPECT_EQ(told(), then(preview_of_bert));
  // It is still the same alert, though four nights lie between its old onset and the new one.
  const auto kept = schema::alert(*connection_, remains.now->id);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->title, remains.then->title);
  EXPECT_EQ(kept->onset, kFirst + 26 * kDay);
}

TEST_F(ExclusionPreviews, OfNightsThatAreExcludedAlreadyNothingWouldChange) {
  fill();
  exclude(20, 25);
  schema::Reader reader(*connection_);
  const auto runs = nights_between(reader, run_at(20), run_at(25));
  ASSERT_TRUE(runs);
  const auto again = preview(20, 25);
  for (const auto& night : again.nights) EXPECT_TRUE(night.is_excluded);
  ASSERT_THAT(again.outcomes, SizeIs(1));
  EXPECT_TRUE(again.outcomes[0].is_same());
  ASSERT_TRUE(schema::unmark_nights(*connection_, *runs, schema::NightMarkKind::kExcluded));
  update();
  EXPECT_THAT(told(), SizeIs(2));
}

TEST_F(ExclusionPreviews, WhatIsRecoveredAndRemainsSoIsNotTold) {
  fill();
  const auto told_now = told();
  ASSERT_TRUE(std::ranges::any_of(
      told_now, [](const std::string& words) { return words.starts_with("recovered"); }));
  const auto of_a_quiet_night = preview(5, 5);
  ASSERT_THAT(of_a_quiet_night.nights, SizeIs(1));
  EXPECT_FALSE(of_a_quiet_night.nights[0].is_excluded);
  ASSERT_THAT(of_a_quiet_night.outcomes, Not(IsEmpty()));
  for (const auto& outcome : of_a_quiet_night.outcomes) {
    EXPECT_FALSE(outcome.is_same() && outcome.now->detected == schema::DetectedState::kRecovered);
  }
}

TEST_F(ExclusionPreviews, TellsOfWhatIsNewWithoutTheNights) {
  // On two nights gpt is as slow as it will be later: between them and the change nothing is told.
  for (int n = 0; n < 30; ++n) night(n, {{"bert", 1.0}, {"gpt", n >= 24 || n == 20 ? 2.6 : 2.0}});
  night(30, {{"bert", 1.0}, {"gpt", 2.0}});
  night(31, {{"bert", 1.0}, {"gpt", 2.0}});
  night(32, {{"bert", 1.0}, {"gpt", 2.0}});
  update();
  const auto without_the_end = preview(30, 32);
  ASSERT_TRUE(std::ranges::any_of(without_the_end.outcomes, [](const auto& outcome) {
    return outcome.then && outcome.then->detected == schema::DetectedState::kConfirmed &&
           (!outcome.now || !outcome.is_same());
  }));
  exclude(30, 32);
  EXPECT_EQ(told(), then(without_the_end));
}

TEST_F(ExclusionPreviews, IsTheSameWhereSeriesAreNotWatchedTogether) {
  fill();
  schema::Reader reader(*connection_);
  const auto found =
      preview_exclusion(reader, run_at(20), run_at(25), [] { return false; }, /*most_together=*/1);
  ASSERT_TRUE(found) << found.error().message;
  exclude(20, 25);
  ASSERT_TRUE(schema::set_alerts_state(*connection_, "other"));
  ASSERT_TRUE(update_alerts(*connection_, /*most_together=*/1));
  EXPECT_EQ(told(), then(*found));
}

TEST_F(ExclusionPreviews, NamesTheNightsInTheirOrder) {
  for (int n = 0; n < 4; ++n) night(n, {{"bert", 1.0}});
  night(1, {{"bert", 1.0}}, "H100");
  schema::Reader reader(*connection_);
  const auto between = nights_between(reader, run_at(1, "A100"), run_at(3));
  ASSERT_TRUE(between);
  std::vector<double> times;
  for (const schema::Run& run : *between) times.push_back((run.started_at - kFirst) / kDay);
  EXPECT_THAT(times, ElementsAre(1, 2, 3));
  EXPECT_EQ(nights_between(reader, run_at(3), run_at(1, "A100")).error().code,
            schema::ErrorCode::kInvalidArgument);
  EXPECT_EQ(nights_between(reader, run_at(0), run_at(1, "H100")).error().code,
            schema::ErrorCode::kInvalidArgument);
}

TEST_F(ExclusionPreviews, GivesUpWhenNobodyWaits) {
  fill();
  schema::Reader reader(*connection_);
  int asked = 0;
  const auto given_up =
      preview_exclusion(reader, run_at(20), run_at(25), [&] { return ++asked > 3; });
  EXPECT_EQ(given_up.error().code, schema::ErrorCode::kBusy);
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace benchhud::service
