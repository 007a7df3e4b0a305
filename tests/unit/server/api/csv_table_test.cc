// CSV tables built from the calls of a JsonWriter.
#include "server/api/csv_table.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

namespace benchhud::server {
namespace {

using nlohmann::json;

/// Writes a document as a route does: member by member.
void write(schema::JsonWriter& out, const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      out.begin_object();
      for (const auto& [name, member] : value.items()) {
        out.key_text(name);
        write(out, member);
      }
      return out.end_object();
    case json::value_t::array:
      return out.list(value, [&](const json& item) { write(out, item); });
    case json::value_t::string:
      return out.value(value.get_ref<const std::string&>());
    case json::value_t::boolean:
      return out.value(value.get<bool>());
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return out.value(value.get<std::int64_t>());
    case json::value_t::number_float:
      return out.value(value.get<double>());
    default:
      return out.null();
  }
}

struct Csv {
  std::string text, next_cursor;
};

Csv csv_of(const std::vector<CsvColumn>& columns, const json& answer,
           std::string_view rows = "items") {
  CsvTable table(columns, rows);
  schema::JsonWriter out(&table);
  write(out, answer);
  return {table.take_text(), table.take_next_cursor()};
}

/// The only cell of a table.
std::string cell_of(const std::function<void(schema::JsonWriter&)>& write_value) {
  const std::vector<CsvColumn> columns = {{"v", "/v"}};
  CsvTable table(columns, "");
  schema::JsonWriter out(&table);
  out.begin_array();
  out.begin_object();
  out.key("v");
  write_value(out);
  out.end_object();
  out.end_array();
  const std::string text = table.take_text();
  EXPECT_TRUE(text.starts_with("v\r\n") && text.ends_with("\r\n")) << text;
  return text.substr(3, text.size() - 5);
}

std::string cell_of(const json& value) {
  return cell_of([&](schema::JsonWriter& out) { write(out, value); });
}

TEST(CsvTable, QuotesTextsAndKeepsNumbers) {
  EXPECT_EQ(cell_of(json()), "");
  EXPECT_EQ(cell_of(json(-0.1)), "-0.1");
  EXPECT_EQ(cell_of(json(5)), "5");
  EXPECT_EQ(cell_of(json(true)), "true");
  EXPECT_EQ(cell_of(json("a,b")), "\"a,b\"");
  EXPECT_EQ(cell_of(json("a\"b")), "\"a\"\"b\"");
  EXPECT_EQ(cell_of(json("a\r\nb")), "\"a\r\nb\"");
  EXPECT_EQ(cell_of(json::array({"a", 1})), "\"[\"\"a\"\",1]\"");
  EXPECT_EQ(cell_of(json({{"a", json::array({1, {{"b", nullptr}}})}, {"c", "x"}})),
            "\"{\"\"a\"\":[1,{\"\"b\"\":null}],\"\"c\"\":\"\"x\"\"}\"");
}

TEST(CsvTable, PrefixesFormulasWithApostrophe) {
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\tx"}) {
    EXPECT_EQ(cell_of(json(text)), "'" + std::string(text));
  }
  EXPECT_EQ(cell_of(json("a=1")), "a=1");
  EXPECT_EQ(cell_of(json("=a,b")), "\"'=a,b\"");
}

TEST(CsvTable, WritesRawJsonIntoOneCell) {
  const auto raw = [](std::string_view text) {
    return cell_of([&](schema::JsonWriter& out) { out.raw(text); });
  };
  EXPECT_EQ(raw(R"({"a":1})"), R"("{""a"":1}")");
  EXPECT_EQ(raw("null"), "");
  EXPECT_EQ(raw("12"), "12");
  EXPECT_EQ(raw(R"("=x\ny")"), "\"'=x\ny\"");  // a text as any other
}

TEST(CsvTable, ReplacesInvalidUtf8) {
  EXPECT_EQ(cell_of([](schema::JsonWriter& out) {
              out.value(
                  "a\xff"
                  "b");
            }),
            "a\uFFFDb");
}

TEST(CsvTable, FindsCellsByPointer) {
  const std::vector<CsvColumn> columns = {{"a", "/a"}, {"bc", "/b/c"}, {"gone", "/x/y"}};
  const json answer = {
      {"before", {{"items", {{{"a", "of another list"}}}}, {"next_cursor", "of another"}}},
      {"items",
       {{{"a", 1},
         {"b", {{"a", "of b"}, {"c", 0.1}, {"d", {{"c", "deeper"}}}}},
         {"c", json::array({{{"a", 3}}})}},
        {{"a", nullptr}, {"b", nullptr}},
        {{"x", 3}, {"b", json::array({{{"c", "in a list"}}})}}}},
      {"next_cursor", "on"}};
  const Csv csv = csv_of(columns, answer);
  EXPECT_EQ(csv.text, "a,bc,gone\r\n1,0.1,\r\n,,\r\n,,\r\n");
  EXPECT_EQ(csv.next_cursor, "on");
  const Csv empty = csv_of(columns, {{"items", json::array()}, {"next_cursor", nullptr}});
  EXPECT_EQ(empty.text, "a,bc,gone\r\n");
  EXPECT_EQ(empty.next_cursor, "");
}

TEST(CsvTable, TakesRowsFromNamedArray) {
  const std::vector<CsvColumn> columns = {{"a", "/a"}};
  const json answer = {{"items", {{{"a", 1}}}}, {"rows", {{{"a", 2}}, {{"a", 3}}}}};
  EXPECT_EQ(csv_of(columns, answer, "rows").text, "a\r\n2\r\n3\r\n");
  EXPECT_EQ(csv_of(columns, answer["rows"], "").text, "a\r\n2\r\n3\r\n");
  EXPECT_EQ(csv_of(columns, answer, "others").text, "a\r\n");
}

TEST(CsvOfRows, IsSafeForSpreadsheetsAndKeepsNumbers) {
  EXPECT_EQ(csv_of_rows(json::parse(R"(["a", "=b", "c,d"])"),
                        json::parse(R"([[1, "=1+1", null], [-2.5, "say \"x\"", "-1"]])")),
            "a,'=b,\"c,d\"\r\n1,'=1+1,\r\n-2.5,\"say \"\"x\"\"\",'-1\r\n");
  EXPECT_EQ(csv_of_rows(json::array({"a"}), json::array()), "a\r\n");
}

}  // namespace
}  // namespace benchhud::server
