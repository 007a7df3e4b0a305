#include "ingest/profiles/xla_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

namespace benchhud::ingest {
namespace {

using schema::MetricValue;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// As the report's writer prints a time: each unit but the last rounded, and its floor taken away.
std::string printed(std::int64_t ns) {
  double left = static_cast<double>(ns);
  bool has_any = false;
  std::string text;
  const std::pair<const char*, double> units[] = {{"d", 86400e9}, {"h", 3600e9}, {"m", 60e9},
                                                  {"s", 1e9},     {"ms", 1e6},   {"us", 1e3}};
  for (const auto& [name, size] : units) {
    const bool is_last = std::string(name) == "us";
    const double count = left / size;
    if (!has_any && count < 1 && !is_last) continue;
    has_any = true;
    char buffer[64];
    std::snprintf(buffer, sizeof buffer,
                  is_last                     ? "%.3f"
                  : std::string(name) == "ms" ? "%03.0f"
                                              : "%02.0f",
                  count);
    text += std::string(buffer) + name;
    left -= std::floor(count) * size;
  }
  return text;
}

TEST(XlaMetrics, DurationsAreDecodedNotSummed) {
  EXPECT_EQ(decode_duration("04s589ms590.974us"), 3'588'590'974);
  EXPECT_EQ(decode_duration("02m57s694ms418.595us"), 116'694'418'595);
  // The report of the documentation of `scan` proves it: three samples add up to the accumulator.
  EXPECT_EQ(*decode_duration("023ms113.470us") + *decode_duration("54s644ms733.284us") +
                *decode_duration("01m03s028ms571.841us"),
            *decode_duration("02m57s694ms418.595us"));
  EXPECT_EQ(decode_duration("512.250us"), 512'250);
  EXPECT_EQ(decode_duration("1s"), 1'000'000'000);
  EXPECT_EQ(decode_duration("05m003ms"), 300'003'000'000);
  EXPECT_EQ(decode_duration("04d17h11m07s495ms546.299us"), 321'067'494'546'299);
  for (const char* text : {"", "us", "1", "12x", "1us2ms", "1s1s", "-1s", "1.5.2us", "1.5s2ms",
                           "99999999999999999999d", "1d99999999999999999999us", "3d9223372036s",
                           "106752d1s", "999999999d1s"}) {
    EXPECT_EQ(decode_duration(text), std::nullopt) << text;
  }
}

TEST(XlaMetrics, EveryDurationComesBack) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    // Times of every size, up to ten days.
    const double size = std::uniform_real_distribution<>(0, std::log(864e12))(random);
    const auto ns = static_cast<std::int64_t>(std::exp(size));
    // A remainder of exactly half a unit is printed as either: the last digits cannot tell.
    ASSERT_EQ(decode_duration(printed(ns)), ns) << printed(ns);
  }
}

TEST(XlaMetrics, ReportsOfEveryAge) {
  const XlaMetrics found = read_xla_metrics(
      "some text: before\r\n\n"
      "Metric: CompileTime\n"
      "  TotalSamples: 3\n"
      "  Accumulator: 02m57s694ms418.595us\n"
      "  ValueRate: 02s112ms586.097us / second\n"
      "  Rate: 0.054285 / second\n"
      "  Percentiles: 1%=023ms113.470us; 50%=54s644ms733.284us;\n"
      "  99%=01m03s028ms571.841us\n"
      "Metric: InboundData\n"
      "  TotalSamples: 10\n"
      "  Counter: 1.50KB\n"
      "Metric: Plain\n"
      "  TotalSamples: 2\n"
      "  Accumulator: 9000\n"
      "Counter: aten::nonzero\n"
      "  Value: 33\n"
      "Value: 7\n"
      "Counter: last\n"
      "  Value: 1");
  EXPECT_THAT(found.problems, IsEmpty());
  ASSERT_EQ(found.report.metrics.size(), 3u);
  const auto& compile = found.report.metrics[0];
  EXPECT_EQ(compile.name, "CompileTime");
  EXPECT_EQ(compile.total_samples, 3);
  EXPECT_EQ(compile.accumulator->value, 116'694'418'595);
  EXPECT_EQ(compile.accumulator->text, "02m57s694ms418.595us");
  EXPECT_EQ(compile.value_rate->value, 2'111'586'097);
  EXPECT_EQ(compile.rate, 0.054285);
  ASSERT_EQ(compile.percentiles.size(), 3u);
  EXPECT_EQ(compile.percentiles[2].first, 99);
  EXPECT_EQ(compile.percentiles[2].second.value, 63'027'571'841);
  EXPECT_EQ(found.report.metrics[1].accumulator->kind, MetricValue::Kind::kBytes);
  EXPECT_EQ(found.report.metrics[1].accumulator->value, 1536);
  EXPECT_EQ(found.report.metrics[2].accumulator->value, 9000);
  EXPECT_THAT(found.report.counters, ElementsAre(Pair("aten::nonzero", 33), Pair("last", 1)));
}

TEST(XlaMetrics, ProblemsAreCountedNotKept) {
  std::string text = "Counter: a\n";
  for (int i = 0; i < 5'000; ++i) text += " Value:\n";
  const XlaMetrics found = read_xla_metrics(text);
  ASSERT_EQ(found.problems.size(), 1'001u);
  EXPECT_EQ(found.problems.back().line, 1'002);
  EXPECT_THAT(found.problems.back().reason, HasSubstr("4000 more"));
}

TEST(XlaMetrics, WhatIsNoValueIsNamedWithItsLine) {
  const XlaMetrics found = read_xla_metrics(
      "Metric: A\n"
      "  TotalSamples: many\n"
      "  Accumulator: soon\n"
      "  Percentiles: 1%=x; 5=3; 10%=4\n"
      "Counter: B\n"
      "  Value: 1.5\n");
  ASSERT_EQ(found.problems.size(), 5u);
  EXPECT_EQ(found.problems[0].line, 2);
  EXPECT_THAT(found.problems[1].reason, HasSubstr("Accumulator is soon"));
  EXPECT_EQ(found.problems[4].line, 6);
  EXPECT_EQ(found.report.metrics[0].percentiles.size(), 1u);
  EXPECT_THAT(found.report.counters, IsEmpty());
}

}  // namespace
}  // namespace benchhud::ingest
