// What a store adopts of a pack is what it would have if the trace had been written into it.

#include "trace/pack/trace_pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "schema/db/rows.h"
#include "schema/db/text_store.h"
#include "schema/store/store.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/dropped_trace.h"
#include "trace/trace_device.h"
#include "trace/trace_finding.h"
#include "trace/trace_index.h"
#include "trace/trace_store.h"

namespace benchhud::trace {
namespace {

using schema::Connection;
using schema::Statement;
using schema::TraceId;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> texts(Connection& connection, const std::string& sql) {
  Statement query = connection.prepare(sql);
  const auto rows =
      schema::collect(query, [](const Statement& row) { return std::string(row.text(0)); });
  EXPECT_TRUE(rows) << rows.error().message;
  return rows ? *rows : std::vector<std::string>();
}

// Tables whose rows are of one trace.
std::vector<std::string> tables_of_traces(Connection& connection) {
  return texts(connection,
               "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = "
               "'table' AND c.name = 'trace_id' AND m.name LIKE 'trace~_%' ESCAPE '~' ORDER BY 1");
}

// Its rows as texts, without the numbers that only tell rows apart.
std::vector<std::string> rows_of(Connection& connection, const std::string& table) {
  std::string row = "''";
  for (const std::string& column :
       texts(connection, "SELECT name FROM pragma_table_info('" + table +
                             "') WHERE name NOT IN ('id', 'trace_id') ORDER BY cid")) {
    row += " || quote(" + column + ") || ','";
  }
  return texts(connection, "SELECT " + row + " FROM " + table + " ORDER BY 1");
}

TracePack pack_for(Connection& store) {
  auto pack = TracePack::make(store);
  EXPECT_TRUE(pack) << pack.error().message;
  return *std::move(pack);
}

TraceId put_with_all(Connection& connection, const Trace& trace) {
  const TraceId id = put(connection, trace);
  const std::vector<BusySpan> spans = {{3, 50}, {60, 90}};
  EXPECT_TRUE(put_trace_devices(connection, id,
                                std::vector<PackedDevice>{{TraceDevice(), pack_busy(spans)}}));
  return id;
}

TEST(TracePack, AStoreAdoptsAllRowsOfATrace) {
  const Trace trace = any_trace(1, 60'000);
  Connection direct = trace_store(), store = trace_store();
  put_with_all(direct, trace);
  // Its number is another one in the store.
  put(store, any_trace(2, 10), nullptr, "what was there before");
  std::vector<std::vector<std::string>> before;
  const std::vector<std::string> tables = tables_of_traces(store);
  for (const std::string& table : tables) before.push_back(rows_of(store, table));

  TracePack pack = pack_for(store);
  const TraceId packed = put_with_all(pack.database(), trace);
  const auto adopted = pack.adopt(store, packed);
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_NE(*adopted, packed);
  const auto read = read_trace(store, *adopted);
  ASSERT_TRUE(read) << read.error().message;
  expect_same(trace, *read);

  // The first one is not touched, and nothing is left behind.
  const auto deleted = delete_trace(store, TraceId(1));
  ASSERT_TRUE(deleted) << deleted.error().message;
  for (const std::string& table : tables) {
    EXPECT_THAT(rows_of(store, table), ElementsAreArray(rows_of(direct, table))) << table;
  }
}

// One in which no transaction is open.
Connection store_at_rest() {
  Connection store = trace_store();
  EXPECT_TRUE(store.execute("COMMIT"));
  return store;
}

// As short as can be, a row each; and some rows.
constexpr std::chrono::milliseconds kShortest{0}, kShort{1};

TEST(TracePack, ATraceThatComesInPiecesIsTheSameOnceItIsWholeAndUnseenBefore) {
  const Trace trace = any_trace(1, 6'000);
  Connection direct = trace_store(), store = trace_store();
  put_with_all(direct, trace);
  ASSERT_TRUE(store.execute("COMMIT"));
  TracePack pack = pack_for(store);
  const TraceId packed = put_with_all(pack.database(), trace);
  const auto arriving = pack.copy_ahead(store, packed, kShort);
  ASSERT_TRUE(arriving) << arriving.error().message;
  ASSERT_TRUE(*arriving);
  EXPECT_TRUE(!*find_trace(store, schema::content_hash("content")));
  EXPECT_FALSE(*may_see_trace(store, (*arriving)->trace, {}, 0));
  EXPECT_EQ(*delete_unused_traces(store), 0) << "it is believed to come";
  EXPECT_THAT(*abandoned_arrivals(store), IsEmpty());
  ASSERT_TRUE(store.execute("UPDATE trace_index SET version = -version"));
  EXPECT_EQ(*index_traces(store, ReindexScope::kStale, [] { return true; }), 0);
  ASSERT_TRUE(store.execute("UPDATE trace_index SET version = -version"));

  const auto adopted = pack.adopt_arrived(store, packed, **arriving);
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_TRUE(*adopted);
  EXPECT_EQ(*find_trace(store, schema::content_hash("content")), (*arriving)->trace);
  EXPECT_TRUE(*may_see_trace(store, (*arriving)->trace, {}, 0));
  EXPECT_THAT(rows_of(store, "trace"), ElementsAreArray(rows_of(direct, "trace")));
  for (const std::string& table : tables_of_traces(store)) {
    EXPECT_THAT(rows_of(store, table), ElementsAreArray(rows_of(direct, table))) << table;
  }
  EXPECT_THAT(texts(store, "SELECT trace_id FROM arriving_trace"), IsEmpty());
}

TEST(TracePack, OneThatTheStoreHasDoesNotComeInPieces) {
  Connection store = trace_store();
  put(store, any_trace(1, 100));
  ASSERT_TRUE(store.execute("COMMIT"));
  TracePack pack = pack_for(store);
  const auto arriving = pack.copy_ahead(store, put(pack.database(), any_trace(1, 100)), kShortest);
  ASSERT_TRUE(arriving) << arriving.error().message;
  EXPECT_FALSE(*arriving);
  EXPECT_THAT(texts(store, "SELECT id FROM trace"), SizeIs(1));
}

TEST(TracePack, WhatWasNotPutIsRemovedWholeAndNotAdopted) {
  Connection store = trace_store();
  put(store, any_trace(2, 6'000), nullptr, "another");
  ASSERT_TRUE(store.execute("COMMIT"));
  const std::vector<std::string> tables = tables_of_traces(store);
  std::vector<std::vector<std::string>> before;
  for (const std::string& table : tables) before.push_back(rows_of(store, table));
  TracePack pack = pack_for(store);
  const TraceId packed = put_with_all(pack.database(), any_trace(1, 6'000));
  const auto arriving = pack.copy_ahead(store, packed, kShort);
  ASSERT_TRUE(arriving && *arriving);
  EXPECT_TRUE(*is_coming_in(store, (*arriving)->trace));
  // One that only has its number is another.
  EXPECT_FALSE(*is_arriving(store, {(*arriving)->trace, "another key"}));
  ASSERT_TRUE(remove_arrival(store, {(*arriving)->trace, "another key"}));
  EXPECT_TRUE(*is_arriving(store, **arriving));

  ASSERT_TRUE(remove_arrival(store, **arriving));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    EXPECT_THAT(rows_of(store, tables[i]), ElementsAreArray(before[i])) << tables[i];
  }
  EXPECT_THAT(texts(store, "SELECT trace_id FROM arriving_trace"), IsEmpty());
  EXPECT_FALSE(*pack.adopt_arrived(store, packed, **arriving));
  EXPECT_TRUE(pack.adopt(store, packed));
}

TEST(TracePack, OneThatIsWholeIsNotRemovedAsOneThatWasNotPut) {
  Connection store = store_at_rest();
  TracePack pack = pack_for(store);
  const TraceId packed = put(pack.database(), any_trace(1, 100));
  const auto arriving = pack.copy_ahead(store, packed, kShortest);
  ASSERT_TRUE(arriving && *arriving);
  ASSERT_TRUE(*pack.adopt_arrived(store, packed, **arriving));
  ASSERT_TRUE(remove_arrival(store, **arriving));
  EXPECT_THAT(texts(store, "SELECT id FROM trace"), SizeIs(1));
}

TEST(TracePack, WhatBeganAnHourAgoComesNoMore) {
  Connection store = store_at_rest();
  TracePack pack = pack_for(store);
  const TraceId packed = put(pack.database(), any_trace(1, 100));
  const auto arriving = pack.copy_ahead(store, packed, kShortest);
  ASSERT_TRUE(arriving && *arriving);
  const auto always = [] { return true; };
  ASSERT_TRUE(store.execute("UPDATE arriving_trace SET begun_at = begun_at - 3500"));
  ASSERT_TRUE(remove_abandoned_arrivals(store, always));
  EXPECT_EQ(*delete_unused_traces(store), 0);
  EXPECT_TRUE(*is_arriving(store, **arriving));
  ASSERT_TRUE(store.execute("UPDATE arriving_trace SET begun_at = begun_at - 200"));
  ASSERT_TRUE(remove_abandoned_arrivals(store, [] { return false; }));
  EXPECT_THAT(*abandoned_arrivals(store), ElementsAre((*arriving)->trace));
  ASSERT_TRUE(remove_abandoned_arrivals(store, always));
  EXPECT_THAT(*abandoned_arrivals(store), IsEmpty());
  EXPECT_THAT(texts(store, "SELECT id FROM trace"), IsEmpty());
}

class TracePackInAFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (std::filesystem::temp_directory_path() / "benchhud-pack-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string store() const { return (folder_ / "store.db").string(); }

  std::filesystem::path folder_;
};

TEST_F(TracePackInAFile, OthersWriteBetweenThePieces) {
  auto store = schema::open_store(this->store());
  ASSERT_TRUE(store) << store.error().message;
  ASSERT_TRUE(store->execute("CREATE TABLE written (n INTEGER)"));
  TracePack pack = pack_for(*store);
  const TraceId packed = put_with_all(pack.database(), any_trace(1, 6'000));
  std::atomic<bool> is_over = false;
  int notes = 0;
  std::thread writer([&] {
    auto other = schema::open_store(this->store());
    ASSERT_TRUE(other) << other.error().message;
    while (!is_over) {
      ASSERT_TRUE(other->execute("INSERT INTO written VALUES (1)"));
      ++notes;
    }
  });
  const auto arriving = pack.copy_ahead(*store, packed, kShort);
  is_over = true;
  writer.join();
  ASSERT_TRUE(arriving && *arriving);
  EXPECT_GT(notes, 10);
  EXPECT_TRUE(*pack.adopt_arrived(*store, packed, **arriving));
  const auto read = read_trace(*store, (*arriving)->trace);
  ASSERT_TRUE(read) << read.error().message;
  expect_same(any_trace(1, 6'000), *read);
}

TEST(TracePack, WhereTheStoreRemovesWhatComesInNothingMoreComes) {
  Connection store = store_at_rest();
  TracePack pack = pack_for(store);
  const TraceId packed = put_with_all(pack.database(), any_trace(1, 6'000));
  // As soon as the first chunk is there.
  ASSERT_TRUE(store.execute(
      "CREATE TRIGGER gone AFTER INSERT ON trace_chunk BEGIN DELETE FROM arriving_trace; END"));
  const auto arriving = pack.copy_ahead(store, packed, kShortest);
  ASSERT_TRUE(arriving) << arriving.error().message;
  EXPECT_FALSE(*arriving);
  EXPECT_THAT(texts(store, "SELECT trace_id FROM trace_chunk"), SizeIs(1));
}

TEST(TracePack, NothingMoreComesWhereTheStoreIsBroughtToAnotherVersionMeanwhile) {
  Connection store = store_at_rest();
  TracePack pack = pack_for(store);
  const TraceId packed = put_with_all(pack.database(), any_trace(1, 100));
  ASSERT_TRUE(store.execute("PRAGMA user_version = 1000"));
  const auto arriving = pack.copy_ahead(store, packed, kShortest);
  ASSERT_FALSE(arriving);
  EXPECT_EQ(arriving.error().code, schema::ErrorCode::kVersion);
}

TEST(TracePack, APieceThatFailsLeavesNothing) {
  Connection store = store_at_rest();
  TracePack pack = pack_for(store);
  const TraceId packed = put_with_all(pack.database(), any_trace(1, 6'000));
  ASSERT_TRUE(
      store.execute("CREATE TRIGGER full BEFORE INSERT ON trace_track WHEN new.thread > 0 "
                    "BEGIN SELECT raise(ABORT, 'no room'); END"));
  const auto failed = pack.copy_ahead(store, packed, kShort);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("no room"));
  EXPECT_THAT(texts(store, "SELECT id FROM trace"), IsEmpty());
  EXPECT_THAT(texts(store, "SELECT trace_id FROM trace_chunk"), IsEmpty());

  // The pack is as before.
  ASSERT_TRUE(store.execute("DROP TRIGGER full"));
  EXPECT_TRUE(pack.adopt(store, packed));
}

TEST(TracePack, OneThatWasClearedIsAsNew) {
  Connection store = trace_store(), direct = trace_store();
  TracePack pack = pack_for(store);
  put_with_all(pack.database(), any_trace(2, 60'000));
  ASSERT_TRUE(pack.clear());
  put_with_all(direct, any_trace(1, 100));
  const auto adopted = pack.adopt(store, put_with_all(pack.database(), any_trace(1, 100)));
  ASSERT_TRUE(adopted) << adopted.error().message;
  for (const std::string& table : tables_of_traces(store)) {
    EXPECT_THAT(rows_of(store, table), ElementsAreArray(rows_of(direct, table))) << table;
  }
}

TEST(TracePack, OneOfOlderTablesIsNotAdopted) {
  Connection store = trace_store();
  TracePack pack = pack_for(store);
  const TraceId packed = put(pack.database(), any_trace(1, 100));
  ASSERT_TRUE(store.execute("PRAGMA user_version = 1000"));
  const auto adopted = pack.adopt(store, packed);
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().code, schema::ErrorCode::kVersion);
}

TEST(TracePack, EveryTableOfTracesIsInAPackOrKnownNotToBe) {
  Connection store = trace_store();
  TracePack pack = pack_for(store);
  std::vector<std::string> missing;
  for (const std::string& table : tables_of_traces(store)) {
    if (texts(pack.database(), "SELECT name FROM sqlite_schema WHERE name = '" + table + "'")
            .empty()) {
      missing.push_back(table);
    }
  }
  // Its modules are the store's, and are adopted apart; where it is kept is the store's business.
  EXPECT_THAT(missing, ElementsAreArray({"trace_hlo", "trace_pack"}));
}

TEST(TracePack, AContentThatTheStoreHasIsNotAdoptedTwice) {
  Connection store = trace_store();
  put(store, any_trace(1, 100));
  TracePack pack = pack_for(store);
  const TraceId packed = put(pack.database(), any_trace(1, 100));
  const auto adopted = pack.adopt(store, packed);
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().code, schema::ErrorCode::kConflict);
}

TEST(TracePack, ModulesAndTextsAreKeptOnce) {
  Connection store = trace_store();
  const auto module = [](Connection& connection, const std::string& name) {
    schema::TextWriter writer(connection);
    const auto text = writer.put(schema::pack_text("HloModule " + name));
    EXPECT_TRUE(text);
    const auto id = put_hlo_module(connection, name, *text);
    EXPECT_TRUE(id);
    return *id;
  };
  module(store, "other");
  const std::int64_t known = module(store, "both");
  TracePack pack = pack_for(store);
  TraceHlo hlo;
  hlo.modules = {{module(pack.database(), "both"), 7}, {module(pack.database(), "new"), 8}};
  const auto adopted = pack.adopt_hlo(store, hlo);
  ASSERT_TRUE(adopted) << adopted.error().message;
  ASSERT_EQ(adopted->modules.size(), 2);
  EXPECT_EQ(adopted->modules[0].module, known);
  EXPECT_EQ(adopted->modules[0].program_id, 7);
  const auto added = hlo_module(store, adopted->modules[1].module);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->name, "new");
  EXPECT_THAT(texts(store, "SELECT name FROM hlo_module ORDER BY name"),
              ElementsAreArray({"both", "new", "other"}));
  EXPECT_EQ(texts(store, "SELECT id FROM text").size(), 3);
}

}  // namespace
}  // namespace benchhud::trace
