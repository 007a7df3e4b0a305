// Why a trace has no HLO.
#include "service/traces/hlo_operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benchhud::service {
namespace {

using testing::HasSubstr;

TEST(HloOperation, AbsenceIsSaidByWhatIsKnown) {
  trace::TraceHlo hlo;
  EXPECT_THAT(absent_hlo(std::nullopt), HasSubstr("ingested again"));
  EXPECT_THAT(absent_hlo(hlo), HasSubstr("enable_hlo_proto"));
  hlo.unreadable = 1;
  EXPECT_THAT(absent_hlo(hlo), HasSubstr("could not be decoded"));
  hlo.modules.push_back({1, 2});
  EXPECT_EQ(absent_hlo(hlo), "");
}

}  // namespace
}  // namespace benchhud::service
