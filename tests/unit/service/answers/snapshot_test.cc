// What a snapshot tells of its runs.
#include "service/answers/snapshot.h"

#include <gmock/gmock.h>

namespace benchhud::service {
namespace {

TEST(Snapshot, NightsWithinStopsAtResultLimit) {
  Snapshot snapshot;
  for (const std::int64_t results : {30, 1, 40, 0, 50}) {
    snapshot.runs.emplace_back().run.result_count = results;
  }
  const std::vector<std::size_t> nights = {0, 2, 3, 4};  // of one accelerator model
  EXPECT_EQ(snapshot.nights_within(119, nights, 90), 3u);
  EXPECT_EQ(snapshot.nights_within(120, nights, 90), 4u);
  EXPECT_EQ(snapshot.nights_within(120, nights, 2), 2u);
  EXPECT_EQ(snapshot.nights_within(1000, nights, 90), 4u);
  EXPECT_EQ(snapshot.nights_within(29, nights, 90), 0u);
  EXPECT_EQ(snapshot.nights_within(29, {}, 90), 0u);
}

}  // namespace
}  // namespace benchhud::service
