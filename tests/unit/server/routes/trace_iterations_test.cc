// What the list of iterations says of a profile that an older program stored: nothing is made up.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "schema/db/text_store.h"
#include "schema/results/artifact_writer.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

class TraceIterations : public StoreFixture {
 protected:
  void take_in() {
    const std::string file = (folder_ / "trace-made.json").string();
    std::ofstream(file) << R"({"traceEvents":[
      {"ph":"X","pid":1,"tid":1,"cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":50},
      {"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::mm","ts":5,"dur":20}]})";
    take_in_dump(file);
  }

  json list() { return get_json(*app(), "/traces/1/iterations"); }
};

TEST_F(TraceIterations, OfAnOlderDigestAreNotKnown) {
  take_in();
  const json known = list();
  EXPECT_EQ(known["total"], 1);
  EXPECT_EQ(known["kept"], 1);
  EXPECT_EQ(known["cannot_tell"], nullptr);

  // What a digest began with before it was binary.
  schema::TextWriter texts(*connection_);
  auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
  ASSERT_TRUE(transaction);
  const auto older = texts.put(schema::pack_text(R"({"version":3,"report":{},"sections":[]})"));
  ASSERT_TRUE(older);
  ASSERT_TRUE(schema::set_digest(*connection_, schema::ArtifactId{1}, *older));
  ASSERT_TRUE(transaction->commit());
  const json page = list();
  const std::string why = "An older version stored the profile: its iterations are not known.";
  EXPECT_EQ(page["items"].size(), 0U);
  EXPECT_EQ(page["total"], nullptr);
  EXPECT_EQ(page["kept"], nullptr);
  EXPECT_EQ(page["found_by"], nullptr);
  EXPECT_EQ(page["cannot_tell"], why);
  ASSERT_EQ(page["parts"].size(), known["parts"].size());
  for (const json& part : page["parts"]) EXPECT_EQ(part["unknown"], why) << part["name"];
}

}  // namespace
}  // namespace benchhud::server
