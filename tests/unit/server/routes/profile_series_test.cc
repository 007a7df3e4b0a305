// Numbers of profiles over runs, of profiles that an older program took in.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

class ProfilesReadAgain : public StoreFixture {};

TEST_F(ProfilesReadAgain, AreSaidToBe) {
  ingest({MadeLine{}});
  const std::string folder = (folder_ / "dumps").string();
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/trace-made.json";
  std::ofstream(file) << R"({"traceEvents":[
    {"ph":"X","pid":1,"tid":1,"cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":100},
    {"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"sgemm","ts":10,"dur":40}]})";
  take_in_dump(file);
  ASSERT_TRUE(connection_->execute(
      "BEGIN; INSERT INTO artifact_tie SELECT 1, e.hash, l.timestamp FROM experiment AS e, "
      "invocation AS l LIMIT 1; COMMIT"));
  const std::string series = "/series/profiles?suite=suite&model=alpha&test=eval";
  const json now = get_json(*app(), series)["series"][0]["points"][0];
  EXPECT_EQ(now["missing"], nullptr);
  EXPECT_EQ(now["iteration_ns"], 100'000);
  ASSERT_TRUE(connection_->execute("BEGIN; UPDATE artifact SET report_id = NULL; COMMIT"));
  const auto server = app();
  const json later = get_json(*server, series)["series"][0]["points"][0];
  EXPECT_EQ(later["missing"],
            "An older version took the profile in. A server that may write to the store reads it "
            "again soon after it starts; `benchhud rebuild` does so at once.");
  EXPECT_EQ(later["iteration_ns"], nullptr);
  EXPECT_EQ(later["artifact_id"], 1);
}

}  // namespace
}  // namespace benchhud::server
