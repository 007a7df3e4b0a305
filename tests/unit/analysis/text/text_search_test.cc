#include "analysis/text/text_search.h"

#include <gmock/gmock.h>

namespace benchhud::analysis {
namespace {

using testing::Eq;
using testing::Optional;

std::optional<TextMatch> match(std::string_view typed, std::string_view title,
                               std::string_view keywords = "",
                               const std::vector<std::string>& aliases = {}) {
  return TextQuery(typed).match(SearchText(title, keywords, aliases));
}
bool nearly(std::string_view typed, std::string_view title, std::string_view keywords = "") {
  return TextQuery(typed).nearly(SearchText(title, keywords));
}

TEST(TextSearch, RanksFromTheWholeNameToAPartOfIt) {
  EXPECT_THAT(match("ResNet50", "resnet50"), Optional(TextMatch::kExact));
  EXPECT_THAT(match("resnet", "resnet50"), Optional(TextMatch::kPrefix));
  EXPECT_THAT(match("resnet", "timm_resnet50"), Optional(TextMatch::kWordStart));
  EXPECT_THAT(match("snet", "timm_resnet50"), Optional(TextMatch::kPart));
  EXPECT_THAT(match("50 timm", "timm_resnet50"), Optional(TextMatch::kWords));
  EXPECT_THAT(match("resnest", "timm_resnet50"), Eq(std::nullopt));
}

TEST(TextSearch, ALaterPlaceInTheNameMayBeTheStartOfAWord) {
  EXPECT_THAT(match("net", "resnet net"), Optional(TextMatch::kWordStart));
}

TEST(TextSearch, WhatIsKnownBesideANameCountsForWordsAlone) {
  EXPECT_THAT(match("training", "resnet50", "train training"), Optional(TextMatch::kWords));
  EXPECT_THAT(match("resnet training", "resnet50", "training"), Optional(TextMatch::kWords));
  EXPECT_THAT(match("resnet serving", "resnet50", "training"), Eq(std::nullopt));
}

TEST(TextSearch, AnotherNameCountsAsTheName) {
  EXPECT_THAT(match("#12", "alpha is 12 % slower", "", {"#12", "12"}), Optional(TextMatch::kExact));
  EXPECT_THAT(match("12", "alpha is 12 % slower", "", {"#12", "12"}), Optional(TextMatch::kExact));
}

TEST(TextSearch, SpacesAndLetterCaseDoNotMatter) {
  EXPECT_EQ(fold_text("  Out\tof \n MEMORY "), "out of memory");
  EXPECT_THAT(match("out  OF memory", "Out of memory"), Optional(TextMatch::kExact));
}

TEST(TextSearch, NothingTypedFitsNothing) {
  for (const auto typed : {"", " ", "\t\n"}) {
    EXPECT_TRUE(TextQuery(typed).empty());
    EXPECT_THAT(match(typed, "resnet50"), Eq(std::nullopt));
    EXPECT_FALSE(nearly(typed, "resnet50"));
  }
}

TEST(TextSearch, SignsOfPatternsAreThemselves) {
  EXPECT_THAT(match("%", "resnet50"), Eq(std::nullopt));
  EXPECT_THAT(match("res_et", "resnet50"), Eq(std::nullopt));
  EXPECT_THAT(match(".*", "resnet50"), Eq(std::nullopt));
  EXPECT_THAT(match("100%", "100% slower"), Optional(TextMatch::kPrefix));
}

TEST(TextSearch, AnyBytesAreSearchedAsTheyAre) {
  const std::string torn = "\xff\xfe\xc3";
  EXPECT_THAT(match(torn, "a" + torn + "b"), Optional(TextMatch::kPart));
  EXPECT_THAT(match(std::string("a\0b", 3), std::string("xa\0b", 4)), Optional(TextMatch::kPart));
  EXPECT_THAT(match("übung", "eine-übung"), Optional(TextMatch::kWordStart));
  EXPECT_THAT(match(std::string(10'000, 'x'), "xxx"), Eq(std::nullopt));
}

TEST(TextSearch, OneLetterMayBeWrong) {
  EXPECT_TRUE(nearly("resnt50", "resnet50"));    // left out
  EXPECT_TRUE(nearly("ressnet50", "resnet50"));  // too many
  EXPECT_TRUE(nearly("resmet50", "resnet50"));   // another
  EXPECT_TRUE(nearly("resnte50", "resnet50"));   // swapped
  EXPECT_TRUE(nearly("resnet5p", "resnet50"));
  EXPECT_TRUE(nearly("xesnet", "timm_resnet50"));
  EXPECT_TRUE(nearly("resnet500", "resnet50"));
  EXPECT_TRUE(nearly("mobilnet v3", "mobilenet_v3_large"));
  EXPECT_FALSE(nearly("resmte50", "resnet50"));
  EXPECT_FALSE(nearly("mobilnet v4", "mobilenet_v3_large"));
}

TEST(TextSearch, ShortWordsAreNearToNothing) {
  EXPECT_FALSE(nearly("vgh", "vgg"));
  EXPECT_TRUE(nearly("vggg", "vgg"));
}

TEST(TextSearch, NearAreBeginningsOfWords) {
  EXPECT_TRUE(begins_nearly_with("resnet50", "resn"));
  EXPECT_TRUE(begins_nearly_with("abc", "abcd"));
  EXPECT_FALSE(begins_nearly_with("abc", "abcde"));
  EXPECT_TRUE(begins_nearly_with("", "a"));
  EXPECT_FALSE(begins_nearly_with("", "ab"));
  EXPECT_TRUE(begins_nearly_with("ba", "ab"));
}

}  // namespace
}  // namespace benchhud::analysis
