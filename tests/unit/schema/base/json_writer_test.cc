#include "schema/base/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace benchhud::schema {
namespace {

using Layout = JsonWriter::Layout;

/// Something of every kind, in both layouts.
std::string example(Layout layout) {
  std::string text;
  JsonWriter json(&text, layout);
  json.begin_object();
  json.field("integer", 3);
  json.field("double", 0.25);
  json.field("infinite", std::numeric_limits<double>::infinity());
  json.field("text", "a \"b\"\n");
  json.field("truth", true);
  json.field("none", std::optional<double>());
  json.field(std::string(60, 'n'), 7);
  json.key("empty object");
  json.begin_object();
  json.end_object();
  json.key("empty list");
  json.begin_array();
  json.end_array();
  json.key("list");
  json.list(std::vector<int>{1, 2}, [&](int number) {
    json.begin_object();
    json.field("number", number);
    json.key_text("n\n");
    json.list(std::vector<int>(2, number), [&](int same) { json.value(same); });
    json.end_object();
  });
  json.end_object();
  return text;
}

TEST(JsonWriter, WritesWhatReadsBack) {
  const auto read = nlohmann::json::parse(example(Layout::kCompact));
  EXPECT_EQ(read.at("integer"), 3);
  EXPECT_EQ(read.at("double"), 0.25);
  EXPECT_TRUE(read.at("infinite").is_null());
  EXPECT_EQ(read.at("text"), "a \"b\"\n");
  EXPECT_EQ(read.at("truth"), true);
  EXPECT_TRUE(read.at("none").is_null());
  EXPECT_EQ(read.at("list").at(1).at("n\n"), nlohmann::json({2, 2}));
}

TEST(JsonWriter, IndentsAsOtherProgramsDo) {
  const auto read = nlohmann::ordered_json::parse(example(Layout::kCompact));
  EXPECT_EQ(example(Layout::kIndented), read.dump(2));
}

TEST(JsonWriter, IndentsAListAtTheTop) {
  std::string text;
  JsonWriter json(&text, Layout::kIndented);
  json.list(std::vector<int>{1, 2}, [&](int number) { json.value(number); });
  EXPECT_EQ(text, "[\n  1,\n  2\n]");
}

}  // namespace
}  // namespace benchhud::schema
