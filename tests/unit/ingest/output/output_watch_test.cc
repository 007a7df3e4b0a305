// When an output directory is to be taken in.

#include "ingest/output/output_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace benchhud::ingest {
namespace {

OutputDir seen(const std::string& path, const std::string& state) {
  OutputDir dir;
  dir.path = path;
  dir.state = schema::content_hash(state);
  return dir;
}

FinishRules settling(double seconds) { return {.needs_marker = false, .settle = seconds}; }

TEST(OutputWatch, WhatDoesNotChangeIsFinishedOnceAndAgainWhenItHasGrown) {
  OutputWatch watch(settling(10));
  EXPECT_FALSE(watch.is_due(seen("a", "1"), 100));
  EXPECT_FALSE(watch.is_due(seen("a", "1"), 109.9));
  EXPECT_FALSE(watch.is_due(seen("a", "2"), 110)) << "it grew";
  EXPECT_FALSE(watch.is_due(seen("a", "2"), 119.9));
  EXPECT_EQ(watch.unfinished(), 1u);
  EXPECT_TRUE(watch.is_due(seen("a", "2"), 120));
  watch.took(seen("a", "2"));
  EXPECT_EQ(watch.unfinished(), 0u);
  EXPECT_FALSE(watch.is_due(seen("a", "2"), 1000));
  EXPECT_FALSE(watch.is_due(seen("a", "3"), 1001));
  EXPECT_TRUE(watch.is_due(seen("a", "3"), 1011));
}

TEST(OutputWatch, AMarkerThatIsNeededIsWaitedFor) {
  OutputWatch watch({.needs_marker = true, .settle = 10});
  OutputDir dir = seen("a", "1");
  EXPECT_FALSE(watch.is_due(dir, 0));
  EXPECT_FALSE(watch.is_due(dir, 1e6));
  dir = seen("a", "2");
  dir.has_marker = true;
  EXPECT_FALSE(watch.is_due(dir, 1e6)) << "something is newer than the marker";
  EXPECT_TRUE(watch.is_due(dir, 1e6 + 10)) << "and does not change any more";
  dir = seen("a", "3");
  dir.has_marker = dir.is_complete = true;
  EXPECT_TRUE(watch.is_due(dir, 1e6 + 11)) << "at once";
}

TEST(OutputWatch, WhatFailsIsTriedAgainEverMoreSeldom) {
  OutputWatch watch(settling(0));
  const OutputDir dir = seen("a", "1");
  double now = 0;
  std::vector<double> pauses;
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(watch.is_due(dir, now));
    pauses.push_back(watch.failed(dir, now));
    EXPECT_FALSE(watch.is_due(dir, now + pauses.back() - 0.1));
    EXPECT_TRUE(watch.is_due(seen("b", "1"), now)) << "the others are not kept waiting";
    now += pauses.back();
  }
  EXPECT_EQ(pauses[0], OutputWatch::kFirstRetry);
  EXPECT_EQ(pauses[1], 2 * OutputWatch::kFirstRetry);
  EXPECT_EQ(pauses.back(), OutputWatch::kLastRetry);
  EXPECT_TRUE(watch.is_due(seen("a", "2"), now - 1000)) << "it was changed: mended, perhaps";
  EXPECT_EQ(watch.failed(seen("a", "2"), now), OutputWatch::kFirstRetry);
}

TEST(OutputWatch, WhatCannotBeReadIsDueSoThatItIsSaid) {
  OutputWatch watch(settling(100));
  OutputDir dir = seen("a", "1");
  dir.error = schema::Error{schema::ErrorCode::kIo, "closed"};
  EXPECT_TRUE(watch.is_due(dir, 0));
  watch.failed(dir, 0);
  EXPECT_FALSE(watch.is_due(dir, 1));
}

TEST(OutputWatch, WhatIsGoneIsForgotten) {
  OutputWatch watch(settling(0));
  for (const char* path : {"a", "b"}) {
    ASSERT_TRUE(watch.is_due(seen(path, "1"), 0));
    watch.took(seen(path, "1"));
  }
  watch.keep_only({"a"});
  EXPECT_FALSE(watch.is_due(seen("a", "1"), 1));
  EXPECT_TRUE(watch.is_due(seen("b", "1"), 1));
  watch.forget_all();
  EXPECT_TRUE(watch.is_due(seen("a", "1"), 2));
}

}  // namespace
}  // namespace benchhud::ingest
