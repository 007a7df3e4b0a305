#include "schema/results/manifest.h"

#include <gtest/gtest.h>

#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"

namespace benchhud::schema {
namespace {

TEST(Manifest, IsKeptByAcceleratorModelAndPutInPlaceOfTheOneBefore) {
  auto store = open_store(":memory:");
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE(manifest_of(*store, "A100")->empty());
  const std::vector<ExpectedResult> two = {{"s", "b", "eval", "inductor"},
                                           {"s", "a", "train", "eager"}};
  const auto revision = Reader(*store).info()->revision;
  ASSERT_TRUE(put_manifest(*store, "A100", two));
  ASSERT_TRUE(put_manifest(*store, "H100", std::span(two).first(1)));
  EXPECT_GT(Reader(*store).info()->revision, revision) << "whoever shows the store must notice";
  EXPECT_EQ(*manifest_of(*store, "A100"), (std::vector{two[1], two[0]}));
  EXPECT_EQ(manifests(*store)->size(), 2U);
  ASSERT_TRUE(put_manifest(*store, "A100", std::span(two).first(1)));
  EXPECT_EQ(*manifest_of(*store, "A100"), (std::vector{two[0]}));
  ASSERT_TRUE(put_manifest(*store, "A100", {}));
  EXPECT_TRUE(manifest_of(*store, "A100")->empty());
  EXPECT_EQ(manifests(*store)->size(), 1U);
  EXPECT_EQ(audit(*store, 1)->front().detail, "A100: 0 results");
}

}  // namespace
}  // namespace benchhud::schema
