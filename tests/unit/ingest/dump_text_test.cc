#include "ingest/dump_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace benchhud::ingest {
namespace {

using schema::ErrorCode;

TEST(DumpText, KnowsADumpByItsContent) {
  const std::pair<std::string, DumpKind> dumps[] = {
      {"-----  -----\nName   Calls\n-----  -----\na      1\n-----  -----\n",
       DumpKind::kOperatorTables},
      {"Metric: CompileTime\n  TotalSamples: 1\nCounter: x\n  Value: 1\n",
       DumpKind::kMetricsReport},
      {" {\"stats\": {\"unique_graphs\": 2}}", DumpKind::kDynamoCounters},
      {"{}", DumpKind::kDynamoCounters},
      {"defaultdict(<class 'collections.Counter'>, {'stats': Counter({'a': 2})})",
       DumpKind::kDynamoCounters},
      {"TorchDynamo compilation metrics:\nFunction, Runtimes (s)\na, 1\n", DumpKind::kCompileTimes},
      {"(['a'], ['1.0'])", DumpKind::kCompileTimes},
      {"[ScheduleSyncTensorsGraph]\nIR {\n}\n", DumpKind::kIrModules},
      {"HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n", DumpKind::kIrModules},
      {"module @m {\n}\n", DumpKind::kIrModules},
  };
  for (const auto& [text, kind] : dumps) {
    const auto read = read_dump_text(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->kind(), kind) << text << dump_kind_name(read->kind());
    EXPECT_TRUE(read->problems.empty()) << text;
  }
}

TEST(DumpText, RefusesWhatIsNone) {
  for (const char* text : {"", "hello\n", "Metric\n",
                           "{\"model\": {\"model_name\": \"a\"}, \"experiment\": {\"dynamo\": "
                           "null, \"test\": \"eval\", \"batch_size\": 1}}",
                           "{\"traceEvents\": []}", "[1, 2]", "the module @m is large\n"}) {
    const auto read = read_dump_text(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kUnsupported);
  }
}

TEST(DumpText, ReadsAsWhatItIsToldToBe) {
  const auto empty = read_dump_text("hello\n", DumpKind::kCompileTimes);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->kind(), DumpKind::kCompileTimes);
  const auto broken = read_dump_text("{\"a\": 1}", DumpKind::kDynamoCounters);
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->problems.size(), 1u);
}

}  // namespace
}  // namespace benchhud::ingest
