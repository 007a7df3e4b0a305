// Measurements of many results are those of each.
#include "schema/results/line_measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::SizeIs;

class TimingMeasurementsTest : public ::testing::Test {
 protected:
  TimingMeasurementsTest() {
    EXPECT_TRUE(migrate(store_));
    // 200 results of a run, and another run between them; every fifth has not been timed.
    const auto made = store_.execute(
        "PRAGMA foreign_keys = OFF;"
        "INSERT INTO metric VALUES (1, 'total_time'), (2, 'b'), (3, 'a');"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
        "INSERT INTO line (id, invocation_id, experiment_id, hash, file_id, line_number, "
        "  byte_offset, timed, total_time)"
        "SELECT 1000 - i, 1, i, CAST(i AS BLOB), 1, i, i, 1, CAST(printf('%08d', i) AS BLOB) "
        "FROM n;"
        "INSERT INTO measurement (line_id, metric_id, shape, n, median)"
        "SELECT l.id, m.id, 1, 1, l.id + m.id / 10.0 FROM line AS l, metric AS m WHERE m.id > 1;"
        "INSERT INTO result (run_id, experiment_id, started_at, timing_line_id, timing_shared, "
        "  verification_shared)"
        "SELECT 1 + experiment_id % 2, experiment_id, 10, iif(experiment_id % 5, id, NULL), 0, 0 "
        "FROM line");
    EXPECT_TRUE(made) << made.error().message;
  }

  std::vector<ResultFacts> timed(int step) {
    const auto results = Reader(store_).results(RunId(1));
    EXPECT_TRUE(results) << results.error().message;
    std::vector<ResultFacts> some;
    int number = 0;
    for (const ResultFacts& result : *results) {
      if (result.timing_line && number++ % step == 0) some.push_back(result);
    }
    return some;
  }

  void expect_those_of_each(TimingMeasurements measurements,
                            const std::vector<ResultFacts>& results) {
    for (const ResultFacts& result : results) {
      const auto found = measurements.of(result);
      const auto expected = Reader(store_).measurements(*result.timing_line);
      ASSERT_TRUE(found) << found.error().message;
      ASSERT_TRUE(expected) << expected.error().message;
      ASSERT_THAT(*found, SizeIs(3));
      ASSERT_THAT(*expected, SizeIs(3));
      for (std::size_t i = 0; i < found->size(); ++i) {
        EXPECT_EQ((*found)[i].line, (*expected)[i].line);
        EXPECT_EQ((*found)[i].measurement.metric, (*expected)[i].measurement.metric);
        EXPECT_EQ((*found)[i].measurement.samples, (*expected)[i].measurement.samples);
        EXPECT_EQ((*found)[i].summary.median, (*expected)[i].summary.median);
      }
    }
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
};

TEST_F(TimingMeasurementsTest, OfARunAreThoseOfEachOfItsLines) {
  for (const int step : {1, 3}) {
    expect_those_of_each(TimingMeasurements::of_run(store_, RunId(1)), timed(step));
  }
}

TEST_F(TimingMeasurementsTest, OfSomeResultsAreReadInParts) {
  for (const int step : {1, 3, 40, 1000}) {
    const std::vector<ResultFacts> some = timed(step);
    std::vector<ExperimentId> experiments;
    for (const ResultFacts& result : some) experiments.push_back(result.experiment);
    expect_those_of_each(TimingMeasurements::of_run(store_, RunId(1), experiments), some);
    const std::vector<ResultFacts> last = {some.back()};
    expect_those_of_each(TimingMeasurements::of_run(store_, RunId(1), experiments), last);
  }
}

TEST_F(TimingMeasurementsTest, OneThatWasNotNamedIsNotFound) {
  const std::vector<ResultFacts> results = timed(1);
  for (const std::vector<ExperimentId>& named :
       {std::vector<ExperimentId>(), std::vector{results[3].experiment}}) {
    auto measurements = TimingMeasurements::of_run(store_, RunId(1), named);
    const auto found = measurements.of(results[2]);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace benchhud::schema
