// What is a run, what joins it, which line counts, whatever the order in which files came.

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "schema/results/maintenance.h"
#include "schema/results/results.h"
#include "tests/unit/ingest/store_fixture.h"

namespace benchhud::ingest {
namespace {

using schema::ResultFacts;

constexpr double kNight = 1761955200;  // 2025-11-01T00:00:00Z
constexpr double kDay = 86400;
constexpr double kHour = 3600;

class RunsAndResults : public StoreFixture {
 protected:
  // Ingests the files in every order (up to a number), each into a store of its own, results
  // derived at the end of a file and also within it, of all lines of a run at once and in the
  // smallest parts, and sees that all tell the same story. Returns it; the last store stays open.
  std::string story_in_any_order(const std::vector<std::string>& contents) {
    std::vector<std::string> files;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      files.push_back(write("file" + std::to_string(i) + ".jsonl", contents[i]));
    }
    std::vector<std::size_t> order(files.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::string told;
    int trial = 0;
    do {
      for (const std::int64_t between : {1, 16'000}) {
        open("order" + std::to_string(trial) + "-" + std::to_string(between) + ".db");
        IngestOptions options;
        options.lines_between_derivations = between;
        for (const std::size_t i : order) ingest({files[i]}, options);
        if (told.empty()) told = story();
        EXPECT_EQ(story(), told) << "order " << ::testing::PrintToString(order)
                                 << ", derived every " << between << " lines";
        for (const std::int64_t at_once : {1, 2}) {
          EXPECT_TRUE(schema::derive_all(*store_, at_once));
          EXPECT_EQ(story(), told) << "derived from " << at_once << " lines at once";
        }
      }
    } while (std::next_permutation(order.begin(), order.end()) && ++trial < 30);
    return told;
  }

  // The lines of all contents, in random order but for those of one content.
  static std::string interleaved(const std::vector<std::string>& contents, std::mt19937* random) {
    std::vector<std::string_view> rests(contents.begin(), contents.end());
    std::string all;
    while (!rests.empty()) {
      const auto rest = rests.begin() + static_cast<std::ptrdiff_t>((*random)() % rests.size());
      if (const std::size_t end = rest->find('\n'); end != std::string_view::npos) {
        all += rest->substr(0, end + 1);
        rest->remove_prefix(end + 1);
      } else {
        rests.erase(rest);
      }
    }
    return all;
  }

  ResultFacts only_result(const schema::Run& run) {
    const auto all = results(run);
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? ResultFacts() : all.front();
  }

  std::string code_of(const ResultFacts& result) {
    return result.verification ? result.verification->code : "none";
  }
};

TEST_F(RunsAndResults, AVerificationJoinsTheTimingOfItsNight) {
  const std::string timing = timed().at(kNight).text();
  const std::string check = verified("PASS").at(kNight + 2 * kHour).text();
  const std::string next = timed(0.6).at(kNight + kDay).text();
  story_in_any_order({timing, check, next});
  const auto all = runs();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(code_of(only_result(all[0])), "none");
  const ResultFacts joined = only_result(all[1]);
  EXPECT_EQ(code_of(joined), "PASS");
  EXPECT_EQ(joined.verification->verified_at, kNight + 2 * kHour);
  EXPECT_FALSE(joined.verification->shared);
  EXPECT_EQ(joined.total_time.size(), 5u);
  EXPECT_EQ(all[1].verified_at, kNight + 2 * kHour);
  // The night that was not verified finds the last one.
  const auto last = reader().last_verification(joined.experiment, all[0].started_at);
  ASSERT_TRUE(last && *last);
  EXPECT_EQ((*last)->code, "PASS");
  EXPECT_EQ((*last)->run, all[1].id);
}

TEST_F(RunsAndResults, AVerificationMovesToANearerTiming) {
  ingest_text("t1.jsonl", timed().at(kNight).text());
  ingest_text("v.jsonl", verified("PASS").at(kNight + 10 * kHour).text());
  ingest_text("t2.jsonl", timed(0.6).at(kNight + 8 * kHour).text());
  const auto all = runs();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(code_of(only_result(all[0])), "PASS");
  EXPECT_EQ(code_of(only_result(all[1])), "none");
}

TEST_F(RunsAndResults, OtherMachinesAreOtherRuns) {
  story_in_any_order({timed().at(kNight).text(), verified("PASS").on("V100").at(kNight + 60).text(),
                      timed().on("V100").at(kNight).text()});
  const auto all = runs();
  ASSERT_EQ(all.size(), 2u);
  for (const schema::Run& run : all) {
    EXPECT_EQ(code_of(only_result(run)), run.accelerator_model == "V100" ? "PASS" : "none");
  }
}

TEST_F(RunsAndResults, AVerificationOfAnotherDayStandsForItself) {
  story_in_any_order({timed().at(kNight).text(), verified("PASS").at(kNight + kDay + 1).text()});
  EXPECT_EQ(runs().size(), 2u);
}

TEST_F(RunsAndResults, OneTimestampForBothInvocations) {
  story_in_any_order(
      {timed().at(kNight).text() + timed().model("dlrm").at(kNight).text(),
       verified("PASS").at(kNight).text() + verified("FAIL").model("dlrm").at(kNight).text()});
  ASSERT_EQ(runs().size(), 1u);
  std::map<std::string, std::string> codes;
  for (const ResultFacts& result : results(only_run())) {
    codes[experiment(result.experiment).model] = code_of(result);
    EXPECT_EQ(result.total_time.size(), 5u);
  }
  EXPECT_EQ(codes["resnet18"], "PASS");
  EXPECT_EQ(codes["dlrm"], "FAIL");
}

TEST_F(RunsAndResults, ALineThatReadsTheSameInBothInvocationsIsAFactOfBoth) {
  const std::string skipped = verified("VERIFIER_SKIPPED").model("s").error("SKIP").text();
  story_in_any_order({timed().model("a").text() + timed().model("b").text() + skipped,
                      verified("PASS").model("a").text() +
                          verified("VERIFIER_DIDNT_RUN").model("b").error("time-out").text() +
                          skipped});
  std::map<std::string, ResultFacts> by_model;
  for (const ResultFacts& result : results(only_run())) {
    by_model[experiment(result.experiment).model] = result;
  }
  EXPECT_EQ(code_of(by_model["a"]), "PASS");
  EXPECT_EQ(code_of(by_model["b"]), "VERIFIER_DIDNT_RUN");
  EXPECT_FALSE(by_model["b"].failure);
  EXPECT_EQ(by_model["b"].total_time.size(), 5u);
  EXPECT_EQ(code_of(by_model["s"]), "VERIFIER_SKIPPED");
  EXPECT_TRUE(by_model["s"].failure);
}

TEST_F(RunsAndResults, BothInvocationsStrungTogetherInAThirdFile) {
  const std::string timing = timed().model("a").text() + timed().model("b").text();
  const std::string check = verified("PASS").model("a").text() +
                            verified("VERIFIER_DIDNT_RUN").model("b").error("time-out").text();
  story_in_any_order({timing, check, timing + check});
  story_in_any_order({timing, timing + check});
  story_in_any_order({check, timing + check});
  story_in_any_order({timing, check, timing + check, check + timing});
}

TEST_F(RunsAndResults, FilesThatOverlap) {
  const std::string a = timed().model("a").text(), b = timed(0.7).model("b").text(),
                    c = timed(0.9).model("c").text();
  story_in_any_order({a + b, b + c, a + b + c});
  EXPECT_EQ(results(only_run()).size(), 3u);
}

TEST_F(RunsAndResults, TheSameFailureBeforeAndAfterTheTimings) {
  const std::string failed = line().batch(nullptr).error("time-out").text();
  ingest_text("a.jsonl", failed + timed(0.5).text() + failed);
  EXPECT_TRUE(only_result(only_run()).failure);
  const std::string before = dump();
  EXPECT_EQ(ingest_text("copy.jsonl", "\n" + failed + timed(0.5).text() + failed).duplicate, 3);
  EXPECT_EQ(dump(), before);
}

TEST_F(RunsAndResults, OfTwoVerificationsAtOneTimeTheOneThatIsNoPassCounts) {
  story_in_any_order({timed().text(), verified("PASS").text(), verified("FAIL").text()});
  EXPECT_EQ(code_of(only_result(only_run())), "FAIL");
}

TEST_F(RunsAndResults, CodesOfATimingInvocationSayNothing) {
  ingest_text("a.jsonl", timed().text() +
                             line().model("dlrm").error("boom").code("VERIFIER_DIDNT_RUN").text());
  for (const ResultFacts& result : results(only_run())) EXPECT_EQ(code_of(result), "none");
}

TEST_F(RunsAndResults, EveryLineOfAVerificationIsAVerification) {
  ingest_text("v.jsonl", verified("PASS").text() +
                             verified("VERIFIER_DIDNT_RUN").model("dlrm").error("killed").text() +
                             verified("VERIFIER_SKIPPED").model("llama").error("SKIP").text());
  std::map<std::string, ResultFacts> by_model;
  for (const ResultFacts& result : results(only_run())) {
    by_model[experiment(result.experiment).model] = result;
  }
  EXPECT_EQ(code_of(by_model["dlrm"]), "VERIFIER_DIDNT_RUN");
  EXPECT_TRUE(by_model["dlrm"].verification->error);
  EXPECT_EQ(code_of(by_model["llama"]), "VERIFIER_SKIPPED");
  EXPECT_FALSE(by_model["dlrm"].failure);
}

TEST_F(RunsAndResults, AFileThatGrowsMayTurnOutToBeAVerification) {
  const std::string crashed = verified("VERIFIER_DIDNT_RUN").model("dlrm").error("killed").text();
  ingest_text("v.jsonl", crashed);
  EXPECT_TRUE(only_result(only_run()).failure);
  ingest_text("v.jsonl", crashed + verified("PASS").text());
  for (const ResultFacts& result : results(only_run())) {
    EXPECT_FALSE(result.failure);
    EXPECT_NE(code_of(result), "none");
  }
}

TEST_F(RunsAndResults, AFileThatHoldsBothIsReadLineByLine) {
  ingest_text("both.jsonl",
              timed().text() + verified("FAIL").text() +
                  line().model("dlrm").error("boom").code("VERIFIER_DIDNT_RUN").text());
  std::map<std::string, ResultFacts> by_model;
  for (const ResultFacts& result : results(only_run())) {
    by_model[experiment(result.experiment).model] = result;
  }
  EXPECT_EQ(code_of(by_model["resnet18"]), "FAIL");
  EXPECT_EQ(by_model["resnet18"].total_time.size(), 5u);
  EXPECT_TRUE(by_model["dlrm"].failure);
  EXPECT_EQ(code_of(by_model["dlrm"]), "none");
}

TEST_F(RunsAndResults, ALineOf2024WithTimingsAndAVerdictIsBoth) {
  ingest_text("old.jsonl", timed().code("VerificationCode.PASS").text());
  const ResultFacts result = only_result(only_run());
  EXPECT_EQ(code_of(result), "PASS");
  EXPECT_EQ(result.total_time.size(), 5u);
}

// --- Which line counts ---

TEST_F(RunsAndResults, TheLastLineWithTimingsCounts) {
  ingest_text("a.jsonl", timed(0.5).text() + timed(0.7).text());
  EXPECT_EQ(only_result(only_run()).total_time[1], 0.7);
}

TEST_F(RunsAndResults, ALaterFailureStandsBesideTheTimings) {
  ingest_text("a.jsonl", timed(0.5).text() + line().batch(nullptr).error("out of memory").text());
  const ResultFacts result = only_result(only_run());
  EXPECT_EQ(result.total_time[1], 0.5);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(*reader().text(*result.failure->error), "out of memory");
  EXPECT_EQ(reader().lines(result.run, result.experiment)->size(), 2u);
}

TEST_F(RunsAndResults, AnEarlierFailureIsMadeGoodByTimings) {
  ingest_text("a.jsonl", line().batch(nullptr).error("time-out").text() + timed(0.5).text());
  const ResultFacts result = only_result(only_run());
  EXPECT_EQ(result.total_time[1], 0.5);
  EXPECT_FALSE(result.failure);
}

TEST_F(RunsAndResults, ASecondVerificationWinsUnlessItReachedNoVerdict) {
  ingest_text("t.jsonl", timed().at(kNight).text());
  ingest_text("v1.jsonl", verified("FAIL").at(kNight + kHour).text());
  ingest_text("v2.jsonl", verified("PASS").at(kNight + 2 * kHour).text());
  EXPECT_EQ(code_of(only_result(only_run())), "PASS");
  ingest_text("v3.jsonl", verified("VERIFIER_DIDNT_RUN").at(kNight + 3 * kHour).text() +
                              verified("PASS").model("dlrm").at(kNight + 3 * kHour).text());
  for (const ResultFacts& result : results(only_run())) EXPECT_EQ(code_of(result), "PASS");
}

// --- Batch size unknown ---

TEST_F(RunsAndResults, ALineWithoutBatchSizeBelongsToThoseOfItsRun) {
  story_in_any_order(
      {timed(0.5).batch(8).at(kNight).text() + timed(0.9).batch(16).at(kNight).text(),
       verified("PASS").at(kNight + kHour).text(), timed(0.4).batch(4).at(kNight - kDay).text()});
  const auto all = runs();
  ASSERT_EQ(all.size(), 2u);
  const auto newest = results(all[0]);
  ASSERT_EQ(newest.size(), 2u);  // not the batch size of the night before
  for (const ResultFacts& result : newest) {
    EXPECT_EQ(code_of(result), "PASS");
    EXPECT_TRUE(result.verification->shared);
  }
}

TEST_F(RunsAndResults, WhereItsRunTimedNoneItBelongsToThoseEverTimed) {
  story_in_any_order({timed(0.5).batch(8).at(kNight).text(), timed(0.9).batch(16).at(kNight).text(),
                      line().batch(nullptr).error("crash").at(kNight + kDay).text()});
  const auto all = runs();
  ASSERT_EQ(all.size(), 2u);
  const auto crashed = results(all[0]);
  ASSERT_EQ(crashed.size(), 2u);
  for (const ResultFacts& result : crashed) {
    EXPECT_TRUE(result.failure);
    EXPECT_TRUE(result.timing_shared);
    EXPECT_TRUE(experiment(result.experiment).batch_size);
  }
}

TEST_F(RunsAndResults, WhereNoneWasEverTimedItStandsForItself) {
  ingest_text("a.jsonl", line().batch(nullptr).error("crash").text());
  const ResultFacts result = only_result(only_run());
  EXPECT_FALSE(experiment(result.experiment).batch_size);
  EXPECT_TRUE(result.failure);
  EXPECT_FALSE(result.timing_shared);
}

TEST_F(RunsAndResults, AModelWithoutBatchSizeMayBeTimed) {
  story_in_any_order(
      {timed().batch(nullptr).at(kNight).text(), verified("PASS").at(kNight + kHour).text()});
  const ResultFacts result = only_result(only_run());
  EXPECT_EQ(code_of(result), "PASS");
  EXPECT_FALSE(result.verification->shared);
}

TEST_F(RunsAndResults, AFailureThatKnowsItsBatchSizeIsOfThatOne) {
  ingest_text("a.jsonl", timed().batch(8).text() + line().batch(16).error("out of memory").text());
  EXPECT_EQ(results(only_run()).size(), 2u);
}

// --- Keys ---

TEST_F(RunsAndResults, ARunnerOfAnotherAgeGoesOnWithTheSameSeries) {
  const std::string old_line = timed().at(kNight).text();
  const std::string new_line = timed()
                                   .at(kNight + kDay)
                                   .set("/experiment/torch_xla2", nullptr)
                                   .set("/experiment/keep_model_data_on_cuda", false)
                                   .set("/experiment/experiment_name", "run_all")
                                   .set("/experiment/process_env", {{"A", "1"}})
                                   .set("/repeat", 30)
                                   .text();
  const std::string other = timed().at(kNight + 2 * kDay).set("/experiment/new_key", 3).text();
  ingest_text("a.jsonl", old_line + new_line + other);
  const auto all = runs();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(only_result(all[1]).experiment, only_result(all[2]).experiment);
  EXPECT_NE(only_result(all[0]).experiment, only_result(all[2]).experiment);
  EXPECT_THAT(experiment(only_result(all[0]).experiment).flags, ::testing::HasSubstr("new_key"));
}

// --- Names and labels ---

TEST_F(RunsAndResults, ANameJoinsWhatTimestampsPartAndLabelsAdd) {
  IngestOptions options;
  options.run_name = "release 2.6";
  options.labels = {{"pytorch", "abc123"}};
  ingest_text("a.jsonl", timed().at(kNight).text(), options);
  options.labels = {{"xla", "def456"}};
  ingest_text("b.jsonl", timed(0.6).model("dlrm").at(kNight + 3 * kDay).text(), options);
  ingest_text("v.jsonl", verified("PASS").at(kNight + 9 * kDay).text(), options);
  const schema::Run run = only_run();
  EXPECT_EQ(run.name, "release 2.6");
  EXPECT_EQ(run.started_at, kNight);
  EXPECT_EQ(run.labels.at("pytorch"), "abc123");
  EXPECT_EQ(run.labels.at("xla"), "def456");
  EXPECT_EQ(run.result_count, 2);
}

TEST_F(RunsAndResults, LabelsAreOfWhatIsNew) {
  const std::string first = timed().at(kNight).text();
  IngestOptions options;
  options.labels = {{"pytorch", "monday"}};
  ingest_text("results.jsonl", first, options);
  options.labels = {{"pytorch", "tuesday"}};
  const std::string grown = first + timed().at(kNight + kDay).text();
  const IngestResult result = ingest_text("results.jsonl", grown, options);
  EXPECT_EQ(result.files[0].report.not_labelled, 1);
  EXPECT_EQ(runs()[0].labels.at("pytorch"), "tuesday");
  EXPECT_EQ(runs()[1].labels.at("pytorch"), "monday");
  const std::string before = dump();
  options.labels = {{"pytorch", "wednesday"}};
  ingest_text("results.jsonl", grown, options);
  EXPECT_EQ(dump(), before);
}

TEST_F(RunsAndResults, ANameForLinesThatAreInAnotherRunMovesNothing) {
  ingest_text("a.jsonl", timed().text());
  const std::string before = dump();
  IngestOptions options;
  options.run_name = "other";
  const IngestResult again = ingest_text("a.jsonl", timed().text(), options);
  EXPECT_EQ(again.files[0].report.in_other_run, 1);
  EXPECT_EQ(dump(), before);
}

// --- Commands ---

TEST_F(RunsAndResults, RunsAreFoundByIdNameBeginningAndLatest) {
  ingest_text("a.jsonl", timed().at(kNight).text() + timed().at(kNight + kDay).text());
  const auto all = runs();
  EXPECT_EQ(reader().find_run("latest")->id, all[0].id);
  EXPECT_EQ(reader().find_run("2025-11-01")->id, all[1].id);
  EXPECT_EQ(reader().find_run(std::to_string(to_int(all[1].id)))->id, all[1].id);
  EXPECT_EQ(reader().find_run("2025").error().code, schema::ErrorCode::kAmbiguous);
  EXPECT_EQ(reader().find_run("2026").error().code, schema::ErrorCode::kNotFound);
  EXPECT_EQ(reader().find_run("latest", "V100").error().code, schema::ErrorCode::kNotFound);
}

TEST_F(RunsAndResults, ADeletedRunComesBackWithItsFiles) {
  const std::string timing =
      write("t.jsonl", timed().at(kNight).text() + timed().at(kNight + kDay).text());
  const std::string check = write("v.jsonl", verified("PASS").at(kNight + kHour).text());
  ingest({timing, check});
  const std::string before = story();
  ASSERT_TRUE(schema::delete_run(*store_, runs()[1]));
  EXPECT_EQ(runs().size(), 1u);
  EXPECT_NE(story(), before);
  const IngestResult again = ingest({timing, check});
  EXPECT_EQ(again.accepted, 2);
  EXPECT_EQ(again.duplicate, 1);
  EXPECT_EQ(story(), before);
}

TEST_F(RunsAndResults, MergedRunsStayMerged) {
  ingest_text("a.jsonl",
              timed().at(kNight).text() + timed(0.7).model("dlrm").at(kNight + kDay).text());
  const auto all = runs();
  ASSERT_TRUE(schema::merge_runs(*store_, all[0], all[1]));
  EXPECT_EQ(only_run().id, all[1].id);
  EXPECT_EQ(only_run().result_count, 2);
  ingest_text("v.jsonl", verified("PASS").at(kNight + kDay + kHour).text());
  EXPECT_EQ(only_run().result_count, 2);
  ASSERT_TRUE(schema::rebuild(*store_));
  EXPECT_EQ(only_run().id, all[1].id);
}

TEST_F(RunsAndResults, ARenamedRunKeepsItsIdAndIsStillJoined) {
  ingest_text("a.jsonl", timed().at(kNight).text());
  const schema::Run before = only_run();
  ASSERT_TRUE(schema::rename_run(*store_, before, "monday"));
  EXPECT_EQ(only_run().id, before.id);
  EXPECT_EQ(only_run().name, "monday");
  ingest_text("v.jsonl", verified("PASS").at(kNight + kHour).text());
  EXPECT_EQ(code_of(only_result(only_run())), "PASS");
  ingest_text("b.jsonl", timed().at(kNight + kDay).text());
  const auto taken = schema::rename_run(*store_, runs()[0], "monday");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, schema::ErrorCode::kConflict);
}

TEST_F(RunsAndResults, LabelsOfACommandWinAndCanBeTakenAway) {
  IngestOptions options;
  options.labels = {{"pytorch", "abc"}, {"xla", "def"}};
  ingest_text("a.jsonl", timed().text(), options);
  ASSERT_TRUE(
      schema::relabel_run(*store_, only_run(), {{"pytorch", "new"}, {"xla", std::nullopt}}));
  EXPECT_EQ(only_run().labels, (std::map<std::string, std::string>{{"pytorch", "new"}}));
  EXPECT_EQ(schema::audit(*store_, 10)->front().action, "relabel");
}

TEST_F(RunsAndResults, RunsByNight) {
  ingest_text("a.jsonl", timed().at(kNight).text() +
                             timed(0.7).dynamo(nullptr).at(kNight + 3 * kHour).text() +
                             timed(0.6).at(kNight + kDay).text());
  const std::string before = story();
  schema::RunGrouping grouping;
  grouping.by = schema::RunGrouping::By::kNight;
  ASSERT_TRUE(schema::regroup_runs(*store_, grouping));
  const auto nights = runs();
  ASSERT_EQ(nights.size(), 2u);
  EXPECT_EQ(nights[1].name, "2025-11-01");
  EXPECT_EQ(nights[1].result_count, 2);
  ingest_text("b.jsonl", timed(0.6).at(kNight + kDay + kHour).model("dlrm").text());
  EXPECT_EQ(runs().size(), 2u);
  ASSERT_TRUE(schema::regroup_runs(*store_, {}));
  EXPECT_EQ(runs().size(), 4u);
  EXPECT_THAT(story(), ::testing::HasSubstr(before.substr(0, before.find('\n'))));
}

TEST_F(RunsAndResults, RebuildTellsTheSameStory) {
  ingest_text("a.jsonl", timed().at(kNight).text() +
                             line().batch(nullptr).model("x").error("e").at(kNight).text());
  ingest_text("v.jsonl", verified("PASS").at(kNight + kHour).text());
  const std::string before = story();
  ASSERT_TRUE(store_->execute("DELETE FROM result"));
  ASSERT_TRUE(schema::rebuild(*store_));
  EXPECT_EQ(story(), before);
}

// A little world of nights on two machines with everything that can happen, in any order of its
// files.
TEST_F(RunsAndResults, NoOrderOfFilesTellsAnotherStory) {
  std::mt19937 random(20251101);
  std::vector<std::string> contents;
  for (int night = 0; night < 8; ++night) {
    for (const char* machine : {"A100", "V100"}) {
      std::string timing, check;
      const double time = kNight + night * kDay + (random() % 3) * kHour;
      for (const char* model : {"resnet18", "dlrm", "llama"}) {
        const int kind = static_cast<int>(random() % 6);
        auto base = timed(1 + random() % 1000 * 1e-3).model(model).on(machine).at(time);
        if (kind == 0) {
          timing += line().model(model).on(machine).at(time).batch(nullptr).error("crash").text();
        } else if (kind == 1) {
          timing += base.batch(8).text() + base.batch(16).text();
        } else {
          timing += base.batch(random() % 4 ? 8 : 32).text();
        }
        const char* codes[] = {"PASS", "FAIL", "VERIFIER_DIDNT_RUN", "EXCEPTION_RAISED"};
        check += verified(codes[random() % 4]).model(model).on(machine).at(time + 2 * kHour).text();
      }
      if (random() % 5) contents.push_back(timing);
      if (random() % 3) contents.push_back(check);
    }
  }
  std::string told;
  for (int trial = 0; trial < 12; ++trial) {
    open("world" + std::to_string(trial) + ".db");
    std::vector<std::string> files;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      files.push_back(write("world" + std::to_string(i) + ".jsonl", contents[i]));
    }
    if (trial > 0) std::shuffle(files.begin(), files.end(), random);
    IngestOptions options;
    options.lines_between_derivations = 1 + static_cast<std::int64_t>(random() % 50);
    // All in one file, too, with the invocations' lines among each other's.
    if (trial % 2) files = {write("all.jsonl", interleaved(contents, &random))};
    ingest(files, options);
    if (trial == 0) told = story();
    ASSERT_EQ(story(), told);
    ASSERT_TRUE(schema::rebuild(*store_));
    ASSERT_EQ(story(), told);
  }
  EXPECT_GT(told.size(), 1000u);
}

}  // namespace
}  // namespace benchhud::ingest
