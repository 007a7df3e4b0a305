// Dumps into a store: which results they belong to, what is known again, what cannot be read.

#include "ingest/pipeline/dump_ingest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "schema/results/artifact_writer.h"
#include "schema/results/maintenance.h"
#include "schema/results/results.h"
#include "schema/results/torch_trace_store.h"
#include "schema/store/store_lock.h"
#include "tests/unit/ingest/store_fixture.h"
#include "tests/unit/ingest/xplane/xplane_writer.h"
#include "trace/trace_store.h"
#include "trace/xla_profile_store.h"

namespace benchhud::ingest {
namespace {

using schema::Artifact;
using schema::ArtifactFilter;
using schema::ArtifactKind;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kBase = "cpu-inductor-False-eval-None-None-None-resnet";
constexpr const char* kCounters = R"({"graph_break": {"print": 2}})";
constexpr const char* kTrace = R"([{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}])";

std::string line(double timestamp, const std::string& batch_size = "4",
                 const std::string& metrics = R"({"total_time": [1, 2, 3, 4]})") {
  return R"({"model": {"suite_name": "s", "model_name": "resnet"}, "experiment": {"accelerator": )"
         R"("cpu", "accelerator_model": "c", "xla": null, "dynamo": "inductor", "test": "eval", )"
         R"("batch_size": )" +
         batch_size + R"(}, "metrics": )" + metrics + R"(, "timestamp": )" +
         std::to_string(timestamp) + "}\n";
}

class Dumps : public StoreFixture {
 protected:
  std::string counters(const std::string& folder, const std::string& text = kCounters) {
    return write(folder + "/resnet/0/dynamo-counters-" + kBase + ".txt", text);
  }
  std::string trace(const std::string& folder, const std::string& text = kTrace) {
    return write(folder + "/resnet/0/trace-" + std::string(kBase) + ".json", text);
  }

  std::vector<Artifact> artifacts(const ArtifactFilter& filter = {}) {
    auto found = reader().artifacts(filter);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *std::move(found) : std::vector<Artifact>();
  }
  Artifact only_artifact() {
    auto all = artifacts();
    EXPECT_THAT(all, SizeIs(1));
    return all.empty() ? Artifact() : all.front();
  }
};

TEST_F(Dumps, BelongToTheResultThatTheirNameTells) {
  write("n1/results.jsonl", line(1000));
  write("n2/results.jsonl", line(2000));
  counters("n1");
  counters("n2");
  const IngestResult done = ingest_folder(".");
  EXPECT_EQ(done.new_dumps, 2);
  EXPECT_EQ(done.orphaned_dumps, 0);
  // The same bytes on two nights are two dumps.
  ASSERT_THAT(artifacts(), SizeIs(2));
  for (const schema::Run& run : runs()) {
    ArtifactFilter filter;
    filter.run = run.id;
    const auto of_run = artifacts(filter);
    ASSERT_THAT(of_run, SizeIs(1));
    ASSERT_THAT(of_run[0].results, SizeIs(1));
    EXPECT_EQ(of_run[0].results[0].run, run.id);
    filter.result = of_run[0].results[0];
    EXPECT_THAT(artifacts(filter), SizeIs(1));
    EXPECT_EQ(of_run[0].repetition, 0);
    EXPECT_EQ(*reader().text(*of_run[0].text), kCounters);
  }
}

TEST_F(Dumps, ShareATurnOfTheStoreWhileTheyAreSmallAndItIsShort) {
  const std::string store = (folder_ / "store.db").string();
  std::vector<std::string> files;
  const auto add = [&](const std::string& name, int graph_breaks) {
    files.push_back(
        counters(name, fmt::format(R"({{"graph_break": {{"print": {}}}}})", graph_breaks)));
  };
  for (int i = 0; i < 20; ++i) add(fmt::format("n{}", i), i);
  const std::string large = std::string(100'000, ' ') + kCounters;
  files.push_back(counters("large", large));
  std::vector<bool> is_free;
  bool dawdles = false;
  IngestOptions options;
  options.turns.emplace(store, "work", schema::LockPatience{});
  options.on_progress = [&](const Progress&) {
    is_free.push_back(schema::StoreLock::take(store, "another's work", {}).has_value());
    // Longer than a turn is.
    if (dawdles) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  const auto ingest_dumps = [&] {
    const auto done = ingest_files(*store_, {{}, files}, options);
    return done ? done->new_dumps : -1;
  };
  EXPECT_EQ(ingest_dumps(), 21);
  ASSERT_THAT(is_free, SizeIs(21));
  EXPECT_TRUE(is_free.front());
  EXPECT_THAT(is_free, testing::Contains(false));
  EXPECT_TRUE(is_free.back()) << "nobody waits while a large one is read";
  EXPECT_TRUE(schema::StoreLock::take(store, "another's work", {})) << "it ends with the files";

  files.clear();
  is_free.clear();
  dawdles = true;
  for (int i = 20; i < 23; ++i) add(fmt::format("n{}", i), i);
  EXPECT_EQ(ingest_dumps(), 3);
  EXPECT_THAT(is_free, testing::ElementsAre(true, testing::_, true));
}

TEST_F(Dumps, BelongToResultsWhoseTimesAreShifted) {
  write("n1/results.jsonl", line(1000));
  counters("n1");
  IngestOptions options;
  options.shift_times_to = 1e9;
  const IngestResult done = ingest_folder(".", options);
  EXPECT_GT(done.shift_weeks, 1000);
  EXPECT_EQ(done.orphaned_dumps, 0);
  ASSERT_THAT(only_artifact().results, SizeIs(1));
  EXPECT_EQ(only_artifact().results[0].run, only_run().id);
}

TEST_F(Dumps, ModulesInAFolderHloBelongToTheOneResultThatXlaCompiled) {
  const auto with_xla = [](const std::string& batch_size) {
    std::string text = line(1000, batch_size);
    const std::string null = R"("xla": null)";
    return text.replace(text.find(null), null.size(), R"("xla": "PJRT")");
  };
  const std::string module = "HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n";
  write("one/results.jsonl", line(1000) + with_xla("4"));
  write("one/resnet/hlo/module_0001.m.before_optimizations.txt", module);
  write("two/results.jsonl", with_xla("4") + with_xla("8"));
  write("two/resnet/hlo/module_0001.m.before_optimizations.txt", module + "\n");
  EXPECT_EQ(ingest_folder("one").orphaned_dumps, 0);
  ASSERT_THAT(only_artifact().results, SizeIs(1));
  EXPECT_EQ(only_artifact().kind, ArtifactKind::kIr);
  EXPECT_EQ(ingest_folder("two").orphaned_dumps, 1);
}

TEST_F(Dumps, ATraceBeyondItsBudgetIsUnreadableAndTheRestGoesIn) {
  write("n/results.jsonl", line(1000));
  std::string names = "[";
  for (int i = 0; i < 70; ++i) {
    names += R"({"ph":"X","ts":1,"dur":1,"name":")" + std::string(1 << 20, 'x') +
             std::to_string(i) + R"("},)";
  }
  const std::string path = trace("n", names);
  counters("n");
  const IngestResult done = ingest_folder("n");
  EXPECT_EQ(done.new_dumps, 2);
  EXPECT_EQ(done.unreadable_dumps, 1);
  EXPECT_FALSE(done.failed);
  ASSERT_THAT(done.dumps, SizeIs(2));
  EXPECT_THAT(done.dumps[1].unreadable.value_or(""), HasSubstr("64 MiB"));
  // Whoever sent it is told so instead, and nothing stays.
  IngestOptions options;
  options.refuses_too_large = true;
  const auto sent = ingest_files(
      *store_, {{}, {write("sent/resnet/0/trace-" + std::string(kBase) + ".json", names + " ")}},
      options);
  ASSERT_TRUE(sent);
  ASSERT_TRUE(sent->dumps.at(0).error);
  EXPECT_EQ(sent->dumps[0].error->code, schema::ErrorCode::kTooLarge);
  EXPECT_THAT(artifacts(), SizeIs(2));
}

TEST_F(Dumps, TheSameAgainChangesNothing) {
  write("n/results.jsonl", line(1000));
  counters("n");
  trace("n");
  ingest_folder("n");
  const auto revision = *reader().revision();
  const IngestResult again = ingest_folder("n");
  EXPECT_EQ(again.known_dumps, 2);
  EXPECT_EQ(again.new_dumps, 0);
  EXPECT_EQ(*reader().revision(), revision);
  // Touched, or a copy of the whole directory: still the same.
  std::filesystem::copy(folder_ / "n", folder_ / "copy", std::filesystem::copy_options::recursive);
  std::filesystem::last_write_time(trace("n"), std::filesystem::file_time_type::clock::now());
  EXPECT_EQ(ingest_folder(".").new_dumps, 0);
  EXPECT_THAT(artifacts(), SizeIs(2));
  EXPECT_EQ(*reader().revision(), revision);
}

TEST_F(Dumps, AreSharedWhereOnlyTheBatchSizeDiffers) {
  write("n/results.jsonl", line(1000, "4") + line(1000, "8"));
  counters("n");
  ingest_folder("n");
  EXPECT_THAT(only_artifact().results, SizeIs(2));
}

TEST_F(Dumps, BelongToTheNewestInvocationOfAFileThatGrew) {
  write("n/results.jsonl", line(1000));
  trace("n");
  counters("n");
  ingest_folder("n");
  write("n/results.jsonl", line(1000) + line(2000));
  // The first night's dumps stay its own.
  EXPECT_EQ(ingest_folder("n").new_dumps, 0);
  for (const Artifact& artifact : artifacts()) EXPECT_THAT(artifact.results, SizeIs(1));
  // Then the runner writes over one of them.
  trace("n", R"([{"ph":"X","name":"b","ts":1,"dur":2,"pid":1,"tid":1}])");
  EXPECT_EQ(ingest_folder("n").new_dumps, 1);
  const auto all = artifacts();
  ASSERT_THAT(all, SizeIs(3));
  ASSERT_THAT(all[0].results, SizeIs(1));
  EXPECT_EQ(reader().run(all[0].results[0].run)->started_at, 2000);
  EXPECT_FALSE(all[1].is_superseded);
}

TEST_F(Dumps, ALaterOneOfTheSameNameSupersedes) {
  write("n/results.jsonl", line(1000));
  counters("n", "{}");
  ingest_folder("n");
  counters("n");
  ingest_folder("n");
  const auto all = artifacts();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_FALSE(all[0].is_superseded);
  EXPECT_TRUE(all[1].is_superseded);
  ArtifactFilter filter;
  filter.with_superseded = false;
  EXPECT_THAT(artifacts(filter), SizeIs(1));
}

TEST_F(Dumps, OrphansAreKeptUntilTheirResultComes) {
  counters("n");
  const IngestResult first = ingest_folder("n");
  EXPECT_EQ(first.orphaned_dumps, 1);
  ArtifactFilter orphans;
  orphans.only_orphans = true;
  EXPECT_THAT(artifacts(orphans), SizeIs(1));
  write("n/results.jsonl", line(1000));
  const IngestResult second = ingest_folder("n");
  ASSERT_THAT(second.dumps, SizeIs(1));
  EXPECT_EQ(second.dumps[0].outcome, DumpResult::Outcome::kTied);
  EXPECT_THAT(artifacts(orphans), IsEmpty());
  EXPECT_THAT(only_artifact().results, SizeIs(1));
}

TEST_F(Dumps, InTwoPlacesAreReadOnceInEach) {
  write("n/results.jsonl", line(1000));
  trace("n");
  write("copy/results.jsonl", line(1000));
  trace("copy");
  ingest_folder(".");
  only_artifact();
  const IngestResult again = ingest_folder(".");
  ASSERT_THAT(again.dumps, SizeIs(2));
  for (const DumpResult& dump : again.dumps) {
    EXPECT_EQ(dump.outcome, DumpResult::Outcome::kKnown);
    // Neither place is news to the store: neither file was read.
    EXPECT_FALSE(dump.changed) << dump.path;
  }
}

TEST_F(Dumps, LinksAreCalledByTheirOwnNames) {
  namespace fs = std::filesystem;
  write("n/results.jsonl", line(1000) + line(1000, "8"));
  const std::string blob = write("cache/ab12", kCounters);
  fs::create_directories(folder_ / "n/resnet/0");
  for (const char* name : {"dynamo-counters-", "compile-times-"}) {
    fs::create_symlink(blob, folder_ / "n/resnet/0" / (name + std::string(kBase) + ".txt"));
  }
  const IngestResult done = ingest_folder("n");
  EXPECT_EQ(done.new_dumps, 2);
  EXPECT_EQ(done.orphaned_dumps, 0);
}

TEST_F(Dumps, AResultsFileBelowAFolderOfPassesIsOne) {
  const std::string path = write("m/hlo-cpu-m/results.jsonl", line(1000));
  const auto inputs = find_inputs({path});
  ASSERT_TRUE(inputs);
  EXPECT_THAT(inputs->results, SizeIs(1));
  EXPECT_THAT(inputs->dumps, IsEmpty());
}

TEST_F(Dumps, OfAnOddNameAreOrphans) {
  write("n/results.jsonl", line(1000));
  write("n/resnet/0/dynamo-counters--.txt", kCounters);
  write("n/resnet/0/dynamo-counters---resnet.txt", kCounters);
  EXPECT_EQ(ingest_folder("n").orphaned_dumps, 2);
}

TEST_F(Dumps, OutliveTheDeletionOfTheirRun) {
  write("n/results.jsonl", line(1000));
  counters("n");
  ingest_folder("n");
  ASSERT_TRUE(schema::delete_run(*store_, only_run()));
  EXPECT_THAT(only_artifact().results, IsEmpty());
  EXPECT_EQ(*reader().text(*only_artifact().text), kCounters);
  ingest_folder("n");
  EXPECT_THAT(only_artifact().results, SizeIs(1));
}

TEST_F(Dumps, OfAFailedResultBelongToItsLine) {
  write("n/results.jsonl", line(1000, "null", R"({"error": "boom"})"));
  counters("n");
  ingest_folder("n");
  EXPECT_THAT(only_artifact().results, SizeIs(1));
}

TEST_F(Dumps, GivenToAResultByHand) {
  ingest_text("results.jsonl", line(1000));
  const auto result = results(only_run()).front();
  IngestOptions options;
  options.dumps.result = *schema::key_of_result(*store_, result.run, result.experiment);
  options.dumps.repetition = 2;
  const std::string path = write("some.json", kTrace);
  auto done = ingest_files(*store_, {{}, {path}}, options);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->new_dumps, 1);
  const Artifact artifact = only_artifact();
  EXPECT_EQ(artifact.kind, ArtifactKind::kTrace);
  EXPECT_EQ(artifact.repetition, 2);
  EXPECT_THAT(artifact.results, SizeIs(1));
}

TEST_F(Dumps, WhatAFileIsShowsByItsContent) {
  ingest_text("results.jsonl", line(1000));
  const auto result = results(only_run()).front();
  IngestOptions options;
  options.dumps.result = *schema::key_of_result(*store_, result.run, result.experiment);
  const auto kind_of = [&](const std::string& name, const std::string& content) {
    auto done = ingest_files(*store_, {{}, {write(name, content)}}, options);
    EXPECT_TRUE(done && !done->failed) << name;
    return artifacts().front().kind;
  };
  EXPECT_EQ(kind_of("a", kTrace), ArtifactKind::kTrace);
  EXPECT_EQ(kind_of("b", kCounters), ArtifactKind::kDynamoCounters);
  EXPECT_EQ(kind_of("c", "HloModule m\n\nENTRY e {\n  ROOT p = f32[2] parameter(0)\n}\n"),
            ArtifactKind::kIr);
  // It begins with a bracket, as a trace may.
  EXPECT_EQ(kind_of("d",
                    "[ScheduleSyncTensorsGraph]\nTensorsGraphInfo:\n## BEGIN_GRAPH\nIR {\n"
                    "  %0 = f32[] prim::Constant(), value=1, ROOT=0\n}\n## END_GRAPH\n"),
            ArtifactKind::kIr);
  const auto unknown = ingest_files(*store_, {{}, {write("e", "hello")}}, options);
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->failed);
}

TEST_F(Dumps, UnreadableOnesAreListedWithTheReason) {
  write("n/results.jsonl", line(1000));
  counters("n", "no counters");
  trace("n", "no trace");
  const IngestResult done = ingest_folder("n");
  EXPECT_EQ(done.unreadable_dumps, 2);
  EXPECT_FALSE(done.failed);
  for (const Artifact& artifact : artifacts()) {
    ASSERT_TRUE(artifact.error) << artifact.name;
    EXPECT_THAT(artifact.results, SizeIs(1));
  }
  EXPECT_EQ(ingest_folder("n").unreadable_dumps, 2);
  // What was a half-written file is whole now.
  trace("n");
  const IngestResult again = ingest_folder("n");
  EXPECT_EQ(again.unreadable_dumps, 1);
  EXPECT_EQ(again.new_dumps, 1);
}

TEST_F(Dumps, StrictTakesNothingInWhereOneIsUnreadable) {
  write("n/results.jsonl", line(1000));
  trace("n", "no trace");
  counters("n");
  IngestOptions strict;
  strict.strict = true;
  EXPECT_TRUE(ingest_folder("n", strict).undone);
  EXPECT_THAT(artifacts(), IsEmpty());
  EXPECT_THAT(runs(), IsEmpty());
}

TEST_F(Dumps, ATraceIsKeptWithWhatItTells) {
  write("n/results.jsonl", line(1000));
  trace("n");
  IngestOptions options;
  options.dumps.trace_summary = [](const trace::Trace& trace, const trace::TraceNesting&) {
    return TraceSummary{std::to_string(trace.slices.size()) + " slices", {}};
  };
  ingest_folder("n", options);
  const Artifact artifact = only_artifact();
  ASSERT_TRUE(artifact.trace && artifact.digest);
  EXPECT_EQ(*reader().text(*artifact.digest), "1 slices");
}

// A log with one compilation, one sound payload and one whose MD5 is another one.
constexpr const char* kLog =
    "V1206 15:20:13.926000 1 torch/_dynamo/x.py:1] {\"str\": [\"m.py\", 0]}\n"
    "V1206 15:20:13.926000 1 torch/_dynamo/x.py:1] {\"dynamo_start\": {\"stack\": [{\"line\": 3, "
    "\"name\": \"f\", \"filename\": 0}]}, \"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": "
    "0}\n"
    "V1206 15:20:14.926000 1 torch/_dynamo/x.py:1] {\"dynamo_output_graph\": {}, \"frame_id\": 0, "
    "\"frame_compile_id\": 1, \"attempt\": 0, \"has_payload\": "
    "\"b2f5ff47436671b6e533d8dc3614845d\"}\n\tg\n"
    "V1206 15:20:14.926000 1 torch/_dynamo/x.py:1] {\"aot_joint_graph\": {}, \"frame_id\": 0, "
    "\"frame_compile_id\": 1, \"attempt\": 0, \"has_payload\": \"00\"}\n\tw\n"
    "V1206 15:20:15.926000 1 torch/_dynamo/x.py:1] {\"compilation_metrics\": {\"co_name\": \"f\", "
    "\"duration_us\": 5}, \"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0}\n";

TEST_F(Dumps, LogOfTorchTraceIsTakenInPerRank) {
  write("n/results.jsonl", line(1000));
  const std::string log =
      "n/resnet/torch-trace-" + std::string(kBase) + "/dedicated_log_torch_trace_rank_";
  write(log + "0_a.log", kLog);
  write(log + "1_b.log", kLog);
  write(log + "2_c.log", "nothing of it\n");
  write(log + "3_d.log", "");
  // Compression that is damaged in its first block, and behind a line that is no record.
  const std::string head("\x1f\x8b\x08\0\0\0\0\0\0\3", 10), damage(4, '\xff');
  write(log + "4_e.log.gz", head + damage);
  write(log + "5_f.log.gz", head +
                                std::string("\0\2\0\xfd\xff"
                                            "x\n",
                                            7) +
                                damage);
  const IngestResult done = ingest_folder("n");
  EXPECT_EQ(done.new_dumps, 6);
  EXPECT_EQ(done.orphaned_dumps, 0);
  auto found = artifacts();
  ASSERT_THAT(found, SizeIs(6));
  std::sort(found.begin(), found.end(),
            [](const Artifact& a, const Artifact& b) { return a.name < b.name; });
  EXPECT_EQ(found[0].kind, ArtifactKind::kTorchTrace);
  EXPECT_EQ(found[0].problem_count, 1);
  ASSERT_THAT(found[0].results, SizeIs(1));
  EXPECT_EQ(found[2].error, "there is no record of a TORCH_TRACE log in it");
  EXPECT_EQ(found[3].error, std::nullopt);
  EXPECT_THAT(found[4].error.value_or(""), HasSubstr("gzip"));
  EXPECT_THAT(found[5].error.value_or(""), HasSubstr("gzip"));

  const auto summary = schema::torch_trace_of(*store_, found[1].id);
  ASSERT_TRUE(summary && *summary);
  EXPECT_EQ((*summary)->rank, 1);
  EXPECT_EQ((*summary)->record_count, 5);
  EXPECT_EQ((*summary)->compilation_count, 1);
  ASSERT_THAT((*summary)->problems, SizeIs(1));
  EXPECT_EQ((*summary)->problems[0].line, 5);
  EXPECT_EQ(*schema::torch_trace_of(*store_, found[2].id), std::nullopt);
  const auto compilations = schema::compilations_of(*store_, found[1].id, -1, 10);
  ASSERT_TRUE(compilations);
  ASSERT_THAT(*compilations, SizeIs(1));
  const schema::Compilation& one = compilations->front().compilation;
  EXPECT_EQ(one.compile_id, "0/1");
  EXPECT_EQ(one.frame_name, "f");
  EXPECT_EQ(one.frame_file, std::nullopt);
  EXPECT_DOUBLE_EQ(one.seconds.value_or(0), 5e-6);
  EXPECT_EQ(*reader().text(*one.stack), R"([{"file":"m.py","line":3,"name":"f","code":null}])");
  const auto outputs = schema::outputs_of(*store_, found[1].id, 0, 10);
  ASSERT_TRUE(outputs);
  ASSERT_THAT(*outputs, SizeIs(2));
  EXPECT_EQ(*reader().text(*outputs->front().output.text), "g");
  EXPECT_FALSE(schema::output_at(*store_, found[1].id, 7));

  // The same again, and without its dump.
  EXPECT_EQ(ingest_folder("n").new_dumps, 0);
  ASSERT_TRUE(schema::delete_unused_texts(*store_));
  EXPECT_EQ(*reader().text(*outputs->front().output.text), "g");
  ASSERT_TRUE(schema::delete_torch_trace(*store_, found[0].id));
  ASSERT_TRUE(schema::delete_torch_trace(*store_, found[1].id));
  ASSERT_TRUE(schema::delete_unused_texts(*store_));
  EXPECT_FALSE(reader().text(*outputs->front().output.text));
}

TEST_F(Dumps, AFolderOfDumpsAloneIsTakenIn) {
  write("n/resnet/hlo-cpu-resnet/module_0001.jit.txt", "HloModule a\n");
  write("n/resnet/xla-profile/xplane-cpu-resnet/plugins/profile/d/h.SSTABLE",
        std::string("\0\1\2", 3));
  const IngestResult done = ingest_folder("n");
  EXPECT_EQ(done.new_dumps, 2);
  ArtifactFilter planes;
  planes.kind = ArtifactKind::kXplane;
  const auto found = artifacts(planes);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(reader().text(*found[0].text)->size(), 3u);
}

// One host's profile with a slice.
std::string small_profile() {
  return Message()
      .message(1, xplane(0, "/host:CPU")
                      .message(3, xline(1, "main").message(4, xevent(1, 1000, 2000)))
                      .message(4, kind_entry(1, "a")))
      .bytes();
}

TEST_F(Dumps, BothFilesOfASessionAreOneTrace) {
  const std::string session = "n/resnet/xla-profile/xplane-cpu-resnet/plugins/profile/d/host";
  write("n/results.jsonl", line(1000));
  write(session + ".trace.json", kTrace);
  write(session + ".xplane.pb", small_profile());
  const IngestResult done = ingest_folder("n");
  EXPECT_EQ(done.new_dumps, 1);
  EXPECT_EQ(done.known_dumps, 1);
  const Artifact artifact = only_artifact();
  EXPECT_TRUE(artifact.path.ends_with(".xplane.pb"));
  EXPECT_TRUE(artifact.trace);
  EXPECT_EQ(ingest_folder("n").known_dumps, 2);
  EXPECT_THAT(artifacts(), SizeIs(1));
}

// As stores of before have them: the migration forgets that the file was read.
TEST_F(Dumps, AProfileThatWasOnlyListedIsReadAgain) {
  const std::string session = "n/resnet/xla-profile/xplane-cpu-resnet/plugins/profile/d/host";
  write("n/results.jsonl", line(1000));
  write(session + ".xplane.pb", small_profile());
  ingest_folder("n");
  for (const char* sql :
       {"UPDATE artifact SET kind = 'xplane', trace_id = NULL", "DELETE FROM artifact_file"}) {
    ASSERT_TRUE(store_->prepare(sql).run());
  }
  EXPECT_EQ(ingest_folder("n").new_dumps, 1);
  const auto all = artifacts();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NE(all[0].trace.has_value(), all[1].trace.has_value());
  EXPECT_EQ(ingest_folder("n").new_dumps, 0);
}

// As stores of before have it: the migration forgets that the file was read.
TEST_F(Dumps, AProfileThatAnOlderVersionStoredGetsItsTables) {
  const std::string session = "n/resnet/xla-profile/xplane-cpu-resnet/plugins/profile/d/host";
  const std::string operators =
      Message()
          .message(1, xplane(1, "/device:TPU:0")
                          .message(3, xline(3, "XLA Ops").message(4, xevent(1, 1000, 2000)))
                          .message(4, kind_entry(1, "fusion")))
          .bytes();
  write("n/results.jsonl", line(1000));
  write(session + ".xplane.pb", operators);
  ingest_folder("n");
  const schema::TraceId trace = only_artifact().trace.value();
  for (const char* sql : {"DELETE FROM artifact_file", "DELETE FROM trace_block WHERE kind = 5"}) {
    ASSERT_TRUE(store_->prepare(sql).run());
  }
  ASSERT_FALSE(trace::read_xla_profile(*store_, trace)->has_value());
  EXPECT_EQ(ingest_folder("n").new_dumps, 0);
  EXPECT_EQ(only_artifact().trace, trace);
  const auto read = trace::read_trace(*store_, trace);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->xla);
  ASSERT_EQ(read->xla->operators.size(), 1);
  EXPECT_EQ(read->texts[read->xla->operators[0].name], "fusion");
  EXPECT_EQ(read->xla->operators[0].self_ps, 2000);
}

const std::string kProfile =
    std::string("resnet/xla-profile/xplane-") + kBase + "/plugins/profile/d/h.xplane.pb";

// What counts for the only result.
schema::ResultFacts result_of(schema::Reader reader) {
  const auto runs = reader.runs({});
  const auto results = reader.results(runs->front().id);
  EXPECT_THAT(*results, SizeIs(1));
  return results->front();
}

TEST_F(Dumps, WhatWasTimedUnderTheProfilerOfXlaDoesNotCount) {
  write("n/results.jsonl", line(1000));
  ingest_folder("n");
  EXPECT_TRUE(result_of(reader()).timing_line);
  EXPECT_FALSE(result_of(reader()).profiled_line);

  write("n/" + kProfile, small_profile());
  ingest_folder("n");
  schema::ResultFacts facts = result_of(reader());
  EXPECT_FALSE(facts.timing_line);
  EXPECT_THAT(facts.per_iter_time, IsEmpty());
  ASSERT_TRUE(facts.profiled_line);
  EXPECT_THAT(*reader().measurements(*facts.profiled_line), Not(IsEmpty()));
  EXPECT_EQ(ingest_folder("n").known_dumps, 1);
  EXPECT_TRUE(result_of(reader()).profiled_line);

  // Nor where all is derived again from the lines.
  ASSERT_TRUE(schema::derive_all(*store_, 1));
  EXPECT_EQ(result_of(reader()).profiled_line, facts.profiled_line);
}

TEST_F(Dumps, ATimeTakenWithoutTheProfilerCountsThoughItIsNotTheLast) {
  write("a/results.jsonl", line(1000));
  write("b/results.jsonl", line(2000));
  write("b/" + kProfile, small_profile());
  ingest_folder("a");
  ingest_folder("b");
  const auto runs = reader().runs({});
  ASSERT_THAT(*runs, SizeIs(2));
  ASSERT_TRUE(schema::merge_runs(*store_, (*runs)[1], (*runs)[0]));
  const schema::ResultFacts facts = result_of(reader());
  ASSERT_TRUE(facts.timing_line);
  EXPECT_EQ(reader().line(*facts.timing_line)->timestamp, 1000);
  EXPECT_FALSE(facts.profiled_line);
}

TEST_F(Dumps, AProfileOlderThanTheResultsIsOfAnEarlierInvocation) {
  write("n/results.jsonl", line(4e9));
  write("n/" + kProfile, small_profile());
  ingest_folder("n");
  EXPECT_TRUE(result_of(reader()).timing_line);
}

TEST_F(Dumps, WhereTheProfileCannotBeReadTheOtherFileOfTheSessionIsTakenIn) {
  const std::string session = "n/resnet/xla-profile/xplane-cpu-resnet/plugins/profile/d/host";
  write(session + ".trace.json", kTrace);
  write(session + ".xplane.pb", "");
  ingest_folder("n");
  int traces = 0;
  for (const Artifact& artifact : artifacts()) traces += artifact.trace.has_value();
  EXPECT_EQ(traces, 1);
  EXPECT_THAT(artifacts(), SizeIs(2));
}

// What takes long is done before the store is locked.
class PreparedDumps : public Dumps {
 protected:
  // Takes another program's part: holds the lock, or takes things in and away.
  schema::Connection another() {
    auto other = schema::open_store_for_writing((folder_ / "store.db").string(),
                                                std::chrono::milliseconds(0));
    EXPECT_TRUE(other) << other.error().message;
    return *std::move(other);
  }
  DumpIngest dumps() {
    DumpOptions options;
    options.trace_summary = [](const trace::Trace&, const trace::TraceNesting&) {
      return TraceSummary{.digest = "digest"};
    };
    return DumpIngest(*store_, std::move(options));
  }
  schema::Expected<DumpResult> put(DumpIngest& ingest, DumpIngest::Prepared prepared) {
    auto transaction = schema::Transaction::begin(*store_, schema::Transaction::Kind::kWrite);
    EXPECT_TRUE(transaction) << transaction.error().message;
    auto done = ingest.put(std::move(prepared));
    EXPECT_TRUE(transaction->commit());
    return done;
  }
  std::int64_t count(const std::string& table) {
    schema::Statement query = store_->prepare("SELECT count(*) FROM " + table);
    return query.step() ? query.integer(0) : -1;
  }
};

TEST_F(PreparedDumps, AreReadWhileAnotherProgramWrites) {
  const std::string log = write("logs/dedicated_log_torch_trace_rank_0_a.log",
                                "V1206 15:18:20.254000 1 torch/a.py:1] {\"dynamo_start\": "
                                "{\"stack\": []}, \"frame_id\": 0, \"frame_compile_id\": 0, "
                                "\"attempt\": 0}\n");
  DumpIngest ingest = dumps();
  for (const std::string& path : {trace("n1"), counters("n1"), log}) {
    schema::Connection other = another();
    auto locked = schema::Transaction::begin(other, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(locked);
    auto prepared = ingest.prepare(path);
    ASSERT_TRUE(prepared) << path << ": " << prepared.error().message;
    // Nothing of it is anywhere to be seen, and nothing would stay behind.
    EXPECT_EQ(count("trace") + count("text") + count("artifact"), 0) << path;
    ASSERT_TRUE(locked->commit());
    const auto done = put(ingest, *std::move(prepared));
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->outcome, DumpResult::Outcome::kNew);
    EXPECT_FALSE(done->unreadable) << *done->unreadable;
    ASSERT_TRUE(schema::forget_artifact(*store_, done->id));
    ASSERT_TRUE(trace::delete_unused_traces(*store_));
    ASSERT_TRUE(schema::delete_unused_texts(*store_));
  }
  std::size_t others = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    others += entry.path().filename().string().find("scratch") != std::string::npos;
  }
  EXPECT_EQ(others, 0);
}

TEST_F(PreparedDumps, OneThatCameInMeanwhileIsKnown) {
  const std::string path = trace("n1");
  DumpIngest first = dumps(), second = dumps();
  auto prepared = first.prepare(path), again = second.prepare(path);
  ASSERT_TRUE(prepared && again);
  const auto done = put(first, *std::move(prepared)), known = put(second, *std::move(again));
  ASSERT_TRUE(done && known);
  EXPECT_EQ(done->outcome, DumpResult::Outcome::kNew);
  EXPECT_EQ(known->outcome, DumpResult::Outcome::kKnown);
  EXPECT_EQ(known->id, done->id);
  EXPECT_FALSE(known->changed);
  EXPECT_EQ(count("trace"), 1);
  EXPECT_EQ(count("artifact"), 1);
}

TEST_F(PreparedDumps, OneWhoseTraceCameInMeanwhileSharesIt) {
  const std::string path = trace("n1");
  DumpIngest ingest = dumps();
  auto prepared = ingest.prepare(path);
  ASSERT_TRUE(prepared);
  // The same content as another dump.
  auto other = ingest.prepare(write("n2/trace.json", kTrace));
  ASSERT_TRUE(other);
  const auto first = put(ingest, *std::move(other)), second = put(ingest, *std::move(prepared));
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->id, second->id);
  EXPECT_EQ(count("trace"), 1);
  EXPECT_EQ(count("artifact"), 2);
}

// Of every trace, a row at a time.
constexpr CopyAhead kAllAhead{.larger_than = 0, .longest_piece = std::chrono::milliseconds(0)};

class DumpsCopiedAhead : public PreparedDumps {
 protected:
  schema::Expected<DumpIngest::Prepared> prepare(DumpIngest& ingest, const std::string& path) {
    auto prepared = ingest.prepare(path);
    EXPECT_TRUE(prepared) << prepared.error().message;
    EXPECT_TRUE(ingest.is_copied_ahead(*prepared, kAllAhead));
    ingest.copy_ahead(*prepared, kAllAhead);
    return prepared;
  }
  /// What an ingest leaves that is killed before it puts what it copied.
  void kill_one(const std::string& path) {
    DumpIngest ingest = dumps();
    ASSERT_TRUE(prepare(ingest, path));
    ASSERT_EQ(count("arriving_trace"), 1);
  }
};

TEST_F(DumpsCopiedAhead, AreNobodysUntilTheyArePut) {
  const std::string path = trace("n1");
  DumpIngest ingest = dumps();
  auto prepared = prepare(ingest, path);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(count("arriving_trace"), 1);
  EXPECT_EQ(count("artifact"), 0);
  const auto done = put(ingest, *std::move(prepared));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->outcome, DumpResult::Outcome::kNew);
  ingest.remove_what_was_not_put();
  EXPECT_EQ(count("arriving_trace"), 0);
  EXPECT_EQ(count("trace"), 1);
  EXPECT_EQ(count("trace_index"), 1);
  auto known = ingest.prepare(trace("n2"));
  ASSERT_TRUE(known);
  EXPECT_FALSE(ingest.is_copied_ahead(*known, kAllAhead)) << "the store has it";
}

TEST_F(DumpsCopiedAhead, ThatAreSmallAreNotCopied) {
  DumpIngest ingest = dumps();
  auto prepared = ingest.prepare(trace("n1"));
  ASSERT_TRUE(prepared);
  EXPECT_FALSE(ingest.is_copied_ahead(*prepared, CopyAhead{}));
  ingest.copy_ahead(*prepared, CopyAhead{});
  EXPECT_EQ(count("trace"), 0);
}

TEST_F(DumpsCopiedAhead, OfAKilledProcessAreRemovedByALaterIngest) {
  kill_one(trace("n1"));
  write("n1/results.jsonl", line(1000));
  ingest_folder("n1");
  EXPECT_EQ(count("arriving_trace"), 1) << "it may still come";
  EXPECT_EQ(count("trace"), 2);
  ASSERT_TRUE(store_->execute("UPDATE arriving_trace SET begun_at = begun_at - 3700"));
  ingest_folder("n1");
  EXPECT_EQ(count("arriving_trace"), 0);
  EXPECT_EQ(count("trace"), 1);
  EXPECT_EQ(count("trace_index"), 1);
  EXPECT_THAT(artifacts(), SizeIs(1));
}

TEST_F(DumpsCopiedAhead, ThatAreNotPutAreRemoved) {
  // The same dump; another dump of the same content; one whose transaction is undone.
  for (const std::string& other : {trace("n1"), write("n2/trace.json", kTrace), std::string()}) {
    DumpIngest first = dumps(), second = dumps();
    auto prepared = prepare(first, trace("n1"));
    ASSERT_TRUE(prepared);
    if (other.empty()) {
      auto transaction = schema::Transaction::begin(*store_, schema::Transaction::Kind::kWrite);
      ASSERT_TRUE(transaction);
      ASSERT_TRUE(first.put(*std::move(prepared)));
    } else {
      auto again = prepare(second, other);
      ASSERT_TRUE(again);
      EXPECT_EQ(count("arriving_trace"), 2);
      const auto done = put(first, *std::move(prepared)), late = put(second, *std::move(again));
      ASSERT_TRUE(done && late);
      first.remove_what_was_not_put();
      EXPECT_EQ(count("arriving_trace"), 1);
      second.remove_what_was_not_put();
      EXPECT_EQ(count("trace"), 1);
      EXPECT_EQ(count("trace_index"), 1);
      EXPECT_EQ(count("artifact"), done->id == late->id ? 1 : 2);
      for (const Artifact& dump : artifacts()) {
        ASSERT_TRUE(schema::forget_artifact(*store_, dump.id));
      }
      ASSERT_EQ(*trace::delete_unused_traces(*store_), 1);
    }
    first.remove_what_was_not_put();
    EXPECT_EQ(count("arriving_trace"), 0) << other;
    EXPECT_EQ(count("trace"), 0) << other;
    EXPECT_EQ(count("trace_thread"), 0) << other;
  }
}

TEST_F(DumpsCopiedAhead, ThatWereRemovedBeforeTheyWerePutAreCopiedThen) {
  DumpIngest ingest = dumps();
  auto prepared = prepare(ingest, trace("n1"));
  ASSERT_TRUE(prepared);
  ASSERT_TRUE(store_->execute("UPDATE arriving_trace SET begun_at = 1"));
  ASSERT_EQ(*trace::delete_unused_traces(*store_), 1);
  const auto done = put(ingest, *std::move(prepared));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->outcome, DumpResult::Outcome::kNew);
  EXPECT_EQ(count("trace"), 1);
  EXPECT_EQ(count("trace_index"), 1);
}

// A store whose trigger tells of it: whether a trace was copied ahead.
TEST_F(DumpsCopiedAhead, AreThoseOfAnIngestUnlessAllOfItIsOneTransaction) {
  ASSERT_TRUE(store_->execute(
      "CREATE TABLE seen (n INTEGER); CREATE TRIGGER sees AFTER INSERT ON arriving_trace "
      "BEGIN INSERT INTO seen VALUES (1); END"));
  IngestOptions options;
  options.copies_ahead = kAllAhead;
  options.strict = true;
  trace("n1");
  EXPECT_EQ(ingest_folder("n1", options).new_dumps, 1);
  EXPECT_EQ(count("seen"), 0);
  options.strict = false;
  trace("n2", R"([{"ph":"X","name":"b","ts":1,"dur":2,"pid":1,"tid":1}])");
  EXPECT_EQ(ingest_folder("n2", options).new_dumps, 1);
  EXPECT_EQ(count("seen"), 1);
  EXPECT_EQ(count("arriving_trace"), 0);
  EXPECT_EQ(count("trace"), 2);
}

TEST_F(PreparedDumps, OneThatGrewMeanwhileIsInAsItWasReadAndReadAgainTheNextTime) {
  const std::string path = counters("n1");
  DumpIngest ingest = dumps();
  auto prepared = ingest.prepare(path);
  ASSERT_TRUE(prepared);
  std::ofstream(path, std::ios::app) << "\n";
  const auto done = put(ingest, *std::move(prepared));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->outcome, DumpResult::Outcome::kNew);
  auto again = ingest.prepare(path);
  ASSERT_TRUE(again);
  const auto grown = put(ingest, *std::move(again));
  ASSERT_TRUE(grown) << grown.error().message;
  EXPECT_EQ(grown->outcome, DumpResult::Outcome::kNew);
  EXPECT_EQ(count("artifact"), 2);
}

TEST_F(PreparedDumps, OneThatWasTakenAwayMeanwhileIsReadAgain) {
  const std::string path = trace("n1");
  DumpIngest ingest = dumps();
  auto prepared = ingest.prepare(path);
  ASSERT_TRUE(prepared);
  auto done = put(ingest, *std::move(prepared));
  ASSERT_TRUE(done);
  // Known as the very file; then as a content that lies elsewhere; then as another dump's trace.
  for (const std::string& file : {path, trace("n3"), write("n2/trace.json", kTrace)}) {
    auto known = ingest.prepare(file);
    ASSERT_TRUE(known);
    ASSERT_TRUE(schema::forget_artifact(*store_, done->id));
    ASSERT_TRUE(trace::delete_unused_traces(*store_));
    ASSERT_EQ(count("trace"), 0);
    done = put(ingest, *std::move(known));
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->outcome, DumpResult::Outcome::kNew) << file;
    EXPECT_EQ(count("trace"), 1) << file;
    EXPECT_EQ(count("trace_index"), 1) << file;
  }
}

}  // namespace
}  // namespace benchhud::ingest
