// Phases over the API, of what the integration tests cannot bring into a store by a line alone.
#include <gtest/gtest.h>

#include <string>

#include "schema/results/artifact_writer.h"
#include "schema/results/results.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using PhasesOfStore = StoreFixture;

TEST_F(PhasesOfStore, DumpsOfSteadyRepetitionsSayThatAProfilerWatched) {
  ingest({MadeLine{}});
  const auto served = app();
  const std::string address = "/runs/latest/results/1/phases";
  const auto before = get_json(*served, address);
  ASSERT_EQ(before["repetitions"].size(), 6U);
  for (const auto& flag : before["flags"]) EXPECT_NE(flag["code"], "profiler_on");

  auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
  ASSERT_TRUE(transaction);
  const auto key = schema::key_of_result(*connection_, schema::RunId{1}, schema::ExperimentId{1});
  ASSERT_TRUE(key) << key.error().message;
  for (const std::int64_t repetition : {0, 4}) {
    schema::NewArtifact artifact;
    artifact.name = "alpha/" + std::to_string(repetition) + "/trace.json";
    artifact.path = "/" + artifact.name;
    artifact.repetition = repetition;
    artifact.hash = schema::content_hash(artifact.name);
    artifact.ties = {*key};
    ASSERT_TRUE(schema::put_artifact(*connection_, artifact));
  }
  ASSERT_TRUE(schema::next_revision(*connection_));
  ASSERT_TRUE(transaction->commit());

  const auto after = get_json(*served, address);
  ASSERT_FALSE(after["flags"].empty());
  const auto& flag = after["flags"][0];
  EXPECT_EQ(flag["code"], "profiler_on");
  EXPECT_EQ(flag["repetitions"], nlohmann::json::array({4}));
  const auto series =
      get_json(*served, "/series/phases?suite=suite&model=alpha&test=eval")["series"];
  EXPECT_EQ(series[0]["points"][0]["flags"][0]["code"], "profiler_on");
}

}  // namespace
}  // namespace benchhud::server
