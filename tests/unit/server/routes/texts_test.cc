// What turns values into bytes: JSON, UTF-8, addresses, compression, ETags, cursors.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "schema/base/json_writer.h"
#include "schema/base/utf8.h"
#include "server/api/paging.h"
#include "server/http/address.h"
#include "server/http/etag.h"
#include "server/http/gzip.h"
#include "server/http/message.h"
#include "server/http/static_files.h"

namespace benchhud::server {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::string text_as_json(std::string_view text) {
  std::string out;
  schema::JsonWriter(&out).value(text);
  return out;
}

std::string number_as_json(double number) {
  std::string out;
  schema::JsonWriter(&out).value(number);
  return out;
}

TEST(JsonWriter, CommasComeByThemselves) {
  std::string out;
  schema::JsonWriter writer(&out);
  writer.begin_object();
  writer.field("a", 1);
  writer.key("b");
  writer.begin_array();
  writer.value(1.5);
  writer.value(true);
  writer.null();
  writer.begin_object();
  writer.end_object();
  writer.end_array();
  writer.key_text("c\"d");
  writer.value("x");
  writer.field("e", std::optional<std::int64_t>());
  writer.field("f", std::optional<double>(0.1));
  writer.end_object();
  EXPECT_EQ(out, R"({"a":1,"b":[1.5,true,null,{}],"c\"d":"x","e":null,"f":0.1})");
}

TEST(JsonWriter, NumbersReadBackAsTheyWere) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    EXPECT_EQ(json::parse(number_as_json(number)).get<double>(), number);
  }
  EXPECT_EQ(number_as_json(NAN), "null");
  EXPECT_EQ(number_as_json(-INFINITY), "null");
  EXPECT_EQ(number_as_json(0.25), "0.25");
  // Digits alone would be an integer of more than 64 bits, which readers refuse.
  EXPECT_EQ(number_as_json(18446744073709551616.0), "1.8446744073709552e+19");
  EXPECT_EQ(number_as_json(-1e22), "-1e+22");
  std::string out;
  schema::JsonWriter writer(&out);
  writer.begin_object();
  writer.field("a", 9223372036854775808.0);
  writer.end_object();
  EXPECT_EQ(out, R"({"a":9.223372036854776e+18})");
}

TEST(JsonWriter, AnyBytesGiveTheTextThatNlohmannGives) {
  std::mt19937_64 random(11);
  const std::string pieces[] = {"a",
                                "\"",
                                "\\",
                                "\n",
                                std::string(1, '\0'),
                                "\x1f",
                                "\x7f",
                                "\xc3",
                                "\xc3\xa4",
                                "\xe2",
                                "\xe2\x82",
                                "\xe2\x82\xac",
                                "\xed\xa0\x80",
                                "\xf0\x9f\x98\x80",
                                "\xf0\x9f",
                                "\xff",
                                "\xc0\xaf"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n) text += pieces[random() % std::size(pieces)];
    const auto written = json::parse(text_as_json(text), nullptr, false);
    ASSERT_FALSE(written.is_discarded()) << i;
    const auto expected =
        json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
    // nlohmann replaces each bad byte, Unicode recommends each maximal part: same where there is
    // none.
    if (schema::to_valid_utf8(text) == text) {
      EXPECT_EQ(written, expected);
    } else {
      EXPECT_EQ(written, json(schema::to_valid_utf8(text)));
    }
  }
}

TEST(Utf8, EachMaximalPartOfACharacterIsReplacedOnce) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(schema::to_valid_utf8("a\xff"
                                  "b"),
            "a" + bad + "b");
  EXPECT_EQ(schema::to_valid_utf8("\xe2\x82"), bad);
  EXPECT_EQ(schema::to_valid_utf8("\xe2\x82"
                                  "x"),
            bad + "x");
  EXPECT_EQ(schema::to_valid_utf8("\xc0\xaf"), bad + bad);
  EXPECT_EQ(schema::to_valid_utf8("\xed\xa0\x80"), bad + bad + bad);
  EXPECT_EQ(schema::to_valid_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(schema::to_valid_utf8("\u20ac\U0001f600"), "\u20ac\U0001f600");
}

TEST(Address, DecodesAfterSplitting) {
  const auto address = parse_address("/api//v1/a%2Fb%20+c?x=1%262&y=a+b&flag&=z&&x=2");
  EXPECT_THAT(address.segments, ElementsAre("api", "v1", "a/b +c"));
  EXPECT_EQ(address.path, "/api//v1/a%2Fb%20+c");
  using Pair = std::pair<std::string, std::string>;
  EXPECT_THAT(address.query, ElementsAre(Pair("x", "1&2"), Pair("y", "a b"), Pair("flag", ""),
                                         Pair("", "z"), Pair("x", "2")));
  EXPECT_EQ(parse_address("/a%zz%").segments[0], "a%zz%");
}

TEST(Address, EncodingIsUndoneByParsing) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  const auto address = parse_address("/" + percent_encode(all) + "?q=" + percent_encode(all));
  EXPECT_EQ(address.segments[0], all);
  EXPECT_EQ(address.query[0].second, all);
}

TEST(Gzip, WhoTakesIt) {
  for (const char* header : {"gzip", "br, gzip;q=0.5", "*", "GZIP ; q=1.0", "deflate,*;q=0.1"}) {
    EXPECT_TRUE(accepts_gzip(header)) << header;
  }
  for (const char* header : {"", "br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "xgzip"}) {
    EXPECT_FALSE(accepts_gzip(header)) << header;
  }
}

TEST(Gzip, ShrinksAndSaysSoInItsFirstBytes) {
  const std::string packed = gzip(std::string(100000, 'x'));
  EXPECT_LT(packed.size(), 1000U);
  EXPECT_EQ(packed.substr(0, 2), "\x1f\x8b");
  EXPECT_FALSE(gzip("").empty());
  std::string script;
  for (int i = 0; i < 5000; ++i) script += "const f" + std::to_string(i % 97) + "=(a,b)=>a+b;";
  EXPECT_LT(gzip(script, Effort::kThorough).size(), gzip(script).size());
}

TEST(Etag, WeakComparison) {
  EXPECT_TRUE(etag_matches("W/\"a\"", "W/\"a\""));
  EXPECT_TRUE(etag_matches("\"a\"", "W/\"a\""));
  EXPECT_TRUE(etag_matches("\"x,y\", W/\"a\"", "W/\"a\""));
  EXPECT_TRUE(etag_matches("*", "W/\"a\""));
  EXPECT_FALSE(etag_matches("", "W/\"a\""));
  EXPECT_FALSE(etag_matches("\"b\"", "W/\"a\""));
  EXPECT_FALSE(etag_matches("a", "W/\"a\""));
  EXPECT_FALSE(etag_matches("\"a", "W/\"a\""));
  EXPECT_FALSE(etag_matches("\"*\"", "W/\"a\""));
}

TEST(Paging, CursorsReadBack) {
  const auto cursor = make_cursor("runs?", {to_bits(0.1), -5}, {"a", "", std::string("\0x", 2)});
  EXPECT_EQ(
      cursor.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      std::string::npos);
  const auto read = read_cursor(cursor, "runs?", 2, 3);
  ASSERT_TRUE(read);
  EXPECT_EQ(from_bits(read->numbers[0]), 0.1);
  EXPECT_EQ(read->numbers[1], -5);
  EXPECT_THAT(read->texts, ElementsAre("a", "", std::string("\0x", 2)));
}

TEST(Paging, ForeignAndBrokenCursorsAreNone) {
  const auto cursor = make_cursor("runs?", {1, 2});
  EXPECT_FALSE(read_cursor(cursor, "results?", 2));
  EXPECT_FALSE(read_cursor(cursor, "runs?", 1));
  EXPECT_FALSE(read_cursor(cursor, "runs?", 3));
  EXPECT_FALSE(read_cursor(cursor, "runs?", 2, 1));
  EXPECT_FALSE(read_cursor("", "runs?", 2));
  EXPECT_FALSE(read_cursor(cursor + "A", "runs?", 2));
  EXPECT_FALSE(read_cursor("!" + cursor, "runs?", 2));
  for (std::size_t length = 0; length < cursor.size(); ++length) {
    EXPECT_FALSE(read_cursor(cursor.substr(0, length), "runs?", 2)) << length;
  }
  // A text that says it is longer than the cursor.
  EXPECT_FALSE(read_cursor(make_cursor("runs?", {1LL << 40}), "runs?", 0, 1));
}

TEST(Problem, IsOfOneShape) {
  const auto response =
      problem_response({schema::ErrorCode::kNotFound, "gone \xff"}, "/a?b=\"", "run");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "application/problem+json");
  const auto body = json::parse(*response.body);
  EXPECT_EQ(body["status"], 404);
  EXPECT_EQ(body["parameter"], "run");
  EXPECT_EQ(body["instance"], "/a?b=\"");
  EXPECT_EQ(body["detail"], "gone \ufffd");
  EXPECT_EQ(response.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(problem_response({schema::ErrorCode::kMethodNotAllowed, ""}, "").header("Allow"),
            "GET, HEAD");
}

TEST(StaticFiles, AssetsPagesAndWhatIsNotThere) {
  const std::string script(5000, 'x');
  const std::vector<StaticFiles::File> files = {{"index.html", "<title>hud</title>"},
                                                {"assets/app-33a6551537.js", script},
                                                {"icon.svg", "<svg/>"}};
  const StaticFiles pages(files);
  const Request plain{"GET", "", "", ""}, packed{"GET", "", "", "gzip"};
  const auto asset = pages.answer(packed, "/assets/app-33a6551537.js");
  EXPECT_EQ(asset.content_type, "text/javascript; charset=utf-8");
  EXPECT_THAT(std::string(asset.header("Cache-Control")), testing::HasSubstr("immutable"));
  EXPECT_EQ(asset.header("Content-Encoding"), "gzip");
  EXPECT_EQ(*pages.answer(plain, "/assets/app-33a6551537.js").body, script);
  EXPECT_EQ(pages.answer(plain, "/icon.svg").header("Cache-Control"), "no-cache");
  for (const char* page :
       {"/", "/runs/2025-11-10T00:00:20.25Z", "/model/suite/resnet18.a1", "/a/b/c"}) {
    EXPECT_EQ(*pages.answer(plain, page).body, "<title>hud</title>") << page;
  }
  EXPECT_EQ(pages.answer(plain, "/missing.js").status, 404);
  EXPECT_EQ(pages.answer(plain, "/../index.html").status, 404);
  Request known = plain;
  known.if_none_match = std::string(asset.header("ETag"));
  EXPECT_EQ(pages.answer(known, "/assets/app-33a6551537.js").status, 304);
}

TEST(StaticFiles, WithoutPagesItSaysHowToBuildThem) {
  const auto response = StaticFiles({}).answer({"GET", "/", "", ""}, "/");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(*response.body, testing::HasSubstr("./dev build"));
}

TEST(Utf8, PiecesMakeUpTheWholeWhereverTheyEnd) {
  // Letters of one to four bytes, a lone continuation, a beginning without its end.
  const std::string text = "aé€🦉\x80x\xE2\x82y€\xF0\x9F";
  for (std::size_t length = 1; length <= text.size() + 1; ++length) {
    std::string bytes, shown;
    for (std::size_t offset = 0; offset < text.size(); offset += length) {
      const std::string_view piece = schema::whole_characters(text, offset, length);
      bytes += piece;
      shown += schema::to_valid_utf8(piece);
    }
    EXPECT_EQ(bytes, text) << length;
    EXPECT_EQ(shown, schema::to_valid_utf8(text)) << length;
  }
  EXPECT_EQ(schema::whole_characters(text, 2, std::string::npos), text.substr(1));
  EXPECT_EQ(schema::whole_characters(text, 1000, 10), "");
  EXPECT_EQ(schema::whole_characters("", 0, 1), "");
}

}  // namespace
}  // namespace benchhud::server
