// The lock that lets one process at a time take files in.

#include "schema/store/store_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "schema/store/store.h"

namespace benchhud::schema {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class StoreLockTest : public testing::Test {
 protected:
  StoreLockTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "store-lock-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~StoreLockTest() override { std::filesystem::remove_all(folder_); }

  std::string store() const { return (folder_ / "store.db").string(); }
  bool is_locked() const { return std::filesystem::exists(store() + "-lock"); }

  std::filesystem::path folder_;
};

TEST_F(StoreLockTest, OneAtATimeAndTheOtherIsToldWhoHasIt) {
  {
    const auto first = StoreLock::take(store(), "some work", LockPatience{});
    ASSERT_TRUE(first);
    const auto second = StoreLock::take(store(), "other work", LockPatience{});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kBusy);
    EXPECT_THAT(second.error().message, HasSubstr("some work, pid " + std::to_string(getpid())));
    EXPECT_THAT(second.error().message, testing::ContainsRegex("since 20[0-9-]*T[0-9:]*Z"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "nothing is left of it";
  EXPECT_TRUE(StoreLock::take(store(), "other work", LockPatience{}));
}

TEST_F(StoreLockTest, AStoreHasOneLockByWhateverNameItIsCalled) {
  std::ofstream(store()) << "";
  std::filesystem::create_symlink(store(), folder_ / "link.db");
  const auto first = StoreLock::take(store(), "work", LockPatience{});
  ASSERT_TRUE(first);
  EXPECT_FALSE(StoreLock::take((folder_ / "link.db").string(), "work", LockPatience{}));
  EXPECT_TRUE(StoreLock::take((folder_ / "other.db").string(), "work", LockPatience{}));
}

TEST_F(StoreLockTest, WhatAKilledProcessLeftLocksNobodyOut) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto held = StoreLock::take(store(), "work", LockPatience{});
    (void)!write(ends[1], held ? "y" : "n", 1);
    for (;;) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ends[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_FALSE(StoreLock::take(store(), "work", LockPatience{}));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_TRUE(is_locked()) << "the file is still there";
  EXPECT_TRUE(StoreLock::take(store(), "work", LockPatience{})) << "and locks nothing";
}

TEST_F(StoreLockTest, WhoWaitsGetsIt) {
  auto first = StoreLock::take(store(), "work", LockPatience{});
  ASSERT_TRUE(first);
  std::optional<StoreLock> held(*std::move(first));
  std::atomic<bool> is_reported = false;
  std::jthread giving([&] {
    while (!is_reported) std::this_thread::yield();
    held.reset();
  });
  std::string who;
  LockPatience patience;
  patience.longest = seconds(60);
  patience.on_wait = [&](const std::string& holder) {
    who = holder;
    is_reported = true;
  };
  const auto second = StoreLock::take(store(), "work", patience);
  EXPECT_TRUE(second);
  EXPECT_THAT(who, HasSubstr("work, pid"));
}

TEST_F(StoreLockTest, WhoIsStoppedWaitsNoLonger) {
  const auto first = StoreLock::take(store(), "work", LockPatience{});
  ASSERT_TRUE(first);
  int asked = 0;
  LockPatience patience;
  patience.longest = seconds(3600);
  patience.gives_up = [&] { return ++asked == 3; };
  const auto second = StoreLock::take(store(), "work", patience);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_EQ(asked, 3);
}

TEST_F(StoreLockTest, ManyAtOnceNeverHaveItTogether) {
  std::atomic<int> inside = 0, most = 0, turns = 0;
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < 8; ++i) {
      all.emplace_back([&] {
        for (int turn = 0; turn < 20; ++turn) {
          const auto lock = StoreLock::take(store(), "work", LockPatience{seconds(60), {}, {}});
          if (!lock) continue;
          const int now = ++inside;
          if (now > most) most = now;
          ++turns;
          std::this_thread::yield();
          --inside;
        }
      });
    }
  }
  EXPECT_EQ(turns, 160);
  EXPECT_EQ(most, 1);
  EXPECT_FALSE(is_locked());
}

TEST_F(StoreLockTest, WhoTakesItAgainAtOnceIsBehindWhoWaits) {
  const LockPatience patience{seconds(60), {}, {}};
  auto first = StoreLock::take(store(), "file after file", patience);
  ASSERT_TRUE(first);
  std::optional<StoreLock> held(*std::move(first));
  std::atomic<bool> was_in = false;
  std::jthread waiting([&] {
    const auto lock = StoreLock::take(store(), "work", patience);
    was_in = lock.has_value();
  });
  const auto is_waiting = [&] { return std::filesystem::exists(store() + "-lock-next"); };
  for (int i = 0; i < 1000 && !is_waiting(); ++i) std::this_thread::sleep_for(milliseconds(10));
  int again = 0;
  while (!was_in && again < 50) {
    held.reset();
    auto next = StoreLock::take(store(), "file after file", patience);
    ASSERT_TRUE(next);
    held.emplace(*std::move(next));
    ++again;
  }
  EXPECT_EQ(again, 1);
}

TEST_F(StoreLockTest, WhereNothingCanBeWrittenItSaysSo) {
  std::filesystem::create_directory(store() + "-lock");
  const auto taken = StoreLock::take(store(), "work", LockPatience{});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kIo);
  EXPECT_FALSE(StoreLock::take("", "work", LockPatience{}));
}

TEST_F(StoreLockTest, ATurnIsGivenOnlyWithTheStoreThatWasOpened) {
  auto connection = open_store(store());
  ASSERT_TRUE(connection);
  const StoreTurns turns(store(), "work", LockPatience{});
  {
    const auto turn = turns.take(*connection);
    ASSERT_TRUE(turn) << turn.error().message;
    EXPECT_TRUE(is_locked());
    const auto second = turns.take(*connection);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  }
  EXPECT_FALSE(is_locked());

  ASSERT_TRUE(connection->execute("PRAGMA user_version = 1000000"));
  const auto newer = turns.take(*connection);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kVersion);

  EXPECT_FALSE(connection->has_moved());
  std::ofstream(folder_ / "other.db") << "";
  std::filesystem::rename(folder_ / "other.db", store());
  EXPECT_TRUE(connection->has_moved());
  const auto replaced = turns.take(*connection);
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().code, ErrorCode::kBusy);
  EXPECT_THAT(replaced.error().message, HasSubstr("another file has taken the place of"));
  EXPECT_FALSE(is_locked());
}

}  // namespace
}  // namespace benchhud::schema
