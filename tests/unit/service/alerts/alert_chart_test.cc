// The chart of an alert: the nights that its number was judged by.
#include "schema/alerts/alert_chart.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/results/maintenance.h"
#include "tests/unit/service/alerts/alert_fixture.h"

namespace benchhud::service {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class AlertCharts : public AlertFixture {
 protected:
  std::vector<schema::AlertChartNight> chart(schema::AlertId id) {
    const auto nights = schema::alert_chart(*connection_, id);
    EXPECT_TRUE(nights);
    return nights ? *nights : std::vector<schema::AlertChartNight>();
  }
  /// Models enough to be judged together, each `slower` times what it usually takes.
  static std::map<std::string, double> fleet(double slower, double first = 1) {
    std::map<std::string, double> models;
    for (int i = 0; i < 8; ++i) models["model_" + std::to_string(i)] = slower * (1 + 0.3 * i);
    models["model_0"] *= first;
    return models;
  }
};

TEST_F(AlertCharts, OfOneSeriesItsNightsAsTheyWereJudged) {
  nights(0, 19, quiet_);
  nights(20, 32, slow_);
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  const auto alert = confirmed()[0];
  const auto drawn = chart(alert.id);
  ASSERT_THAT(drawn, SizeIs(33));
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    EXPECT_EQ(drawn[n].run, run_at(static_cast<int>(n)).id);
    EXPECT_NEAR(drawn[n].value, n < 20 ? 1.0 : 1.3, 0.06) << n;
    ASSERT_TRUE(drawn[n].low && drawn[n].high);
    EXPECT_LT(*drawn[n].low, drawn[n].value);
    EXPECT_GT(*drawn[n].high, drawn[n].value);
    EXPECT_EQ(drawn[n].count, 5) << "steady repetitions of 8";
  }
}

TEST_F(AlertCharts, OfManySeriesByHowMuchTheyMoved) {
  nights(0, 19, fleet(1));
  nights(20, 27, fleet(1.2));
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  const auto alert = confirmed()[0];
  ASSERT_EQ(alert.scope, "machine");
  const auto drawn = chart(alert.id);
  ASSERT_THAT(drawn, SizeIs(28));
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    EXPECT_NEAR(drawn[n].value, n < 20 ? 1.0 : 1.2, 0.02) << n;
    EXPECT_EQ(drawn[n].count, 8);
    EXPECT_LE(*drawn[n].low, drawn[n].value);
    EXPECT_GE(*drawn[n].high, drawn[n].value);
  }
}

TEST_F(AlertCharts, WhatMovedTheMachineIsNotInTheChartOfAModel) {
  nights(0, 19, fleet(1));
  nights(20, 29, fleet(1.2));
  nights(30, 36, fleet(1.2, 1.4));
  update();
  const auto all = confirmed();
  const auto model = std::ranges::find(all, "model", &schema::Alert::scope);
  ASSERT_NE(model, all.end());
  const auto drawn = chart(model->id);
  ASSERT_THAT(drawn, SizeIs(37));
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    EXPECT_NEAR(drawn[n].value, n < 30 ? 1.0 : 1.4, 0.08) << n;
  }
}

TEST_F(AlertCharts, ANightMoreIsDrawnAndTheSameNightsGiveTheSameChart) {
  nights(0, 19, quiet_);
  for (int n = 20; n < 40; ++n) {
    night(n, slow_);
    update();
  }
  ASSERT_THAT(confirmed(), SizeIs(1));
  const schema::AlertId id = confirmed()[0].id;
  const auto drawn = chart(id);
  ASSERT_THAT(drawn, SizeIs(40));
  ASSERT_TRUE(
      connection_->execute("DELETE FROM watch_state; DELETE FROM night_facts; "
                           "DELETE FROM alert_chart"));
  ASSERT_TRUE(schema::set_alerts_state(*connection_, "other"));
  update();
  EXPECT_EQ(chart(id), drawn);
}

TEST_F(AlertCharts, OfVerdictsThereIsNone) {
  nights(0, 5, quiet_);
  night(6, {{"alpha", 0}, {"beta", 2}});
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  EXPECT_THAT(chart(confirmed()[0].id), IsEmpty());
}

TEST_F(AlertCharts, GoesWithItsAlert) {
  nights(0, 19, quiet_);
  nights(20, 20, slow_);  // a suspect
  update();
  ASSERT_THAT(alerts(), SizeIs(1));
  const schema::AlertId id = alerts()[0].id;
  EXPECT_THAT(chart(id), SizeIs(21));
  mark(20, schema::NightMarkKind::kExcluded);
  update();
  ASSERT_FALSE(schema::alert(*connection_, id));
  EXPECT_THAT(chart(id), IsEmpty());
}

}  // namespace
}  // namespace benchhud::service
