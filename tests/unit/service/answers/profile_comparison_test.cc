// Two profiles beside each other: what of them compares, and what is unknown.
#include "service/answers/profile_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace benchhud::service {
namespace {

using analysis::FrameworkOperators;
using analysis::IterationPart;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Two iterations of 100 ns, all of whose parts are known: 60 ns executing, the rest unknown.
ProfiledResult made_profile() {
  ProfiledResult made;
  made.profile.emplace();
  made.profile->length = 200;
  made.profile->count = 2;
  for (analysis::IterationPartTime& part : made.profile->parts) part = {0, 0, ""};
  made.profile->of(IterationPart::kExecuting).time = 120;
  made.profile->of(IterationPart::kUnknown).time = 80;
  FrameworkOperators& operators = made.profile->operators;
  operators.where = FrameworkOperators::Where::kDevice;
  operators.rows = {{"aten::mm", 120, 2}};
  operators.total = operators.in_iterations = 120;
  made.iterations = 2;
  made.counted_by = ProfiledResult::CountedBy::kMarks;
  return made;
}

const ComparedRow& row_of(const BackendComparison& comparison, std::string_view name) {
  return *std::ranges::find(comparison.parts, name, &ComparedRow::name);
}

TEST(BackendComparison, DiffersByWhatAnIterationTakes) {
  ProfiledResult right = made_profile();
  right.profile->of(IterationPart::kExecuting).time = 160;
  right.profile->of(IterationPart::kUnknown).time = 40;
  const auto comparison = compare_profiles(made_profile(), right);
  ASSERT_THAT(comparison.parts, SizeIs(analysis::kIterationParts));
  EXPECT_EQ(row_of(comparison, "executing").difference, 20);
  EXPECT_EQ(row_of(comparison, "executing").left.share, 0.6);
  EXPECT_EQ(row_of(comparison, "unknown").difference, -20);
  ASSERT_THAT(comparison.operators, SizeIs(1));
  EXPECT_EQ(comparison.operators[0].name, "aten::mm");
  EXPECT_EQ(comparison.operators[0].difference, 0);
}

TEST(BackendComparison, WhatOneSideCannotTellIsNoZeroAndTakesTheUnknownTimeWithIt) {
  ProfiledResult right = made_profile();
  right.profile->of(IterationPart::kWaiting) = {std::nullopt, std::nullopt, "Nothing waits."};
  const auto comparison = compare_profiles(made_profile(), right);
  EXPECT_EQ(row_of(comparison, "waiting").left.ns, 0);
  EXPECT_EQ(row_of(comparison, "waiting").right.ns, std::nullopt);
  EXPECT_EQ(row_of(comparison, "waiting").right.unknown, "Nothing waits.");
  EXPECT_EQ(row_of(comparison, "waiting").difference, std::nullopt);
  EXPECT_EQ(row_of(comparison, "unknown").difference, std::nullopt);
  EXPECT_EQ(row_of(comparison, "executing").difference, 0);
}

TEST(BackendComparison, WithoutIterationsThereAreSharesAlone) {
  ProfiledResult right = made_profile();
  right.iterations.reset();
  const auto comparison = compare_profiles(made_profile(), right);
  const ComparedRow& executing = row_of(comparison, "executing");
  EXPECT_EQ(executing.right.ns, std::nullopt);
  EXPECT_EQ(executing.right.share, 0.6);
  EXPECT_THAT(executing.right.unknown, HasSubstr("how many iterations"));
  EXPECT_EQ(executing.difference, std::nullopt);
}

TEST(BackendComparison, ASideWithoutAProfileIsUnknownThroughout) {
  const auto comparison = compare_profiles(made_profile(), ProfiledResult());
  EXPECT_THAT(comparison.operators, IsEmpty());
  for (const ComparedRow& row : comparison.parts) {
    EXPECT_EQ(row.right.ns, std::nullopt) << row.name;
    EXPECT_EQ(row.right.unknown, "The result has no profile.") << row.name;
  }
}

TEST(BackendComparison, TimesOfADeviceAndOfTheHostDoNotCompare) {
  ProfiledResult right = made_profile();
  right.profile->operators.where = FrameworkOperators::Where::kHost;
  const auto comparison = compare_profiles(made_profile(), right);
  EXPECT_THAT(comparison.operators, Each(Field(&ComparedRow::difference, std::nullopt)));
  EXPECT_THAT(std::string(comparison.without_difference), HasSubstr("do not compare"));
}

TEST(BackendComparison, WhereNoOperatorIsKnownNothingIsSaidOfDevices) {
  for (const auto where : {FrameworkOperators::Where::kHost, FrameworkOperators::Where::kDevice}) {
    ProfiledResult left = made_profile(), right = made_profile();
    left.profile->operators = {};
    left.profile->operators.where = FrameworkOperators::Where::kNowhere;
    left.profile->operators.unknown = "The profile shows nothing.";
    right.profile->operators.where = where;
    for (const auto& comparison : {compare_profiles(left, right), compare_profiles(right, left)}) {
      EXPECT_THAT(comparison.operators, Each(Field(&ComparedRow::difference, std::nullopt)));
      EXPECT_EQ(comparison.without_difference, "");
    }
    EXPECT_EQ(compare_profiles(left, right).operators.at(0).left.unknown,
              "The profile shows nothing.");
  }
}

}  // namespace
}  // namespace benchhud::service
