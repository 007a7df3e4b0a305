#include "schema/alerts/night_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::Optional;

class NightQualityTest : public ::testing::Test {
 protected:
  NightQualityTest() {
    EXPECT_TRUE(migrate(store_));
    for (const int id : {3, 1, 2}) {
      const auto number = std::to_string(id);
      EXPECT_TRUE(store_.execute(
          "INSERT INTO run (id, accelerator_model, name, started_at, result_count, revision) "
          "VALUES (" +
          number + ", 'A100', 'n" + number + "', " + number + ", 1, 1)"));
    }
  }
  std::optional<NightQuality> read(int run) {
    const auto quality = night_quality(store_, RunId{run});
    EXPECT_TRUE(quality) << quality.error().message;
    return quality ? *quality : std::nullopt;
  }

  bool put(int run, const NightQuality& quality) {
    const NightQualityOfRun night{RunId{run}, quality};
    const auto is_new = put_night_qualities(store_, std::span(&night, 1));
    EXPECT_TRUE(is_new) << is_new.error().message;
    return is_new && *is_new;
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
};

TEST_F(NightQualityTest, IsWhatWasPutLast) {
  EXPECT_EQ(read(3), std::nullopt);
  const NightQuality first{34, 21, true, 5.25, {RunId{1}, RunId{2}}}, second{34, 2, false, {}, {}};
  EXPECT_TRUE(put(3, first));
  EXPECT_THAT(read(3), Optional(first));
  EXPECT_FALSE(put(3, first)) << "it is so already";
  EXPECT_TRUE(put(3, second));
  EXPECT_THAT(read(3), Optional(second));
  EXPECT_FALSE(put(3, second)) << "unknown is as unknown as before";
}

TEST_F(NightQualityTest, ManyArePutTogether) {
  std::vector<NightQualityOfRun> nights;
  for (int run = 1; run <= 40; ++run) nights.push_back({RunId{run}, {run, 0, false, {}, {}}});
  EXPECT_TRUE(*put_night_qualities(store_, nights));
  EXPECT_FALSE(*put_night_qualities(store_, nights)) << "they are so already";
  nights[20].quality.off = 7;
  EXPECT_TRUE(*put_night_qualities(store_, nights));
  EXPECT_EQ(read(21)->off, 7);
  EXPECT_EQ(read(40)->judged, 40);
  EXPECT_FALSE(*put_night_qualities(store_, {}));
}

TEST_F(NightQualityTest, RunsThatAreGoneAreLikeNothing) {
  EXPECT_TRUE(put(3, {34, 0, false, 1, {RunId{9}, RunId{2}}}));
  EXPECT_THAT(read(3)->alike, testing::ElementsAre(RunId{2}));
}

}  // namespace
}  // namespace benchhud::schema
