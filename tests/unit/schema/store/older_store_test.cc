// A store that any older version of the program left is copied beside itself and then has all that
// it had.

#include "tests/unit/schema/older_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>

#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/store/migrate.h"
#include "schema/store/store.h"
#include "schema/store/store_backup.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Row = std::map<std::string, std::string>;  // column to value, in SQL's words

std::vector<Row> rows_of(Connection& connection, const std::string& table) {
  const auto columns = texts_of(connection, "SELECT name FROM pragma_table_info('" + table + "')");
  std::string list;
  for (const std::string& column : columns) {
    list += fmt::format("{}quote({})", list.empty() ? "" : ", ", column);
  }
  std::vector<Row> rows;
  Statement query = connection.prepare("SELECT " + list + " FROM " + table);
  while (query.step()) {
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row[columns[i]] = query.text(static_cast<int>(i));
    }
    rows.push_back(std::move(row));
  }
  EXPECT_TRUE(query.status());
  return rows;
}

/// Whether all columns that both have are the same.
bool agrees(const Row& before, const Row& after) {
  return std::all_of(before.begin(), before.end(), [&](const auto& value) {
    const auto now = after.find(value.first);
    return now == after.end() || now->second == value.second;
  });
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class OlderStoreTest : public ::testing::Test {
 protected:
  OlderStoreTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OlderStoreTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name = "benchhud.db") const {
    return (folder_ / name).string();
  }
  std::string copy() const { return path() + fmt::format(".before-v{}", schema_version()); }

  void make(int version, const std::string& more = "") const {
    std::ofstream(path(), std::ios::binary) << empty_database_without_checksums();
    auto store = Connection::open(path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(store);
    const auto made = make_older_store(*store, version);
    EXPECT_FALSE(store->has_page_checksums());
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_TRUE(store->execute(more));
  }

  int version_of(const std::string& name) const {
    auto store = Connection::open(name, OpenMode::kReadOnly);
    return store ? *schema_version_of(*store) : -1;
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      // Who only read leaves the log where it is.
      if (!name.ends_with("-wal") && !name.ends_with("-shm")) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) /
                           ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(OlderStoreTest, EveryVersionIsMigratedWithAllThatIsInIt) {
  ASSERT_EQ(migration_scripts().size(), static_cast<std::size_t>(schema_version()));
  ASSERT_GT(schema_version(), 14);
  for (int version = 1; version < schema_version(); ++version) {
    SCOPED_TRACE(fmt::format("version {}", version));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    make(version);
    std::map<std::string, std::vector<Row>> before;
    // Version 3 could name traces, which came with version 4.
    static constexpr const char* kDangling = "PRAGMA foreign_key_check";
    std::vector<std::string> dangling;
    {
      auto old = Connection::open(path(), OpenMode::kReadOnly);
      ASSERT_TRUE(old);
      for (const std::string& table : tables_of(*old)) {
        before[table] = rows_of(*old, table);
        EXPECT_FALSE(before[table].empty()) << table;
      }
      dangling = texts_of(*old, kDangling);
    }
    auto store = open_store(path());
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(*schema_version_of(*store), schema_version());
    EXPECT_TRUE(store->has_page_checksums());
    EXPECT_THAT(*damage_of(*store, Examination::kContent), IsEmpty());
    EXPECT_EQ(texts_of(*store, kDangling), dangling);
    for (const auto& [table, rows] : before) {
      // Its arrays stand in the line from version 2 on; migrate_test.cc holds them against it.
      if (version == 1 && table == "measurement") continue;
      const auto after = rows_of(*store, table);
      for (const Row& row : rows) {
        EXPECT_TRUE(std::any_of(after.begin(), after.end(),
                                [&](const Row& now) { return agrees(row, now); }))
            << table << " lost a row";
      }
    }
    const auto results = Reader(*store).results(RunId(1));
    ASSERT_TRUE(results);
    ASSERT_EQ(results->size(), 2u);
    EXPECT_EQ((*results)[0].total_time, (std::vector<double>{1, 2}));
    const auto lines = audit(*store, 1);
    ASSERT_TRUE(lines && lines->size() == 1);
    EXPECT_EQ(lines->front().action, "migrate");
    EXPECT_EQ(lines->front().detail, fmt::format("from schema {} to {}; as it was: {}", version,
                                                 schema_version(), copy()));

    auto kept = Connection::open(copy(), OpenMode::kReadOnly);
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(*schema_version_of(*kept), version);
    EXPECT_THAT(*damage_of(*kept, Examination::kContent), IsEmpty());
    for (const auto& [table, rows] : before) EXPECT_EQ(rows_of(*kept, table), rows) << table;
  }
}

TEST_F(OlderStoreTest, OneThatIsUpToDateOrNewIsNotCopied) {
  ASSERT_TRUE(open_store(path()));
  ASSERT_TRUE(open_store(path()));
  EXPECT_EQ(files(), std::vector<std::string>{"benchhud.db"});
}

TEST_F(OlderStoreTest, ACopyThatIsThereStays) {
  make(9);
  const std::string first = bytes_of(path());
  ASSERT_TRUE(open_store(path()));
  const std::string kept = bytes_of(copy());
  // The same store put back: its copy is there already.
  fs::remove(path());
  fs::copy_file(copy(), path());
  ASSERT_TRUE(open_store(path()));
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(bytes_of(copy()), kept);
  // Another one: both copies are.
  fs::remove(path());
  make(9, "INSERT INTO setting VALUES ('more', '1')");
  ASSERT_TRUE(open_store(path()));
  EXPECT_EQ(bytes_of(copy()), kept);
  EXPECT_EQ(version_of(copy() + "-2"), 9);
  EXPECT_NE(bytes_of(copy() + "-2"), kept);
  // And what is no store at all.
  fs::remove(path());
  fs::remove(copy() + "-2");
  fs::remove(copy());
  std::ofstream(copy()) << "a note";
  make(9);
  ASSERT_TRUE(open_store(path()));
  EXPECT_EQ(bytes_of(copy()), "a note");
  EXPECT_EQ(version_of(copy() + "-2"), 9);
}

TEST_F(OlderStoreTest, WhatTheStoreHidesItsCopyHides) {
  make(9);
  ASSERT_EQ(chmod(path().c_str(), 0640), 0);
  ASSERT_TRUE(open_store(path()));
  struct stat status{};
  ASSERT_EQ(stat(copy().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OlderStoreTest, TheCopyLiesBesideTheFileThatALinkNames) {
  make(9);
  fs::create_directory(path("links"));
  fs::create_symlink(path(), path("links/store.db"));
  ASSERT_TRUE(open_store(path("links/store.db")));
  EXPECT_EQ(version_of(copy()), 9);
}

TEST_F(OlderStoreTest, WhereNoCopyCanBeMadeTheStoreStaysAsItIs) {
  make(9, "INSERT INTO setting VALUES ('large', hex(zeroblob(400000)))");
  const std::string before = bytes_of(path());
  // A file that may not grow stands for a disk that is full: SQLite sees a failed write.
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{500'000, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto store = open_store(path());
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("the store stays as it is, of schema version 9"));
  EXPECT_THAT(store.error().message, HasSubstr(copy()));
  EXPECT_EQ(version_of(path()), 9);
  EXPECT_EQ(bytes_of(path()), before);
  EXPECT_EQ(files(), std::vector<std::string>{"benchhud.db"}) << "nothing is left of the copy";
  ASSERT_TRUE(open_store(path())) << "with room it goes on";
}

TEST_F(OlderStoreTest, AMigrationThatFailsLeavesTheStoreAndNoCopy) {
  // In the way of what the migrations make.
  make(9, "CREATE TABLE trace_note (x INTEGER)");
  const auto store = open_store(path());
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("trace_note"));
  EXPECT_EQ(version_of(path()), 9);
  EXPECT_EQ(files(), std::vector<std::string>{"benchhud.db"});
}

TEST_F(OlderStoreTest, ADamagedStoreIsNotMigrated) {
  make(9, "INSERT INTO setting VALUES ('large', hex(zeroblob(400000)))");
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 1; page < 60; page += 2) {
      file.seekp(-page * 4096, std::ios::end);
      file.write("damage damage damage", 20);
    }
  }
  const auto store = open_store(path());
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(version_of(path()), 9);
}

TEST_F(OlderStoreTest, ARestoredCopyIsMigratedWithoutACopyOfTheCopy) {
  make(9);
  const auto restored = restore_store(path(), path("new.db"), {});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->copy.version, schema_version());
  EXPECT_EQ(version_of(path()), 9);
  EXPECT_EQ(files(), (std::vector<std::string>{"benchhud.db", "new.db"}));
}

}  // namespace
}  // namespace benchhud::schema
