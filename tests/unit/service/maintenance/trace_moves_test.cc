// Whose a place is, and when packs of no trace are removed from it.

#include "service/maintenance/trace_moves.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/time.h"
#include "schema/places/object_place.h"
#include "schema/store/store.h"
#include "service/imports/importer.h"
#include "trace/pack/open_trace.h"
#include "trace/pack/trace_move.h"
#include "trace/trace_store.h"

namespace benchhud::service {
namespace {

namespace fs = std::filesystem;
using trace::kOrphanAge;
using trace::kStrangerAge;

using schema::Connection;
using schema::ErrorCode;
using testing::HasSubstr;

class TraceMoves : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("benchhud-trace-moves-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    auto opened = schema::open_store((folder_ / "store.db").string());
    ASSERT_TRUE(opened) << opened.error().message;
    store_.emplace(*std::move(opened));
    turns_.emplace((folder_ / "store.db").string(), "test", schema::LockPatience{});
    fs::create_directories(folder_ / "place");
    for (const char* name : {"one", "two"}) {
      const fs::path file = folder_ / fmt::format("{}.json", name);
      std::ofstream(file) << fmt::format(
          R"({{"traceEvents":[{{"ph":"X","pid":1,"tid":1,"name":"{}","ts":1,"dur":5}}]}})", name);
      const auto imported = import_trace(*store_, file.string());
      ASSERT_TRUE(imported) << imported.error().message;
    }
  }
  void TearDown() override {
    turns_.reset();
    store_.reset();
    fs::remove_all(folder_);
  }

  std::string place_path() const { return (folder_ / "place").string(); }
  void use() {
    auto used = use_place(*store_, place_path(), nullptr);
    ASSERT_TRUE(used) << used.error().message;
    place_ = std::move(used->place);
  }
  void move_out() {
    use();
    const auto moved = move_traces_out(*store_, *turns_, *place_, nullptr);
    ASSERT_TRUE(moved) << moved.error().message;
    ASSERT_EQ(moved->moved, 2);
  }
  void lose_packs() {
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "place" / "traces")) {
      if (entry.is_regular_file()) fs::remove(entry.path());
    }
  }
  std::string id() { return trace::trace_place(*store_)->value().id; }
  void bring_back() {
    const auto back = bring_traces_back(*store_, *turns_, nullptr);
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(back->moved, 2);
  }
  OrphanReport orphans_at(double time) {
    const auto removed = remove_orphans(*store_, *place_, time, false);
    EXPECT_TRUE(removed) << removed.error().message;
    return removed ? *removed : OrphanReport();
  }

  fs::path folder_;
  std::optional<Connection> store_;
  std::optional<schema::StoreTurns> turns_;
  std::unique_ptr<schema::ObjectPlace> place_;
};

TEST_F(TraceMoves, APackStaysADayAfterItsTraceHasGone) {
  move_out();
  const double month = 31 * 24 * 3600.0;
  // Its time does not begin while a trace is in it.
  EXPECT_EQ(orphans_at(schema::now() + month).removed, 0);
  EXPECT_EQ(orphans_at(schema::now() + month).young, 0);
  bring_back();
  EXPECT_EQ(orphans_at(schema::now() + kOrphanAge - 60).young, 2);
  // Of one that is used again it begins from the start.
  move_out();
  EXPECT_EQ(orphans_at(schema::now() + month).young, 0);
  bring_back();
  EXPECT_EQ(orphans_at(schema::now() + kOrphanAge - 60).removed, 0);
  EXPECT_EQ(orphans_at(schema::now() + kOrphanAge + 60).removed, 2);
  EXPECT_EQ(orphans_at(schema::now() + kOrphanAge + 60).removed, 0);
  // Those that are put after that are others, which nobody removes.
  move_out();
  const auto outside = *trace::moved_traces(*store_);
  for (const trace::MovedTrace& each : outside) {
    EXPECT_THAT(each.pack.key, testing::EndsWith(".1"));
  }
}

TEST_F(TraceMoves, WhatTheStoreKnowsNothingOfStaysAMonthFromWhenItIsFirstSeen) {
  move_out();
  bring_back();
  ASSERT_TRUE(store_->execute("DELETE FROM orphan_pack"));
  // They were put long ago: the store may be a copy from before that.
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "place" / "traces")) {
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(24 * 100));
  }
  const double first = schema::now();
  ASSERT_TRUE(remove_orphans(*store_, *place_, first - 2 * kStrangerAge, /*is_rehearsal=*/true));
  EXPECT_EQ(orphans_at(first).young, 2);
  EXPECT_EQ(orphans_at(first + kStrangerAge - 60).young, 2);
  EXPECT_EQ(orphans_at(first + kStrangerAge + 60).removed, 2);
}

// A copy of the store from before a pack was put again is restored.
TEST_F(TraceMoves, WhatWasPutAgainSinceItWasNotedIsAStranger) {
  move_out();
  bring_back();
  const double noted = schema::now();
  const auto put_again = [&] {
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "place" / "traces")) {
      fs::last_write_time(entry, fs::file_time_type::clock::now() + std::chrono::hours(1));
    }
  };
  put_again();
  EXPECT_EQ(orphans_at(noted + 2 * kOrphanAge).young, 2);
  EXPECT_EQ(orphans_at(noted + 2 * kOrphanAge + kStrangerAge - 60).young, 2);
  EXPECT_EQ(orphans_at(noted + 2 * kOrphanAge + kStrangerAge + 60).removed, 2);
}

// The same of one that was given up: nobody uses its key for a month, as long as a removal may
// take.
TEST_F(TraceMoves, WhatWasPutAgainSinceItWasGivenUpIsAStrangerAMonthLater) {
  move_out();
  const auto packs = *trace::moved_traces(*store_);
  bring_back();
  const double then = schema::now() - 60;
  for (const trace::MovedTrace& each : packs) {
    ASSERT_TRUE(trace::give_up_pack(*store_, each.pack.key, then));
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "place" / "traces")) {
    fs::last_write_time(entry, fs::file_time_type::clock::now());
  }
  EXPECT_EQ(orphans_at(then + 100).young, 2);
  EXPECT_EQ(trace::orphan_pack(*store_, packs[0].pack.key)->value().given_up_at, then);
  EXPECT_EQ(orphans_at(then + kStrangerAge + 100).young, 2) << "now it is forgotten";
  EXPECT_EQ(orphans_at(then + kStrangerAge + 200).young, 2) << "and seen for the first time";
  EXPECT_EQ(orphans_at(then + 2 * kStrangerAge + 300).removed, 2);
}

TEST_F(TraceMoves, WhatTheStoreUsesBeforeTheMonthIsOverIsNoStrangerAnyMore) {
  move_out();
  bring_back();
  ASSERT_TRUE(store_->execute("DELETE FROM orphan_pack"));
  EXPECT_EQ(orphans_at(schema::now()).young, 2);
  move_out();
  EXPECT_TRUE(trace::orphan_packs(*store_)->empty());
  EXPECT_EQ(orphans_at(schema::now() + 2 * kStrangerAge).removed, 0);
}

TEST_F(TraceMoves, AFolderThatDoesNotSayWhoseItIsIsNotSwept) {
  move_out();
  fs::remove(folder_ / "place" / ".benchhud-place");
  const auto removed = remove_orphans(*store_, *place_, schema::now(), false);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kPlaceRefused);
  // It is not marked again by itself: what says which one it was is in the message.
  const auto used = use_place(*store_, place_path(), nullptr);
  ASSERT_FALSE(used);
  EXPECT_THAT(used.error().message, HasSubstr(trace::trace_place(*store_)->value().id));
}

TEST_F(TraceMoves, WhatCameBackIsMovedOutAgain) {
  move_out();
  // As an ingest leaves it that could not reach the place.
  ASSERT_TRUE(trace::set_trace_place(*store_, *trace::trace_place(*store_),
                                     trace::TracePlace{place_->address(), id(), false}));
  EXPECT_EQ(*move_rest_out(*store_, nullptr, 10), 0);
  const auto outside = *trace::moved_traces(*store_);
  for (const trace::MovedTrace& each : outside) {
    const auto open = trace::OpenTrace::open(*store_, each.trace);
    ASSERT_TRUE(open);
    ASSERT_TRUE(trace::take_back(*store_, each.trace, *open));
  }
  EXPECT_EQ(*move_rest_out(*store_, nullptr, 10), 0) << "new ones stay";
  ASSERT_TRUE(trace::set_trace_place(*store_, *trace::trace_place(*store_),
                                     trace::TracePlace{place_->address(), id(), true}));
  EXPECT_EQ(*move_rest_out(*store_, nullptr, 1), 1);
  EXPECT_EQ(*move_rest_out(*store_, &*turns_, 10), 1);
  EXPECT_EQ(trace::count_traces(*store_)->moved, 2);
}

TEST_F(TraceMoves, NothingIsPutIntoAFolderThatDoesNotSayWhoseItIs) {
  move_out();
  const auto moved = *trace::moved_traces(*store_);
  const auto open = trace::OpenTrace::open(*store_, moved[0].trace);
  ASSERT_TRUE(open);
  ASSERT_TRUE(trace::take_back(*store_, moved[0].trace, *open));
  fs::remove(folder_ / "place" / ".benchhud-place");
  const auto rest = move_rest_out(*store_, nullptr, 10);
  ASSERT_FALSE(rest);
  EXPECT_EQ(rest.error().code, ErrorCode::kPlaceRefused);
}

/// A place where something else happens, too, when an object is put or removed.
class HookedPlace : public schema::ObjectPlace {
 public:
  using Hook = std::function<schema::Expected<void>(std::string_view key, const fs::path& file)>;
  HookedPlace(schema::ObjectPlace& place, Hook hook) : place_(place), hook_(std::move(hook)) {}
  const std::string& address() const override { return place_.address(); }
  schema::Expected<void> put(std::string_view key, const fs::path& file) override {
    BENCHHUD_TRY(hook_(key, file));
    return place_.put(key, file);
  }
  schema::Expected<void> fetch(std::string_view key, const fs::path& file,
                               std::int64_t most) override {
    return place_.fetch(key, file, most);
  }
  schema::Expected<std::optional<schema::PlacedObject>> find(std::string_view key) override {
    return place_.find(key);
  }
  schema::Expected<void> remove(std::string_view key) override {
    BENCHHUD_TRY(hook_(key, ""));
    return place_.remove(key);
  }
  schema::Expected<void> list(
      std::string_view prefix,
      const std::function<schema::Expected<void>(const schema::PlacedObject&)>& visit) override {
    return place_.list(prefix, visit);
  }

 private:
  schema::ObjectPlace& place_;
  Hook hook_;
};

TEST_F(TraceMoves, APackIsRemovedWithoutTheStoresLockAndWhoMovesItsTraceMeanwhileIsNotHarmed) {
  move_out();
  bring_back();
  use();
  const std::string file = (folder_ / "store.db").string();
  int removals = 0;
  HookedPlace watched(*place_, [&](std::string_view, const fs::path&) -> schema::Expected<void> {
    ++removals;
    // Another process writes, and moves the very traces out.
    BENCHHUD_ASSIGN(auto other,
                    schema::open_store_for_writing(file, std::chrono::milliseconds(100)));
    BENCHHUD_ASSIGN(const auto moved, move_rest_out(other, nullptr, 10));
    EXPECT_EQ(moved, removals == 1 ? 2 : 0);
    return {};
  });
  const auto removed =
      remove_orphans(*store_, watched, schema::now() + kOrphanAge + 60, /*is_rehearsal=*/false);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->removed, 2);
  EXPECT_EQ(removals, 2);
  const auto examined = examine_place(*store_, *place_, /*reads_all=*/true);
  ASSERT_TRUE(examined);
  EXPECT_EQ(examined->packs, 2);
  EXPECT_THAT(examined->problems, testing::IsEmpty());
}

TEST_F(TraceMoves, WhatCouldNotBeRemovedIsRemovedTheNextTime) {
  move_out();
  bring_back();
  HookedPlace failing(*place_, [](std::string_view, const fs::path&) -> schema::Expected<void> {
    return schema::Error{ErrorCode::kUnavailable, "not now"};
  });
  const double time = schema::now() + kOrphanAge + 60;
  const auto removed = remove_orphans(*store_, failing, time, false);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(orphans_at(time).removed, 2);
}

TEST_F(TraceMoves, APlaceIsOneStoresAlone) {
  const std::string other_file = (folder_ / "other.db").string();
  auto other = schema::open_store(other_file);
  ASSERT_TRUE(other);
  use();
  const auto used = use_place(*other, place_path(), nullptr);
  ASSERT_FALSE(used);
  EXPECT_EQ(used.error().code, ErrorCode::kConflict);
  EXPECT_THAT(used.error().message, HasSubstr("another store"));
  EXPECT_EQ(*trace::trace_place(*other), std::nullopt);
  // One whose marking was cut short before the place was set is this store's all the same.
  ASSERT_TRUE(trace::set_trace_place(*store_, *trace::trace_place(*store_), std::nullopt));
  use();
}

TEST_F(TraceMoves, OneThatIsTooLargeStaysAndTheOthersAreMoved) {
  std::string first;
  use();
  HookedPlace small(*place_, [&](std::string_view key, const fs::path&) -> schema::Expected<void> {
    if (!key.starts_with(trace::kPackPrefix)) return {};
    if (first.empty()) first = key;
    if (key == first) return schema::Error{ErrorCode::kTooLarge, "it has too many bytes"};
    return {};
  });
  const auto moved = move_traces_out(*store_, *turns_, small, nullptr);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(moved->moved, 1);
  EXPECT_EQ(moved->failed, 1);
  ASSERT_EQ(moved->problems.size(), 1u);
  EXPECT_THAT(moved->problems[0], HasSubstr("too many bytes"));
}

TEST_F(TraceMoves, WhatWasMovedBeforeThePlaceFailedIsNoted) {
  int puts = 0;
  use();
  HookedPlace failing(*place_,
                      [&](std::string_view key, const fs::path&) -> schema::Expected<void> {
                        if (!key.starts_with(trace::kPackPrefix) || ++puts == 1) return {};
                        return schema::Error{ErrorCode::kUnavailable, "not now"};
                      });
  const auto moved = move_traces_out(*store_, *turns_, failing, nullptr);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kUnavailable);
  schema::Statement notes =
      store_->prepare("SELECT count(*) FROM audit WHERE detail LIKE '1 traces (%'");
  ASSERT_TRUE(notes.step());
  EXPECT_EQ(notes.integer(0), 1);
}

TEST_F(TraceMoves, AStoreThatDoesNotKnowItsPlaceIsToldItOnlyWhereThePacksAre) {
  move_out();
  ASSERT_TRUE(trace::set_trace_place(*store_, *trace::trace_place(*store_), std::nullopt));
  const auto back = bring_traces_back(*store_, *turns_, nullptr);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, ErrorCode::kPlaceRefused);
  fs::create_directories(folder_ / "empty");
  const auto refused = use_place(*store_, (folder_ / "empty").string(), nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPlaceRefused);
  EXPECT_THAT(refused.error().message, HasSubstr("mounted"));
  EXPECT_TRUE(fs::is_empty(folder_ / "empty")) << "it is not marked";
  use();
  bring_back();
}

TEST_F(TraceMoves, APackThatIsLostOrDamagedKeepsNoOtherFromAnotherPlace) {
  move_out();
  const auto packs = trace::moved_traces(*store_);
  ASSERT_TRUE(packs);
  fs::create_directories(folder_ / "second");
  fs::create_directories(folder_ / "third");
  fs::remove(folder_ / "place" / packs->at(0).pack.key);
  auto second = use_place(*store_, (folder_ / "second").string(), nullptr);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->copied.moved, 1);
  EXPECT_EQ(second->copied.failed, 1);
  ASSERT_EQ(second->copied.problems.size(), 1u);
  EXPECT_THAT(second->copied.problems[0],
              AllOf(HasSubstr(fmt::format("trace {}:", schema::to_int(packs->at(0).trace))),
                    HasSubstr(packs->at(0).pack.key)));
  EXPECT_EQ(trace::trace_place(*store_)->value().address, (folder_ / "second").string());
  EXPECT_TRUE(trace::OpenTrace::open(*store_, packs->at(1).trace));
  // The other one's bytes change; it stays where it was.
  const fs::path changed = folder_ / "second" / packs->at(1).pack.key;
  const auto size = fs::file_size(changed);
  fs::permissions(changed, fs::perms::owner_write, fs::perm_options::add);
  std::fstream(changed, std::ios::in | std::ios::out | std::ios::binary).seekp(size / 2) << "wrong";
  const auto third = use_place(*store_, (folder_ / "third").string(), nullptr);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(third->copied.moved, 0);
  EXPECT_EQ(third->copied.failed, 2);
  EXPECT_FALSE(fs::exists(folder_ / "third" / packs->at(1).pack.key));
  EXPECT_EQ(fs::file_size(changed), size);
  const auto seen = examine_place(*store_, *third->place, false);
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->damaged, 2);
}

TEST_F(TraceMoves, ALostPackThatIsMadeAgainComesBackAsTheFileIsReadNow) {
  // As another version of the reader counted.
  ASSERT_TRUE(store_->execute("UPDATE trace SET slice_count = slice_count + 1"));
  move_out();
  lose_packs();
  for (const char* name : {"one", "two"}) {
    const auto again = import_trace(*store_, (folder_ / fmt::format("{}.json", name)).string());
    ASSERT_TRUE(again) << again.error().message;
  }
  const auto back = bring_traces_back(*store_, *turns_, nullptr);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->failed, 0) << testing::PrintToString(back->problems);
  for (const int number : {1, 2}) {
    const auto read = trace::read_trace(*store_, schema::TraceId(number));
    EXPECT_TRUE(read) << read.error().message;
  }
}

}  // namespace
}  // namespace benchhud::service
