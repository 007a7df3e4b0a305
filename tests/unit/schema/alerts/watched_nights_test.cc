#include "schema/alerts/watched_nights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::Eq;
using ::testing::Optional;

class WatchedNightsTest : public ::testing::Test {
 protected:
  WatchedNightsTest() { EXPECT_TRUE(migrate(store_)); }

  std::optional<std::string> facts(RunId run, std::int64_t revision) {
    const auto bytes = night_facts(store_, run, revision);
    EXPECT_TRUE(bytes) << bytes.error().message;
    return bytes ? *bytes : std::nullopt;
  }
  std::optional<WatchState> state(const char* model) {
    const auto kept = watch_state(store_, model);
    EXPECT_TRUE(kept) << kept.error().message;
    return kept ? *kept : std::nullopt;
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
};

TEST_F(WatchedNightsTest, FactsAreOfOneRevision) {
  const std::string bytes("a\0b", 3), longer(10'000, 'x');
  ASSERT_TRUE(put_night_facts(store_, RunId{1}, 5, bytes));
  EXPECT_THAT(facts(RunId{1}, 5), Optional(Eq(bytes)));
  EXPECT_EQ(facts(RunId{1}, 6), std::nullopt);
  EXPECT_EQ(facts(RunId{2}, 5), std::nullopt);
  ASSERT_TRUE(put_night_facts(store_, RunId{1}, 6, longer));
  EXPECT_EQ(facts(RunId{1}, 5), std::nullopt);
  EXPECT_THAT(facts(RunId{1}, 6), Optional(Eq(longer)));
}

TEST_F(WatchedNightsTest, StatesAreOfOneAcceleratorModel) {
  EXPECT_EQ(state("A100"), std::nullopt);
  ASSERT_TRUE(put_watch_state(store_, "A100", {3, "three", std::string(5000, 'y')}));
  ASSERT_TRUE(put_watch_state(store_, "H200", {1, "one", ""}));
  ASSERT_TRUE(put_watch_state(store_, "A100", {4, "four", std::string(6000, 'z')}));
  ASSERT_TRUE(state("A100"));
  EXPECT_EQ(state("A100")->night_count, 4);
  EXPECT_EQ(state("A100")->basis, "four");
  EXPECT_EQ(state("A100")->bytes, std::string(6000, 'z'));
  ASSERT_TRUE(state("H200"));
  EXPECT_EQ(state("H200")->bytes, "");
}

TEST_F(WatchedNightsTest, WhatIsDamagedIsAsIfItWereNotThere) {
  ASSERT_TRUE(put_night_facts(store_, RunId{1}, 5, "short"));
  ASSERT_TRUE(put_night_facts(store_, RunId{2}, 5, std::string(10'000, 'x')));
  ASSERT_TRUE(put_watch_state(store_, "A100", {3, "three", std::string(5000, 'y')}));
  const auto damaged = store_.execute(
      "UPDATE night_facts SET bytes = zeroblob(length(bytes));"
      "UPDATE watch_state SET byte_count = 1000000000000000");
  ASSERT_TRUE(damaged) << damaged.error().message;
  EXPECT_EQ(facts(RunId{1}, 5), std::nullopt);
  EXPECT_EQ(facts(RunId{2}, 5), std::nullopt);
  EXPECT_EQ(state("A100"), std::nullopt);
}

// As zstd's own words for "no frame" and "not told", and a length that would end the program.
TEST_F(WatchedNightsTest, NoLengthIsBelieved) {
  ASSERT_TRUE(put_watch_state(store_, "A100", {3, "three", std::string(5000, 'y')}));
  for (const char* bytes : {"zeroblob(40)", "x''", "x'28b52ffd' || zeroblob(20)",
                            "x'28b52ffde000000000000004000100'"}) {
    for (const char* length : {"-1", "-2", "0", "1125899906842624", "9223372036854775807"}) {
      const auto damaged = store_.execute("UPDATE watch_state SET is_zstd = 1, bytes = CAST(" +
                                          std::string(bytes) + " AS BLOB), byte_count = " + length);
      ASSERT_TRUE(damaged) << damaged.error().message;
      EXPECT_EQ(state("A100"), std::nullopt) << bytes << " " << length;
    }
  }
}

TEST_F(WatchedNightsTest, WhatIsOfNoRunIsForgotten) {
  ASSERT_TRUE(put_night_facts(store_, RunId{1}, 5, "bytes"));
  ASSERT_TRUE(put_watch_state(store_, "A100", {3, "three", "bytes"}));
  ASSERT_TRUE(forget_unused_watches(store_));
  EXPECT_EQ(facts(RunId{1}, 5), std::nullopt);
  EXPECT_EQ(state("A100"), std::nullopt);
}

}  // namespace
}  // namespace benchhud::schema
