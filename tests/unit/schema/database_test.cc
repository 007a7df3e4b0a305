#include "schema/database.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "schema/migrate.h"
#include "schema/store.h"

namespace benchhud::schema {
namespace {

class DatabaseTest : public ::testing::Test {
 protected:
  DatabaseTest() { std::filesystem::create_directories(folder_); }
  ~DatabaseTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name = "test.db") const { return (folder_ / name).string(); }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(DatabaseTest, ParametersAreBoundByNameNotByFirstUse) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  Statement statement = connection->prepare("SELECT $2, $1, $2");
  statement.bind(1, "one").bind(2, "two");
  ASSERT_TRUE(statement.step());
  EXPECT_EQ(statement.text(0), "two");
  EXPECT_EQ(statement.text(1), "one");
  EXPECT_EQ(statement.text(2), "two");
}

TEST_F(DatabaseTest, ValuesComeBackAsTheyWent) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  Statement statement = connection->prepare("SELECT $1, $2, $3, $4, $5");
  const std::string text("a\0b", 3);
  statement.bind(1, std::int64_t{1} << 62).bind(2, 0.1).bind(3, text).bind_blob(4, "").bind_null(5);
  ASSERT_TRUE(statement.step());
  EXPECT_EQ(statement.integer(0), std::int64_t{1} << 62);
  EXPECT_EQ(statement.real(1), 0.1);
  EXPECT_EQ(statement.text(2), text);
  EXPECT_FALSE(statement.is_null(3));
  EXPECT_EQ(statement.blob(3), "");
  EXPECT_TRUE(statement.is_null(4));
  EXPECT_EQ(statement.optional_integer(4), std::nullopt);
}

TEST_F(DatabaseTest, ErrorsStick) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  Statement statement = connection->prepare("SELECT nonsense FROM nowhere");
  EXPECT_FALSE(statement.bind(1, 1).step());
  EXPECT_FALSE(statement.status());
  EXPECT_NE(statement.status().error().message.find("nowhere"), std::string::npos);
}

TEST_F(DatabaseTest, AnUncommittedTransactionLeavesNothing) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  ASSERT_TRUE(connection->execute("CREATE TABLE t (x INTEGER)"));
  {
    auto transaction = Transaction::begin(*connection, Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection->execute("INSERT INTO t VALUES (1)"));
  }
  Statement count = connection->prepare("SELECT count(*) FROM t");
  ASSERT_TRUE(count.step());
  EXPECT_EQ(count.integer(0), 0);
}

TEST_F(DatabaseTest, AStatementEndsWithItsTransaction) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  ASSERT_TRUE(connection->execute("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1), (2)"));
  static constexpr std::string_view kSql = "SELECT x FROM t";
  {
    auto transaction = Transaction::begin(*connection, Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection->cached(kSql).step());
    ASSERT_TRUE(transaction->commit());
  }
  // Somebody else writes in between; who still read the old store could not write now.
  auto other = Connection::open(path(), OpenMode::kReadWrite);
  ASSERT_TRUE(other && other->execute("INSERT INTO t VALUES (3)"));
  EXPECT_TRUE(Transaction::begin(*connection, Transaction::Kind::kWrite));
}

TEST_F(DatabaseTest, AMissingStoreIsNotFoundAndNotMade) {
  const auto connection = open_store_for_reading(path("missing.db"));
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(path("missing.db")));
}

TEST_F(DatabaseTest, AFileThatIsNoStoreIsSaidToBeCorrupt) {
  std::FILE* file = std::fopen(path().c_str(), "w");
  for (int i = 0; i < 1000; ++i) std::fputs("this is no database\n", file);
  std::fclose(file);
  const auto connection = open_store(path());
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code, ErrorCode::kCorrupt);
}

TEST_F(DatabaseTest, AnotherProgramsDatabaseIsLeftAlone) {
  {
    auto other = Connection::open(path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(other);
    ASSERT_TRUE(other->execute("CREATE TABLE theirs (x INTEGER)"));
  }
  const auto store = open_store(path());
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(open_store(""));
  EXPECT_FALSE(open_store_for_reading(""));
}

TEST_F(DatabaseTest, AReaderCannotWrite) {
  ASSERT_TRUE(open_store(path()));
  auto connection = open_store_for_reading(path());
  ASSERT_TRUE(connection);
  const auto written = connection->execute("DELETE FROM setting");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kReadOnly);
}

TEST_F(DatabaseTest, DataVersionTellsOfOthersCommits) {
  auto writer = open_store(path());
  auto reader = open_store_for_reading(path());
  ASSERT_TRUE(writer && reader);
  const auto before = reader->data_version();
  ASSERT_TRUE(writer->execute("INSERT INTO setting VALUES ('a', 'b')"));
  const auto after = reader->data_version();
  ASSERT_TRUE(before && after);
  EXPECT_NE(*before, *after);
  EXPECT_EQ(*after, *reader->data_version());
}

TEST_F(DatabaseTest, AStoreOfANewerProgramIsRefused) {
  {
    auto connection = open_store(path());
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->execute("PRAGMA user_version = 1000"));
  }
  const auto for_writing = open_store(path());
  ASSERT_FALSE(for_writing);
  EXPECT_EQ(for_writing.error().code, ErrorCode::kVersion);
  const auto for_reading = open_store_for_reading(path());
  ASSERT_FALSE(for_reading);
  EXPECT_EQ(for_reading.error().code, ErrorCode::kVersion);
}

}  // namespace
}  // namespace benchhud::schema
