// Profiles that an older program took in have no derived tracks, which is said, until they are
// ingested again.

#include "trace/trace_derived.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/ingest/xplane/xplane_writer.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

class DerivedTracks : public StoreFixture {
 protected:
  static std::string profile() {
    using namespace ingest;
    Message line = xline(7, "Stream #7(Compute)", 1000);
    Message event = xevent(1, 1'000'000, 2'000'000);
    event.message(4, text_stat(1, "fusion.1"));
    line.message(4, event);
    Message plane = xplane(0, "/device:GPU:0");
    plane.message(3, line).message(4, kind_entry(1, "kernel"));
    plane.message(5, Message().number(1, 1).message(2, Message().number(1, 1).text(2, "hlo_op")));
    return Message().message(1, plane).bytes();
  }

  void take_in() {
    const std::string file = (folder_ / "made.xplane.pb").string();
    std::ofstream(file, std::ios::binary) << profile();
    take_in_dump(file);
  }

  json trace() { return get_json(*app(), "/traces/1"); }
};

TEST_F(DerivedTracks, OfAnOlderStoreAreNotKnownAndComeWhenTheFileIsIngestedAgain) {
  take_in();
  const json first = trace();
  EXPECT_EQ(first["derived_tracks"], 1);
  ASSERT_EQ(first["threads"].size(), 2U);
  EXPECT_TRUE(first["threads"][1]["is_derived"]);

  // By other rules than ours: they are there, and are not shown.
  ASSERT_TRUE(connection_->execute("UPDATE trace SET derived_version = 0"));
  EXPECT_EQ(trace()["derived_tracks"], nullptr);
  EXPECT_EQ(trace()["threads"].size(), 1U);
  // Before there were any.
  ASSERT_TRUE(connection_->execute("UPDATE trace SET derived_version = NULL"));
  EXPECT_EQ(trace()["derived_tracks"], nullptr);

  take_in();
  const json again = trace();
  EXPECT_EQ(again["derived_tracks"], 1);
  EXPECT_EQ(again["threads"], first["threads"]);
  EXPECT_EQ(again["slices"], first["slices"]);
  EXPECT_TRUE(again["has_index"]);
}

TEST_F(DerivedTracks, ForWhichThereWasNoRoomAreNotTriedAgain) {
  take_in();
  const std::string no_room = std::to_string(benchhud::trace::kNoRoomForDerivedTracks);
  ASSERT_TRUE(connection_->execute("UPDATE trace SET derived_version = " + no_room));
  EXPECT_EQ(trace()["derived_tracks"], nullptr);
  take_in();
  EXPECT_EQ(trace()["derived_tracks"], nullptr);
}

TEST_F(DerivedTracks, CountInAFlameGraphWhereNothingElseIsAskedFor) {
  take_in();
  const auto rows = [&](const std::string& tracks) {
    return get_json(*app(), "/traces/1/flame" + tracks)["stacks"]["rows"];
  };
  const json recorded = rows("");
  ASSERT_EQ(recorded.size(), 1U);
  EXPECT_EQ(rows("?tracks=0"), recorded);
  // Both tracks show the same time, under two names.
  EXPECT_EQ(rows("?tracks=0,1"), recorded);
  const json derived = rows("?tracks=1");
  ASSERT_EQ(derived.size(), 1U);
  EXPECT_NE(derived, recorded);
}

TEST_F(DerivedTracks, AreNotSummedUpWhichIsSaidWhereNothingElseIsAskedFor) {
  take_in();
  const auto sums = [&](const std::string& tracks) {
    return get_json(*app(), "/traces/1/sums" + tracks);
  };
  const json recorded = sums("");
  EXPECT_EQ(recorded["all"]["count"], 1);
  EXPECT_EQ(recorded["cannot_tell"], nullptr);
  EXPECT_EQ(sums("?tracks=0,1"), recorded) << "the same time twice";
  const json derived = sums("?tracks=1");
  EXPECT_EQ(derived["all"], nullptr) << "unknown, and not 0";
  EXPECT_EQ(derived["rows"], json::array());
  EXPECT_NE(derived["cannot_tell"].get<std::string>().find("derived"), std::string::npos);
  // There is no such track: nothing happens on it.
  EXPECT_EQ(sums("?tracks=7")["all"]["count"], 0);
  EXPECT_EQ(sums("?tracks=7")["cannot_tell"], nullptr);
}

}  // namespace
}  // namespace benchhud::server
