#include "analysis/alerts/common_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using schema::ExperimentId;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// The experiments of a model have numbers in the order of kInductor, kOpenxla and eager.
Catalog catalog_of(int models) {
  Fleet fleet;
  for (int model = 0; model < models; ++model) {
    for (const char* backend : {"inductor", "openxla", "eager"}) {
      fleet.add("m" + std::to_string(model), backend);
    }
  }
  return fleet.catalog();
}

class CommonFailuresTest : public testing::Test {
 protected:
  static constexpr int kModels = 12;

  // Returns the place of the member.
  std::size_t fail(int model, int backend, std::size_t night, std::string signature,
                   std::size_t earliest = 0) {
    WatchedMember member;
    member.experiment = ExperimentId{model * 3 + backend};
    member.metric = WatchedMetric::kTiming;
    member.onset = member.latest = member.first_seen = night;
    member.earliest = earliest == 0 ? night : earliest;
    member.confirmed = night;
    member.worse = 1;
    member.signature = std::move(signature);
    member.tried = kModels;
    members_.push_back(std::move(member));
    return members_.size() - 1;
  }

  std::vector<CurrentMember> current() const {
    std::vector<CurrentMember> current;
    for (std::size_t place = 0; place < members_.size(); ++place) {
      current.push_back({place, catalog_.find(members_[place].experiment)});
    }
    return current;
  }
  std::vector<AlertGroup> groups() const { return common_failures(members_, current()); }

  static constexpr int kInductor = 1, kOpenxla = 2;
  const Catalog catalog_ = catalog_of(kModels);
  std::vector<WatchedMember> members_;
};

TEST_F(CommonFailuresTest, OneSignatureOfTwoModelsIsOneCause) {
  fail(0, kInductor, 5, "RuntimeError: a");
  fail(1, kInductor, 5, "RuntimeError: a");
  fail(2, kOpenxla, 5, "RuntimeError: b");
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].scope, AlertScope::kBackend);
  EXPECT_EQ(found[0].backend, "inductor");
  EXPECT_TRUE(found[0].is_of_failures);
  EXPECT_EQ(found[0].onset, 5U);
  EXPECT_THAT(found[0].members, ElementsAre(0, 1));
}

TEST_F(CommonFailuresTest, OneModelIsNoCommonCause) {
  fail(0, kInductor, 5, "RuntimeError: a");
  fail(0, kOpenxla, 5, "RuntimeError: a");
  EXPECT_THAT(groups(), IsEmpty());
}

TEST_F(CommonFailuresTest, TwoModelsWithoutATextHaveNothingInCommon) {
  fail(0, kInductor, 5, "");
  fail(1, kInductor, 5, "");
  EXPECT_THAT(groups(), IsEmpty());
}

TEST_F(CommonFailuresTest, ThreeModelsOfABackendAreOneCauseWhateverTheErrors) {
  fail(0, kInductor, 5, "a");
  fail(1, kInductor, 5, "b");
  fail(2, kInductor, 5, "");
  fail(3, kOpenxla, 5, "c");
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].members, ElementsAre(0, 1, 2));
}

TEST_F(CommonFailuresTest, ThreeOfVeryManyHaveNothingInCommon) {
  for (const int model : {0, 1, 2}) fail(model, kInductor, 5, "");
  for (WatchedMember& member : members_) member.tried = 16;
  EXPECT_THAT(groups(), IsEmpty());
  for (WatchedMember& member : members_) member.tried = 15;
  EXPECT_THAT(groups(), SizeIs(1));
}

TEST_F(CommonFailuresTest, OneSignatureOnTwoBackendsIsTheMachines) {
  fail(0, kInductor, 5, "no device");
  fail(1, kOpenxla, 5, "no device");
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].scope, AlertScope::kMachine);
  EXPECT_EQ(found[0].backend, "");
}

TEST_F(CommonFailuresTest, NightsAreTakenForThemselves) {
  fail(0, kInductor, 5, "a");
  fail(1, kInductor, 9, "a");
  EXPECT_THAT(groups(), IsEmpty());
}

TEST_F(CommonFailuresTest, WhatFailsSoonAfterwardsBelongsToIt) {
  fail(0, kInductor, 5, "a");
  fail(1, kInductor, 5, "a");
  const std::size_t alike = fail(2, kInductor, 7, "a");
  const std::size_t not_run = fail(3, kInductor, 6, "", 4);
  fail(4, kInductor, 6, "b");
  fail(5, kOpenxla, 6, "a");
  fail(6, kInductor, 9, "a");
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].members, ElementsAre(0, 1, alike, not_run));
  EXPECT_EQ(found[0].scope, AlertScope::kBackend);
}

TEST_F(CommonFailuresTest, WhatFlipsOrIsNotToldCountsForNothing) {
  for (const int model : {0, 1, 2, 3}) fail(model, kInductor, 5, "a");
  members_[0].confirmed.reset();
  members_[1].is_reported = false;
  members_[2].withdrawn = 6;
  EXPECT_THAT(groups(), IsEmpty());
}

TEST_F(CommonFailuresTest, WhatIsLeftGoesByModel) {
  fail(0, kInductor, 5, "a");
  fail(1, kInductor, 5, "a");
  fail(1, kOpenxla, 5, "b");
  const auto all = group_changes(members_, current(), catalog_);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].members, UnorderedElementsAre(0, 1));
  EXPECT_EQ(all[1].scope, AlertScope::kModel);
  EXPECT_THAT(all[1].members, ElementsAre(2));
}

}  // namespace
}  // namespace benchhud::analysis
