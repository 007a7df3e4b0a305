// Nothing lost, nothing counted twice: files whole, grown, broken, repeated.

#include "ingest/pipeline/pipeline.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <cmath>

#include "ingest/output/output_dir.h"
#include "schema/results/unrecognized_files.h"
#include "tests/unit/ingest/store_fixture.h"

namespace benchhud::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Pipeline : public StoreFixture {};

std::string gzipped(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(Pipeline, SameBytesAgainChangeNothing) {
  const std::string text = timed().text() + timed().model("dlrm").text() + "half a li";
  const IngestResult first = ingest_text("a.jsonl", text);
  EXPECT_EQ(first.accepted, 2);
  EXPECT_EQ(first.rejected, 1);
  const std::string before = dump();
  const IngestResult again = ingest_text("a.jsonl", text);
  EXPECT_EQ(again.accepted, 0);
  EXPECT_EQ(again.duplicate, 2);
  EXPECT_EQ(again.rejected, 1);  // still not in the store, and still said
  EXPECT_TRUE(again.files[0].is_known);
  EXPECT_EQ(again.files[0].rejections.size(), 1u);
  EXPECT_EQ(dump(), before);
}

TEST_F(Pipeline, ACopyUnderAnotherNameChangesNothing) {
  const std::string text = timed().text() + "garbage\n" + timed().model("dlrm").text();
  ingest_text("output/results.jsonl", text);
  const std::string before = dump();
  EXPECT_EQ(ingest_text("2025-11-01.jsonl", text).duplicate, 2);
  EXPECT_EQ(dump(), before);
}

TEST_F(Pipeline, AGzippedCopyAddsNoLine) {
  const std::string text = timed().text() + timed().model("dlrm").text();
  ingest_text("results.jsonl", text);
  const std::string before = dump();
  const IngestResult again = ingest_text("results.jsonl.gz", gzipped(text));
  EXPECT_EQ(again.duplicate, 2);
  EXPECT_EQ(dump(), before);
}

TEST_F(Pipeline, AGrownFileAddsWhatIsNew) {
  const std::string first = timed().text() + timed().model("dlrm").text();
  ingest_text("a.jsonl", first);
  const IngestResult grown = ingest_text("a.jsonl", first + timed().model("llama").text());
  EXPECT_EQ(grown.accepted, 1);
  EXPECT_EQ(grown.duplicate, 2);
  EXPECT_EQ(only_run().result_count, 3);
}

TEST_F(Pipeline, AnUnfinishedLineIsRejectedAndTakenInOnceItIsWhole) {
  const std::string whole = timed().model("dlrm").text();
  const IngestResult first = ingest_text("a.jsonl", timed().text() + whole.substr(0, 100));
  ASSERT_EQ(first.files[0].rejections.size(), 1u);
  EXPECT_EQ(first.files[0].rejections[0].line_number, 2);
  EXPECT_EQ(first.files[0].rejections[0].byte_offset,
            static_cast<std::int64_t>(timed().text().size()));
  EXPECT_THAT(first.files[0].rejections[0].reason, HasSubstr("the file ends inside this line"));
  EXPECT_EQ(*reader().rejected_count({}), 1);

  const IngestResult grown = ingest_text("a.jsonl", timed().text() + whole);
  EXPECT_EQ(grown.accepted, 1);
  EXPECT_EQ(grown.rejected, 0);
  EXPECT_EQ(grown.files[0].report.resolved, 1);
  EXPECT_EQ(*reader().rejected_count({}), 0);
}

TEST_F(Pipeline, AnUnfinishedLineOfAnEarlierFileOfTheSameNameStaysRejected) {
  ingest_text("results.jsonl", R"({"model": {"model_name": "x)");
  ingest_text("results.jsonl", timed().text());  // another night's file, at the same path
  EXPECT_EQ(*reader().rejected_count({}), 1);
}

TEST_F(Pipeline, ALastLineWithoutALineEndIsWhole) {
  std::string text = timed().text();
  text.pop_back();
  const IngestResult result = ingest_text("a.jsonl", text);
  EXPECT_EQ(result.accepted, 1);
  EXPECT_EQ(result.rejected, 0);
}

TEST_F(Pipeline, BadLinesAreRejectedAloneAndKept) {
  const std::string text = timed().text() + "not json\n" + timed().model("dlrm").text() +
                           "[1, 2]\n" + line().without("model").text() + "\n   \n" +
                           timed().model("llama").text();
  const IngestResult result = ingest_text("a.jsonl", text);
  EXPECT_EQ(result.accepted, 3);
  EXPECT_EQ(result.rejected, 3);
  const auto& rejections = result.files[0].rejections;
  ASSERT_EQ(rejections.size(), 3u);
  EXPECT_EQ(rejections[0].line_number, 2);
  EXPECT_EQ(rejections[1].line_number, 4);
  EXPECT_EQ(rejections[2].line_number, 5);
  EXPECT_THAT(rejections[2].reason, HasSubstr("model"));

  const auto kept = reader().rejected_lines({}, {}, 10);
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 3u);
  EXPECT_EQ(kept->back().excerpt, "not json");
  EXPECT_EQ(kept->back().byte_offset, static_cast<std::int64_t>(timed().text().size()));
  EXPECT_EQ(kept->back().path, (folder_ / "a.jsonl").string());
}

TEST_F(Pipeline, TheSameBadLineTwiceIsTwoRejections) {
  ingest_text("a.jsonl", "bad\nbad\n");
  ingest_text("b.jsonl", "\nbad\n");
  EXPECT_EQ(*reader().rejected_count({}), 3);
}

TEST_F(Pipeline, WindowsLineEndsAndAByteOrderMark) {
  std::string text = "\xEF\xBB\xBF" + timed().text() + timed().model("dlrm").text();
  for (std::size_t i = text.find('\n'); i != std::string::npos; i = text.find('\n', i + 2)) {
    text.insert(i, "\r");
  }
  EXPECT_EQ(ingest_text("windows.jsonl", text).accepted, 2);
  // The same lines with other line ends are the same lines.
  EXPECT_EQ(ingest_text("unix.jsonl", timed().text()).duplicate, 1);
}

TEST_F(Pipeline, GzipOfSeveralMembers) {
  const std::string text = gzipped(timed().text()) + gzipped(timed().model("dlrm").text());
  EXPECT_EQ(ingest_text("a.jsonl.gz", text).accepted, 2);
}

TEST_F(Pipeline, GzipThatEndsEarlyGivesItsWholeLines) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += timed(1 + i * 1e-6).model("m" + std::to_string(i)).text();
  std::string compressed = gzipped(text);
  compressed.resize(compressed.size() / 2);
  const IngestResult result = ingest_text("a.jsonl.gz", compressed);
  EXPECT_FALSE(result.failed);
  EXPECT_GT(result.accepted, 100);
  EXPECT_GE(result.rejected, 1);
  EXPECT_THAT(result.files[0].rejections.back().reason, HasSubstr("gzip"));
}

TEST_F(Pipeline, ARejectionOfDamagedGzipGoesWhenTheFileIsWhole) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += timed(1 + i * 1e-6).model("m" + std::to_string(i)).text();
  const std::string whole = gzipped(text);
  ingest_text("a.jsonl.gz", whole.substr(0, whole.size() / 2));
  EXPECT_GE(*reader().rejected_count({}), 1);
  const IngestResult result = ingest_text("a.jsonl.gz", whole);
  EXPECT_EQ(result.rejected, 0);
  EXPECT_EQ(*reader().rejected_count({}), 0);
  EXPECT_EQ(only_run().result_count, 2000);
}

TEST_F(Pipeline, AMillionTinyBadLines) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "x\n";
  const IngestResult result = ingest_text("a.jsonl", text + timed().text() + text);
  EXPECT_EQ(result.accepted, 1);
  EXPECT_EQ(result.rejected, 40000);
  EXPECT_EQ(*reader().rejected_count({}), 40000);
}

TEST_F(Pipeline, OneFileByTwoNamesIsOneFile) {
  const std::string first = timed().model("dlrm").text();
  ingest_text("sub/results.jsonl", first.substr(0, 80));
  EXPECT_EQ(*reader().rejected_count({}), 1);
  write("sub/results.jsonl", first);
  EXPECT_EQ(ingest({(folder_ / "sub" / ".." / "sub" / "results.jsonl").string()}).accepted, 1);
  EXPECT_EQ(*reader().rejected_count({}), 0);
}

TEST_F(Pipeline, KnownContentIsReadAgainOnceItsRejectionsAreResolved) {
  const std::string text = timed().without("timestamp").text();
  ingest_text("results.jsonl", text);
  IngestOptions given;
  given.timestamp = 1761955200;
  EXPECT_EQ(ingest_text("results.jsonl", text, given).accepted, 1);
  const IngestResult again = ingest_text("results.jsonl", text);
  EXPECT_EQ(again.rejected, *reader().rejected_count({}));
}

TEST_F(Pipeline, EmptyFile) {
  const std::string before = dump();
  const IngestResult result = ingest_text("empty.jsonl", "");
  EXPECT_EQ(result.accepted + result.duplicate + result.rejected, 0);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(dump(), before);
}

TEST_F(Pipeline, LinesOfManyMegabytes) {
  const std::string huge(12 << 20, 'x');
  const IngestResult result =
      ingest_text("a.jsonl", timed().text() + line().model("crashed").error(huge).text() +
                                 timed().model("z").text());
  EXPECT_EQ(result.accepted, 3);
  for (const schema::ResultFacts& facts : results(only_run())) {
    if (facts.failure) {
      EXPECT_EQ(*reader().text(*facts.failure->error), huge);
    }
  }
}

TEST_F(Pipeline, ManyChunksKeepLineNumbersAndOffsets) {
  std::string text;
  std::vector<std::int64_t> bad_offsets;
  for (int i = 0; i < 9000; ++i) {
    if (i % 1000 == 999) {
      bad_offsets.push_back(static_cast<std::int64_t>(text.size()));
      text += "bad\n";
    }
    text += timed(1 + i * 1e-7).model("m" + std::to_string(i)).text();
  }
  ASSERT_GT(text.size(), 3u << 20);
  const IngestResult result = ingest_text("a.jsonl", text);
  EXPECT_EQ(result.accepted, 9000);
  ASSERT_EQ(result.files[0].rejections.size(), bad_offsets.size());
  for (std::size_t i = 0; i < bad_offsets.size(); ++i) {
    EXPECT_EQ(result.files[0].rejections[i].byte_offset, bad_offsets[i]);
    EXPECT_EQ(result.files[0].rejections[i].line_number,
              static_cast<std::int64_t>(1000 * (i + 1) + i));
  }
}

TEST_F(Pipeline, StrictIsAllOrNothingOverAllFiles) {
  const std::string before = dump();
  IngestOptions strict;
  strict.strict = true;
  const std::string good = write("good.jsonl", timed().text());
  const std::string bad = write("bad.jsonl", timed().model("dlrm").text() + "bad\n");
  const IngestResult result = ingest({good, bad}, strict);
  EXPECT_TRUE(result.undone);
  EXPECT_EQ(dump(), before);
  const IngestResult without = ingest({good}, strict);
  EXPECT_FALSE(without.undone);
  EXPECT_EQ(without.accepted, 1);
  EXPECT_EQ(runs().size(), 1u);
}

TEST_F(Pipeline, AFileThatCannotBeReadFailsAloneAndLeavesNothing) {
  const std::string good = write("good.jsonl", timed().text());
  const IngestResult result = ingest({(folder_ / "missing.jsonl").string(), good});
  EXPECT_TRUE(result.failed);
  ASSERT_TRUE(result.files[0].error);
  EXPECT_THAT(result.files[0].error->message, HasSubstr("missing.jsonl"));
  EXPECT_EQ(result.accepted, 1);
}

TEST_F(Pipeline, TimeOfALineWithoutTimestamp) {
  const std::string text = timed().without("timestamp").text();
  EXPECT_EQ(ingest_text("results.jsonl", text).rejected, 1);
  EXPECT_EQ(ingest_text("2025-11-03.jsonl", text).accepted, 1);
  EXPECT_EQ(only_run().started_at, 1762128000);
  // The same line in another night's file is another night's fact.
  EXPECT_EQ(ingest_text("2025-11-04.jsonl", text).accepted, 1);
  EXPECT_EQ(ingest_text("2025-11-04.jsonl", text).duplicate, 1);
  IngestOptions given;
  given.timestamp = 1762128000 + 7 * 86400;
  EXPECT_EQ(ingest_text("2025-11-05.jsonl", text, given).accepted, 1);
  EXPECT_EQ(runs().front().started_at, *given.timestamp);
  EXPECT_EQ(runs().size(), 3u);
}

TEST_F(Pipeline, EverySampleOfEveryMetricIsKeptInOrder) {
  std::string text = line()
                         .set("/metrics/total_time", {3.5, 1e-300, nullptr, 2.25})
                         .set("/metrics/single_value", 7)
                         .set("/metrics/nothing", nullptr)
                         .set("/metrics/xla_ExecutionTime_number", {4, 4})
                         .set("/metrics/dynamo_counters", {{{"frames", {{"ok", 1}}}}})
                         .text();
  text.replace(text.find("2.25"), 4, "NaN,-Infinity");
  ASSERT_EQ(ingest_text("a.jsonl", text).accepted, 1);
  const auto facts = results(only_run());
  ASSERT_EQ(facts.size(), 1u);
  const auto measurements = reader().measurements(*facts[0].timing_line);
  ASSERT_TRUE(measurements);
  std::map<std::string, schema::StoredMeasurement> by_name;
  for (const auto& stored : *measurements) by_name[stored.measurement.metric] = stored;
  EXPECT_EQ(by_name.size(), 5u);

  const auto& total = by_name["total_time"];
  ASSERT_EQ(total.measurement.samples.size(), 5u);
  EXPECT_EQ(total.measurement.samples[0], 3.5);
  EXPECT_EQ(total.measurement.samples[1], 1e-300);
  EXPECT_TRUE(schema::is_null_sample(total.measurement.samples[2]));
  EXPECT_TRUE(std::isnan(total.measurement.samples[3]));
  EXPECT_FALSE(schema::is_null_sample(total.measurement.samples[3]));
  EXPECT_EQ(total.measurement.samples[4], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(total.summary.n, 2);
  EXPECT_EQ(total.summary.max, 3.5);
  EXPECT_EQ(by_name["single_value"].measurement.shape, schema::SampleShape::kScalar);
  EXPECT_THAT(by_name["single_value"].measurement.samples, ElementsAre(7));
  EXPECT_EQ(by_name["nothing"].measurement.shape, schema::SampleShape::kNull);
  EXPECT_THAT(by_name["xla_ExecuteTime_number"].measurement.samples, ElementsAre(4, 4));
  EXPECT_EQ(nlohmann::json::parse(by_name["dynamo_counters"].measurement.json),
            nlohmann::json::parse(R"([{"frames": {"ok": 1}}])"));
}

TEST_F(Pipeline, LinesOfTwoInvocationsMayAlternate) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += timed(1 + i % 10).at(1761955200.0 + i % 2).text();
    text += timed(1 + i % 7).model("dlrm").at(1761955200.0 + i % 3).text();
  }
  const IngestResult result = ingest_text("a.jsonl", text);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.accepted, 200);  // the same bytes twice in one file are two lines of it
  EXPECT_EQ(runs().size(), 3u);
  const std::string before = dump();
  EXPECT_EQ(ingest_text("b.jsonl.gz", gzipped(text)).duplicate, 200);
  EXPECT_EQ(dump(), before);
}

TEST_F(Pipeline, BothNamesOfOneMetricInOneLine) {
  const IngestResult result =
      ingest_text("a.jsonl", timed()
                                 .set("/metrics/xla_ExecutionTime_number", {1})
                                 .set("/metrics/xla_ExecuteTime_number", {2})
                                 .text());
  EXPECT_EQ(result.accepted, 1);
  EXPECT_FALSE(result.failed);
}

TEST_F(Pipeline, ProgressRunsToTheEnd) {
  IngestOptions options;
  std::vector<Progress> seen;
  options.on_progress = [&](const Progress& progress) { seen.push_back(progress); };
  std::string text;
  for (int i = 0; i < 9000; ++i) text += timed(i + 1).text();
  ingest_text("a.jsonl", text, options);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().bytes, seen.back().total_bytes);
  EXPECT_EQ(seen.back().total_bytes, static_cast<std::int64_t>(text.size()));
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GE(seen[i].bytes, seen[i - 1].bytes);
}

TEST_F(Pipeline, HostileNamesStayWhatTheyAre) {
  const std::string name = "<img src=x onerror=alert(1)>'; DROP TABLE line; --\n\"";
  ingest_text("a.jsonl", timed().model(name).text());
  EXPECT_EQ(experiment(results(only_run())[0].experiment).model, name);
}

TEST_F(Pipeline, ALineRejectedForItsTimeIsTakenInOnceItIsGivenOne) {
  const std::string text = timed().without("timestamp").text();
  EXPECT_EQ(ingest_text("results.jsonl", text).rejected, 1);
  EXPECT_EQ(ingest_text("results.jsonl", text).rejected, 1);
  EXPECT_EQ(*reader().rejected_count({}), 1);
  IngestOptions given;
  given.timestamp = 1761955200;
  EXPECT_EQ(ingest_text("results.jsonl", text, given).accepted, 1);
  EXPECT_EQ(*reader().rejected_count({}), 0);
}

// --- Which files ---

TEST_F(Pipeline, FilesOfFolders) {
  write("tree/2025-11-02/results.jsonl", "");
  write("tree/2025-11-01/results.jsonl", "");
  write("tree/2025-11-01/resnet/0/trace-a.json", "");
  write("tree/2025-11-03.jsonl.gz", "");
  const auto files = find_inputs({(folder_ / "tree").string()});
  ASSERT_TRUE(files);
  ASSERT_EQ(files->results.size(), 3u);
  EXPECT_THAT(files->dumps, testing::ElementsAre(HasSubstr("2025-11-01/resnet/0/trace-a.json")));
  EXPECT_THAT(files->results[0], HasSubstr("2025-11-01/results.jsonl"));
  EXPECT_THAT(files->results[2], HasSubstr("2025-11-03.jsonl.gz"));
  const std::string one = (folder_ / "tree/2025-11-02/results.jsonl").string();
  const auto twice = find_inputs({one, (folder_ / "tree").string()});
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->results.size(), 3u);
  EXPECT_FALSE(find_inputs({(folder_ / "nowhere").string()}));
  std::filesystem::create_directory(folder_ / "bare");
  EXPECT_FALSE(find_inputs({(folder_ / "bare").string()}));
}

TEST_F(Pipeline, FoldersOfOneResult) {
  write("session/b.xplane.pb.gz", "");
  write("session/a.pt.trace.json", "");
  write("session/a.op_stats.pb", "");
  write("any.bin", "");
  const std::string session = (folder_ / "session").string();
  const std::string any = (folder_ / "any.bin").string();
  const auto files = find_dumps({any, session, session + "/b.xplane.pb.gz"});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_THAT(files->dumps,
              testing::ElementsAre(any, HasSubstr("a.pt.trace.json"), HasSubstr("b.xplane.pb.gz")));
  EXPECT_THAT(files->unrecognized.paths, testing::ElementsAre(HasSubstr("a.op_stats.pb")));
  write("session/results.jsonl", "");
  const auto mixed = find_dumps({session});
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, schema::ErrorCode::kInvalidArgument);
  EXPECT_EQ(find_dumps({session + "/nowhere"}).error().code, schema::ErrorCode::kNotFound);
}

TEST_F(Pipeline, FilesThatNothingRecognizesAreNotedUntilTheyAreGone) {
  write("tree/n/results.jsonl", timed().text());
  const std::string notes = write("tree/n/notes.txt", "");
  const std::string other = write("tree/other.bin", "");
  const IngestResult all = ingest_folder("tree");
  EXPECT_EQ(all.unrecognized.count, 2);
  EXPECT_THAT(*schema::unrecognized_files(*store_),
              testing::ElementsAre(absolute_path(notes), absolute_path(other)));
  const auto revision = *reader().revision();
  EXPECT_FALSE(ingest_folder("tree").changed);
  EXPECT_EQ(*reader().revision(), revision);
  // What is known of other folders stays.
  std::filesystem::remove(notes);
  ingest_folder("tree/n");
  EXPECT_THAT(*schema::unrecognized_files(*store_), testing::ElementsAre(absolute_path(other)));
}

// A line beyond its budget is told apart from a bad one, for whoever sent nothing else.
TEST_F(Pipeline, AFileOfNothingButLinesBeyondTheirBudgetIsRefusedWhereItIsSent) {
  std::string text = timed().text();
  text.replace(text.find("\"metrics\":{"), 11,
               "\"metrics\":{\"" + std::string(5 << 20, 'a') + "\":1,");
  const IngestResult listed = ingest_text("a.jsonl", text);
  EXPECT_EQ(listed.rejected, 1);
  EXPECT_FALSE(listed.failed);
  IngestOptions sent;
  sent.refuses_too_large = true;
  const IngestResult refused = ingest_text("b.jsonl", text, sent);
  ASSERT_TRUE(refused.files.at(0).error);
  EXPECT_EQ(refused.files[0].error->code, schema::ErrorCode::kTooLarge);
  EXPECT_THAT(refused.files[0].error->message, HasSubstr("line 1: "));
  EXPECT_EQ(*reader().rejected_count({}), 1);
  EXPECT_EQ(ingest_text("c.jsonl", text + timed().text(), sent).accepted, 1);
}

TEST(DateInName, OnlyTheFilesOwnName) {
  EXPECT_EQ(date_in_name("/data/2025-11-01.jsonl"), 1761955200);
  EXPECT_EQ(date_in_name("results-2025-11-01.jsonl.gz"), 1761955200);
  EXPECT_EQ(date_in_name("/2025-11-01/results.jsonl"), std::nullopt);
  EXPECT_EQ(date_in_name("2025-13-01.jsonl"), std::nullopt);
  EXPECT_EQ(date_in_name("12025-11-01.jsonl"), std::nullopt);
}

constexpr double kWeek = 7 * 24 * 3600;

TEST_F(Pipeline, ShiftsTimesByWholeWeeksToTheWeekBefore) {
  const double newest = 1761955200;
  IngestOptions options;
  options.shift_times_to = newest + 52 * kWeek + 3 * 24 * 3600;
  const std::string path =
      write("a/results.jsonl", timed().at(newest - 86400).text() + timed().at(newest).text());
  const IngestResult first = ingest({path}, options);
  EXPECT_EQ(first.shift_weeks, 52);
  ASSERT_EQ(runs().size(), 2u);
  EXPECT_EQ(runs()[0].started_at, newest + 52 * kWeek);
  EXPECT_EQ(runs()[1].started_at, newest - 86400 + 52 * kWeek);

  // The store keeps the shift: months later the same files change nothing, and what a file has
  // more of is shifted by as much.
  const std::string before = dump();
  *options.shift_times_to += 10 * kWeek;
  EXPECT_EQ(ingest({path}, options).duplicate, 2);
  EXPECT_EQ(dump(), before);
  write("a/results.jsonl", timed().at(newest - 86400).text() + timed().at(newest).text() +
                               timed().at(newest + 86400).text());
  const IngestResult grown = ingest({path}, options);
  EXPECT_EQ(grown.accepted, 1);
  EXPECT_EQ(grown.duplicate, 2);
  EXPECT_EQ(runs()[0].started_at, newest + 86400 + 52 * kWeek);
}

TEST_F(Pipeline, ShiftsTimesOnlyInAStoreThatBeganSo) {
  ingest_text("a.jsonl", timed().text());
  IngestOptions options;
  options.shift_times_to = 1761955200 + 52 * kWeek;
  const auto refused =
      ingest_files(*store_, {{write("b.jsonl", timed().model("x").text())}, {}}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, schema::ErrorCode::kConflict);
  EXPECT_EQ(only_run().result_count, 1);
}

TEST_F(Pipeline, WithoutResultsNoShiftIsChosen) {
  IngestOptions options;
  options.shift_times_to = 1761955200 + 52 * kWeek;
  EXPECT_EQ(ingest_text("a.jsonl", "no result\n", options).shift_weeks, 0);
  EXPECT_EQ(ingest_text("b.jsonl", timed().text(), options).shift_weeks, 52);
}

}  // namespace
}  // namespace benchhud::ingest
