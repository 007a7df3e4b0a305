// The JSON of a trace's report: that it is of bounded size, and that nothing in it is a trap for
// who reads it.

#include "analysis/documents/trace_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace benchhud::analysis {
namespace {

using nlohmann::ordered_json;
using trace::Trace;

void add(Trace* trace, std::string_view category, std::string_view name, std::int64_t start,
         std::int64_t end, std::uint32_t thread = 0) {
  if (trace->threads.size() <= thread) trace->threads.resize(thread + 1);
  trace::TraceSlice slice;
  slice.start = start;
  slice.duration = end - start;
  slice.label = trace->put_label({trace->texts.put(name), trace->texts.put(category)});
  slice.thread = thread;
  trace->slices.push_back(slice);
}

TEST(TraceJson, SaysAbsentWhereThereIsNothing) {
  Trace trace;
  add(&trace, "user_annotation", "forward", 0, 100);
  const ordered_json json = report_json(trace, trace_report(trace));
  EXPECT_EQ(json["torch_compile"]["applied"], "cannot_tell");
  EXPECT_TRUE(json["device"]["utilization"].is_null());
  EXPECT_TRUE(json["launch_delay_ns"].is_null());
  EXPECT_TRUE(json["kernels"]["total"]["mean_ns"].is_null());
  EXPECT_TRUE(json["steps"]["mean_parts_ns"].is_null());
  EXPECT_EQ(json["graph_breaks"]["tree"], ordered_json::array());
  EXPECT_EQ(json["advice"], ordered_json::array());
}

TEST(TraceJson, ATreeIsAListOfRows) {
  Trace trace;
  add(&trace, "cpu_op", "Torch-Compiled Region: 0/0", 0, 100);
  add(&trace, "cpu_op", "Torch-Compiled Region: 1/0", 10, 40);
  add(&trace, "cpu_op", "aten::numpy_T", 50, 55);
  const ordered_json json = report_json(trace, trace_report(trace));
  const ordered_json& tree = json["graph_breaks"]["tree"];
  ASSERT_EQ(tree.size(), 2u);
  EXPECT_EQ(tree[0]["name"], "0/0");
  EXPECT_TRUE(tree[0]["parent"].is_null());
  EXPECT_EQ(tree[0]["total_ns"], 100);
  EXPECT_EQ(tree[0]["self_ns"], 70);
  EXPECT_EQ(tree[0]["eager"]["total_ns"], 5);
  EXPECT_EQ(tree[1]["parent"], 0);
  EXPECT_EQ(tree[1]["depth"], 1);
  EXPECT_EQ(json["compiled_functions"]["pairs"], ordered_json::array());
}

TEST(TraceJson, LongNamesAndManyAreCut) {
  Trace trace;
  const std::string page(20'000, 'x');
  for (int i = 0; i < 500; ++i) {
    add(&trace, "kernel", page.substr(static_cast<std::size_t>(i)), i * 10, i * 10 + 5, 1);
    add(&trace, "cpu_op", "aten::" + std::to_string(i), i * 10, i * 10 + 5);
  }
  const ordered_json json = report_json(trace, trace_report(trace));
  EXPECT_EQ(json["kernels"]["by_name"].size(), analysis::kMostReportRows);
  EXPECT_LT(json.dump().size(), 1'000'000u);
}

TEST(TraceJson, ASummaryIsBoundedAndCountsWhatIsLeftOut) {
  Trace trace;
  constexpr int kMany = 3000;
  const std::string page(20'000, 'x');
  const auto add_launched = [&](const std::string& name, int correlation) {
    add(&trace, "cuda_runtime", name, correlation * 10, correlation * 10 + 1);
    add(&trace, "kernel", "k", correlation * 10 + 2, correlation * 10 + 3, 1);
    trace::TraceArgs args;
    args.correlation = correlation;
    for (std::size_t i = trace.slices.size() - 2; i < trace.slices.size(); ++i) {
      trace.slices[i].args = trace.args.put(args);
    }
  };
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    add(&trace, "cpu_op", "Torch-Compiled Region: " + number + "/0", i, 10 * kMany - i, 2);
    add_launched("launch" + number, i);
  }
  add_launched("zzz", kMany);
  add_launched("zzz", kMany + 1);
  add_launched(page, kMany + 2);
  add_launched(page, kMany + 3);
  add_launched(page, kMany + 4);
  const ordered_json json = summary_json(trace, trace::nest(trace));
  const ordered_json& launches = json["launches"];
  EXPECT_EQ(launches["by_name"].size(), 1000u);
  EXPECT_EQ(launches["names_left_out"], kMany + 2 - 1000);
  EXPECT_EQ(launches["by_name"].begin().key().size(), 1000 + std::string("…").size());
  EXPECT_EQ(launches["by_name"].begin().value(), 3);
  EXPECT_EQ(launches["by_name"]["zzz"], 2) << "the most frequent stay";
  const ordered_json& regions = json["compiled_regions"];
  EXPECT_EQ(regions["count"], kMany);
  EXPECT_EQ(regions["by_frame"].size(), 1000u);
  EXPECT_EQ(regions["frames_left_out"], kMany - 1000);
  EXPECT_EQ(regions["by_depth"].size(), 1000u);
  EXPECT_EQ(regions["depths_left_out"], kMany - 1000);
  EXPECT_EQ(json["graph_breaks"], kMany - 1);
  EXPECT_LT(json.dump().size(), 200'000u);
  // The report, too.
  const ordered_json report = report_json(trace, trace_report(trace));
  EXPECT_EQ(report["launches"]["by_call"].size(), 100u);
  EXPECT_EQ(report["launches"]["by_call_left_out"], kMany + 2 - 100);
}

TEST(TraceJson, AnOrdinarySummaryIsWhole) {
  Trace trace;
  add(&trace, "cpu_op", "Torch-Compiled Region: 0/0", 0, 100);
  add(&trace, "cpu_op", "Torch-Compiled Region: 1/0", 10, 40);
  const ordered_json json = summary_json(trace, trace::nest(trace));
  const ordered_json regions = {{"count", 2},
                                {"by_depth", {{"0", 1}, {"1", 1}}},
                                {"depths_left_out", 0},
                                {"by_frame", {{"0/0", 1}, {"1/0", 1}}},
                                {"frames_left_out", 0}};
  EXPECT_EQ(json["compiled_regions"], regions);
  EXPECT_EQ(json["launches"]["names_left_out"], 0);
}

}  // namespace
}  // namespace benchhud::analysis
