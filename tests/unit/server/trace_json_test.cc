// The JSON of a trace's report: that it is of bounded size, and that nothing in it is a trap for
// who reads it.

#include "server/trace_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace benchhud::server {
namespace {

using nlohmann::ordered_json;
using schema::Trace;

void add(Trace* trace, std::string_view category, std::string_view name, std::int64_t start,
         std::int64_t end, std::uint32_t thread = 0) {
  if (trace->threads.size() <= thread) trace->threads.resize(thread + 1);
  schema::TraceSlice slice;
  slice.start = start;
  slice.duration = end - start;
  slice.label = trace->put_label({trace->texts.put(name), trace->texts.put(category)});
  slice.thread = thread;
  trace->slices.push_back(slice);
}

TEST(TraceJson, SaysAbsentWhereThereIsNothing) {
  const Trace trace;
  const ordered_json json = report_json(trace, analysis::trace_report(trace));
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
  const ordered_json json = report_json(trace, analysis::trace_report(trace));
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
  const ordered_json json = report_json(trace, analysis::trace_report(trace));
  EXPECT_EQ(json["kernels"]["by_name"].size(), analysis::kMostReportRows);
  EXPECT_LT(json.dump().size(), 1'000'000u);
}

}  // namespace
}  // namespace benchhud::server
