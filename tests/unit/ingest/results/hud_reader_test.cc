// Records of the PyTorch HUD: what becomes of them, in whatever form and state they come.

#include "ingest/results/hud_reader.h"

#include <gmock/gmock.h>

#include "ingest/text/json_objects.h"
#include "tests/unit/ingest/store_fixture.h"

namespace benchhud::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Json = nlohmann::ordered_json;

/// A record as the dynamo runner and the uploader write it together.
Json record(const std::string& metric, Json values, const std::string& model = "BERT_pytorch") {
  Json made = {
      {"timestamp", 1767571200},
      {"schema_version", "v3"},
      {"name", "inductor-perf / test"},
      {"repo", "pytorch/pytorch"},
      {"head_branch", "refs/heads/main"},
      {"head_sha", "0123456789abcdef"},
      {"workflow_id", 19238475610},
      {"run_attempt", 1},
      {"job_id", 7},
      {"runners", Json::array({{{"name", "cuda"}, {"type", "NVIDIA H100 80GB HBM3"}}})},
      {"benchmark",
       {{"name", "TorchInductor"},
        {"mode", "inference"},
        {"dtype", "bfloat16"},
        {"extra_info",
         {{"device", "cuda"},
          {"batch_size", 16},
          {"output",
           "/t/inductor_with_cudagraphs_torchbench_bfloat16_inference_cuda_performance.csv"}}}}},
      {"model",
       {{"name", model},
        {"type", "OSS model"},
        {"backend", "inductor"},
        {"origins", Json::array({"torchbench"})}}},
      {"dependencies", {{"triton", {{"repo", "triton"}, {"sha", "feedbeef"}}}}}};
  made["metric"] = {{"name", metric}, {"benchmark_values", std::move(values)}};
  return made;
}

Json accuracy(const std::string& status, const std::string& model = "BERT_pytorch") {
  Json made = record("accuracy", Json::array(), model);
  made["metric"] = {{"name", "accuracy"},
                    {"extra_info", {{"benchmark_values", Json::array({status})}}}};
  return made;
}

std::string lines_of(const std::vector<Json>& records) {
  std::string text;
  for (const Json& one : records) text += one.dump() + "\n";
  return text;
}

class Hud : public StoreFixture {
 protected:
  std::optional<schema::ResultFacts> result(const std::string& model, const std::string& backend) {
    for (const auto& facts : results(only_run())) {
      const schema::Experiment found = experiment(facts.experiment);
      if (found.model == model && found.backend() == backend) return facts;
    }
    return {};
  }
  std::vector<std::string> reasons(const IngestResult& report) {
    std::vector<std::string> all;
    for (const Rejection& rejection : report.files[0].rejections) all.push_back(rejection.reason);
    return all;
  }
};

TEST_F(Hud, RecordsOfOneResultAreOneLine) {
  const auto report = ingest_text(
      "records.json", lines_of({record("speedup", {2.0}), record("abs_latency", {59.0}),
                                record("compilation_latency", {38.5}), accuracy("pass")}));
  EXPECT_EQ(report.rejected, 0);
  EXPECT_EQ(report.accepted, 3);  // the timing, eager's, the verification
  const schema::Run run = only_run();
  EXPECT_EQ(run.name, "workflow 19238475610");
  EXPECT_EQ(run.accelerator_model, "NVIDIA H100 80GB HBM3");
  const std::map<std::string, std::string> labels = {{"branch", "main"},
                                                     {"pytorch", "0123456789abcdef"},
                                                     {"triton", "feedbeef"},
                                                     {"workflow", "19238475610"}};
  EXPECT_EQ(run.labels, labels);
  const auto own = result("BERT_pytorch", "inductor_with_cudagraphs");
  ASSERT_TRUE(own);
  EXPECT_THAT(own->total_time, ElementsAre(0.059));
  ASSERT_TRUE(own->verification);
  EXPECT_EQ(own->verification->code, "PASS");
  const schema::Experiment found = experiment(own->experiment);
  EXPECT_EQ(found.suite, "torchbench");
  EXPECT_EQ(found.test, "eval");
  EXPECT_EQ(found.accelerator, "cuda");
  EXPECT_EQ(found.batch_size, 16);
  EXPECT_EQ(found.flags, R"({"dtype":"bfloat16"})");
  EXPECT_THAT(result("BERT_pytorch", "eager")->total_time, ElementsAre(0.118));
}

TEST_F(Hud, TheFormDoesNotMatter) {
  const std::vector<Json> records = {record("speedup", {2.0}), record("abs_latency", {59.0}),
                                     accuracy("fail_accuracy"), record("speedup", {1.5}, "dlrm"),
                                     record("abs_latency", {10.0}, "dlrm")};
  ingest_text("lines.json", lines_of(records));
  const std::string before = dump();
  const Json array = records;
  std::vector<Json> reversed(records.rbegin(), records.rend());
  for (const std::string& text :
       {array.dump(), array.dump(2), "\xEF\xBB\xBF" + array.dump(0), lines_of(reversed),
        records[0].dump() + "," + lines_of({records.begin() + 1, records.end()}),
        "[" + records[0].dump() + "]\n" + lines_of({records.begin() + 1, records.end()})}) {
    const auto again = ingest_text("other.json", text);
    EXPECT_EQ(again.accepted, 0) << text.substr(0, 80);
    EXPECT_EQ(again.rejected, 0) << text.substr(0, 80);
    EXPECT_EQ(dump(), before);
  }
}

TEST_F(Hud, WhatIsBrokenTakesNothingElseWithIt) {
  const std::string whole = lines_of({record("abs_latency", {59.0}, "a")});
  const std::string other = lines_of({record("abs_latency", {10.0}, "b")});
  Json odd = record("abs_latency", Json::array({"fast"}), "c");
  Json nameless = record("abs_latency", {1.0}, "");
  Json tuple = record("x", {1.0});
  tuple["metric"] = Json::array({"compile_time", Json::array({1})});
  const auto report =
      ingest_text("records.jsonl", whole + "{\"metric\": {\"name\": \"half\n" + "garbage\n" +
                                       lines_of({odd, nameless, tuple}) + "{}\n[1, 2]\n" +
                                       "{\"a\": {\n" + other + whole.substr(0, 200));
  EXPECT_EQ(report.accepted, 2);
  EXPECT_TRUE(result("a", "inductor_with_cudagraphs"));
  EXPECT_TRUE(result("b", "inductor_with_cudagraphs"));
  EXPECT_THAT(
      reasons(report),
      ElementsAre("not JSON: the line ends inside an object", "not JSON: no object begins here",
                  "metric.benchmark_values holds a string, not a number", "model.name is missing",
                  "metric is an array, not an object", "metric is missing",
                  "not JSON: no object begins here", "not JSON: the line ends inside an object",
                  HasSubstr("the file ends inside this record")));
  EXPECT_EQ(report.files[0].rejections[1].line_number, 3);
}

TEST_F(Hud, AHalfWrittenRecordIsTakenInOnceItIsWhole) {
  const std::string text =
      lines_of({record("abs_latency", {59.0}, "a"), record("abs_latency", {10.0}, "b")});
  const auto half = ingest_text("r.jsonl", text.substr(0, text.size() - 30));
  EXPECT_EQ(half.accepted, 1);
  EXPECT_EQ(half.rejected, 1);
  const auto whole = ingest_text("r.jsonl", text);
  EXPECT_EQ(whole.accepted, 1);
  EXPECT_EQ(whole.rejected, 0);
  EXPECT_EQ(whole.files[0].report.resolved, 1);
}

TEST_F(Hud, WithoutUploaderTheCommandTellsWhatIsMissing) {
  Json bare = record("abs_latency", {59.0});
  for (const char* key :
       {"timestamp", "runners", "workflow_id", "head_sha", "repo", "head_branch", "dependencies"}) {
    bare.erase(key);
  }
  const std::string text = lines_of({bare});
  const auto unknown = ingest_text("r.json", text);
  ASSERT_THAT(reasons(unknown), SizeIs(1));
  EXPECT_THAT(reasons(unknown)[0], HasSubstr("--accelerator-model"));
  IngestOptions options;
  options.import_context.accelerator_model = "A100";
  EXPECT_THAT(reasons(ingest_text("r.json", text, options)), ElementsAre(HasSubstr("--timestamp")));
  options.timestamp = 1767571200;
  const auto known = ingest_text("r.json", text, options);
  EXPECT_EQ(known.accepted, 1);
  EXPECT_EQ(known.files[0].report.resolved, 1);
  EXPECT_EQ(only_run().name, "2026-01-05T00:00:00Z");
  EXPECT_EQ(only_run().accelerator_model, "A100");
}

TEST_F(Hud, OfAnotherBenchmarkNothingIsATime) {
  Json other = record("abs_latency", {59.0});
  other["benchmark"]["name"] = "vLLM";
  Json total = record("total_time", {3.0});
  total["benchmark"]["name"] = "vLLM";
  ingest_text("r.json", lines_of({other, total}));
  const auto found = result("BERT_pytorch", "inductor_with_cudagraphs");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->timing_line);
  const auto lines = reader().lines(only_run().id, found->experiment);
  std::vector<std::string> names;
  const auto metrics = reader().measurements((*lines)[0].id);
  for (const auto& metric : *metrics) {
    names.push_back(metric.measurement.metric);
  }
  EXPECT_THAT(names, ElementsAre("abs_latency", "hud:total_time"));
}

TEST_F(Hud, SeveralValuesStayAndGiveNoEager) {
  ingest_text("r.json",
              lines_of({record("abs_latency", {10.0, 20.0, 30.0}), record("speedup", {2.0})}));
  EXPECT_THAT(result("BERT_pytorch", "inductor_with_cudagraphs")->total_time,
              ElementsAre(0.01, 0.02, 0.03));
  EXPECT_FALSE(result("BERT_pytorch", "eager"));
}

TEST_F(Hud, TheSameMetricAgainIsAnotherRunOfIt) {
  const auto report =
      ingest_text("r.json", lines_of({record("speedup", {0.0}), record("abs_latency", {0.0}),
                                      record("speedup", {2.0}), record("abs_latency", {10.0})}));
  EXPECT_EQ(report.accepted, 3);
  const auto found = result("BERT_pytorch", "inductor_with_cudagraphs");
  EXPECT_THAT(found->total_time, ElementsAre(0.01));
  EXPECT_FALSE(found->failure);
}

TEST_F(Hud, AccuracyIsReadHoweverItIsWritten) {
  Json as_text = accuracy("", "a");
  as_text["metric"]["extra_info"]["benchmark_values"] = "[\"pass\"]";
  Json in_values = accuracy("", "b");
  in_values["metric"] = {{"name", "accuracy"}, {"benchmark_values", Json::array({"pass"})}};
  Json none = accuracy("", "c");
  none["metric"].erase("extra_info");
  const auto report = ingest_text("r.json", lines_of({as_text, in_values, none}));
  EXPECT_EQ(report.accepted, 2);
  EXPECT_THAT(reasons(report), ElementsAre(HasSubstr("the accuracy has no status")));
}

TEST_F(Hud, QuotedNumbersAndPythonsNumbersAreNumbers) {
  Json quoted = record("abs_latency", {59.0});
  quoted["timestamp"] = "1767571200";
  quoted["workflow_id"] = "42";
  std::string text = lines_of({quoted});
  text.replace(text.find("59.0"), 4, "NaN");
  const auto report = ingest_text("r.json", text);
  EXPECT_EQ(report.accepted, 1);
  EXPECT_EQ(only_run().name, "workflow 42");
  Json late = record("abs_latency", {59.0});
  late["timestamp"] = 1767571200000;
  EXPECT_THAT(reasons(ingest_text("late.json", lines_of({late}))),
              ElementsAre(HasSubstr("not a number of seconds since 1970")));
}

/// A record as `benchhud export --format hud-v3` writes it.
Json own_record(const std::string& own, Json metric) {
  Json made = record("", Json::array());
  made["benchmark"]["extra_info"]["benchhud"] = own;
  made["metric"] = std::move(metric);
  return made;
}

constexpr const char* kOwnLine =
    R"({"run": "night", "labels": {"pytorch": "abc"}, "is_verification": false,
        "hash": "000102030405060708090a0b0c0d0e0f",
        "line": {"model": {"suite_name": "s", "model_name": "m"},
                 "experiment": {"accelerator": "cpu", "accelerator_model": "x", "test": "eval",
                                "dynamo": "inductor", "batch_size": 4, "odd": [1]},
                 "repeat": 7, "timestamp": 1767571200.25, "process": "kept"}})";

TEST_F(Hud, WhatWeWroteIsTheLineThatItWas) {
  const auto kept = [](const std::string& name, Json values, const std::string& text) {
    return Json{{"name", name}, {"benchmark_values", values}, {"extra_info", {{"benchhud", text}}}};
  };
  const auto report = ingest_text(
      "r.json",
      lines_of({own_record(kOwnLine, {{"name", "total_time"}, {"benchmark_values", {3.0, 1.0}}}),
                own_record(kOwnLine, kept("speedup", {2.0}, "derived")),
                own_record(kOwnLine,
                           kept("per_iter_time", {1.0}, R"({"per_iter_time": [NaN, 1.0, null]})")),
                own_record(kOwnLine, kept("counters", Json::array(), R"({"counters": {"a": 1}})")),
                own_record(kOwnLine, kept("one", {5.0}, R"({"one": 5.0})"))}));
  EXPECT_EQ(report.accepted, 1);
  EXPECT_EQ(report.rejected, 0);
  const schema::Run run = only_run();
  EXPECT_EQ(run.name, "night");
  EXPECT_EQ(run.accelerator_model, "x");
  EXPECT_EQ(run.started_at, 1767571200.25);
  EXPECT_EQ(run.labels.at("pytorch"), "abc");
  EXPECT_EQ(run.labels.size(), 1u);
  const auto found = result("m", "inductor");
  ASSERT_TRUE(found);
  EXPECT_EQ(experiment(found->experiment).flags, R"({"odd":[1]})");
  EXPECT_EQ(found->repeat, 7);
  EXPECT_THAT(found->total_time, ElementsAre(3.0, 1.0));
  ASSERT_THAT(found->per_iter_time, SizeIs(3));
  EXPECT_TRUE(schema::is_null_sample(found->per_iter_time[2]));
  EXPECT_EQ(reader().line(*found->timing_line)->extra, R"({"process":"kept"})");
  std::map<std::string, schema::SampleShape> shapes;
  const auto metrics = reader().measurements(*found->timing_line);
  for (const auto& metric : *metrics) {
    shapes[metric.measurement.metric] = metric.measurement.shape;
  }
  EXPECT_EQ(shapes.count("speedup"), 0u);
  EXPECT_EQ(shapes.at("counters"), schema::SampleShape::kNested);
  EXPECT_EQ(shapes.at("one"), schema::SampleShape::kScalar);
}

TEST_F(Hud, WhatPretendsToBeOursIsReadWithTheSameCare) {
  const Json metric = {{"name", "total_time"}, {"benchmark_values", {3.0}}};
  const auto report = ingest_text(
      "r.json",
      lines_of({own_record("garbage", metric), own_record("[]", metric), own_record("{}", metric),
                own_record(R"({"line": {}})", metric),
                own_record(R"({"line": {"model": {"model_name": 3}}})", metric),
                own_record(kOwnLine, {{"name", "total_time"}}),
                own_record(kOwnLine, {{"name", "x"}, {"extra_info", {{"benchhud", "}{"}}}})}));
  EXPECT_EQ(report.accepted, 0);
  EXPECT_EQ(report.rejected, 7);
  EXPECT_TRUE(runs().empty());
}

TEST(HudReader, LetsGoOfTheOldestWhereTooMuchIsHeld) {
  // A result whose records stand far apart becomes two lines; nothing is lost.
  HudReader reader({}, std::nullopt, /*most_held=*/1000);
  ParsedChunk parsed;
  parsed.chunk.text = lines_of({record("speedup", {2.0}, "a"), record("speedup", {2.0}, "b"),
                                record("abs_latency", {1.0}, "a")});
  ASSERT_TRUE(reader.parse(&parsed));
  std::size_t lines = parsed.line_count;
  for (;;) {
    ASSERT_TRUE(reader.finish(&parsed));
    if (parsed.line_count == 0) break;
    lines += parsed.line_count;
  }
  EXPECT_EQ(lines, 3u);
}

std::vector<std::string> objects_of(const std::string& text, std::size_t piece,
                                    std::size_t longest = 1000) {
  JsonObjects objects(longest);
  std::vector<std::string> found;
  const auto visit = [&](const JsonObjects::Piece& one) {
    found.push_back(one.fault ? std::string("! ") + one.fault : std::string(one.text));
    if (one.byte_count == static_cast<std::int64_t>(one.text.size())) {
      EXPECT_EQ(text.substr(static_cast<std::size_t>(one.byte_offset), one.text.size()), one.text);
    }
  };
  for (std::size_t at = 0; at < text.size(); at += piece) {
    objects.add(std::string_view(text).substr(at, piece), visit);
  }
  objects.finish(visit);
  return found;
}

TEST(JsonObjects, AreFoundHoweverTheBytesCome) {
  const std::string text = "[{\"a\": \"}{\\\"\"}, {\"b\": {\"c\": []}}]\n{\"d\": 1} {\"e\": 2}\n";
  for (const std::size_t piece : {1u, 2u, 7u, 1000u}) {
    EXPECT_THAT(objects_of(text, piece), ElementsAre("{\"a\": \"}{\\\"\"}", "{\"b\": {\"c\": []}}",
                                                     "{\"d\": 1}", "{\"e\": 2}"));
  }
}

TEST(JsonObjects, ALongOneIsToldAndWhatFollowsIsFound) {
  const std::string text = "{\"a\": 1}\n{\"b\": \"" + std::string(2000, 'x') + "\"}\n{\"c\": 1}\n";
  EXPECT_THAT(objects_of(text, 100, 1000),
              ElementsAre("{\"a\": 1}", "! the record is too long", "{\"c\": 1}"));
}

}  // namespace
}  // namespace benchhud::ingest
