#include "ingest/profiles/compile_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/unit/places.h"

namespace benchhud::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CompileTimes, RowsCutByCommas) {
  const auto read = read_compile_times(
      "some log line, 1, 2\n"
      "TorchDynamo compilation metrics:\r\n"
      "Function, Runtimes (s)\r\n"
      "_compile.compile_inner, 4.4881, 13.9642\r\n"
      "compile_fx.<locals>.fw_compiler_base, 0.5765\r\n"
      "nothing yet,\r\n"
      "\r\n"
      "and more text, 3, 4\n");
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_EQ(read.times.functions.size(), 3u);
  EXPECT_EQ(read.times.functions[0].name, "_compile.compile_inner");
  EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(4.4881, 13.9642));
  EXPECT_DOUBLE_EQ(read.times.functions[0].total(), 18.4523);
  EXPECT_EQ(read.times.functions[1].name, "compile_fx.<locals>.fw_compiler_base");
  EXPECT_THAT(read.times.functions[2].seconds, IsEmpty());
}

// Where Python has the package of that name.
TEST(CompileTimes, RowsThatTabulateAligned) {
  const auto read = read_compile_times(
      "TorchDynamo compilation metrics:\n"
      "Function                       Runtimes (s)\n"
      "-----------------------------  --------------\n"
      "_compile.compile_inner         4.4881, 13.9642\n"
      "OutputGraph.call_user_compiler  0.5765\n");
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_EQ(read.times.functions.size(), 2u);
  EXPECT_EQ(read.times.functions[0].name, "_compile.compile_inner");
  EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(4.4881, 13.9642));
  EXPECT_EQ(read.times.functions[1].name, "OutputGraph.call_user_compiler");
  EXPECT_THAT(read.times.functions[1].seconds, ElementsAre(0.5765));
}

TEST(CompileTimes, ListsAsPythonPrintsThem) {
  for (const char* text : {"(['a.b', \"it's\"], ['0.100000, 0.200000', '3.000000'])",
                           "['a.b', \"it's\"]\n['0.100000, 0.200000', '3.000000']\n",
                           "a log\n  (['a.b',\n \"it's\" ],\n [ '0.1, 0.2', 3.0 ])\nmore\n"}) {
    const auto read = read_compile_times(text);
    EXPECT_THAT(read.problems, IsEmpty()) << text;
    ASSERT_EQ(read.times.functions.size(), 2u) << text;
    EXPECT_EQ(read.times.functions[1].name, "it's");
    EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(0.1, 0.2));
    EXPECT_THAT(read.times.functions[1].seconds, ElementsAre(3.0));
  }
}

TEST(CompileTimes, WhatIsNoTimeIsNamedAndTheRestIsRead) {
  const auto read = read_compile_times(
      "Function, Runtimes (s)\n"
      "a, 0.1, nan, soon, 0.2, -1\n"
      "b, 0.3\n"
      "\n"
      "(['c', 'd', 'e'], ['0.5', 'x'])\n"
      "['f'");
  ASSERT_EQ(read.times.functions.size(), 4u);
  EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(0.1, 0.2));
  EXPECT_THAT(read.times.functions[2].seconds, ElementsAre(0.5));
  ASSERT_EQ(read.problems.size(), 7u);
  EXPECT_EQ(read.problems[0].line, 2);
  EXPECT_EQ(read.problems[0].reason, "a has nan, not seconds");
  EXPECT_EQ(read.problems[2].reason, "a has -1, not seconds");
  EXPECT_EQ(read.problems[3].line, 5);
  EXPECT_THAT(read.problems[3].reason, HasSubstr("3 functions, but the times of 2"));
  EXPECT_EQ(read.problems[5].line, 6);
  EXPECT_THAT(read.problems[5].reason, HasSubstr("does not end"));
  EXPECT_THAT(read.problems[6].reason, HasSubstr("without their times"));
}

TEST(CompileTimes, LaterTablesOfAProcessHoldTheEarlierOnes) {
  const auto read = read_compile_times(
      "Function, Runtimes (s)\na, 0.1\nb, 1\n\n"
      "Function, Runtimes (s)\na, 0.1, 0.2\nb, 2\nc, 3\n");
  ASSERT_EQ(read.times.functions.size(), 3u);
  EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(0.1, 0.2));
  EXPECT_THAT(read.times.functions[1].seconds, ElementsAre(1, 2)) << "of another process";
}

TEST(CompileTimes, TablesBehindTheirLoggersPrefix) {
  const auto read = read_compile_times(
      "compile time: 3.1s\n"
      "[rank0]:I0102 23:59:59.906000 4242 torch/_dynamo/utils.py:910] Function, Runtimes (s)\n"
      "[rank0]:I0102 23:59:59.906000 4242 torch/_dynamo/utils.py:910] a.b, 2.5, 1\n"
      "[rank0]:I0103 00:00:00.006000 4242 torch/_dynamo/utils.py:910] d, 0.25\n"
      "[rank0]:I0103 00:00:01.006000 4242 torch/_dynamo/utils.py:910] compiled, as was asked for\n"
      "[rank0]:I0103 00:00:01.006000 4242 torch/_dynamo/utils.py:910] e, 3\n");
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_EQ(read.times.functions.size(), 2u);
  EXPECT_EQ(read.times.functions[0].name, "a.b");
  EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(2.5, 1));
  EXPECT_EQ(read.times.functions[1].name, "d");
}

TEST(CompileTimes, ATableEndsAtAnotherPrefix) {
  const std::string table =
      "I0102 03:04:05.006000 4242 torch/_dynamo/utils.py:910] Function, Runtimes (s)\n"
      "I0102 03:04:05.006000 4242 torch/_dynamo/utils.py:910] a, 2.5\n";
  for (const std::string line :
       {"I0102 03:04:05.007000 4242 torch/_dynamo/utils.py:1010] graph breaks, 12\n",
        "I0102 03:04:05.007000 4243 torch/_dynamo/utils.py:910] graph breaks, 12\n",
        "W0102 03:04:05.007000 4242 torch/_dynamo/utils.py:910] graph breaks, 12\n",
        "epoch 1, 2, 3\n", "\n"}) {
    const auto read = read_compile_times(table + line);
    EXPECT_THAT(read.problems, IsEmpty()) << line;
    ASSERT_EQ(read.times.functions.size(), 1u) << line;
    EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(2.5)) << line;
    const auto interrupted = read_compile_times(
        table + line + "I0102 03:04:05.008000 4242 torch/_dynamo/utils.py:910] b, 1\n");
    EXPECT_EQ(interrupted.times.functions.size(), 1u) << line;
    ASSERT_EQ(interrupted.problems.size(), 1u) << line;
    EXPECT_EQ(interrupted.problems[0].line, 4) << line;
  }
}

TEST(CompileTimes, TablesOfProcessesThatShareALogAreKeptApart) {
  const std::string first = "[rank0]:I0102 03:04:05.006000 41 torch/_dynamo/utils.py:910] ";
  const std::string second = "[rank1]:I0102 03:04:05.009000 42 torch/_dynamo/utils.py:910] ";
  const auto read = read_compile_times(first + "Function, Runtimes (s)\n" +   //
                                       second + "Function, Runtimes (s)\n" +  //
                                       first + "a, 1\n" +                     //
                                       second + "a, 1, 2\n" +                 //
                                       first + "b, 3\n" +                     //
                                       second + "b, 4\n");
  ASSERT_EQ(read.times.functions.size(), 2u);
  EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(1, 1, 2));
  EXPECT_THAT(read.times.functions[1].seconds, ElementsAre(3, 4));
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_EQ(read.problems[0].line, 2);
  EXPECT_THAT(read.problems[0].reason, testing::HasSubstr("tables of 2 processes"));
  // One process that logs it from another line of code goes on.
  const std::string elsewhere = "[rank0]:I0102 03:04:06.006000 41 torch/_dynamo/utils.py:99] ";
  const auto later =
      read_compile_times(first + "Function, Runtimes (s)\n" + first + "a, 1\n" + elsewhere +
                         "Function, Runtimes (s)\n" + elsewhere + "a, 1, 2\n");
  EXPECT_THAT(later.problems, IsEmpty());
  ASSERT_EQ(later.times.functions.size(), 1u);
  EXPECT_THAT(later.times.functions[0].seconds, ElementsAre(1, 2));
}

TEST(CompileTimes, APrefixMayStandBeforeTheFirstLineOfAMessageAlone) {
  const auto read = read_compile_times(
      "2026-01-02 03:04:05,006 INFO torch._dynamo: Function                Runtimes (s)\n"
      "----------------------  --------------\n"
      "_compile.compile_inner  4.5, 1.5\n"
      "backend                 0.5\n"
      "2026-01-02 03:04:05,007 INFO torch._dynamo: done\n");
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_EQ(read.times.functions.size(), 2u);
  EXPECT_THAT(read.times.functions[0].seconds, ElementsAre(4.5, 1.5));
  EXPECT_THAT(read_compile_times("MyFunction, Runtimes (s)\na, 1\n").times.functions, IsEmpty());
}

TEST(CompileTimes, TextsThatEndAnywhere) {
  const std::string texts[] = {
      "TorchDynamo compilation metrics:\nFunction, Runtimes (s)\na, 1, 2\n",
      "(['a', 'b'], ['0.1, 0.2', '0.3'])",
      "I0102 03:04 utils.py:910] Function, Runtimes (s)\nI0102 03:04 utils.py:910] a, 1\n"};
  for (const std::string& text : texts) {
    for (std::size_t size = 0; size <= text.size(); ++size) {
      EXPECT_LE(read_compile_times(text.substr(0, size)).times.functions.size(), 2u);
    }
  }
}

TEST(CompileTimes, BothFormsOfRealDumpsSayTheSame) {
  const std::filesystem::path folder = shared_folder() / "data/traces/pytorch26_cpu";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const auto read = [&](const std::string& name) {
    std::ifstream file(folder / name);
    std::stringstream text;
    text << file.rdbuf();
    auto found = read_compile_times(text.str());
    EXPECT_THAT(found.problems, IsEmpty()) << name;
    return found.times;
  };
  for (const std::string name :
       {"compile_first_call", "graph_breaks", "recompiles", "disabled_region"}) {
    const auto printed = read(name + ".compile_times.txt");
    const auto listed = read(name + ".compile_times.csv.txt");
    ASSERT_EQ(printed.functions.size(), listed.functions.size());
    EXPECT_GE(printed.functions.size(), 20u);
    for (std::size_t i = 0; i < printed.functions.size(); ++i) {
      EXPECT_EQ(printed.functions[i].name, listed.functions[i].name);
      ASSERT_EQ(printed.functions[i].seconds.size(), listed.functions[i].seconds.size());
      for (std::size_t k = 0; k < printed.functions[i].seconds.size(); ++k) {
        EXPECT_NEAR(printed.functions[i].seconds[k], listed.functions[i].seconds[k], 5.1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace benchhud::ingest
