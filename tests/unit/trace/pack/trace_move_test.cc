// A trace that is moved out of a store is read as before, comes back as it was, and is never noted
// without its pack.

#include "trace/pack/trace_move.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "schema/base/time.h"
#include "schema/db/rows.h"
#include "schema/places/object_place.h"
#include "schema/store/store.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/pack/open_trace.h"
#include "trace/pack/pack_reading.h"
#include "trace/pack/trace_copy.h"
#include "trace/trace_queries.h"
#include "trace/trace_store.h"

namespace benchhud::trace {
namespace {

namespace fs = std::filesystem;

using schema::Connection;
using schema::ErrorCode;
using schema::Statement;
using schema::TraceId;
using schema::Transaction;
using testing::HasSubstr;

std::vector<std::string> texts(Connection& connection, const std::string& sql) {
  Statement query = connection.prepare(sql);
  const auto rows =
      schema::collect(query, [](const Statement& row) { return std::string(row.text(0)); });
  EXPECT_TRUE(rows) << rows.error().message;
  return rows ? *rows : std::vector<std::string>();
}

/// All rows of all traces, without the numbers that only tell rows apart.
std::vector<std::string> all_rows(Connection& store) {
  std::vector<std::string> all;
  for (const std::string_view table : kPartsOfATrace) {
    std::string row = "''";
    for (const std::string& column :
         texts(store, fmt::format("SELECT name FROM pragma_table_info('{}') WHERE name <> 'id' "
                                  "ORDER BY cid",
                                  table))) {
      row += " || quote(" + column + ") || ','";
    }
    for (std::string& each :
         texts(store, fmt::format("SELECT {} FROM {} ORDER BY 1", row, table))) {
      all.push_back(fmt::format("{}: {}", table, each));
    }
  }
  return all;
}

const std::string kPlaceId = "0123456789abcdef0123456789abcdef";

class TraceMove : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("benchhud-trace-move-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "place");
    auto opened = schema::open_store(store_file());
    ASSERT_TRUE(opened) << opened.error().message;
    store_.emplace(*std::move(opened));
    ASSERT_TRUE(schema::mark_place((folder_ / "place").string(), kPlaceId));
    auto place = schema::open_place((folder_ / "place").string(), {.id = kPlaceId});
    ASSERT_TRUE(place) << place.error().message;
    place_ = *std::move(place);
    put(*store_, any_trace(1, 100), nullptr, "another trace");
    trace_ = put(*store_, any_trace(2, 20'000));
    set_place(TracePlace{place_->address(), kPlaceId, true});
  }
  void TearDown() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::string store_file() const { return (folder_ / "store.db").string(); }
  void set_place(const std::optional<TracePlace>& place) {
    const auto known = trace_place(*store_);
    ASSERT_TRUE(known);
    ASSERT_TRUE(set_trace_place(*store_, *known, place));
  }
  PlacedPack move() {
    const auto moved = move_out(*store_, trace_, *place_);
    EXPECT_TRUE(moved) << moved.error().message;
    EXPECT_TRUE(moved && *moved);
    return moved && *moved ? **moved : PlacedPack();
  }
  TakenBack take() {
    const auto open = OpenTrace::open(*store_, trace_);
    EXPECT_TRUE(open) << open.error().message;
    auto writing = Transaction::begin(*store_, Transaction::Kind::kWrite);
    EXPECT_TRUE(writing);
    const auto taken = take_back(*store_, trace_, *open);
    EXPECT_TRUE(taken) << taken.error().message;
    EXPECT_TRUE(writing->commit());
    return taken ? *taken : TakenBack::kIsElsewhere;
  }

  fs::path folder_;
  std::optional<Connection> store_;
  std::unique_ptr<schema::ObjectPlace> place_;
  TraceId trace_{};
};

TEST_F(TraceMove, OneThatCameBackIsAsItWas) {
  const auto before = all_rows(*store_);
  const PlacedPack pack = move();
  const std::string of_it =
      fmt::format("SELECT count(*) FROM trace_chunk WHERE trace_id = {}", schema::to_int(trace_));
  EXPECT_EQ(texts(*store_, of_it), std::vector<std::string>{"0"});
  EXPECT_TRUE(fs::exists(folder_ / "place" / pack.key));
  EXPECT_EQ(take(), TakenBack::kTaken);
  EXPECT_EQ(all_rows(*store_), before);
  EXPECT_EQ(take(), TakenBack::kWasThere) << "it is in the store";
  // The same trace makes the same pack.
  EXPECT_EQ(move().key, pack.key);
}

TEST_F(TraceMove, OneThatWasMovedIsReadWhereItIs) {
  const auto here = OpenTrace::open(*store_, trace_);
  ASSERT_TRUE(here);
  EXPECT_EQ(&here->database(), &*store_);
  const auto before = read_trace(here->database(), here->number());
  ASSERT_TRUE(before);
  move();
  const auto there = OpenTrace::open(*store_, trace_);
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_NE(&there->database(), &*store_);
  const auto after = read_trace(there->database(), there->number());
  ASSERT_TRUE(after) << after.error().message;
  expect_same(*before, *after);
  // A second reader at the same time has a connection of its own; one after it has the same.
  const auto second = OpenTrace::open(*store_, trace_);
  ASSERT_TRUE(second);
  EXPECT_NE(&second->database(), &there->database());
}

/// A place with a store that another program changes while a pack is put.
class ChangingPlace : public schema::ObjectPlace {
 public:
  using Change = std::function<schema::Expected<void>(Connection&)>;
  ChangingPlace(schema::ObjectPlace& place, std::string store, Change change)
      : place_(place), store_(std::move(store)), change_(std::move(change)) {}
  const std::string& address() const override { return place_.address(); }
  schema::Expected<void> put(std::string_view key, const fs::path& file) override {
    BENCHHUD_ASSIGN(auto other,
                    schema::open_store_for_writing(store_, std::chrono::milliseconds(100)));
    BENCHHUD_TRY(change_(other));
    return place_.put(key, file);
  }
  schema::Expected<void> fetch(std::string_view key, const fs::path& file,
                               std::int64_t most) override {
    return place_.fetch(key, file, most);
  }
  schema::Expected<std::optional<schema::PlacedObject>> find(std::string_view key) override {
    return place_.find(key);
  }
  schema::Expected<void> remove(std::string_view key) override { return place_.remove(key); }
  schema::Expected<void> list(
      std::string_view prefix,
      const std::function<schema::Expected<void>(const schema::PlacedObject&)>& visit) override {
    return place_.list(prefix, visit);
  }

 private:
  schema::ObjectPlace& place_;
  std::string store_;
  Change change_;
};

TEST_F(TraceMove, ATraceThatChangedMeanwhileStays) {
  // What is noted is what was put.
  const auto before = all_rows(*store_);
  ChangingPlace changing(*place_, store_file(), [this](Connection& other) {
    return other.execute(
        fmt::format("UPDATE trace SET problem_count = problem_count + 1 WHERE id = {}",
                    schema::to_int(trace_)));
  });
  const auto moved = move_out(*store_, trace_, changing);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_FALSE(*moved);
  EXPECT_EQ(all_rows(*store_), before);
  EXPECT_FALSE(*pack_of_trace(*store_, trace_));
}

TEST_F(TraceMove, OneIsNotMovedIntoWhatIsNoLongerThePlace) {
  const auto before = all_rows(*store_);
  const TracePlace known{place_->address(), kPlaceId, true};
  for (const std::optional<TracePlace>& place :
       {std::optional<TracePlace>(), std::optional(TracePlace{known.address, kPlaceId, false}),
        std::optional(TracePlace{known.address + "-other", kPlaceId, true})}) {
    set_place(known);
    ChangingPlace changing(*place_, store_file(),
                           [&](Connection& other) { return set_trace_place(other, known, place); });
    const auto moved = move_out(*store_, trace_, changing);
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_FALSE(*moved);
    EXPECT_EQ(all_rows(*store_), before);
    EXPECT_FALSE(*pack_of_trace(*store_, trace_));
  }
}

TEST_F(TraceMove, APlaceIsSetByWhoKnowsWhichItWas) {
  const TracePlace known{place_->address(), kPlaceId, true};
  const auto set = set_trace_place(*store_, TracePlace{"elsewhere", kPlaceId, true}, std::nullopt);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::kConflict);
  EXPECT_EQ(*trace_place(*store_), known);
}

TEST_F(TraceMove, AnObjectThatIsGivenUpMeanwhileIsPutAgainUnderAnotherKey) {
  const PlacedPack pack = move();
  take();
  int puts = 0;
  ChangingPlace changing(*place_, store_file(), [&](Connection& other) -> schema::Expected<void> {
    if (++puts > 1) return {};
    return give_up_pack(other, pack.key, 1);
  });
  const auto moved = move_out(*store_, trace_, changing);
  ASSERT_TRUE(moved) << moved.error().message;
  ASSERT_TRUE(*moved);
  EXPECT_EQ(puts, 2);
  EXPECT_EQ((*moved)->key, pack.key + ".1");
  EXPECT_EQ((*orphan_pack(*store_, pack.key))->given_up_at, 1);
  // Whoever has given it up may remove it only now.
  ASSERT_TRUE(place_->remove(pack.key));
  EXPECT_TRUE(OpenTrace::open(*store_, trace_));
  // Its key is not used again as long as that is known.
  take();
  EXPECT_EQ(move().key, pack.key + ".1");
  ASSERT_TRUE(forget_given_up_packs(*store_, 2));
  take();
  EXPECT_EQ(move().key, pack.key);
}

TEST_F(TraceMove, APackIsNotedAsAnOrphanWhenItsTraceHasGone) {
  const double before = schema::now();
  const PlacedPack pack = move();
  EXPECT_TRUE(orphan_packs(*store_)->empty());
  take();
  const auto brought_back = *orphan_pack(*store_, pack.key);
  ASSERT_TRUE(brought_back);
  EXPECT_GE(brought_back->keep_until, before + kOrphanAge);
  EXPECT_EQ(brought_back->given_up_at, std::nullopt);
  EXPECT_EQ(move().key, pack.key);
  EXPECT_TRUE(orphan_packs(*store_)->empty()) << "it is used again";
  ASSERT_TRUE(delete_trace(*store_, trace_));
  const auto deleted = *orphan_pack(*store_, pack.key);
  ASSERT_TRUE(deleted);
  EXPECT_GE(deleted->keep_until, brought_back->keep_until);
}

TEST_F(TraceMove, RowsThatWereLeftInTheStoreDoNotKeepATraceOutside) {
  const auto before = all_rows(*store_);
  ASSERT_TRUE(store_->execute("CREATE TEMP TABLE kept AS SELECT * FROM trace_index"));
  move();
  ASSERT_TRUE(store_->execute("INSERT OR IGNORE INTO trace_index SELECT * FROM kept"));
  EXPECT_EQ(take(), TakenBack::kTaken);
  EXPECT_EQ(all_rows(*store_), before);
}

TEST_F(TraceMove, OneThatIsInAnotherPackThanWasOpenedIsNotTakenFromIt) {
  move();
  const auto open = OpenTrace::open(*store_, trace_);
  ASSERT_TRUE(open);
  ASSERT_TRUE(store_->execute("UPDATE trace_pack SET key = 'traces/other'"));
  EXPECT_EQ(*take_back(*store_, trace_, *open), TakenBack::kIsElsewhere);
  EXPECT_TRUE(*pack_of_trace(*store_, trace_));
}

TEST_F(TraceMove, OneThatIsMovedBeforeItsIndexIsMadeHasNoneInTheStore) {
  for (const TraceId trace : {TraceId(1), trace_}) {
    ASSERT_TRUE(delete_trace_index(*store_, trace));
  }
  bool is_moved = false;
  const auto indexed = index_traces(*store_, ReindexScope::kStale, [&] {
    if (!std::exchange(is_moved, true)) move();
    return true;
  });
  ASSERT_TRUE(indexed) << indexed.error().message;
  EXPECT_EQ(*indexed, 1);
  EXPECT_EQ(texts(*store_, "SELECT trace_id FROM trace_index"), std::vector<std::string>{"1"});
  EXPECT_EQ(take(), TakenBack::kTaken);
}

TEST_F(TraceMove, OneThatLacksFindingsSaysSoOutside) {
  EXPECT_EQ(*pack_lacks_findings(*store_, trace_), std::nullopt);
  move();
  EXPECT_EQ(*pack_lacks_findings(*store_, trace_), false);
  take();
  ASSERT_TRUE(store_->execute(fmt::format(
      "INSERT INTO trace_finding_kind (trace_id, kind, count) VALUES ({}, 'graph_break', 7)",
      schema::to_int(trace_))));
  move();
  EXPECT_EQ(*pack_lacks_findings(*store_, trace_), true);
}

TEST_F(TraceMove, NothingElseIsTriedWhereThePlaceIsNotThere) {
  move();
  const auto other = move_out(*store_, TraceId(1), *place_);
  ASSERT_TRUE(other && *other);
  ASSERT_TRUE(store_->execute("UPDATE trace_pack SET index_version = 1"));
  fs::remove_all(folder_ / "place");
  int tried = 0;
  const auto indexed = index_moved_traces(*store_, ReindexScope::kStale, [&] {
    ++tried;
    return true;
  });
  ASSERT_FALSE(indexed);
  EXPECT_EQ(indexed.error().code, ErrorCode::kPlaceRefused);
  EXPECT_EQ(tried, 1);
}

TEST_F(TraceMove, APackThatWasCheckedIsNotReadWholeAgain) {
  const PlacedPack pack = move();
  const auto here = OpenTrace::open(*store_, trace_);
  ASSERT_TRUE(here);
  const auto checked = here->checked(*store_, trace_);
  ASSERT_TRUE(checked);
  const fs::path file = folder_ / "place" / pack.key;
  EXPECT_EQ(checked->pack_file, file.string());
  EXPECT_EQ(checked->pack_key, pack.key);
  // In the middle of it are blocks, which are not looked at when it is opened.
  {
    const auto middle = static_cast<std::streamoff>(pack.facts.byte_count / 2);
    std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekg(middle);
    const char changed = static_cast<char>(bytes.get() ^ 1);
    bytes.seekp(middle);
    bytes.put(changed);
  }
  EXPECT_EQ(check_placed_file(file, pack).error().code, ErrorCode::kCorrupt);
  const auto again = OpenTrace::open(*store_, *checked);
  EXPECT_TRUE(again) << again.error().message;
  // What is another trace's is not believed; another key's file is not looked at.
  const auto other = move_out(*store_, TraceId(1), *place_);
  ASSERT_TRUE(other && *other);
  CheckedTrace wrong = *checked;
  wrong.pack_file = (folder_ / "place" / (*other)->key).string();
  EXPECT_FALSE(OpenTrace::open(*store_, wrong));
  wrong = {TraceId(1), pack.key, pack.key};
  EXPECT_EQ(OpenTrace::open(*store_, wrong)->pack_key(), (*other)->key);
}

TEST_F(TraceMove, AFileThatIsOnePackIsNotBelievedToBeAnother) {
  const PlacedPack pack = move();
  const fs::path file = folder_ / "place" / pack.key;
  ASSERT_TRUE(check_placed_file(file, pack));
  PlacedPack other = pack;
  other.facts.hash.bytes[0] ^= 1;
  const auto checked = check_placed_file(file, other);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kCorrupt);
}

TEST_F(TraceMove, APackThatIsNotWhatWasPutIsNotRead) {
  const PlacedPack pack = move();
  const fs::path file = folder_ / "place" / pack.key;
  std::string bytes;
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (int i = 0; i < 100; ++i) {
    std::string changed = bytes;
    changed[bytes.size() * static_cast<std::size_t>(i) / 100] ^= 0x10;
    fs::remove(file);
    std::ofstream(file, std::ios::binary) << changed;
    const auto open = OpenTrace::open(*store_, trace_);
    ASSERT_FALSE(open) << i;
    EXPECT_EQ(open.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(open.error().message, HasSubstr(pack.key));
  }
  fs::remove(file);
  const auto missing = OpenTrace::open(*store_, trace_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("it is not there"));
  // Where the place itself has gone, nothing is said of the pack.
  fs::remove_all(folder_ / "place");
  const auto gone = OpenTrace::open(*store_, trace_);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kPlaceRefused);
}

TEST_F(TraceMove, NothingIsReadOrPutWhereAnotherFolderHasThePath) {
  move();
  fs::rename(folder_ / "place", folder_ / "disk");
  fs::create_directory(folder_ / "place");
  for (const bool is_marked : {false, true}) {
    if (is_marked) {
      ASSERT_TRUE(schema::mark_place((folder_ / "place").string(), std::string(32, 'f')));
    }
    const auto open = OpenTrace::open(*store_, trace_);
    ASSERT_FALSE(open);
    EXPECT_EQ(open.error().code, ErrorCode::kPlaceRefused);
    const auto put = put_back(*store_, TraceId(1));
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().code, ErrorCode::kPlaceRefused);
    EXPECT_THAT(put.error().message, HasSubstr(kPlaceId));
    EXPECT_TRUE(dumps_of_lost_packs(*store_)->empty()) << "they are on the other disk";
  }
  fs::remove_all(folder_ / "place");
  fs::rename(folder_ / "disk", folder_ / "place");
  EXPECT_TRUE(OpenTrace::open(*store_, trace_));
}

TEST_F(TraceMove, AStoreThatDoesNotKnowItsPlaceSaysSo) {
  move();
  set_place(std::nullopt);
  const auto open = OpenTrace::open(*store_, trace_);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::kPlaceRefused);
  EXPECT_THAT(open.error().message, HasSubstr("does not say where"));
}

TEST_F(TraceMove, IndexesThatAreStaleAreMadeAnewOutside) {
  const PlacedPack before = move();
  EXPECT_EQ(*index_moved_traces(*store_, ReindexScope::kStale), 0);
  ASSERT_TRUE(store_->execute("UPDATE trace_pack SET index_version = 1"));
  const auto indexed = index_moved_traces(*store_, ReindexScope::kStale);
  ASSERT_TRUE(indexed) << indexed.error().message;
  EXPECT_EQ(*indexed, 1);
  const auto after = pack_of_trace(*store_, trace_);
  ASSERT_TRUE(after && *after) << "it is outside again";
  EXPECT_EQ((*after)->key, before.key);
  EXPECT_EQ(*index_moved_traces(*store_, ReindexScope::kStale), 0);
}

}  // namespace
}  // namespace benchhud::trace
