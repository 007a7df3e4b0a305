// What names of dumps say, and which results they fit.

#include "ingest/profiles/dump_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace benchhud::ingest {
namespace {

using schema::ArtifactKind;
using schema::Experiment;

Experiment experiment() {
  Experiment experiment;
  experiment.suite = "torchbench";
  experiment.model = "speech_transformer";
  experiment.accelerator = "cuda";
  experiment.test = "eval";
  experiment.xla = "PJRT";
  experiment.dynamo = "openxla";
  return experiment;
}

/// The keys that the name leaves out, or nothing if it is not the experiment's.
std::optional<int> missing(const Experiment& of, std::string_view base) {
  return keys_left_out(of, normalized_base(base));
}

TEST(DumpName, TellsKindRepetitionAndPlace) {
  const auto trace = dump_name("/out/resnet50/3/trace-cuda-None-eval-resnet50.json.gz");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->kind, ArtifactKind::kTrace);
  EXPECT_EQ(trace->directory, "/out");
  EXPECT_EQ(trace->model, "resnet50");
  EXPECT_EQ(trace->repetition, 3);
  EXPECT_EQ(trace->base, "cuda-None-eval-resnet50");
  EXPECT_EQ(trace->place, "resnet50/3/trace-cuda-None-eval-resnet50.json");

  const auto outer = dump_name("out/resnet50/pytorch-profile-cuda.txt");
  ASSERT_TRUE(outer);
  EXPECT_EQ(outer->kind, ArtifactKind::kOperatorTable);
  EXPECT_EQ(outer->directory, "out");
  EXPECT_EQ(outer->repetition, std::nullopt);

  EXPECT_EQ(dump_name("resnet50/0/dynamo-counters-a.txt")->kind, ArtifactKind::kDynamoCounters);
  EXPECT_EQ(dump_name("resnet50/0/dynamo-counters-a.txt")->directory, ".");
  EXPECT_EQ(dump_name("a/b/0/pytorch-xla-metrics-x.txt")->kind, ArtifactKind::kXlaMetrics);
}

TEST(DumpName, OfIrAndFoldersOfPasses) {
  const auto dump = dump_name("out/m/dump-cuda-m.stablehlo.1");
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->kind, ArtifactKind::kIr);
  EXPECT_EQ(dump->base, "cuda-m");
  EXPECT_EQ(dump->part, "stablehlo.1");
  EXPECT_EQ(dump_name("out/m/dump-a.hlo.b.text")->base, "a.hlo.b");

  const auto pass = dump_name("/out/m/hlo-cuda-m/module_0001.jit.before_optimizations.txt");
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->kind, ArtifactKind::kIr);
  EXPECT_EQ(pass->base, "cuda-m");
  EXPECT_EQ(pass->model, "m");
  EXPECT_EQ(pass->directory, "/out");
  EXPECT_EQ(pass->part, "module_0001.jit.before_optimizations.txt");

  const std::string profile = "/out/m/xla-profile/xplane-cuda-m/plugins/profile/2025/h";
  const auto plane = dump_name(profile + ".xplane.pb");
  ASSERT_TRUE(plane);
  EXPECT_EQ(plane->kind, ArtifactKind::kTrace);
  EXPECT_EQ(dump_name(profile + ".xplane.pb.gz")->kind, ArtifactKind::kTrace);
  EXPECT_EQ(dump_name(profile + ".op_stats.pb")->kind, ArtifactKind::kXplane);
  EXPECT_EQ(plane->base, "cuda-m");
  EXPECT_EQ(plane->model, "m");
  EXPECT_EQ(plane->directory, "/out");
  EXPECT_EQ(dump_name(profile + ".trace.json.gz")->kind, ArtifactKind::kTrace);
}

TEST(DumpName, AFolderIsOfPassesOnlyBelowItsModel) {
  EXPECT_FALSE(dump_name("/data/hlo-nightly/output/notes.md"));
  EXPECT_FALSE(dump_name("/data/hlo-nightly/results.txt"));
  EXPECT_FALSE(dump_name("hlo-x/module_0001.txt"));
  const auto pass = dump_name("/data/hlo-bench/out/m/hlo-cuda-m/module_0001.txt");
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->base, "cuda-m");
  EXPECT_EQ(pass->directory, "/data/hlo-bench/out");
  // A model of that name, one with a space, and one that is hashed for its length.
  EXPECT_EQ(dump_name("out/hlo-m/hlo-cuda-hlo-m/module_0001.txt")->model, "hlo-m");
  EXPECT_EQ(dump_name("out/a b/hlo-cuda-ab/module_0001.txt")->base, "cuda-ab");
  const auto hashed = dump_name("out/" + std::string(40, 'm') + "/hlo-cuda--0x12f/module_0001.txt");
  ASSERT_TRUE(hashed);
  EXPECT_EQ(hashed->base, "cuda--0x12f");
}

TEST(DumpName, ModulesInAFolderHloAreOfTheModel) {
  const auto module =
      dump_name("/out/m/hlo/module_0001.SyncTensorsGraph.7.before_optimizations.txt");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->kind, ArtifactKind::kIr);
  EXPECT_EQ(module->model, "m");
  EXPECT_EQ(module->base, "");
  EXPECT_EQ(module->directory, "/out");
  EXPECT_EQ(module->place, "m/hlo/module_0001.SyncTensorsGraph.7.before_optimizations.txt");
  EXPECT_FALSE(dump_name("/data/hlo/notes.txt"));
  EXPECT_FALSE(dump_name("hlo/module_0001.txt"));
  EXPECT_EQ(dump_name("/data/hlo/out/m/trace-cuda-m.json")->kind, ArtifactKind::kTrace);
}

TEST(DumpName, OfTorchTraceLogs) {
  const std::string log = "dedicated_log_torch_trace_rank_0_a1b2.log";
  const auto named = dump_name("/out/m/torch-trace-cuda-m/" + log + ".gz");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->kind, ArtifactKind::kTorchTrace);
  EXPECT_EQ(named->base, "cuda-m");
  EXPECT_EQ(named->model, "m");
  EXPECT_EQ(named->directory, "/out");
  EXPECT_EQ(named->part, log);
  EXPECT_EQ(named->place, "m/torch-trace-cuda-m/" + log);
  EXPECT_FALSE(dump_name("/out/m/torch-trace-cuda-m/notes.log"));
  // Of a log elsewhere nothing tells the experiment.
  const auto other = dump_name("/tmp/traces/" + log);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->kind, ArtifactKind::kTorchTrace);
  EXPECT_EQ(other->place, log);
  EXPECT_EQ(other->directory, "");
  EXPECT_EQ(other->model, "");
}

TEST(DumpName, OtherFilesAreNone) {
  for (const char* path :
       {"", "/", "out/m/0/trace-.json", "trace.json", "out/m/notes.txt", "out/results.jsonl",
        "out/m/dump-x.hlo.part", "trace-a.json.bak", "out/m/dump-.hlo"}) {
    EXPECT_FALSE(dump_name(path)) << path;
  }
}

TEST(DumpName, AModelMayBeCalledANumber) {
  const auto dump = dump_name("/out/3/pytorch-profile-a.txt");
  ASSERT_TRUE(dump);
  // Nothing tells a repetition's folder from a model's: the runner has one above a repetition.
  EXPECT_EQ(dump->repetition, 3);
  EXPECT_EQ(dump_name("/out/3/0/trace-a.json")->model, "3");
}

TEST(KeysLeftOut, OfEveryAgeOfTheRunner) {
  // docs/formats.md's example.
  EXPECT_EQ(missing(experiment(), "cuda-openxla-False-eval-None-PJRT-None-speech_transformer"), 1);
  EXPECT_EQ(missing(experiment(), "cuda-openxla-eval-PJRT-None-speech_transformer"), 3);
  EXPECT_EQ(
      missing(experiment(), "cuda-openxla-False-False-eval-None-PJRT-None-speech_transformer"), 0);
  EXPECT_EQ(missing(experiment(), "cuda-openxla-True-eval-None-PJRT-None-speech_transformer"),
            std::nullopt);
  EXPECT_EQ(missing(experiment(), "cuda-openxla-False-train-None-PJRT-None-speech_transformer"),
            std::nullopt);
  EXPECT_EQ(missing(experiment(), "cuda-openxla-False-eval-None-PJRT-None-speech"), std::nullopt);

  Experiment kept = experiment();
  kept.flags = R"({"keep_model_data_on_cuda":true})";
  EXPECT_TRUE(missing(kept, "cuda-openxla-True-eval-None-PJRT-None-speech_transformer"));
  EXPECT_FALSE(missing(kept, "cuda-openxla-False-eval-None-PJRT-None-speech_transformer"));
}

TEST(KeysLeftOut, LongValuesAreHashes) {
  Experiment flags = experiment();
  flags.xla_flags = "--xla_gpu_enable_triton_gemm=false --xla_dump_to=/x";
  for (const char* hash : {"0x4a5b6c7d", "-0x4a5b6c7d8e9f0123"}) {
    EXPECT_TRUE(
        missing(flags, "cuda-openxla-eval-PJRT-" + std::string(hash) + "-speech_transformer"));
    EXPECT_FALSE(missing(experiment(),
                         "cuda-openxla-eval-PJRT-" + std::string(hash) + "-speech_transformer"));
  }
  flags.xla_flags = "--a=1 --b=2";
  EXPECT_TRUE(missing(flags, "cuda-openxla-eval-PJRT---a=1--b=2-speech_transformer"));
  // Exactly as long as the limit: of either form.
  flags.xla_flags = std::string(32, 'x');
  EXPECT_TRUE(missing(flags, "cuda-openxla-eval-PJRT-" + *flags.xla_flags + "-speech_transformer"));
  EXPECT_TRUE(missing(flags, "cuda-openxla-eval-PJRT-0x1-speech_transformer"));
}

TEST(KeysLeftOut, AnyOfManyKeysMayBeMissing) {
  Experiment many = experiment();
  many.flags = "{";
  for (int i = 0; i < 200; ++i) {
    many.flags += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":\"v\"";
  }
  many.flags += "}";
  std::string with_one = "cuda-openxla-v-eval-PJRT-None-speech_transformer";
  EXPECT_EQ(missing(many, with_one), 202);
}

TEST(NormalizedBase, HashesOnly) {
  EXPECT_EQ(normalized_base("a-0x12-b"), "a-#-b");
  EXPECT_EQ(normalized_base("a--0x12-b"), "a-#-b");
  EXPECT_EQ(normalized_base("0xff"), "#");
  EXPECT_EQ(normalized_base("a0x12"), "a0x12");
  EXPECT_EQ(normalized_base("0x"), "0x");
  EXPECT_EQ(normalized_base("0x12g-b"), "0x12g-b");
}

}  // namespace
}  // namespace benchhud::ingest
