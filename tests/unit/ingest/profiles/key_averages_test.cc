#include "ingest/profiles/key_averages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/ingest/field_files.h"

namespace benchhud::ingest {
namespace {

using schema::OperatorColumn;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string table() {
  std::string text;
  const std::string rule =
      "----------------  ------------  ------------  ------------  ------------  ------------  "
      "--------------------  \n";
  const auto row = [](const char* name, const char* percent, const char* cpu, const char* cuda,
                      const char* memory, const char* calls, const char* shapes) {
    // Padded by characters, as Python does.
    const auto cell = [](std::string value, std::size_t width) {
      std::size_t length = 0;
      for (const char c : value) length += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      return std::string(width - length, ' ') + value + "  ";
    };
    return cell(name, 16) + cell(percent, 12) + cell(cpu, 12) + cell(cuda, 12) + cell(memory, 12) +
           cell(calls, 12) + cell(shapes, 20) + "\n";
  };
  text += rule + row("Name", "Self CPU %", "Self CPU", "Self CUDA", "Self CPU Mem", "# of Calls",
                     "Input Shapes");
  text += rule;
  text +=
      row("aten::conv2d", "498.57%", "196.855us", "1.246s", "-3.98 Mb", "45", "[[1, 2], [3], []]");
  text += row("x y é€é  z", "nan", "1.037ms", "0.000us", "0 b", "1", "[]");
  text += row("[memory]...", "--", "--", "--", "195.56 Kb", "3", "");
  text += rule + "Self CPU time total: 249.871ms\nSelf CUDA time total: 3.806ms\n\n";
  return text;
}

TEST(KeyAverages, CellsAreCutByTheRuler) {
  const KeyAverages found = read_key_averages("My header line\n" + table());
  EXPECT_THAT(found.problems, IsEmpty());
  ASSERT_EQ(found.tables.size(), 1u);
  const auto& read = found.tables[0];
  ASSERT_EQ(read.columns.size(), 7u);
  EXPECT_EQ(read.columns[3].name, "Self CUDA");
  EXPECT_EQ(read.columns[4].kind, OperatorColumn::Kind::kBytes);
  ASSERT_EQ(read.rows.size(), 3u);
  EXPECT_EQ(read.rows[0][0].text, "aten::conv2d");
  EXPECT_EQ(read.rows[0][1].value, 498.57);
  EXPECT_EQ(read.rows[0][2].value, 196'855);
  EXPECT_EQ(read.rows[0][3].value, 1.246e9);
  EXPECT_DOUBLE_EQ(*read.rows[0][4].value, -3.98 * 1024 * 1024);
  EXPECT_EQ(read.rows[0][5].value, 45);
  EXPECT_EQ(read.rows[0][6].text, "[[1, 2], [3], []]");
  EXPECT_EQ(read.rows[1][0].text, "x y é€é  z");
  EXPECT_EQ(read.rows[1][2].value, 1'037'000);
  EXPECT_EQ(read.rows[2][2].value, std::nullopt);
  EXPECT_EQ(read.rows[2][6].text, "");
  EXPECT_THAT(read.totals, ElementsAre(Pair("Self CPU time total", 249'871'000),
                                       Pair("Self CUDA time total", 3'806'000)));
  EXPECT_EQ(read.column("# of Calls"), 5u);
  EXPECT_EQ(read.column("CPU total"), std::nullopt);
}

TEST(KeyAverages, HeadersMayBeWiderThanTheirColumns) {
  for (const char* device : {"CUDA", "XPU"}) {
    const std::string name = device == std::string("CUDA") ? "cuda" : "xpu";
    const KeyAverages found = read_key_averages(field_text("01_key_averages_" + name + ".txt"));
    EXPECT_THAT(found.problems, IsEmpty());
    ASSERT_EQ(found.tables.size(), 1u) << device;
    const auto& read = found.tables[0];
    ASSERT_EQ(read.rows.size(), 2u);
    const auto sum_of = [&](const std::string& column) {
      const std::size_t place = read.column(column).value();
      return *read.rows[0][place].value + *read.rows[1][place].value;
    };
    EXPECT_EQ(sum_of("Self CPU"), 100'000);
    EXPECT_EQ(sum_of(std::string("Self ") + device), 10'000);
    EXPECT_EQ(sum_of(std::string(device) + " time avg"), 10'000);
    EXPECT_EQ(sum_of("# of Calls"), 2);
  }
}

// PyTorch gives each column twelve dashes, however long its header is.
TEST(KeyAverages, EveryDevicesColumnsAreRead) {
  for (const std::string device : {"CUDA", "XPU", "MTIA", "HPU", "MPS", "PrivateUse1", "NPU"}) {
    const std::vector<std::string> headers = {"Name",
                                              "Self " + device,
                                              "Self " + device + " %",
                                              device + " total",
                                              device + " time avg",
                                              device + " Mem",
                                              "Self " + device + " Mem",
                                              "# of Calls"};
    const auto line = [](const std::vector<std::string>& cells) {
      std::string text;
      for (const std::string& cell : cells) {
        text += std::string(cell.size() < 12 ? 12 - cell.size() : 0, ' ') + cell + "  ";
      }
      return text + "\n";
    };
    const std::string rule = line(std::vector<std::string>(headers.size(), "------------"));
    const KeyAverages found = read_key_averages(
        rule + line(headers) + rule +
        line({"aten::mm", "9.000us", "90.00%", "10.000us", "5.000us", "1.00 KB", "2 B", "2"}) +
        rule + "Self " + device + " time total: 9.000us\n");
    EXPECT_THAT(found.problems, IsEmpty()) << device;
    ASSERT_EQ(found.tables.size(), 1u) << device;
    const auto& read = found.tables[0];
    std::vector<std::string> names;
    for (const auto& column : read.columns) names.push_back(column.name);
    EXPECT_EQ(names, headers);
    ASSERT_EQ(read.rows.size(), 1u);
    std::vector<double> values;
    for (std::size_t i = 1; i < headers.size(); ++i) values.push_back(*read.rows[0][i].value);
    EXPECT_THAT(values, ElementsAre(9000, 90, 10'000, 5000, 1024, 2, 2)) << device;
    EXPECT_THAT(read.totals, ElementsAre(Pair("Self " + device + " time total", 9000)));
  }
}

TEST(KeyAverages, CellsMayBeWiderThanTheirColumns) {
  std::string text = table();
  const std::size_t at = text.find("     498.57%");
  ASSERT_NE(at, text.npos);
  text.replace(at, 12, "1234567890.57%");
  const KeyAverages found = read_key_averages(text);
  EXPECT_THAT(found.problems, IsEmpty());
  ASSERT_EQ(found.tables[0].rows.size(), 3u);
  EXPECT_EQ(found.tables[0].rows[0][1].value, 1234567890.57);
  EXPECT_EQ(found.tables[0].rows[0][2].value, 196'855);
}

TEST(KeyAverages, SeveralTablesInARowWithAnyLineEnds) {
  std::string text = table() + table();
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& file : {text, windows}) {
    const KeyAverages found = read_key_averages(file);
    EXPECT_THAT(found.problems, IsEmpty());
    ASSERT_EQ(found.tables.size(), 2u);
    EXPECT_EQ(found.tables[1].rows.size(), 3u);
    EXPECT_EQ(found.tables[1].totals.size(), 2u);
  }
}

TEST(KeyAverages, StacksBelongToTheRowAbove) {
  std::string text = table();
  const std::string blank(16 + 2 + 5 * 14, ' ');
  const std::size_t at = text.find("x y");
  text.insert(text.rfind('\n', at) + 1, blank + "       model.py(3): f  \n");
  const KeyAverages found = read_key_averages(text);
  ASSERT_EQ(found.tables[0].rows.size(), 3u);
  EXPECT_EQ(found.tables[0].rows[0][6].text, "[[1, 2], [3], []]\nmodel.py(3): f");
}

TEST(KeyAverages, WhatDoesNotFitIsNamedAndTheRestIsRead) {
  std::string text = table();
  const std::size_t at = text.find("x y");
  text.insert(text.rfind('\n', at) + 1, "a row that somebody wrote by hand, across columns\n");
  const KeyAverages found = read_key_averages(text);
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0].line, 5);
  EXPECT_EQ(found.tables[0].rows.size(), 3u);
}

// A cell takes many times the bytes that it stands for: without bounds these would take gigabytes.
TEST(KeyAverages, HostileTablesTakeBoundedMemory) {
  const auto hostile = [](int columns, int rows) {
    std::string text = "-----";
    for (int i = 1; i < columns; ++i) text += " -";
    text += "\nName\n-----\n";
    for (int i = 0; i < rows; ++i) text += "x\n";
    return text;
  };
  const KeyAverages wide = read_key_averages(hostile(10'000, 5'000) + "-----\n" + table());
  ASSERT_EQ(wide.problems.size(), 1u);
  EXPECT_EQ(wide.problems[0].line, 1);
  ASSERT_EQ(wide.tables.size(), 1u);
  EXPECT_EQ(wide.tables[0].rows.size(), 3u);

  const KeyAverages tall = read_key_averages(hostile(64, 20'000));
  ASSERT_EQ(tall.tables.size(), 1u);
  EXPECT_EQ(tall.tables[0].rows.size(), (1u << 20) / 64);
  EXPECT_EQ(tall.tables[0].rows.back().size(), 64u);
  EXPECT_EQ(tall.problems.size(), 1'001u);
  EXPECT_EQ(tall.problems[0].line, 4 + (1 << 20) / 64);
}

TEST(KeyAverages, ProblemsAreCountedNotKept) {
  std::string text = table();
  const std::size_t at = text.find("x y");
  std::string rows;
  for (int i = 0; i < 5'000; ++i) rows += "a row that somebody wrote by hand, across columns\n";
  text.insert(text.rfind('\n', at) + 1, rows);
  const KeyAverages found = read_key_averages(text);
  ASSERT_EQ(found.problems.size(), 1'001u);
  EXPECT_THAT(found.problems.back().reason, testing::HasSubstr("4000 more"));
  EXPECT_EQ(found.tables[0].rows.size(), 3u);
}

TEST(KeyAverages, FilesThatEndAnywhere) {
  const std::string text = table();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const KeyAverages found = read_key_averages(std::string_view(text).substr(0, size));
    ASSERT_LE(found.tables.size(), 1u);
  }
  EXPECT_THAT(read_key_averages("-----\nno table\n-----\n").tables, IsEmpty());
  EXPECT_THAT(read_key_averages("").tables, IsEmpty());
}

}  // namespace
}  // namespace benchhud::ingest
