// Dumps of two results set against each other, of which more than a runner leaves in a test's time.
#include "service/answers/result_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schema/db/text_store.h"
#include "schema/results/artifact_writer.h"
#include "schema/results/results.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::service {
namespace {

using schema::ArtifactKind;
using schema::ArtifactResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A module of so many additions.
std::string module_text(int additions) {
  std::string text = "HloModule jit_f\n\nENTRY main {\n  a0 = f32[2]{0} parameter(0)\n";
  for (int i = 1; i <= additions; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    text += "  a" + std::to_string(i) + " = f32[2]{0} add(" + before + ", " + before + ")\n";
  }
  return text + "}\n";
}

std::string module_file(int number, const char* pass) {
  return "module_" + std::to_string(1000 + number) + ".jit_f." + pass + ".txt";
}

class ResultDiffs : public server::StoreFixture {
 protected:
  /// The same result on two nights.
  void SetUp() override {
    server::MadeLine later;
    later.timestamp = 2000000;
    ingest({server::MadeLine{}, later});
  }

  void put(ArtifactResult result, ArtifactKind kind, std::optional<std::int64_t> repetition,
           const std::string& part, const std::string& text) {
    const auto key = schema::key_of_result(*connection_, result.run, result.experiment);
    ASSERT_TRUE(key) << key.error().message;
    schema::TextWriter texts(*connection_);
    const auto id = texts.put(schema::pack_text(text));
    ASSERT_TRUE(id);
    schema::NewArtifact artifact;
    artifact.kind = kind;
    artifact.name = (repetition ? std::to_string(*repetition) + "/" : "") +
                    std::string(artifact_kind_name(kind)) + part;
    artifact.path = "/" + artifact.name;
    artifact.repetition = repetition;
    artifact.part = part;
    artifact.hash = schema::content_hash(text);
    artifact.byte_count = static_cast<std::int64_t>(text.size());
    artifact.text = *id;
    artifact.ties = {*key};
    ASSERT_TRUE(schema::put_artifact(*connection_, artifact));
  }
  void put_module(ArtifactResult result, int number, int additions,
                  const char* pass = "after_optimizations") {
    put(result, ArtifactKind::kIr, {}, module_file(number, pass), module_text(additions));
  }

  /// What `put` puts becomes seen at once: a transaction a dump would take its time.
  template <class Put>
  void fill(Put put) {
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    put();
    ASSERT_TRUE(schema::next_revision(*connection_));
    ASSERT_TRUE(transaction->commit());
  }

  ResultDiff diff(std::int64_t most_text = kMostTextOfDiff) {
    schema::Reader reader(*connection_);
    auto made = diff_of_results(reader, before_, after_, most_text);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }

  static double total(const ArtifactSum& sum, std::string_view name) {
    for (const auto& section : sum.sections) {
      for (const auto& change : section.difference.changes) {
        if (change.name == name) return change.after - change.before;
      }
    }
    return 0;
  }

  const ArtifactResult before_{schema::RunId{1}, schema::ExperimentId{1}};
  const ArtifactResult after_{schema::RunId{2}, schema::ExperimentId{1}};
};

TEST_F(ResultDiffs, ModulesOfAFolderCountTogether) {
  fill([&] {
    for (int i = 0; i < 40; ++i) {
      put_module(before_, i, 3);
      put_module(after_, i, 4);
    }
    put_module(after_, 40, 4);
  });
  const ResultDiff made = diff();
  EXPECT_THAT(made.pairs, SizeIs(40));
  EXPECT_THAT(made.only_before, IsEmpty());
  EXPECT_THAT(made.only_after, SizeIs(1));
  EXPECT_THAT(made.left_out, IsEmpty());
  for (const ArtifactPair& pair : made.pairs) EXPECT_FALSE(pair.sections || pair.is_telling);
  ASSERT_THAT(made.sums, SizeIs(1));
  EXPECT_EQ(made.sums[0].part, "after_optimizations");
  EXPECT_EQ(made.sums[0].before_count, 40U);
  EXPECT_EQ(made.sums[0].after_count, 41U);
  EXPECT_EQ(total(made.sums[0], "add"), 41 * 4 - 40 * 3);
  // A sentence a section, not one a module.
  ASSERT_FALSE(made.findings.empty());
  EXPECT_LE(made.findings.size(), 4U);
  EXPECT_EQ(made.findings[0].part, "") << "there is one sum: nothing to tell it from";
}

TEST_F(ResultDiffs, PassesAreSummedApartAndSaid) {
  fill([&] {
    for (int i = 0; i < 2; ++i) {
      for (const char* const pass : {"before_optimizations", "sm_8.0_gpu_after_optimizations"}) {
        put_module(before_, i, 3, pass);
        put_module(after_, i, 5, pass);
      }
    }
  });
  const ResultDiff made = diff();
  ASSERT_THAT(made.sums, SizeIs(2));
  EXPECT_EQ(made.sums[0].part, "after_optimizations");
  EXPECT_EQ(made.sums[1].part, "before_optimizations");
  ASSERT_FALSE(made.findings.empty());
  EXPECT_EQ(made.findings.front().part, "after_optimizations");
  EXPECT_EQ(made.findings.back().part, "before_optimizations");
}

TEST_F(ResultDiffs, WhatIsTooMuchIsLeftOutAndSaid) {
  fill([&] {
    for (int i = 0; i < 4; ++i) {
      put_module(before_, i, 3);
      put_module(after_, i, 4);
    }
    put_module(after_, 4, 4);
  });
  const auto of_pair = static_cast<std::int64_t>(module_text(3).size() + module_text(4).size());
  const ResultDiff made = diff(2 * of_pair);
  ASSERT_THAT(made.sums, SizeIs(1));
  EXPECT_EQ(made.sums[0].before_count, 2U);
  EXPECT_EQ(made.sums[0].after_count, 2U) << "each side lacks the same";
  ASSERT_THAT(made.left_out, SizeIs(1));
  EXPECT_EQ(made.left_out[0].dumps, 5U);
  EXPECT_EQ(made.left_out[0].bytes, 2 * of_pair + static_cast<std::int64_t>(module_text(4).size()));
  EXPECT_THAT(diff(1).sums, IsEmpty());
}

TEST_F(ResultDiffs, OfOtherKindsOneRepetitionTells) {
  fill([&] {
    for (const std::int64_t repetition : {0, 1, 2}) {
      const std::string count = std::to_string(repetition + 1);
      put(before_, ArtifactKind::kDynamoCounters, repetition, "", "{}");
      put(after_, ArtifactKind::kDynamoCounters, repetition, "",
          R"({"graph_break": {"call to a lru_cache wrapped function": )" + count + "}}");
    }
    put(before_, ArtifactKind::kDynamoCounters, {}, "", "{}");
    put(after_, ArtifactKind::kDynamoCounters, {}, "", R"({"graph_break": {"of all": 1}})");
  });
  const ResultDiff made = diff();
  ASSERT_THAT(made.pairs, SizeIs(4));
  for (const ArtifactPair& pair : made.pairs) {
    EXPECT_EQ(pair.is_telling, pair.before.repetition == 0);
    EXPECT_EQ(pair.sections.has_value(), pair.is_telling);
  }
  ASSERT_THAT(made.findings, SizeIs(1));
  EXPECT_THAT(made.findings[0].sentence, HasSubstr("lru_cache wrapped function is new (1)"));
  const ResultDiff none = diff(1);
  EXPECT_THAT(none.findings, IsEmpty());
  ASSERT_THAT(none.left_out, SizeIs(1));
  EXPECT_EQ(none.left_out[0].kind, ArtifactKind::kDynamoCounters);
}

TEST_F(ResultDiffs, AThousandAndMoreAreAllPaired) {
  fill([&] {
    for (int i = 0; i < 1005; ++i) {
      put_module(before_, i, 1);
      put_module(after_, i, 1);
    }
    put_module(before_, 1005, 2);
  });
  const ResultDiff made = diff();
  EXPECT_THAT(made.pairs, SizeIs(1005));
  EXPECT_THAT(made.only_before, SizeIs(1));
  EXPECT_THAT(made.only_after, IsEmpty());
  EXPECT_EQ(made.sums[0].before_count, 1006U);
  const auto answer =
      server::get_json(*app(), "/profile-diff?before_run=1&before_experiment=1&run=2&experiment=1");
  EXPECT_EQ(answer["pair_count"], 1005);
  EXPECT_EQ(answer["pairs"].size(), 1000U);
  EXPECT_EQ(answer["only_before_count"], 1);
  EXPECT_TRUE(answer["pairs"][0]["sections"].is_null());
}

}  // namespace
}  // namespace benchhud::service
