// What differences come to, in sentences.

#include "analysis/profiles/profile_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benchhud::analysis {
namespace {

using schema::ArtifactKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Topic = ProfileFinding::Topic;

ProfileComparison compared(ArtifactKind kind, const char* of, ProfileUnit unit,
                           std::vector<ProfileItem> before, std::vector<ProfileItem> after) {
  const ProfileSection was{of, unit, std::move(before), {}}, is{of, unit, std::move(after), {}};
  return {kind, "", compare_sections({was}, {is})};
}

TEST(ProfileFindings, GraphBreaksComeFirstWithTheirReasons) {
  const auto findings = profile_findings({
      compared(ArtifactKind::kOperatorTable, "self CPU time", ProfileUnit::kNs,
               {{"aten::mm", 1e6, 1}}, {{"aten::mm", 1.5e6, 1}}),
      compared(ArtifactKind::kDynamoCounters, "counters", ProfileUnit::kCount,
               {{"stats: unique_graphs", 1, 1}},
               {{"stats: unique_graphs", 3, 3}, {"graph_break: call to print", 2, 2}}),
  });
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].topic, Topic::kGraphBreaks);
  EXPECT_THAT(findings[0].sentence, HasSubstr("graph_break: call to print is new (2)"));
  EXPECT_THAT(findings[0].names, ElementsAre("graph_break: call to print"));
  EXPECT_EQ(findings[1].topic, Topic::kOperators);
  EXPECT_EQ(findings[2].topic, Topic::kCompilation);
  EXPECT_THAT(findings[2].sentence, HasSubstr("stats: unique_graphs 1 → 3"));
}

TEST(ProfileFindings, TimesSayWhatTheChangeWentTo) {
  const auto findings = profile_findings({compared(
      ArtifactKind::kOperatorTable, "self CPU time", ProfileUnit::kNs,
      {{"a", 10e6, 1}, {"b", 10e6, 1}}, {{"a", 9e6, 1}, {"b", 14e6, 1}, {"new", 1e6, 2}})});
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_THAT(findings[0].sentence, HasSubstr("20 ms → 24 ms (+20 %)"));
  EXPECT_THAT(findings[0].sentence, HasSubstr("b +4 ms (100 % of the change)"));
  // What became faster does not explain that the whole became slower.
  EXPECT_THAT(findings[0].sentence, Not(HasSubstr("a -1")));
  EXPECT_THAT(findings[0].names, ElementsAre("b", "new"));
  EXPECT_THAT(findings[1].sentence, HasSubstr("not there: new (1 ms self CPU time)."));
}

TEST(ProfileFindings, PercentagesAreOfSomething) {
  const auto of = [](double a, double b, double a_now, double b_now) {
    return profile_findings(
        {compared(ArtifactKind::kOperatorTable, "self CPU time", ProfileUnit::kNs,
                  {{"a", a, 1}, {"b", b, 1}}, {{"a", a_now, 1}, {"b", b_now, 1}})});
  };
  // One grew by seven times the whole, as the other shrank: no share of the whole.
  const auto offset = of(10e6, 10e6, 24e6, 1e6);
  ASSERT_THAT(offset, SizeIs(1));
  EXPECT_THAT(offset[0].sentence, HasSubstr("a +14 ms"));
  EXPECT_THAT(offset[0].sentence, Not(HasSubstr("of the change")));
  // A multiple is none.
  const auto multiple = of(1e6, 0, 41e6, 0);
  ASSERT_THAT(multiple, SizeIs(1));
  EXPECT_THAT(multiple[0].sentence, HasSubstr("1 ms → 41 ms (× 41)"));
}

TEST(ProfileFindings, ATotalThatHardlyChangedHasNoShares) {
  const auto difference = compare_sections(
      {ProfileSection{"self CPU time", ProfileUnit::kNs, {{"a", 10e6, 1}, {"b", 10e6, 1}}, {}}},
      {ProfileSection{"self CPU time", ProfileUnit::kNs, {{"a", 12e6, 1}, {"b", 8.1e6, 1}}, {}}});
  ASSERT_THAT(difference, SizeIs(1));
  for (const auto& change : difference[0].difference.changes) EXPECT_FALSE(change.share);
}

TEST(ProfileFindings, ATraceCountsAndLeavesTimesToTheTable) {
  const auto times = [](ArtifactKind kind, const char* of) {
    return compared(kind, of, ProfileUnit::kNs, {{"a", 1e6, 1}}, {{"a", 2e6, 1}});
  };
  const auto counts =
      compared(ArtifactKind::kTrace, "counts", ProfileUnit::kCount, {}, {{"graph breaks", 2, 2}});
  const auto both = profile_findings({counts, times(ArtifactKind::kTrace, "self time on the host"),
                                      times(ArtifactKind::kOperatorTable, "self CPU time")});
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_EQ(both[0].sentence, "Graph breaks: graph breaks 0 → 2.");
  EXPECT_EQ(both[1].kind, ArtifactKind::kOperatorTable);
  EXPECT_THAT(profile_findings({times(ArtifactKind::kTrace, "self time on the host")}), SizeIs(1));
}

TEST(ProfileFindings, NoiseAndCachesAreNotSaid) {
  EXPECT_THAT(
      profile_findings({compared(ArtifactKind::kOperatorTable, "self CPU time", ProfileUnit::kNs,
                                 {{"a", 100e6, 1}}, {{"a", 101e6, 1}}),
                        compared(ArtifactKind::kDynamoCounters, "counters", ProfileUnit::kCount, {},
                                 {{"inductor: fxgraph_cache_hit", 3, 3},
                                  {"aot_autograd: autograd_cache_miss", 1, 1}})}),
      IsEmpty());
}

TEST(ProfileFindings, AReasonMayNameACache) {
  const auto findings =
      profile_findings({compared(ArtifactKind::kDynamoCounters, "counters", ProfileUnit::kCount, {},
                                 {{"graph_break: call to a lru_cache wrapped function", 3, 3},
                                  {"graph_break: Unsupported DynamicCache", 2, 2},
                                  {"recompiles: hit config.cache_size_limit", 1, 1},
                                  {"inductor: fxgraph_cache_miss", 9, 9}})});
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].topic, Topic::kGraphBreaks);
  EXPECT_THAT(findings[0].names, ElementsAre("graph_break: call to a lru_cache wrapped function",
                                             "graph_break: Unsupported DynamicCache"));
  EXPECT_EQ(findings[1].topic, Topic::kRecompilations);
  EXPECT_THAT(findings[1].names, ElementsAre("recompiles: hit config.cache_size_limit"));
}

TEST(ProfileFindings, AnOperatorThatAppearedIsNamedOnceWithTheLargerOfItsTimes) {
  const auto sections = [](std::vector<ProfileItem> host, std::vector<ProfileItem> device) {
    return std::vector<ProfileSection>{{"self CPU time", ProfileUnit::kNs, std::move(host), {}},
                                       {"self CUDA time", ProfileUnit::kNs, std::move(device), {}}};
  };
  const auto before = sections({{"a", 10e6, 1}, {"old", 2e6, 1}}, {{"a", 5e6, 1}, {"old", 0, 1}});
  const auto after = sections({{"a", 10e6, 1}, {"triton_x", 0, 4}, {"nothing", 0, 1}},
                              {{"a", 5e6, 1}, {"triton_x", 3e6, 4}, {"nothing", 0, 1}});
  const auto findings =
      profile_findings({{ArtifactKind::kOperatorTable, "", compare_sections(before, after)}});
  std::vector<std::string> said;
  for (const auto& finding : findings) {
    if (finding.sentence.starts_with("Operators")) said.push_back(finding.sentence);
  }
  EXPECT_THAT(said, ElementsAre("Operators that were not there: triton_x (3 ms self CUDA time).",
                                "Operators that are gone: old (2 ms self CPU time)."));
}

TEST(ProfileFindings, NoOperatorIsNewBecauseItsTableHasAColumnMore) {
  const ProfileSection host{"self CPU time", ProfileUnit::kNs, {{"a", 1e6, 1}}, {}};
  const ProfileSection device{"self CUDA time", ProfileUnit::kNs, {{"a", 1e6, 1}}, {}};
  for (const auto& finding : profile_findings(
           {{ArtifactKind::kOperatorTable, "", compare_sections({host}, {host, device})}})) {
    EXPECT_THAT(finding.sentence, Not(HasSubstr("not there")));
  }
}

TEST(ProfileFindings, TimesThatContainEachOtherAreJudgedEachByItself) {
  const auto times = [](double compile, double execute, double transfer) {
    return std::vector<ProfileSection>{{"time of metrics",
                                        ProfileUnit::kNs,
                                        {{"CompileTime", compile, 3},
                                         {"ExecuteTime", execute, 100},
                                         {"TransferToDeviceTime", transfer, 10}},
                                        {},
                                        true}};
  };
  const auto findings =
      profile_findings({{ArtifactKind::kXlaMetrics, "",
                         compare_sections(times(0.5e9, 60e9, 1e9), times(1e9, 60.1e9, 2e9))}});
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].topic, Topic::kOperators);
  EXPECT_EQ(findings[0].sentence, "time of metrics: TransferToDeviceTime 1 s → 2 s (+100 %).");
  EXPECT_EQ(findings[1].topic, Topic::kCompilation);
  EXPECT_EQ(findings[1].sentence, "CompileTime 500 ms → 1 s (+100 %).");
  EXPECT_THAT(findings[1].names, ElementsAre("CompileTime"));
}

TEST(ProfileFindings, AFindingSaysWhichPartItIsOf) {
  auto comparison = compared(ArtifactKind::kIr, "counts", ProfileUnit::kCount,
                             {{"instructions", 4, 4}}, {{"instructions", 5, 5}});
  comparison.part = "after_optimizations";
  const auto findings = profile_findings({comparison});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].part, "after_optimizations");
}

TEST(ProfileFindings, FallbacksAreOfMetricsReportsOnly) {
  const std::vector<ProfileItem> before, after{{"aten::nonzero_static", 3, 3}};
  EXPECT_THAT(profile_findings({compared(ArtifactKind::kDynamoCounters, "counters",
                                         ProfileUnit::kCount, before, after)}),
              IsEmpty());
  const auto findings = profile_findings(
      {compared(ArtifactKind::kXlaMetrics, "counters", ProfileUnit::kCount, before, after)});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].topic, Topic::kFallbacks);
}

TEST(ProfileFindings, NamesAreWhatASentenceCanHold) {
  const std::string hostile = "x\n\r\x1b[31m" + std::string(100'000, 'y');
  const auto findings =
      profile_findings({compared(ArtifactKind::kOperatorTable, "self CPU time", ProfileUnit::kNs,
                                 {{"a", 10e6, 1}}, {{"a", 10e6, 1}, {hostile, 10e6, 1}}),
                        compared(ArtifactKind::kDynamoCounters, "counters", ProfileUnit::kCount,
                                 {{"b", 1, 1}}, {{"b", 1, 1}, {"graph_break: " + hostile, 2, 2}})});
  ASSERT_THAT(findings, SizeIs(3));
  for (const ProfileFinding& finding : findings) {
    EXPECT_LT(finding.sentence.size(), 400U);
    for (const char* const control : {"\n", "\r", "\x1b"}) {
      EXPECT_THAT(finding.sentence, Not(HasSubstr(control)));
    }
  }
}

TEST(ProfileFindings, LongListsEndWithACount) {
  std::vector<ProfileItem> many;
  for (int i = 0; i < 40; ++i) many.push_back({"graph_break: r" + std::to_string(i), 1, 1});
  const auto findings = profile_findings(
      {compared(ArtifactKind::kDynamoCounters, "counters", ProfileUnit::kCount, {}, many)});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].names, SizeIs(5));
  EXPECT_THAT(findings[0].sentence, HasSubstr("and 35 more."));
}

}  // namespace
}  // namespace benchhud::analysis
