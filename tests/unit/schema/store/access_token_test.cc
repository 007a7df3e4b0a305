// Tokens: what is kept of them, and until when they are good.

#include "schema/store/access_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "schema/base/text_limits.h"
#include "schema/base/time.h"
#include "schema/results/maintenance.h"
#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AccessTokenTest : public ::testing::Test {
 protected:
  AccessTokenTest() { EXPECT_TRUE(migrate(store_)); }

  NewToken add(std::optional<double> expires_at = {}) {
    auto made = add_access_token(store_, "laptop", {Scope::kTriage, Scope::kRead}, expires_at);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }
  bool is_good(std::string_view text, double time = now()) {
    const auto found = find_access_token(store_, text, time);
    EXPECT_TRUE(found);
    return found->has_value();
  }
  ErrorCode refusal(std::string_view name, Scopes scopes, std::optional<double> expires_at = {}) {
    const auto made = add_access_token(store_, name, scopes, expires_at);
    EXPECT_FALSE(made);
    return made ? ErrorCode::kInternal : made.error().code;
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
};

TEST_F(AccessTokenTest, IsFoundByItsTextAlone) {
  const NewToken made = add();
  EXPECT_THAT(made.text, StartsWith("bhud_1_"));
  EXPECT_EQ(made.text.size(), 7U + 43U);
  const auto found = find_access_token(store_, made.text, now());
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->name, "laptop");
  EXPECT_EQ(scopes_text((*found)->scopes), "read triage");
  EXPECT_FALSE((*found)->may(Scope::kIngest));
  for (std::size_t i = 0; i < made.text.size(); ++i) {
    std::string other = made.text;
    other[i] = other[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(is_good(other)) << i;
  }
}

TEST_F(AccessTokenTest, TheStoreDoesNotKeepIt) {
  const NewToken made = add();
  const std::string secret = made.text.substr(7);
  Statement query = store_.prepare(
      "SELECT instr(name || scopes || hex(hash), $1) > 0 OR instr(hash, $1) > 0 FROM access_token");
  query.bind(1, secret);
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), 0);
  const auto lines = audit(store_, 10);
  ASSERT_TRUE(lines);
  for (const auto& line : *lines) EXPECT_THAT(line.detail, Not(HasSubstr(secret)));
}

TEST_F(AccessTokenTest, Expires) {
  const double time = now();
  const NewToken made = add(time + 100);
  EXPECT_TRUE(is_good(made.text, time + 99));
  EXPECT_FALSE(is_good(made.text, time + 100));
  EXPECT_TRUE(is_good(add().text, time + 1e9));
}

TEST_F(AccessTokenTest, IsWithdrawnForGood) {
  const NewToken first = add(), second = add();
  EXPECT_TRUE(withdraw_access_token(store_, first.token.id));
  EXPECT_FALSE(is_good(first.text));
  EXPECT_TRUE(is_good(second.text));
  EXPECT_EQ(withdraw_access_token(store_, first.token.id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(withdraw_access_token(store_, 99).error().code, ErrorCode::kNotFound);
  const auto tokens = access_tokens(store_);
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 2U) << "the audit names tokens by id";
  EXPECT_TRUE((*tokens)[0].withdrawn_at);
}

TEST_F(AccessTokenTest, EachIsAnother) {
  std::set<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.insert(random_secret().operator*());
  EXPECT_EQ(texts.size(), 100U);
  for (const std::string& text : texts) {
    EXPECT_EQ(text.size(), 43U);
    EXPECT_EQ(
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "-_"),
        std::string::npos)
        << text;
  }
}

TEST_F(AccessTokenTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(refusal("", {Scope::kRead}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal("x", {}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal("x", {Scope::kRead}, now() - 1), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal(std::string(kMostLineBytes + 1, 'x'), {Scope::kRead}), ErrorCode::kTooLarge);
  EXPECT_TRUE(access_tokens(store_)->empty());
}

TEST(ConstantTime, TellsTextsApart) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace benchhud::schema
