#include "ingest/results/results_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "ingest/text/python_json.h"

namespace benchhud::ingest {
namespace {

using schema::SampleShape;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// Reads the line as one of its size is read and as a large one is: the outcome is the same.
std::optional<std::string> read_both_ways(std::string_view text, ResultsLine* line) {
  ResultsLineParser parser, parser_of_large_lines(0);
  ResultsLine large;
  const auto reason = parser.parse(text, line);
  EXPECT_EQ(parser_of_large_lines.parse(text, &large), reason);
  if (reason) return reason;
  EXPECT_EQ(large.experiment, line->experiment);
  EXPECT_EQ(large.extra, line->extra);
  EXPECT_EQ(large.error, line->error);
  EXPECT_EQ(large.metrics.size(), line->metrics.size());
  if (large.metrics.size() != line->metrics.size()) return reason;
  for (std::size_t i = 0; i < large.metrics.size(); ++i) {
    EXPECT_EQ(large.metrics[i].metric, line->metrics[i].metric);
    EXPECT_EQ(large.metrics[i].shape, line->metrics[i].shape);
    EXPECT_EQ(large.metrics[i].json, line->metrics[i].json);
    EXPECT_TRUE(same_bits(large.metrics[i].samples, line->metrics[i].samples));
  }
  return reason;
}

ResultsLine read(std::string_view text) {
  ResultsLine line;
  EXPECT_EQ(read_both_ways(text, &line), std::nullopt) << text.substr(0, 2000);
  return line;
}

std::string refusal(std::string_view text) {
  ResultsLine line;
  return read_both_ways(text, &line).value_or("(accepted)");
}

// A line with `experiment` and `rest` ("" or `, "key": …`) as given.
std::string with(std::string_view experiment, std::string_view rest = "") {
  return R"({"model": {"suite_name": "s", "model_name": "m"}, "experiment": {)" +
         std::string(experiment) + "}" + std::string(rest) + "}";
}

std::string with_metrics(std::string_view metrics) {
  return with("", R"(, "metrics": )" + std::string(metrics));
}

constexpr std::string_view kLineOf2023 =
    R"({"model": {"suite_name": "torchbench", "model_name": "alexnet"}, "experiment": )"
    R"({"experiment_name": "run_all", "accelerator": "cuda", "accelerator_model": )"
    R"("One of Some GPU, ...", "xla": "PJRT", "xla_flags": null, "dynamo": "openxla", )"
    R"("test": "train", "batch_size": 16, "process_env": {"PJRT_DEVICE": "CUDA"}}, )"
    R"("repeat": 4, "iterations_per_run": 1, "metrics": {"total_time": [9.5, 0.25, 0.5, 0.75]}, )"
    R"("outputs_file": null, "timestamp": 1699680738.5})";

constexpr std::string_view kLineOfEarly2024 =
    R"({"model": {"suite_name": "torchbench", "model_name": "alexnet"}, "experiment": )"
    R"({"accelerator": "cuda", "accelerator_model": "One of Some GPU, ...", "xla": "PJRT", )"
    R"("xla_flags": null, "dynamo": "openxla", "test": "train", "batch_size": 16, )"
    R"("keep_model_data_on_cuda": false}, "repeat": 4, "iterations_per_run": 1, "metrics": )"
    R"({"total_time": [9.5, 0.25, 0.5, 0.75]}, "timestamp": 1706745600, )"
    R"("verification_code": "VerificationCode.PASS", "verification_mean_rel_error": 1e-05})";

constexpr std::string_view kLineOfLate2024 =
    R"({"model": {"suite_name": "torchbench", "model_name": "alexnet"}, "experiment": )"
    R"({"accelerator": "cuda", "accelerator_model": "One of Some GPU, ...", "xla": "PJRT", )"
    R"("xla_flags": null, "dynamo": "openxla", "torch_xla2": null, "test": "train", )"
    R"("batch_size": 16, "enable_functionalization": false}, "repeat": 4, )"
    R"("iterations_per_run": 1, "metrics": {"total_time": [9.5, 0.25, 0.5, 0.75], )"
    R"("xla_CompileTime_number": [2, 0, 0, 0]}, "timestamp": 1732982400.25, )"
    R"("verification_code": "VERIFIER_SKIPPED"})";

TEST(ResultsLine, ReadsEveryField) {
  const ResultsLine line = read(kLineOfLate2024);
  EXPECT_EQ(line.experiment.suite, "torchbench");
  EXPECT_EQ(line.experiment.model, "alexnet");
  EXPECT_EQ(line.experiment.accelerator, "cuda");
  EXPECT_EQ(line.experiment.accelerator_model, "One of Some GPU, ...");
  EXPECT_EQ(line.experiment.xla, "PJRT");
  EXPECT_EQ(line.experiment.xla_flags, std::nullopt);
  EXPECT_EQ(line.experiment.dynamo, "openxla");
  EXPECT_EQ(line.experiment.torch_xla2, std::nullopt);
  EXPECT_EQ(line.experiment.test, "train");
  EXPECT_EQ(line.experiment.batch_size, 16);
  EXPECT_EQ(line.experiment.flags, "{}");
  EXPECT_EQ(line.experiment.backend(), "openxla+dynamo");
  EXPECT_EQ(line.repeat, 4);
  EXPECT_EQ(line.iterations_per_run, 1);
  EXPECT_EQ(line.timestamp, 1732982400.25);
  EXPECT_EQ(line.verification_code, "VERIFIER_SKIPPED");
  EXPECT_EQ(line.error, std::nullopt);
  EXPECT_EQ(line.extra, "");
  ASSERT_EQ(line.metrics.size(), 2U);
  EXPECT_EQ(line.metrics[0].metric, "total_time");
  EXPECT_THAT(line.metrics[0].samples, ElementsAre(9.5, 0.25, 0.5, 0.75));
  EXPECT_THAT(line.metrics[1].samples, ElementsAre(2, 0, 0, 0));
  EXPECT_TRUE(line.has_timing());
}

TEST(ResultsLine, LinesOfEveryAgeAreTheSameExperiment) {
  const std::string identity = read(kLineOf2023).experiment.identity();
  EXPECT_EQ(read(kLineOfEarly2024).experiment.identity(), identity);
  EXPECT_EQ(read(kLineOfLate2024).experiment.identity(), identity);
}

TEST(ResultsLine, KeepsWhatDoesNotCount) {
  EXPECT_EQ(read(kLineOf2023).extra,
            R"({"outputs_file":null,"experiment":{"experiment_name":"run_all",)"
            R"("process_env":{"PJRT_DEVICE":"CUDA"}}})");
  EXPECT_EQ(read(with(R"("outputs_file": "a")", R"(, "host": [1, 2.0])")).extra,
            R"({"host":[1,2.0],"experiment":{"outputs_file":"a"}})");
  EXPECT_EQ(read(with("", R"(, "repeat": "ten", "iterations_per_run": 1.5)")).extra,
            R"({"repeat":"ten","iterations_per_run":1.5})");
}

TEST(ResultsLine, AbsentNullAndFalseAreEqual) {
  const std::string identity = read(with("")).experiment.identity();
  for (const char* key : {"accelerator", "accelerator_model", "test", "xla", "xla_flags", "dynamo",
                          "torch_xla2", "batch_size", "enable_functionalization", "new_key"}) {
    for (const char* value : {"null", "false"}) {
      const std::string text = with("\"" + std::string(key) + "\": " + value);
      EXPECT_EQ(read(text).experiment.identity(), identity) << text;
    }
  }
}

TEST(ResultsLine, UnknownKeysCountWhateverTheirOrder) {
  const auto flags = [](std::string_view experiment) {
    return read(with(experiment)).experiment.flags;
  };
  EXPECT_EQ(flags(R"("b": true, "a": {"z": 1.0, "y": null})"),
            R"({"a":{"y":null,"z":1},"b":true})");
  EXPECT_EQ(flags(R"("a": {"y": null, "z": 1}, "b": true, "c": false)"),
            R"({"a":{"y":null,"z":1},"b":true})");
  EXPECT_EQ(flags(R"("a": "")"), R"({"a":""})");
  EXPECT_EQ(flags(R"("a": 0)"), R"({"a":0})");
  EXPECT_EQ(flags(R"("a": NaN, "b": 123456789012345678901234567890)"),
            R"({"a":"NaN","b":"123456789012345678901234567890"})");
  const ResultsLine line =
      read(R"({"model": {"model_name": "m", "tag": "v2", "x": null}, "experiment": {"a": 1}})");
  EXPECT_EQ(line.experiment.flags, R"({"a":1,"model.tag":"v2"})");
  EXPECT_EQ(line.experiment.suite, "");
}

TEST(ResultsLine, OptionsOfAnotherTypeAreTheirJson) {
  EXPECT_EQ(read(with(R"("xla": true)")).experiment.xla, "true");
  EXPECT_EQ(read(with(R"("xla_flags": ["--a", "--b"])")).experiment.xla_flags, R"(["--a","--b"])");
  EXPECT_EQ(read(with(R"("dynamo": "")")).experiment.dynamo, "");
}

TEST(ResultsLine, BatchSizeIsAnInteger) {
  const auto size = [](std::string_view value) {
    return read(with(R"("batch_size": )" + std::string(value))).experiment.batch_size;
  };
  EXPECT_EQ(size("16"), 16);
  EXPECT_EQ(size("16.0"), 16);
  EXPECT_EQ(size("1.6e1"), 16);
  EXPECT_EQ(size("0"), 0);
  EXPECT_EQ(size("9223372036854775807"), 9223372036854775807);
  const auto why = [](std::string_view value) {
    return refusal(with(R"("batch_size": )" + std::string(value)));
  };
  EXPECT_EQ(why(R"("16")"), "experiment.batch_size is a string, not an integer");
  EXPECT_EQ(why("[16]"), "experiment.batch_size is an array, not an integer");
  EXPECT_EQ(why("true"), "experiment.batch_size is true, not an integer");
  EXPECT_EQ(why("1.5"), "experiment.batch_size is 1.5, not an integer of 64 bits");
  EXPECT_EQ(why("NaN"), "experiment.batch_size is NaN, not an integer of 64 bits");
  EXPECT_EQ(why("1e300"), "experiment.batch_size is 1e+300, not an integer of 64 bits");
  EXPECT_THAT(why("9223372036854775808"), HasSubstr("not an integer of 64 bits"));
  EXPECT_THAT(why("99999999999999999999999"), HasSubstr("not an integer of 64 bits"));
}

TEST(ResultsLine, NamesWhatIsMissingOrOfAnotherType) {
  EXPECT_EQ(refusal(R"({"experiment": {}})"), "model is missing");
  EXPECT_EQ(refusal(R"({"model": {"model_name": "m"}})"), "experiment is missing");
  EXPECT_EQ(refusal(R"({"model": null, "experiment": {}})"), "model is null, not an object");
  EXPECT_EQ(refusal(R"({"model": {}, "experiment": {}})"), "model.model_name is missing");
  EXPECT_EQ(refusal(R"({"model": {"model_name": ""}, "experiment": {}})"),
            "model.model_name is missing");
  EXPECT_EQ(refusal(R"({"model": {"model_name": 7}, "experiment": {}})"),
            "model.model_name is 7, not a string");
  EXPECT_EQ(refusal(R"({"model": {"model_name": "m", "suite_name": []}, "experiment": {}})"),
            "model.suite_name is an array, not a string");
  EXPECT_EQ(refusal(R"({"model": {"model_name": "m"}, "experiment": "e"})"),
            "experiment is a string, not an object");
  EXPECT_EQ(refusal(with(R"("accelerator": {})")),
            "experiment.accelerator is an object, not a string");
  EXPECT_EQ(refusal(with(R"("test": 1)")), "experiment.test is 1, not a string");
  EXPECT_EQ(refusal(with_metrics("[1]")), "metrics is an array, not an object");
  EXPECT_EQ(refusal("[1]"), "the line is an array, not an object");
  EXPECT_EQ(refusal("null"), "the line is null, not an object");
  EXPECT_EQ(refusal("NaN"), "the line is NaN, not an object");
}

TEST(ResultsLine, TimestampIsATimeOrNone) {
  const auto at = [](std::string_view value) {
    return read(with("", R"(, "timestamp": )" + std::string(value))).timestamp;
  };
  EXPECT_EQ(at("1699680738"), 1699680738.0);
  EXPECT_EQ(at("1699680738.7234068"), 1699680738.7234068);
  EXPECT_EQ(at("0"), 0.0);
  EXPECT_EQ(at("-1.5"), -1.5);
  EXPECT_EQ(at("null"), std::nullopt);
  EXPECT_EQ(at("NaN"), std::nullopt);
  EXPECT_EQ(read(with("")).timestamp, std::nullopt);
  const auto why = [](std::string_view value) {
    return refusal(with("", R"(, "timestamp": )" + std::string(value)));
  };
  EXPECT_EQ(why(R"("now")"), "timestamp is a string, not a number");
  EXPECT_EQ(why("false"), "timestamp is false, not a number");
  EXPECT_EQ(why("Infinity"), "timestamp is Infinity, not a time of the years 1 to 9999");
  EXPECT_EQ(why("-1e400"), "timestamp is -1e400, not a time of the years 1 to 9999");
  EXPECT_EQ(why("1e18"), "timestamp is 1e+18, not a time of the years 1 to 9999");
}

TEST(ResultsLine, VerificationCodeIsPlain) {
  const auto code = [](std::string_view value) {
    return read(with("", R"(, "verification_code": )" + std::string(value))).verification_code;
  };
  EXPECT_EQ(code(R"("PASS")"), "PASS");
  EXPECT_EQ(code(R"("VerificationCode.PASS")"), "PASS");
  EXPECT_EQ(code(R"("<VerificationCode.PASS: 1>")"), "PASS");
  EXPECT_EQ(code(R"("<VerificationCode.EAGER_FAILED: 'EAGER_FAILED'>")"), "EAGER_FAILED");
  EXPECT_EQ(code(R"("<VerificationCode.FAIL>")"), "FAIL");
  EXPECT_EQ(code(R"("SOMETHING_NEW")"), "SOMETHING_NEW");
  EXPECT_EQ(code(R"("<odd>")"), "<odd>");
  EXPECT_EQ(code("7"), "7");
  EXPECT_EQ(code("null"), std::nullopt);
  EXPECT_EQ(code(R"("")"), std::nullopt);
  EXPECT_EQ(read(kLineOfEarly2024).verification_mean_rel_error, 1e-05);
  EXPECT_EQ(read(with("", R"(, "verification_mean_rel_error": null)")).verification_mean_rel_error,
            std::nullopt);
}

TEST(ResultsLine, MetricsMayBeAbsent) {
  EXPECT_THAT(read(with("")).metrics, IsEmpty());
  EXPECT_THAT(read(with_metrics("null")).metrics, IsEmpty());
  EXPECT_THAT(read(with_metrics("{}")).metrics, IsEmpty());
  EXPECT_FALSE(read(with_metrics("{}")).has_timing());
}

TEST(ResultsLine, SamplesComeAsTheyStand) {
  const ResultsLine line = read(with_metrics(
      R"({"a": [1, null, NaN, Infinity, -Infinity, 1e400, 0.1], "b": 2.5, "c": null, "d": [],)"
      R"( "e": 3})"));
  ASSERT_EQ(line.metrics.size(), 5U);
  const auto& samples = line.metrics[0].samples;
  ASSERT_EQ(samples.size(), 7U);
  EXPECT_EQ(line.metrics[0].shape, SampleShape::kArray);
  EXPECT_EQ(samples[0], 1.0);
  EXPECT_TRUE(schema::is_null_sample(samples[1]));
  EXPECT_TRUE(std::isnan(samples[2]) && !schema::is_null_sample(samples[2]));
  EXPECT_EQ(samples[3], INFINITY);
  EXPECT_EQ(samples[4], -INFINITY);
  EXPECT_EQ(samples[5], INFINITY);
  EXPECT_EQ(samples[6], 0.1);
  EXPECT_EQ(line.metrics[1].shape, SampleShape::kScalar);
  EXPECT_THAT(line.metrics[1].samples, ElementsAre(2.5));
  EXPECT_EQ(line.metrics[2].shape, SampleShape::kNull);
  EXPECT_THAT(line.metrics[2].samples, IsEmpty());
  EXPECT_EQ(line.metrics[3].shape, SampleShape::kArray);
  EXPECT_THAT(line.metrics[3].samples, IsEmpty());
  EXPECT_THAT(line.metrics[4].samples, ElementsAre(3.0));
}

TEST(ResultsLine, WhatIsNotSamplesIsKeptAsJson) {
  const auto json = [](std::string_view value) {
    const ResultsLine line = read(with_metrics(R"({"x": )" + std::string(value) + "}"));
    EXPECT_EQ(line.metrics[0].shape, SampleShape::kNested) << value;
    EXPECT_THAT(line.metrics[0].samples, IsEmpty());
    return line.metrics[0].json;
  };
  EXPECT_EQ(json(R"([{"frames": {"ok": 1}}, {"frames": {"ok": 0.5}}])"),
            R"([{"frames":{"ok":1}},{"frames":{"ok":0.5}}])");
  EXPECT_EQ(json(R"("text")"), R"("text")");
  EXPECT_EQ(json("true"), "true");
  EXPECT_EQ(json("[1, true]"), "[1,true]");
  EXPECT_EQ(json(R"([1.0, "b"])"), R"([1.0,"b"])");
  EXPECT_EQ(json("{}"), "{}");
  EXPECT_EQ(json("[[], {}]"), "[[],{}]");
  EXPECT_EQ(json(R"(["\u0000\u001f\"\\\n\/é"])"), "[\"\\u0000\\u001f\\\"\\\\\\n/é\"]");
  EXPECT_EQ(json("[[NaN, -Infinity, 1e999]]"), R"([["NaN","-Infinity","1e999"]])");
}

TEST(ResultsLine, IntegersThatADoubleWouldRoundAreKeptAsJson) {
  for (const char* value :
       {"[9007199254740993]", "[1,18446744073709551615]", "9223372036854775807"}) {
    const ResultsLine line = read(with_metrics(R"({"x": )" + std::string(value) + "}"));
    EXPECT_EQ(line.metrics[0].shape, SampleShape::kNested);
    EXPECT_EQ(line.metrics[0].json, value);
  }
  EXPECT_EQ(read(with_metrics(R"({"x": [100000000000000000000]})")).metrics[0].json,
            R"(["100000000000000000000"])");
  const ResultsLine line = read(with_metrics(R"({"x": [9007199254740992, 9223372036854775808]})"));
  EXPECT_THAT(line.metrics[0].samples, ElementsAre(9007199254740992.0, 9223372036854775808.0));
}

TEST(ResultsLine, ErrorIsAText) {
  EXPECT_EQ(read(with_metrics(R"({"error": "SKIP"})")).error, "SKIP");
  EXPECT_EQ(read(with_metrics(R"({"error": ""})")).error, "");
  EXPECT_EQ(read(with_metrics(R"({"error": null})")).error, std::nullopt);
  EXPECT_EQ(read(with_metrics(R"({"error": ["a", 1]})")).error, R"(["a",1])");
  EXPECT_THAT(read(with_metrics(R"({"error": "SKIP"})")).metrics, IsEmpty());
  EXPECT_EQ(read(with_metrics(R"({"error": "a\u0000b"})")).error, std::string("a\0b", 3));
}

TEST(ResultsLine, MetricsHaveOneName) {
  const ResultsLine alias = read(with_metrics(R"({"xla_ExecutionTime_number": [1]})"));
  ASSERT_NE(alias.find_metric("xla_ExecuteTime_number"), nullptr);
  // Nothing is lost where a line has both.
  const ResultsLine both =
      read(with_metrics(R"({"xla_ExecutionTime_number": [1], "xla_ExecuteTime_number": [2]})"));
  EXPECT_THAT(both.find_metric("xla_ExecuteTime_number")->samples, ElementsAre(2));
  EXPECT_THAT(both.find_metric("xla_ExecutionTime_number")->samples, ElementsAre(1));
}

TEST(ResultsLine, TheLastOfTwoEqualKeysCounts) {
  EXPECT_EQ(read(R"({"model": 1, "experiment": {"test": "a", "test": "b"}, )"
                 R"("model": {"model_name": "x", "model_name": "m"}})")
                .experiment.test,
            "b");
  EXPECT_THAT(read(with_metrics(R"({"x": [1], "y": [2], "x": [3]})")).metrics[0].samples,
              ElementsAre(3));
  std::string many = "{";
  for (int i = 0; i < 200; ++i) {
    many += "\"x" + std::to_string(i % 100) + "\": [" + std::to_string(i) + "],";
  }
  many.back() = '}';
  const ResultsLine line = read(with_metrics(many));
  ASSERT_EQ(line.metrics.size(), 100U);
  EXPECT_THAT(line.metrics[99].samples, ElementsAre(199));
}

TEST(ResultsLine, HasTimingNeedsANumber) {
  EXPECT_FALSE(read(with_metrics(R"({"total_time": [null, NaN]})")).has_timing());
  EXPECT_FALSE(read(with_metrics(R"({"total_time": []})")).has_timing());
  EXPECT_FALSE(read(with_metrics(R"({"total_time": "x"})")).has_timing());
  EXPECT_FALSE(read(with_metrics(R"({"per_iter_time": [1]})")).has_timing());
  EXPECT_TRUE(read(with_metrics(R"({"total_time": [null, 1.5]})")).has_timing());
  EXPECT_TRUE(read(with_metrics(R"({"total_time": 1.5})")).has_timing());
}

TEST(ResultsLine, HalfOfASurrogatePairIsReplaced) {
  const auto error = [](std::string_view text) {
    return *read(with_metrics(R"({"error": ")" + std::string(text) + R"("})")).error;
  };
  EXPECT_EQ(error(R"(a\ud83db)"), "a\uFFFDb");
  EXPECT_EQ(error(R"(\udc80)"), "\uFFFD");
  EXPECT_EQ(error(R"(\ud83d\ud83d\ude00)"), "\uFFFD\U0001F600");
  EXPECT_EQ(error(R"(\ud83d\u0041)"),
            "\uFFFD"
            "A");
  EXPECT_EQ(error(R"(\uD83D\uDE00)"), "\U0001F600");
  EXPECT_EQ(error(R"(\\ud83d)"), R"(\ud83d)");
  EXPECT_EQ(error(R"(\udc80\u0000)"), std::string("\xEF\xBF\xBD\0", 4));
}

TEST(ResultsLine, NoTextPassesForNaN) {
  const ResultsLine line =
      read(with_metrics(R"({"x": NaN, "y": ["\u0000NaN"], "\u0000k": 1, "error": "\u0000NaN"})"));
  ASSERT_EQ(line.metrics.size(), 3U);
  EXPECT_TRUE(std::isnan(line.metrics[0].samples.at(0)));
  EXPECT_EQ(line.metrics[1].shape, SampleShape::kNested);
  EXPECT_EQ(line.metrics[1].json, R"(["\u0000NaN"])");
  EXPECT_EQ(line.metrics[2].metric, std::string("\0k", 2));
  EXPECT_EQ(line.error, std::string("\0NaN", 4));
}

TEST(ResultsLine, NaNInsideATextIsText) {
  EXPECT_EQ(*read(with_metrics(R"({"error": "NaN, \"Infinity", "x": NaN})")).error,
            R"(NaN, "Infinity)");
}

TEST(ResultsLine, SaysWhereALineIsNotJson) {
  EXPECT_EQ(refusal(""), "the line is empty");
  EXPECT_EQ(refusal(" \t\r"), "the line is empty");
  EXPECT_EQ(refusal(R"({"model": {"suite_na)"),
            "not JSON: the line ends inside a string that begins at byte 12 of the line");
  EXPECT_EQ(refusal(R"({"model": {)"), "not JSON: the line ends too early at byte 12 of the line");
  EXPECT_EQ(refusal(R"({"a" 1})"), "not JSON: expected ':' at byte 6 of the line");
  EXPECT_EQ(refusal(R"({"a": 1 "b"})"), "not JSON: expected ',' or '}' at byte 9 of the line");
  EXPECT_EQ(refusal(R"([1 2])"), "not JSON: expected ',' or ']' at byte 4 of the line");
  EXPECT_EQ(refusal(R"({"a": 1,})"), "not JSON: expected a key in quotes at byte 9 of the line");
  EXPECT_EQ(refusal(R"({a: 1})"),
            "not JSON: expected a key in quotes or '}' at byte 2 of the line");
  EXPECT_EQ(refusal(R"({"a": nan})"), "not JSON: expected a value at byte 7 of the line");
  EXPECT_EQ(refusal(R"({"a": 01})"), "not JSON: expected ',' or '}' at byte 8 of the line");
  EXPECT_EQ(refusal(R"({} {})"),
            "not JSON: something follows the end of the object at byte 4 of the line");
  EXPECT_THAT(refusal("{\"a\": \"\xFF\"}"), HasSubstr("not UTF-8 at byte 8"));
  EXPECT_THAT(refusal("{\"a\": \"\xED\xA0\x80\"}"), HasSubstr("not UTF-8 at byte 8"));
  EXPECT_THAT(refusal("{\"a\": \"\t\"}"), HasSubstr("a control character in a string at byte 8"));
  EXPECT_THAT(refusal(R"({"a": "\x"})"), HasSubstr("an escape that JSON does not have at byte 8"));
  EXPECT_THAT(refusal(R"({"a": "\u00g0"})"), HasSubstr("four hexadecimal digits at byte 8"));
  for (const char* number : {"-", "1.", "1e", "1e+", ".5", "+1", "-NaN", "--1", "0x10"}) {
    EXPECT_THAT(refusal(R"({"a": )" + std::string(number) + "}"), HasSubstr("not JSON: "))
        << number;
  }
}

TEST(ResultsLine, ToleratesLineEndsAndAByteOrderMark) {
  EXPECT_EQ(read(with("") + "\r").experiment.model, "m");
  EXPECT_EQ(read("\xEF\xBB\xBF" + with("")).experiment.model, "m");
}

TEST(ResultsLine, DepthIsRefusedNotSuffered) {
  const auto nested = [](std::size_t depth) {
    return with_metrics(R"({"x": )" + std::string(depth, '[') + std::string(depth, ']') + "}");
  };
  EXPECT_EQ(read(nested(1000)).metrics[0].json.size(), 2000U);
  EXPECT_EQ(refusal(nested(5000)), "not read: nested more than 1024 deep");
  EXPECT_EQ(refusal(nested(1'000'000)), "not read: nested more than 1024 deep");
  EXPECT_THAT(refusal(with_metrics(R"({"x": )" + std::string(1'000'000, '['))), HasSubstr("not "));
  EXPECT_EQ(refusal(with_metrics(R"({"n": NaN, "x": )" + std::string(5000, '[') +
                                 std::string(5000, ']') + "}")),
            "not read: nested more than 1024 deep");
}

TEST(ResultsLine, DepthIsCountedTheSameOfLongValues) {
  for (std::size_t depth = 1010; depth < 1030; ++depth) {
    for (const char* before : {"", "\"error\": 1, "}) {
      const std::string text =
          with_metrics("{" + std::string(before) + R"("x": )" + std::string(depth, '[') +
                       std::string(depth, ']') + "}");
      ResultsLine line;
      (void)read_both_ways(text, &line);
    }
    ResultsLine line;
    (void)read_both_ways(
        with("", R"(, "other": )" + std::string(depth, '[') + std::string(depth, ']')), &line);
  }
}

// Values that are kept from the parser of large lines come out as the parser gives them.
TEST(ResultsLine, LongValuesAreKeptAsTheParserReadsThem) {
  const std::string pad(40, 'x');
  const std::vector<std::string> values = {
      R"(["\u0000\u001f\b\f\n\r\t\/\\\" é \u00e9 \ud83d\ude00 \ud800 \udc00x \ud800\u0041", "PAD"])",
      R"({"a": 1, "a": 2, "b" : [ -0, 0, -0.0, 1E5, 1e-7, 12345678901234567890, -9223372036854775808], "c": "PAD"})",
      R"([18446744073709551615, 18446744073709551616, 1e400, -1e400, 5e-324, 1e-400, 0.1, "PAD"])",
      R"([NaN, Infinity, -Infinity, null, true, false, {"x": [], "y": {}}, "PAD"])",
      R"("PAD\u0000\ud800\n")",
      R"("\u0000PAD")",
      R"([1, 2.5, NaN, null, -Infinity, 12345678901234567, 3, 4, 5, 6, 7, 8, 9, 10])",
      R"([1, 2, 9007199254740993, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])",
      R"([                                                        ])",
      R"({"deep": [[[[[[[[[[[[[[[[[[[[["PAD"]]]]]]]]]]]]]]]]]]]]]})",
      R"("short")",
      R"({"s": 1})",
  };
  for (std::string value : values) {
    if (const std::size_t at = value.find("PAD"); at != value.npos) value.replace(at, 3, pad);
    read(with_metrics(R"({"m": )" + value + R"(, "total_time": [1], "error": )" + value + "}"));
    read(with("", R"(, "other": )" + value + R"(, "oth\u0065r2": )" + value));
    read(with("", R"(, "other": {"metrics": {"x": )" + value + "}}, \"metrics\": {\"y\": " + value +
                      "}"));
  }
  EXPECT_THAT(refusal(with_metrics(R"({"m": ["PADPADPADPADPADPADPADPADPADPAD" 1]})")),
              HasSubstr("not JSON: expected ',' or ']'"));
}

TEST(ResultsLine, WhatExceedsABudgetIsRefusedWithIt) {
  ResultsLineParser parser;
  ResultsLine line;
  const auto refused = [&](const std::string& text) {
    const auto reason = parser.parse(text, &line);
    EXPECT_TRUE(parser.exceeds_budget()) << reason.value_or("(accepted)");
    return reason.value_or("(accepted)");
  };
  std::string metrics = "{\"a\": 1";
  for (std::size_t i = 0; i < ResultsLineParser::kMostMetrics; ++i) {
    metrics += ",\"" + std::to_string(i) + "\":1";
  }
  EXPECT_THAT(refused(with_metrics(metrics + "}")), HasSubstr("100000 metrics"));
  std::string samples = "[1";
  for (std::size_t i = 0; i < 1'000'000; ++i) samples += ",1";
  EXPECT_THAT(refused(with_metrics(R"({"a": )" + samples + "]}")),
              HasSubstr("more than 1000000 samples"));
  EXPECT_THAT(refused(with_metrics(R"({"a)" + std::string(5 << 20, 'a') + R"(": 1})")),
              HasSubstr("bytes beside the values of its metrics"));
  // Numbers of a usual length are as many as the line has room for.
  std::string usual = "[1";
  for (std::size_t i = 0; i < 1'100'000; ++i) usual += ",1.23456789";
  EXPECT_EQ(parser.parse(with_metrics(R"({"a": )" + usual + "]}"), &line), std::nullopt);
  EXPECT_EQ(line.metrics.at(0).samples.size(), 1'100'001U);
  EXPECT_FALSE(parser.exceeds_budget());
  EXPECT_NE(parser.parse("{", &line), std::nullopt);
  EXPECT_FALSE(parser.exceeds_budget());
}

TEST(ResultsLine, LongTextsAndManyKeysTakeLinearTime) {
  const std::string megabytes(20'000'000, 'x');
  ResultsLineParser parser;
  ResultsLine line;
  ASSERT_EQ(parser.parse(with_metrics(R"({"error": ")" + megabytes + R"("})"), &line),
            std::nullopt);
  EXPECT_EQ(line.error, megabytes);
  // The same parser and line serve on.
  ASSERT_EQ(parser.parse(kLineOf2023, &line), std::nullopt);
  EXPECT_EQ(line.error, std::nullopt);
  EXPECT_EQ(line.metrics.size(), 1U);

  std::string many = "{";
  for (std::size_t i = 0; i < ResultsLineParser::kMostMetrics; ++i)
    many += "\"k" + std::to_string(i) + "\": [NaN],";
  many.back() = '}';
  EXPECT_EQ(read(with_metrics(many)).metrics.size(), ResultsLineParser::kMostMetrics);
}

TEST(ResultsLine, NothingIsLeftOfTheLineBefore) {
  ResultsLineParser parser;
  ResultsLine line;
  ASSERT_EQ(parser.parse(kLineOf2023, &line), std::nullopt);
  ASSERT_EQ(parser.parse(kLineOfEarly2024, &line), std::nullopt);
  ASSERT_EQ(
      parser.parse(with(R"("f": true)", R"(, "metrics": {"error": "e", "x": "y"}, "a": 1)"), &line),
      std::nullopt);
  ASSERT_EQ(parser.parse(R"({"model": {"model_name": "m"}, "experiment": {}})", &line),
            std::nullopt);
  const ResultsLine fresh = read(R"({"model": {"model_name": "m"}, "experiment": {}})");
  EXPECT_EQ(line.experiment, fresh.experiment);
  EXPECT_EQ(line.extra, "");
  EXPECT_EQ(line.error, std::nullopt);
  EXPECT_EQ(line.timestamp, std::nullopt);
  EXPECT_EQ(line.repeat, std::nullopt);
  EXPECT_EQ(line.iterations_per_run, std::nullopt);
  EXPECT_EQ(line.verification_code, std::nullopt);
  EXPECT_EQ(line.verification_mean_rel_error, std::nullopt);
  EXPECT_THAT(line.metrics, IsEmpty());
}

TEST(PythonJson, LeavesStrictJsonAsItStands) {
  std::string out;
  for (const std::string_view text :
       {R"({"a": [1, -0.5e-3, true, false, null, "x\"\\\/\b\f\n\r\té"], "b": {}})", "[]", R"("")",
        "18446744073709551615", "-9223372036854775808", "1e-400"}) {
    EXPECT_FALSE(rewrite_python_json(text, &out).has_value()) << text;
    EXPECT_EQ(out.find("\\u0000"), out.npos);
    std::string without_spaces(text);
    std::erase(without_spaces, ' ');
    std::erase(out, ' ');
    EXPECT_EQ(out, without_spaces);
  }
}

// Long arrays are what a large line is read differently for; each is longer than what a mark takes.
TEST(ResultsLine, LongArraysReadTheSameInLargeLines) {
  const std::string pad = "1, 2.5, -3e-2, 4E+5, 0, -0, -0.0, 18446744073709549568";
  for (const std::string& members : {
           pad,
           pad + ", null, NaN, Infinity, -Infinity",
           "\t" + pad + " ,\r 7 ",
           pad + ", 1e400, -1e400, 1e-400, 4.9e-324, 0." + std::string(400, '0') + "1",
           pad + ", 1" + std::string(400, '0') + ".0e-100",
           pad + ", 9007199254740993",      // no double: kept as JSON
           pad + ", 18446744073709551616",  // no integer of 64 bits: kept as JSON
           pad + ", \"7\"",
           pad + ", [" + pad + "]",
           pad + ", true",
           pad + ", {\"a\": [" + pad + "]}",
       }) {
    SCOPED_TRACE(members);
    const std::string array = "[" + members + "]";
    const std::string metrics = "{\"total_time\": " + array + "}";
    read(with_metrics(metrics));
    read(with_metrics("{\"a\": " + array + ", \"error\": " + array + ", \"b\": {\"c\": " + array +
                      "}, \"a\\u0062\": " + array + "}"));
    read(with(R"("metrics": )" + array + R"(, "flag": )" + array,
              R"(, "metrics": )" + metrics + R"(, "other": )" + array));
  }
  for (const char* broken : {"", ",", ", ]", ", 01", ", 1.", ", -", ", nul", ", +1", " 1"}) {
    SCOPED_TRACE(broken);
    EXPECT_NE(refusal(with_metrics("{\"total_time\": [" + pad + broken + "}")), "(accepted)");
  }
  // A text that looks like a mark is none.
  const std::string mark = R"("\u0000[0")";
  const ResultsLine line =
      read(with_metrics("{\"a\": [" + pad + "], \"error\": " + mark + ", \"b\": " + mark + "}"));
  EXPECT_EQ(line.error, std::string("\0[0", 3));
  ASSERT_EQ(line.metrics.size(), 2u);
  EXPECT_EQ(line.metrics[1].shape, SampleShape::kNested);
}

TEST(ResultsLine, NumbersTooSmallAreZeroAndTooLargeInfinite) {
  const ResultsLine line =
      read(with_metrics("{\"a\": [1e400, -1e400, 1e-400, 0." + std::string(400, '0') + "1, 1" +
                        std::string(400, '0') + ".0e-100]}"));
  ASSERT_EQ(line.metrics.size(), 1u);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(line.metrics[0].samples, ElementsAre(infinity, -infinity, 0, 0, 1e300));
}

}  // namespace

}  // namespace benchhud::ingest
