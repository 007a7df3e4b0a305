// What the operators of two profiles say of a change of the steady time.
#include "service/alerts/alert_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace benchhud::service {
namespace {

using analysis::FrameworkOperator;
using analysis::IterationProfile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kUs = 1000;

// Of one iteration, by a trace of kernels.
IterationProfile kernels(std::vector<FrameworkOperator> rows, std::int64_t nameless = 0) {
  IterationProfile profile;
  profile.count = 1;
  analysis::FrameworkOperators& operators = profile.operators;
  operators.where = analysis::FrameworkOperators::Where::kDevice;
  operators.names_triton_kernels = true;
  operators.without_operator.time = nameless;
  operators.total = nameless;
  for (const FrameworkOperator& row : rows) operators.total += row.time;
  operators.rows = std::move(rows);
  operators.in_iterations = operators.total;
  return profile;
}

AlertCause cause(const IterationProfile& before, const IterationProfile& after,
                 std::int64_t change) {
  auto found = cause_of_operators({&before, 1}, {&after, 1}, static_cast<double>(change));
  EXPECT_TRUE(found);
  return found.value_or(AlertCause{});
}

TEST(CauseOfOperators, IsWhatTookLonger) {
  const AlertCause found = cause(kernels({{"aten::mm", 400 * kUs, 1}}),
                                 kernels({{"aten::mm", 640 * kUs, 1}}), 300 * kUs);
  EXPECT_EQ(found.title, "aten::mm takes longer: 400 µs → 640 µs an iteration");
  EXPECT_TRUE(found.explains);
  EXPECT_DOUBLE_EQ(*found.share, 0.8);
  EXPECT_TRUE(found.lines.empty());
}

TEST(CauseOfOperators, IsANewKernelThoughTheGoodSideHasACopyWithoutAName) {
  const IterationProfile before = kernels({{"aten::mm", 400 * kUs, 1}}, 300 * kUs);
  const IterationProfile after =
      kernels({{"aten::mm", 400 * kUs, 1}, {"triton_poi_fused_add", 200 * kUs, 1}}, 300 * kUs);
  const AlertCause found = cause(before, after, 200 * kUs);
  EXPECT_EQ(found.title, "triton_poi_fused_add is new: 200 µs an iteration");
  EXPECT_TRUE(found.explains);
  EXPECT_DOUBLE_EQ(*found.share, 1);
}

TEST(CauseOfOperators, IsAnOperatorThatTimeWithoutANameIsTooShortFor) {
  const IterationProfile before = kernels({{"aten::mm", 400 * kUs, 1}}, 2 * kUs);
  const IterationProfile after =
      kernels({{"aten::mm", 400 * kUs, 1}, {"aten::sort", 200 * kUs, 1}}, 2 * kUs);
  const AlertCause found = cause(before, after, 200 * kUs);
  EXPECT_EQ(found.title, "aten::sort takes longer: at most 2 µs → 200 µs an iteration");
  EXPECT_TRUE(found.explains);
}

TEST(CauseOfOperators, CannotBeToldWhereTimeWithoutANameMayBeIt) {
  const IterationProfile before = kernels({{"aten::mm", 400 * kUs, 1}}, 300 * kUs);
  const IterationProfile after =
      kernels({{"aten::mm", 400 * kUs, 1}, {"aten::sort", 200 * kUs, 1}}, 295 * kUs);
  const AlertCause found = cause(before, after, 200 * kUs);
  EXPECT_THAT(found.title, HasSubstr("cannot be told: it may be aten::sort"));
  EXPECT_THAT(found.title, HasSubstr("300 µs an iteration without a name"));
  EXPECT_FALSE(found.explains);
  EXPECT_EQ(found.share, std::nullopt);
}

TEST(CauseOfOperators, IsNoneWhereNoneIsLargeEnough) {
  const IterationProfile before = kernels({{"aten::mm", 400 * kUs, 1}}, 3 * kUs);
  const IterationProfile after =
      kernels({{"aten::mm", 401 * kUs, 1}, {"aten::sort", 4 * kUs, 1}}, 3 * kUs);
  const AlertCause found = cause(before, after, 200 * kUs);
  EXPECT_THAT(found.title, HasSubstr("none in the profiles accounts for a twentieth"));
  EXPECT_FALSE(found.explains);
}

TEST(CauseOfOperators, IsNotAKernelThatHasAnotherNameNow) {
  const IterationProfile before = kernels({{"triton_a", 200 * kUs, 1}});
  const IterationProfile longer = kernels({{"triton_b", 250 * kUs, 1}});
  const AlertCause found = cause(before, longer, 100 * kUs);
  EXPECT_EQ(found.title,
            "triton_b is new: 250 µs an iteration; triton_a is gone: 200 µs an iteration");
  EXPECT_DOUBLE_EQ(*found.share, 0.5) << "of the difference of both";
  EXPECT_THAT(found.lines, ElementsAre("triton_b is new: 250 µs an iteration",
                                       "triton_a is gone: 200 µs an iteration"));
  const AlertCause same = cause(before, kernels({{"triton_b", 201 * kUs, 1}}), 100 * kUs);
  EXPECT_THAT(same.title, HasSubstr("all operators together account for less than a twentieth"));
  EXPECT_FALSE(same.explains);
  EXPECT_EQ(same.share, std::nullopt);
}

TEST(CauseOfOperators, HasNoShareOfSeveralDevices) {
  IterationProfile before = kernels({{"aten::mm", 800 * kUs, 1}});
  IterationProfile after = kernels({{"aten::mm", 1280 * kUs, 1}});
  before.operators.device_count = after.operators.device_count = 2;
  const AlertCause found = cause(before, after, 300 * kUs);
  EXPECT_EQ(found.title, "aten::mm takes longer: 400 µs → 640 µs an iteration (mean of 2 devices)");
  EXPECT_EQ(found.share, std::nullopt);
}

TEST(CauseOfOperators, HasNamesThatASentenceCanHold) {
  const std::string hostile = "triton_\n\r\t\x1b[31m" + std::string(100'000, 'x');
  const AlertCause found =
      cause(kernels({{"a\nb", 100 * kUs, 1}}),
            kernels({{"a\nb", 200 * kUs, 1}, {hostile, 200 * kUs, 1}}), 300 * kUs);
  EXPECT_LT(found.title.size(), 300U);
  ASSERT_EQ(found.lines.size(), 2U);
  for (const std::string& text : {found.title, found.lines[0], found.lines[1]}) {
    EXPECT_LT(text.size(), 300U);
    for (const char* const control : {"\n", "\r", "\t", "\x1b"}) {
      EXPECT_THAT(text, Not(HasSubstr(control)));
    }
  }
}

TEST(CauseOfOperators, IsNothingWhereTimesDoNotCompare) {
  IterationProfile host = kernels({{"aten::mm", 400 * kUs, 1}});
  host.operators.where = analysis::FrameworkOperators::Where::kHost;
  const IterationProfile device = kernels({{"aten::mm", 640 * kUs, 1}});
  EXPECT_FALSE(cause_of_operators({&host, 1}, {&device, 1}, 1000));
  EXPECT_FALSE(cause_of_operators({&device, 1}, {&device, {}}, 1000));
}

}  // namespace
}  // namespace benchhud::service
