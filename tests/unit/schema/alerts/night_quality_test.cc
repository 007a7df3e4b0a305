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

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
};

TEST_F(NightQualityTest, IsWhatWasPutLast) {
  EXPECT_EQ(read(3), std::nullopt);
  const NightQuality first{34, 21, true, 5.25, {RunId{1}, RunId{2}}}, second{34, 2, false, {}, {}};
  EXPECT_TRUE(*put_night_quality(store_, RunId{3}, first));
  EXPECT_THAT(read(3), Optional(first));
  EXPECT_FALSE(*put_night_quality(store_, RunId{3}, first)) << "it is so already";
  EXPECT_TRUE(*put_night_quality(store_, RunId{3}, second));
  EXPECT_THAT(read(3), Optional(second));
  EXPECT_FALSE(*put_night_quality(store_, RunId{3}, second)) << "unknown is as unknown as before";
}

TEST_F(NightQualityTest, RunsThatAreGoneAreLikeNothing) {
  EXPECT_TRUE(*put_night_quality(store_, RunId{3}, {34, 0, false, 1, {RunId{9}, RunId{2}}}));
  EXPECT_THAT(read(3)->alike, testing::ElementsAre(RunId{2}));
}

}  // namespace
}  // namespace benchhud::schema
