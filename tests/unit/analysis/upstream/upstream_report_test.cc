#include "analysis/upstream/upstream_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "analysis/upstream/model_filter.h"
#include "analysis/upstream/svg_chart.h"
#include "analysis/upstream/text_table.h"
#include "analysis/upstream/upstream_speedups.h"
#include "schema/model/types.h"

namespace benchhud::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(UpstreamDatapoint, LeavesOutTheWarmUp) {
  const std::vector<double> times{9, 8, 7, 1, 3};
  const auto point = upstream_datapoint(times, UpstreamMetric::kExecution);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->mean, 2);
  EXPECT_DOUBLE_EQ(point->error, std::sqrt(2.0));
  const auto one = upstream_datapoint(std::span(times).first(4), UpstreamMetric::kExecution);
  EXPECT_EQ(one->mean, 1);
  EXPECT_EQ(one->error, 0);
  EXPECT_FALSE(upstream_datapoint(std::span(times).first(3), UpstreamMetric::kExecution));
}

TEST(UpstreamDatapoint, CompilationIsTheFirstLessTheMeanOfTheOthers) {
  const std::vector<double> times{9, 1, 3};
  EXPECT_EQ(upstream_datapoint(times, UpstreamMetric::kCompilation)->mean, 7);
  EXPECT_FALSE(upstream_datapoint(std::span(times).first(1), UpstreamMetric::kCompilation));
}

TEST(UpstreamDatapoint, ANullCountsAmongTheValuesUsed) {
  const std::vector<double> warm_up{9, schema::null_sample(), 7, 1};
  EXPECT_TRUE(upstream_datapoint(warm_up, UpstreamMetric::kExecution));
  EXPECT_FALSE(upstream_datapoint(warm_up, UpstreamMetric::kCompilation));
  const std::vector<double> used{9, 8, 7, 1, schema::null_sample()};
  EXPECT_FALSE(upstream_datapoint(used, UpstreamMetric::kExecution));
}

TEST(UpstreamSpeedup, ErrorsAreRelative) {
  const UpstreamValue speedup = upstream_speedup({2, 0.2}, {4, 0.0});
  EXPECT_EQ(speedup.mean, 2);
  EXPECT_DOUBLE_EQ(speedup.error, 0.2);
  const std::vector<UpstreamValue> both{{1, 0.3}, {4, 1.6}};
  EXPECT_DOUBLE_EQ(upstream_geomean(both).mean, 2);
  EXPECT_DOUBLE_EQ(upstream_geomean(both).error, 2.0 / 2 * 0.5);
}

TEST(ModelFilter, HasPythonsMeaning) {
  const auto keeps = [](ModelPatterns patterns, const std::string& model) {
    const auto filter = ModelFilter::make(patterns);
    EXPECT_TRUE(filter);
    return *filter->keeps(model);
  };
  EXPECT_TRUE(keeps({}, "alexnet"));
  EXPECT_TRUE(keeps({.filter = {"^ALEX"}}, "alexnet"));
  EXPECT_FALSE(keeps({.filter = {"^lex", "y"}}, "alexnet"));
  EXPECT_TRUE(keeps({.filter = {""}}, "alexnet"));
  EXPECT_FALSE(keeps({.exclude = {""}}, "alexnet"));
  EXPECT_FALSE(keeps({.filter = {"alex"}, .exclude = {"net$"}}, "alexnet"));
  EXPECT_FALSE(keeps({.filter = {"^b"}}, "a\nb"));
  EXPECT_FALSE(keeps({.filter = {"a.b"}}, "a\nb"));
  EXPECT_TRUE(keeps({.filter_by_tier = {1}}, "hf_T5_base"));
  EXPECT_FALSE(keeps({.filter_by_tier = {1}}, "hf_T5_base2"));
  EXPECT_TRUE(keeps({.filter_by_tier = {2}}, "detectron2_maskrcnn_r_101_fpn"));
  EXPECT_TRUE(keeps({.filter_by_tier = {2}}, "detectron2_fasterrcnn_r_50_dc5"));
  EXPECT_FALSE(keeps({.filter_by_tier = {2}}, "detectron2_maskrcnn_r_50_dc5"));
  EXPECT_FALSE(keeps({.exclude_by_tier = {3}}, "drq"));
  EXPECT_TRUE(keeps({.filter_by_tier = {9}}, "drq"));
}

TEST(ModelFilter, RefusesWhatIsNoPatternAndWhatTakesForEver) {
  EXPECT_FALSE(ModelFilter::make({.filter = {"("}}));
  const auto filter = ModelFilter::make({.filter = {"(x+x+)+y"}});
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->keeps(std::string(200, 'x')));
}

TEST(TextTable, GridAlignsNumbersAtTheirPoints) {
  const TextTable table{
      {"n", "two\nlines", "none"},
      {{std::int64_t{1}, -1.5, {}}, {std::int64_t{12}, std::nan(""), {}}, {{}, {}, {}}}};
  EXPECT_EQ(to_fancy_grid(table),
            "╒═════╤═════════╤════════╕\n"
            "│   n │     two │ none   │\n"
            "│     │   lines │        │\n"
            "╞═════╪═════════╪════════╡\n"
            "│   1 │   -1.50 │        │\n"
            "├─────┼─────────┼────────┤\n"
            "│  12 │  nan    │        │\n"
            "├─────┼─────────┼────────┤\n"
            "│     │         │        │\n"
            "╘═════╧═════════╧════════╛\n");
}

UpstreamLine line_of(double timestamp, std::string_view backend, std::string_view model,
                     std::span<const double> times) {
  return {timestamp, "One of Tesla V100", backend, model, "eval", 1, times};
}

TEST(UpstreamReport, ChartsAreXmlWhateverModelsAreCalled) {
  const std::vector<double> times{9, 1, 1, 2, 2.5};
  for (const auto kind : {UpstreamReportKind::kLatest, UpstreamReportKind::kLatestGrouped,
                          UpstreamReportKind::kHistogram, UpstreamReportKind::kSpeedup}) {
    UpstreamOptions options;
    options.report = kind;
    options.format = UpstreamFormat::kSvg;
    options.title = "a < b & c";
    UpstreamReport report(options, [](std::string_view) { return true; });
    report.add(line_of(1, "inductor", "<script>\x01", times));
    report.add(line_of(1, "openxla+dynamo", "<script>\x01", times));
    const auto output = report.render();
    ASSERT_TRUE(output);
    EXPECT_THAT(output->text, HasSubstr("a &lt; b &amp; c"));
    EXPECT_THAT(output->text, Not(HasSubstr("<script")));
    EXPECT_THAT(output->text, Not(HasSubstr("nan")));
    EXPECT_TRUE(output->text.ends_with("</svg>\n"));
  }
}

TEST(UpstreamReport, SaysWhatIsMissing) {
  UpstreamOptions options;
  options.baseline = UpstreamBaseline::kLatest;
  UpstreamReport report(options, [](std::string_view) { return true; });
  EXPECT_EQ(report.render().error().message, "no results found");
  const std::vector<double> times{9, 1, 1, 2};
  report.add(line_of(5.5, "openxla+dynamo", "m", times));
  EXPECT_EQ(report.render().error().message, "No inductor results in the latest timestamp 5.5");
}

TEST(UpstreamReport, ManyNightsTakeLittleTime) {
  const std::vector<double> times{9, 1, 1, 2, 2.5};
  UpstreamReport report({}, [](std::string_view) { return true; });
  const auto began = std::chrono::steady_clock::now();
  for (int night = 0; night < 1000; ++night) {
    for (int model = 0; model < 100; ++model) {
      report.add(line_of(night * 86400.0, "inductor", "m" + std::to_string(model), times));
    }
  }
  ASSERT_TRUE(report.render());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace benchhud::analysis
