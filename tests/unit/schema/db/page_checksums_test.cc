// What is damaged in a store's file is never taken for what was written.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "schema/db/database.h"
#include "schema/store/migrate.h"
#include "schema/store/store.h"
#include "schema/store/store_backup.h"
#include "schema/store/store_health.h"
#include "tests/unit/schema/older_store.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kPage = 4096;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PageChecksums : public testing::Test {
 protected:
  /// A store of a few hundred pages: rows, an index, and values longer than a page.
  PageChecksums() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    auto store = open_store(path("store"));
    EXPECT_TRUE(store) << store.error().message;
    EXPECT_TRUE(
        store->execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, content BLOB);"
                       "CREATE INDEX thing_name ON thing (name);"));
    fill(*store, 200);
  }
  ~PageChecksums() override { fs::remove_all(folder_); }

  static void fill(Connection& store, int rows) {
    Statement insert = store.prepare("INSERT INTO thing (name, content) VALUES ($1, $2)");
    for (int i = 0; i < rows; ++i) {
      const std::string content(static_cast<std::size_t>(i % 10 == 0 ? 9000 : 300),
                                static_cast<char>('a' + i % 26));
      EXPECT_TRUE(insert.bind(1, std::to_string(i)).bind(2, content).run());
    }
  }

  std::string path(const std::string& name) const { return (folder_ / (name + ".db")).string(); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  /// All that is in the table, read by the table and by its index.
  static Expected<std::string> content(const std::string& file) {
    BENCHHUD_ASSIGN(Connection store, Connection::open(file, OpenMode::kReadOnly));
    std::string all;
    for (const char* sql : {"SELECT name, content FROM thing ORDER BY id",
                            "SELECT name, name FROM thing INDEXED BY thing_name ORDER BY name"}) {
      Statement query = store.prepare(sql);
      while (query.step()) {
        all += query.text(0);
        all += query.blob(1);
      }
      BENCHHUD_TRY(query.status());
    }
    return all;
  }

  std::string checksums_said(const std::string& file) const {
    for (const HealthCheck& check : examine_store(file, {})) {
      if (check.name == "checksums") return check.words;
    }
    return "nothing";
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(PageChecksums, NoDamagedPageIsReadAsIfItWereWhole) {
  const std::string whole = bytes_of(path("store"));
  const std::string said = *content(path("store"));
  ASSERT_GT(whole.size(), 100 * kPage);
  const std::vector<std::function<void(std::string*, std::size_t)>> damages = {
      [](std::string* bytes, std::size_t at) { bytes->at(at + kPage / 2) ^= 1; },
      [](std::string* bytes, std::size_t at) { bytes->at(at + kPage - 1) ^= 0x40; },
      [](std::string* bytes, std::size_t at) {
        bytes->replace(at, kPage, bytes->substr(at == kPage ? 2 * kPage : kPage, kPage));
      },
      [](std::string* bytes, std::size_t at) { bytes->replace(at + 512, 512, 512, '\0'); },
  };
  std::size_t found = 0;
  for (std::size_t page = 2; page < whole.size() / kPage; page += 3) {
    std::string bytes = whole;
    damages[page % damages.size()](&bytes, page * kPage);
    if (bytes == whole) continue;
    write("damaged", bytes);
    const auto read = content(path("damaged"));
    if (read) {
      // Another table's page.
      EXPECT_EQ(*read, said) << page;
    } else {
      ++found;
      EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << read.error().message;
      EXPECT_THAT(read.error().message,
                  HasSubstr(fmt::format("page {} is not what was written", page + 1)));
    }
    auto store = Connection::open(path("damaged"), OpenMode::kReadOnly);
    if (!store) {
      EXPECT_EQ(store.error().code, ErrorCode::kCorrupt);  // what tells of all tables
      continue;
    }
    EXPECT_THAT(damage_of(*store, Examination::kStructure)->front(),
                AnyOf(HasSubstr(fmt::format("age {}: it is not what was written", page + 1)),
                      HasSubstr(fmt::format("failed to get page {}", page + 1))));
  }
  EXPECT_GT(found, 20U);
}

TEST_F(PageChecksums, TheFirstPageIsCheckedAsWell) {
  std::string bytes = bytes_of(path("store"));
  bytes[1000] ^= 1;
  write("damaged", bytes);
  const auto store = Connection::open(path("damaged"), OpenMode::kReadOnly);
  ASSERT_FALSE(store && store->has_page_checksums() && content(path("damaged")));
  EXPECT_EQ(content(path("damaged")).error().code, ErrorCode::kCorrupt);
}

TEST_F(PageChecksums, CopiesHaveThemWithWhatIsInTheLog) {
  auto store = Connection::open(path("store"), OpenMode::kReadWrite);
  ASSERT_TRUE(store);
  fill(*store, 50);  // in the log
  ASSERT_TRUE(store->copy_to(path("copy")));
  EXPECT_EQ(*content(path("copy")), *content(path("store")));
  EXPECT_THAT(checksums_said(path("copy")), HasSubstr("of all"));
  std::string bytes = bytes_of(path("copy"));
  bytes[bytes.size() - kPage + 100] ^= 1;
  write("damaged", bytes);
  auto damaged = Connection::open(path("damaged"), OpenMode::kReadOnly);
  EXPECT_THAT(*damage_of(*damaged, Examination::kStructure), testing::Not(IsEmpty()));
  EXPECT_EQ(damaged->copy_to(path("again")).error().code, ErrorCode::kCorrupt);
}

TEST_F(PageChecksums, PagesThatAnotherProgramWroteAreReadAndCounted) {
  const std::string whole = *content(path("store"));
  std::string bytes = bytes_of(path("store"));
  for (const std::size_t page : {5U, 6U, 7U}) bytes.replace((page + 1) * kPage - 8, 8, 8, '\0');
  write("foreign", bytes);
  EXPECT_EQ(*content(path("foreign")), whole);
  EXPECT_THAT(checksums_said(path("foreign")), HasSubstr("3 of "));
  ASSERT_TRUE(copy_store(path("foreign"), path("copy")));
  EXPECT_EQ(*content(path("copy")), whole);
  EXPECT_THAT(checksums_said(path("copy")), HasSubstr("of all"));
}

TEST_F(PageChecksums, ZerosAreNoAlarm) {
  auto store = Connection::open(path("store"), OpenMode::kReadWrite);
  ASSERT_TRUE(store);
  const std::string zeros(9000, '\0');
  ASSERT_TRUE(store->prepare("INSERT INTO thing (name, content) VALUES ('0', $1)")
                  .bind_blob(1, zeros)
                  .run());
  EXPECT_THAT(*damage_of(*store, Examination::kContent), IsEmpty());
  ASSERT_TRUE(store->execute("DELETE FROM thing WHERE id > 150; PRAGMA wal_checkpoint(TRUNCATE)"));
  store = Connection::open(path("store"), OpenMode::kReadOnly);
  EXPECT_THAT(*damage_of(*store, Examination::kContent), IsEmpty());
  ASSERT_TRUE(copy_store(path("store"), path("copy")));
  EXPECT_EQ(*content(path("copy")), *content(path("store")));
}

TEST_F(PageChecksums, PagesThatWereLostToZerosAreCounted) {
  std::string bytes = bytes_of(path("store"));
  bytes.replace(bytes.size() - kPage, kPage, kPage, '\0');
  write("damaged", bytes);
  EXPECT_THAT(checksums_said(path("damaged")), HasSubstr("1 pages that are not free hold nothing"));
}

TEST_F(PageChecksums, PagesThatWereLostToZerosAreToldApartFromFreeOnes) {
  auto store = Connection::open(path("store"), OpenMode::kReadWrite);
  ASSERT_TRUE(store);
  ASSERT_TRUE(
      store->execute("DELETE FROM thing WHERE id BETWEEN 100 AND 150;"
                     "PRAGMA wal_checkpoint(TRUNCATE)"));
  Statement query = store->prepare("PRAGMA freelist_count");
  ASSERT_TRUE(query.step());
  const std::int64_t free = query.integer(0);
  ASSERT_GT(free, 2);
  const std::string bytes = bytes_of(path("store"));
  const std::string whole = *content(path("store"));
  std::int64_t unnoticed = 0;
  for (std::size_t at = kPage; at < bytes.size(); at += kPage) {
    std::string damaged = bytes;
    damaged.replace(at, kPage, kPage, '\0');
    write("damaged", damaged);
    auto found = Connection::open(path("damaged"), OpenMode::kReadOnly);
    const bool is_whole = found && damage_of(*found, Examination::kContent)->empty();
    if (!is_whole || checksums_said(path("damaged")).find("are not free") != std::string::npos) {
      continue;
    }
    ++unnoticed;
    EXPECT_EQ(*content(path("damaged")), whole) << "page " << at / kPage + 1;
  }
  EXPECT_GT(unnoticed, 0) << "free pages hold nothing that could be lost";
  EXPECT_LE(unnoticed, free);
}

TEST_F(PageChecksums, WhatOtherProgramsWriteIntoACopysHeadIsNoDamage) {
  // How the file is written, its change counter and the schema's, its length, and by which SQLite.
  std::string bytes = bytes_of(path("store"));
  for (const std::size_t at : {18U, 19U}) bytes[at] = 1;
  for (const std::size_t at : {27U, 43U, 95U}) bytes[at] ^= 5;
  write("copied", bytes);
  EXPECT_EQ(*content(path("copied")), *content(path("store")));
  bytes[47] ^= 1;  // the format of the schema
  write("copied", bytes);
  EXPECT_EQ(content(path("copied")).error().code, ErrorCode::kCorrupt);
}

TEST_F(PageChecksums, TheByteThatSaysThatThereAreSomeIsCheckedAsWell) {
  std::string bytes = bytes_of(path("store"));
  bytes[20] = 0;
  write("damaged", bytes);
  const auto read = content(path("damaged"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
}

/// Where the head of a file has the version of SQLite that writes it.
constexpr std::size_t kWriteVersionAt = 18;

TEST_F(PageChecksums, OtherProgramsAreNotLetWrite) {
  ASSERT_TRUE(copy_store(path("store"), path("copy")));
  for (const char* name : {"store", "copy"}) {
    EXPECT_EQ(bytes_of(path(name))[kWriteVersionAt], 3) << name;
    EXPECT_LE(bytes_of(path(name))[kWriteVersionAt + 1], 2) << name;
  }
  // A file that they may write to is closed to them by the next change.
  std::string bytes = bytes_of(path("store"));
  bytes[kWriteVersionAt] = 2;
  write("older", bytes);
  {
    auto older = Connection::open(path("older"), OpenMode::kReadWrite);
    ASSERT_TRUE(older && older->execute("CREATE TABLE another (x)"));
  }
  EXPECT_EQ(bytes_of(path("older"))[kWriteVersionAt], 3);
}

TEST_F(PageChecksums, PagesOfAnotherProgramAreToldApartFromDamageAndAccepted) {
  // A text of the last row, changed without its checksum.
  std::string bytes = bytes_of(path("store"));
  const std::size_t at = bytes.rfind(std::string(300, static_cast<char>('a' + 199 % 26)));
  ASSERT_NE(at, bytes.npos);
  bytes[at] = '!';
  const auto integrity = [&](const char* name) {
    for (const HealthCheck& check : examine_store(path(name), {})) {
      if (check.name == "integrity") return check;
    }
    return HealthCheck();
  };
  write("damaged", bytes);
  EXPECT_THAT(content(path("damaged")).error().message, HasSubstr("is damaged"));
  EXPECT_EQ(integrity("damaged").level, HealthLevel::kBad);
  EXPECT_THAT(integrity("damaged").words, testing::Not(HasSubstr("--accept-pages")));

  bytes[kWriteVersionAt] = 2;
  write("changed", bytes);
  EXPECT_THAT(content(path("changed")).error().message, HasSubstr("another program"));
  EXPECT_EQ(integrity("changed").level, HealthLevel::kBad);
  EXPECT_THAT(integrity("changed").words, HasSubstr("--accept-pages"));
  EXPECT_EQ(restore_store(path("changed"), path("changed"), {.replaces = true}).error().code,
            ErrorCode::kCorrupt);
  const auto restored =
      restore_store(path("changed"), path("changed"), {.replaces = true, .accepts_pages = true});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(bytes_of(restored->set_aside).substr(kPage), bytes.substr(kPage));
  EXPECT_EQ(integrity("changed").level, HealthLevel::kGood);
  EXPECT_THAT(*content(path("changed")), HasSubstr("!"));

  // What is out of order is not accepted.
  bytes.replace(at - at % kPage, 100, 100, '\xa5');
  write("broken", bytes);
  EXPECT_THAT(integrity("broken").words, testing::Not(HasSubstr("--accept-pages")));
  EXPECT_FALSE(
      restore_store(path("broken"), path("broken"), {.replaces = true, .accepts_pages = true}));
  EXPECT_EQ(bytes_of(path("broken")), bytes);
}

TEST_F(PageChecksums, AFreePageThatWasChangedIsAWarning) {
  ASSERT_TRUE(copy_store(path("store"), path("freed")));
  {
    auto freed = Connection::open(path("freed"), OpenMode::kReadWrite);
    ASSERT_TRUE(freed && freed->execute("CREATE TABLE filler (x)") &&
                freed->execute("INSERT INTO filler VALUES (zeroblob(100000))") &&
                freed->execute("DROP TABLE filler"));
  }
  std::string bytes = bytes_of(path("freed"));
  // The first page that the first page of the list names, after the list's next page and its
  // length.
  const auto number_at = [&](std::size_t at) {
    std::size_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      number = number << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return number;
  };
  const std::size_t list = number_at(32);
  ASSERT_GT(list, 0U);
  const std::size_t free = number_at((list - 1) * kPage + 8);
  ASSERT_GT(free, 0U);
  bytes[(free - 1) * kPage + 100] ^= 1;
  write("freed", bytes);
  for (const HealthCheck& check : examine_store(path("freed"), {})) {
    if (check.name == "integrity") {
      EXPECT_EQ(check.level, HealthLevel::kGood) << check.words;
    }
    if (check.name != "checksums") continue;
    EXPECT_EQ(check.level, HealthLevel::kWarning);
    EXPECT_THAT(check.words, testing::StartsWith("1 of "));
    EXPECT_THAT(check.words, HasSubstr("They are free"));
  }
}

TEST_F(PageChecksums, WhatIsBehindTheEndOfAFileThatWasCutIsDamage) {
  // The log knows how long the file should be.
  auto store = Connection::open(path("store"), OpenMode::kReadWrite);
  ASSERT_TRUE(store);
  const auto size = fs::file_size(path("store"));
  ASSERT_TRUE(store->execute("UPDATE thing SET name = 'x' WHERE id = 1"));
  fs::resize_file(path("store"), size - 2 * kPage);
  const auto read = content(path("store"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
}

TEST_F(PageChecksums, OneThatIsReadWhileItGetsThemHasThemInItsLog) {
  std::ofstream(path("older"), std::ios::binary) << empty_database_without_checksums();
  auto older = Connection::open(path("older"), OpenMode::kReadWrite);
  ASSERT_TRUE(older && make_older_store(*older, schema_version() - 1));
  auto reader = Connection::open(path("older"), OpenMode::kReadOnly);
  ASSERT_TRUE(reader);
  {
    const auto reading = Transaction::begin(*reader, Transaction::Kind::kRead);
    ASSERT_TRUE(reading && *schema_version_of(*reader) < schema_version());
    ASSERT_TRUE(older->execute("VACUUM"));
    // The file is as it was, so long as somebody reads it. It is not to be written anew again.
    EXPECT_TRUE(Connection::open(path("older"), OpenMode::kReadWrite)->has_page_checksums());
    EXPECT_FALSE(Connection::open(path("older"), OpenMode::kReadOnly)->has_page_checksums());
  }
  ASSERT_TRUE(older->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  EXPECT_TRUE(Connection::open(path("older"), OpenMode::kReadOnly)->has_page_checksums());
  EXPECT_THAT(*damage_of(*reader, Examination::kContent), IsEmpty());
}

TEST_F(PageChecksums, WhatIsWrittenAndWrittenOverKeepsFitting) {
  {
    auto store = Connection::open(path("store"), OpenMode::kReadWrite);
    ASSERT_TRUE(store);
    ASSERT_TRUE(store->has_page_checksums());
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(store->execute("DELETE FROM thing WHERE id % 3 = " + std::to_string(i % 3)));
      fill(*store, 100);
      ASSERT_TRUE(store->execute("UPDATE thing SET name = name || 'x' WHERE id % 7 = 1"));
      if (i % 2 == 0) {
        ASSERT_TRUE(store->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
      }
      EXPECT_THAT(*damage_of(*store, Examination::kContent), IsEmpty());
    }
    // Without a log, and back: pages go into the file by another way.
    ASSERT_TRUE(store->execute("PRAGMA journal_mode = DELETE"));
    fill(*store, 100);
    ASSERT_TRUE(store->execute("BEGIN; DELETE FROM thing; ROLLBACK; VACUUM"));
  }
  auto store = Connection::open(path("store"), OpenMode::kReadOnly);
  EXPECT_THAT(*damage_of(*store, Examination::kContent), IsEmpty());
  EXPECT_THAT(checksums_said(path("store")), HasSubstr("of all"));
}

}  // namespace
}  // namespace benchhud::schema
