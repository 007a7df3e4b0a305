// Links of labels: what is taken, what is refused, and that nobody who writes a label says where a
// link goes.

#include "schema/results/label_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schema/base/text_limits.h"
#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOne = "https://example.org/pytorch/commit/{value}";
constexpr const char* kRange = "https://example.org/pytorch/compare/{from}...{to}?w=1#{to}";

class LabelLinkTest : public ::testing::Test {
 protected:
  LabelLinkTest() { EXPECT_TRUE(migrate(store_)); }

  ErrorCode refusal(const LabelLink& link) {
    const auto done = set_label_link(store_, link);
    EXPECT_FALSE(done) << link.one << link.range;
    EXPECT_THAT(links(), IsEmpty());
    return done ? ErrorCode::kInternal : done.error().code;
  }
  void set(const LabelLink& link) {
    const auto done = set_label_link(store_, link);
    EXPECT_TRUE(done) << done.error().message;
  }

  // Every link in words.
  std::vector<std::string> links() {
    const auto listed = label_links(store_);
    EXPECT_TRUE(listed);
    std::vector<std::string> words;
    if (!listed) return words;
    for (const LabelLink& link : *listed) {
      words.push_back(link.key + " | " + link.one + " | " + link.range);
    }
    return words;
  }
  std::int64_t revision() {
    const auto now = Reader(store_).revision();
    EXPECT_TRUE(now);
    return now ? *now : -1;
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
};

TEST_F(LabelLinkTest, AreListedByKeyAndCountARevision) {
  EXPECT_THAT(links(), IsEmpty());
  set({"torch_xla", kOne, ""});
  const std::int64_t before = revision();
  set({"pytorch", kOne, kRange});
  EXPECT_GT(revision(), before);
  EXPECT_THAT(links(), ElementsAre("pytorch | " + std::string(kOne) + " | " + kRange,
                                   "torch_xla | " + std::string(kOne) + " | "));
}

TEST_F(LabelLinkTest, WhatIsNotGivenStays) {
  set({"pytorch", kOne, ""});
  set({"pytorch", "", kRange});
  set({"pytorch", "http://other/{value}", ""});
  EXPECT_THAT(links(), ElementsAre("pytorch | http://other/{value} | " + std::string(kRange)));
}

TEST_F(LabelLinkTest, GoWithTheirKeyAlone) {
  // One label's key is the beginning of another's, and one is like what stands before a key.
  for (const char* const key : {"a", "ab", "range of label a", "%", "_"}) set({key, kOne, kRange});
  ASSERT_TRUE(remove_label_link(store_, "a"));
  EXPECT_EQ(links().size(), 4U);
  const auto again = remove_label_link(store_, "a");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kNotFound);
}

TEST_F(LabelLinkTest, AreInTheAudit) {
  set({"pytorch", kOne, ""});
  ASSERT_TRUE(remove_label_link(store_, "pytorch"));
  const auto lines = audit(store_, 10);
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_THAT(lines->at(0).detail, HasSubstr("removed"));
  EXPECT_THAT(lines->at(1).detail, HasSubstr(kOne));
}

TEST_F(LabelLinkTest, TakeNoOtherSchemeThanHttp) {
  for (const char* const address :
       {"javascript:alert({value})", "JAVASCRIPT:{value}", "data:text/html,{value}",
        "ftp://example.org/{value}", "//example.org/{value}", "/commit/{value}", "{value}",
        " https://example.org/{value}", "https:/example.org/{value}", "https://",
        "https:///{value}"}) {
    EXPECT_EQ(refusal({"commit", address, ""}), ErrorCode::kInvalidArgument) << address;
  }
}

TEST_F(LabelLinkTest, TakeNoValueInTheNameOfTheHost) {
  for (const char* const address :
       {"https://{value}/commit", "https://{value}", "https://example.org.{value}/x",
        "https://user:{value}@example.org/", "https://{value}@example.org/{value}"}) {
    EXPECT_EQ(refusal({"commit", address, ""}), ErrorCode::kInvalidArgument) << address;
  }
  EXPECT_EQ(refusal({"commit", "", "https://{from}.org/{to}"}), ErrorCode::kInvalidArgument);
}

TEST_F(LabelLinkTest, NeedTheirPlaceholdersAndNoOthers) {
  for (const char* const address :
       {"https://example.org/", "https://example.org/{valeu}", "https://example.org/{value}/{from}",
        "https://example.org/{value", "https://example.org/{}{value}",
        "https://example.org/{{value}}"}) {
    EXPECT_EQ(refusal({"commit", address, ""}), ErrorCode::kInvalidArgument) << address;
  }
  EXPECT_EQ(refusal({"commit", "", "https://example.org/{from}"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal({"commit", "", "https://example.org/{value}"}), ErrorCode::kInvalidArgument);
}

TEST_F(LabelLinkTest, TakeOnlyWhatAnAddressHolds) {
  for (const char* const address :
       {"https://example.org/a b/{value}", "https://example.org/\n{value}",
        "https://example.org/\"{value}", "https://example.org/<{value}>", "https://ex\\{value}"}) {
    EXPECT_EQ(refusal({"commit", address, ""}), ErrorCode::kInvalidArgument) << address;
  }
  EXPECT_EQ(refusal({"", kOne, ""}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal({"commit", "", ""}), ErrorCode::kInvalidArgument);
  const std::string long_address = std::string(kOne) + std::string(kMostLineBytes, 'x');
  EXPECT_EQ(refusal({"commit", long_address, ""}), ErrorCode::kTooLarge);
  EXPECT_EQ(refusal({std::string(kMostLineBytes + 1, 'k'), kOne, ""}), ErrorCode::kTooLarge);
  // One that is wrong takes the other along.
  EXPECT_EQ(refusal({"commit", kOne, "ftp://x/{from}{to}"}), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace benchhud::schema
