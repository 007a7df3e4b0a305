#include "ingest/profiles/dynamo_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST(DynamoCounters, GroupsAndCountersInTheirOrder) {
  const auto read = read_dynamo_counters(
      "\xEF\xBB\xBF{\n \"stats\": {\n  \"unique_graphs\": 4,\n  \"calls_captured\": 16\n },\n"
      " \"inline_call\": {},\n"
      " \"graph_break\": {\"call \\\"f\\\", {x} \\u00e9\\ud83d\\ude00\\n\": 2, \"a\": 3.0}\n}\n");
  EXPECT_THAT(read.problems, IsEmpty());
  const auto& groups = read.counters.groups;
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "stats");
  EXPECT_THAT(groups[0].counters,
              ElementsAre(Pair("unique_graphs", 4), Pair("calls_captured", 16)));
  EXPECT_THAT(groups[1].counters, IsEmpty());
  EXPECT_THAT(groups[2].counters,
              ElementsAre(Pair("call \"f\", {x} \xC3\xA9\xF0\x9F\x98\x80\n", 2), Pair("a", 3)));
}

TEST(DynamoCounters, AsPythonPrintsThem) {
  const auto read = read_dynamo_counters(
      "defaultdict(<class 'collections.Counter'>, {'frames': Counter({'total': 2, 'ok': 2}), "
      "'inline_call': Counter(), 'graph_break': Counter({\"it's \\\\ 'odd'\": 1, 'x\\'y': 7})})");
  EXPECT_THAT(read.problems, IsEmpty());
  const auto& groups = read.counters.groups;
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_THAT(groups[0].counters, ElementsAre(Pair("total", 2), Pair("ok", 2)));
  EXPECT_EQ(groups[1].name, "inline_call");
  EXPECT_THAT(groups[2].counters, ElementsAre(Pair("it's \\ 'odd'", 1), Pair("x'y", 7)));
}

TEST(DynamoCounters, WhatIsNoCounterIsNamedAndTheRestIsRead) {
  const auto read = read_dynamo_counters(
      "{\"a\": {\n"
      "\"nan\": NaN,\n"
      "\"null\": null,\n"
      "\"text\": \"1, }\",\n"
      "\"list\": [1, {\"x\": 2}],\n"
      "\"half\": 1.5,\n"
      "\"huge\": 1e300,\n"
      "\"good\": 5},\n"
      "\"b\": 7,\n"
      "\"c\": [{\"d\": 1}],\n"
      "5: 6,\n"
      "\"e\", \"f\": {\"good\": -1}}");
  ASSERT_THAT(read.counters.groups, SizeIs(2));
  EXPECT_THAT(read.counters.groups[0].counters, ElementsAre(Pair("good", 5)));
  EXPECT_EQ(read.counters.groups[1].name, "f");
  EXPECT_THAT(read.counters.groups[1].counters, ElementsAre(Pair("good", -1)));
  ASSERT_THAT(read.problems, SizeIs(10));
  EXPECT_EQ(read.problems[0].line, 2);
  EXPECT_EQ(read.problems[0].reason, "a: nan is NaN, not a whole number");
  EXPECT_EQ(read.problems[6].line, 9);
  EXPECT_THAT(read.problems[6].reason, HasSubstr("b is 7, not a group"));
  EXPECT_EQ(read.problems[9].line, 12);
}

TEST(DynamoCounters, TextsThatEndAnywhere) {
  const std::string text = "{\"a\": {\"b\": 12, \"c\": [1, \"x\"]}, \"d\": {}}";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = read_dynamo_counters(text.substr(0, size));
    EXPECT_LE(read.counters.groups.size(), 2u);
    EXPECT_EQ(read.problems.empty(), size == 0) << size;
  }
  // What came before the end is there.
  EXPECT_THAT(read_dynamo_counters("{\"a\": {\"b\": 12, \"c").counters.groups.at(0).counters,
              ElementsAre(Pair("b", 12)));
}

TEST(DynamoCounters, ProblemsAreBounded) {
  std::string text = "{\"a\": {";
  for (int i = 0; i < 5000; ++i) text += "\"b\": null,\n";
  const auto read = read_dynamo_counters(text + "\"good\": 1}}");
  EXPECT_THAT(read.counters.groups.at(0).counters, ElementsAre(Pair("good", 1)));
  ASSERT_THAT(read.problems, SizeIs(1001));
  EXPECT_EQ(read.problems.back().line, 1001);
  EXPECT_THAT(read.problems.back().reason, HasSubstr("4000 more"));
}

}  // namespace
}  // namespace benchhud::ingest
