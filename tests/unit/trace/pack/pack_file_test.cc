// A pack holds all of a trace, is the same bytes wherever it is made, and believes nothing.

#include "trace/pack/pack_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "schema/db/rows.h"
#include "schema/db/text_store.h"
#include "tests/unit/schema/older_store.h"
#include "tests/unit/trace/pack/hostile_pack.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/pack/trace_copy.h"
#include "trace/pack/trace_pack.h"
#include "trace/trace_device.h"
#include "trace/trace_store.h"

namespace benchhud::trace {
namespace {

namespace fs = std::filesystem;

using schema::Connection;
using schema::ErrorCode;
using schema::Statement;
using schema::TraceId;
using testing::ElementsAreArray;
using testing::HasSubstr;

std::vector<std::string> texts(Connection& connection, const std::string& sql) {
  Statement query = connection.prepare(sql);
  const auto rows =
      schema::collect(query, [](const Statement& row) { return std::string(row.text(0)); });
  EXPECT_TRUE(rows) << rows.error().message;
  return rows ? *rows : std::vector<std::string>();
}

TraceHlo put_modules(Connection& connection, const std::vector<std::string>& names) {
  TraceHlo hlo;
  hlo.llo_bytes = 77;
  hlo.left_out = 2;
  for (const std::string& name : names) {
    schema::TextWriter writer(connection);
    const auto text = writer.put(schema::pack_text("HloModule " + name));
    EXPECT_TRUE(text);
    const auto id = put_hlo_module(connection, name, *text);
    EXPECT_TRUE(id);
    hlo.modules.push_back({*id, -5});
  }
  return hlo;
}

TraceId put_with_all(Connection& connection, const Trace& trace) {
  const TraceId id = put(connection, trace);
  const std::vector<BusySpan> spans = {{3, 50}, {60, 90}};
  EXPECT_TRUE(put_trace_devices(connection, id,
                                std::vector<PackedDevice>{{TraceDevice(), pack_busy(spans)}}));
  EXPECT_TRUE(put_trace_hlo(connection, id, put_modules(connection, {"b", "a"})));
  return id;
}

class PackFile : public testing::Test {
 protected:
  void SetUp() override {
    // Characters that an address would take for something else.
    folder_ = fs::path(testing::TempDir()) / fmt::format("packs {} 100% ?#", getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  PackFacts write_or_fail(Connection& from, TraceId trace, const fs::path& file) {
    const auto facts = write_pack(from, trace, file);
    EXPECT_TRUE(facts) << facts.error().message;
    return facts ? *facts : PackFacts();
  }
  fs::path a_pack(std::size_t size = 2000) {
    Connection store = trace_store();
    const fs::path file = folder_ / "a.pack";
    write_or_fail(store, put_with_all(store, any_trace(1, size)), file);
    return file;
  }
  // The same pack, changed by SQL, as whoever means harm may do.
  void change(const fs::path& file, const std::string& script) {
    auto pack = Connection::create_unchanging(file.string(), 1024);
    ASSERT_TRUE(pack) << pack.error().message;
    const auto changed = pack->execute(script);
    ASSERT_TRUE(changed) << changed.error().message;
  }
  // With a head as a pack has it, but for what the other one says of itself.
  void make_head_right(const fs::path& file, const std::string& like) {
    std::string bytes = bytes_of_file(file);
    const auto pages = bytes.size() / 1024;
    bytes.replace(0, 100, like, 0, 100);
    for (int i = 0; i < 4; ++i) bytes[28 + i] = static_cast<char>(pages >> 8 * (3 - i));
    write_file(file, bytes);
  }
  std::string refusal(const fs::path& file, ErrorCode code) {
    const auto pack = open_pack(file);
    EXPECT_FALSE(pack);
    if (pack) return "";
    EXPECT_EQ(pack.error().code, code) << pack.error().message;
    return pack.error().message;
  }

  fs::path folder_;
};

TEST_F(PackFile, HoldsAllOfATrace) {
  const Trace trace = any_trace(1, 60'000);
  Connection store = trace_store();
  put(store, any_trace(2, 10), nullptr, "what was there before");
  put_modules(store, {"other", "a"});
  const TraceId id = put_with_all(store, trace);
  const fs::path file = folder_ / "a.pack";
  const PackFacts facts = write_or_fail(store, id, file);
  EXPECT_EQ(facts.byte_count, fs::file_size(file));
  EXPECT_EQ(facts.hash, schema::content_hash(bytes_of_file(file)));
  EXPECT_TRUE(check_pack(file)) << check_pack(file).error().message;

  auto pack = open_pack(file);
  ASSERT_TRUE(pack) << pack.error().message;
  const auto read = read_trace(*pack, kPackedTrace);
  ASSERT_TRUE(read) << read.error().message;
  expect_same(trace, *read);
  for (const std::string_view part : kPartsOfATrace) {
    const std::string table(part);
    std::string row = "''";
    for (const std::string& column :
         texts(*pack, "SELECT name FROM pragma_table_info('" + table +
                          "') WHERE name NOT IN ('id', 'trace_id') ORDER BY cid")) {
      row += " || quote(" + column + ") || ','";
    }
    const auto rows = [&](Connection& of, TraceId trace_id) {
      return texts(of, fmt::format("SELECT {} FROM {} WHERE trace_id = {} ORDER BY 1", row, table,
                                   schema::to_int(trace_id)));
    };
    EXPECT_THAT(rows(*pack, kPackedTrace), ElementsAreArray(rows(store, id))) << table;
  }
  const auto hlo = trace_hlo(*pack, kPackedTrace);
  ASSERT_TRUE(hlo && *hlo);
  EXPECT_EQ((*hlo)->llo_bytes, 77);
  EXPECT_EQ((*hlo)->left_out, 2);
  ASSERT_EQ((*hlo)->modules.size(), 2);
  const auto module = hlo_module(*pack, (*hlo)->modules[1].module);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->name, "a");
  EXPECT_EQ((*hlo)->modules[1].program_id, -5);
}

TEST_F(PackFile, TheSameTraceIsTheSameBytes) {
  const Trace trace = any_trace(1, 20'000);
  Connection one = trace_store(), other = trace_store();
  put(other, any_trace(2, 10), nullptr, "what was there before");
  put_modules(other, {"a", "z"});
  const PackFacts a = write_or_fail(one, put_with_all(one, trace), folder_ / "a.pack");
  const PackFacts b = write_or_fail(other, put_with_all(other, trace), folder_ / "b.pack");
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(bytes_of_file(folder_ / "a.pack"), bytes_of_file(folder_ / "b.pack"));

  // And that of what has not been in a store yet.
  auto scratch = TracePack::make(one);
  ASSERT_TRUE(scratch) << scratch.error().message;
  const TraceId id = put(scratch->database(), trace);
  const std::vector<BusySpan> spans = {{3, 50}, {60, 90}};
  EXPECT_TRUE(put_trace_devices(scratch->database(), id,
                                std::vector<PackedDevice>{{TraceDevice(), pack_busy(spans)}}));
  const TraceHlo hlo = put_modules(scratch->database(), {"b", "a"});
  const auto c = write_pack(scratch->database(), id, hlo, folder_ / "c.pack");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(a.hash, c->hash);
}

TEST_F(PackFile, ReplacesNothingAndLeavesNothingBehind) {
  Connection store = trace_store();
  const TraceId id = put_with_all(store, any_trace(1, 100));
  const fs::path file = folder_ / "a.pack";
  write_file(file, "mine");
  const auto taken = write_pack(store, id, file);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kConflict);
  EXPECT_EQ(bytes_of_file(file), "mine");
  const auto unknown = write_pack(store, TraceId(99), folder_ / "b.pack");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("a.pack", HasSubstr("-lock")));
  }
}

TEST_F(PackFile, IsForThoseWhoMayReadWhatItIsMadeOf) {
  Connection store = trace_store();
  const TraceId id = put_with_all(store, any_trace(1, 100));
  const fs::path like = folder_ / "trace.json";
  write_file(like, "");
  for (const fs::perms perms : {fs::perms(0600), fs::perms(0660), fs::perms(0644)}) {
    fs::permissions(like, perms);
    fs::remove(folder_ / "a.pack");
    ASSERT_TRUE(write_pack(store, id, folder_ / "a.pack", like.string()));
    EXPECT_EQ(fs::status(folder_ / "a.pack").permissions(), perms);
  }
}

// A thread that goes on changing when a file was changed last.
class Toucher {
 public:
  explicit Toucher(fs::path path)
      : thread_([this, path = std::move(path)](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            std::error_code none;
            fs::last_write_time(path, fs::file_time_type(std::chrono::nanoseconds(++time_)), none);
          }
        }) {}

 private:
  std::int64_t time_ = 1'000'000'000;
  std::jthread thread_;
};

TEST_F(PackFile, OneThatChangesWhileItIsReadIsNeitherWholeNorDamaged) {
  Connection store = trace_store();
  const fs::path file = folder_ / "a.pack";
  ASSERT_TRUE(write_pack(store, put_with_all(store, any_trace(1, 100)), file));
  for (const bool is_damaged : {false, true}) {
    if (is_damaged) {
      std::string bytes = bytes_of_file(file);
      bytes[5000] ^= 1;
      write_file(file, bytes);
      EXPECT_EQ(check_pack(file).error().code, ErrorCode::kCorrupt);
    }
    const Toucher toucher(file);
    std::string message;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (message.empty() && std::chrono::steady_clock::now() < end) {
      const auto checked = check_pack(file);
      if (!checked && checked.error().code == ErrorCode::kIo) message = checked.error().message;
    }
    EXPECT_THAT(message, HasSubstr("a.pack changed while it was read"));
  }
}

TEST_F(PackFile, ItsVersionIsThatOfItsTables) {
  const auto tables_at = [](int version) {
    auto store = Connection::open(":memory:", schema::OpenMode::kReadWriteCreate);
    EXPECT_TRUE(store);
    const auto scripts = schema::migration_scripts();
    for (int i = 0; i < version; ++i) EXPECT_TRUE(store->execute(scripts[i]));
    std::vector<std::string> tables;
    for (const std::string_view table : kTablesOfATrace) {
      for (const std::string& sql : texts(
               *store, fmt::format("SELECT sql FROM sqlite_schema WHERE tbl_name = '{}'", table))) {
        tables.push_back(sql);
      }
    }
    return tables;
  };
  const auto now = tables_at(schema::schema_version());
  // Where this fails, a migration has changed a table of traces: kPackVersion is its number.
  EXPECT_EQ(tables_at(kPackVersion), now);
  EXPECT_NE(tables_at(kPackVersion - 1), now);
}

TEST_F(PackFile, OneOfAnotherVersionIsRefusedByName) {
  const fs::path file = a_pack();
  std::string bytes = bytes_of_file(file);
  bytes[63] = kPackVersion + 1;
  write_file(file, bytes);
  const std::string message = refusal(file, ErrorCode::kVersion);
  EXPECT_THAT(message, HasSubstr(file.string()));
  EXPECT_THAT(message, HasSubstr(fmt::format("version {}, this program reads version {}",
                                             kPackVersion + 1, kPackVersion)));
}

TEST_F(PackFile, WhatIsNoPackIsRefused) {
  refusal(folder_ / "none.pack", ErrorCode::kNotFound);
  EXPECT_FALSE(open_pack(folder_));
  const fs::path file = folder_ / "a.pack";
  for (const std::string& bytes : {std::string(), std::string("{}"), std::string(5000, 'x')}) {
    write_file(file, bytes);
    refusal(file, ErrorCode::kInvalidArgument);
  }
  fs::remove(file);
  {
    auto store = Connection::open(file.string(), schema::OpenMode::kReadWriteCreate);
    ASSERT_TRUE(store && migrate(*store));
  }
  EXPECT_THAT(refusal(file, ErrorCode::kInvalidArgument), HasSubstr("is no pack"));
}

TEST_F(PackFile, CutShortOrLongerIsRefused) {
  const fs::path file = a_pack();
  const std::string bytes = bytes_of_file(file);
  for (const std::size_t size :
       {std::size_t{100}, std::size_t{1024}, bytes.size() - 1024, bytes.size() - 1}) {
    write_file(file, bytes.substr(0, size));
    refusal(file, ErrorCode::kCorrupt);
  }
  write_file(file, bytes + std::string(1024, '\0'));
  refusal(file, ErrorCode::kCorrupt);
}

TEST_F(PackFile, HasNothingButItsTablesAndOneTrace) {
  const fs::path file = a_pack(50);
  const std::string whole = bytes_of_file(file);
  const auto refusal_after = [&](const std::string& script) {
    write_file(file, whole);
    change(file, script);
    make_head_right(file, whole);
    return refusal(file, ErrorCode::kCorrupt);
  };
  EXPECT_THAT(refusal_after("CREATE VIEW v AS SELECT 1"), HasSubstr("view v"));
  EXPECT_THAT(refusal_after("CREATE TABLE more (x)"), HasSubstr("table more"));
  EXPECT_THAT(refusal_after("CREATE INDEX i ON trace_block (count)"), HasSubstr("index i"));
  EXPECT_THAT(refusal_after("CREATE TRIGGER t AFTER INSERT ON trace BEGIN SELECT 1; END"),
              HasSubstr("trigger t"));
  EXPECT_THAT(refusal_after("CREATE VIRTUAL TABLE v USING fts5(x)"), HasSubstr("table v"));
  EXPECT_THAT(refusal_after("DROP TABLE trace_posting"), HasSubstr("is damaged"));
  EXPECT_THAT(refusal_after("ALTER TABLE trace_posting ADD COLUMN x INTEGER"),
              HasSubstr("trace_posting"));
  EXPECT_THAT(refusal_after("DELETE FROM trace"), HasSubstr("not one row"));
  EXPECT_THAT(refusal_after("UPDATE trace SET id = 2"), HasSubstr("not one row"));
  EXPECT_THAT(refusal_after("UPDATE trace_chunk SET trace_id = 2 WHERE number = 0"),
              HasSubstr("trace_chunk has rows of another trace"));
  EXPECT_THAT(refusal_after("UPDATE trace_thread SET trace_id = -2 WHERE thread = 1"),
              HasSubstr("trace_thread has rows of another trace"));
}

TEST_F(PackFile, NoByteChangesUnseen) {
  const fs::path file = a_pack(500);
  const std::string whole = bytes_of_file(file);
  ASSERT_TRUE(check_pack(file));
  std::mt19937_64 random(7);
  for (int i = 0; i < 600; ++i) {
    std::string bytes = whole;
    // Each byte of the head; then anywhere.
    const std::size_t at = i < 100 ? static_cast<std::size_t>(i) : random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 + random() % 255));
    // A checksum of zeros stands for none.
    if (i % 10 == 9) bytes.replace(at / 1024 * 1024 + 1016, 8, 8, '\0');
    write_file(file, bytes);
    ASSERT_FALSE(check_pack(file)) << "byte " << at;
  }
}

}  // namespace
}  // namespace benchhud::trace
