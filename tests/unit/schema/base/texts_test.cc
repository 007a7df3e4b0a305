// Small texts that several modules write: ASCII, base64, CSV, XML, counts.
#include <gtest/gtest.h>

#include <string>

#include "schema/base/ascii.h"
#include "schema/base/base64.h"
#include "schema/base/count_text.h"
#include "schema/base/csv_text.h"
#include "schema/base/xml_text.h"

namespace benchhud::schema {
namespace {

TEST(Ascii, IgnoresBytesOutsideOfIt) {
  EXPECT_EQ(lower_case("A\xC3\x84z\xFF"), "a\xC3\x84z\xFF");
  EXPECT_FALSE(is_letter('\xE4'));
  EXPECT_FALSE(is_digit('\xB2'));
  EXPECT_TRUE(equal_ignoring_case("Content-Length", "content-lengTH"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
  EXPECT_TRUE(contains_ignoring_case("X-Api_Key", "API_KEY"));
  EXPECT_FALSE(contains_ignoring_case("", "a"));
}

TEST(Ascii, TrimsTheBlanksThatItIsGiven) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("\n a\n", " "), "\n a\n");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64url(""), "");
  EXPECT_EQ(base64url("f"), "Zg");
  EXPECT_EQ(base64url("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64url("fooba"), "Zm9vYmE");
  EXPECT_EQ(base64url("\xfb\xff"), "-_8");
  EXPECT_EQ(from_base64url("-_8"), "\xfb\xff");
  EXPECT_FALSE(from_base64url("-_9")) << "stray bits";
  EXPECT_FALSE(from_base64url("A"));
}

TEST(CsvField, IsQuotedWhereItMustBe) {
  std::string csv;
  for (const char* text : {"plain", "a,b", "say \"a\"", "two\nlines", ""}) {
    append_csv_field(&csv, text);
    csv += ';';
  }
  EXPECT_EQ(csv, "plain;\"a,b\";\"say \"\"a\"\"\";\"two\nlines\";;");
}

TEST(XmlText, HasNothingThatXmlHasNot) {
  EXPECT_EQ(xml_text("<a b=\"c\">&</a>"), "&lt;a b=&quot;c&quot;&gt;&amp;&lt;/a&gt;");
  EXPECT_EQ(xml_text("two\nlines"), "two\xEF\xBF\xBDlines");
  EXPECT_EQ(xml_text("two\nlines", XmlLines::kMany), "two\nlines");
  EXPECT_EQ(xml_text("\x01\x7f\r"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(xml_text("\xEF\xBF\xBE"), "\xEF\xBF\xBD");
}

TEST(CountText, HasThePluralOfAllButOne) {
  EXPECT_EQ(count_text(1, "kernel"), "1 kernel");
  EXPECT_EQ(count_text(0U, "kernel"), "0 kernels");
  EXPECT_EQ(count_text(2, "kernel"), "2 kernels");
}

TEST(MegabytesText, HasOneDigitBehindThePoint) {
  EXPECT_EQ(megabytes_text(0), "0.0 MB");
  EXPECT_EQ(megabytes_text(std::int64_t{12'345'678}), "12.3 MB");
}

}  // namespace
}  // namespace benchhud::schema
