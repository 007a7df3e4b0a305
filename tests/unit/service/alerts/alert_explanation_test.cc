// What is said of why an alert is what it is.
#include "service/alerts/alert_explanation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/unit/service/alerts/alert_fixture.h"

namespace benchhud::service {
namespace {

using schema::DetectedState;
using testing::HasSubstr;
using testing::Not;

class AlertExplanations : public AlertFixture {
 protected:
  /// Of the only alert that is in this state.
  std::string explanation_of(DetectedState state) {
    std::string text = "none";
    for (const schema::Alert& alert : alerts()) {
      if (alert.detected != state) continue;
      EXPECT_EQ(text, "none") << alert.title;
      text = alert.explanation;
    }
    return text;
  }
  void ingest_and_update(int first, int last, const std::map<std::string, double>& models) {
    nights(first, last, models);
    update();
  }
  static std::size_t sentences(const std::string& text) {
    std::size_t count = text.ends_with('.') ? 1 : 0;
    for (std::size_t at = text.find(". "); at != text.npos; at = text.find(". ", at + 1)) ++count;
    return count;
  }
  static std::map<std::string, double> fleet(double factor) {
    std::map<std::string, double> models;
    for (int m = 0; m < 8; ++m) models["model" + std::to_string(m)] = (1 + m) * factor;
    return models;
  }
};

TEST_F(AlertExplanations, AModelIsSetAgainstTheOthers) {
  auto models = fleet(1);
  ingest_and_update(0, 19, models);
  models["model3"] *= 1.3;
  ingest_and_update(20, 20, models);
  const std::string suspect = explanation_of(DetectedState::kSuspect);
  EXPECT_THAT(suspect, HasSubstr("1 steady time of this model became slower, on"));
  EXPECT_THAT(suspect, HasSubstr("no other model there did within 3 nights"));
  EXPECT_THAT(suspect, HasSubstr("neither the machine nor a backend as a whole did"));
  EXPECT_THAT(suspect, HasSubstr("it has 1 of the 3 nights at a new level that a change needs. 2 "
                                 "more there, tested among all series, may confirm it"));
  EXPECT_EQ(sentences(suspect), 3u) << suspect;
  ingest_and_update(21, 23, models);
  const std::string confirmed = explanation_of(DetectedState::kConfirmed);
  EXPECT_THAT(confirmed, HasSubstr("Confirmed on 2025-11-23, its third night: "));
  EXPECT_THAT(confirmed, HasSubstr("It is recovered when all 2 changes have gone back: 2 nights at "
                                   "the level before are enough."));
  EXPECT_EQ(sentences(confirmed), 3u) << confirmed;
  models["model3"] /= 1.3;
  ingest_and_update(24, 26, models);
  const std::string recovered = explanation_of(DetectedState::kRecovered);
  EXPECT_THAT(recovered,
              HasSubstr("Recovered on 2025-11-26: all of its 2 changes have gone back. It may open "
                        "again within 10 nights of that"));
  ingest_and_update(27, 40, models);
  EXPECT_THAT(explanation_of(DetectedState::kRecovered), Not(HasSubstr("may open")));
}

TEST_F(AlertExplanations, AMachineSaysHowManySeriesMoved) {
  ingest_and_update(0, 19, fleet(1));
  ingest_and_update(20, 22, fleet(1.2));
  const std::string text = explanation_of(DetectedState::kConfirmed);
  EXPECT_THAT(text, HasSubstr("Of 8 steady times, 8 became slower ("));
  EXPECT_THAT(text, HasSubstr(" 8 of 8), in 8 models: "));
  EXPECT_THAT(text, HasSubstr(" % slower in the median"));
  EXPECT_THAT(text, HasSubstr("no single model accounts for it"));
  EXPECT_THAT(text, HasSubstr("chance alone brings as much evidence once in 100 nights. It is "
                              "recovered when the nights are 20 times likelier without it"));
  // The title's number.
  const auto all = confirmed();
  ASSERT_EQ(all.size(), 1u);
  const auto number = all[0].title.substr(all[0].title.find("models ") + 7);
  EXPECT_THAT(text, HasSubstr(number.substr(0, number.find(" ("))));
}

TEST_F(AlertExplanations, FailuresSayHowManyOfThoseThatWereTried) {
  auto models = fleet(1);
  ingest_and_update(0, 9, models);
  for (int m = 0; m < 4; ++m) models["model" + std::to_string(m)] = 0;
  ingest_and_update(10, 10, models);
  const std::string text = explanation_of(DetectedState::kConfirmed);
  EXPECT_THAT(text, HasSubstr("4 models began to fail on 2025-11-11, 4 of 8 results on "));
  EXPECT_THAT(text, HasSubstr("all with the same error"));
  EXPECT_THAT(text, HasSubstr("Confirmed on 2025-11-11, its first night: whether a result can be "
                              "timed is exact and needs no further nights. It is recovered when "
                              "all 4 results are good again."));
}

TEST_F(AlertExplanations, WhatIsNotFoundAnyMoreDoesNotSayThatItIs) {
  nights(0, 19, quiet_);
  nights(20, 30, slow_);
  update();
  ASSERT_EQ(confirmed().size(), 1u);
  for (int n = 20; n <= 30; ++n) mark(n, schema::NightMarkKind::kExcluded);
  update();
  EXPECT_EQ(explanation_of(DetectedState::kWithdrawn), kNotFoundAnyMore);
}

}  // namespace
}  // namespace benchhud::service
