#include "analysis/alerts/alert_groups.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::string> kBackends = {"eager", "inductor", "openxla+dynamo"};

/// Changes in a fleet of models × backends, in which every night times everything.
class Groups : public testing::Test {
 protected:
  Groups() { make(12, kBackends); }

  void make(int models, const std::vector<std::string>& backends) {
    fleet_ = Fleet();
    ids_.clear();
    NightSeries night;
    for (int m = 0; m < models; ++m) {
      for (const std::string& backend : backends) {
        ids_[std::pair(m, backend)] = fleet_.add("m" + std::to_string(m), backend);
        ++night.all;
        ++night.by_backend[backend];
      }
    }
    nights_.assign(40, night);
  }
  WatchedMember& add(int model, const std::string& backend, std::size_t onset, int worse = 1,
                     WatchedMetric metric = WatchedMetric::kSteady) {
    WatchedMember member;
    member.experiment = ids_.at({model, backend});
    member.metric = metric;
    member.onset = member.earliest = member.latest = onset;
    member.worse = worse;
    member.p_value = 1e-4 * static_cast<double>(members_.size() + 1);
    for (const WatchedMember& other : members_) {
      if (other.experiment == member.experiment && other.metric == metric) ++member.change;
    }
    return members_.emplace_back(member);
  }
  WatchedMember& add_speedup(int model, const std::string& backend, std::size_t onset,
                             int worse = -1) {
    WatchedMember& member = add(model, backend, onset, worse, WatchedMetric::kSpeedup);
    member.baseline = ids_.at({model, "inductor"});
    return member;
  }
  /// Of 10 % at a standard error of 1 %, seen on night 35 over what was until night 5.
  WatchedMember& add_drift(int model, const std::string& backend) {
    WatchedMember& member = add(model, backend, 5, 1, WatchedMetric::kDrift);
    member.first_seen = 35;
    member.effect = 0.1;
    member.error = 0.01;
    return member;
  }
  std::vector<AlertGroup> groups() const {
    return group_changes(members_, fleet_.catalog(), nights_);
  }
  // The groups in words, with members by what they are and not by their places.
  std::set<std::string> story(std::span<const WatchedMember> members) const {
    return words_of(members, group_changes(members, fleet_.catalog(), nights_));
  }
  static std::set<std::string> words_of(std::span<const WatchedMember> members,
                                        std::span<const AlertGroup> groups) {
    std::set<std::string> words;
    for (const AlertGroup& group : groups) {
      std::set<std::string> of;
      for (const std::size_t place : group.members) {
        of.insert(std::to_string(to_int(members[place].experiment)) + "." +
                  std::to_string(place_of(members[place].metric)) + "." +
                  std::to_string(members[place].change));
      }
      std::string text = std::string(alert_scope_name(group.scope)) + " " + group.backend + " " +
                         std::to_string(group.model) + " " + std::to_string(group.onset) + ":";
      for (const std::string& one : of) text += " " + one;
      words.insert(text);
    }
    return words;
  }

  /// Those that may be of a group.
  std::vector<CurrentMember> current(const Catalog& catalog) const {
    std::vector<CurrentMember> some;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].withdrawn || !members_[i].is_reported) continue;
      some.push_back({i, catalog.find(members_[i].experiment)});
    }
    return some;
  }

  Fleet fleet_;
  std::map<std::pair<int, std::string>, schema::ExperimentId> ids_;
  std::vector<NightSeries> nights_;
  std::vector<WatchedMember> members_;
};

TEST_F(Groups, LeaveOutWhatIsWithdrawnOrNotTold) {
  for (int model = 0; model < 12; ++model) add(model, "eager", 20).withdrawn = 22;
  add(3, "inductor", 20).is_reported = false;
  add(3, "inductor", 21, 1, WatchedMetric::kCompile);
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].scope, AlertScope::kModel);
  EXPECT_THAT(found[0].members, ElementsAre(13u));
  members_.pop_back();
  EXPECT_THAT(groups(), IsEmpty());
}

TEST_F(Groups, NothingIsNothing) { EXPECT_THAT(groups(), IsEmpty()); }

TEST_F(Groups, OneModelOverSeveralBackendsIsOne) {
  for (const std::string& backend : kBackends) add(3, backend, 20);
  add(3, "inductor", 20, 1, WatchedMetric::kGraphBreaks);
  add(3, "inductor", 21, 1, WatchedMetric::kCompile);
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].scope, AlertScope::kModel);
  EXPECT_EQ(found[0].model, fleet_.catalog().find(ids_.at({3, "eager"}))->model());
  EXPECT_EQ(found[0].onset, 20u);
  EXPECT_THAT(found[0].members, ElementsAre(0, 1, 2, 3, 4));
}

// A step of most of the machine that is too small for one noisy series to tell.
TEST_F(Groups, WhatACommonCauseLeavesNoDriftOfIsNoOtherCause) {
  for (int m = 0; m < 11; ++m) {
    for (const std::string& backend : kBackends) add(m, backend, 20).effect = 0.06;
  }
  add_drift(11, "eager");
  auto found = groups();
  ASSERT_THAT(found, SizeIs(1)) << "4 % are left, and 5 % would be a drift";
  EXPECT_EQ(found[0].scope, AlertScope::kMachine);
  EXPECT_THAT(found[0].members, SizeIs(34));
  EXPECT_EQ(found[0].onset, 20u);

  const WatchedMember drift = members_.back();
  members_.back().effect = 0.14;
  EXPECT_THAT(groups(), SizeIs(2)) << "more than the machine explains";
  members_.back().effect = 0.02;
  EXPECT_THAT(groups(), SizeIs(1)) << "the machine explains it all, and the model gained some";
  members_.back() = drift;
  members_.back().first_seen = 19;
  EXPECT_THAT(groups(), SizeIs(2)) << "it was there before";
  members_.back() = drift;
  members_.back().onset = members_.back().earliest = members_.back().latest = 20;
  EXPECT_THAT(groups(), SizeIs(2)) << "it is counted from what the machine had left";
  members_.back() = drift;
  for (std::size_t i = 0; i < 17; ++i) members_[i].recovered = 30;
  EXPECT_THAT(groups(), SizeIs(2)) << "most had recovered when it was seen";
  for (std::size_t i = 0; i < 17; ++i) members_[i].recovered = 36;
  EXPECT_THAT(groups(), SizeIs(1)) << "they recovered after it was seen";
  for (WatchedMember& member : members_) {
    if (member.metric == WatchedMetric::kSteady) member.worse = -1, member.effect *= -1;
  }
  EXPECT_THAT(groups(), SizeIs(2)) << "the machine got faster";
}

TEST_F(Groups, DriftGoesWithTheBackendThatItIsOn) {
  for (int m = 0; m < 6; ++m) add(m, "inductor", 20).effect = 0.08;
  add_drift(7, "inductor");
  add_drift(8, "eager");
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].scope, AlertScope::kBackend);
  EXPECT_THAT(found[0].members, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(found[1].members, ElementsAre(7));
}

// What a step that is not sure moved: the step says since when, the drift that it is there.
TEST_F(Groups, DriftIsNoOtherCauseThanTheStepOfItsSeries) {
  add_drift(3, "inductor");
  WatchedMember& step = add(3, "inductor", 22);
  step.effect = 0.09;
  const WatchedMember was = step;
  auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].onset, 22u) << "the step's";
  EXPECT_THAT(found[0].members, ElementsAre(0, 1));

  members_[1].effect = 0.3;
  EXPECT_THAT(groups(), SizeIs(2)) << "a step that the level did not make";
  members_[1] = was;
  members_[1].recovered = 30;
  EXPECT_THAT(groups(), SizeIs(2)) << "the step was over";
  members_[1] = was;
  members_[1].experiment = ids_.at({3, "eager"});
  EXPECT_THAT(groups(), SizeIs(2)) << "another series' step";
  members_[1] = was;
  members_[1].metric = WatchedMetric::kCompile;
  EXPECT_THAT(groups(), SizeIs(2)) << "of another time";
}

TEST_F(Groups, DriftsOfOneModelAreOneAndNoStepNearby) {
  add_drift(3, "inductor");
  add_drift(3, "eager").onset = 7;
  add(3, "eager", 6);
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].members, ElementsAre(2)) << "what is a step comes first";
  EXPECT_THAT(found[1].members, ElementsAre(0, 1));
}

TEST_F(Groups, TwoModelsInOneNightAreTwo) {
  add(3, "inductor", 20);
  add(7, "inductor", 20);
  EXPECT_THAT(groups(), SizeIs(2));
}

TEST_F(Groups, ThreeModelsOnOneBackendAreTheBackends) {
  add(3, "inductor", 20);
  add(5, "inductor", 21);
  add(7, "inductor", 20);
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1)) << "no other backend's times of theirs moved";
  EXPECT_EQ(found[0].scope, AlertScope::kBackend);
  EXPECT_EQ(found[0].backend, "inductor");
}

TEST_F(Groups, ThreeModelsOnAllTheirBackendsAreThreeModels) {
  for (const int model : {3, 5, 7}) {
    for (const std::string& backend : kBackends) add(model, backend, 20);
  }
  EXPECT_THAT(groups(), SizeIs(3));
}

TEST_F(Groups, HalfOfABackendIsTheBackends) {
  for (int model = 0; model < 6; ++model) add(model, "inductor", 20);
  for (int model = 0; model < 2; ++model) add(model, "eager", 20);
  const auto found = groups();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].scope, AlertScope::kBackend);
  EXPECT_EQ(found[0].backend, "inductor");
  EXPECT_THAT(found[0].members, SizeIs(6));
  EXPECT_THAT(found, SizeIs(3)) << "two of eager's are no backend: they are their models'";
}

TEST_F(Groups, OppositeDirectionsHaveNoCommonCause) {
  add(3, "inductor", 20, 1);
  add(5, "inductor", 20, -1);
  add(7, "inductor", 20, 1);
  EXPECT_THAT(groups(), SizeIs(3));
}

TEST_F(Groups, HalfOfEverythingIsTheMachine) {
  for (int model = 0; model < 12; ++model) {
    add(model, "inductor", 20);
    if (model % 2 == 0) add(model, "eager", 19 + model % 3);
  }
  ASSERT_THAT(groups(), SizeIs(1));
  EXPECT_EQ(groups()[0].scope, AlertScope::kMachine);
  EXPECT_THAT(groups()[0].members, SizeIs(18));
  members_.pop_back();
  ASSERT_FALSE(groups().empty());
  EXPECT_EQ(groups()[0].scope, AlertScope::kBackend) << "less than half of all";
}

TEST_F(Groups, HalfOfEverythingThatIsAllOfOneOfTwoBackendsIsTheBackends) {
  make(6, {"eager", "inductor"});
  for (int model = 0; model < 6; ++model) add(model, "inductor", 20);
  ASSERT_THAT(groups(), SizeIs(1));
  EXPECT_EQ(groups()[0].scope, AlertScope::kBackend);
  for (int model = 0; model < 2; ++model) add(model, "eager", 20);
  ASSERT_THAT(groups(), SizeIs(1));
  EXPECT_EQ(groups()[0].scope, AlertScope::kMachine);
}

TEST_F(Groups, WithOneBackendAllIsTheMachine) {
  make(4, {"inductor"});
  for (int model = 0; model < 4; ++model) add(model, "inductor", 20);
  ASSERT_THAT(groups(), SizeIs(1));
  EXPECT_EQ(groups()[0].scope, AlertScope::kMachine);
}

TEST_F(Groups, TheMachineNeedsThreeModels) {
  make(2, kBackends);
  for (const int model : {0, 1}) {
    for (const std::string& backend : kBackends) add(model, backend, 20);
  }
  EXPECT_THAT(groups(), SizeIs(2));
}

TEST_F(Groups, ACommonCauseTakesInWhatMovedWithinThreeNights) {
  for (int model = 0; model < 12; ++model) {
    for (const std::string& backend : kBackends) {
      if (model != 11) add(model, backend, 20);
    }
  }
  const std::size_t core = members_.size();
  add(11, "eager", 23);
  add(11, "inductor", 17, 1, WatchedMetric::kTracing);
  add_speedup(2, "eager", 22, -1);
  ASSERT_THAT(groups(), SizeIs(1));
  EXPECT_THAT(groups()[0].members, SizeIs(core + 3));
  add(11, "eager", 24).change = 1;
  EXPECT_THAT(groups(), SizeIs(2)) << "too late";
  add(11, "inductor", 20, -1);
  EXPECT_THAT(groups(), SizeIs(3)) << "the other way";
  add(5, "eager", 20, 1, WatchedMetric::kGraphBreaks);
  EXPECT_THAT(groups(), SizeIs(4)) << "no machine makes graph breaks";
}

TEST_F(Groups, ACommonCauseTakesInWhatMayHaveBegunWithIt) {
  for (int model = 0; model < 8; ++model) {
    for (const std::string& backend : kBackends) add(model, backend, 20);
  }
  WatchedMember& doubtful = add(11, "eager", 27);
  doubtful.earliest = 19;
  ASSERT_THAT(groups(), SizeIs(1));
  EXPECT_THAT(groups()[0].members, SizeIs(25));
  members_.back().earliest = 21;
  EXPECT_THAT(groups(), SizeIs(2));
}

TEST_F(Groups, WhatOneCauseTookIsNoOthers) {
  for (int model = 0; model < 8; ++model) {
    for (const std::string& backend : kBackends) add(model, backend, 20);
  }
  // Three more seem to have a cause of their own, ten nights later, but may all have begun before.
  for (const int model : {9, 10, 11}) add(model, "eager", 30).earliest = 20;
  ASSERT_THAT(groups(), SizeIs(1));
  EXPECT_THAT(groups()[0].members, SizeIs(27));
  // Where one of them did not, it is alone.
  members_.back().earliest = 29;
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].members, SizeIs(26));
  EXPECT_THAT(found[1].members, ElementsAre(26));
}

TEST_F(Groups, SpeedupsFollowTheirBaseline) {
  for (int model = 0; model < 12; ++model) {
    add(model, "inductor", 20, -1);
    add_speedup(model, "eager", 20, 1);
    add_speedup(model, "openxla+dynamo", 21, 1);
  }
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].scope, AlertScope::kBackend);
  EXPECT_EQ(found[0].backend, "inductor");
  EXPECT_THAT(found[0].members, SizeIs(36));
}

TEST_F(Groups, SpeedupsDoNotFollowABackendThatTheyAreNotAgainst) {
  for (const int model : {1, 2, 3}) {
    add(model, "eager", 20);
    add_speedup(model, "eager", 20, 1);
  }
  add_speedup(7, "openxla+dynamo", 20, 1);
  const auto found = groups();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].backend, "eager");
  EXPECT_THAT(found[0].members, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(found[1].scope, AlertScope::kModel);
}

TEST_F(Groups, AModelsChangesFarApartAreTwo) {
  add(3, "inductor", 10);
  add(3, "inductor", 20);
  EXPECT_THAT(groups(), SizeIs(2));
}

TEST_F(Groups, AChangeThatMayHaveBegunThenBelongs) {
  add(3, "inductor", 20, 1, WatchedMetric::kVerification).p_value = 0;
  WatchedMember& slow = add(3, "inductor", 26);
  slow.earliest = 19;
  EXPECT_THAT(groups(), SizeIs(1));
  EXPECT_EQ(groups()[0].onset, 20u) << "what is exact says when";
  members_.back().earliest = 21;
  EXPECT_THAT(groups(), SizeIs(2));
}

TEST_F(Groups, DoNotDependOnTheOrderOfMembers) {
  std::mt19937_64 random(1);
  const auto below = [&](std::size_t count) { return random() % count; };
  for (int round = 0; round < 60; ++round) {
    members_.clear();
    const std::size_t count = 5 + below(60);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& backend = kBackends[below(3)];
      const int worse = below(4) == 0 ? -1 : 1;
      const int model = static_cast<int>(below(12));
      const std::size_t onset = 15 + below(round % 2 == 0 ? 4 : 15);
      WatchedMember& member = below(4) == 0 && backend != "inductor"
                                  ? add_speedup(model, backend, onset, worse)
                                  : add(model, backend, onset, worse);
      member.p_value = below(3) == 0 ? 0.001 : 0.002;  // many are equally sure
      if (below(2) == 0) member.confirmed = onset + 2;
      member.effect = 0.1;
      if (below(5) == 0) member.earliest = onset - below(10);
      if (below(8) == 0) member.withdrawn = onset + 3;
      if (below(8) == 0) member.is_reported = false;
      if (below(6) == 0) add_drift(model, backend);
    }
    const auto expected = story(members_);
    const Catalog catalog = fleet_.catalog();
    EXPECT_EQ(words_of(members_, group_changes(members_, current(catalog), catalog, nights_)),
              expected)
        << round;
    for (int again = 0; again < 5; ++again) {
      auto shuffled = members_;
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      ASSERT_EQ(story(shuffled), expected) << round;
    }
  }
}

}  // namespace
}  // namespace benchhud::analysis
