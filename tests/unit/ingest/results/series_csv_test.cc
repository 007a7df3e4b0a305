#include "ingest/results/series_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::ingest {
namespace {

using schema::ErrorCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

schema::Expected<SeriesCsv> read_text(std::string_view text) {
  SeriesCsvReader reader;
  Chunk chunk;
  chunk.text = text;
  if (const auto added = reader.add(chunk); !added) return added.error();
  return reader.finish();
}

SeriesCsv read(std::string_view text) {
  auto read = read_text(text);
  EXPECT_TRUE(read) << read.error().message;
  return read ? *std::move(read) : SeriesCsv();
}

std::vector<std::string> nights_of(const SeriesCsv& read, std::size_t series = 0) {
  std::vector<std::string> names;
  for (const std::uint32_t night : read.series.at(series).nights) {
    names.push_back(read.nights.at(night));
  }
  return names;
}

std::vector<double> values_of(const SeriesCsv& read, std::size_t series, std::size_t night) {
  const auto values = read.series.at(series).values_of(night);
  return {values.begin(), values.end()};
}

// "line: reason" of each problem.
std::vector<std::string> problems_of(const SeriesCsv& read) {
  std::vector<std::string> problems;
  for (const auto& problem : read.problems) {
    problems.push_back(std::to_string(problem.line) + ": " + problem.reason);
  }
  return problems;
}

TEST(SeriesCsv, ColumnsInAnyOrderAndRepetitionsWhereverTheyStand) {
  const SeriesCsv one = read("value,host,night\n1,a,x\n2,a,y\n3,b,x\n");
  EXPECT_THAT(one.problems, IsEmpty());
  ASSERT_THAT(one.series, SizeIs(1));
  EXPECT_EQ(one.series[0].name, "");
  EXPECT_THAT(nights_of(one), ElementsAre("x", "y"));
  EXPECT_THAT(values_of(one, 0, 0), ElementsAre(1, 3));
  EXPECT_THAT(values_of(one, 0, 1), ElementsAre(2));

  const SeriesCsv two = read("night,series,value\nn1,b,1\nn2,a,2\nn1,a,3\nn2,b,4\nn2,a,5\nn3,,6\n");
  ASSERT_THAT(two.series, SizeIs(3));
  EXPECT_EQ(two.series[0].name, "b");
  EXPECT_EQ(two.series[1].name, "a");
  EXPECT_EQ(two.series[2].name, "");
  EXPECT_THAT(nights_of(two, 0), ElementsAre("n1", "n2"));
  // Each series has its own order.
  EXPECT_THAT(nights_of(two, 1), ElementsAre("n2", "n1"));
  EXPECT_THAT(values_of(two, 1, 0), ElementsAre(2, 5));
  EXPECT_THAT(values_of(two, 1, 1), ElementsAre(3));
}

TEST(SeriesCsv, QuotesLineEndsBlanksAndAByteOrderMark) {
  const SeriesCsv text = read(
      "\xEF\xBB\xBF\r\n\"night\", value ,note\r\n"
      "\"a, \"\"b\"\"\r\nc\",\" 1.5 \",\"x\"\r\n"
      " \t\r\n"
      "d\"e\"\", 2,\"\"\r\n"
      "f g,+.5e1,h");
  EXPECT_THAT(problems_of(text), IsEmpty());
  EXPECT_THAT(nights_of(text), ElementsAre("a, \"b\"\r\nc", "d\"e\"\"", "f g"));
  EXPECT_THAT(values_of(text, 0, 0), ElementsAre(1.5));
  EXPECT_THAT(values_of(text, 0, 1), ElementsAre(2));
  EXPECT_THAT(values_of(text, 0, 2), ElementsAre(5));
}

TEST(SeriesCsv, RowsThatAreNoneAreNamedAndTheRestIsRead) {
  const SeriesCsv text = read(
      "night,value\n"
      "1,one\n"
      "2,NaN\n"
      "3,-inf\n"
      "4,1e400\n"
      " ,5\n"
      "6,\n"
      "7\n"
      "8,8,8\n"
      "\"9\"9,9\n"
      "10,1e-400\n"
      "11,0x1p3\n"
      "12,-1.\n");
  EXPECT_THAT(
      problems_of(text),
      ElementsAre("2: the value one is no number", "3: the value NaN is not finite",
                  "4: the value -inf is not finite", "5: the value 1e400 is not finite",
                  "6: the night is empty", "7: the value is empty",
                  "8: 1 field, where the header has 2", "9: 3 fields, where the header has 2",
                  "10: text behind a closing quote", "12: the value 0x1p3 is no number"));
  EXPECT_THAT(nights_of(text), ElementsAre("10", "12"));
  EXPECT_THAT(text.series[0].values, ElementsAre(0, -1));
}

TEST(SeriesCsv, AQuoteThatDoesNotCloseCostsItsLine) {
  const SeriesCsv text =
      read("night,value,note\n1,1,a\n2,2,\"b\n3,3,c\n4,4,\"d\ne\"\n5,5,f\n6,6,\"g\n7,7,h\n");
  EXPECT_THAT(problems_of(text),
              ElementsAre("3: a quote that does not close", "8: a quote that does not close"));
  EXPECT_THAT(nights_of(text), ElementsAre("1", "3", "4", "5", "7"));

  // So far away that nobody meant it: what stands between is read.
  std::string far = "night,value,note\n0,1,\"a\n";
  const std::size_t rows = SeriesCsvReader::kLongestRecord / 8;
  for (std::size_t i = 0; i < rows; ++i) far += std::to_string(10'000'000 + i) + ",2,b\n";
  const SeriesCsv read_far = read(far + "c,3,\"d\"\n");
  EXPECT_THAT(problems_of(read_far), ElementsAre("2: a quote that does not close"));
  EXPECT_THAT(read_far.series.at(0).nights, SizeIs(rows + 1));
}

TEST(SeriesCsv, HostileQuotesTakeLinearTime) {
  // Each line closes what the one before opened, and opens another.
  std::string text = "night,value\n";
  for (int i = 0; i < 1'000'000; ++i) text += "a\",\"\n";
  const auto begin = std::chrono::steady_clock::now();
  const SeriesCsv hostile = read(text + "b,1\n");
  EXPECT_THAT(hostile.problems, SizeIs(1001));
  EXPECT_THAT(nights_of(hostile), ElementsAre("b"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(SeriesCsv, ColumnsThatAreNotThere) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "nothing in it"},
           {"\xEF\xBB\xBF \r\n\n", "nothing in it"},
           {"night;value\n1;2\n", "no column \"night\"; the columns are: night;value"},
           {"night,Value\n1,2\n", "no column \"value\"; the columns are: night, Value"},
           {"night,value,night\n1,2,3\n", "two columns \"night\""},
           {"night,\"value\n1,2\n", "line 1 should name the columns: a quote"},
           {"night,\"value\"s\n1,2\n", "line 1 should name the columns: text behind"},
           {"night,value" + std::string(SeriesCsvReader::kMostColumns, ','), "more than 10000"}}) {
    const auto none = read_text(text);
    ASSERT_FALSE(none) << text.substr(0, 50);
    EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(none.error().message, HasSubstr(words));
  }
  EXPECT_THAT(read("night,value\n").series, IsEmpty());
}

TEST(SeriesCsv, WhatIsHeldIsBounded) {
  SeriesCsvReader reader;
  Chunk chunk;
  chunk.text = "night,value\n";
  for (int i = 0; i < 5000; ++i) chunk.text += "x,y\n";
  ASSERT_TRUE(reader.add(chunk));
  chunk.first_line += 5001;
  chunk.overlong_bytes = 300'000'000;
  ASSERT_TRUE(reader.add(chunk));
  chunk = {};
  // Long names, each another.
  bool is_refused = false;
  for (int i = 0; i < 300 && !is_refused; ++i) {
    chunk.text = std::to_string(i) + std::string(1 << 20, 'n') + ",1\n";
    const auto added = reader.add(chunk);
    is_refused = !added;
    if (is_refused) {
      EXPECT_EQ(added.error().code, ErrorCode::kTooLarge);
    }
  }
  EXPECT_TRUE(is_refused);
}

TEST(SeriesCsv, FilesAndWhatIsNone) {
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "series_csv_test.csv").string();
  std::ofstream(path) << "night,value\n1,2\n";
  const auto file = read_series_csv(path);
  ASSERT_TRUE(file);
  EXPECT_THAT(file->series.at(0).values, ElementsAre(2));
  std::ofstream(path) << "nothing of it";
  EXPECT_THAT(read_series_csv(path).error().message, HasSubstr(path + ": there is no column"));
  std::remove(path.c_str());
  EXPECT_EQ(read_series_csv(path).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace benchhud::ingest
