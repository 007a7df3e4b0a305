#include "schema/db/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "schema/store/migrate.h"
#include "schema/store/store.h"

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
  Statement statement = connection->cached(kSql);
  {
    auto transaction = Transaction::begin(*connection, Transaction::Kind::kWrite);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(statement.step());
    ASSERT_TRUE(transaction->commit());
  }
  // Somebody else writes in between; who still read the old store could not write now.
  auto other = Connection::open(path(), OpenMode::kReadWrite);
  ASSERT_TRUE(other && other->execute("INSERT INTO t VALUES (3)"));
  EXPECT_TRUE(Transaction::begin(*connection, Transaction::Kind::kWrite));
}

TEST_F(DatabaseTest, CachedStatementIsResetAtTheEndOfItsScope) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  ASSERT_TRUE(connection->execute("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1), (2)"));
  static constexpr std::string_view kSql = "SELECT x FROM t WHERE x >= coalesce($1, 1)";
  const auto left_early = [&] {
    Statement statement = connection->cached(kSql);
    return statement.bind(1, 2).step();
  };
  EXPECT_TRUE(left_early());
  auto other = Connection::open(path(), OpenMode::kReadWrite);
  ASSERT_TRUE(other && other->execute("INSERT INTO t VALUES (3)"));
  // A row still being read would make a change after another connection's commit fail.
  EXPECT_TRUE(connection->execute("INSERT INTO t VALUES (4)"));
  // Nothing is bound any more.
  Statement again = connection->cached(kSql);
  ASSERT_TRUE(again.step());
  EXPECT_EQ(again.integer(0), 1);
}

TEST_F(DatabaseTest, CachedStatementMayBeUsedWhileItIsInUse) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  ASSERT_TRUE(connection->execute("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1), (2)"));
  static constexpr std::string_view kSql = "SELECT x FROM t ORDER BY x";
  int pairs = 0;
  for (Statement outer = connection->cached(kSql); outer.step();) {
    for (Statement inner = connection->cached(kSql); inner.step();) ++pairs;
  }
  EXPECT_EQ(pairs, 4);
}

TEST_F(DatabaseTest, FailureToPrepareIsNotCached) {
  auto writer = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->execute("PRAGMA journal_mode = DELETE; CREATE TABLE t (x INTEGER);"));
  auto reader = Connection::open(path(), OpenMode::kReadOnly);
  ASSERT_TRUE(reader);
  reader->set_patience(std::chrono::milliseconds(0));
  static constexpr std::string_view kSql = "SELECT x FROM t";
  // To prepare the statement the schema is read, which waits for whoever has the file to itself.
  ASSERT_TRUE(writer->execute("BEGIN EXCLUSIVE"));
  const auto failed = reader->cached(kSql).run();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(reader->is_sound());
  ASSERT_TRUE(writer->execute("COMMIT"));
  EXPECT_TRUE(reader->cached(kSql).run());
}

TEST_F(DatabaseTest, WhoWaitsForALockHasItSoonAfterItIsFree) {
  using Clock = std::chrono::steady_clock;
  auto holder = Connection::open(path(), OpenMode::kReadWriteCreate);
  auto waiting = Connection::open(path(), OpenMode::kReadWrite);
  ASSERT_TRUE(holder && waiting);
  // SQLite's own wait would try again 88 ms after it is free. The least of several, since a busy
  // machine delays any of them.
  Clock::duration least = std::chrono::minutes(1);
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(holder->execute("BEGIN IMMEDIATE"));
    Clock::time_point freed;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(240));
      freed = Clock::now();
      EXPECT_TRUE(holder->execute("COMMIT"));
    });
    const auto taken = Transaction::begin(*waiting, Transaction::Kind::kWrite);
    const Clock::time_point had = Clock::now();
    other.join();
    ASSERT_TRUE(taken);
    least = std::min(least, had - freed);
  }
  EXPECT_LT(least, std::chrono::milliseconds(60));
}

TEST_F(DatabaseTest, ConnectionThatMetAFaultOfTheFileIsNotSound) {
  auto connection = Connection::open(path(), OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  EXPECT_FALSE(connection->execute("SELECT nonsense FROM nowhere"));
  EXPECT_TRUE(connection->is_sound());
  ASSERT_TRUE(connection->execute("BEGIN"));
  EXPECT_FALSE(connection->is_sound());
  ASSERT_TRUE(connection->execute("ROLLBACK"));
  EXPECT_TRUE(connection->is_sound());
  EXPECT_FALSE(connection->execute("ATTACH '/no/such/folder/file.db' AS other"));
  EXPECT_FALSE(connection->is_sound());
}

TEST_F(DatabaseTest, OpeningForWritingNeitherMakesNorMigratesAStore) {
  constexpr std::chrono::milliseconds kPatience{10};
  const auto missing = open_store_for_writing(path("missing.db"), kPatience);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  {
    auto store = open_store(path());
    ASSERT_TRUE(store);
    ASSERT_TRUE(open_store_for_writing(path(), kPatience));
    ASSERT_TRUE(store->execute("PRAGMA user_version = 1"));
  }
  const auto older = open_store_for_writing(path(), kPatience);
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, ErrorCode::kVersion);
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

TEST_F(DatabaseTest, AScratchDatabaseLeavesNoFileAndIsOfItsConnectionAlone) {
  const std::filesystem::path folder = folder_ / "scratch";
  std::filesystem::create_directories(folder);
  auto scratch = Connection::open_scratch((folder / "store.db").string());
  ASSERT_TRUE(scratch) << scratch.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  // More than it keeps in memory.
  ASSERT_TRUE(scratch->execute(
      "CREATE TABLE t (bytes BLOB); BEGIN; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + "
      "1 "
      "FROM n WHERE i < 100) INSERT INTO t SELECT zeroblob(100000) FROM n; COMMIT;"));
  Statement size = scratch->prepare("SELECT sum(length(bytes)) FROM t");
  ASSERT_TRUE(size.step());
  EXPECT_EQ(size.integer(0), 10'000'000);
  EXPECT_TRUE(std::filesystem::is_empty(folder));

  const auto none = Connection::open_scratch((folder / "none" / "store.db").string());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kIo);
  EXPECT_THAT(none.error().message, testing::HasSubstr("beside store.db: No such file"));
  // What happens to it is said of it, and not of a file that nobody finds.
  const auto full =
      scratch->execute("PRAGMA max_page_count = 10; CREATE TABLE u AS SELECT * FROM t");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kFull);
  EXPECT_THAT(full.error().message,
              testing::HasSubstr("the temporary file beside store.db: no space"));
}

TEST_F(DatabaseTest, AColumnIsBoundWhateverItIs) {
  auto scratch = Connection::open_scratch("");
  ASSERT_TRUE(scratch) << scratch.error().message;
  Statement row = scratch->prepare("SELECT 7, 1.5, 'text', x'0001', NULL");
  ASSERT_TRUE(row.step());
  std::string types;
  for (int i = 0; i < 5; ++i) {
    Statement type = scratch->prepare("SELECT typeof($1) || quote($1)");
    type.bind_column(1, row, i);
    ASSERT_TRUE(type.step());
    types += std::string(type.text(0)) + " ";
  }
  EXPECT_EQ(types, "integer7 real1.5 text'text' blobX'0001' nullNULL ");
}

}  // namespace
}  // namespace benchhud::schema
