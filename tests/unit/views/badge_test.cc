#include "views/badge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace benchhud::views {
namespace {

using testing::HasSubstr;
using testing::Not;

double attribute(const std::string& svg, const std::string& name) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(svg, found, std::regex(" " + name + "=\"([0-9.]+)\"")));
  return std::stod(found[1]);
}

TEST(Badge, IsAPictureOfItsTexts) {
  const std::string svg = badge_svg({"changes", "3 to look at", BadgeColor::kBad});
  EXPECT_THAT(svg, HasSubstr(">changes</text>"));
  EXPECT_THAT(svg, HasSubstr(">3 to look at</text>"));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"changes: 3 to look at\""));
  EXPECT_THAT(svg, HasSubstr("#cf222e"));
  EXPECT_GT(attribute(badge_svg({"changes", "3 to look at, 12 days old", {}}), "width"),
            attribute(svg, "width"));
}

TEST(Badge, NoTextLeavesItsPlace) {
  const std::string svg = badge_svg(
      {"</text><script>alert(1)</script>", "\" onload=\"x & \x01\n\xff \xed\xa0\x80", {}});
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("\" onload")));
  EXPECT_THAT(svg, HasSubstr("&amp; \uFFFD\uFFFD\uFFFD"));
  for (const char c : svg) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

TEST(Badge, TextsAreWellFormedXmlWhateverTheyHold) {
  const std::string svg =
      badge_svg({"a\xEF\xBF\xBE z\xEF\xBF\xBF", "\xEF\xBF\xBD\xF0\x9F\xBF\xBE", {}});
  EXPECT_THAT(svg, Not(HasSubstr("\xEF\xBF\xBE")));
  EXPECT_THAT(svg, Not(HasSubstr("\xEF\xBF\xBF")));
  EXPECT_THAT(svg, HasSubstr("a\uFFFD z\uFFFD"));
  // U+1FFFE is no character, but XML has it.
  EXPECT_THAT(svg, HasSubstr("\xF0\x9F\xBF\xBE"));
}

TEST(Badge, JsonIsWhatShieldsTakes) {
  EXPECT_EQ(badge_json({"a \"b\"", "c", BadgeColor::kGood}),
            R"({"schemaVersion":1,"label":"a \"b\"","message":"c","color":"#1a7f37"})");
}

TEST(Badge, AgesAreInOneUnitAndNeverRoundedUp) {
  EXPECT_EQ(age_text(0), "0 min");
  EXPECT_EQ(age_text(59 * 60 + 59), "59 min");
  EXPECT_EQ(age_text(3600), "1 h");
  EXPECT_EQ(age_text(47.9 * 3600), "47 h");
  EXPECT_EQ(age_text(48 * 3600), "2 days");
}

}  // namespace
}  // namespace benchhud::views
