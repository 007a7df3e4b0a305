#include "ingest/profiles/dump_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace benchhud::ingest {
namespace {

using schema::ArtifactKind;
using schema::ErrorCode;

TEST(DumpText, KnowsADumpByItsContent) {
  const std::pair<std::string, ArtifactKind> dumps[] = {
      {"-----  -----\nName   Calls\n-----  -----\na      1\n-----  -----\n",
       ArtifactKind::kOperatorTable},
      {"Metric: CompileTime\n  TotalSamples: 1\nCounter: x\n  Value: 1\n",
       ArtifactKind::kXlaMetrics},
      {" {\"stats\": {\"unique_graphs\": 2}}", ArtifactKind::kDynamoCounters},
      {"{}", ArtifactKind::kDynamoCounters},
      {"defaultdict(<class 'collections.Counter'>, {'stats': Counter({'a': 2})})",
       ArtifactKind::kDynamoCounters},
      {"TorchDynamo compilation metrics:\nFunction, Runtimes (s)\na, 1\n",
       ArtifactKind::kCompileTimes},
      {"(['a'], ['1.0'])", ArtifactKind::kCompileTimes},
      {"[ScheduleSyncTensorsGraph]\nIR {\n}\n", ArtifactKind::kIr},
      {"HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n", ArtifactKind::kIr},
      {"module @m {\n}\n", ArtifactKind::kIr},
  };
  for (const auto& [text, kind] : dumps) {
    const auto read = read_dump_text(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(is_empty(*read), text == "{}");
    EXPECT_EQ(read->kind(), kind) << text << dump_kind_words(read->kind());
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
  const auto empty = read_dump_text("hello\n", ArtifactKind::kCompileTimes);
  ASSERT_TRUE(empty);
  EXPECT_TRUE(is_empty(*empty));
  EXPECT_EQ(empty->kind(), ArtifactKind::kCompileTimes);
  const auto broken = read_dump_text("{\"a\": 1}", ArtifactKind::kDynamoCounters);
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->problems.size(), 1u);
  EXPECT_TRUE(is_empty(*broken));
  const auto trace = read_dump_text("{}", ArtifactKind::kTrace);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace benchhud::ingest
