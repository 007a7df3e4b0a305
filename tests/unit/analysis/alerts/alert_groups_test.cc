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

/// Changes in a fleet of models × backends.
class Groups : public testing::Test {
 protected:
  Groups() { make(12, kBackends); }

  void make(int models, const std::vector<std::string>& backends) {
    fleet_ = Fleet();
    ids_.clear();
    for (int m = 0; m < models; ++m) {
      for (const std::string& backend : backends) {
        ids_[std::pair(m, backend)] = fleet_.add("m" + std::to_string(m), backend);
      }
    }
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
    const Catalog catalog = fleet_.catalog();
    return group_changes(members_, all_of(members_, catalog), catalog);
  }
  // The groups in words, with members by what they are and not by their places.
  std::set<std::string> story(std::span<const WatchedMember> members) const {
    const Catalog catalog = fleet_.catalog();
    return words_of(members, group_changes(members, all_of(members, catalog), catalog));
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

  static std::vector<CurrentMember> all_of(std::span<const WatchedMember> members,
                                           const Catalog& catalog) {
    std::vector<CurrentMember> all;
    for (std::size_t i = 0; i < members.size(); ++i) {
      all.push_back({i, catalog.find(members[i].experiment)});
    }
    return all;
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

TEST_F(Groups, ThreeModelsOnAllTheirBackendsAreThreeModels) {
  for (const int model : {3, 5, 7}) {
    for (const std::string& backend : kBackends) add(model, backend, 20);
  }
  EXPECT_THAT(groups(), SizeIs(3));
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
    EXPECT_EQ(words_of(members_, group_changes(members_, current(catalog), catalog)), expected)
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
