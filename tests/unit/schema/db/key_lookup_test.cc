#include "schema/db/key_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace benchhud::schema {
namespace {

constexpr std::string_view kNames = "SELECT id FROM thing WHERE id > $1 AND id IN ($2) ORDER BY id";

TEST(KeyLookup, FindsEachKeyOnce) {
  auto store = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
  ASSERT_TRUE(store.execute(
      "CREATE TABLE thing (id INTEGER PRIMARY KEY);"
      "WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 500) "
      "INSERT INTO thing SELECT id FROM n"));
  for (const std::int64_t count : {0, 1, 2, 8, 9, 24, 25, 64, 65, 200}) {
    std::vector<std::int64_t> keys;
    for (std::int64_t i = 0; i < count; ++i) keys.push_back(400 + i);  // from 501 on there is none
    if (count > 1) keys.back() = keys.front();
    std::multiset<std::int64_t> found;
    const auto done = look_up(
        store, kNames, std::span<const std::int64_t>(keys),
        [](Statement& query, int parameter, std::int64_t key) {
          query.bind(1, 3).bind(parameter, key);
        },
        [&](const Statement& row) -> Expected<void> {
          found.insert(row.integer(0));
          return {};
        });
    ASSERT_TRUE(done) << done.error().message;
    std::multiset<std::int64_t> expected;
    for (const std::int64_t key : std::set<std::int64_t>(keys.begin(), keys.end())) {
      if (key <= 500) expected.insert(key);
    }
    // One that is there twice may be found by two statements.
    if (count > 64) expected.insert(keys.front());
    EXPECT_EQ(found, expected) << count;
  }
}

TEST(KeyLookup, TheFirstErrorEndsIt) {
  auto store = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
  ASSERT_TRUE(store.execute(
      "CREATE TABLE thing (id INTEGER PRIMARY KEY); INSERT INTO thing VALUES (5), (6)"));
  const std::vector<std::int64_t> keys = {5, 6};
  int visited = 0;
  const auto done = look_up(
      store, kNames, std::span<const std::int64_t>(keys),
      [](Statement& query, int parameter, std::int64_t key) {
        query.bind(1, 3).bind(parameter, key);
      },
      [&](const Statement&) -> Expected<void> {
        ++visited;
        return Error{ErrorCode::kInternal, "enough"};
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "enough");
  EXPECT_EQ(visited, 1);
}

TEST(KeyLookup, TheSameTextIsGivenForTheSameConstant) {
  EXPECT_EQ(many_keys(kNames, 1).data(), kNames.data());
  EXPECT_EQ(many_keys(kNames, 2).data(), many_keys(kNames, 8).data());
  EXPECT_EQ(many_keys(kNames, 9).data(), many_keys(kNames, 24).data());
  EXPECT_EQ(many_keys(kNames, 25).data(), many_keys(kNames, 64).data());
  EXPECT_EQ(
      many_keys(kNames, 3),
      "SELECT id FROM thing WHERE id > $1 AND id IN ($2, $3, $4, $5, $6, $7, $8, $9) ORDER BY id");
}

}  // namespace
}  // namespace benchhud::schema
