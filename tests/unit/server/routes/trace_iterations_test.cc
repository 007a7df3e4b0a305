// What the lists of iterations and of memory say of a profile that an older program stored: nothing
// is made up.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "schema/db/text_store.h"
#include "schema/results/artifact_writer.h"
#include "service/traces/trace_digest.h"
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
      {"ph":"i","pid":1,"tid":1,"s":"t","name":"[memory]","ts":6,"args":{"Device Type":1,
       "Device Id":1,"Bytes":64,"Total Allocated":96,"Total Reserved":512}},
      {"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::mm","ts":5,"dur":20}]})";
    take_in_dump(file);
  }

  void make_digest_older() {
    // What a digest began with before it was binary.
    schema::TextWriter texts(*connection_);
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    const auto older = texts.put(schema::pack_text(R"({"version":3,"report":{},"sections":[]})"));
    ASSERT_TRUE(older);
    ASSERT_TRUE(schema::set_digest(*connection_, schema::ArtifactId{1}, *older));
    ASSERT_TRUE(transaction->commit());
  }

  json list() { return get_json(*app(), "/traces/1/iterations"); }
  json memory() { return get_json(*app(), "/traces/1/memory"); }
};

TEST_F(TraceIterations, OfAnOlderDigestAreNotKnown) {
  take_in();
  const json known = list();
  EXPECT_EQ(known["total"], 1);
  EXPECT_EQ(known["kept"], 1);
  EXPECT_EQ(known["cannot_tell"], nullptr);

  make_digest_older();
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

TEST_F(TraceIterations, MemoryOfAnOlderDigestIsNotKnown) {
  take_in();
  const json known = memory();
  EXPECT_EQ(known["items"], json::parse(R"([{"allocator":"cuda:1","allocations":1,"deallocations":0,
    "peak_bytes":96,"peak_ns":6000,"peak_reserved_bytes":512,"lifetime_peak_bytes":null,
    "capacity_bytes":null}])"));
  EXPECT_EQ(known["cannot_tell"], nullptr);
  make_digest_older();
  const json page = memory();
  EXPECT_EQ(page["items"].size(), 0U);
  EXPECT_EQ(page["cannot_tell"],
            "An older version stored the trace: what it says of memory is not known.");
  ASSERT_TRUE(service::renew_digests(*connection_, service::Digests::kOutdated));
  EXPECT_EQ(memory()["items"], known["items"]) << "the stored arguments say it";
}

}  // namespace
}  // namespace benchhud::server
