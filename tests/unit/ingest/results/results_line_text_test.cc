#include "ingest/results/results_line_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace benchhud::ingest {
namespace {

ResultsLine parsed(std::string_view text) {
  ResultsLineParser parser;
  ResultsLine line;
  const auto reason = parser.parse(text, &line);
  EXPECT_FALSE(reason) << *reason << " in " << text;
  return line;
}

std::string written(const ResultsLine& line) {
  std::string text;
  append_results_line(line, &text);
  return text;
}

void expect_same(const ResultsLine& a, const ResultsLine& b) {
  EXPECT_EQ(a.experiment, b.experiment);
  EXPECT_EQ(a.timestamp, b.timestamp);
  EXPECT_EQ(a.repeat, b.repeat);
  EXPECT_EQ(a.iterations_per_run, b.iterations_per_run);
  EXPECT_EQ(a.verification_code, b.verification_code);
  EXPECT_EQ(a.verification_mean_rel_error, b.verification_mean_rel_error);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.extra, b.extra);
  EXPECT_EQ(a.origin, b.origin);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.metrics[i].metric, b.metrics[i].metric);
    EXPECT_EQ(a.metrics[i].shape, b.metrics[i].shape);
    EXPECT_EQ(a.metrics[i].json, b.metrics[i].json);
    ASSERT_EQ(a.metrics[i].samples.size(), b.metrics[i].samples.size());
    for (std::size_t j = 0; j < a.metrics[i].samples.size(); ++j) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a.metrics[i].samples[j]),
                std::bit_cast<std::uint64_t>(b.metrics[i].samples[j]))
          << a.metrics[i].metric << "[" << j << "]";
    }
  }
}

class ComesBack : public testing::TestWithParam<const char*> {};

TEST_P(ComesBack, AsItWas) {
  const ResultsLine line = parsed(GetParam());
  const std::string text = written(line);
  expect_same(parsed(text), line);
  EXPECT_EQ(written(parsed(text)), text);
}

INSTANTIATE_TEST_SUITE_P(
    ResultsLineText, ComesBack,
    testing::Values(
        R"({"model": {"model_name": "m"}, "experiment": {}})",
        R"({"model": {"suite_name": "torchbench", "model_name": "resnet50"}, "experiment": {
            "accelerator": "cuda", "accelerator_model": "A \"100\"\n", "xla": "PJRT", "xla_flags": null,
            "dynamo": "openxla", "torch_xla2": null, "test": "train", "batch_size": 32},
            "repeat": 8, "iterations_per_run": 1, "metrics": {"total_time": [1.5, 2, NaN, null, -0.0, Infinity,
            -Infinity, 1e300, 18446744073709552000, 9007199254740993.0, 5e-324]},
            "timestamp": 1709136594.25, "verification_code": "VerificationCode.PASS", "verification_mean_rel_error": 1e-7})",
        // What has no place of its own, on every level.
        R"({"model": {"model_name": "m", "precision": "amp", "n": 3.0}, "experiment": {"experiment_name": "run_all",
            "process_env": {"A": "b"}, "keep_model_data_on_cuda": true, "x": {"b": 1, "a": [1, 2.50]}, "outputs_file": null},
            "outputs_file": "x.pt", "repeat": "often", "iterations_per_run": [1], "more": {"a": NaN}})",
        // Metrics of every shape, and the runner's old name of one.
        R"({"model": {"model_name": "m"}, "experiment": {}, "metrics": {"a": null, "b": 3, "c": {"d": [1, "x"]},
            "e": [], "f": ["x", 1], "g": true, "h": [9223372036854775809123], "xla_ExecutionTime_time_s": [1],
            "error": "first\nsecond \u0000 \ud83d\ude00 \ud800"}})",
        R"({"model": {"model_name": "m"}, "experiment": {"xla": "", "dynamo": 5, "xla_flags": ["--a"]}, "metrics": null})",
        // Keys that could be taken for others.
        R"({"model": {"model_name": "m", "x": 1}, "experiment": {"model.x": 2, "model.model_name": "n", "model.": 1}})",
        R"({"model": {"model_name": "m"}, "experiment": {}, "verification_code": "VerificationCode.VerificationCode.PASS"})",
        R"({"model": {"model_name": "m"}, "experiment": {}, "verification_code": "VerificationCode.<VerificationCode.A: 'A'>"})",
        R"({"model": {"model_name": "m"}, "experiment": {}, "benchhud_line": "00112233445566778899aabbccddeeff"})",
        R"({"model": {"model_name": "m"}, "experiment": {}, "benchhud_line": "00112233445566778899AABBCCDDEEFF"})",
        R"({"model": {"model_name": "m"}, "experiment": {}, "benchhud_line": 7})"));

TEST(ResultsLineText, NoneOfItIsLostForStrictReaders) {
  const std::string text = written(parsed(
      R"({"model": {"model_name": "m"}, "experiment": {}, "metrics": {"a": [null, 1]}, "timestamp": 1})"));
  EXPECT_EQ(
      text,
      R"({"model":{"model_name":"m"},"experiment":{"xla":null,"xla_flags":null,"dynamo":null,)"
      R"("torch_xla2":null,"batch_size":null},"metrics":{"a":[null,1.0]},"timestamp":1.0})");
}

}  // namespace
}  // namespace benchhud::ingest
