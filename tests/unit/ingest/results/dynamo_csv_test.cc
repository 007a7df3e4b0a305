// CSV files of torch's dynamo runner: what becomes of their rows, and of what is no row.

#include "ingest/results/dynamo_csv.h"

#include <gmock/gmock.h>

#include <cmath>

#include "ingest/results/results_format.h"
#include "tests/unit/ingest/store_fixture.h"

namespace benchhud::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kPerformance =
    "night/inductor_no_cudagraphs_torchbench_amp_training_cuda_performance.csv";
constexpr const char* kAccuracy =
    "night/inductor_no_cudagraphs_torchbench_amp_training_cuda_accuracy.csv";
constexpr const char* kHeader = "dev,name,batch_size,speedup,abs_latency\n";
constexpr double kNight = 1767571200;  // 2026-01-05

class DynamoCsv : public StoreFixture {
 protected:
  static IngestOptions on_h100() {
    IngestOptions options;
    options.import_context.accelerator_model = "NVIDIA H100";
    options.timestamp = kNight;
    return options;
  }

  /// The result of a model and backend in the only run.
  std::optional<schema::ResultFacts> result(const std::string& model, const std::string& backend) {
    for (const auto& facts : results(only_run())) {
      const schema::Experiment found = experiment(facts.experiment);
      if (found.model == model && found.backend() == backend) return facts;
    }
    return {};
  }

  std::map<std::string, double> metrics_of(schema::LineId line) {
    std::map<std::string, double> values;
    const auto all = reader().measurements(line);
    EXPECT_TRUE(all);
    for (const auto& stored : *all) {
      if (stored.measurement.samples.size() != 1) continue;
      values[stored.measurement.metric] = stored.measurement.samples[0];
    }
    return values;
  }
};

TEST_F(DynamoCsv, ARowIsATimeOfTheBackendAndOneOfEager) {
  const auto report =
      ingest_text(kPerformance,
                  std::string("dev,name,batch_size,speedup,abs_latency,compilation_latency,"
                              "compression_ratio,eager_peak_mem,dynamo_peak_mem,graph_breaks\n") +
                      "cuda,BERT_pytorch,16,2.000000,59.000000,38.5,0.9,25.0,27.0,0\n",
                  on_h100());
  EXPECT_EQ(report.accepted, 2);
  EXPECT_EQ(report.rejected, 0);
  const auto own = result("BERT_pytorch", "inductor_no_cudagraphs");
  ASSERT_TRUE(own);
  EXPECT_THAT(own->total_time, ElementsAre(0.059));
  EXPECT_THAT(own->per_iter_time, ElementsAre(0.059));
  const schema::Experiment found = experiment(own->experiment);
  EXPECT_EQ(found.suite, "torchbench");
  EXPECT_EQ(found.test, "train");
  EXPECT_EQ(found.accelerator, "cuda");
  EXPECT_EQ(found.accelerator_model, "NVIDIA H100");
  EXPECT_EQ(found.batch_size, 16);
  EXPECT_EQ(found.flags, R"({"dtype":"amp"})");
  const auto metrics = metrics_of(*own->timing_line);
  EXPECT_EQ(metrics.at("hud:speedup"), 2);
  EXPECT_EQ(metrics.at("abs_latency"), 59);
  EXPECT_EQ(metrics.at("compilation_latency"), 38.5);
  EXPECT_EQ(metrics.at("dynamo_peak_mem"), 27);
  EXPECT_EQ(metrics.at("graph_breaks"), 0);

  const auto eager = result("BERT_pytorch", "eager");
  ASSERT_TRUE(eager);
  EXPECT_THAT(eager->total_time, ElementsAre(0.118));
  EXPECT_THAT(reader().line(*eager->timing_line)->extra, HasSubstr("speedup * abs_latency"));
  EXPECT_EQ(metrics_of(*eager->timing_line).count("hud:speedup"), 0u);
}

TEST_F(DynamoCsv, ARatioAloneIsNoTime) {
  ingest_text(kPerformance, "dev,name,batch_size,speedup\ncuda,alexnet,8,1.25\n", on_h100());
  const auto own = result("alexnet", "inductor_no_cudagraphs");
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->timing_line);
  EXPECT_FALSE(result("alexnet", "eager"));
  const auto lines = reader().lines(only_run().id, own->experiment);
  ASSERT_THAT(*lines, SizeIs(1));
  EXPECT_EQ(metrics_of((*lines)[0].id).at("hud:speedup"), 1.25);
}

TEST_F(DynamoCsv, ZerosAreAFailureAndNoTime) {
  ingest_text(kPerformance, std::string(kHeader) + "cuda,dlrm,0,0.0,0.0\n", on_h100());
  const auto own = result("dlrm", "inductor_no_cudagraphs");
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->timing_line);
  ASSERT_TRUE(own->failure && own->failure->error);
  EXPECT_THAT(*reader().text(*own->failure->error), HasSubstr("speedup and abs_latency are 0"));
  EXPECT_EQ(experiment(own->experiment).batch_size, std::nullopt);
}

TEST_F(DynamoCsv, ANumberThatIsNoneIsKeptAsItIsAndGivesNoEager) {
  const auto report = ingest_text(
      kPerformance, std::string(kHeader) + "cuda,a,8,nan,3.0\ncuda,b,8,inf,3.0\ncuda,c,8,1.5,nan\n",
      on_h100());
  EXPECT_EQ(report.accepted, 3);
  EXPECT_THAT(result("a", "inductor_no_cudagraphs")->total_time, ElementsAre(0.003));
  EXPECT_FALSE(result("a", "eager"));
  EXPECT_FALSE(result("b", "eager"));
  EXPECT_FALSE(result("c", "eager"));
  EXPECT_FALSE(result("c", "inductor_no_cudagraphs")->timing_line);
}

TEST_F(DynamoCsv, AccuracyIsAVerificationOfTheTiming) {
  const std::string accuracy =
      "dev,name,batch_size,accuracy\n"
      "cuda,good,4,pass\ncuda,wrong,4,fail_accuracy\ncuda,oom,0,eager_1st_run_OOM\n"
      "cuda,skipped,4,pass_due_to_skip\ncuda,crashed,4,fail_to_run\ncuda,late,4,timeout\n"
      "cuda,odd,4,something_new\n";
  std::string timings = kHeader;
  for (const char* model : {"good", "wrong", "oom", "skipped", "crashed", "late", "odd"}) {
    timings += std::string("cuda,") + model + ",16,1.5,10.0\n";
  }
  // The order does not matter.
  ingest_text(kAccuracy, accuracy, on_h100());
  ingest_text(kPerformance, timings, on_h100());
  std::map<std::string, std::string> codes;
  for (const auto& facts : results(only_run())) {
    if (!facts.verification) continue;
    const schema::Experiment found = experiment(facts.experiment);
    EXPECT_EQ(found.batch_size, 16);
    codes[found.model] = facts.verification->code;
  }
  const std::map<std::string, std::string> expected = {{"good", "PASS"},
                                                       {"wrong", "FAIL"},
                                                       {"oom", "EAGER_FAILED"},
                                                       {"skipped", "pass_due_to_skip"},
                                                       {"crashed", "EXCEPTION_RAISED"},
                                                       {"late", "VERIFIER_DIDNT_RUN"},
                                                       {"odd", "something_new"}};
  EXPECT_EQ(codes, expected);
  const auto oom = result("oom", "inductor_no_cudagraphs");
  ASSERT_TRUE(oom->verification->error);
  EXPECT_EQ(*reader().text(*oom->verification->error), "eager_1st_run_OOM");
  EXPECT_THAT(reader().line(*oom->verification->line)->extra, HasSubstr("eager_1st_run_OOM"));
}

TEST_F(DynamoCsv, AgainChangesNothingAndFilesOfTheSameBytesAreTwo) {
  const std::string text = "dev,name,batch_size,accuracy\ncuda,a,4,pass\ncuda,b,4,pass\n";
  EXPECT_EQ(ingest_text(kAccuracy, text, on_h100()).accepted, 2);
  const std::string before = dump();
  EXPECT_EQ(ingest_text(kAccuracy, text, on_h100()).accepted, 0);
  EXPECT_EQ(dump(), before);
  const auto other =
      ingest_text("night/cudagraphs_torchbench_amp_training_cuda_accuracy.csv", text, on_h100());
  EXPECT_EQ(other.accepted, 2);
  EXPECT_THAT(results(only_run()), SizeIs(4));
}

TEST_F(DynamoCsv, AGrownFileAddsWhatIsNewThoughRowsWerePadded) {
  ingest_text(kPerformance, std::string(kHeader) + "cuda,a,0,0.0,0.0\ncuda,b,4,1.5,10.0\n",
              on_h100());
  const auto grown = ingest_text(kPerformance,
                                 "dev,name,batch_size,speedup,abs_latency,compilation_latency\n"
                                 "cuda,a,0,0.0,0.0,0\ncuda,b,4,1.5,10.0,0\ncuda,c,4,1.5,10.0,7.5\n",
                                 on_h100());
  EXPECT_EQ(grown.accepted, 2);  // c, and its eager
  EXPECT_EQ(grown.duplicate, 3);
  EXPECT_THAT(results(only_run()), SizeIs(5));
  EXPECT_THAT(*reader().invocations(only_run().id), SizeIs(1));
}

TEST_F(DynamoCsv, TheHeaderMayComeAgainWithItsColumnsInAnotherOrder) {
  const auto report = ingest_text(kPerformance,
                                  std::string("\xEF\xBB\xBF") + kHeader +
                                      "cuda,a,4,1.5,10.0\r\n\r\n"
                                      "abs_latency,name,dev,\"note, if any\",speedup,batch_size\n"
                                      "20.0,b,cuda,\"said \"\"so\"\",\ntwice\",2.0,8\n",
                                  on_h100());
  EXPECT_EQ(report.rejected, 0);
  EXPECT_THAT(result("a", "inductor_no_cudagraphs")->total_time, ElementsAre(0.010));
  const auto b = result("b", "inductor_no_cudagraphs");
  EXPECT_THAT(b->total_time, ElementsAre(0.020));
  EXPECT_THAT(reader().line(*b->timing_line)->extra, HasSubstr(R"(said \"so\",\ntwice)"));
}

TEST_F(DynamoCsv, WhatCannotBeReadIsRejectedRowByRow) {
  const std::string rows = std::string(kHeader) +
                           "cuda,short,4\n"
                           "cuda,long,4,1.5,10.0,7,8\n"
                           "cuda,,4,1.5,10.0\n"
                           "cuda,batch,four,1.5,10.0\n"
                           "cuda,text,4,fast,10.0\n"
                           "cuda,\"open,4,1.5,10.0\n"
                           "cuda,\"odd\"x,4,1.5,10.0\n"
                           "cuda,nothing,4,,\n"
                           "cuda,good,4,1.5,10.0\n"
                           "cuda,half,4,1.5,10.";
  const auto report = ingest_text(kPerformance, rows, on_h100());
  EXPECT_EQ(report.accepted, 2);
  std::vector<std::string> reasons;
  std::vector<std::int64_t> lines;
  for (const Rejection& rejection : report.files[0].rejections) {
    reasons.push_back(rejection.reason);
    lines.push_back(rejection.line_number);
  }
  EXPECT_THAT(lines, ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 11));
  EXPECT_THAT(reasons,
              ElementsAre("3 fields, where the header has 5", "7 fields, where the header has 5",
                          "the name of the model is empty", "the batch size four is no integer",
                          "speedup fast is no number", "a quote that does not close",
                          "text behind a closing quote", "the row says nothing but a name",
                          "the file ends inside this line: it has no line end"));
  // Whole, it is in, and no longer among what was rejected.
  const auto whole = ingest_text(kPerformance, rows + "5\n", on_h100());
  EXPECT_EQ(whole.accepted, 2);
  EXPECT_EQ(whole.files[0].report.resolved, 1);
  EXPECT_THAT(result("half", "inductor_no_cudagraphs")->total_time, ElementsAre(0.0105));
}

TEST_F(DynamoCsv, WhatIsToldNowhereIsAskedForByItsOption) {
  const std::string text = std::string(kHeader) + "cuda,a,4,1.5,10.0\n";
  const auto reason = [&](const std::string& name, const IngestOptions& options) {
    const auto report = ingest_text(name, text, options);
    const auto& error = report.files[0].error;
    return error ? error->message : "";
  };
  IngestOptions options;
  EXPECT_THAT(reason("perf.csv", options), HasSubstr("--suite"));
  options.import_context.suite = "torchbench";
  EXPECT_THAT(reason("perf.csv", options), HasSubstr("--backend"));
  options.import_context.backend = "inductor";
  EXPECT_THAT(reason("perf.csv", options), HasSubstr("--test"));
  options.import_context.test = "inference";
  EXPECT_THAT(reason("perf.csv", options), HasSubstr("--accelerator-model"));
  options.import_context.accelerator_model = "A100";
  const auto untimed = ingest_text("perf.csv", text, options);
  ASSERT_THAT(untimed.files[0].rejections, SizeIs(1));
  EXPECT_THAT(untimed.files[0].rejections[0].reason, HasSubstr("--timestamp"));
  options.timestamp = kNight;
  const auto timed = ingest_text("perf.csv", text, options);
  EXPECT_EQ(timed.accepted, 2);
  EXPECT_EQ(timed.files[0].report.resolved, 1);
}

TEST_F(DynamoCsv, ColumnsOfSomethingElseFailTheFile) {
  for (const char* text : {"", "\n\n", "a,b,c\n1,2,3\n", "name,name,speedup\n", "\"open\n",
                           "dev,name,batch_size\ncuda,a,4\n"}) {
    const auto report = ingest_text(kPerformance, text, on_h100());
    ASSERT_TRUE(report.files[0].error) << text;
    EXPECT_EQ(report.files[0].error->code, schema::ErrorCode::kUnsupported);
  }
}

TEST_F(DynamoCsv, AFolderIsTakenInWithItsDateAndWhatIsNoneIsLeftAlone) {
  write("out/2026-01-05/inductor_torchbench_bfloat16_inference_cuda_h100_performance.csv",
        std::string(kHeader) + "cuda,a,4,1.5,10.0\n");
  write("out/2026-01-05/shopping.csv", "what,how many\napples,3\n");
  write("out/2026-01-05/settings.json", R"({"metrics": 3})");
  const auto report = ingest_folder("out");
  ASSERT_THAT(report.files, SizeIs(1));
  EXPECT_EQ(report.accepted, 2);
  EXPECT_EQ(only_run().started_at, kNight);
  EXPECT_EQ(only_run().accelerator_model, "h100");
}

TEST_F(DynamoCsv, ManyFilesOfOneTimeAreKnownAgain) {
  IngestOptions labelled = on_h100();  // so that known content is read again
  labelled.labels["pytorch"] = "abc";
  const auto file = [&](int i) {
    return ingest_text("night/b" + std::to_string(i) + "_torchbench_amp_training_cuda_accuracy.csv",
                       "dev,name,batch_size,accuracy\ncuda,a,4,pass\n", labelled);
  };
  for (int i = 0; i < 70; ++i) EXPECT_EQ(file(i).accepted, 1);
  const std::string before = dump();
  for (int i = 0; i < 70; ++i) EXPECT_EQ(file(i).duplicate, 1) << i;
  EXPECT_EQ(dump(), before);
}

TEST(DynamoCsvName, TellsWhatItIsCalledBy) {
  const auto facts = facts_in_name(
      "/x/inductor_with_cudagraphs_timm_models_bfloat16_inference_cuda_a100_performance.csv.gz");
  EXPECT_EQ(facts.backend, "inductor_with_cudagraphs");
  EXPECT_EQ(facts.suite, "timm_models");
  EXPECT_EQ(facts.dtype, "bfloat16");
  EXPECT_EQ(facts.test, "inference");
  EXPECT_EQ(facts.accelerator, "cuda");
  EXPECT_EQ(facts.accelerator_model, "a100");

  const auto dashed = facts_in_name("inductor-huggingface-amp_fp16-training-xpu-accuracy.csv");
  EXPECT_EQ(dashed.backend, "inductor");
  EXPECT_EQ(dashed.suite, "huggingface");
  EXPECT_EQ(dashed.dtype, "amp_fp16");
  EXPECT_EQ(dashed.test, "training");
  EXPECT_EQ(dashed.accelerator, "xpu");
  EXPECT_EQ(dashed.accelerator_model, std::nullopt);

  const auto open = facts_in_name("inductor_torchbench_mxfp8_e4m3_training_mtia_gen2_accuracy.csv");
  EXPECT_EQ(open.dtype, "mxfp8_e4m3");
  EXPECT_EQ(open.accelerator, "mtia");
  EXPECT_EQ(open.accelerator_model, "gen2");

  const auto bare = facts_in_name("torchbench_training.csv");
  EXPECT_EQ(bare.test, "training");
  EXPECT_EQ(bare.dtype, std::nullopt);
  EXPECT_EQ(bare.accelerator, std::nullopt);

  EXPECT_EQ(facts_in_name("results.csv").identity(), "");
  EXPECT_EQ(facts_in_name("torchbench.csv").backend, std::nullopt);
}

TEST(ResultsFormat, IsKnownByTheContent) {
  using enum ResultsFormat;
  const auto format = [](std::string_view text) { return results_format(text, false); };
  EXPECT_EQ(format(R"({"model": {"metric": 1}, "experiment": {}, "metrics": {}})"), kRunner);
  EXPECT_EQ(format(R"({"benchmark": {}, "metric": {"name": "speedup"}})"), kHudRecords);
  EXPECT_EQ(format("\xEF\xBB\xBF [\n {\"metric\": {}, \"x\": \"}{\\\"\"}]"), kHudRecords);
  EXPECT_EQ(format(R"([{}, {"metric": {}}])"), kHudRecords);
  EXPECT_EQ(format(R"({"benchmark": {"name": "a"}, "metric": {"na)"), kHudRecords);
  EXPECT_EQ(format("dev,name,batch_size,accuracy\n"), kDynamoCsv);
  EXPECT_EQ(format("garbage\n"), kRunner);
  EXPECT_EQ(format(""), kRunner);
  EXPECT_EQ(results_format("garbage\n", true), kDynamoCsv);
}

}  // namespace
}  // namespace benchhud::ingest
