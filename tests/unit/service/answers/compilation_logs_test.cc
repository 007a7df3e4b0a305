// Logs of TORCH_TRACE of two nights, of several ranks.
#include "service/answers/compilation_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schema/results/artifact_writer.h"
#include "schema/results/results.h"
#include "schema/results/torch_trace_store.h"
#include "service/alerts/alert_compilations.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::service {
namespace {

using schema::ArtifactResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CompilationLogs : public server::StoreFixture {
 protected:
  /// The same result on two nights.
  void SetUp() override {
    server::MadeLine later;
    later.timestamp = 2000000;
    ingest({server::MadeLine{}, later});
  }

  /// A log of one frame that breaks at `reason`, "" where it does not.
  void put(ArtifactResult result, std::optional<std::int64_t> rank, const std::string& reason,
           const std::string& name, const std::string& begun_at = "11-14 00:00:01") {
    const auto key = schema::key_of_result(*connection_, result.run, result.experiment);
    ASSERT_TRUE(key) << key.error().message;
    schema::NewArtifact artifact;
    artifact.kind = schema::ArtifactKind::kTorchTrace;
    artifact.name = name;
    artifact.path = "/" + name;
    artifact.hash = schema::content_hash(name);
    artifact.ties = {*key};
    const auto id = schema::put_artifact(*connection_, artifact);
    ASSERT_TRUE(id);
    schema::TorchTraceLog log;
    log.rank = rank;
    schema::Compilation& one = log.compilations.emplace_back();
    one.compile_id = "0/0";
    one.logged_at = begun_at;
    one.frame_name = "forward";
    for (std::string* list :
         {&one.phases, &one.restarts, &one.graph_breaks, &one.recompiles, &one.caches}) {
      *list = "[]";
    }
    if (!reason.empty()) one.graph_breaks = "[\"" + reason + "\"]";
    ASSERT_TRUE(schema::put_torch_trace(*connection_, *id, log));
  }

  template <class Put>
  void fill(Put put) {
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    put();
    ASSERT_TRUE(schema::next_revision(*connection_));
    ASSERT_TRUE(transaction->commit());
  }

  CompilationLogsDiff diff() {
    schema::Reader reader(*connection_);
    auto made = diff_of_compilations(reader, before_, after_);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }

  const ArtifactResult before_{schema::RunId{1}, schema::ExperimentId{1}};
  const ArtifactResult after_{schema::RunId{2}, schema::ExperimentId{1}};
};

TEST_F(CompilationLogs, RanksAreComparedWithThemselves) {
  fill([&] {
    for (const int rank : {0, 1, 2}) put(before_, rank, "", "was" + std::to_string(rank));
    put(after_, 2, "call to print", "a");
    put(after_, 0, "call to print", "b");
    put(after_, 3, "", "c");
  });
  const CompilationLogsDiff made = diff();
  ASSERT_THAT(made.pairs, SizeIs(2));
  EXPECT_EQ(made.pairs[0].before.name, "was0");
  EXPECT_EQ(made.pairs[0].after.name, "b");
  EXPECT_EQ(made.pairs[1].rank, 2);
  EXPECT_THAT(made.unknown,
              ElementsAre(HasSubstr("Of rank 1 there are 1 log before and 0 logs after"),
                          HasSubstr("Of rank 3 there are 0 logs before and 1 log after")));
  EXPECT_THAT(compilation_parts(made),
              ElementsAre("1 graph break more in forward: call to print", "alike in all 2 logs"));
}

TEST_F(CompilationLogs, WhatRanksDidOtherwiseIsSaidOfEach) {
  fill([&] {
    for (const int rank : {0, 1, 2}) put(before_, rank, "", "was" + std::to_string(rank));
    put(after_, 0, "call to print", "is0");
    put(after_, 1, "call to id", "is1");
    put(after_, 2, "", "is2");
  });
  EXPECT_EQ(compilation_sentence(diff()),
            "rank 0: 1 graph break more in forward: call to print; rank 1: 1 graph break more in "
            "forward: call to id");
}

TEST_F(CompilationLogs, ProcessesWithoutARankArePairedAsTheyBegan) {
  fill([&] {
    put(before_, {}, "first", "x", "11-14 00:00:01");
    put(before_, {}, "second", "y", "11-14 00:00:02");
    put(after_, {}, "second", "x", "11-15 00:00:09");
    put(after_, {}, "first", "z", "11-15 00:00:08");
  });
  const CompilationLogsDiff made = diff();
  ASSERT_THAT(made.pairs, SizeIs(2));
  EXPECT_THAT(made.unknown, IsEmpty());
  EXPECT_EQ(compilation_sentence(made), "");
}

TEST_F(CompilationLogs, OneLogOnEachSideIsNotOfOneProcessWhereRanksDiffer) {
  fill([&] {
    put(before_, 0, "", "was");
    put(after_, 1, "call to print", "is");
  });
  const CompilationLogsDiff made = diff();
  EXPECT_THAT(made.pairs, IsEmpty());
  EXPECT_THAT(made.unknown, SizeIs(2));
}

TEST_F(CompilationLogs, OneLogOnEachSideIsOfOneProcessWhereOneNamesNoRank) {
  fill([&] {
    put(before_, {}, "", "was");
    put(after_, 0, "call to print", "is");
  });
  EXPECT_EQ(compilation_sentence(diff()), "1 graph break more in forward: call to print");
}

TEST_F(CompilationLogs, AnAlertSaysWhatCouldNotBeComparedAndGivesNoVerdictOfIt) {
  schema::Alert alert;
  alert.last_good = before_.run;
  alert.first_bad = after_.run;
  schema::AlertDetails details;
  details.members.emplace_back().experiment_id = before_.experiment;
  const auto causes = [&] {
    schema::Reader reader(*connection_);
    auto found = compilation_causes(reader, alert, details);
    EXPECT_TRUE(found) << found.error().message;
    return *std::move(found);
  };
  EXPECT_THAT(causes(), IsEmpty()) << "there is no log";
  fill([&] {
    put(before_, 0, "", "was0");
    put(after_, 1, "", "is1");
  });
  ASSERT_THAT(causes(), SizeIs(1));
  EXPECT_EQ(causes()[0].title, "the logs of TORCH_TRACE of the two nights could not be compared");
  EXPECT_FALSE(causes()[0].explains);
  EXPECT_THAT(causes()[0].lines, ElementsAre(HasSubstr("not known: Of rank 0 there are 1 log"),
                                             HasSubstr("not known: Of rank 1 there are 0 logs")));
  fill([&] { put(after_, 0, "", "is0"); });
  ASSERT_THAT(causes(), SizeIs(1));
  EXPECT_THAT(causes()[0].title, HasSubstr("of what could be compared"));
  EXPECT_FALSE(causes()[0].explains);
}

TEST_F(CompilationLogs, RunsWithALogAreFoundWithoutThoseOfOtherDumps) {
  EXPECT_THAT(*schema::runs_with_torch_trace(*connection_, before_.experiment), IsEmpty());
  fill([&] { put(after_, 0, "", "is"); });
  EXPECT_THAT(*schema::runs_with_torch_trace(*connection_, before_.experiment),
              ElementsAre(after_.run));
}

TEST_F(CompilationLogs, WithoutALogNothingIsSaid) {
  const CompilationLogsDiff made = diff();
  EXPECT_THAT(made.pairs, IsEmpty());
  EXPECT_EQ(compilation_sentence(made), "");
  schema::Reader reader(*connection_);
  EXPECT_FALSE(*has_compilation_log(reader, before_));
}

}  // namespace
}  // namespace benchhud::service
