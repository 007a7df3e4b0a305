#include "schema/alerts/watched_nights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::Eq;
using ::testing::Optional;

class WatchedNightsTest : public ::testing::Test {
 protected:
  WatchedNightsTest() { EXPECT_TRUE(migrate(store_)); }

  static schema::Run night(int id, std::int64_t revision = 5) {
    schema::Run run;
    run.id = RunId{id};
    run.revision = revision;
    return run;
  }
  static std::optional<std::string> facts(NightFacts& nights, const schema::Run& run) {
    const auto bytes = nights.of(run);
    EXPECT_TRUE(bytes) << bytes.error().message;
    return bytes ? *bytes : std::nullopt;
  }
  std::optional<std::string> facts(RunId run, std::int64_t revision) {
    const std::vector nights = {night(static_cast<int>(to_int(run)), revision)};
    NightFacts kept(store_, nights);
    return facts(kept, nights[0]);
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

TEST_F(WatchedNightsTest, FactsOfManyNightsAreReadInTheirOrder) {
  std::vector<schema::Run> nights;
  for (int id = 30; id > 0; --id) {
    nights.push_back(night(id));
    if (id == 17) continue;
    ASSERT_TRUE(put_night_facts(store_, RunId{id}, 5, "of " + std::to_string(id)));
  }
  NightFacts kept(store_, nights);
  const auto expect_all = [&](std::size_t first) {
    for (std::size_t n = first; n < nights.size(); ++n) {
      const auto of_night = facts(kept, nights[n]);
      const int id = static_cast<int>(to_int(nights[n].id));
      EXPECT_EQ(of_night, id == 17 ? std::nullopt : std::optional("of " + std::to_string(id)));
    }
  };
  expect_all(12);
  expect_all(0);
  expect_all(25);
  EXPECT_THAT(facts(kept, nights[29]), Optional(Eq("of 1"))) << "it is asked for again";
  EXPECT_EQ(facts(kept, night(30, 6)), std::nullopt) << "of another revision";
  EXPECT_EQ(facts(kept, night(99)), std::nullopt) << "none of the nights";
  EXPECT_THAT(facts(kept, nights[0]), Optional(Eq("of 30")));
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
