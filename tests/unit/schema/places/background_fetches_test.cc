// Fetches that go on while nobody waits for them.

#include "schema/places/background_fetches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::MatchesRegex;

/// A place that answers nobody until it is told to; each object's bytes are its key.
class SilentPlace : public ObjectPlace {
 public:
  struct State {
    std::atomic<bool> answers = false, has_objects = true;
    std::atomic<int> fetches = 0;
  };
  SilentPlace(State& state, std::function<bool()> gives_up)
      : state_(state), gives_up_(std::move(gives_up)) {}

  const std::string& address() const override { return address_; }
  Expected<void> put(std::string_view, const fs::path&) override { return {}; }
  Expected<void> remove(std::string_view) override { return {}; }
  Expected<std::optional<PlacedObject>> find(std::string_view) override {
    return std::optional<PlacedObject>();
  }
  Expected<void> list(std::string_view,
                      const std::function<Expected<void>(const PlacedObject&)>&) override {
    return {};
  }
  Expected<void> fetch(std::string_view key, const fs::path& file, std::int64_t) override {
    ++state_.fetches;
    while (!state_.answers) {
      if (gives_up_()) return Error{ErrorCode::kUnavailable, "it was given up"};
      std::this_thread::sleep_for(milliseconds(1));
    }
    if (!state_.has_objects) return Error{ErrorCode::kNotFound, "there is no such object"};
    std::ofstream(file, std::ios::binary) << key;
    return {};
  }

 private:
  State& state_;
  std::function<bool()> gives_up_;
  std::string address_ = "silent";
};

class BackgroundFetchesTest : public testing::Test {
 protected:
  BackgroundFetchesTest() {
    std::string pattern = (fs::temp_directory_path() / "background-fetches-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    cache_.emplace(CacheOptions{folder_ / "cache", 1'000'000, 0, milliseconds(20'000), {}});
    fetches_.emplace(*cache_, milliseconds(200));
  }
  ~BackgroundFetchesTest() override {
    fetches_.reset();
    fs::remove_all(folder_);
  }

  static ObjectName named(const std::string& key) {
    return {key, content_hash(key), static_cast<std::int64_t>(key.size())};
  }
  Expected<std::shared_ptr<const CachedObject>> wait_for(const std::string& key) {
    return fetches_->wait_for(named(key), [this](std::function<bool()> gives_up) {
      return Expected<std::unique_ptr<ObjectPlace>>(
          std::make_unique<SilentPlace>(state_, std::move(gives_up)));
    });
  }
  /// What somebody is told who waits in vain, and how long that takes.
  std::pair<std::string, milliseconds> wait_in_vain(const std::string& key) {
    const auto began = steady_clock::now();
    const auto done = wait_for(key);
    EXPECT_FALSE(done);
    if (done) return {};
    EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
    return {done.error().message,
            std::chrono::duration_cast<milliseconds>(steady_clock::now() - began)};
  }
  /// Waits until the object has been fetched by whoever does it.
  bool comes(const std::string& key) {
    for (int i = 0; i < 10'000; ++i) {
      const auto found = cache_->find(named(key));
      if (found && *found) return true;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return false;
  }

  fs::path folder_;
  SilentPlace::State state_;
  std::optional<ObjectCache> cache_;
  std::optional<BackgroundFetches> fetches_;
};

TEST_F(BackgroundFetchesTest, WhatComesInTimeIsThere) {
  state_.answers = true;
  const auto got = wait_for("a");
  ASSERT_TRUE(got && *got);
  EXPECT_TRUE(fs::exists((*got)->path()));
  const auto found = cache_->find(named("a"));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(state_.fetches, 1);
}

TEST_F(BackgroundFetchesTest, AFetchGoesOnWhenNobodyWaitsAnyMore) {
  const auto [words, first] = wait_in_vain("traces/a");
  EXPECT_GE(first, milliseconds(200));
  EXPECT_THAT(words, MatchesRegex("traces/a is being fetched: 8 bytes, begun [0-9]+ s ago. Try "
                                  "again in a few seconds."));
  // Who comes later does not begin another.
  EXPECT_THAT(wait_in_vain("traces/a").first, HasSubstr("traces/a is being fetched"));
  state_.answers = true;
  EXPECT_TRUE(comes("traces/a"));
  EXPECT_EQ(state_.fetches, 1);
}

TEST_F(BackgroundFetchesTest, TheErrorIsToldAndTheNextOneTriesAgain) {
  state_.answers = true;
  state_.has_objects = false;
  for (int i = 1; i <= 2; ++i) {
    const auto done = wait_for("a");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kNotFound);
    EXPECT_EQ(state_.fetches, i);
  }
  state_.has_objects = true;
  EXPECT_TRUE(wait_for("a"));
}

TEST_F(BackgroundFetchesTest, SoManyAreFetchedAtOnceAndNoMore) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < BackgroundFetches::kMostAtOnce; ++i) {
    threads.emplace_back([&, i] { wait_in_vain(std::to_string(i)); });
  }
  for (std::thread& thread : threads) thread.join();
  while (state_.fetches < static_cast<int>(BackgroundFetches::kMostAtOnce))
    std::this_thread::yield();
  EXPECT_THAT(wait_in_vain("one more").first,
              HasSubstr("one more is not there yet, and 8 others are being fetched"));
  EXPECT_EQ(state_.fetches, BackgroundFetches::kMostAtOnce);
  state_.answers = true;
  ASSERT_TRUE(comes("0"));
  // Once one has ended there is room again, within a moment.
  while (!wait_for("one more")) std::this_thread::sleep_for(milliseconds(1));
}

TEST_F(BackgroundFetchesTest, SoManyWaitAtOnceAndTheOthersAreToldSoAtOnce) {
  constexpr milliseconds kPatience{2000};
  fetches_.emplace(*cache_, kPatience);
  std::atomic<int> late = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] { late += wait_in_vain("a").second > kPatience / 2 ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(late, static_cast<int>(BackgroundFetches::kMostWaiting));
  EXPECT_GE(late, 1);
  EXPECT_EQ(state_.fetches, 1);
}

TEST_F(BackgroundFetchesTest, WhatSomebodyWaitsForStaysUntilHeHasIt) {
  cache_.emplace(CacheOptions{folder_ / "cache", 1, 0, milliseconds(20'000), {}});
  fetches_.emplace(*cache_, milliseconds(10'000));
  state_.answers = true;
  {
    const auto got = wait_for("a");
    ASSERT_TRUE(got) << got.error().message;
    const auto other = wait_for("b");
    ASSERT_FALSE(other) << "there is room for one";
    EXPECT_EQ(other.error().code, ErrorCode::kFull);
    EXPECT_TRUE(fs::exists((*got)->path()));
  }
  EXPECT_TRUE(wait_for("b"));
}

TEST_F(BackgroundFetchesTest, WhatIsUnderWayIsGivenUpAtTheEnd) {
  wait_in_vain("a");
  fetches_->end();
  EXPECT_EQ(wait_in_vain("b").first, "The program ends.");
  EXPECT_EQ(state_.fetches, 1);
  fetches_.reset();
  EXPECT_FALSE(fs::exists(folder_ / "cache" / (named("a").hash.hex() + ".object")));
}

}  // namespace
}  // namespace benchhud::schema
